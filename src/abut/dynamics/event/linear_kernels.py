"""Linear systems whose equations may depend on each other: redundant hinges have forces, one choice of many."""

from math import sqrt

from ..._jit import inner_kernel, lean_kernel

SURELY_LEFT = 1e-7
"""Share of a diagonal that is left of it where equations do not depend on each other."""
RANK_TOLERANCE = 1e-11
"""Pivots below this share of 1, after scaling to a diagonal of 1, are those of equations that follow from others."""


@lean_kernel
def _scale(matrix_io, right_io, n, size_out):
    for i in range(n):
        size_out[i] = 1.0 / sqrt(abs(matrix_io[i, i])) if matrix_io[i, i] != 0.0 else 1.0
    for i in range(n):
        right_io[i] *= size_out[i]
        for j in range(n):
            matrix_io[i, j] *= size_out[i] * size_out[j]


@lean_kernel
def _largest(matrix, first, n):
    """Row and column of the largest entry from `first` on, and its size."""
    row, column, largest = first, first, -1.0
    for i in range(first, n):
        for j in range(first, n):
            if abs(matrix[i, j]) > largest:
                row, column, largest = i, j, abs(matrix[i, j])
    return row, column, largest


@lean_kernel
def _bring_pivot(matrix_io, right_io, n, k, row, column, order_io):
    if row != k:
        right_io[k], right_io[row] = right_io[row], right_io[k]
        for j in range(n):
            matrix_io[k, j], matrix_io[row, j] = matrix_io[row, j], matrix_io[k, j]
    if column != k:
        order_io[k], order_io[column] = order_io[column], order_io[k]
        for i in range(n):
            matrix_io[i, k], matrix_io[i, column] = matrix_io[i, column], matrix_io[i, k]


@lean_kernel
def _eliminate(matrix_io, right_io, n, k):
    for i in range(k + 1, n):
        factor = matrix_io[i, k] / matrix_io[k, k]
        if factor == 0.0:
            continue
        right_io[i] -= factor * right_io[k]
        for j in range(k, n):
            matrix_io[i, j] -= factor * matrix_io[k, j]


@lean_kernel
def solve_dependent(matrix_io, right_io, n, order_io, size_io, x_out):
    """Solve A x = b with full pivoting; unknowns of equations that follow from others are 0. Returns the rank.

    Matrix and right side are used up.
    """
    _scale(matrix_io, right_io, n, size_io)
    for i in range(n):
        order_io[i], x_out[i] = i, 0.0
    rank = n
    for k in range(n):
        row, column, largest = _largest(matrix_io, k, n)
        if not largest > RANK_TOLERANCE:
            rank = k
            break
        _bring_pivot(matrix_io, right_io, n, k, row, column, order_io)
        _eliminate(matrix_io, right_io, n, k)
    for k in range(rank - 1, -1, -1):
        s = right_io[k]
        for j in range(k + 1, rank):
            s -= matrix_io[k, j] * x_out[order_io[j]]
        x_out[order_io[k]] = s / matrix_io[k, k]
    for i in range(n):
        x_out[i] *= size_io[i]
    return rank


@inner_kernel
def _copy_lower(matrix, right, n, factor_out, x_out):
    for i in range(n):
        x_out[i] = right[i]
        for j in range(i + 1):
            factor_out[i, j] = matrix[i, j]


@inner_kernel
def _pivot(matrix, k, left):
    """Inverse of what is left of a diagonal; 0 if that may be nothing."""
    return 1.0 / left if left > SURELY_LEFT * matrix[k, k] else 0.0


@inner_kernel
def _eliminate_one(matrix, n, k, factor_io, x_io):
    """Take unknown k out of the equations behind it; whether it does not depend on those before."""
    inverse = _pivot(matrix, k, factor_io[k, k])
    factor_io[k, k] = inverse
    for i in range(k + 1, n):
        factor_io[k, i] = factor_io[i, k]
        factor_io[i, k] *= inverse
        x_io[i] -= factor_io[i, k] * x_io[k]
        for j in range(k + 1, i + 1):
            factor_io[i, j] -= factor_io[i, k] * factor_io[k, j]
    return inverse > 0.0


@inner_kernel
def _eliminate_three(matrix, n, k, factor_io, x_io):
    """The same of three unknowns, whose numbers stay in registers: one after the other, each would wait for memory."""
    a, b, c = k, k + 1, k + 2
    p = _pivot(matrix, a, factor_io[a, a])
    ba, ca = factor_io[b, a] * p, factor_io[c, a] * p
    q = _pivot(matrix, b, factor_io[b, b] - ba * factor_io[b, a])
    u = factor_io[c, b] - ca * factor_io[b, a]
    cb = u * q
    r = _pivot(matrix, c, factor_io[c, c] - ca * factor_io[c, a] - cb * u)
    x, y = x_io[a], x_io[b] - ba * x_io[a]
    z = x_io[c] - ca * x - cb * y
    x_io[b], x_io[c] = y, z
    factor_io[a, a], factor_io[b, b], factor_io[c, c] = p, q, r
    factor_io[b, a], factor_io[c, a], factor_io[c, b] = ba, ca, cb
    for i in range(k + 3, n):
        u = factor_io[i, a]
        v = factor_io[i, b] - u * ba
        w = factor_io[i, c] - u * ca - v * cb
        factor_io[a, i], factor_io[b, i], factor_io[c, i] = u, v, w
        u, v, w = u * p, v * q, w * r
        factor_io[i, a], factor_io[i, b], factor_io[i, c] = u, v, w
        x_io[i] -= u * x + v * y + w * z
        for j in range(k + 3, i + 1):
            factor_io[i, j] -= u * factor_io[a, j] + v * factor_io[b, j] + w * factor_io[c, j]
    return p > 0.0 and q > 0.0 and r > 0.0


@inner_kernel
def solve_symmetric(matrix, right, n, factor_io, x_out):
    """Solve A x = b with a symmetric matrix whose equations do not depend on each other; False if they may.

    By factors L D L^T: below the diagonal stands L, on it 1 / D, above it D L^T. Matrix and right side stay.
    """
    _copy_lower(matrix, right, n, factor_io, x_out)
    k = 0
    while k < n:
        if k + 3 <= n:
            if not _eliminate_three(matrix, n, k, factor_io, x_out):
                return False
            k += 3
        else:
            if not _eliminate_one(matrix, n, k, factor_io, x_out):
                return False
            k += 1
    for i in range(n - 1, -1, -1):
        s = x_out[i] * factor_io[i, i]
        for k in range(i + 1, n):
            s -= factor_io[k, i] * x_out[k]
        x_out[i] = s
    return True
