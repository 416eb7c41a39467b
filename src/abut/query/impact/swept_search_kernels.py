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
from ...math.pose_kernels import frame_at, named_motion, pose_relative
from ...math.vec_kernels import cross, dot, mat_vec, norm, scale, sub
from ..distance.triangle_pair_kernels import load_triangle, triangle_gap2
from ..motion.relative_motion_kernels import part_of_motion
from ..search.heap_kernels import heap_pop, heap_push
from ..volumes.hierarchy_tables import SweptPart
from ..volumes.obb_kernels import SIZE, box_centre, box_half, separation
from .impact_linear_kernels import EPSILON
from .impact_rigid_kernels import (
    FREE,
    OF_PLACE,
    OF_TURN,
    circle_along,
    impact_edge_edge_rigid,
    impact_vertex_face_rigid,
    lasting,
    point_state,
    space_fixed_step,
    step_along,
    turning_along,
)
from .impact_tables import Gaps, Heap, MovingNode, Sought

FOUND, NOTHING, STOPPED = 0, 1, 2
"""How a search ends: with a touch, with the certainty that there is none, or for want of effort."""

# Steps along the closest direction before the features of two triangles are looked at one by one, and what that costs
# in pairs of nodes.
_LEAF_STEPS = 6
_FEATURES_COST = 40
# A pair that advances by less than this share of the time span is divided.
_WORTHWHILE = 0.01


@lean_kernel
def _box_step(a, b, gap):
    """How long the boxes of two MovingNodes stay farther apart than `gap` along the axis that separates them now."""
    apart, n_A = separation(a.rows, a.i, b.rows, b.i, pose_relative(a.pose, b.pose))
    if not apart > gap:
        return 0.0
    n = mat_vec(a.pose.R, n_A)
    r_a, r_b = a.motion.rotvec, b.motion.rotvec
    turning = norm(cross(n, r_a)) * norm(box_half(a.rows, a.i)) + norm(cross(n, r_b)) * norm(box_half(b.rows, b.i))
    curvature = norm(r_a) * norm(cross(r_a, a.state.arm)) + norm(r_b) * norm(cross(r_b, b.state.arm))
    return lasting(apart - gap, dot(n, sub(b.state.velocity, a.state.velocity)) - turning, curvature)


@lean_kernel
def node_step(rows_a, a, rows_b, b, poses, motions, gap):
    """How long the volumes of two nodes are certain to stay farther apart than `gap`."""
    (X_a, X_b), (motion_a, motion_b) = poses, motions
    state_a = point_state(X_a, motion_a, box_centre(rows_a, a))
    state_b = point_state(X_b, motion_b, box_centre(rows_b, b))
    z = sub(state_b.position, state_a.position)
    length = norm(z)
    step = 0.0
    if length > 0.0:
        reach = norm(box_half(rows_a, a)) + norm(box_half(rows_b, b)) + gap
        step = space_fixed_step(scale(1.0 / length, z), state_b, state_a, motion_b, motion_a, reach)
    node_a = MovingNode(rows_a, a, state_a, X_a, motion_a)
    return max(step, _box_step(node_a, MovingNode(rows_b, b, state_b, X_b, motion_b), gap))


@kernel
def _states(X, motion, triangle):
    p, q, r = triangle
    return point_state(X, motion, p), point_state(X, motion, q), point_state(X, motion, r)


@kernel
def _positions(states):
    p, q, r = states
    return p.position, q.position, r.position


@kernel
def _corner_step(n, p_states, p_circles, q_state, q_circle, turnings, straight, reach):
    """How long the direction `n` separates the corners of a triangle from one of the other's."""
    (p0, p1, p2), (in_p0, in_p1, in_p2) = p_states, p_circles
    step = step_along(n, p0, q_state, (in_p0, q_circle), turnings, straight, reach)
    step = min(step, step_along(n, p1, q_state, (in_p1, q_circle), turnings, straight, reach))
    return min(step, step_along(n, p2, q_state, (in_p2, q_circle), turnings, straight, reach))


@kernel
def _triangle_step(poses, triangle_a, triangle_b, motion_a, motion_b, gap):
    """Distance of two triangles, and how long they stay farther apart than `gap` along their closest direction."""
    (X_a, X_b), (_, d_a, r_a), (_, d_b, r_b) = poses, motion_a, motion_b
    a, b = _states(X_a, motion_a, triangle_a), _states(X_b, motion_b, triangle_b)
    d2, z = triangle_gap2(_positions(a), _positions(b), inf)
    if not d2 > gap * gap:
        return sqrt(d2), 0.0
    n = scale(1.0 / norm(z), z)
    turning_b, turning_a = turnings = turning_along(n, r_b), turning_along(n, r_a)
    straight = dot(n, sub(d_b, d_a))
    b0, b1, b2 = b
    circles = (
        circle_along(n, r_b, turning_b, b0.arm),
        circle_along(n, r_b, turning_b, b1.arm),
        circle_along(n, r_b, turning_b, b2.arm),
    )
    step = inf
    for q in a:
        circle = circle_along(n, r_a, turning_a, q.arm)
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
def _poses_at(motions, t):
    motion_a, motion_b = motions
    return frame_at(motion_a, t), frame_at(motion_b, t)


