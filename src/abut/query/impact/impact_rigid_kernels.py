"""When do a vertex and a face, or two edges, of bodies that move and turn first come within a gap of each other?

Conservative advancement over rigid motions (MovingFrame, see math.motion_tables) in the terms of
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
from ...math.pose_kernels import frame_at, named_motion, pose_apply
from ...math.vec_kernels import add, cross, dot, neg, norm, scale, sub
from .impact_linear_kernels import (
    EPSILON,
    closest_feature,
    edge_edge_corners,
    separating_direction,
    vertex_face_corners,
)
from .impact_tables import Circle, MovingFeature, PointState, Sought, Turning

FREE, TOUCH, STALLED = 0, 1, 2
# How many corners the polygon has. Typed, because every plain number would get machine code of its own.
FACE_CORNERS, EDGE_CORNERS = np.int64(3), np.int64(4)
MAX_ADVANCES = 10000
OF_PLACE, OF_TURN = 16.0, 4.0
"""[eps] rounding of a point, of the lengths that are added up to place it and of the way that it has turned."""


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
def point_state(X, motion, point):
    """State of a body-frame point of a body now at `X`."""
    x = pose_apply(X, point)
    arm = sub(x, X.p)
    return PointState(x, add(motion.displacement, cross(motion.rotvec, arm)), arm)


@kernel
def turning_along(n, r):
    """How a body with the rotation vector `r` turns, seen along `n`."""
    omega2 = dot(r, r)
    if omega2 == 0.0:
        return Turning(0.0, 0.0, 0.0)
    omega = sqrt(omega2)
    return Turning(omega, omega2, norm(cross(n, r)) / omega)


@kernel
def circle_along(n, r, turning, arm):
    """The circle on which a point runs, seen along `n`."""
    if turning.speed2 == 0.0:
        return Circle(0.0, 0.0)
    offset = sub(arm, scale(dot(arm, r) / turning.speed2, r))
    return Circle(norm(offset) * turning.extent, dot(n, offset))


@kernel
def step_along(n, p_state, q_state, circles, turnings, straight, reach):
    """How long a pair of points stays farther than `reach` along `n`, which is fixed in space.

    `circles` and `turnings` are those of the two points, `straight` is how fast their frames' origins part along `n`.
    """
    value = dot(n, sub(p_state.position, q_state.position)) - reach
    if not value > 0.0:
        return 0.0
    (extent_p, offset_p), (extent_q, offset_q) = circles
    turning_p, turning_q = turnings
    curvature = turning_p.speed2 * extent_p + turning_q.speed2 * extent_q
    step = lasting(value, dot(n, sub(p_state.velocity, q_state.velocity)), curvature)
    turning = turning_p.speed * extent_p + turning_q.speed * extent_q
    step = max(step, lasting_straight(value, straight - turning))
    # Beyond the whole circles: from their centres on, only the straight part of the motion counts.
    value += offset_q - offset_p - extent_p - extent_q
    return max(step, lasting_straight(value, straight)) if value > 0.0 else step


@kernel
def space_fixed_step(n, p_state, q_state, motion_p, motion_q, reach):
    """How long a pair of points stays farther than `reach` along `n`, which is fixed in space."""
    _, d_p, r_p = motion_p
    _, d_q, r_q = motion_q
    turning_p, turning_q = turning_along(n, r_p), turning_along(n, r_q)
    circles = circle_along(n, r_p, turning_p, p_state.arm), circle_along(n, r_q, turning_q, q_state.arm)
    return step_along(n, p_state, q_state, circles, (turning_p, turning_q), dot(n, sub(d_p, d_q)), reach)


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
    (_, p), (_, p_base) = poses
    r = motion_base.rotvec
    omega = norm(r)
    d = sub(motion.displacement, motion_base.displacement)
    z = sub(p, p_base)
    turning = relative_turning(motion.rotvec, r) * norm(state.arm)
    acceleration = turning + omega * (2.0 * norm(d) + norm(cross(r, z)) + norm(cross(r, d)) * span)
    u = sub(sub(state.velocity, motion_base.displacement), cross(r, sub(state.position, p_base)))
    return u, acceleration, norm(u) + acceleration * span


@kernel
def body_fixed_step(n, offset, states, motion, poses, motion_base, reach, span):
    """How long points stay farther than `reach` beyond the plane `n . x = offset`, fixed in the base body."""
    step = span
    for i in range(len(states)):
        value = dot(n, states[i].position) - offset - reach
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
    (p0, p1), (q0, q1), ((_, origin), _) = p_edge, q_edge, poses
    p, q, _, _ = closest_segment_segment(p0, p1, q0, q1)
    e, f, z = sub(p1, p0), sub(q1, q0), sub(p, q)
    c = cross(e, f)
    if dot(c, n) < 0.0:
        c, f = neg(c), neg(f)
    size = norm(c)
    value = dot(c, z) - reach * size
    if not value > 0.0:
        return 0.0
    arm = sub(p, origin)
    p_state = PointState(p, add(motion_p.displacement, cross(motion_p.rotvec, arm)), arm)
    u, acceleration, speed = relative_motion(p_state, motion_p, poses, motion_q, span)
    spin = sub(motion_p.rotvec, motion_q.rotvec)
    turning = relative_turning(motion_p.rotvec, motion_q.rotvec)
    c_rate = cross(cross(spin, e), f)
    area = norm(e) * norm(f)
    rate = dot(c_rate, z) + dot(c, u) - reach * dot(c_rate, c) / size
    curvature = area * (turning * (norm(z) + speed * span) + 2.0 * norm(spin) * speed + acceleration)
    # The edges are apart while the volume exceeds reach |c|; |c + s c'| <= |c| + s c . c' / |c| + s^2 c'^2 / (2 |c|).
    curvature += reach * (dot(c_rate, c_rate) / size + turning * area)
    return min(span, lasting(value, rate, curvature))


@kernel
def _polygon(p_states, q_states, count):
    (p0, p1, p2), (q0, q1) = p_states, q_states
    if count == FACE_CORNERS:
        return vertex_face_corners(q0.position, p0.position, p1.position, p2.position)
    return edge_edge_corners(p0.position, p1.position, q0.position, q1.position)


@kernel
def _space_step(n, p_states, q_states, motion_p, motion_q, count, reach):
    """How long the direction `n`, fixed in space, separates two features: the least over pairs of their points."""
    _, d_p, r_p = motion_p
    _, d_q, r_q = motion_q
    turning_p, turning_q = turnings = turning_along(n, r_p), turning_along(n, r_q)
    straight = dot(n, sub(d_p, d_q))
    (p0, p1, p2), (q0, q1) = p_states, q_states
    in_p0, in_p1 = circle_along(n, r_p, turning_p, p0.arm), circle_along(n, r_p, turning_p, p1.arm)
    in_q0 = circle_along(n, r_q, turning_q, q0.arm)
    step = step_along(n, p0, q0, (in_p0, in_q0), turnings, straight, reach)
    step = min(step, step_along(n, p1, q0, (in_p1, in_q0), turnings, straight, reach))
    if count == FACE_CORNERS:
        in_p2 = circle_along(n, r_p, turning_p, p2.arm)
        return min(step, step_along(n, p2, q0, (in_p2, in_q0), turnings, straight, reach))
    in_q1 = circle_along(n, r_q, turning_q, q1.arm)
    step = min(step, step_along(n, p0, q1, (in_p0, in_q1), turnings, straight, reach))
    return min(step, step_along(n, p1, q1, (in_p1, in_q1), turnings, straight, reach))


@kernel
def _held_by_p(count, i, j):
    """Whether the closest feature of the polygon is held by the body of P alone: a face, or an edge of P."""
    return count == FACE_CORNERS or (i != j and (i + j == 1 or i + j == 5))


@kernel
def _base_step(n, closest, p, q, count, reach, span):
    """The step with the direction fixed in the body that holds the closest feature, of the corners (i, j)."""
    p_states, X_p, motion_p = p
    q_states, X_q, motion_q = q
    (p0, p1, p2), (q0, q1), (i, j) = p_states, q_states, closest
    if _held_by_p(count, i, j):
        m = neg(n)
        offset = max(dot(m, p0.position), dot(m, p1.position), dot(m, p2.position))
        return body_fixed_step(m, offset, q_states, motion_q, (X_q, X_p), motion_p, reach, span)
    if i >= 0:
        offset = max(dot(n, q0.position), dot(n, q1.position))
        return body_fixed_step(n, offset, p_states, motion_p, (X_p, X_q), motion_q, reach, span)
    p_edge, q_edge = (p0.position, p1.position), (q0.position, q1.position)
    return crossing_edges_step(n, p_edge, q_edge, (X_p, X_q), motion_p, motion_q, reach, span)


@kernel
def _rounding(states, X, r, t):
    """Bound of the rounding in the positions of points, also from the angle turned so far."""
    farthest = 0.0
    for i in range(len(states)):
        farthest = max(farthest, norm(states[i].arm))
    return EPSILON * (OF_PLACE * (norm(X.p) + farthest) + OF_TURN * norm(r) * t * farthest)


@kernel
def impact_rigid(p_points, motion_p, q_points, motion_q, count, sought, span):
    """Time and status of the first touch, within `span` = (since, until), of two moving features; see those below.

    The third value is how many steps were taken.
    """
    t, until = span
    (p0, p1, p2), (q0, q1) = p_points, q_points
    for taken in range(1, MAX_ADVANCES + 1):
        X_p, X_q = frame_at(motion_p, t), frame_at(motion_q, t)
        p_states = (point_state(X_p, motion_p, p0), point_state(X_p, motion_p, p1), point_state(X_p, motion_p, p2))
        q_states = (point_state(X_q, motion_q, q0), point_state(X_q, motion_q, q1))
        rounding = _rounding(p_states, X_p, motion_p.rotvec, t) + _rounding(q_states, X_q, motion_q.rotvec, t)
        corners = _polygon(p_states, q_states, count)
        closest, i, j = closest_feature(corners, count)
        if norm(closest) <= sought.gap + max(sought.tolerance, 4.0 * rounding):
            return t, TOUCH, taken
        n = separating_direction(corners, closest, i, j)
        n = scale(1.0 / norm(n), n)
        reach = sought.gap + rounding
        step = _space_step(n, p_states, q_states, motion_p, motion_q, count, reach)
        if step < 1.0 - t:
            p, q = MovingFeature(p_states, X_p, motion_p), MovingFeature(q_states, X_q, motion_q)
            step = max(step, _base_step(n, (i, j), p, q, count, reach, 1.0 - t))
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
    return t, STALLED, MAX_ADVANCES


@kernel
def impact_vertex_face_from(v, motion_v, face, motion_f, sought, span):
    """Time, status and steps of what impact_vertex_face_rigid does, within a span (since, until).

    They are known to be apart until `since`.
    """
    return impact_rigid(face, motion_f, (v, v), motion_v, FACE_CORNERS, sought, span)


@kernel
def impact_edge_edge_from(a, motion_a, b, motion_b, sought, span):
    """The same for edges."""
    a0, a1 = a
    return impact_rigid((a0, a1, a1), motion_a, b, motion_b, EDGE_CORNERS, sought, span)


@kernel
def impact_vertex_face_rigid(v, motion_v, face, motion_f, gap, tolerance, until):
    """First time in [0, until] at which the vertex is within `gap` of the face, as `(time, status)`; until <= 1.

    `v` and `face = (a, b, c)` are in the frames of their bodies, motions may be plain tuples. FREE comes with inf.
    TOUCH: at this time, which is not late, the distance is at most gap + tolerance; a tolerance below the rounding of
    the positions is raised to it. STALLED: free until this time, undecided after it. Times do not depend on `until`.
    """
    motion_v, motion_f, span = named_motion(motion_v), named_motion(motion_f), (0.0, until)
    return impact_vertex_face_from(v, motion_v, face, motion_f, Sought(gap, tolerance), span)[:2]


@kernel
def impact_edge_edge_rigid(a, motion_a, b, motion_b, gap, tolerance, until):
    """First time in [0, until] at which edges `a = (a0, a1)` and `b` are within `gap`, as `(time, status)`."""
    motion_a, motion_b, span = named_motion(motion_a), named_motion(motion_b), (0.0, until)
    return impact_edge_edge_from(a, motion_a, b, motion_b, Sought(gap, tolerance), span)[:2]
