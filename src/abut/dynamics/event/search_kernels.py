"""When features meet on the way of a step, each search as far as the earliest event that is known.

Features are advanced along their smooth motion: with the direction n between two features now, the points of one stay
beyond those of the other for as long as value + rate t - bound t^2 / 2 of each pair of points says, bound being that of
relative accelerations. So no touch is passed, and the time of a touch is found to rounding.
"""

from math import inf, sqrt

import numpy as np

from ..._jit import inlined_kernel, kernel, lean_kernel
from ...contact.contact_kernels import (
    BODY_A,
    BODY_B,
    FEATURE_A,
    FEATURE_B,
    INSIDE,
    KIND,
    gap_row,
    let_normal_turn,
    place_contact,
)
from ...contact.contact_tables import ContactRows, Sides, Surfaces
from ...geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from ...math.pose_kernels import pose_apply, put_frame
from ...math.quat_kernels import quat_conj, quat_mul, quat_to_rotvec
from ...math.vec_kernels import cross, dot, mat_vec, norm, row, scale, sub
from ...query.motion.feature_table_kernels import PLANE, POINT, SEGMENT, TRIANGLE
from ...query.motion.feature_tables import Features
from ...query.motion.motion_candidate_kernels import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from .dop853_kernels import dense_state
from .hinge_kernels import rate_of
from .motion_kernels import pose_of
from .motion_tables import SPEED, SPIN, TURN, Tables
from .search_tables import Shapes, Way

ARMED = 1e-3
"""Features that are farther apart than the contact gap by this share of it touch when they are back at the gap."""
SHARE_KEPT = 0.99
"""Share of their distance that features keep that are nearer than that from the beginning."""
MOST_ADVANCES = 400
EXACT = 4e-16
"""Of a distance, beside the coordinates it is taken from."""
SAFE = 1.05
"""By how much accelerations between the stages of a step may be larger than at them."""
SHORT_STRIDE, LONG_STRIDE = 1.0 / 64.0, 1.0 / 8.0
"""Shares of a way between moments at which features are looked at that are near each other from the beginning."""
MOMENTS, RATE_MARGIN = 8, 1.5
"""Moments of a way at which rates of gaps are looked at, and by how much they may bend more between them."""
NO_PROGRESS = 1e-13
"""Share of a step below which there is no progress."""


@inlined_kernel
def _named(shapes):
    return Shapes(Features(*shapes[0]), Surfaces(*shapes[1]), shapes[2])


@kernel
def put_bounds(y, new, h, stages, n_stage, bounds_out):
    """Largest accelerations and angular velocities of each body in a step."""
    for i in range(y.shape[0]):
        a2, alpha2, w0, w1 = 0.0, 0.0, 0.0, 0.0
        for s in range(n_stage):
            k = stages[s, i]
            a2 = max(a2, k[SPEED] ** 2 + k[SPEED + 1] ** 2 + k[SPEED + 2] ** 2)
            alpha2 = max(alpha2, k[SPIN] ** 2 + k[SPIN + 1] ** 2 + k[SPIN + 2] ** 2)
        for k in range(SPIN, SPIN + 3):
            w0, w1 = w0 + y[i, k] ** 2, w1 + new[i, k] ** 2
        bounds_out[i, 0], bounds_out[i, 1] = SAFE * sqrt(a2), SAFE * sqrt(alpha2)
        bounds_out[i, 2] = sqrt(max(w0, w1)) + 0.5 * h * bounds_out[i, 1]


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


@lean_kernel
def _corner(table, s, t, c):
    corners = table.corner[table.start[s, TRIANGLE] + t]
    return corners[3 * c], corners[3 * c + 1], corners[3 * c + 2]


@lean_kernel
def _end(table, s, e, c):
    ends = table.segment[table.start[s, SEGMENT] + e]
    return ends[3 * c], ends[3 * c + 1], ends[3 * c + 2]


