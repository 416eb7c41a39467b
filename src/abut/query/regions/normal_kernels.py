"""Normals of contact regions, from A to B (Bouma and Vanecek 1991, section 10, with what its rules leave open).

At a face the normal is the face's. Two edges that cross have it across both. For edges along each other, vertices at
edges and vertices at vertices, geometry tells little: there the normal that the region had is kept, else the direction
in which the parts are apart is taken, else the difference of the mean normals of both sides.
"""

from ..._jit import inner_kernel
from ...math.vec_kernels import add, add_scaled, cross, dot, mat_vec, neg, norm, row, sub, unit
from .group_kernels import EDGE, FACE, ID_A, ID_B, KIND_A, KIND_B, LAST, VERTEX, find_key, key_of

_APART = 0.25
"""Of the tolerance: parts that are farther apart have a direction between them."""
_VANISHING = 1e-6
"""Length of a sum of unit vectors that tells no direction."""


@inner_kernel
def edge_vector(part, edge):
    """From one end of an edge to the other."""
    return sub(row(part.point, part.edge_end[edge, 1]), row(part.point, part.edge_end[edge, 0]))


@inner_kernel
def edge_way(part, edge):
    """Unit vector along an edge."""
    return unit(edge_vector(part, edge))


@inner_kernel
def _kept(memory, X, key):
    """The normal that a region had, in the frame of A, and whether it had one."""
    place = find_key(memory.key, key)
    if place < 0:
        return (0.0, 0.0, 0.0), False
    return mat_vec(X.R, row(memory.normal, place)), True


@inner_kernel
def _inherited(part_a, part_b, X, memory, kind_a, a, kind_b, b):
    """The normal of this region, or of the one that it was when its features touched inside a face."""
    normal, found = _kept(memory, X, key_of(kind_a, a, kind_b, b))
    for k in range(2):
        if not found and kind_b == EDGE:
            normal, found = _kept(memory, X, key_of(kind_a, a, FACE, part_b.edge_face[b, k]))
        if not found and kind_a == EDGE:
            normal, found = _kept(memory, X, key_of(FACE, part_a.edge_face[a, k], kind_b, b))
    if not found and kind_a == VERTEX and kind_b == VERTEX:
        for k in range(part_b.edge_start[b], part_b.edge_start[b + 1]):
            if not found:
                normal, found = _kept(memory, X, key_of(VERTEX, a, EDGE, part_b.edge_item[k]))
        for k in range(part_a.edge_start[a], part_a.edge_start[a + 1]):
            if not found:
                normal, found = _kept(memory, X, key_of(EDGE, part_a.edge_item[k], VERTEX, b))
        for k in range(part_b.face_start[b], part_b.face_start[b + 1]):
            if not found:
                normal, found = _kept(memory, X, key_of(VERTEX, a, FACE, part_b.face_item[k]))
        for k in range(part_a.face_start[a], part_a.face_start[a + 1]):
            if not found:
                normal, found = _kept(memory, X, key_of(FACE, part_a.face_item[k], VERTEX, b))
    return normal, found


@inner_kernel
def _count_means(part, kind, id):
    return part.fan_start[id + 1] - part.fan_start[id] if kind == VERTEX else 1


@inner_kernel
def _mean(part, kind, id, k):
    """Mean normal of the k-th manifold component at a vertex, or of an edge."""
    if kind == VERTEX:
        return row(part.fan_normal, part.fan_start[id] + k)
    return row(part.edge_normal, id)


@inner_kernel
def _without(v, along):
    return add_scaled(v, -dot(v, along), along)


@inner_kernel
def _difference(part_a, part_b, X, kind_a, a, kind_b, b, along):
    """Mean of the directions between components of both sides that face each other, across `along`; any length."""
    total, all_of_them = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(_count_means(part_a, kind_a, a)):
        mean_a = _mean(part_a, kind_a, a, i)
        for j in range(_count_means(part_b, kind_b, b)):
            mean_b = mat_vec(X.R, _mean(part_b, kind_b, b, j))
            way = unit(_without(sub(mean_a, mean_b), along))
            all_of_them = add(all_of_them, way)
            if dot(mean_a, mean_b) <= _VANISHING:
                total = add(total, way)
    return total if norm(total) > _VANISHING else all_of_them


@inner_kernel
def _facing(part_a, part_b, X, e, f):
    """Direction between those faces of two edges that face each other most."""
    best, way = 2.0, (0.0, 0.0, 1.0)
    for k in range(2):
        n_a = row(part_a.normal, part_a.edge_face[e, k])
        for m in range(2):
            n_b = mat_vec(X.R, row(part_b.normal, part_b.edge_face[f, m]))
            if dot(n_a, n_b) < best:
                best, way = dot(n_a, n_b), sub(n_a, n_b)
    return way


@inner_kernel
def _by_rule(part_a, part_b, X, kind_a, a, kind_b, b):
    """What the shapes alone say of the normal of features that are not faces."""
    along = (0.0, 0.0, 0.0)
    if kind_a == EDGE:
        along = edge_way(part_a, a)
    elif kind_b == EDGE:
        along = mat_vec(X.R, edge_way(part_b, b))
    way = _difference(part_a, part_b, X, kind_a, a, kind_b, b, along)
    if norm(way) > _VANISHING:
        return unit(way)
    if kind_a == EDGE and kind_b == EDGE:
        return unit(_facing(part_a, part_b, X, a, b))
    return _mean(part_a, kind_a, a, 0)


@inner_kernel
def region_normal(search, groups, group):
    """From A to B, in the frame of A."""
    part_a, part_b, X, settings = search.part_a, search.part_b, search.X, search.settings
    name, near = groups.name[group], groups.near[group]
    kind_a, a, kind_b, b = name[KIND_A], name[ID_A], name[KIND_B], name[ID_B]
    if kind_b == FACE:
        return neg(mat_vec(X.R, row(part_b.normal, b)))
    if kind_a == FACE:
        return row(part_a.normal, a)
    way = sub((near[4], near[5], near[6]), (near[1], near[2], near[3]))
    if settings.margin_a + settings.margin_b > 0.0:
        return unit(way)
    rule = _by_rule(part_a, part_b, X, kind_a, a, kind_b, b)
    if kind_a == EDGE and kind_b == EDGE and groups.state[group, LAST] < 0:
        across = unit(cross(edge_way(part_a, a), mat_vec(X.R, edge_way(part_b, b))))
        return across if dot(across, rule) >= 0.0 else neg(across)
    normal, found = _inherited(part_a, part_b, X, search.memory, kind_a, a, kind_b, b)
    if found:
        return normal
    if norm(way) > _APART * settings.tolerance:
        return unit(way if dot(way, rule) >= 0.0 else neg(way))
    return rule