@kernel
def _advance_triangles(triangle_a, triangle_b, motions, t, end, other, gaps):
    """Advance two triangles until they touch, reach `end`, or are later than the `other` pairs that wait.

    Returns the time, whether they touch then, their last distance, and whether features had to be looked at.
    """
    motion_a, motion_b = motions
    d = inf
    for _ in range(_LEAF_STEPS):
        poses = _poses_at(motions, t)
        d, step = _triangle_step(poses, triangle_a, triangle_b, motion_a, motion_b, gaps.gap + gaps.slack)
        if d <= gaps.gap + gaps.tolerance:
            return t, True, d, False
        t += step * (1.0 - 8.0 * EPSILON)
        if t >= end or t > other:
            return t, False, d, False
    t = _features_touch(triangle_a, triangle_b, motion_a, motion_b, t, end, gaps.gap, gaps.tolerance)
    return t, t < inf, d, True


@kernel
def _rounding(motions, reach_a, reach_b):
    """Bound of the rounding in positions during the motions."""
    (X_a, d_a, r_a), (X_b, d_b, r_b) = motions
    lengths = norm(X_a.p) + norm(X_b.p) + norm(d_a) + norm(d_b) + reach_a + reach_b
    return EPSILON * (OF_PLACE * lengths + OF_TURN * (norm(r_a) * reach_a + norm(r_b) * reach_b))


@lean_kernel
def _divide(t, a, b, part_a, part_b, top, heap_io):
    """Put the two halves of a pair of nodes into the heap; the larger volume is divided."""
    pairs, keys = heap_io
    under_a, under_b = np.int64(part_a.child[a]), np.int64(part_b.child[b])
    if under_b < 0 or (under_a >= 0 and part_a.boxes[a, SIZE] > part_b.boxes[b, SIZE]):
        heap_push(t, under_a, b, top, pairs, keys)
        heap_push(t, under_a + 1, b, top + 1, pairs, keys)
    else:
        heap_push(t, a, under_b, top, pairs, keys)
        heap_push(t, a, under_b + 1, top + 1, pairs, keys)
    return top + 2


@lean_kernel
def first_touch(parts, motions, span, sought, effort, heap_io, leaves_out):
    """First time within `span` at which two parts come within a gap, as `(time, status, distance)`.

    Parts are SweptParts, motions MovingFrames, effort = (limit, patience). STOPPED after some `limit` pairs, or after
    `patience` pairs without any progress; the time is then one until which the motion is free. `leaves_out` receives
    the two triangles of a touch. The distance is the least that was seen between two triangles.
    """
    (part_a, part_b), (motion_a, motion_b), (limit, patience), (begin, end) = parts, motions, effort, span
    part_a, part_b, sought, heap_io = SweptPart(*part_a), SweptPart(*part_b), Sought(*sought), Heap(*heap_io)
    motions = (named_motion(motion_a), named_motion(motion_b))
    impatient = limit - patience
    slack = _rounding(motions, part_a.reach, part_b.reach)
    gaps = Gaps(sought.gap, max(sought.tolerance, 4.0 * slack), slack)
    pairs, keys = heap_io
    pairs[0, 0], pairs[0, 1], keys[0], top = 0, 0, begin, 1
    nearest = inf
    while top > 0:
        if limit <= 0 or top > keys.shape[0] - 3 or (limit < impatient and keys[0] == begin):
            return keys[0], STOPPED, nearest
        heap_pop(top, pairs, keys)
        top -= 1
        limit -= 1
        t, a, b = keys[top], np.int64(pairs[top, 0]), np.int64(pairs[top, 1])
        if a < 0:
            leaves_out[0], leaves_out[1] = -1 - a, b
            return t, FOUND, nearest
        under_a, under_b = np.int64(part_a.child[a]), np.int64(part_b.child[b])
        if under_a < 0 and under_b < 0:
            A, B = load_triangle(part_a.corners, -1 - under_a), load_triangle(part_b.corners, -1 - under_b)
            other = keys[0] if top > 0 else inf
            t, touch, d, costly = _advance_triangles(A, B, motions, t, end, other, gaps)
            nearest = min(nearest, d)
            limit -= _FEATURES_COST if costly else 0
            if touch:
                heap_push(t, under_a, -1 - under_b, top, pairs, keys)  # a touch is marked by a < 0
                top += 1
            elif t < end:
                heap_push(t, a, b, top, pairs, keys)
                top += 1
            continue
        step = node_step(part_a.boxes, a, part_b.boxes, b, _poses_at(motions, t), motions, gaps.gap + slack)
        t += step * (1.0 - 8.0 * EPSILON)
        if t >= end:
            continue
        if step > _WORTHWHILE * (end - begin):
            heap_push(t, a, b, top, pairs, keys)
            top += 1
        else:
            top = _divide(t, a, b, part_a, part_b, top, heap_io)
    return inf, NOTHING, nearest