@lean_kernel
def _time_apart(value, rate, bound):
    """How long value + rate t - bound t^2 / 2 stays positive."""
    if value <= 0.0 and rate <= 0.0:
        return 0.0
    root = sqrt(max(rate * rate + 2.0 * bound * value, 0.0))
    if rate < 0.0:
        return 2.0 * value / (root - rate)
    return (rate + root) / bound if bound > 0.0 else inf


@lean_kernel
def _vertex_plane(x, v, f, plane, y, bounds, radii, gap):
    """Distance, rate and time apart of the point x of body v and the plane of the half-space f."""
    X = pose_of(y, f)
    n = mat_vec(X[0], (plane[0], plane[1], plane[2]))
    value = dot(n, sub(x, X[1])) - plane[3] - radii
    relative = sub(_velocity(y, v, x), _velocity(y, f, x))
    arm, reach = norm(sub(x, row(y, v))), norm(sub(x, X[1]))
    bound = _push_bound(bounds, v, arm) + _push_bound(bounds, f, reach) + 2.0 * bounds[f, 2] * norm(relative)
    return value, dot(n, relative), _time_apart(value - gap, dot(n, relative), bound)


@lean_kernel
def _vertex_triangle(x, v, f, s_f, t, table, y, bounds, radii, gap):
    """Distance, rate and time apart of the point x of body v and triangle t of body f."""
    X = pose_of(y, f)
    a, b, c = (
        pose_apply(X, _corner(table, s_f, t, 0)),
        pose_apply(X, _corner(table, s_f, t, 1)),
        pose_apply(X, _corner(table, s_f, t, 2)),
    )
    q, _ = closest_point_triangle(x, a, b, c)
    way = sub(x, q)
    d = norm(way)
    n = scale(1.0 / d if d > 0.0 else 0.0, way)
    v_x = _velocity(y, v, x)
    push = _push_bound(bounds, v, norm(sub(x, row(y, v))))
    apart = inf
    for p in (a, b, c):
        value, rate = dot(n, sub(x, p)) - radii, dot(n, sub(v_x, _velocity(y, f, p)))
        apart = min(apart, _time_apart(value - gap, rate, push + _push_bound(bounds, f, norm(sub(p, X[1])))))
    return d - radii, dot(n, sub(v_x, _velocity(y, f, q))), apart


@lean_kernel
def _edges(a, b, s_a, s_b, e, f, table, y, bounds, radii, gap):
    """Distance, rate and time apart of edge e of body a and edge f of body b."""
    X_a, X_b = pose_of(y, a), pose_of(y, b)
    a0, a1 = pose_apply(X_a, _end(table, s_a, e, 0)), pose_apply(X_a, _end(table, s_a, e, 1))
    b0, b1 = pose_apply(X_b, _end(table, s_b, f, 0)), pose_apply(X_b, _end(table, s_b, f, 1))
    p, q, _, _ = closest_segment_segment(a0, a1, b0, b1)
    way = sub(q, p)
    d = norm(way)
    n = scale(1.0 / d if d > 0.0 else 0.0, way)
    apart = inf
    for p_a in (a0, a1):
        v_a, push = _velocity(y, a, p_a), _push_bound(bounds, a, norm(sub(p_a, X_a[1])))
        for p_b in (b0, b1):
            value, rate = dot(n, sub(p_b, p_a)) - radii, dot(n, sub(_velocity(y, b, p_b), v_a))
            bound = push + _push_bound(bounds, b, norm(sub(p_b, X_b[1])))
            apart = min(apart, _time_apart(value - gap, rate, bound))
    return d - radii, dot(n, sub(_velocity(y, b, q), _velocity(y, a, p))), apart


