"""All pairs of features of two parts that are within a tolerance of each other.

Two trees give pairs of triangles that are close; each feature belongs to one triangle of its part, so that each pair of
features is looked at once. Everything is in the frame of A.
"""

import numpy as np

from ..._jit import inner_kernel, lean_kernel
from ...geometry.triangles.triangle_kernels import closest_point_segment, closest_point_sliver, closest_segment_segment
from ...math.vec_kernels import add_scaled, cross, dot, mat_vec, norm, norm2, row, sub, unit
from ..distance.triangle_pair_kernels import load_triangle, moved_triangle
from ..volumes.obb_kernels import overlaps_split_a, overlaps_split_b
from .clip_kernels import add_piece, clip_triangles, polygon_area
from .group_kernels import (
    EDGE,
    FACE,
    FULL,
    SUSPECT,
    VERTEX,
    add_span,
    find_key,
    group_of,
    key_either_way,
    key_of,
    note_nearest,
)

HYSTERESIS = 2.0
"""How many times as far apart features may be that touched before."""
PARALLEL = 1e-3
"""[rad] angle up to which edges and faces lie on each other."""
WIDEST = HYSTERESIS * PARALLEL
"""[rad] that of edges and faces that lay on each other before."""
_RIM = 0.01
"""Of the tolerance: how far beyond the convex rim of a face an edge may lie on it, for rounding."""


@inner_kernel
def slack_of(settings, memory):
    """How far apart features may be at most."""
    return HYSTERESIS * settings.tolerance if memory.key.shape[0] else settings.tolerance


@inner_kernel
def _allowed(memory, key, tolerance):
    """How far apart these features may be."""
    return HYSTERESIS * tolerance if find_key(memory.key, key) >= 0 else tolerance


@inner_kernel
def _touch(memory, key, gap, tolerance):
    return gap <= tolerance or (gap <= HYSTERESIS * tolerance and find_key(memory.key, key) >= 0)


@inner_kernel
def _heights(T, origin, n):
    return dot(sub(T[0], origin), n), dot(sub(T[1], origin), n), dot(sub(T[2], origin), n)


@inner_kernel
def _out_of_reach(h, reach):
    return min(h[0], h[1], h[2]) > reach or max(h[0], h[1], h[2]) < -reach


@inner_kernel
def _vertex_and_triangle(flip, vertex, p, part, j, duty, T, margin, settings, memory, groups_io):
    """A vertex of one part with a triangle of the other: its face, its edges and its corners."""
    q, _ = closest_point_sliver(p, T[0], T[1], T[2])
    tolerance, gap = settings.tolerance, abs(norm(sub(p, q)) - margin)
    if gap > HYSTERESIS * tolerance:
        return
    face = part.face[j]
    if face >= 0 and _touch(memory, key_either_way(flip, VERTEX, vertex, FACE, face), gap, tolerance):
        group = _group_either_way(flip, VERTEX, vertex, FACE, face, groups_io)
        note_nearest(groups_io, group, flip, p, q, gap)
    for k in range(3):
        edge = part.side[j, k]
        if duty & (8 << k):
            c, _ = closest_point_segment(p, T[k], T[(k + 1) % 3])
            away = max(abs(norm(sub(p, c)) - margin), norm(sub(c, q)))
            if _touch(memory, key_either_way(flip, VERTEX, vertex, EDGE, edge), away, tolerance):
                group = _group_either_way(flip, VERTEX, vertex, EDGE, edge, groups_io)
                note_nearest(groups_io, group, flip, p, c, away)
        if not flip and duty & (1 << k):
            away = max(abs(norm(sub(p, T[k])) - margin), norm(sub(T[k], q)))
            if _touch(memory, key_of(VERTEX, vertex, VERTEX, part.vertex[j, k]), away, tolerance):
                group = group_of(groups_io, VERTEX, vertex, VERTEX, part.vertex[j, k])
                note_nearest(groups_io, group, flip, p, T[k], away)


@inner_kernel
def _group_either_way(flip, kind, id, other_kind, other_id, groups_io):
    if flip:
        return group_of(groups_io, other_kind, other_id, kind, id)
    return group_of(groups_io, kind, id, other_kind, other_id)


@inner_kernel
def _narrow(low, high, start, end):
    """The part of [low, high] where a value that goes from `start` to `end` over [0, 1] is not negative."""
    if start < 0.0 and end < 0.0:
        return 1.0, 0.0
    if start < 0.0:
        low = max(low, start / (start - end))
    elif end < 0.0:
        high = min(high, start / (start - end))
    return low, high


