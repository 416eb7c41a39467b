"""A tree of axis-aligned boxes around the triangles of a skin, refitted whenever its vertices have moved.

A node is a leaf with one triangle (`child` is -1 - triangle) or has two children, `child` and `child + 1`, which come
after it in the tables. Boxes are rows (low x, y, z, high x, y, z). A skin that moves straight within a step stays in
the boxes around both ends of its motion.
"""

import numpy as np

from .._jit import inner_kernel, kernel
from ..math.vec_kernels import cross, norm, row, scale, sub

STACK = 256
# Cosine of the angle within which normals look alike.
_LOOK_ALIKE = 0.35


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
def _size(boxes, i):
    return boxes[i, 3] - boxes[i, 0] + boxes[i, 4] - boxes[i, 1] + boxes[i, 5] - boxes[i, 2]


@kernel
def triangle_pairs(first, second, pairs_out):
    """Pairs of triangles of two skins whose boxes meet; how many there are, of which as many as fit are written."""
    child_a, boxes_a = first
    child_b, boxes_b = second
    stack, top, n = np.empty((STACK, 2), np.int64), 1, 0
    stack[0, 0], stack[0, 1] = 0, 0
    while top > 0:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if not boxes_meet(boxes_a, i, boxes_b, j):
            continue
        under_i, under_j = np.int64(child_a[i]), np.int64(child_b[j])
        if under_i < 0 and under_j < 0:
            if n < pairs_out.shape[0]:
                pairs_out[n, 0], pairs_out[n, 1] = -1 - under_i, -1 - under_j
            n += 1
        elif under_j < 0 or (under_i >= 0 and _size(boxes_a, i) >= _size(boxes_b, j)):
            stack[top, 0], stack[top, 1] = under_i + 1, j
            stack[top + 1, 0], stack[top + 1, 1] = under_i, j
            top += 2
        else:
            stack[top, 0], stack[top, 1] = i, under_j + 1
            stack[top + 1, 0], stack[top + 1, 1] = i, under_j
            top += 2
    return n


@inner_kernel
def _unit_normal(table, triangles, t):
    """Unit normal of a triangle; 0 where it has no area."""
    a = row(table, triangles[t, 0])
    n = cross(sub(row(table, triangles[t, 1]), a), sub(row(table, triangles[t, 2]), a))
    size = norm(n)
    return scale(1.0 / size, n) if size > 0.0 else n


@kernel
def refit_normals(start, end, triangles, child, normals_out, end_out):
    """Boxes around the unit normals, at both ends of a motion, of the triangles under each node.

    `end_out` (m, 3) are the normals at its end.
    """
    for node in range(child.shape[0] - 1, -1, -1):
        under = np.int64(child[node])
        if under < 0:
            n, m = _unit_normal(start, triangles, -1 - under), _unit_normal(end, triangles, -1 - under)
            for k in range(3):
                normals_out[node, k], normals_out[node, k + 3] = min(n[k], m[k]), max(n[k], m[k])
                end_out[-1 - under, k] = m[k]
        else:
            for k in range(3):
                normals_out[node, k] = min(normals_out[under, k], normals_out[under + 1, k])
                normals_out[node, k + 3] = max(normals_out[under, k + 3], normals_out[under + 1, k + 3])


@kernel
def put_centre(vertices, frame_out):
    """Mean of the vertices, as the place (first row) of a body's frame (4, 3)."""
    a, b, c = 0.0, 0.0, 0.0
    for i in range(vertices.shape[0]):
        a, b, c = a + vertices[i, 0], b + vertices[i, 1], c + vertices[i, 2]
    n = max(1, vertices.shape[0])
    frame_out[0, 0], frame_out[0, 1], frame_out[0, 2] = a / n, b / n, c / n


@kernel
def to_frame(vertices, frame, local_out):
    """Vertices as told in a body's frame."""
    o = row(frame, 0)
    for i in range(vertices.shape[0]):
        x, y, z = sub(row(vertices, i), o)
        for d in range(3):
            local_out[i, d] = frame[1, d] * x + frame[2, d] * y + frame[3, d] * z


@kernel
def largest_changes(vertices, triangles, frame, known, normals):
    """By how much coordinates of vertices [m] and of unit normals differ from what was known, at most.

    `frame` (4, 3) is the place of a body's frame, and its rotation matrix; `known` and `normals` are told in it.
    """
    o, way, turn = row(frame, 0), 0.0, 0.0
    for i in range(vertices.shape[0]):
        x, y, z = sub(row(vertices, i), o)
        for d in range(3):
            way = max(way, abs(frame[1, d] * x + frame[2, d] * y + frame[3, d] * z - known[i, d]))
    for t in range(triangles.shape[0]):
        x, y, z = _unit_normal(vertices, triangles, t)
        for d in range(3):
            turn = max(turn, abs(frame[1, d] * x + frame[2, d] * y + frame[3, d] * z - normals[t, d]))
    return way, turn


@inner_kernel
def _smooth(normals, i, j, room):
    """Whether all normals under two nodes point to one side: parts of a closed skin that do never meet first.

    They may differ by `room` from what they are.
    """
    size2, least = 0.0, 0.0
    for k in range(3):
        low, high = min(normals[i, k], normals[j, k]) - room, max(normals[i, k + 3], normals[j, k + 3]) + room
        c = 0.5 * (low + high)
        size2 += c * c
        least += min(c * low, c * high)
    return least > _LOOK_ALIKE * np.sqrt(size2)


@kernel
def own_triangle_pairs(child, boxes, normals, room, pairs_out):
    """Pairs of triangles of one skin whose boxes meet and that may touch, each once; how many there are.

    Normals may differ by `room` from what they are.
    """
    stack, top, n = np.empty((4 * STACK, 2), np.int64), 1, 0
    stack[0, 0], stack[0, 1] = 0, 0
    while top > 0:
        top -= 1
        i, j = stack[top, 0], stack[top, 1]
        if (i != j and not boxes_meet(boxes, i, boxes, j)) or _smooth(normals, i, j, room):
            continue
        under_i, under_j = np.int64(child[i]), np.int64(child[j])
        if i == j:
            if under_i >= 0:
                for m in range(3):
                    stack[top + m, 0], stack[top + m, 1] = under_i + (m > 1), under_i + (m > 0)
                top += 3
        elif under_i < 0 and under_j < 0:
            if n < pairs_out.shape[0]:
                pairs_out[n, 0], pairs_out[n, 1] = -1 - under_i, -1 - under_j
            n += 1
        elif under_j < 0 or (under_i >= 0 and _size(boxes, i) >= _size(boxes, j)):
            stack[top, 0], stack[top, 1] = under_i + 1, j
            stack[top + 1, 0], stack[top + 1, 1] = under_i, j
            top += 2
        else:
            stack[top, 0], stack[top, 1] = i, under_j + 1
            stack[top + 1, 0], stack[top + 1, 1] = i, under_j
            top += 2
    return n
