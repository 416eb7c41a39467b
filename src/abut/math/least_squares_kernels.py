"""Least squares of small dense systems: the shortest of all best answers, by Householder's reflections in one thread.

The columns of a matrix are taken in the order of what is left of them, A P = Q [R S], until nothing is left but
rounding; what then stands right of the triangle R is reflected into it, [R S] = [T 0] Z.
"""

from math import sqrt

import numpy as np

from .._jit import kernel, lean_kernel


@lean_kernel
def _largest_left(columns, k):
    """Which of the columns from k on is the longest below row k, and its length."""
    best, longest = k, -1.0
    for j in range(k, columns.shape[0]):
        length2 = 0.0
        for i in range(k, columns.shape[1]):
            length2 += columns[j, i] * columns[j, i]
        if length2 > longest:
            best, longest = j, length2
    return best, sqrt(max(longest, 0.0))


@lean_kernel
def _swap(columns_io, order_io, j, k):
    order_io[j], order_io[k] = order_io[k], order_io[j]
    for i in range(columns_io.shape[1]):
        columns_io[j, i], columns_io[k, i] = columns_io[k, i], columns_io[j, i]


@lean_kernel
def _reflect(v, first, factor, target_io):
    """Target -= factor (v . target) v, from entry `first` on."""
    total = 0.0
    for i in range(first, v.shape[0]):
        total += v[i] * target_io[i]
    total *= factor
    for i in range(first, v.shape[0]):
        target_io[i] -= total * v[i]


@lean_kernel
def _triangulate(columns_io, right_io, order_io, diagonal_io, cutoff):
    """Reflect the columns into a triangle, whose diagonal stands apart; returns its rank."""
    n, m = columns_io.shape
    largest = 0.0
    for k in range(min(n, m)):
        j, length = _largest_left(columns_io, k)
        largest = max(largest, length)
        if not length > cutoff * largest:
            return k
        _swap(columns_io, order_io, j, k)
        diagonal_io[k] = -length if columns_io[k, k] >= 0.0 else length
        columns_io[k, k] -= diagonal_io[k]
        factor = 1.0 / (length * abs(columns_io[k, k]))
        for other in range(k + 1, n):
            _reflect(columns_io[k], k, factor, columns_io[other])
        _reflect(columns_io[k], k, factor, right_io)
    return min(n, m)


@lean_kernel
def _reflect_rest(columns_io, diagonal_io, rank, head_io, factor_io):
    """Reflect what stands right of the triangle into it, row by row from the last; _shortest does the same."""
    n = columns_io.shape[0]
    for k in range(rank - 1, -1, -1):
        length2 = diagonal_io[k] * diagonal_io[k]
        for j in range(rank, n):
            length2 += columns_io[j, k] * columns_io[j, k]
        end = -sqrt(length2) if diagonal_io[k] >= 0.0 else sqrt(length2)
        head_io[k], diagonal_io[k] = diagonal_io[k] - end, end
        factor_io[k] = 1.0 / (sqrt(length2) * abs(head_io[k]))
        for i in range(k):
            total = head_io[k] * columns_io[k, i]
            for j in range(rank, n):
                total += columns_io[j, k] * columns_io[j, i]
            total *= factor_io[k]
            columns_io[k, i] -= total * head_io[k]
            for j in range(rank, n):
                columns_io[j, i] -= total * columns_io[j, k]


@lean_kernel
def _shortest(columns, rank, head, factor, y_io):
    """The same reflections of the answer, in reverse."""
    n = columns.shape[0]
    for k in range(rank):
        total = head[k] * y_io[k]
        for j in range(rank, n):
            total += columns[j, k] * y_io[j]
        total *= factor[k]
        y_io[k] -= total * head[k]
        for j in range(rank, n):
            y_io[j] -= total * columns[j, k]


@kernel
def least_squares(matrix, right, cutoff, x_out):
    """The shortest x for which |matrix x - right| is least; returns the rank.

    Columns of which less than a share `cutoff` of the longest is left count as combinations of others.
    """
    columns, y = matrix.T.copy(), np.zeros(matrix.shape[1])
    c, order, diagonal = right.copy(), np.arange(matrix.shape[1]), np.zeros(matrix.shape[1])
    rank = _triangulate(columns, c, order, diagonal, cutoff)
    head, factor = np.zeros(rank), np.zeros(rank)
    if rank < columns.shape[0]:
        _reflect_rest(columns, diagonal, rank, head, factor)
    for k in range(rank - 1, -1, -1):
        total = c[k]
        for j in range(k + 1, rank):
            total -= columns[j, k] * y[j]
        y[k] = total / diagonal[k]
    if rank < columns.shape[0]:
        _shortest(columns, rank, head, factor, y)
    for j in range(order.shape[0]):
        x_out[order[j]] = y[j]
    return rank
