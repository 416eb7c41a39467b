"""For how long features stay apart: with the direction n between two features now, the points of one stay beyond those
of the other for as long as value + rate t - bound t^2 / 2 of each pair of points says, bound being that of relative
accelerations. So no touch is passed, and the time of a touch is found to rounding.
"""

from math import inf, sqrt

from ..._jit import inner_kernel, lean_kernel
from ...geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from ...math.pose_kernels import pose_apply
from ...math.vec_kernels import cross, dot, mat_vec, norm, row, scale, sub
from ...query.motion.feature_table_kernels import PLANE, POINT, SEGMENT, TRIANGLE
from ...query.motion.motion_candidate_kernels import EDGE_EDGE, VERTEX_FACE
from .dop853_tables import STAGES
from .motion_kernels import pose_of
from .motion_tables import SPEED, SPIN
from .search_tables import Look

EXACT = 4e-16
"""Of a distance, beside the coordinates it is taken from."""
TURNING = 4.0
"""Gaps within which the direction between features may also turn with one of them: that of a corner and a face which it
comes to is best carried by the face. In the world, it would be beyond the far end of the face for ever shorter times.
"""
EIGHTH = 0.125
"""[rad] by which a body may turn while bounds of what it carries hold."""
SAFE = 1.05
"""By how much accelerations between the stages of a step may be larger than at them."""


@lean_kernel
def put_bounds(h, step_io):
    """Largest accelerations and angular velocities of each body in a step."""
    y, new, stages, bounds = step_io.y, step_io.new, step_io.stages, step_io.bounds
    for i in range(y.shape[0]):
        a2, alpha2, w0, w1 = 0.0, 0.0, 0.0, 0.0
        for s in range(STAGES):
            k = stages[s, i]
            a2 = max(a2, k[SPEED] ** 2 + k[SPEED + 1] ** 2 + k[SPEED + 2] ** 2)
            alpha2 = max(alpha2, k[SPIN] ** 2 + k[SPIN + 1] ** 2 + k[SPIN + 2] ** 2)
        for k in range(SPIN, SPIN + 3):
            w0, w1 = w0 + y[i, k] ** 2, w1 + new[i, k] ** 2
        bounds[i, 0], bounds[i, 1] = SAFE * sqrt(a2), SAFE * sqrt(alpha2)
        bounds[i, 2] = sqrt(max(w0, w1)) + 0.5 * h * bounds[i, 1]


@lean_kernel
def _push_bound(bounds, i, arm):
    """Largest acceleration of points of body i up to `arm` from its centre of mass."""
    turning = bounds[i, 1] + bounds[i, 2] ** 2
    return bounds[i, 0] + (arm * turning if turning > 0.0 else 0.0)


@lean_kernel
def _velocity(y, i, x):
    """Velocity of the point x of body i."""
    turn = cross((y[i, SPIN], y[i, SPIN + 1], y[i, SPIN + 2]), sub(x, row(y, i)))
    return y[i, SPEED] + turn[0], y[i, SPEED + 1] + turn[1], y[i, SPEED + 2] + turn[2]


@inner_kernel
def _third(table_row, c):
    """Point c of a row of points."""
    return table_row[3 * c], table_row[3 * c + 1], table_row[3 * c + 2]


@lean_kernel
def time_apart(value, rate, bound):
    """How long value + rate t - bound t^2 / 2 stays positive."""
    if value <= 0.0 and rate <= 0.0:
        return 0.0
    root = sqrt(max(rate * rate + 2.0 * bound * value, 0.0))
    if rate < 0.0:
        return 2.0 * value / (root - rate)
    return (rate + root) / bound if bound > 0.0 else inf


@inner_kernel
def _carried(value, n, x, v, f, look):
    """Rate of the value by which the point x of body v is beyond something of body f, and for how long it stays so, if
    body f carries the direction n.

    Seen from f, the point is accelerated by what pushes both and by 2 w x u, and both grow with its velocity u and its
    way there. For as long as a turn of an eighth takes, they no more than double.
    """
    y, bounds = look.y, look.bounds
    relative = sub(_velocity(y, v, x), _velocity(y, f, x))
    arm, reach = norm(sub(x, row(y, v))), norm(sub(x, row(y, f)))
    push, rate = _push_bound(bounds, v, arm) + _push_bound(bounds, f, reach), dot(n, relative)
    turning = bounds[f, 1] + bounds[f, 2] ** 2
    if turning == 0.0:
        return rate, time_apart(value - look.gap, rate, push)
    most = min(EIGHTH / bounds[f, 2] if bounds[f, 2] > 0.0 else inf, sqrt(0.5 / turning))
    bound = 2.0 * (push + (2.0 * bounds[f, 2] + turning * most) * norm(relative))
    return rate, min(time_apart(value - look.gap, rate, bound), most)


