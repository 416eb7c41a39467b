"""Factors L D Lᵀ of a symmetric matrix of 3 x 3 blocks in a given pattern: that of the matrix, or a complete one.

Columns are found from left to right; a linked list keeps, for each column, the earlier ones that reach into its row. In
the end blocks are written column by column, as those of the matrix are.
"""

import numpy as np

from ..._jit import NO_PRODUCTS, QUAD, add_block, dot_block, inner_kernel, kernel, lean_kernel, put_less
from ...math.dense_kernels import inverse3
from ...math.vec_kernels import load_mat, mat_mul, mat_vec, put_mat, row
from .elastic_tables import Matrix, Pattern


@lean_kernel
def _load_factor(pattern, block, shift, factor_out):
    """The matrix in the pattern of the factor, its diagonal larger by the share `shift`."""
    for s in range(factor_out.shape[0]):
        for k in range(3):
            for l in range(3):
                factor_out[s, k, l] = 0.0
    for s in range(block.shape[0]):
        t = pattern.factor_slot[s]
        for k in range(3):
            for l in range(3):
                factor_out[t, k, l] = block[s, l, k]
    for p in range(pattern.order.shape[0]):
        for k in range(3):
            factor_out[pattern.factor_start[p], k, k] *= 1.0 + shift


@lean_kernel
def _subtract_column(pattern, k, p, where, factor_io):
    """Subtract from column j what column k, whose block in row j is `p`, contributes to it."""
    T = mat_mul(load_mat(factor_io, p), load_mat(factor_io, pattern.factor_start[k]))
    for s in range(p, pattern.factor_start[k + 1]):
        t = where[pattern.factor_row[s]]
        if t < 0:
            continue
        for a in range(3):
            x, y, z = factor_io[s, a, 0], factor_io[s, a, 1], factor_io[s, a, 2]
            for b in range(3):
                factor_io[t, a, b] -= x * T[3 * b] + y * T[3 * b + 1] + z * T[3 * b + 2]


@lean_kernel
def _positive(m):
    """Whether a symmetric 3 x 3 matrix is positive definite."""
    minor = m[0] * m[4] - m[1] * m[3]
    a, b, c = m[4] * m[8] - m[5] * m[7], m[3] * m[8] - m[5] * m[6], m[3] * m[7] - m[4] * m[6]
    return m[0] > 0.0 and minor > 0.0 and m[0] * a - m[1] * b + m[2] * c > 0.0


@lean_kernel
def _put_in_list(pattern, k, p, lists_io):
    """Note column k in the list of the row of its block p, if it has one."""
    head, following, at = lists_io
    if p < pattern.factor_start[k + 1]:
        r = pattern.factor_row[p]
        at[k], following[k], head[r] = p, head[r], k


@lean_kernel
def _factor_column(pattern, j, lists_io, where_io, factor_io, pivot_io):
    """Column j of the factor; False where its pivot is not positive."""
    first, last = pattern.factor_start[j], pattern.factor_start[j + 1]
    head, following, at = lists_io
    for s in range(first, last):
        where_io[pattern.factor_row[s]] = s
    k = head[j]
    while k >= 0:
        after, p = following[k], at[k]
        _subtract_column(pattern, k, p, where_io, factor_io)
        _put_in_list(pattern, k, p + 1, lists_io)
        k = after
    D = load_mat(factor_io, first)
    inverse = inverse3(D)
    put_mat(inverse, j, pivot_io)
    for s in range(first, last):
        where_io[pattern.factor_row[s]] = -1
        if s > first:
            put_mat(mat_mul(load_mat(factor_io, s), inverse), s, factor_io)
    _put_in_list(pattern, j, first + 1, lists_io)
    return _positive(D)


@kernel
def factorise(pattern, shift, matrix_io):
    """Factor of the matrix with its diagonal larger by the share `shift`; False where a pivot is not positive."""
    pattern, matrix = Pattern(*pattern), Matrix(*matrix_io)
    where, lists = matrix.columns[0], (matrix.columns[1], matrix.columns[2], matrix.columns[3])
    for p in range(pattern.order.shape[0]):
        where[p], lists[0][p] = -1, -1
    _load_factor(pattern, matrix.block, shift, matrix.factor)
    for j in range(pattern.order.shape[0]):
        if not _factor_column(pattern, j, lists, where, matrix.factor, matrix.pivot):
            return False
    _transpose_blocks(matrix.factor)
    return True


@lean_kernel
def _transpose_blocks(blocks_io):
    for s in range(blocks_io.shape[0]):
        for k in range(3):
            for l in range(k):
                blocks_io[s, k, l], blocks_io[s, l, k] = blocks_io[s, l, k], blocks_io[s, k, l]


@inner_kernel
def forward_columns(pattern, factor, first, last, x_io):
    """Solve with L in place, for columns `first` to `last` - 1."""
    for j in range(first, last):
        a, b, c = row(x_io, j)
        for s in range(pattern.factor_start[j] + 1, pattern.factor_start[j + 1]):
            add_block(factor, s, -a, -b, -c, x_io, pattern.factor_row[s])


