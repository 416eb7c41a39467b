"""Cones around the normals of a skin's triangles during a motion, and which parts of it may meet each other.

A cone is a row of four numbers: its axis, and the cosine of the angle about it within which all normals are; -1 where
that is no less than a right angle. Triangles of a cluster stand side by side in lanes, in rows of a table: normals at
the start (0-2), at the end (3-5) and in between (6-8).
"""

from math import sqrt

import numpy as np

from .._jit import OCTET, inner_kernel, kernel, lean_kernel
from ..math.vec_kernels import add, cross, dot, norm, row, scale, sub
from .skin_cluster_kernels import MOST_IN_CLUSTER, open_node
from .skin_kernels import STACK, box_size, boxes_meet
from .skin_tables import Clusters, SkinParts

LANES, ROWS = MOST_IN_CLUSTER, 9
BETWEEN = 6
CONE, COSINE = 4, 3
"""Numbers of a cone, and where its cosine stands."""
ALL_DIRECTIONS = -1.0
# Cosine of the angle within which normals look alike.
_LOOK_ALIKE = 0.35


@inner_kernel
def _normals(ways, own, t):
    """Normals of a triangle at the start, at the end, and of one side at the start and one at the end.

    All normals of the motion are sums of these with factors above 0. Their lengths do not matter.
    """
    (start, end), i, j, k = ways, own[t, 0], own[t, 1], own[t, 2]
    p, q = row(start, i), row(end, i)
    a, b, c, d = sub(row(start, j), p), sub(row(start, k), p), sub(row(end, j), q), sub(row(end, k), q)
    return cross(a, b), cross(c, d), add(cross(a, d), cross(c, b))


@inner_kernel
def _load_normals(ways, own, chosen, count, work):
    """Normals of the triangles of a cluster, into the lanes."""
    n = LANES
    for l in range(count):
        before, after, between = _normals(ways, own, chosen[l])
        for d in range(3):
            work[d * n + l], work[(3 + d) * n + l], work[(BETWEEN + d) * n + l] = before[d], after[d], between[d]


@inner_kernel
def _sums(first, count, work):
    """Sums of the lanes in three rows."""
    n, p = LANES, first * LANES
    x, y, z = 0.0, 0.0, 0.0
    for l in range(count):
        x, y, z = x + work[p + l], y + work[p + n + l], z + work[p + 2 * n + l]
    return x, y, z


@inner_kernel
def _least_cosine(axis, count, work):
    """The least cosine of all normals of the lanes to an axis; 0 or less where one has no area."""
    n, (a, b, c) = LANES, axis
    for kind in range(3):
        p = 3 * kind * n
        for l in range(count):
            x, y, z = work[p + l], work[p + n + l], work[p + 2 * n + l]
            size2 = x * x + y * y + z * z
            work[p + l] = (a * x + b * y + c * z) / sqrt(size2) if size2 > 0.0 else 0.0
    for l in range(count):
        x, y, z = work[l], work[3 * n + l], work[BETWEEN * n + l]
        least = x if x < y else y
        work[l] = least if least < z else z
    least = work[:OCTET]
    for first in range(OCTET, count, OCTET):
        for l in range(OCTET):
            x = work[first + l]
            least[l] = x if x < least[l] else least[l]
    return min(least[0], least[1], least[2], least[3], least[4], least[5], least[6], least[7])


@inner_kernel
def _put_cone(axis, cosine, i, cone_out):
    """A cone about an axis of length 1."""
    cone_out[i, 0], cone_out[i, 1], cone_out[i, 2] = axis
    cone_out[i, COSINE] = cosine if cosine > 0.0 else ALL_DIRECTIONS


@inner_kernel
def _unit(v):
    """A vector of length 1; x where it has none."""
    size = norm(v)
    return scale(1.0 / size, v) if size > 0.0 else (1.0, 0.0, 0.0)


@inner_kernel
def _beyond(cosine, more):
    """Cosine of the sum of two angles, of which `more` is that of one below a right angle, or ALL_DIRECTIONS."""
    if not more > 0.0 or not cosine > 0.0:
        return ALL_DIRECTIONS
    return cosine * more - sqrt(max(0.0, 1.0 - cosine * cosine) * max(0.0, 1.0 - more * more))


@inner_kernel
def _put_cone_around(some, cone, i, cone_out):
    """The cone around some others."""
    sum_, least = (0.0, 0.0, 0.0), 1.0
    for k in range(some.shape[0]):
        sum_ = add(sum_, row(cone, some[k]))
    axis = _unit(sum_)
    for k in range(some.shape[0]):
        least = min(least, _beyond(dot(axis, row(cone, some[k])), cone[some[k], COSINE]))
    _put_cone(axis, least, i, cone_out)


