"""Which of the pairs of features that are close are regions: none at a lower feature, none on the border of a larger.

A pair of a vertex and a face at a rim is one of the vertex and the edge there, if the edge is convex; and so on. Then
what lies on the border of a region of a higher dimension is part of that. A vertex that touches a wall at the rim of
the floor it stands on is a region of its own: the wall does not belong to the floor.

Features that lean towards each other are no region, though they are close: beside a corner that touches, its edges and
faces are close to many.
"""

from ..._jit import inner_kernel, lean_kernel
from ...math.pose_kernels import pose_apply_inverse
from ...math.vec_kernels import add_scaled, cross, dot, mat_vec, neg, norm, row, scale, sub, unit
from .clip_kernels import piece_holds
from .group_kernels import (
    COVERED,
    EDGE,
    FACE,
    FATE,
    GROUPS,
    ID_A,
    ID_B,
    KIND_A,
    KIND_B,
    LAST,
    OPEN,
    RESOLVED,
    SMALL,
    SUSPECT,
    VERTEX,
    add_span,
    find_group,
    find_key,
    key_of,
)
from .normal_kernels import edge_way
from .scan_kernels import slack_of
from .surface_kernels import on_both_faces

_LEAN = 2e-3
"""[rad] what leans less is upright."""
_SHORT, _SHORT_KNOWN = 2.0, 1.0
"""Of the tolerance: how long a line must be to be one, and to stay one."""


@inner_kernel
def is_touch(groups, group):
    """Whether a group is a set of points that touch, be it a region or the border of one."""
    return group >= 0 and (groups.state[group, FATE] == OPEN or groups.state[group, FATE] == COVERED)


@inner_kernel
def _kinds(groups, group):
    return groups.name[group, KIND_A], groups.name[group, KIND_B]


@lean_kernel
def merge_spans(groups, group, column, work):
    """Intervals of a group in rising order, those that meet joined, into `work` (room, 2); returns how many."""
    n, element = 0, groups.state[group, LAST]
    while element >= 0 and n < work.shape[0]:
        low, high = groups.span[element, column], groups.span[element, column + 1]
        k = n
        while k > 0 and work[k - 1, 0] > low:
            work[k, 0], work[k, 1] = work[k - 1, 0], work[k - 1, 1]
            k -= 1
        work[k, 0], work[k, 1] = low, high
        n += 1
        element = groups.element[element, 0]
    merged = 0
    for k in range(n):
        if merged and work[k, 0] <= work[merged - 1, 1]:
            work[merged - 1, 1] = max(work[merged - 1, 1], work[k, 1])
        else:
            work[merged, 0], work[merged, 1] = work[k, 0], work[k, 1]
            merged += 1
    return merged


@inner_kernel
def edge_length(part, edge):
    """[m] of an edge."""
    return norm(sub(row(part.point, part.edge_end[edge, 1]), row(part.point, part.edge_end[edge, 0])))


@inner_kernel
def length_of_edge(part_a, part_b, groups, group):
    """[m] of the edge on which the intervals of a group lie: that of A if there is one."""
    if groups.name[group, KIND_A] == EDGE:
        return edge_length(part_a, groups.name[group, ID_A])
    return edge_length(part_b, groups.name[group, ID_B])


@lean_kernel
def _drop_short(part_a, part_b, settings, memory, groups_io, group, work):
    """Lines that are too short to be one."""
    n, total = merge_spans(groups_io, group, 0, work), 0.0
    for k in range(n):
        total += work[k, 1] - work[k, 0]
    least = _SHORT_KNOWN if find_key(memory.key, groups_io.key[group]) >= 0 else _SHORT
    if total * length_of_edge(part_a, part_b, groups_io, group) <= least * settings.tolerance:
        groups_io.state[group, FATE] = SMALL


@lean_kernel
def _cut_out(groups_io, group, low, high, work):
    """Take an interval out of those of a group."""
    n = merge_spans(groups_io, group, 0, work)
    groups_io.state[group, LAST] = -1
    for k in range(n):
        if work[k, 0] < min(work[k, 1], low):
            add_span(groups_io, group, -1, (work[k, 0], min(work[k, 1], low)), (0.0, 0.0))
        if max(work[k, 0], high) < work[k, 1]:
            add_span(groups_io, group, -1, (max(work[k, 0], high), work[k, 1]), (0.0, 0.0))


