"""When do a vertex and a face, or two edges, of bodies that move and turn first come within a gap of each other?

Conservative advancement over rigid motions (motion = (X, d, r), see math.pose_kernels) in the terms of
impact_linear_kernels: the polygon of differences P - Q, where P is the face or the first edge and Q the vertex or the
second edge, and a direction n along which its corners are positive. A step lasts as long as some bound on the motion
*along n* shows the corners to stay beyond the gap; sliding along a face is no approach. Three bounds are tried:

* n fixed in space: every point runs straight and on a circle about its axis, so that its way along n is known up to
  second order, has a largest speed, and never leaves the circle's extent, however many turns are made;
* n fixed in the body whose face or edge is closest: what matters is the motion of the other body's points seen from
  there, so that features that turn together, or slide on each other while turning, keep n;
* for two crossing edges, the volume spanned by them and the vector between them, which vanishes when they touch.

Conventions: the points of P and Q are tuples in their bodies' frames, three for P (an edge repeats its last one) and
two for Q (a vertex stands twice). Speeds are per unit of motion time.
"""

from math import inf, sqrt

import numpy as np

from ..._jit import kernel
from ...geometry.triangles.triangle_kernels import closest_segment_segment
from ...math.pose_kernels import motion_at, pose_apply
from ...math.vec_kernels import add, cross, dot, neg, norm, scale, sub
from .impact_linear_kernels import (
    EPSILON,
    closest_feature,
    edge_edge_corners,
    separating_direction,
    vertex_face_corners,
)

FREE, TOUCH, STALLED = 0, 1, 2
# How many corners the polygon has. Typed, because every plain number would get machine code of its own.
FACE_CORNERS, EDGE_CORNERS = np.int64(3), np.int64(4)
MAX_STEPS = 10000


@kernel
def lasting(value, rate, curvature):
    """How long `value + rate s - curvature s^2 / 2` stays positive, for a positive value and curvature >= 0."""
    root = sqrt(rate * rate + 2.0 * curvature * value)
    if rate <= 0.0:
        return 2.0 * value / (root - rate) if root > rate else inf
    return (rate + root) / curvature if curvature > 0.0 else inf


@kernel
def lasting_straight(value, rate):
    """The same without curvature."""
    return -value / rate if rate < 0.0 else inf


@kernel
def point_state(X, d, r, point):
    """Position, velocity and arm about the frame's origin of a body-frame point of a body now at `X`."""
    x = pose_apply(X, point)
    arm = sub(x, X[1])
    return x, add(d, cross(r, arm)), arm


@kernel
def turning_along(n, r):
    """Angular speed, its square, and the extent along `n` of a circle of radius 1 about the axis of the rotation."""
    omega2 = dot(r, r)
    if omega2 == 0.0:
        return 0.0, 0.0, 0.0
    omega = sqrt(omega2)
    return omega, omega2, norm(cross(n, r)) / omega


@kernel
def circle_along(n, r, turning, arm):
    """Extent along `n` of the circle on which a point runs, and its offset along `n` from the circle's centre."""
    if turning[1] == 0.0:
        return 0.0, 0.0
    offset = sub(arm, scale(dot(arm, r) / turning[1], r))
    return norm(offset) * turning[2], dot(n, offset)


@kernel
def step_along(n, p_state, q_state, circles, turnings, straight, reach):
    """How long a pair of points stays farther than `reach` along `n`, which is fixed in space.

    `circles` and `turnings` are those of the two points, `straight` is how fast their frames' origins part along `n`.
    """
    value = dot(n, sub(p_state[0], q_state[0])) - reach
    if not value > 0.0:
        return 0.0
    (extent_p, offset_p), (extent_q, offset_q) = circles
    curvature = turnings[0][1] * extent_p + turnings[1][1] * extent_q
    step = lasting(value, dot(n, sub(p_state[1], q_state[1])), curvature)
    turning = turnings[0][0] * extent_p + turnings[1][0] * extent_q
    step = max(step, lasting_straight(value, straight - turning))
    # Beyond the whole circles: from their centres on, only the straight part of the motion counts.
    value += offset_q - offset_p - extent_p - extent_q
    return max(step, lasting_straight(value, straight)) if value > 0.0 else step


@kernel
def space_fixed_step(n, p_state, q_state, motion_p, motion_q, reach):
    """How long a pair of points stays farther than `reach` along `n`, which is fixed in space."""
    turnings = turning_along(n, motion_p[2]), turning_along(n, motion_q[2])
    circles = (
        circle_along(n, motion_p[2], turnings[0], p_state[2]),
        circle_along(n, motion_q[2], turnings[1], q_state[2]),
    )
    return step_along(n, p_state, q_state, circles, turnings, dot(n, sub(motion_p[1], motion_q[1])), reach)


@kernel
def relative_turning(r, r_base):
    """Bound of the second derivative of a unit vector that turns with one body, seen from another that turns too.

    Seen from there it turns at the difference of the rotations, which itself turns where the axes differ.
    """
    spin = sub(r, r_base)
    return dot(spin, spin) + norm(cross(r_base, r))