@inner_kernel
def _put_cone_of_two(one, i, cone_io):
    """The cone around two rows of cones, one after the other."""
    a, b = row(cone_io, one), row(cone_io, one + 1)
    axis = _unit(add(a, b))
    first, second = _beyond(dot(axis, a), cone_io[one, COSINE]), _beyond(dot(axis, b), cone_io[one + 1, COSINE])
    _put_cone(axis, min(first, second), i, cone_io)


@kernel
def fit_cluster_normals(ways, parts_io, clusters_io):
    """Cones around the normals, during a motion, of triangles under clusters and of clusters that these touch.

    One triangle answers for a vertex or an edge that several share: where it looks away, another of them may not.
    """
    parts, clusters, work = SkinParts(*parts_io), Clusters(*clusters_io), np.empty(ROWS * LANES)
    for c in range(clusters.node.shape[0]):
        size = clusters.below[c] // 2 + 1
        count = (size + OCTET - 1) // OCTET * OCTET
        _load_normals(ways, parts.own, clusters.triangle[c], count, work)
        axis = _unit(_sums(BETWEEN, count, work))
        _put_cone(axis, _least_cosine(axis, count, work), c, clusters.cone)
    for c in range(clusters.node.shape[0]):
        beside = clusters.beside[clusters.first_beside[c] : clusters.first_beside[c + 1]]
        _put_cone_around(beside, clusters.cone, clusters.node[c], parts.normals)
    for t in range(clusters.top.shape[0]):
        node = clusters.top[t]
        _put_cone_of_two(parts.child[node], node, parts.normals)


@lean_kernel
def _fit_normals_below(ways, node, parts_io, clusters):
    """The same of the nodes under a cluster, triangle by triangle."""
    c, first, normals = clusters.of_node[node], parts_io.child[node], parts_io.normals
    for k in range(clusters.first_ring[c], clusters.first_ring[c + 1]):
        t = clusters.ring[k]
        before, after, between = _normals(ways, parts_io.own, t)
        axis = _unit(between)
        least = min(dot(axis, _unit(before)), dot(axis, _unit(after)))
        _put_cone(axis, least if norm(between) > 0.0 else ALL_DIRECTIONS, t, parts_io.of_triangle)
    for i in range(first + clusters.below[c] - 1, first - 1, -1):
        under = np.int64(parts_io.child[i])
        if under >= 0:
            _put_cone_of_two(under, i, normals)
            continue
        around = clusters.around[clusters.first_around[-1 - under] : clusters.first_around[-under]]
        _put_cone_around(around, parts_io.of_triangle, i, normals)


@lean_kernel
def open_with_normals(side_io, ways, node):
    """Fit boxes and normals under a node that is a cluster, if they are not."""
    _, _, parts, clusters = side_io
    if open_node(side_io, node):
        _fit_normals_below(ways, node, parts, clusters)


@inner_kernel
def _smooth(normals, i, j):
    """Whether all normals under two nodes point to one side: parts of a closed skin that do never meet first."""
    a, b = row(normals, i), row(normals, j)
    axis = _unit(add(a, b))
    return min(_beyond(dot(axis, a), normals[i, COSINE]), _beyond(dot(axis, b), normals[j, COSINE])) > _LOOK_ALIKE


@kernel
def own_triangle_pairs(side_io, ways, pairs_out):
    """Pairs of triangles of one skin whose boxes meet and that may touch, each once; how many there are.

    As many as fit are written. `side_io` is as of `triangle_pairs`; normals of clusters have been fitted, too, to the
    `ways` of the skin's vertices.
    """
    _, _, parts, _ = side_io
    child, boxes, normals = parts.child, parts.boxes, parts.normals
    stack, top, n = np.empty((4 * STACK, 2), np.int64), 1, 0
    stack[0, 0], stack[0, 1] = 0, 0
    while top > 0:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if (i != j and not boxes_meet(boxes, i, boxes, j)) or _smooth(normals, i, j):
            continue
        under_i, under_j = np.int64(child[i]), np.int64(child[j])
        if i == j:
            if under_i >= 0:
                open_with_normals(side_io, ways, i)
                for m in range(3):
                    stack[top + m, 0], stack[top + m, 1] = under_i + (m > 1), under_i + (m > 0)
                top += 3
        elif under_i < 0 and under_j < 0:
            if n < pairs_out.shape[0]:
                pairs_out[n, 0], pairs_out[n, 1] = -1 - under_i, -1 - under_j
            n += 1
        elif under_j < 0 or (under_i >= 0 and box_size(boxes, i) >= box_size(boxes, j)):
            open_with_normals(side_io, ways, i)
            stack[top, 0], stack[top, 1] = under_i + 1, j
            stack[top + 1, 0], stack[top + 1, 1] = under_i, j
            top += 2
        else:
            open_with_normals(side_io, ways, j)
            stack[top, 0], stack[top, 1] = i, under_j + 1
            stack[top + 1, 0], stack[top + 1, 1] = i, under_j
            top += 2
    return n
