"""Discrete oriented polytopes, k-DOPs (Held, Klosowski, Mitchell 1996; Zachmann 1998), with k = 6, 14, 18 and 26.

A row holds lowest and highest value of the node's points along each of k / 2 fixed directions of the part. k =
6 is the axis-aligned box. The directions are an excerpt [first, last) of one list: 6 edges, 3 axes and 4
corners of a cube.

Under a rotation, the directions of one part are not those of the other. Where `d` is a sum of directions of
the other part with weights >= 0, the same sum of their extents bounds its extent along `d`; the weights are
found once a query and kept in a `table` (2, 13, 8): for direction d of A in B and of B in A the signed slots
and weights of three directions, the offset of the other part's origin along d, and the squared length of d.
"""

import numpy as np

from ..._jit import lean_kernel
from ...math.vec_kernels import add, dot, mat_t_vec, mat_vec, norm2
from ..distance.triangle_pair_kernels import load_triangle
from .obb_kernels import ROUNDED_OUT

DIRECTIONS = np.array(
    [
        *((1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1)),
        *((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        *((1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1)),
    ],
    np.float64,
)
WIDTH = 26
_THICKER = 0.1
"""Of the longest side of a box: how much thicker it counts, so that flat ones have a volume."""


@lean_kernel
def directions_of(k):
    """The excerpt of the list that belongs to k-DOPs."""
    return 0 if k == 18 or k == 26 else 6, 13 if k == 14 or k == 26 else 9


@lean_kernel
def _direction(j):
    return DIRECTIONS[j, 0], DIRECTIONS[j, 1], DIRECTIONS[j, 2]


@lean_kernel
def fit(k, corners, first, last, i, rows_out):
    """Extents of the triangles first .. last - 1."""
    begin, end = directions_of(k)
    for j in range(begin, end):
        d, low, high = _direction(j), np.inf, -np.inf
        for t in range(first, last):
            A = load_triangle(corners, t)
            x, y, z = dot(d, A[0]), dot(d, A[1]), dot(d, A[2])
            low, high = min(low, x, y, z), max(high, x, y, z)
        slack = ROUNDED_OUT * max(abs(low), abs(high))
        rows_out[i, 2 * j], rows_out[i, 2 * j + 1] = low - slack, high + slack


@lean_kernel
def size(rows, i):
    """What decides which of two nodes is divided: the volume of the axis-aligned box, a tenth thicker."""
    x, y, z = rows[i, 13] - rows[i, 12], rows[i, 15] - rows[i, 14], rows[i, 17] - rows[i, 16]
    pad = _THICKER * max(x, y, z)
    return (x + pad) * (y + pad) * (z + pad)


@lean_kernel
def _put_term(v, weight, term, which, j, table_out):
    """Term number `term`: the direction `v`, with its slot in the list counted from 1 and signed."""
    for slot in range(DIRECTIONS.shape[0]):
        product = dot(_direction(slot), v)
        if abs(product) == norm2(v) and norm2(_direction(slot)) == norm2(v):
            table_out[which, j, term] = (slot + 1.0) if product > 0.0 else -(slot + 1.0)
    table_out[which, j, 3 + term] = weight


@lean_kernel
def _unit_axis(i, v):
    """Axis `i` with the sign of v[i]."""
    s = -1.0 if v[i] < 0.0 else 1.0
    return (s if i == 0 else 0.0, s if i == 1 else 0.0, s if i == 2 else 0.0)


@lean_kernel
def _by_size(v):
    """Axes of the largest, middle and smallest component."""
    x, y, z = abs(v[0]), abs(v[1]), abs(v[2])
    i = 0 if x >= y and x >= z else (1 if y >= z else 2)
    k = 2 if z <= x and z <= y and i != 2 else (1 if y <= x and i != 1 else 0)
    if k == i:
        k = (i + 1) % 3
    return i, 3 - i - k, k


@lean_kernel
def _decompose(k, v, which, j, table_out):
    """Write `v` as a sum of three directions of the list, with weights >= 0.

    With a >= b >= c the sizes of its components: the chambers of the cube's barycentric subdivision for k =
    26, and their like for the shorter lists.
    """
    x, y, z = _by_size(v)
    a, b, c = abs(v[x]), abs(v[y]), abs(v[z])
    X, Y, Z = _unit_axis(x, v), _unit_axis(y, v), _unit_axis(z, v)
    XY = add(X, Y)
    if k == 6:
        terms = (X, Y, Z, a, b, c)
    elif k == 14:
        terms = (X, add(XY, Z), add(XY, (-Z[0], -Z[1], -Z[2])), a - b, 0.5 * (b + c), 0.5 * (b - c))
    elif k == 26:
        terms = (X, XY, add(XY, Z), a - b, b - c, c)
    elif a >= b + c:
        terms = (X, XY, add(X, Z), a - b - c, b, c)
    else:
        terms = (XY, add(X, Z), add(Y, Z), 0.5 * (a + b - c), 0.5 * (a + c - b), 0.5 * (b + c - a))
    _put_term(terms[0], terms[3], 0, which, j, table_out)
    _put_term(terms[1], terms[4], 1, which, j, table_out)
    _put_term(terms[2], terms[5], 2, which, j, table_out)


@lean_kernel
def prepare(k, X, table_out):
    """Fill the table of a query."""
    begin, end = directions_of(k)
    for j in range(begin, end):
        d = _direction(j)
        _decompose(k, mat_t_vec(X.R, d), 0, j, table_out)
        _decompose(k, mat_vec(X.R, d), 1, j, table_out)
        table_out[0, j, 6] = dot(d, X.p)
        table_out[1, j, 6] = -dot(mat_vec(X.R, d), X.p)
        table_out[0, j, 7] = table_out[1, j, 7] = norm2(d)


@lean_kernel
def _far_extent(rows, i, table, which, j):
    """Extent of row `i` of the far part along direction `j` of the near one."""
    low = high = table[which, j, 6]
    for term in range(3):
        slot, weight = int(table[which, j, term]), table[which, j, 3 + term]
        if slot > 0:
            low += weight * rows[i, 2 * slot - 2]
            high += weight * rows[i, 2 * slot - 1]
        else:
            low -= weight * rows[i, -2 * slot - 1]
            high -= weight * rows[i, -2 * slot - 2]
    return low, high


@lean_kernel
def _one_way2(k, near, i, far, j, table, which):
    """Lower bound of the squared distance by the directions of one of the parts."""
    begin, end = directions_of(k)
    boxed2, best2 = 0.0, 0.0
    for d in range(begin, end):
        low, high = _far_extent(far, j, table, which, d)
        gap = max(low - near[i, 2 * d + 1], near[i, 2 * d] - high, 0.0)
        gap2 = gap * gap / table[which, d, 7]
        best2 = max(best2, gap2)
        if 6 <= d and d < 9:
            boxed2 += gap2  # the axes are orthonormal: the squares of the gaps along them add up
    return max(best2, boxed2)


@lean_kernel
def bound2(k, rows_a, a, rows_b, b, table, enough2):
    """Lower bound of the squared distance, and the squared distance of the centres of the axis-aligned boxes."""
    bound = _one_way2(k, rows_a, a, rows_b, b, table, 0)
    if bound < enough2:
        bound = max(bound, _one_way2(k, rows_b, b, rows_a, a, table, 1))
    centres2 = 0.0
    for d in range(6, 9):
        low, high = _far_extent(rows_b, b, table, 0, d)
        offset = 0.5 * (low + high - rows_a[a, 2 * d] - rows_a[a, 2 * d + 1])
        centres2 += offset * offset
    return bound, centres2
