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
from .line_kernels import edge_over_triangle
from .region_tables import Facet

HYSTERESIS = 2.0
"""How many times as far apart features may be that touched before."""
PARALLEL = 1e-3
"""[rad] angle up to which edges and faces lie on each other."""
WIDEST = HYSTERESIS * PARALLEL
"""[rad] that of edges and faces that lay on each other before."""
FACES = 64
"""Of what is looked at of a pair of triangles: whether they lie on each other."""


@inner_kernel
def slack_of(settings, memory):
    """How far apart features may be at most."""
    return HYSTERESIS * settings.tolerance if memory.key.shape[0] else settings.tolerance


@inner_kernel
def allowed(memory, key, tolerance):
    """How far apart these features may be."""
    return HYSTERESIS * tolerance if find_key(memory.key, key) >= 0 else tolerance


@inner_kernel
def _touch(memory, key, gap, tolerance):
    return gap <= tolerance or (gap <= HYSTERESIS * tolerance and find_key(memory.key, key) >= 0)


@inner_kernel
def heights_of(T, origin, n):
    """Of the corners of a triangle above a plane."""
    return dot(sub(T[0], origin), n), dot(sub(T[1], origin), n), dot(sub(T[2], origin), n)


@inner_kernel
def out_of_reach(h, reach):
    """Whether a triangle with corners at these heights is too far from the plane, on one side of it."""
    return min(h[0], h[1], h[2]) > reach or max(h[0], h[1], h[2]) < -reach


@lean_kernel
def _to_triangle(p, T):
    """The point of a triangle that is closest to p; a call keeps it from being written out nine times."""
    q, _ = closest_point_sliver(p, T[0], T[1], T[2])
    return q


@lean_kernel
def _to_segment(p, a, b):
    """The point of a segment that is closest to p."""
    c, _ = closest_point_segment(p, a, b)
    return c


@lean_kernel
def _between_segments(ends, others):
    """Where two segments are closest: points and parameters."""
    return closest_segment_segment(ends[0], ends[1], others[0], others[1])


@inner_kernel
def margin_of(settings):
    """How far both parts reach beyond their cores."""
    return settings.margin_a + settings.margin_b


@inner_kernel
def _vertex_and_triangle(flip, vertex, p, facet, search, groups_io):
    """A vertex of one part with a triangle of the other: its face, its edges and its corners."""
    T, memory, margin = facet.corner, search.memory, margin_of(search.settings)
    q = _to_triangle(p, T)
    tolerance, gap = search.settings.tolerance, abs(norm(sub(p, q)) - margin)
    if gap > HYSTERESIS * tolerance:
        return
    face = facet.part.face[facet.i]
    if face >= 0 and _touch(memory, key_either_way(flip, VERTEX, vertex, FACE, face), gap, tolerance):
        group = _group_either_way(flip, VERTEX, vertex, FACE, face, groups_io)
        note_nearest(groups_io, group, flip, p, q, gap)
    for k in range(3):
        edge = facet.part.side[facet.i, k]
        if facet.duty & (8 << k):
            c = _to_segment(p, T[k], T[(k + 1) % 3])
            away = max(abs(norm(sub(p, c)) - margin), norm(sub(c, q)))
            if _touch(memory, key_either_way(flip, VERTEX, vertex, EDGE, edge), away, tolerance):
                group = _group_either_way(flip, VERTEX, vertex, EDGE, edge, groups_io)
                note_nearest(groups_io, group, flip, p, c, away)
        if not flip and facet.duty & (1 << k):
            away = max(abs(norm(sub(p, T[k])) - margin), norm(sub(T[k], q)))
            other = facet.part.vertex[facet.i, k]
            if _touch(memory, key_of(VERTEX, vertex, VERTEX, other), away, tolerance):
                group = group_of(groups_io, VERTEX, vertex, VERTEX, other)
                note_nearest(groups_io, group, flip, p, T[k], away)


@inner_kernel
def _group_either_way(flip, kind, id, other_kind, other_id, groups_io):
    if flip:
        return group_of(groups_io, other_kind, other_id, kind, id)
    return group_of(groups_io, kind, id, other_kind, other_id)