@kernel
def relative_motion(state, motion, poses, motion_base, span):
    """Velocity of a point seen from the base body, and bounds of its acceleration and speed there during `span`.

    `poses` are those of the point's body and of the base. Seen from the base, the point is R_base^T (z + t d) of its
    frame's origin, z and d being the offset and the speed of the origins, and its arm, turned by R_base^T R.
    """
    r = motion_base[2]
    omega = norm(r)
    d = sub(motion[1], motion_base[1])
    z = sub(poses[0][1], poses[1][1])
    turning = relative_turning(motion[2], r) * norm(state[2])
    acceleration = turning + omega * (2.0 * norm(d) + norm(cross(r, z)) + norm(cross(r, d)) * span)
    u = sub(sub(state[1], motion_base[1]), cross(r, sub(state[0], poses[1][1])))
    return u, acceleration, norm(u) + acceleration * span


@kernel
def body_fixed_step(n, offset, states, motion, poses, motion_base, reach, span):
    """How long points stay farther than `reach` beyond the plane `n . x = offset`, fixed in the base body."""
    step = span
    for i in range(len(states)):
        value = dot(n, states[i][0]) - offset - reach
        if not value > 0.0:
            return 0.0
        u, acceleration, _ = relative_motion(states[i], motion, poses, motion_base, span)
        step = min(step, lasting(value, dot(n, u), acceleration))
    return step


@kernel
def crossing_edges_step(n, p_edge, q_edge, poses, motion_p, motion_q, reach, span):
    """How long two crossing edges stay farther than `reach`, by the volume (e x f) . z seen from the body of Q.

    e and f are the edges, z is the vector from the closest point of f to that of e.
    """
    p, q, _, _ = closest_segment_segment(p_edge[0], p_edge[1], q_edge[0], q_edge[1])
    e, f, z = sub(p_edge[1], p_edge[0]), sub(q_edge[1], q_edge[0]), sub(p, q)
    c = cross(e, f)
    if dot(c, n) < 0.0:
        c, f = neg(c), neg(f)
    size = norm(c)
    value = dot(c, z) - reach * size
    if not value > 0.0:
        return 0.0
    arm = sub(p, poses[0][1])
    p_state = (p, add(motion_p[1], cross(motion_p[2], arm)), arm)
    u, acceleration, speed = relative_motion(p_state, motion_p, poses, motion_q, span)
    spin = sub(motion_p[2], motion_q[2])
    turning = relative_turning(motion_p[2], motion_q[2])
    c_rate = cross(cross(spin, e), f)
    area = norm(e) * norm(f)
    rate = dot(c_rate, z) + dot(c, u) - reach * dot(c_rate, c) / size
    curvature = area * (turning * (norm(z) + speed * span) + 2.0 * norm(spin) * speed + acceleration)
    # The edges are apart while the volume exceeds reach |c|; |c + s c'| <= |c| + s c . c' / |c| + s^2 c'^2 / (2 |c|).
    curvature += reach * (dot(c_rate, c_rate) / size + turning * area)
    return min(span, lasting(value, rate, curvature))


@kernel
def _polygon(p_states, q_states, count):
    p0, p1, q0 = p_states[0][0], p_states[1][0], q_states[0][0]
    if count == 3:
        return vertex_face_corners(q0, p0, p1, p_states[2][0])
    return edge_edge_corners(p0, p1, q0, q_states[1][0])


@kernel
def _space_step(n, p_states, q_states, motion_p, motion_q, count, reach):
    """How long the direction `n`, fixed in space, separates two features: the least over pairs of their points."""
    r_p, r_q = motion_p[2], motion_q[2]
    turnings = turning_along(n, r_p), turning_along(n, r_q)
    straight = dot(n, sub(motion_p[1], motion_q[1]))
    p0, p1, q0 = p_states[0], p_states[1], q_states[0]
    in_p0, in_p1 = circle_along(n, r_p, turnings[0], p0[2]), circle_along(n, r_p, turnings[0], p1[2])
    in_q0 = circle_along(n, r_q, turnings[1], q0[2])
    step = step_along(n, p0, q0, (in_p0, in_q0), turnings, straight, reach)
    step = min(step, step_along(n, p1, q0, (in_p1, in_q0), turnings, straight, reach))
    if count == FACE_CORNERS:
        p2 = p_states[2]
        in_p2 = circle_along(n, r_p, turnings[0], p2[2])
        return min(step, step_along(n, p2, q0, (in_p2, in_q0), turnings, straight, reach))
    q1 = q_states[1]
    in_q1 = circle_along(n, r_q, turnings[1], q1[2])
    step = min(step, step_along(n, p0, q1, (in_p0, in_q1), turnings, straight, reach))
    return min(step, step_along(n, p1, q1, (in_p1, in_q1), turnings, straight, reach))


@kernel
def _held_by_p(count, i, j):
    """Whether the closest feature of the polygon is held by the body of P alone: a face, or an edge of P."""
    return count == 3 or (i != j and (i + j == 1 or i + j == 5))