@lean_kernel
def _cut_beside(part_a, part_b, groups_io, group, work):
    """Where two edges lie along each other, neither lies on a face beside the other."""
    e, f = groups_io.name[group, ID_A], groups_io.name[group, ID_B]
    element = groups_io.state[group, LAST]
    while element >= 0:
        before = groups_io.element[element, 0]
        span = groups_io.span
        for k in range(2):
            on_face = find_group(groups_io, key_of(EDGE, e, FACE, part_b.edge_face[f, k]))
            if on_face >= 0:
                _cut_out(groups_io, on_face, span[element, 0], span[element, 1], work)
            on_face = find_group(groups_io, key_of(FACE, part_a.edge_face[e, k], EDGE, f))
            if on_face >= 0:
                _cut_out(groups_io, on_face, span[element, 2], span[element, 3], work)
        element = before


@inner_kernel
def is_line(groups, group):
    """Whether a group is an edge along a face or another edge."""
    kind_a, kind_b = _kinds(groups, group)
    return ((kind_a == EDGE and kind_b != VERTEX) or (kind_b == EDGE and kind_a == FACE)) and groups.state[
        group, LAST
    ] >= 0


@inner_kernel
def resolve_lines(part_a, part_b, settings, memory, groups_io, work):
    """Which pairs of an edge with a face or another edge along it are lines, and not too short."""
    for group in range(groups_io.counts[GROUPS]):
        if _kinds(groups_io, group) == (EDGE, EDGE) and groups_io.state[group, LAST] >= 0:
            _drop_short(part_a, part_b, settings, memory, groups_io, group, work)
            if groups_io.state[group, FATE] == OPEN:
                _cut_beside(part_a, part_b, groups_io, group, work)
    for group in range(groups_io.counts[GROUPS]):
        kind_a, kind_b = _kinds(groups_io, group)
        if max(kind_a, kind_b) == FACE and min(kind_a, kind_b) == EDGE:
            if groups_io.state[group, LAST] < 0:
                groups_io.state[group, FATE] = RESOLVED
            else:
                _drop_short(part_a, part_b, settings, memory, groups_io, group, work)


@inner_kernel
def _into_face(part, edge, k):
    """Direction from an edge into the k-th face beside it, in the plane of that face; of no particular length."""
    way = sub(row(part.point, part.edge_end[edge, 1]), row(part.point, part.edge_end[edge, 0]))
    return scale(1.0 if k == 0 else -1.0, cross(row(part.normal, part.edge_face[edge, k]), way))


@inner_kernel
def surface_of(groups, face_a, face_b):
    """The group of two faces that lie on each other, else -1."""
    group = find_group(groups, key_of(FACE, face_a, FACE, face_b)) if face_a >= 0 and face_b >= 0 else -1
    return group if is_touch(groups, group) else -1


@inner_kernel
def _cover_edge_on_face(part_a, part_b, groups_io, group):
    """An edge on a face, if one of its own faces lies on it."""
    kind_a, a, b = groups_io.name[group, KIND_A], groups_io.name[group, ID_A], groups_io.name[group, ID_B]
    for k in range(2):
        if kind_a == EDGE:
            surface = surface_of(groups_io, part_a.edge_face[a, k], b)
        else:
            surface = surface_of(groups_io, a, part_b.edge_face[b, k])
        if surface >= 0:
            groups_io.state[group, FATE] = COVERED


@inner_kernel
def _cover_edge_along_edge(part_a, part_b, X, groups_io, group):
    """An edge along another, if faces of both lie on each other on the same side of it."""
    e, f = groups_io.name[group, ID_A], groups_io.name[group, ID_B]
    for k in range(2):
        for m in range(2):
            surface = surface_of(groups_io, part_a.edge_face[e, k], part_b.edge_face[f, m])
            if surface >= 0 and dot(_into_face(part_a, e, k), mat_vec(X.R, _into_face(part_b, f, m))) > 0.0:
                groups_io.state[group, FATE] = COVERED


@inner_kernel
def cover_lines(part_a, part_b, X, groups_io):
    """Lines that are the border of a surface."""
    for group in range(groups_io.counts[GROUPS]):
        if groups_io.state[group, FATE] == OPEN and is_line(groups_io, group):
            if _kinds(groups_io, group) == (EDGE, EDGE):
                _cover_edge_along_edge(part_a, part_b, X, groups_io, group)
            else:
                _cover_edge_on_face(part_a, part_b, groups_io, group)


@inner_kernel
def _edges_rise(part, vertex, R, normal):
    """Whether no edge leads from a vertex below a plane; R turns directions of the part into those of the normal."""
    for k in range(part.edge_start[vertex], part.edge_start[vertex + 1]):
        edge = part.edge_item[k]
        way = mat_vec(R, sub(row(part.point, part.edge_end[edge, 1]), row(part.point, part.edge_end[edge, 0])))
        up = dot(way, normal) if part.edge_end[edge, 0] == vertex else -dot(way, normal)
        if up < -_LEAN * norm(way):
            return False
    return True