@inner_kernel
def _edge_and_triangle(flip, edge, ends, h, facet, search, groups_io):
    """A convex edge of one part, with its ends at heights h, along the face of a triangle of the other."""
    face, length = facet.part.face[facet.i], norm(sub(ends[1], ends[0]))
    if abs(h[1] - h[0]) > WIDEST * length:
        return
    tolerance = search.settings.tolerance
    limit = allowed(search.memory, key_either_way(flip, EDGE, edge, FACE, face), tolerance)
    if abs(h[1] - h[0]) > PARALLEL * length * limit / tolerance:
        return
    low, high = edge_over_triangle(ends, h, facet, limit, margin_of(search.settings))
    if low < high:
        group = _group_either_way(flip, EDGE, edge, FACE, face, groups_io)
        add_span(groups_io, group, facet.i, (low, high), (0.0, 0.0))


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
def _edges_along(e, ends, f, others, margin, limit, groups_io):
    """Two edges that are parallel: where they are beside each other."""
    P, R = ends[0], others[0]
    way, along = sub(ends[1], P), sub(others[1], R)
    first, last = _foot(R, P, way), _foot(others[1], P, way)
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
    add_span(groups_io, group, -1, (low, high), (min(t_0, t_1), max(t_0, t_1)))
    middle, t = add_scaled(P, 0.5 * (low + high), way), 0.5 * (t_0 + t_1)
    foot = add_scaled(R, t, along)
    note_nearest(groups_io, group, False, middle, foot, abs(norm(sub(middle, foot)) - margin))


@inner_kernel
def _edge_and_edge(e, ends, f, others, search, groups_io):
    """Convex edges of A and of B: along each other, or across."""
    tolerance, margin = search.settings.tolerance, margin_of(search.settings)
    p, q, s, t = _between_segments(ends, others)
    gap = abs(norm(sub(p, q)) - margin)
    if gap > HYSTERESIS * tolerance:
        return
    limit = allowed(search.memory, key_of(EDGE, e, EDGE, f), tolerance)
    if gap > limit:
        return
    way, along = sub(ends[1], ends[0]), sub(others[1], others[0])
    u, v = norm(way), norm(along)
    if norm(cross(way, along)) <= PARALLEL * u * v * limit / tolerance:
        _edges_along(e, ends, f, others, margin, limit, groups_io)
    elif min(s, 1.0 - s) * u > tolerance and min(t, 1.0 - t) * v > tolerance:
        note_nearest(groups_io, group_of(groups_io, EDGE, e, EDGE, f), False, p, q, gap)


@inner_kernel
def _faces(facet_a, facet_b, turn, search, scratch_io, groups_io):
    """Two triangles that are parallel, face to face or one over the other; `turn` is the sine between them."""
    part_a, i, part_b, j = facet_a.part, facet_a.i, facet_b.part, facet_b.i
    face_a, face_b, tolerance = part_a.face[i], part_b.face[j], search.settings.tolerance
    limit = allowed(search.memory, key_of(FACE, face_a, FACE, face_b), tolerance)
    if turn > PARALLEL * limit / tolerance:
        return
    which, n = clip_triangles(facet_a.corner, facet_b.corner, facet_b.normal, facet_a.height, limit, scratch_io)
    if n == 0:
        return
    if dot(facet_a.normal, facet_b.normal) < 0.0:
        group = group_of(groups_io, FACE, face_a, FACE, face_b)
        add_piece(groups_io, group, facet_a, facet_b, scratch_io, which, n)
        return
    area, border = polygon_area(scratch_io.polygon, which, n, facet_b.normal)
    if area > 0.5 * tolerance * border:
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
def _pass_through(facet_a, facet_b, tolerance):
    """Whether two triangles meet over more than the tolerance if both are moved into their material by half of it."""
    A, n_a, h_a = facet_a.corner, facet_a.normal, facet_a.height
    B, n_b, h_b = facet_b.corner, facet_b.normal, facet_b.height
    shift = 0.5 * tolerance * (1.0 - dot(n_a, n_b))
    along = unit(cross(n_a, n_b))
    low_a, high_a = _interval(A, (h_a[0] + shift, h_a[1] + shift, h_a[2] + shift), along)
    low_b, high_b = _interval(B, (h_b[0] + shift, h_b[1] + shift, h_b[2] + shift), along)
    return min(high_a, high_b) - max(low_a, low_b) > tolerance


@inner_kernel
def _ends_in_reach(h, k, reach):
    return not out_of_reach((h[k], h[(k + 1) % 3], h[k]), reach)


@inner_kernel
def _directed(facet, k):
    """Ends of a side of a triangle, from the first end of its edge to the second, and their heights."""
    part, i, m, T, h = facet.part, facet.i, (k + 1) % 3, facet.corner, facet.height
    if part.vertex[i, k] == part.edge_end[part.side[i, k], 0]:
        return (T[k], T[m]), (h[k], h[m])
    return (T[m], T[k]), (h[m], h[k])


