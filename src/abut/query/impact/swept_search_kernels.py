"""First touch of two moving parts, by branch and bound over pairs of nodes in the order of time.

Every pair of nodes carries a time until which its volumes cannot meet. The earliest pair is taken from a heap and
advanced conservatively, as balls that run on circles and as boxes along the axis that separates them best, each with
the radius and the arm of its own; a pair that hardly advances is divided. Two triangles are advanced along the
direction of their closest points, and feature by feature where that becomes slow. The first pair of triangles that is
taken from the heap with a touch is the answer, and the earliest key is a time until which the whole motion is free,
whenever the search is stopped.
"""

from math import inf, sqrt

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.pose_kernels import motion_at, pose_relative
from ...math.vec_kernels import cross, dot, mat_vec, norm, scale, sub
from ..distance.triangle_pair_kernels import load_triangle, triangle_gap2
from ..motion.relative_motion_kernels import part_of_motion
from ..search.heap_kernels import heap_pop, heap_push
from ..volumes.obb_kernels import box_centre, box_half, separation
from .impact_linear_kernels import EPSILON
from .impact_rigid_kernels import (
    FREE,
    circle_along,
    impact_edge_edge_rigid,
    impact_vertex_face_rigid,
    lasting,
    point_state,
    space_fixed_step,
    step_along,
    turning_along,
)

FOUND, NOTHING, STOPPED = 0, 1, 2
"""How a search ends: with a touch, with the certainty that there is none, or for want of effort."""

# Steps along the closest direction before the features of two triangles are looked at one by one, and what that costs
# in pairs of nodes.
_LEAF_STEPS = 6
_FEATURES_COST = 40
# A pair that advances by less than this share of the time span is divided.
_WORTHWHILE = 0.01


@lean_kernel
def _box_step(rows_a, a, rows_b, b, poses, states, motion_a, motion_b, gap):
    """How long two boxes stay farther apart than `gap` along the axis that separates them now."""
    X = pose_relative(poses[0], poses[1])
    apart, n_A = separation(rows_a, a, rows_b, b, X[0], X[1])
    if not apart > gap:
        return 0.0
    n = mat_vec(poses[0][0], n_A)
    (_, v_a, arm_a), (_, v_b, arm_b) = states
    r_a, r_b = motion_a[2], motion_b[2]
    turning = norm(cross(n, r_a)) * norm(box_half(rows_a, a)) + norm(cross(n, r_b)) * norm(box_half(rows_b, b))
    curvature = norm(r_a) * norm(cross(r_a, arm_a)) + norm(r_b) * norm(cross(r_b, arm_b))
    return lasting(apart - gap, dot(n, sub(v_b, v_a)) - turning, curvature)


@lean_kernel
def node_step(rows_a, a, rows_b, b, poses, motion_a, motion_b, gap):
    """How long the volumes of two nodes are certain to stay farther apart than `gap`."""
    state_a = point_state(poses[0], motion_a[1], motion_a[2], box_centre(rows_a, a))
    state_b = point_state(poses[1], motion_b[1], motion_b[2], box_centre(rows_b, b))
    z = sub(state_b[0], state_a[0])
    length = norm(z)
    step = 0.0
    if length > 0.0:
        reach = norm(box_half(rows_a, a)) + norm(box_half(rows_b, b)) + gap
        step = space_fixed_step(scale(1.0 / length, z), state_b, state_a, motion_b, motion_a, reach)
    return max(step, _box_step(rows_a, a, rows_b, b, poses, (state_a, state_b), motion_a, motion_b, gap))


@kernel
def _states(X, motion, triangle):
    return (
        point_state(X, motion[1], motion[2], triangle[0]),
        point_state(X, motion[1], motion[2], triangle[1]),
        point_state(X, motion[1], motion[2], triangle[2]),
    )


@kernel
def _positions(states):
    return states[0][0], states[1][0], states[2][0]