@lean_kernel
def features_apart(hit, a, b, shapes, y, bounds, gap):
    """Distance of two features less radii, its rate, and for how long they stay farther apart than `gap`."""
    table, s_a, s_b = shapes.table, shapes.shape_of[a], shapes.shape_of[b]
    radii = table.radius[s_a] + table.radius[s_b]
    if hit[0] == EDGE_EDGE:
        return _edges(a, b, s_a, s_b, hit[1], hit[2], table, y, bounds, radii, gap)
    v, f, s_v, s_f = (a, b, s_a, s_b) if hit[0] == VERTEX_FACE else (b, a, s_b, s_a)
    i, t = (hit[1], hit[2]) if hit[0] == VERTEX_FACE else (hit[2], hit[1])
    x = pose_apply(pose_of(y, v), row(table.point, table.start[s_v, POINT] + i))
    if table.start[s_f + 1, PLANE] > table.start[s_f, PLANE]:
        return _vertex_plane(x, v, f, table.half_space[table.start[s_f, PLANE]], y, bounds, radii, gap)
    return _vertex_triangle(x, v, f, s_f, t, table, y, bounds, radii, gap)


@lean_kernel
def _far(y, a, b):
    """Size of the coordinates of two bodies [m]."""
    far = 1e-3
    for k in range(3):
        far += abs(y[a, k]) + abs(y[b, k])
    return far


@kernel
def _nearer_than(hit, a, b, shapes, way, keep, low, high, y_io):
    """Where between two shares of the way features come nearer than `keep`; they are at the second."""
    while high - low > NO_PROGRESS:
        middle = 0.5 * (low + high)
        dense_state(way.y, way.dense, middle, y_io)
        if features_apart(hit, a, b, shapes, y_io, way.bounds, keep)[0] <= keep:
            high = middle
        else:
            low = middle
    return high


@kernel
def _first_touch(hit, a, b, shapes, way, gap, start, until, y_io):
    """Share of the way from `start` at which two features touch; inf if they do not before `until`.

    Features that are at the gap already, as others beside those that are held there, touch where they come nearer by a
    share of their distance, unless they have been farther apart before; for these, strides of the way are looked at.
    """
    x, before, armed, kept = start, start, False, -1.0
    for _ in range(MOST_ADVANCES):
        dense_state(way.y, way.dense, x, y_io)
        d, _, _ = features_apart(hit, a, b, shapes, y_io, way.bounds, gap)
        kept = SHARE_KEPT * d if kept < 0.0 else kept
        armed = armed or d > (1.0 + ARMED) * gap
        keep = gap if armed else kept
        d, rate, apart = features_apart(hit, a, b, shapes, y_io, way.bounds, keep)
        if not armed and d < keep:
            return _nearer_than(hit, a, b, shapes, way, keep, before, x, y_io)
        if armed and ((d - keep <= EXACT * _far(y_io, a, b) and rate <= 0.0) or apart <= NO_PROGRESS * way.h):
            return x
        before = x
        x += apart / way.h if armed else min(max(apart / way.h, SHORT_STRIDE), LONG_STRIDE)
        if x >= until:
            return inf
    return -x  # it takes too long: nobody has touched up to here


@kernel
def first_touch(hits, pair_of_hit, n_hit, pairs, shapes, way, gap, start, until):
    """The first of the candidates that touch before the share `until` of the way: share and number.

    The share is inf if there is none; the number is -1 where a search took too long and the way ends there.
    """
    shapes, way = _named(shapes), Way(*way)
    y, best, number = np.empty_like(way.y), inf, -1
    for k in range(n_hit):
        a, b = pairs[pair_of_hit[k], 0], pairs[pair_of_hit[k], 1]
        x = _first_touch(hits[k], a, b, shapes, way, gap, start, min(until, best), y)
        if x < 0.0:
            best, number = -x, -1
        elif x < best:
            best, number = x, k
    return best, number


@lean_kernel
def _is_held(hit, a, b, shapes, name, n):
    """Whether contacts hold two features."""
    for k in range(n):
        if name[k, BODY_A] != a or name[k, BODY_B] != b or name[k, KIND] != hit[0]:
            continue
        f_a, f_b = hit[1], hit[2]
        if hit[0] == VERTEX_FACE:
            f_b = _facet(shapes, b, f_b)
        elif hit[0] == FACE_VERTEX:
            f_a = _facet(shapes, a, f_a)
        if name[k, FEATURE_A] == f_a and name[k, FEATURE_B] == f_b:
            return True
    return False