@inner_kernel
def _test_pair(k, search, scratch_io, groups_io):
    """All features of two triangles that are to be looked at."""
    part_a, part_b, X, settings = search.part_a, search.part_b, search.X, search.settings
    i, j = np.int64(scratch_io.pair[k, 0]), np.int64(scratch_io.pair[k, 1])
    duty_a, duty_b = scratch_io.pair[k, 2], scratch_io.pair[k, 3]
    A, B = load_triangle(part_a.corners, i), moved_triangle(part_b.corners, j, X)
    margin = margin_of(settings)
    reach = slack_of(settings, search.memory) + margin
    nothing, level = (0.0, 0.0, 0.0), (margin, margin, margin)
    n_a, n_b, h_a, h_b = nothing, nothing, level, level
    solid_a, solid_b = part_a.face[i] >= 0, part_b.face[j] >= 0
    if solid_a:
        n_a = row(part_a.normal, part_a.face[i])
        h_b = heights_of(B, A[0], n_a)
        if out_of_reach(h_b, reach):
            return
    if solid_b:
        n_b = mat_vec(X.R, row(part_b.normal, part_b.face[j]))
        h_a = heights_of(A, B[0], n_b)
        if out_of_reach(h_a, reach):
            return
    facet_a, facet_b = Facet(part_a, i, A, n_a, h_a, duty_a), Facet(part_b, j, B, n_b, h_b, duty_b)
    if solid_a and solid_b and duty_a & FACES:
        turn = norm(cross(n_a, n_b))
        if turn <= WIDEST:
            _faces(facet_a, facet_b, turn, search, scratch_io, groups_io)
        elif settings.checking and _beyond(h_a, settings.tolerance) and _beyond(h_b, settings.tolerance):
            if _pass_through(facet_a, facet_b, settings.tolerance):
                groups_io.counts[SUSPECT] = 1
    for m in range(3):
        if duty_a & (1 << m) and abs(h_a[m]) <= reach:
            _vertex_and_triangle(False, part_a.vertex[i, m], A[m], facet_b, search, groups_io)
        if duty_b & (1 << m) and abs(h_b[m]) <= reach:
            _vertex_and_triangle(True, part_b.vertex[j, m], B[m], facet_a, search, groups_io)
    _test_edges(facet_a, facet_b, reach, search, groups_io)


@inner_kernel
def _test_edges(facet_a, facet_b, reach, search, groups_io):
    """The edges of two triangles, along faces and with each other."""
    h_a, h_b, side_a, side_b = facet_a.height, facet_b.height, facet_a.part.side, facet_b.part.side
    solid_a, solid_b = facet_a.part.face[facet_a.i] >= 0, facet_b.part.face[facet_b.i] >= 0
    for k in range(3):
        if facet_b.duty & (8 << k) and solid_a and _ends_in_reach(h_b, k, reach):
            ends, h = _directed(facet_b, k)
            _edge_and_triangle(True, side_b[facet_b.i, k], ends, h, facet_a, search, groups_io)
    for k in range(3):
        edge = side_a[facet_a.i, k]
        if not facet_a.duty & (8 << k) or not _ends_in_reach(h_a, k, reach):
            continue
        ends, h = _directed(facet_a, k)
        if solid_b:
            _edge_and_triangle(False, edge, ends, h, facet_b, search, groups_io)
        for m in range(3):
            if facet_b.duty & (8 << m) and _ends_in_reach(h_b, m, reach):
                others, _ = _directed(facet_b, m)
                _edge_and_edge(edge, ends, side_b[facet_b.i, m], others, search, groups_io)


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
def add_pair(i, j, duties, n, scratch_io, groups_io):
    """Append two triangles to those that are looked at, with what is looked at of each; returns how many these are."""
    if n == scratch_io.pair.shape[0]:
        groups_io.counts[FULL] = 1
        return n
    scratch_io.pair[n, 0], scratch_io.pair[n, 1] = i, j
    scratch_io.pair[n, 2], scratch_io.pair[n, 3] = duties
    return n + 1


@inner_kernel
def collect_close(search, scratch_io, groups_io):
    """All pairs of triangles whose boxes may be close enough; each looks for what it answers for. Returns how many."""
    part_a, part_b, X = search.part_a, search.part_b, search.X
    _, p = X
    slack = slack_of(search.settings, search.memory) + margin_of(search.settings)
    slack += 1e-12 * (abs(p[0]) + abs(p[1]) + abs(p[2]))  # poses are rounded
    scratch_io.stack[0, 0] = scratch_io.stack[0, 1] = 0
    top, n = 1, 0
    while top > 0:
        top -= 1
        a, b = np.int64(scratch_io.stack[top, 0]), np.int64(scratch_io.stack[top, 1])
        if part_a.child[a] >= 0 or part_b.child[b] >= 0:
            top = _split(part_a, a, part_b, b, X, slack, top, scratch_io)
        else:
            i, j = -1 - part_a.child[a], -1 - part_b.child[b]
            n = add_pair(i, j, ((part_a.duty[i] & 63) | FACES, part_b.duty[j] & 63), n, scratch_io, groups_io)
    return n


@inner_kernel
def test_pairs(n, search, scratch_io, groups_io):
    """What is to be looked at of n pairs of triangles."""
    for k in range(n):
        _test_pair(k, search, scratch_io, groups_io)