@inner_kernel
def faces_rise(part, edge, R, normal):
    """Whether neither face beside an edge leads below a plane."""
    for k in range(2):
        if part.edge_face[edge, k] >= 0:
            way = mat_vec(R, _into_face(part, edge, k))
            if dot(way, normal) < -_LEAN * norm(way):
                return False
    return True


@inner_kernel
def _leans(part_a, part_b, X, groups, group):
    """Whether features are nearer to each other beside the place where they are close."""
    name, one = groups.name[group], (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    kind_a, a, kind_b, b = name[KIND_A], name[ID_A], name[KIND_B], name[ID_B]
    if kind_b == FACE:
        out = mat_vec(X.R, row(part_b.normal, b))
        return not (_edges_rise(part_a, a, one, out) if kind_a == VERTEX else faces_rise(part_a, a, one, out))
    if kind_a == FACE:
        out = row(part_a.normal, a)
        return not (_edges_rise(part_b, b, X.R, out) if kind_b == VERTEX else faces_rise(part_b, b, X.R, out))
    if kind_a != EDGE or kind_b != EDGE or groups.state[group, LAST] >= 0:
        return False
    across = unit(cross(edge_way(part_a, a), mat_vec(X.R, edge_way(part_b, b))))
    outward = sub(row(part_a.edge_normal, a), mat_vec(X.R, row(part_b.edge_normal, b)))
    if dot(across, outward) < 0.0:
        across = neg(across)
    return not (faces_rise(part_a, a, one, neg(across)) and faces_rise(part_b, b, X.R, across))


@inner_kernel
def drop_leaning(part_a, part_b, X, groups_io):
    """Take out what leans, with a note: parts that overlap do, too."""
    for group in range(groups_io.counts[GROUPS]):
        kind_a, kind_b = _kinds(groups_io, group)
        if (kind_a == FACE and kind_b == FACE) or groups_io.state[group, FATE] != OPEN:
            continue
        if _leans(part_a, part_b, X, groups_io, group):
            groups_io.state[group, FATE] = RESOLVED
            groups_io.counts[SUSPECT] = 1


@inner_kernel
def _resolve(groups_io, key):
    group = find_group(groups_io, key)
    if group >= 0 and groups_io.state[group, FATE] == OPEN:
        groups_io.state[group, FATE] = RESOLVED


@inner_kernel
def _resolve_crossing(groups_io, e, f):
    """An edge that ends at another does not cross it."""
    group = find_group(groups_io, key_of(EDGE, e, EDGE, f))
    if group >= 0 and groups_io.state[group, LAST] < 0 and groups_io.state[group, FATE] == OPEN:
        groups_io.state[group, FATE] = RESOLVED


@inner_kernel
def _resolve_to_vertex(part_a, part_b, groups_io, v, w):
    """Two vertices: neither touches an edge of the other, nor a face beside such an edge."""
    for k in range(part_b.edge_start[w], part_b.edge_start[w + 1]):
        edge = part_b.edge_item[k]
        _resolve(groups_io, key_of(VERTEX, v, EDGE, edge))
        _resolve(groups_io, key_of(VERTEX, v, FACE, part_b.edge_face[edge, 0]))
        _resolve(groups_io, key_of(VERTEX, v, FACE, part_b.edge_face[edge, 1]))
    for k in range(part_a.edge_start[v], part_a.edge_start[v + 1]):
        edge = part_a.edge_item[k]
        _resolve(groups_io, key_of(EDGE, edge, VERTEX, w))
        _resolve(groups_io, key_of(FACE, part_a.edge_face[edge, 0], VERTEX, w))
        _resolve(groups_io, key_of(FACE, part_a.edge_face[edge, 1], VERTEX, w))
        for m in range(part_b.edge_start[w], part_b.edge_start[w + 1]):
            _resolve_crossing(groups_io, edge, part_b.edge_item[m])


@inner_kernel
def resolve_points(part_a, part_b, groups_io):
    """Each point belongs to the lowest features there."""
    n = groups_io.counts[GROUPS]
    for group in range(n):
        if _kinds(groups_io, group) == (VERTEX, VERTEX):
            _resolve_to_vertex(part_a, part_b, groups_io, groups_io.name[group, ID_A], groups_io.name[group, ID_B])
    for group in range(n):
        a, b = groups_io.name[group, ID_A], groups_io.name[group, ID_B]
        if _kinds(groups_io, group) == (VERTEX, EDGE):
            for k in range(2):
                _resolve(groups_io, key_of(VERTEX, a, FACE, part_b.edge_face[b, k]))
            for k in range(part_a.edge_start[a], part_a.edge_start[a + 1]):
                _resolve_crossing(groups_io, part_a.edge_item[k], b)
        if _kinds(groups_io, group) == (EDGE, VERTEX):
            for k in range(2):
                _resolve(groups_io, key_of(FACE, part_a.edge_face[a, k], VERTEX, b))
            for k in range(part_b.edge_start[b], part_b.edge_start[b + 1]):
                _resolve_crossing(groups_io, a, part_b.edge_item[k])


@inner_kernel
def _count_above(part, kind, id, what):
    """How many edges (what = EDGE) or faces a feature belongs to, itself included."""
    if (kind == VERTEX and what == VERTEX) or (kind == EDGE and what == EDGE) or (kind == FACE and what == FACE):
        return 1
    if kind == VERTEX and what == EDGE:
        return part.edge_start[id + 1] - part.edge_start[id]
    if kind == VERTEX and what == FACE:
        return part.face_start[id + 1] - part.face_start[id]
    return 2 if kind == EDGE and what == FACE else 0


@inner_kernel
def _above(part, kind, id, what, k):
    """The k-th of them."""
    if kind == what:
        return id
    if kind == VERTEX:
        return part.edge_item[part.edge_start[id] + k] if what == EDGE else part.face_item[part.face_start[id] + k]
    return part.edge_face[id, k]


@inner_kernel
def _in_surface(search, groups, surface, p, limit, scratch_io):
    """Whether a point is in a surface or within `limit` of it; one without pieces was not measured."""
    element, name = groups.state[surface, LAST], groups.name[surface]
    if element < 0:
        return on_both_faces(search, name[ID_A], name[ID_B], p, limit, scratch_io)
    normal = mat_vec(search.X.R, row(search.part_b.normal, name[ID_B]))
    while element >= 0:
        if piece_holds(groups.corner, groups.element[element, 1], groups.element[element, 2], p, normal, limit):
            return True
        element = groups.element[element, 0]
    return False


@inner_kernel
def _in_spans(part, edge, groups, group, column, p, limit):
    """Whether a point of an edge, in the frame of its part, is in the intervals of a group."""
    P = row(part.point, part.edge_end[edge, 0])
    way = sub(row(part.point, part.edge_end[edge, 1]), P)
    length = norm(way)
    s = dot(sub(p, P), way) / (length * length)
    element = groups.state[group, LAST]
    while element >= 0:
        if groups.span[element, column] - limit / length <= s <= groups.span[element, column + 1] + limit / length:
            return True
        element = groups.element[element, 0]
    return False


@inner_kernel
def _covered_by(search, groups, group, what_a, what_b, limit, scratch_io):
    """Whether a point lies on a line or surface of features of these kinds to which its own features belong."""
    part_a, part_b = search.part_a, search.part_b
    kind_a, kind_b = _kinds(groups, group)
    a, b, near = groups.name[group, ID_A], groups.name[group, ID_B], groups.near[group]
    p, q = (near[1], near[2], near[3]), (near[4], near[5], near[6])
    for i in range(_count_above(part_a, kind_a, a, what_a)):
        above_a = _above(part_a, kind_a, a, what_a, i)
        for j in range(_count_above(part_b, kind_b, b, what_b)):
            above_b = _above(part_b, kind_b, b, what_b, j)
            larger, surface = find_group(groups, key_of(what_a, above_a, what_b, above_b)), what_a == what_b == FACE
            if larger == group or not is_touch(groups, larger) or (groups.state[larger, LAST] < 0 and not surface):
                continue
            if kind_a == FACE or kind_b == FACE or (kind_a == EDGE and kind_b == EDGE):
                return True  # in the middle of a face, or across each other: the larger one is on both sides
            if surface:
                if _in_surface(search, groups, larger, p, limit, scratch_io):
                    return True
            elif what_a == EDGE:
                if _in_spans(part_a, above_a, groups, larger, 0, p, limit):
                    return True
            elif _in_spans(part_b, above_b, groups, larger, 0, pose_apply_inverse(search.X, q), limit):
                return True
    return False


@inner_kernel
def cover_points(search, scratch_io, groups_io):
    """Points on the border of a line or a surface."""
    limit = 2.0 * slack_of(search.settings, search.memory)
    for group in range(groups_io.counts[GROUPS]):
        kind_a, kind_b = _kinds(groups_io, group)
        if groups_io.state[group, FATE] != OPEN or is_line(groups_io, group) or (kind_a == FACE and kind_b == FACE):
            continue
        for k in range(4):
            what_a, what_b = EDGE if k & 1 else FACE, EDGE if k & 2 else FACE
            if groups_io.state[group, FATE] == OPEN and _covered_by(
                search, groups_io, group, what_a, what_b, limit, scratch_io
            ):
                groups_io.state[group, FATE] = COVERED


@inner_kernel
def line_ends(part, edge, low, high):
    """Points at two places of an edge."""
    P = row(part.point, part.edge_end[edge, 0])
    way = sub(row(part.point, part.edge_end[edge, 1]), P)
    return add_scaled(P, low, way), add_scaled(P, high, way)
