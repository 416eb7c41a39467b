"""Where a surface meets itself beyond the corners and edges that its triangles share."""

import numpy as np

from ..._jit import kernel
from ...math.vec_kernels import cross, dot, row, sub
from ..triangles.intersect_kernels import APART, OVERLAP, TOUCH, triangle_relation

FOLD = 4


@kernel
def triangle_boxes(vertices, triangles, low_out, high_out):
    """Lowest and highest coordinates of each triangle."""
    for t in range(triangles.shape[0]):
        a, b, c = row(vertices, triangles[t, 0]), row(vertices, triangles[t, 1]), row(vertices, triangles[t, 2])
        for k in range(3):
            low_out[t, k] = min(a[k], b[k], c[k])
            high_out[t, k] = max(a[k], b[k], c[k])


@kernel
def _shared_corners(triangles, s, t):
    n = 0
    for i in range(3):
        for j in range(3):
            n += triangles[s, i] == triangles[t, j]
    return n


@kernel
def _normal(vertices, triangles, t):
    a = row(vertices, triangles[t, 0])
    return cross(sub(row(vertices, triangles[t, 1]), a), sub(row(vertices, triangles[t, 2]), a))


@kernel
def _meeting(vertices, triangles, s, t):
    """CROSS, OVERLAP (coplanar, facing one way), FOLD (a coplanar neighbour back to back), TOUCH or APART.

    Back to back triangles of surfaces that lie against each other only TOUCH. Triangles that share a corner or an edge
    touch there by right and count as APART unless they also cross, overlap or fold.
    """
    shared = _shared_corners(triangles, s, t)
    if shared == 3:
        return APART  # repeated triangles are found elsewhere
    relation = triangle_relation(
        row(vertices, triangles[s, 0]),
        row(vertices, triangles[s, 1]),
        row(vertices, triangles[s, 2]),
        row(vertices, triangles[t, 0]),
        row(vertices, triangles[t, 1]),
        row(vertices, triangles[t, 2]),
    )
    if relation == OVERLAP and dot(_normal(vertices, triangles, s), _normal(vertices, triangles, t)) < 0.0:
        relation = FOLD if shared == 2 else TOUCH
    return APART if relation == TOUCH and shared > 0 else relation


@kernel
def self_intersections(vertices, triangles, low, high, order, axis, pairs_out, kind_out):
    """Sweep along `axis` over triangles in the `order` of their lowest coordinate.

    Returns the number of pairs that meet; as many are written as there is room for.
    """
    n = order.shape[0]
    u, v = (axis + 1) % 3, (axis + 2) % 3
    boxes = np.empty((n, 6))
    for i in range(n):
        t = order[i]
        boxes[i, 0], boxes[i, 1] = low[t, axis], high[t, axis]
        boxes[i, 2], boxes[i, 3], boxes[i, 4], boxes[i, 5] = low[t, u], high[t, u], low[t, v], high[t, v]
    count = 0
    for i in range(n):
        end, u0, u1, v0, v1 = boxes[i, 1], boxes[i, 2], boxes[i, 3], boxes[i, 4], boxes[i, 5]
        for j in range(i + 1, n):
            if boxes[j, 0] > end:
                break
            if boxes[j, 2] > u1 or boxes[j, 3] < u0 or boxes[j, 4] > v1 or boxes[j, 5] < v0:
                continue
            kind = _meeting(vertices, triangles, order[i], order[j])
            if kind == APART:
                continue
            if count < pairs_out.shape[0]:
                pairs_out[count, 0], pairs_out[count, 1] = min(order[i], order[j]), max(order[i], order[j])
                kind_out[count] = kind
            count += 1
    return count