@lean_kernel
def _facet(shapes, body, triangle):
    """Of a triangle of a body, as contacts name it."""
    s = shapes.shape_of[body]
    if shapes.table.start[s + 1, PLANE] > shapes.table.start[s, PLANE]:
        return 0
    return shapes.surfaces.region[shapes.surfaces.start[s, 0] + triangle, 2 * INSIDE + 1]


@kernel
def leave_out_held(hits, pair_of_hit, n_hit, pairs, shapes, name, n, hits_out, pair_out):
    """Candidates whose features no contact holds; returns how many."""
    shapes, left = _named(shapes), 0
    for k in range(n_hit):
        a, b = pairs[pair_of_hit[k], 0], pairs[pair_of_hit[k], 1]
        if not _is_held(hits[k], a, b, shapes, name, n):
            for c in range(3):
                hits_out[left, c] = hits[k, c]
            pair_out[left] = pair_of_hit[k]
            left += 1
    return left


@kernel
def find_touching(hits, pair_of_hit, n_hit, pairs, shapes, y, bounds, limit, hits_out, times_out, pair_out):
    """Those of the candidates that are not farther apart than `limit` in a state; returns how many."""
    shapes, n = _named(shapes), 0
    for k in range(n_hit):
        a, b = pairs[pair_of_hit[k], 0], pairs[pair_of_hit[k], 1]
        if features_apart(hits[k], a, b, shapes, y, bounds, 0.0)[0] <= limit:
            for c in range(3):
                hits_out[n, c] = hits[k, c]
            pair_out[n], times_out[n + 1] = pair_of_hit[k], 0.0
            n += 1
    times_out[0] = float(n)
    return n


@lean_kernel
def gap_at(k, tables, y, row_out):
    """Gap of contact k in a state, and its rate."""
    a, b = tables.name[k, BODY_A], tables.name[k, BODY_B]
    gap = gap_row(tables.place, k, pose_of(y, a), pose_of(y, b), tables.radius[a] + tables.radius[b], row_out)
    return gap, rate_of(row_out, a, b, y, SPEED)


@kernel
def _bend_of_gap(k, tables, way, start, until, y_io, row_io):
    """Largest second derivative of a gap on the way [m/s^2], by its rates at some moments."""
    dense_state(way.y, way.dense, start, y_io)
    last, bend, step = gap_at(k, tables, y_io, row_io)[1], 0.0, (until - start) / MOMENTS
    for i in range(1, MOMENTS + 1):
        dense_state(way.y, way.dense, start + i * step, y_io)
        rate = gap_at(k, tables, y_io, row_io)[1]
        bend = max(bend, abs(rate - last) / (step * way.h))
        last = rate
    return RATE_MARGIN * bend


@kernel
def _return_of(k, keep, tables, way, start, until, y_io, row_io):
    """Share of the way at which the gap of contact k falls to `keep`; inf if it does not before `until`."""
    x, bend = start, _bend_of_gap(k, tables, way, start, until, y_io, row_io)
    far = EXACT * _far(way.y, tables.name[k, BODY_A], tables.name[k, BODY_B])
    for _ in range(MOST_ADVANCES):
        dense_state(way.y, way.dense, x, y_io)
        gap, rate = gap_at(k, tables, y_io, row_io)
        if gap - keep <= far and rate < 0.0:
            return x
        share = _time_apart(max(gap - keep, 0.0), rate, bend) / way.h
        if share <= NO_PROGRESS and gap - keep <= far:
            return inf  # at rest where it is to be kept
        x += max(share, NO_PROGRESS)
        if x >= until:
            return inf
    return -x


