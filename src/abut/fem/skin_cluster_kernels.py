"""Pairs of triangles of two skins whose boxes meet: trees whose boxes are fitted when they are looked at.

Where two skins touch, most of both is far away. Boxes are fitted around clusters of triangles at once, and above them;
what is below a cluster is fitted when it is opened.
"""

import numpy as np

from .._jit import inner_kernel, kernel, lean_kernel
from .skin_kernels import STACK, box_size, boxes_meet
from .skin_tables import Clusters, SkinParts

MOST_IN_CLUSTER = 32
"""Triangles."""


@kernel
def find_clusters(child, size_out, cluster_out):
    """How many triangles are under each node, and in which cluster each node is, -1 above; how many clusters."""
    count = 0
    for node in range(child.shape[0] - 1, -1, -1):
        under = child[node]
        size_out[node] = 1 if under < 0 else size_out[under] + size_out[under + 1]
        cluster_out[node] = -1
    for node in range(child.shape[0]):
        if cluster_out[node] < 0 and size_out[node] <= MOST_IN_CLUSTER:
            cluster_out[node], count = count, count + 1
        if child[node] >= 0:
            cluster_out[child[node]] = cluster_out[child[node] + 1] = cluster_out[node]
    return count


@lean_kernel
def _put_cluster_box(swept, vertices, pad, node, boxes_out):
    """The box around a cluster, from boxes around the ways of its vertices."""
    for k in range(3):
        boxes_out[node, k], boxes_out[node, k + 3] = np.inf, -np.inf
    for i in range(vertices.shape[0]):
        v = vertices[i]
        for k in range(3):
            boxes_out[node, k] = min(boxes_out[node, k], swept[v, k] - pad)
            boxes_out[node, k + 3] = max(boxes_out[node, k + 3], swept[v, k + 3] + pad)


@inner_kernel
def _put_box_of_two(one, node, boxes_io):
    """The box around two rows of boxes, one after the other."""
    for k in range(3):
        boxes_io[node, k] = min(boxes_io[one, k], boxes_io[one + 1, k])
        boxes_io[node, k + 3] = max(boxes_io[one, k + 3], boxes_io[one + 1, k + 3])


@lean_kernel
def fit_clusters(swept, pad, parts_io, clusters_io):
    """Fit boxes around clusters and above them, wider by `pad` [m]; `swept` (n, 6) are those of the skin's vertices."""
    parts, clusters = SkinParts(*parts_io), Clusters(*clusters_io)
    for c in range(clusters.node.shape[0]):
        vertices = clusters.vertex[clusters.first_vertex[c] : clusters.first_vertex[c + 1]]
        _put_cluster_box(swept, vertices, pad, clusters.node[c], parts.boxes)
        clusters.fitted[c] = False
    for t in range(clusters.top.shape[0]):
        node = clusters.top[t]
        _put_box_of_two(parts.child[node], node, parts.boxes)


@lean_kernel
def _fit_below(swept, pad, first, last, parts_io):
    """Fit the boxes of some nodes, which are all those under another one."""
    for i in range(last - 1, first - 1, -1):
        under = np.int64(parts_io.child[i])
        if under >= 0:
            _put_box_of_two(under, i, parts_io.boxes)
            continue
        t = -1 - under
        a, b, c = parts_io.own[t, 0], parts_io.own[t, 1], parts_io.own[t, 2]
        for k in range(3):
            parts_io.boxes[i, k] = min(swept[a, k], swept[b, k], swept[c, k]) - pad
            parts_io.boxes[i, k + 3] = max(swept[a, k + 3], swept[b, k + 3], swept[c, k + 3]) + pad


@lean_kernel
def open_node(side_io, node):
    """Fit boxes under a node that is a cluster, if they are not; whether that was done."""
    swept, pad, parts, clusters = side_io
    c = clusters.of_node[node]
    if c < 0 or clusters.fitted[c]:
        return False
    first = parts.child[node]
    _fit_below(swept, pad, first, first + clusters.below[c], parts)
    clusters.fitted[c] = True
    return True


@kernel
def triangle_pairs(first_io, second_io, pairs_out):
    """Pairs of triangles of two skins whose boxes meet; how many there are, of which as many as fit are written.

    Both sides are boxes around the ways of a skin's vertices, how much wider its boxes are [m], and `SkinParts` and
    `Clusters`, of which the latter have been fitted.
    """
    _, _, a, _ = first_io
    _, _, b, _ = second_io
    boxes_a, boxes_b = a.boxes, b.boxes
    stack, top, n = np.empty((STACK, 2), np.int64), 1, 0
    stack[0, 0], stack[0, 1] = 0, 0
    while top > 0:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if not boxes_meet(boxes_a, i, boxes_b, j):
            continue
        under_i, under_j = np.int64(a.child[i]), np.int64(b.child[j])
        if under_i < 0 and under_j < 0:
            if n < pairs_out.shape[0]:
                pairs_out[n, 0], pairs_out[n, 1] = -1 - under_i, -1 - under_j
            n += 1
        elif under_j < 0 or (under_i >= 0 and box_size(boxes_a, i) >= box_size(boxes_b, j)):
            open_node(first_io, i)
            stack[top, 0], stack[top, 1] = under_i + 1, j
            stack[top + 1, 0], stack[top + 1, 1] = under_i, j
            top += 2
        else:
            open_node(second_io, j)
            stack[top, 0], stack[top, 1] = i, under_j + 1
            stack[top + 1, 0], stack[top + 1, 1] = i, under_j
            top += 2
    return n