@inner_kernel
def backward_columns(pattern, factor, pivot, first, last, x_io):
    """Solve with D Lᵀ in place, for columns `last` - 1 down to `first`."""
    for i in range(last - first):
        j = last - 1 - i
        a, b, c = mat_vec(load_mat(pivot, j), row(x_io, j))
        products = NO_PRODUCTS
        for s in range(pattern.factor_start[j] + 1, pattern.factor_start[j + 1]):
            products = dot_block(factor, s, x_io, pattern.factor_row[s], products)
        put_less(a, b, c, products, x_io, j)


@lean_kernel
def apply_factor(pattern, factor, pivot, x_io):
    """Solve L D Lᵀ x = b in place; `x_io` (n, 4), in the order of elimination, holds b on entry."""
    n = pattern.order.shape[0]
    forward_columns(pattern, factor, 0, n, x_io)
    backward_columns(pattern, factor, pivot, 0, n, x_io)


@lean_kernel
def _subtract_many(factor, s, source, target_io):
    """Subtract a block of the factor times three rows of many numbers from three others."""
    for a in range(3):
        f, g, h = factor[s, 0, a], factor[s, 1, a], factor[s, 2, a]
        for l in range(source.shape[1]):
            target_io[a, l] -= f * source[0, l] + g * source[1, l] + h * source[2, l]


@lean_kernel
def _subtract_many_turned(factor, s, source, target_io):
    """The same with the transposed block."""
    for a in range(3):
        f, g, h = factor[s, a, 0], factor[s, a, 1], factor[s, a, 2]
        for l in range(source.shape[1]):
            target_io[a, l] -= f * source[0, l] + g * source[1, l] + h * source[2, l]


@lean_kernel
def apply_factor_many(pattern, factor, pivot, first, x_io):
    """Solve L D Lᵀ x = b for many b side by side; `x_io` (n, 3, k) holds them, all 0 before the place `first`."""
    n, k = pattern.order.shape[0], x_io.shape[2]
    for j in range(first, n):
        for s in range(pattern.factor_start[j] + 1, pattern.factor_start[j + 1]):
            _subtract_many(factor, s, x_io[j], x_io[pattern.factor_row[s]])
    for i in range(n):
        j = n - 1 - i
        P = load_mat(pivot, j)
        for l in range(k):
            a, b, c = x_io[j, 0, l], x_io[j, 1, l], x_io[j, 2, l]
            x_io[j, 0, l], x_io[j, 1, l], x_io[j, 2, l] = mat_vec(P, (a, b, c))
        for s in range(pattern.factor_start[j] + 1, pattern.factor_start[j + 1]):
            _subtract_many_turned(factor, s, x_io[pattern.factor_row[s]], x_io[j])


@kernel
def _answers_side_by_side(pattern, matrix, nodes, scale, held):
    """The same columns as a table (n, 3, 3 k), in the order of elimination; what held nodes answer is in it."""
    n, m = pattern.order.shape[0], nodes.shape[0]
    x, first = np.zeros((n, 3, 3 * m)), n
    for c in range(m):
        p = pattern.place[nodes[c]]
        first = min(first, p)
        for d in range(3):
            x[p, d, 3 * c + d] = 0.0 if held[nodes[c]] != 0 else scale
    apply_factor_many(pattern, matrix.factor, matrix.pivot, first, x)
    return x


@kernel
def answer_square(pattern, matrix, nodes, chosen, begin, scale, held, square_out):
    """Rows of some places of `nodes` in the matrix of how these answer to each other, and their columns before `begin`.

    That is `scale` times the inverse of a matrix with a complete factor. Held nodes answer nothing, and to nothing.
    """
    pattern, matrix = Pattern(*pattern), Matrix(*matrix)
    x = _answers_side_by_side(pattern, matrix, nodes[chosen], scale, held)
    for q in range(nodes.shape[0]):
        p, share = pattern.place[nodes[q]], 0.0 if held[nodes[q]] != 0 else 1.0
        for c in range(chosen.shape[0]):
            at = 3 * chosen[c]
            for d in range(3):
                for e in range(3):
                    value = share * x[p, d, 3 * c + e]
                    square_out[at + e, 3 * q + d] = value
                    if q < begin:
                        square_out[3 * q + d, at + e] = value


@kernel
def solve_forces(pattern, matrix, force, scale, held, answer_out):
    """`scale` times the inverse of a matrix with a complete factor, times forces (n, 3) on nodes."""
    pattern, matrix = Pattern(*pattern), Matrix(*matrix)
    x = np.zeros((force.shape[0], QUAD))
    for i in range(force.shape[0]):
        if held[i] == 0:
            for d in range(3):
                x[pattern.place[i], d] = scale * force[i, d]
    apply_factor(pattern, matrix.factor, matrix.pivot, x)
    for i in range(force.shape[0]):
        for d in range(3):
            answer_out[i, d] = 0.0 if held[i] != 0 else x[pattern.place[i], d]


@kernel
def answer_columns(pattern, matrix, nodes, scale, held, column_out):
    """Columns of `scale` times the inverse of a matrix with a complete factor: (k, n, 3, 3) for k nodes.

    Held nodes answer nothing, and to nothing.
    """
    pattern, matrix = Pattern(*pattern), Matrix(*matrix)
    n, m = pattern.order.shape[0], nodes.shape[0]
    x = _answers_side_by_side(pattern, matrix, nodes, scale, held)
    for c in range(m):
        for i in range(n):
            p = pattern.place[i]
            for d in range(3):
                for e in range(3):
                    column_out[c, i, d, e] = 0.0 if held[i] != 0 else x[p, d, 3 * c + e]