@inner_kernel
def _edge_and_triangle(flip, edge, P, Q, h, part, j, T, n, margin, settings, memory, groups_io):
    """A convex edge PQ of one part, at heights h, along the face of a triangle of the other with normal n."""
    face, way = part.face[j], sub(Q, P)
    length = norm(way)
    if abs(h[1] - h[0]) > WIDEST * length:
        return
    limit = _allowed(memory, key_either_way(flip, EDGE, edge, FACE, face), settings.tolerance)
    if abs(h[1] - h[0]) > PARALLEL * length * limit / settings.tolerance:
        return
    low, high = _narrow(0.0, 1.0, limit - h[0] + margin, limit - h[1] + margin)
    low, high = _narrow(low, high, limit + h[0] - margin, limit + h[1] - margin)
    for k in range(3):
        inward = cross(n, sub(T[(k + 1) % 3], T[k]))
        size = norm(inward)
        if size > 0.0 and low < high:
            # Beyond a convex edge, an edge lies along that or is apart.
            room = limit if part.side[j, k] < 0 else _RIM * limit
            start = dot(inward, sub(P, T[k])) / size + room
            low, high = _narrow(low, high, start, start + dot(inward, way) / size)
    if low < high:
        group = _group_either_way(flip, EDGE, edge, FACE, face, groups_io)
        add_span(groups_io, group, (low, high), (0.0, 0.0))


@inner_kernel
def _foot(p, P, way):
    """Parameter of the point of a line that is closest to p."""
    return dot(sub(p, P), way) / norm2(way)


@inner_kernel
def _span_near_line(P, way, R, along, limit, low, high):
    """The part of [low, high] on P + s way that is within `limit` of the line R + t along."""
    offset, other2 = sub(P, R), norm2(along)
    w = add_scaled(offset, -dot(offset, along) / other2, along)
    d = add_scaled(way, -dot(way, along) / other2, along)
    a, b, c = norm2(d), dot(w, d), norm2(w) - limit * limit
    if a <= 1e-24 * norm2(way):
        return (low, high) if c <= 0.0 else (1.0, 0.0)
    inside = b * b - a * c
    if inside <= 0.0:
        return 1.0, 0.0
    root = np.sqrt(inside)
    return max(low, (-b - root) / a), min(high, (-b + root) / a)


@inner_kernel
def _edges_along(e, P, Q, f, R, S, margin, limit, groups_io):
    """Two edges that are parallel: where they are beside each other."""
    way, along = sub(Q, P), sub(S, R)
    first, last = _foot(R, P, way), _foot(S, P, way)
    low, high = max(0.0, min(first, last)), min(1.0, max(first, last))
    if margin == 0.0:
        low, high = _span_near_line(P, way, R, along, limit, low, high)
    if low >= high:
        return
    p, q = add_scaled(P, low, way), add_scaled(P, high, way)
    t_0, t_1 = _foot(p, R, along), _foot(q, R, along)
    away_0, away_1 = norm(sub(p, add_scaled(R, t_0, along))), norm(sub(q, add_scaled(R, t_1, along)))
    if margin > 0.0 and max(abs(away_0 - margin), abs(away_1 - margin)) > limit:
        return
    group = group_of(groups_io, EDGE, e, EDGE, f)
    add_span(groups_io, group, (low, high), (min(t_0, t_1), max(t_0, t_1)))
    middle, t = add_scaled(P, 0.5 * (low + high), way), 0.5 * (t_0 + t_1)
    foot = add_scaled(R, t, along)
    note_nearest(groups_io, group, False, middle, foot, abs(norm(sub(middle, foot)) - margin))


@inner_kernel
def _edge_and_edge(e, P, Q, f, R, S, margin, settings, memory, groups_io):
    """Convex edges PQ of A and RS of B: along each other, or across."""
    p, q, s, t = closest_segment_segment(P, Q, R, S)
    gap = abs(norm(sub(p, q)) - margin)
    if gap > HYSTERESIS * settings.tolerance:
        return
    limit = _allowed(memory, key_of(EDGE, e, EDGE, f), settings.tolerance)
    if gap > limit:
        return
    u, v = norm(sub(Q, P)), norm(sub(S, R))
    turn = norm(cross(sub(Q, P), sub(S, R)))
    if turn <= PARALLEL * u * v * limit / settings.tolerance:
        _edges_along(e, P, Q, f, R, S, margin, limit, groups_io)
    elif min(s, 1.0 - s) * u > settings.tolerance and min(t, 1.0 - t) * v > settings.tolerance:
        note_nearest(groups_io, group_of(groups_io, EDGE, e, EDGE, f), False, p, q, gap)