@kernel
def _corner_step(n, p_states, p_circles, q_state, q_circle, turnings, straight, reach):
    """How long the direction `n` separates the corners of a triangle from one of the other's."""
    step = step_along(n, p_states[0], q_state, (p_circles[0], q_circle), turnings, straight, reach)
    step = min(step, step_along(n, p_states[1], q_state, (p_circles[1], q_circle), turnings, straight, reach))
    return min(step, step_along(n, p_states[2], q_state, (p_circles[2], q_circle), turnings, straight, reach))


@kernel
def _triangle_step(poses, triangle_a, triangle_b, motion_a, motion_b, gap):
    """Distance of two triangles, and how long they stay farther apart than `gap` along their closest direction."""
    a, b = _states(poses[0], motion_a, triangle_a), _states(poses[1], motion_b, triangle_b)
    A, B = _positions(a), _positions(b)
    d2, z = triangle_gap2(A, B, inf)
    if not d2 > gap * gap:
        return sqrt(d2), 0.0
    n = scale(1.0 / norm(z), z)
    turnings = turning_along(n, motion_b[2]), turning_along(n, motion_a[2])
    straight = dot(n, sub(motion_b[1], motion_a[1]))
    circles = (
        circle_along(n, motion_b[2], turnings[0], b[0][2]),
        circle_along(n, motion_b[2], turnings[0], b[1][2]),
        circle_along(n, motion_b[2], turnings[0], b[2][2]),
    )
    step = inf
    for q in a:
        circle = circle_along(n, motion_a[2], turnings[1], q[2])
        step = min(step, _corner_step(n, b, circles, q, circle, turnings, straight, gap))
    return sqrt(d2), step


@kernel
def _features_touch(triangle_a, triangle_b, motion_a, motion_b, t, end, gap, tolerance):
    """First touch after `t` of two triangles that are apart then, feature by feature; inf if none before `end`."""
    first = end
    found = False
    for i in range(3):
        m_a, m_b = part_of_motion(motion_a, t, first - t), part_of_motion(motion_b, t, first - t)
        s, status = impact_vertex_face_rigid(triangle_a[i], m_a, triangle_b, m_b, gap, tolerance, 1.0)
        if status != FREE:
            first, found = t + s * (first - t), True
        m_a, m_b = part_of_motion(motion_a, t, first - t), part_of_motion(motion_b, t, first - t)
        s, status = impact_vertex_face_rigid(triangle_b[i], m_b, triangle_a, m_a, gap, tolerance, 1.0)
        if status != FREE:
            first, found = t + s * (first - t), True
        for j in range(3):
            m_a, m_b = part_of_motion(motion_a, t, first - t), part_of_motion(motion_b, t, first - t)
            e, f = (triangle_a[i], triangle_a[(i + 1) % 3]), (triangle_b[j], triangle_b[(j + 1) % 3])
            s, status = impact_edge_edge_rigid(e, m_a, f, m_b, gap, tolerance, 1.0)
            if status != FREE:
                first, found = t + s * (first - t), True
    return first if found else inf


@kernel
def _poses_at(motion_a, motion_b, t):
    return motion_at(motion_a[0], motion_a[1], motion_a[2], t), motion_at(motion_b[0], motion_b[1], motion_b[2], t)


@kernel
def _advance_triangles(triangle_a, triangle_b, motion_a, motion_b, t, end, other, gaps):
    """Advance two triangles until they touch, reach `end`, or are later than the `other` pairs that wait.

    Returns the time, whether they touch then, their last distance, and whether features had to be looked at.
    """
    gap, tolerance, slack = gaps
    d = inf
    for _ in range(_LEAF_STEPS):
        poses = _poses_at(motion_a, motion_b, t)
        d, step = _triangle_step(poses, triangle_a, triangle_b, motion_a, motion_b, gap + slack)
        if d <= gap + tolerance:
            return t, True, d, False
        t += step * (1.0 - 8.0 * EPSILON)
        if t >= end or t > other:
            return t, False, d, False
    t = _features_touch(triangle_a, triangle_b, motion_a, motion_b, t, end, gap, tolerance)
    return t, t < inf, d, True


