"""Building the binary tree over the triangles of a part.

SiLVIA section 2.2: the triangles of a node are divided by the plane through the mean of their reference points,
orthogonal to the principal axis that minimises the sum of the children's volumes. The principal
axes are those of the surface (Gottschalk 1996: second moments of the triangles, weighted by area). Nodes own
contiguous spans of triangles, which are sorted along; the two children of a node lie side by side. The tree
ends in single triangles.
"""

from math import sqrt

import numpy as np

from ..._jit import kernel
from ...math.vec_kernels import add, cross, dot, norm, norm2, orthonormal_basis, scale, sub, unit
from ..distance.triangle_pair_kernels import load_triangle
from .obb_kernels import put_box
from .volume_kernels import fit_volume

# A plate's children have no volume whichever way it is cut: this fraction of the node's size counts as thickness.
_THICKNESS = 0.1
# Squared sine of the angle below which what is left of a vector beside another is rounding.
_PARALLEL2 = 1e-20
_NEARLY_DIAGONAL = 1e-9
"""Of the diagonal: what is left beside it when axes are good enough."""


@kernel
def gather(vertices, triangles, corners_out):
    """Corner coordinates (n, 9) of the triangles."""
    for i in range(triangles.shape[0]):
        for k in range(3):
            for c in range(3):
                corners_out[i, 3 * k + c] = vertices[triangles[i, k], c]


@kernel
def measure(corners, origin, moments_out):
    """Per triangle: area, area times centroid, and the second moments xx xy xz yy yz zz about `origin`.

    Three more columns are for the reference point.
    """
    for i in range(corners.shape[0]):
        a, b, c = load_triangle(corners, i)
        a, b, c = sub(a, origin), sub(b, origin), sub(c, origin)
        area = 0.5 * norm(cross(sub(b, a), sub(c, a)))
        s = add(a, add(b, c))
        moments_out[i, 0] = area
        for k in range(3):
            moments_out[i, 1 + k] = area * s[k] / 3.0
        m = 4
        for k in range(3):
            for l in range(k, 3):
                moments_out[i, m] = area / 12.0 * (s[k] * s[l] + a[k] * a[l] + b[k] * b[l] + c[k] * c[l])
                m += 1


@kernel
def _reference(moments, i):
    """Reference point of a triangle."""
    return moments[i, 10], moments[i, 11], moments[i, 12]


@kernel
def _rotate(A_io, V_io, p, q):
    """One Jacobi rotation that clears A[p, q] of a symmetric matrix; V collects the eigenvectors as rows."""
    if A_io[p, q] == 0.0:
        return
    theta = 0.5 * (A_io[q, q] - A_io[p, p]) / A_io[p, q]
    t = 1.0 / (abs(theta) + sqrt(theta * theta + 1.0))
    if theta < 0.0:
        t = -t
    c = 1.0 / sqrt(t * t + 1.0)
    s = t * c
    for k in range(3):
        x, y = A_io[k, p], A_io[k, q]
        A_io[k, p], A_io[k, q] = c * x - s * y, s * x + c * y
    for k in range(3):
        x, y = A_io[p, k], A_io[q, k]
        A_io[p, k], A_io[q, k] = c * x - s * y, s * x + c * y
        x, y = V_io[p, k], V_io[q, k]
        V_io[p, k], V_io[q, k] = c * x - s * y, s * x + c * y


@kernel
def _principal_axes(sums, A_io, V_io):
    """Rows of `V_io`: orthonormal eigenvectors of the central second moments in `sums`."""
    w = 1.0 / sums[0] if sums[0] > 0.0 else 0.0
    m = 4
    for k in range(3):
        for l in range(k, 3):
            A_io[k, l] = sums[m] - sums[1 + k] * sums[1 + l] * w
            A_io[l, k] = A_io[k, l]
            m += 1
        for l in range(3):
            V_io[k, l] = 1.0 if k == l else 0.0
    # Four sweeps bring a 3x3 matrix to rounding; the axes need not be exact, only orthonormal.
    for _ in range(4):
        off = abs(A_io[0, 1]) + abs(A_io[0, 2]) + abs(A_io[1, 2])
        if off <= _NEARLY_DIAGONAL * (abs(A_io[0, 0]) + abs(A_io[1, 1]) + abs(A_io[2, 2])):
            break
        for p in range(2):
            for q in range(p + 1, 3):
                _rotate(A_io, V_io, p, q)
    return (V_io[0, 0], V_io[0, 1], V_io[0, 2]), (V_io[1, 0], V_io[1, 1], V_io[1, 2])


@kernel
def _frame(u, v):
    """Orthonormal axes with the first along `u` and the second in the plane of `u` and `v`, whatever they are."""
    u = unit(u)
    if norm2(u) == 0.0:
        return 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    v = unit(v)
    v = sub(v, scale(dot(u, v), u))
    if norm2(v) < _PARALLEL2:
        v, _ = orthonormal_basis(u)
    v = unit(v)
    v = unit(sub(v, scale(dot(u, v), u)))
    w = cross(u, v)
    return u[0], u[1], u[2], v[0], v[1], v[2], w[0], w[1], w[2]