@lean_kernel
def _vertex_plane(x, v, f, plane, look):
    """Distance, rate and time apart of the point x of body v and the plane of the half-space f."""
    X = pose_of(look.y, f)
    n = mat_vec(X.R, (plane[0], plane[1], plane[2]))
    value = dot(n, sub(x, X.p)) - plane[3] - look.radii
    return value, *_carried(value, n, x, v, f, look)


@lean_kernel
def _vertex_triangle(x, v, f, corners, look):
    """Distance, rate and time apart of the point x of body v and a triangle of body f."""
    y, bounds = look.y, look.bounds
    X = pose_of(y, f)
    a, b, c = (
        pose_apply(X, _third(corners, 0)),
        pose_apply(X, _third(corners, 1)),
        pose_apply(X, _third(corners, 2)),
    )
    q, _ = closest_point_triangle(x, a, b, c)
    way = sub(x, q)
    d = norm(way)
    n = scale(1.0 / d if d > 0.0 else 0.0, way)
    v_x = _velocity(y, v, x)
    push = _push_bound(bounds, v, norm(sub(x, row(y, v))))
    apart = inf
    for p in (a, b, c):
        value, rate = dot(n, sub(x, p)) - look.radii, dot(n, sub(v_x, _velocity(y, f, p)))
        apart = min(apart, time_apart(value - look.gap, rate, push + _push_bound(bounds, f, norm(sub(p, X.p)))))
    if d - look.radii < TURNING * look.gap:
        apart = max(apart, _carried(d - look.radii, n, x, v, f, look)[1])
    return d - look.radii, dot(n, sub(v_x, _velocity(y, f, q))), apart


@lean_kernel
def _edges(a, b, edge_a, edge_b, look):
    """Distance, rate and time apart of an edge of body a and one of body b."""
    y, bounds = look.y, look.bounds
    X_a, X_b = pose_of(y, a), pose_of(y, b)
    a0, a1 = pose_apply(X_a, _third(edge_a, 0)), pose_apply(X_a, _third(edge_a, 1))
    b0, b1 = pose_apply(X_b, _third(edge_b, 0)), pose_apply(X_b, _third(edge_b, 1))
    p, q, _, _ = closest_segment_segment(a0, a1, b0, b1)
    way = sub(q, p)
    d = norm(way)
    n = scale(1.0 / d if d > 0.0 else 0.0, way)
    apart = inf
    for p_a in (a0, a1):
        v_a, push = _velocity(y, a, p_a), _push_bound(bounds, a, norm(sub(p_a, X_a.p)))
        for p_b in (b0, b1):
            value, rate = dot(n, sub(p_b, p_a)) - look.radii, dot(n, sub(_velocity(y, b, p_b), v_a))
            bound = push + _push_bound(bounds, b, norm(sub(p_b, X_b.p)))
            apart = min(apart, time_apart(value - look.gap, rate, bound))
    if d - look.radii < TURNING * look.gap:
        m, with_a, with_b = scale(-1.0, n), inf, inf
        for x in (b0, b1):
            with_a = min(with_a, _carried(dot(n, sub(x, p)) - look.radii, n, x, b, a, look)[1])
        for x in (a0, a1):
            with_b = min(with_b, _carried(dot(m, sub(x, q)) - look.radii, m, x, a, b, look)[1])
        apart = max(apart, with_a, with_b)
    return d - look.radii, dot(n, sub(_velocity(y, b, q), _velocity(y, a, p))), apart


@lean_kernel
def features_apart(hit, a, b, shapes, y, bounds, gap):
    """Distance of two features less radii, its rate, and for how long they stay farther apart than `gap`."""
    table, s_a, s_b = shapes.table, shapes.shape_of[a], shapes.shape_of[b]
    look = Look(y, bounds, table.radius[s_a] + table.radius[s_b], gap)
    if hit[0] == EDGE_EDGE:
        e, f = table.start[s_a, SEGMENT] + hit[1], table.start[s_b, SEGMENT] + hit[2]
        return _edges(a, b, table.segment[e], table.segment[f], look)
    v, f, s_v, s_f = (a, b, s_a, s_b) if hit[0] == VERTEX_FACE else (b, a, s_b, s_a)
    i, t = (hit[1], hit[2]) if hit[0] == VERTEX_FACE else (hit[2], hit[1])
    x = pose_apply(pose_of(y, v), row(table.point, table.start[s_v, POINT] + i))
    if table.start[s_f + 1, PLANE] > table.start[s_f, PLANE]:
        return _vertex_plane(x, v, f, table.half_space[table.start[s_f, PLANE]], look)
    return _vertex_triangle(x, v, f, table.corner[table.start[s_f, TRIANGLE] + t], look)


@lean_kernel
def far_out(y, a, b):
    """Size of the coordinates of two bodies [m]."""
    far = 1e-3
    for k in range(3):
        far += abs(y[a, k]) + abs(y[b, k])
    return far
