"""Boxes around the normals of a skin's triangles during a motion, and which parts of it may meet each other.

A box is a row of eight numbers: the lowest components with the sign turned, 0, the highest components, 0. So a union is
the larger of two numbers eight times, which the processor takes at once. Triangles stand side by side in lanes, in rows
of a table: 0-5 both sides of each triangle at the start, 6-11 those at the end, and unit normals at the start (12-14),
at the end (15-17) and in between (18-20).
"""

from math import sqrt

import numpy as np

from .._jit import inner_kernel, kernel, lean_kernel
from .skin_cluster_kernels import open_node
from .skin_kernels import STACK, box_size, boxes_meet
from .skin_tables import Clusters, SkinParts

LANES, ROWS = 32, 21
SIDES_BEFORE, SIDES_AFTER, BEFORE, AFTER, BETWEEN = 0, 6, 12, 15, 18
BOX, HIGH = 8, 4
"""Numbers of a box of normals, and where the highest components begin."""
# Cosine of the angle within which normals look alike.
_LOOK_ALIKE = 0.35


@inner_kernel
def _load_sides(table, triangles, first, count, to, work):
    """The two sides at the first corner of each triangle, into six rows of the lanes."""
    for l in range(count):
        i, j, k = triangles[first + l, 0], triangles[first + l, 1], triangles[first + l, 2]
        for d in range(3):
            x = table[i, d]
            work[(to + d) * LANES + l], work[(to + 3 + d) * LANES + l] = table[j, d] - x, table[k, d] - x


@inner_kernel
def _unit_normals(count, a, b, to, work):
    """Unit normals of triangles with the sides in the rows from a and from b + 3, and those in a + 3 and b.

    0 where there is no area.
    """
    n = LANES
    p, q, r, s = a * n, (b + 3) * n, b * n, (a + 3) * n
    for l in range(count):
        ax, ay, az = work[p + l], work[p + n + l], work[p + 2 * n + l]
        bx, by, bz = work[q + l], work[q + n + l], work[q + 2 * n + l]
        cx, cy, cz = work[r + l], work[r + n + l], work[r + 2 * n + l]
        dx, dy, dz = work[s + l], work[s + n + l], work[s + 2 * n + l]
        x = (ay * bz - az * by) + (cy * dz - cz * dy)
        y = (az * bx - ax * bz) + (cz * dx - cx * dz)
        z = (ax * by - ay * bx) + (cx * dy - cy * dx)
        size2 = x * x + y * y + z * z
        share = 1.0 / sqrt(size2) if size2 > 0.0 else 0.0
        work[to * n + l], work[(to + 1) * n + l], work[(to + 2) * n + l] = share * x, share * y, share * z


@inner_kernel
def _put_boxes(first, count, work, box_out):
    """Boxes around the three normals of each of the lanes."""
    n = LANES
    for l in range(count):
        for d in range(3):
            x, y, z = work[(BEFORE + d) * n + l], work[(AFTER + d) * n + l], work[(BETWEEN + d) * n + l]
            box_out[first + l, d], box_out[first + l, HIGH + d] = max(-x, -y, -z), max(x, y, z)
        box_out[first + l, HIGH - 1], box_out[first + l, BOX - 1] = 0.0, 0.0


@inner_kernel
def _put_union(one, i, other, j, k, box_out):
    """The box around two others."""
    for c in range(BOX):
        x, y = one[i, c], other[j, c]
        box_out[k, c] = x if x > y else y


@kernel
def _box_normals(start, end, triangles, box_out):
    """Boxes (m, 8) around the unit normals of triangles during a motion.

    All normals of the motion are sums of those at its ends, and of one by one side at the start and one at the end,
    with factors above 0.
    """
    work, n = np.empty(ROWS * LANES), triangles.shape[0]
    for first in range(0, n, LANES):
        count = min(LANES, n - first)
        _load_sides(start, triangles, first, count, SIDES_BEFORE, work)
        _load_sides(end, triangles, first, count, SIDES_AFTER, work)
        _unit_normals(count, SIDES_BEFORE, SIDES_BEFORE, BEFORE, work)
        _unit_normals(count, SIDES_AFTER, SIDES_AFTER, AFTER, work)
        _unit_normals(count, SIDES_BEFORE, SIDES_AFTER, BETWEEN, work)
        _put_boxes(first, count, work, box_out)