@kernel
def _base_step(n, feature, p_states, q_states, poses, motion_p, motion_q, count, reach, span):
    """The step with the direction fixed in the body that holds the closest feature."""
    if _held_by_p(count, feature[0], feature[1]):
        m = neg(n)
        offset = max(dot(m, p_states[0][0]), dot(m, p_states[1][0]), dot(m, p_states[2][0]))
        return body_fixed_step(m, offset, q_states, motion_q, (poses[1], poses[0]), motion_p, reach, span)
    if feature[0] >= 0:
        offset = max(dot(n, q_states[0][0]), dot(n, q_states[1][0]))
        return body_fixed_step(n, offset, p_states, motion_p, poses, motion_q, reach, span)
    p_edge, q_edge = (p_states[0][0], p_states[1][0]), (q_states[0][0], q_states[1][0])
    return crossing_edges_step(n, p_edge, q_edge, poses, motion_p, motion_q, reach, span)


@kernel
def _rounding(states, X, r, t):
    """Bound of the rounding in the positions of points, also from the angle turned so far."""
    farthest = 0.0
    for i in range(len(states)):
        farthest = max(farthest, norm(states[i][2]))
    return EPSILON * (16.0 * (norm(X[1]) + farthest) + 4.0 * norm(r) * t * farthest)


@kernel
def impact_rigid(p_points, motion_p, q_points, motion_q, count, gap, tolerance, since, until):
    """Time and status of the first touch, from time `since` on, of two moving features; see the functions below.

    The third value is how many steps were taken.
    """
    t = since
    for taken in range(1, MAX_STEPS + 1):
        X_p = motion_at(motion_p[0], motion_p[1], motion_p[2], t)
        X_q = motion_at(motion_q[0], motion_q[1], motion_q[2], t)
        p_states = (
            point_state(X_p, motion_p[1], motion_p[2], p_points[0]),
            point_state(X_p, motion_p[1], motion_p[2], p_points[1]),
            point_state(X_p, motion_p[1], motion_p[2], p_points[2]),
        )
        q_states = (
            point_state(X_q, motion_q[1], motion_q[2], q_points[0]),
            point_state(X_q, motion_q[1], motion_q[2], q_points[1]),
        )
        rounding = _rounding(p_states, X_p, motion_p[2], t) + _rounding(q_states, X_q, motion_q[2], t)
        corners = _polygon(p_states, q_states, count)
        closest, i, j = closest_feature(corners, count)
        if norm(closest) <= gap + max(tolerance, 4.0 * rounding):
            return t, TOUCH, taken
        n = separating_direction(corners, closest, i, j)
        n = scale(1.0 / norm(n), n)
        reach = gap + rounding
        step = _space_step(n, p_states, q_states, motion_p, motion_q, count, reach)
        if step < 1.0 - t:
            base = _base_step(n, (i, j), p_states, q_states, (X_p, X_q), motion_p, motion_q, count, reach, 1.0 - t)
            step = max(step, base)
        if not step > 0.0:
            # Rounding mistook the closest feature; the plain direction to the closest point may still separate.
            n = scale(1.0 / norm(closest), closest)
            step = _space_step(n, p_states, q_states, motion_p, motion_q, count, reach)
        later = t + step * (1.0 - 8.0 * EPSILON)
        if step >= 1.0 - t or later > until:
            return inf, FREE, taken
        if not later > t:
            return t, STALLED, taken
        t = later
    return t, STALLED, MAX_STEPS


@kernel
def impact_vertex_face_from(since, v, motion_v, face, motion_f, gap, tolerance, until):
    """Time, status and steps of what the next function does, if they are known to be apart until `since`."""
    return impact_rigid(face, motion_f, (v, v), motion_v, FACE_CORNERS, gap, tolerance, since, until)


@kernel
def impact_edge_edge_from(since, a, motion_a, b, motion_b, gap, tolerance, until):
    """The same for edges."""
    return impact_rigid((a[0], a[1], a[1]), motion_a, b, motion_b, EDGE_CORNERS, gap, tolerance, since, until)


@kernel
def impact_vertex_face_rigid(v, motion_v, face, motion_f, gap, tolerance, until):
    """First time in [0, until] at which the vertex is within `gap` of the face, as `(time, status)`; until <= 1.

    `v` and `face = (a, b, c)` are in the frames of their bodies, motions are (X, d, r). FREE comes with inf. TOUCH: at
    this time, which is not late, the distance is at most gap + tolerance; a tolerance below the rounding of the
    positions is raised to it. STALLED: free until this time, undecided after it. Times do not depend on `until`.
    """
    return impact_vertex_face_from(0.0, v, motion_v, face, motion_f, gap, tolerance, until)[:2]


@kernel
def impact_edge_edge_rigid(a, motion_a, b, motion_b, gap, tolerance, until):
    """First time in [0, until] at which edges `a = (a0, a1)` and `b` are within `gap`, as `(time, status)`."""
    return impact_edge_edge_from(0.0, a, motion_a, b, motion_b, gap, tolerance, until)[:2]