@inner_kernel
def _faces(part_a, i, A, h_a, part_b, j, B, normal, turn, settings, memory, scratch_io, groups_io):
    """Two triangles that are parallel, face to face or one over the other; `turn` is the sine between them."""
    key = key_of(FACE, part_a.face[i], FACE, part_b.face[j])
    limit = _allowed(memory, key, settings.tolerance)
    if turn > PARALLEL * limit / settings.tolerance:
        return
    which, n = clip_triangles(A, B, normal, h_a, limit, scratch_io)
    if n == 0:
        return
    if dot(row(part_a.normal, part_a.face[i]), normal) < 0.0:
        group = group_of(groups_io, FACE, part_a.face[i], FACE, part_b.face[j])
        add_piece(groups_io, group, part_a, i, part_b, j, scratch_io, which, n)
        return
    area, border = polygon_area(scratch_io.polygon, which, n, normal)
    if area > 0.5 * settings.tolerance * border:
        groups_io.counts[SUSPECT] = 1


@inner_kernel
def _beyond(h, tolerance):
    """Whether a triangle reaches through a plane by more than the tolerance on both sides."""
    return max(h[0], h[1], h[2]) > tolerance and min(h[0], h[1], h[2]) < -tolerance


@inner_kernel
def _interval(T, h, along):
    """From where to where, along a direction, a triangle crosses a plane above which its corners are at heights h."""
    low, high = 1e300, -1e300
    for k in range(3):
        m = (k + 1) % 3
        if (h[k] > 0.0) != (h[m] > 0.0):
            t = h[k] / (h[k] - h[m])
            start, end = dot(T[k], along), dot(T[m], along)
            place = start + t * (end - start)
            low, high = min(low, place), max(high, place)
    return low, high


@inner_kernel
def _pass_through(A, n_a, h_a, B, n_b, h_b, tolerance):
    """Whether two triangles meet over more than the tolerance if both are moved into their material by half of it."""
    shift = 0.5 * tolerance * (1.0 - dot(n_a, n_b))
    along = unit(cross(n_a, n_b))
    low_a, high_a = _interval(A, (h_a[0] + shift, h_a[1] + shift, h_a[2] + shift), along)
    low_b, high_b = _interval(B, (h_b[0] + shift, h_b[1] + shift, h_b[2] + shift), along)
    return min(high_a, high_b) - max(low_a, low_b) > tolerance


@inner_kernel
def _ends_in_reach(h, k, reach):
    return not _out_of_reach((h[k], h[(k + 1) % 3], h[k]), reach)


@inner_kernel
def _test_pair(part_a, i, part_b, j, everything, X, settings, memory, scratch_io, groups_io):
    """All features of two triangles for which they answer."""
    A, B = load_triangle(part_a.corners, i), moved_triangle(part_b.corners, j, X)
    duty_a, duty_b = (part_a.duty[i] >> 6, part_b.duty[j] >> 6) if everything else (part_a.duty[i], part_b.duty[j])
    margin = settings.margin_a + settings.margin_b
    reach = slack_of(settings, memory) + margin
    nothing = (0.0, 0.0, 0.0)
    n_a, n_b, h_a, h_b = nothing, nothing, (margin, margin, margin), (margin, margin, margin)
    solid_a, solid_b = part_a.face[i] >= 0, part_b.face[j] >= 0
    if solid_a:
        n_a = row(part_a.normal, part_a.face[i])
        h_b = _heights(B, A[0], n_a)
        if _out_of_reach(h_b, reach):
            return
    if solid_b:
        n_b = mat_vec(X[0], row(part_b.normal, part_b.face[j]))
        h_a = _heights(A, B[0], n_b)
        if _out_of_reach(h_a, reach):
            return
    if solid_a and solid_b:
        turn = norm(cross(n_a, n_b))
        if turn <= WIDEST:
            _faces(part_a, i, A, h_a, part_b, j, B, n_b, turn, settings, memory, scratch_io, groups_io)
        elif settings.checking and _beyond(h_a, settings.tolerance) and _beyond(h_b, settings.tolerance):
            if _pass_through(A, n_a, h_a, B, n_b, h_b, settings.tolerance):
                groups_io.counts[SUSPECT] = 1
    for k in range(3):
        if duty_a & (1 << k) and abs(h_a[k]) <= reach:
            vertex = part_a.vertex[i, k]
            _vertex_and_triangle(False, vertex, A[k], part_b, j, duty_b, B, margin, settings, memory, groups_io)
        if duty_b & (1 << k) and abs(h_b[k]) <= reach:
            vertex = part_b.vertex[j, k]
            _vertex_and_triangle(True, vertex, B[k], part_a, i, duty_a, A, margin, settings, memory, groups_io)
    _test_edges(
        part_a, i, duty_a, A, h_a, n_a, part_b, j, duty_b, B, h_b, n_b, margin, reach, settings, memory, groups_io
    )