@inner_kernel
def _put_union_of(triangles, box, node, box_out):
    """The box around those of some triangles."""
    for c in range(BOX):
        box_out[node, c] = -1.0
    for k in range(triangles.shape[0]):
        _put_union(box_out, node, box, triangles[k], node, box_out)


@kernel
def fit_cluster_normals(start, end, parts_io, clusters):
    """Boxes around the unit normals, during a motion, of triangles under clusters and of those that they touch.

    One triangle answers for a vertex or an edge that several share: where it looks away, another of them may not.
    """
    parts, clusters = SkinParts(*parts_io), Clusters(*clusters)
    _box_normals(start, end, parts.own, parts.of_triangle)
    for c in range(clusters.node.shape[0]):
        ring = clusters.ring[clusters.first_ring[c] : clusters.first_ring[c + 1]]
        _put_union_of(ring, parts.of_triangle, clusters.node[c], parts.normals)
    for t in range(clusters.top.shape[0]):
        node = clusters.top[t]
        under = parts.child[node]
        _put_union(parts.normals, under, parts.normals, under + 1, node, parts.normals)


@lean_kernel
def _fit_normals_below(first, last, parts_io, clusters):
    """The same of some nodes, which are all those under another one."""
    normals = parts_io.normals
    for node in range(last - 1, first - 1, -1):
        under = np.int64(parts_io.child[node])
        if under >= 0:
            _put_union(normals, under, normals, under + 1, node, normals)
            continue
        for c in range(BOX):
            normals[node, c] = -1.0
        for m in range(3):
            v = parts_io.own[-1 - under, m]
            for k in range(clusters.first_fan[v], clusters.first_fan[v + 1]):
                _put_union(normals, node, parts_io.of_triangle, clusters.fan[k], node, normals)


@lean_kernel
def open_with_normals(side_io, node):
    """Fit boxes and normals under a node that is a cluster, if they are not."""
    _, _, parts, clusters = side_io
    if open_node(side_io, node):
        first = parts.child[node]
        _fit_normals_below(first, first + clusters.below[clusters.of_node[node]], parts, clusters)


@inner_kernel
def _smooth(normals, i, j):
    """Whether all normals under two nodes point to one side: parts of a closed skin that do never meet first."""
    size2, least = 0.0, 0.0
    for k in range(3):
        low, high = -max(normals[i, k], normals[j, k]), max(normals[i, HIGH + k], normals[j, HIGH + k])
        c = 0.5 * (low + high)
        size2 += c * c
        least += min(c * low, c * high)
    return least > _LOOK_ALIKE * np.sqrt(size2)


@kernel
def own_triangle_pairs(side_io, pairs_out):
    """Pairs of triangles of one skin whose boxes meet and that may touch, each once; how many there are.

    As many as fit are written. `side_io` is as of `triangle_pairs`; normals of clusters have been fitted, too.
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
                open_with_normals(side_io, i)
                for m in range(3):
                    stack[top + m, 0], stack[top + m, 1] = under_i + (m > 1), under_i + (m > 0)
                top += 3
        elif under_i < 0 and under_j < 0:
            if n < pairs_out.shape[0]:
                pairs_out[n, 0], pairs_out[n, 1] = -1 - under_i, -1 - under_j
            n += 1
        elif under_j < 0 or (under_i >= 0 and box_size(boxes, i) >= box_size(boxes, j)):
            open_with_normals(side_io, i)
            stack[top, 0], stack[top, 1] = under_i + 1, j
            stack[top + 1, 0], stack[top + 1, 1] = under_i, j
            top += 2
        else:
            open_with_normals(side_io, j)
            stack[top, 0], stack[top, 1] = i, under_j + 1
            stack[top + 1, 0], stack[top + 1, 1] = i, under_j
            top += 2
    return n