@kernel
def _rounding(motion_a, motion_b, reach_a, reach_b):
    """Bound of the rounding in positions during the motions."""
    lengths = norm(motion_a[0][1]) + norm(motion_b[0][1]) + norm(motion_a[1]) + norm(motion_b[1]) + reach_a + reach_b
    return EPSILON * (16.0 * lengths + 4.0 * (norm(motion_a[2]) * reach_a + norm(motion_b[2]) * reach_b))


@lean_kernel
def _divide(t, a, b, part_a, part_b, top, pairs_io, keys_io):
    """Put the two halves of a pair of nodes into the heap; the larger volume is divided."""
    under_a, under_b = np.int64(part_a[1][a]), np.int64(part_b[1][b])
    if under_b < 0 or (under_a >= 0 and part_a[2][a, 15] > part_b[2][b, 15]):
        heap_push(t, under_a, b, top, pairs_io, keys_io)
        heap_push(t, under_a + 1, b, top + 1, pairs_io, keys_io)
    else:
        heap_push(t, a, under_b, top, pairs_io, keys_io)
        heap_push(t, a, under_b + 1, top + 1, pairs_io, keys_io)
    return top + 2


@lean_kernel
def first_touch(part_a, part_b, motion_a, motion_b, span, options, effort, pairs_io, keys_io, leaves_out):
    """First time within `span` at which two parts come within a gap, as `(time, status, distance)`.

    Parts are (corners, child, boxes, reach), options = (gap, tolerance), effort = (limit, patience). STOPPED after some
    `limit` pairs, or after `patience` pairs without any progress; the time is then one until which the motion is free.
    `leaves_out` receives the two triangles of a touch. The distance is the least that was seen between two triangles.
    """
    limit, patience = effort
    impatient = limit - patience
    begin, end = span
    slack = _rounding(motion_a, motion_b, part_a[3], part_b[3])
    gaps = (options[0], max(options[1], 4.0 * slack), slack)
    pairs_io[0, 0], pairs_io[0, 1], keys_io[0], top = 0, 0, begin, 1
    nearest = inf
    while top > 0:
        if limit <= 0 or top > keys_io.shape[0] - 3 or (limit < impatient and keys_io[0] == begin):
            return keys_io[0], STOPPED, nearest
        heap_pop(top, pairs_io, keys_io)
        top -= 1
        limit -= 1
        t, a, b = keys_io[top], np.int64(pairs_io[top, 0]), np.int64(pairs_io[top, 1])
        if a < 0:
            leaves_out[0], leaves_out[1] = -1 - a, b
            return t, FOUND, nearest
        under_a, under_b = np.int64(part_a[1][a]), np.int64(part_b[1][b])
        if under_a < 0 and under_b < 0:
            A, B = load_triangle(part_a[0], -1 - under_a), load_triangle(part_b[0], -1 - under_b)
            other = keys_io[0] if top > 0 else inf
            t, touch, d, costly = _advance_triangles(A, B, motion_a, motion_b, t, end, other, gaps)
            nearest = min(nearest, d)
            limit -= _FEATURES_COST if costly else 0
            if touch:
                heap_push(t, under_a, -1 - under_b, top, pairs_io, keys_io)  # a touch is marked by a < 0
                top += 1
            elif t < end:
                heap_push(t, a, b, top, pairs_io, keys_io)
                top += 1
            continue
        step = node_step(
            part_a[2], a, part_b[2], b, _poses_at(motion_a, motion_b, t), motion_a, motion_b, gaps[0] + slack
        )
        t += step * (1.0 - 8.0 * EPSILON)
        if t >= end:
            continue
        if step > _WORTHWHILE * (end - begin):
            heap_push(t, a, b, top, pairs_io, keys_io)
            top += 1
        else:
            top = _divide(t, a, b, part_a, part_b, top, pairs_io, keys_io)
    return inf, NOTHING, nearest
