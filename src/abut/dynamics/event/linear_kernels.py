"""Linear systems whose equations may depend on each other: redundant hinges have forces, one choice of many."""

from math import sqrt

from ..._jit import lean_kernel

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


@lean_kernel
def solve_symmetric(matrix, right, n, factor_io, x_out):
    """Solve A x = b with a symmetric matrix whose equations do not depend on each other; False if they may.

    By the square root of the matrix (Cholesky); matrix and right side stay.
    """
    for i in range(n):
        for j in range(i + 1):
            s = matrix[i, j]
            for k in range(j):
                s -= factor_io[i, k] * factor_io[j, k]
            if j < i:
                factor_io[i, j] = s / factor_io[j, j]
            elif s > SURELY_LEFT * matrix[i, i]:
                factor_io[i, i] = sqrt(s)
            else:
                return False
    for i in range(n):
        s = right[i]
        for k in range(i):
            s -= factor_io[i, k] * x_out[k]
        x_out[i] = s / factor_io[i, i]
    for i in range(n - 1, -1, -1):
        s = x_out[i]
        for k in range(i + 1, n):
            s -= factor_io[k, i] * x_out[k]
        x_out[i] = s / factor_io[i, i]
    return True