@kernel
def _sum_rows(table, first, last, sums_out):
    """Sum of the rows first .. last - 1."""
    sums_out[:] = 0.0
    for i in range(first, last):
        for k in range(sums_out.shape[0]):
            sums_out[k] += table[i, k]


@kernel
def _extend(x, y, z, i, boxes_io):
    """Widen the three intervals of box `i` to include [x[0], x[1]] and so on."""
    boxes_io[i, 0, 0], boxes_io[i, 0, 1] = min(boxes_io[i, 0, 0], x[0]), max(boxes_io[i, 0, 1], x[1])
    boxes_io[i, 1, 0], boxes_io[i, 1, 1] = min(boxes_io[i, 1, 0], y[0]), max(boxes_io[i, 1, 1], y[1])
    boxes_io[i, 2, 0], boxes_io[i, 2, 1] = min(boxes_io[i, 2, 0], z[0]), max(boxes_io[i, 2, 1], z[1])


@kernel
def _scan(corners, moments, first, last, axes, middle, boxes_io):
    """Extents along `axes` of all triangles (boxes[6]) and of both sides of each cut (boxes[2 k], boxes[2 k + 1])."""
    boxes_io[:, :, 0] = np.inf
    boxes_io[:, :, 1] = -np.inf
    for i in range(first, last):
        a, b, c = load_triangle(corners, i)
        x = _along((axes[0], axes[1], axes[2]), a, b, c)
        y = _along((axes[3], axes[4], axes[5]), a, b, c)
        z = _along((axes[6], axes[7], axes[8]), a, b, c)
        r = _reference(moments, i)
        side = (
            0 if dot((axes[0], axes[1], axes[2]), r) < middle[0] else 1,
            2 if dot((axes[3], axes[4], axes[5]), r) < middle[1] else 3,
            4 if dot((axes[6], axes[7], axes[8]), r) < middle[2] else 5,
        )
        for k in range(3):
            _extend(x, y, z, side[k], boxes_io)
    for k in range(3):
        boxes_io[6, k, 0] = min(boxes_io[0, k, 0], boxes_io[1, k, 0])
        boxes_io[6, k, 1] = max(boxes_io[0, k, 1], boxes_io[1, k, 1])


@kernel
def _along(n, a, b, c):
    """Lowest and highest coordinate of a triangle along one axis."""
    x, y, z = dot(n, a), dot(n, b), dot(n, c)
    return min(x, min(y, z)), max(x, max(y, z))


@kernel
def _volume(boxes, i, pad):
    """Volume of one side, each length widened by `pad`; 0 for an empty side."""
    if boxes[i, 0, 0] > boxes[i, 0, 1]:
        return np.inf
    v = 1.0
    for k in range(3):
        v *= boxes[i, k, 1] - boxes[i, k, 0] + pad
    return v


@kernel
def _best_axis(boxes):
    """The cut whose two sides have the least volume together; -1 where each cut leaves a side empty."""
    pad = 0.0
    for k in range(3):
        pad = max(pad, _THICKNESS * (boxes[6, k, 1] - boxes[6, k, 0]))
    best, least = -1, np.inf
    for k in range(3):
        v = _volume(boxes, 2 * k, pad) + _volume(boxes, 2 * k + 1, pad)
        if v < least:
            best, least = k, v
    return best


@kernel
def _swap(table_io, i, j):
    for k in range(table_io.shape[1]):
        table_io[i, k], table_io[j, k] = table_io[j, k], table_io[i, k]


@kernel
def _partition(corners_io, moments_io, order_io, first, last, n, middle):
    """Sort triangles whose reference point is below `middle` along `n` to the front; where the others begin."""
    i, j = first, last
    while i < j:
        if dot(n, _reference(moments_io, i)) < middle:
            i += 1
        else:
            j -= 1
            _swap(corners_io, i, j)
            _swap(moments_io, i, j)
            order_io[i], order_io[j] = order_io[j], order_io[i]
    return i


@kernel
def _put_sorted_box(axes, boxes, i, rows_out):
    """Box of boxes[6], its longest side first and its shortest last, as a right-handed frame."""
    size = (boxes[6, 0, 1] - boxes[6, 0, 0], boxes[6, 1, 1] - boxes[6, 1, 0], boxes[6, 2, 1] - boxes[6, 2, 0])
    x = 0 if size[0] >= size[1] and size[0] >= size[2] else (1 if size[1] >= size[2] else 2)
    z = 2 if size[2] <= size[0] and size[2] <= size[1] else (1 if size[1] <= size[0] else 0)
    if x == z:
        x, z = 0, 2
    y = 3 - x - z
    centre = (0.0, 0.0, 0.0)
    for k in range(3):
        m = 0.5 * (boxes[6, k, 0] + boxes[6, k, 1])
        centre = add(centre, (m * axes[3 * k], m * axes[3 * k + 1], m * axes[3 * k + 2]))
    u = (axes[3 * x], axes[3 * x + 1], axes[3 * x + 2])
    v = (axes[3 * y], axes[3 * y + 1], axes[3 * y + 2])
    w = cross(u, v)
    half = (0.5 * size[x], 0.5 * size[y], 0.5 * size[z])
    put_box((u[0], u[1], u[2], v[0], v[1], v[2], w[0], w[1], w[2]), centre, half, i, rows_out)