@inner_kernel
def _test_edges(
    part_a, i, duty_a, A, h_a, n_a, part_b, j, duty_b, B, h_b, n_b, margin, reach, settings, memory, groups_io
):
    """The edges of two triangles, along faces and with each other."""
    for k in range(3):
        edge = part_b.side[j, k]
        if duty_b & (8 << k) and part_a.face[i] >= 0 and _ends_in_reach(h_b, k, reach):
            P, Q, h = B[k], B[(k + 1) % 3], (h_b[k], h_b[(k + 1) % 3])
            _edge_and_triangle(True, edge, P, Q, h, part_a, i, A, n_a, margin, settings, memory, groups_io)
    for k in range(3):
        edge = part_a.side[i, k]
        if not duty_a & (8 << k) or not _ends_in_reach(h_a, k, reach):
            continue
        P, Q = A[k], A[(k + 1) % 3]
        if part_b.face[j] >= 0:
            h = (h_a[k], h_a[(k + 1) % 3])
            _edge_and_triangle(False, edge, P, Q, h, part_b, j, B, n_b, margin, settings, memory, groups_io)
        for m in range(3):
            other = part_b.side[j, m]
            if duty_b & (8 << m) and _ends_in_reach(h_b, m, reach):
                R, S = B[m], B[(m + 1) % 3]
                _edge_and_edge(edge, P, Q, other, R, S, margin, settings, memory, groups_io)


@inner_kernel
def _split(part_a, a, part_b, b, X, slack, top, scratch_io):
    """Push the pairs of children that may be near; returns the new height of the stack."""
    under_a, under_b = np.int64(part_a.child[a]), np.int64(part_b.child[b])
    split_a = under_b < 0 or (under_a >= 0 and part_a.boxes[a, 15] > part_b.boxes[b, 15])
    a_0, b_0 = (under_a, b) if split_a else (a, under_b)
    if split_a:
        first, second = overlaps_split_a(part_a.boxes, a_0, part_b.boxes, b_0, X, slack)
    else:
        first, second = overlaps_split_b(part_a.boxes, a_0, part_b.boxes, b_0, X, slack)
    if first:
        scratch_io.stack[top, 0], scratch_io.stack[top, 1] = a_0, b_0
        top += 1
    if second:
        scratch_io.stack[top, 0], scratch_io.stack[top, 1] = (a_0 + 1, b_0) if split_a else (a_0, b_0 + 1)
        top += 1
    return top


@inner_kernel
def add_pair(i, j, n, scratch_io, groups_io):
    """Append two triangles to those that are looked at; returns how many these are."""
    if n == scratch_io.pair.shape[0]:
        groups_io.counts[FULL] = 1
        return n
    scratch_io.pair[n, 0], scratch_io.pair[n, 1] = i, j
    return n + 1


@lean_kernel
def collect_close(part_a, part_b, X, slack, scratch_io, groups_io):
    """All pairs of triangles whose boxes are within `slack` of each other; X is the pose of B in A."""
    slack += 1e-12 * (abs(X[1][0]) + abs(X[1][1]) + abs(X[1][2]))
    scratch_io.stack[0, 0] = scratch_io.stack[0, 1] = 0
    top, n = 1, 0
    while top > 0:
        top -= 1
        a, b = np.int64(scratch_io.stack[top, 0]), np.int64(scratch_io.stack[top, 1])
        if part_a.child[a] >= 0 or part_b.child[b] >= 0:
            top = _split(part_a, a, part_b, b, X, slack, top, scratch_io)
        else:
            n = add_pair(-1 - part_a.child[a], -1 - part_b.child[b], n, scratch_io, groups_io)
    return n


@lean_kernel
def test_faces(part_a, part_b, n, X, settings, memory, scratch_io, groups_io):
    """Where n pairs of triangles, whose faces face each other, lie on each other."""
    reach = slack_of(settings, memory)
    for k in range(n):
        i, j = np.int64(scratch_io.pair[k, 0]), np.int64(scratch_io.pair[k, 1])
        A, B = load_triangle(part_a.corners, i), moved_triangle(part_b.corners, j, X)
        n_a, n_b = row(part_a.normal, part_a.face[i]), mat_vec(X[0], row(part_b.normal, part_b.face[j]))
        h_a = _heights(A, B[0], n_b)
        if not _out_of_reach(h_a, reach):
            turn = norm(cross(n_a, n_b))
            _faces(part_a, i, A, h_a, part_b, j, B, n_b, turn, settings, memory, scratch_io, groups_io)


@lean_kernel
def test_pairs(part_a, part_b, n, everything, X, settings, memory, scratch_io, groups_io):
    """All features of n pairs of triangles that are close to each other; X is the pose of B in A.

    With `everything`, all features of the triangles are tested, else those that they answer for.
    """
    for k in range(n):
        i, j = np.int64(scratch_io.pair[k, 0]), np.int64(scratch_io.pair[k, 1])
        _test_pair(part_a, i, part_b, j, everything, X, settings, memory, scratch_io, groups_io)