@kernel
def first_return(contacts, keep, tables, way, start, until):
    """The first of some contacts whose gap falls to what is kept of it: share of the way and place in the list.

    As for first_touch, the number is -1 where the way ends because a search took too long.
    """
    way, tables = Way(*way), Tables(*tables)
    y, row_of_gap, best, number = np.empty_like(way.y), np.empty(12), inf, -1
    for c in range(contacts.shape[0]):
        x = _return_of(contacts[c], keep[c], tables, way, start, min(until, best), y, row_of_gap)
        if x < 0.0:
            best, number = -x, -1
        elif x < best:
            best, number = x, c
    return best, number


@kernel
def _faces(k, shapes, y, slack, name_io, place_io):
    """Whether the features of contact k face each other in a state."""
    a, b = name_io[k, BODY_A], name_io[k, BODY_B]
    poses = Sides(pose_of(y, a), pose_of(y, b))
    shape = Sides(shapes.shape_of[a], shapes.shape_of[b])
    rows = ContactRows(name_io, place_io, place_io[:, 0])
    return place_contact(rows, k, shapes.table, shapes.surfaces, shape, poses, slack)


@kernel
def _leaving(k, shapes, way, start, until, slack, name, place, y_io):
    """Share of the way at which the features of contact k cease to face each other; inf if they do not."""
    low = start
    for i in range(1, MOMENTS + 1):
        high = start + (until - start) * i / MOMENTS
        dense_state(way.y, way.dense, high, y_io)
        if not _faces(k, shapes, y_io, slack, name.copy(), place.copy()):
            break
        low = high
        if i == MOMENTS:
            return inf
    while high - low > NO_PROGRESS:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        dense_state(way.y, way.dense, middle, y_io)
        if _faces(k, shapes, y_io, slack, name.copy(), place.copy()):
            low = middle
        else:
            high = middle
    return high


@kernel
def first_leaving(contacts, shapes, way, start, until, slack, name, place):
    """The first of some contacts whose features cease to face each other: share of the way and place in the list."""
    shapes, way = _named(shapes), Way(*way)
    y, best, number = np.empty_like(way.y), inf, -1
    for c in range(contacts.shape[0]):
        k = contacts[c]
        x = _leaving(0, shapes, way, start, min(until, best), slack[c], name[k : k + 1], place[k : k + 1], y)
        if x < best:
            best, number = x, c
    return best, number


@kernel
def turn_normals(first, n, shapes, y, name, place_io):
    """Let the normals of new contacts of two edges turn with these."""
    shapes = _named(shapes)
    for k in range(first, n):
        a, b = name[k, BODY_A], name[k, BODY_B]
        shape, poses = Sides(shapes.shape_of[a], shapes.shape_of[b]), Sides(pose_of(y, a), pose_of(y, b))
        let_normal_turn(name, place_io, k, shapes.table, shape, poses)


@kernel
def place_all(n, shapes, y, slack, name_io, place_io, alive_out):
    """Place contacts where bodies are in a state; which of them have features that face each other."""
    shapes = _named(shapes)
    for k in range(n):
        alive_out[k] = _faces(k, shapes, y, slack, name_io, place_io)


@kernel
def gap_rates(n, tables, y, gap_out, rate_out):
    """Gaps of contacts in a state, and their rates."""
    tables, row_of_gap = Tables(*tables), np.empty(12)
    for k in range(n):
        gap_out[k], rate_out[k] = gap_at(k, tables, y, row_of_gap)


@kernel
def put_motions(y, end, motion_out):
    """Motions with constant twists from one state to another, as checks of motions take them."""
    for i in range(motion_out.shape[0]):
        put_frame(pose_of(y, i), i, motion_out)
        q = (y[i, TURN], y[i, TURN + 1], y[i, TURN + 2], y[i, TURN + 3])
        turned = (end[i, TURN], end[i, TURN + 1], end[i, TURN + 2], end[i, TURN + 3])
        r = quat_to_rotvec(quat_mul(turned, quat_conj(q)))
        for k in range(3):
            motion_out[i, 12 + k], motion_out[i, 15 + k] = end[i, k] - y[i, k], r[k]