@kernel
def _spread2(u, v, w):
    """Squared diagonal of the box along `u` of the triangle with sides u, v, w; infinite for a side of no length."""
    u2 = norm2(u)
    if u2 == 0.0:
        return np.inf
    before, after = max(0.0, dot(u, v)), max(0.0, dot(u, w))
    along = u2 + before + after
    return (along * along + norm2(cross(u, v))) / u2


@kernel
def _put_leaf_box(corners, t, boxes_io, i, rows_out):
    """Box of a single triangle: along the side for which its diagonal is the shortest, flat along its normal.

    Half of a rectangle then has the box of the rectangle, and not one that juts out over its sides.
    """
    a, b, c = load_triangle(corners, t)
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    x, y, z = _spread2(ab, bc, ca), _spread2(bc, ca, ab), _spread2(ca, ab, bc)
    u, v = (ab, bc) if x <= y and x <= z else ((bc, ca) if y <= z else (ca, ab))
    axes = _frame(u, v)
    for k in range(3):
        n = (axes[3 * k], axes[3 * k + 1], axes[3 * k + 2])
        boxes_io[6, k, 0], boxes_io[6, k, 1] = _along(n, a, b, c)
    _put_sorted_box(axes, boxes_io, i, rows_out)


@kernel
def build_tree(corners_io, moments_io, order_io, child_out, span_out, rows_out):
    """Sort the triangles into a tree and fit its boxes; returns the depth of the tree.

    `corners_io`, `moments_io` and `order_io` are sorted in place; child_out[i] is the first child of node i or -1 - t
    for triangle t; span_out[i] the triangles [first, last) of node i.
    """
    n = corners_io.shape[0]
    todo = np.empty((n + 1, 2), np.int32)
    sums, A, V, boxes = np.empty(10), np.empty((3, 3)), np.empty((3, 3)), np.empty((7, 3, 2))
    todo[0, 0], todo[0, 1] = 0, 1
    span_out[0, 0], span_out[0, 1] = 0, n
    top, count, deepest = 1, 1, 1
    while top > 0:
        top -= 1
        # One integer type for all callees, or each is compiled twice.
        node, depth = np.int64(todo[top, 0]), todo[top, 1]
        first, last = np.int64(span_out[node, 0]), np.int64(span_out[node, 1])
        deepest = max(deepest, depth)
        if last - first == 1:
            child_out[node] = -1 - first
            _put_leaf_box(corners_io, first, boxes, node, rows_out)
            continue
        _sum_rows(moments_io, first, last, sums)
        u, v = _principal_axes(sums, A, V)
        axes = _frame(u, v)
        cut = _cut(corners_io, moments_io, order_io, first, last, axes, boxes)
        _put_sorted_box(axes, boxes, node, rows_out)
        child_out[node] = count
        span_out[count, 0], span_out[count, 1] = first, cut
        span_out[count + 1, 0], span_out[count + 1, 1] = cut, last
        todo[top, 0], todo[top, 1] = count + 1, depth + 1
        todo[top + 1, 0], todo[top + 1, 1] = count, depth + 1
        top += 2
        count += 2
    return deepest


@kernel
def _mean(moments, first, last):
    """Mean of the reference points."""
    s = (0.0, 0.0, 0.0)
    for i in range(first, last):
        s = add(s, _reference(moments, i))
    return scale(1.0 / (last - first), s)


@kernel
def _cut(corners_io, moments_io, order_io, first, last, axes, boxes_io):
    """Divide a node's triangles and leave its extents in boxes[6]; where the second half begins."""
    m = _mean(moments_io, first, last)
    middle = (
        axes[0] * m[0] + axes[1] * m[1] + axes[2] * m[2],
        axes[3] * m[0] + axes[4] * m[1] + axes[5] * m[2],
        axes[6] * m[0] + axes[7] * m[1] + axes[8] * m[2],
    )
    _scan(corners_io, moments_io, first, last, axes, middle, boxes_io)
    k = _best_axis(boxes_io)
    # Triangles that share a reference point cannot be told apart by any plane: halve the list.
    cut = first
    if k >= 0:
        cut = _partition(
            corners_io, moments_io, order_io, first, last, (axes[3 * k], axes[3 * k + 1], axes[3 * k + 2]), middle[k]
        )
    return cut if first < cut < last else (first + last) // 2


@kernel
def fit_volumes(kind, corners, span, boxes, rows_out):
    """Volumes of any kind for a tree whose oriented boxes are known."""
    for i in range(span.shape[0]):
        fit_volume(kind, corners, np.int64(span[i, 0]), np.int64(span[i, 1]), boxes, i, rows_out)
