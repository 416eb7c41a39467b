"""A tree of axis-aligned boxes around the triangles of a skin, refitted whenever its vertices have moved.

A node is a leaf with one triangle (`child` is -1 - triangle) or has two children, `child` and `child + 1`, which come
after it in the tables. Boxes are rows (low x, y, z, high x, y, z). A skin that moves straight within a step stays in
the boxes around both ends of its motion.
"""

import numpy as np

from .._jit import inner_kernel, kernel

STACK = 256


@inner_kernel
def _middle(vertices, triangles, t, k):
    """Three times the coordinate `k` of a triangle's centre."""
    return vertices[triangles[t, 0], k] + vertices[triangles[t, 1], k] + vertices[triangles[t, 2], k]


@kernel
def _longest_axis(vertices, triangles, order, first, last):
    """The axis along which the centres of some triangles are spread farthest."""
    best, longest = 0, -1.0
    for k in range(3):
        low, high = np.inf, -np.inf
        for i in range(first, last):
            m = _middle(vertices, triangles, order[i], k)
            low, high = min(low, m), max(high, m)
        if high - low > longest:
            best, longest = k, high - low
    return best


@kernel
def build_boxes(vertices, triangles, order_out, child_out):
    """Sort the triangles of a skin into a tree, halved along the longest axis; the number of its nodes."""
    n = triangles.shape[0]
    span, todo, keys = np.empty((max(2 * n - 1, 1), 2), np.int64), np.empty(n + 1, np.int64), np.empty(n)
    for i in range(n):
        order_out[i] = i
    if n == 0:
        return 0
    span[0, 0], span[0, 1], todo[0] = 0, n, 0
    top, count = 1, 1
    while top > 0:
        top -= 1
        node = todo[top]
        first, last = span[node, 0], span[node, 1]
        if last - first == 1:
            child_out[node] = -1 - order_out[first]
            continue
        k = _longest_axis(vertices, triangles, order_out, first, last)
        for i in range(first, last):
            keys[i - first] = _middle(vertices, triangles, order_out[i], k)
        _sort_by(keys, first, last, order_out)
        cut = (first + last) // 2
        child_out[node] = count
        span[count, 0], span[count, 1] = first, cut
        span[count + 1, 0], span[count + 1, 1] = cut, last
        todo[top], todo[top + 1] = count + 1, count
        top, count = top + 2, count + 2
    return count


@kernel
def _sort_by(keys, first, last, order_io):
    """Sort a stretch of `order_io` by its keys; equal ones stay in order."""
    n = last - first
    place = np.argsort(keys[:n], kind="mergesort")
    old = np.empty(n, np.int64)
    for i in range(n):
        old[i] = order_io[first + i]
    for i in range(n):
        order_io[first + i] = old[place[i]]


@kernel
def sweep_vertices(start, end, swept_out):
    """(n, 6) boxes around the ways of vertices."""
    for i in range(start.shape[0]):
        for k in range(3):
            x, y = start[i, k], end[i, k]
            swept_out[i, k], swept_out[i, k + 3] = min(x, y), max(x, y)


@kernel
def sweep_beside(start, end, swept_out):
    """The same as seen by someone who moves as the vertices do on average; returns that motion."""
    n, moved = start.shape[0], (0.0, 0.0, 0.0)
    for i in range(n):
        moved = (
            moved[0] + end[i, 0] - start[i, 0],
            moved[1] + end[i, 1] - start[i, 1],
            moved[2] + end[i, 2] - start[i, 2],
        )
    moved = moved[0] / n, moved[1] / n, moved[2] / n
    for i in range(n):
        for k in range(3):
            x, y = start[i, k], end[i, k] - moved[k]
            swept_out[i, k], swept_out[i, k + 3] = min(x, y), max(x, y)
    return moved


@kernel
def refit_boxes(start, end, triangles, child, pad, boxes_out):
    """Boxes around triangles whose vertices move straight from `start` to `end`, wider by `pad` [m] on every side."""
    swept = np.empty((start.shape[0], 6))
    sweep_vertices(start, end, swept)
    refit_swept(swept, triangles, child, pad, boxes_out)


@kernel
def refit_swept(swept, triangles, child, pad, boxes_out):
    """The same from boxes (n, 6) around the ways of vertices."""
    for node in range(child.shape[0] - 1, -1, -1):
        under = np.int64(child[node])
        if under < 0:
            t = -1 - under
            i, j, l = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            for k in range(3):
                boxes_out[node, k] = min(swept[i, k], swept[j, k], swept[l, k]) - pad
                boxes_out[node, k + 3] = max(swept[i, k + 3], swept[j, k + 3], swept[l, k + 3]) + pad
        else:
            for k in range(3):
                boxes_out[node, k] = min(boxes_out[under, k], boxes_out[under + 1, k])
                boxes_out[node, k + 3] = max(boxes_out[under, k + 3], boxes_out[under + 1, k + 3])


@inner_kernel
def boxes_meet(boxes_a, i, boxes_b, j):
    """Whether two rows of boxes have a common point."""
    for k in range(3):
        if boxes_a[i, k] > boxes_b[j, k + 3] or boxes_b[j, k] > boxes_a[i, k + 3]:
            return False
    return True


@kernel
def triangles_in_box(child, boxes, box, found_out):
    """Triangles whose boxes meet `box` (1, 6); how many there are."""
    stack, top, n = np.empty(STACK, np.int64), 1, 0
    stack[0] = 0
    while top > 0:
        top -= 1
        node = stack[top]
        if not boxes_meet(boxes, node, box, 0):
            continue
        under = np.int64(child[node])
        if under < 0:
            found_out[n] = -1 - under
            n += 1
        else:
            stack[top], stack[top + 1] = under + 1, under
            top += 2
    return n


@inner_kernel
def box_size(boxes, i):
    """Sum of the sides of a box."""
    return boxes[i, 3] - boxes[i, 0] + boxes[i, 4] - boxes[i, 1] + boxes[i, 5] - boxes[i, 2]
