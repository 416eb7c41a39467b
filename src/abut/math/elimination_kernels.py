"""Systems of 6 x 6 blocks, one row of blocks per body, factored column by column.

Bodies that push each other give a matrix whose blocks (i, j) and (j, i) are filled where i and j are neighbours, and
elimination fills some more (elimination_order_kernels). Column k has blocks in the rows row[start[k] : start[k + 1]] of
`low`, and row k the same in the columns of `up`; `diagonal` is (n, 6, 6), and `target` says where products of two
blocks of a column go.
"""

from .._jit import inner_kernel, lean_kernel

LEAST_PIVOT = 1e-6
"""Pivots smaller than this share of the others in their column call for row exchanges."""


@inner_kernel
def _add_product(sign, a, b, out):
    """Out += sign * a b; rows of `out` stay in registers, which takes half the time."""
    for i in range(6):
        c0, c1, c2, c3, c4, c5 = out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], out[i, 5]
        for k in range(6):
            factor = sign * a[i, k]
            c0 += factor * b[k, 0]
            c1 += factor * b[k, 1]
            c2 += factor * b[k, 2]
            c3 += factor * b[k, 3]
            c4 += factor * b[k, 4]
            c5 += factor * b[k, 5]
        out[i, 0], out[i, 1], out[i, 2], out[i, 3], out[i, 4], out[i, 5] = c0, c1, c2, c3, c4, c5


@inner_kernel
def _invert_in_order(a_io):
    """Replace a 6 x 6 matrix by its inverse, without row exchanges; False where a pivot is too small for that."""
    for c in range(6):
        pivot, largest = a_io[c, c], 0.0
        a_io[c, c] = 1.0
        inverse = 1.0 / pivot
        r0, r1, r2 = a_io[c, 0] * inverse, a_io[c, 1] * inverse, a_io[c, 2] * inverse
        r3, r4, r5 = a_io[c, 3] * inverse, a_io[c, 4] * inverse, a_io[c, 5] * inverse
        for i in range(6):
            if i != c:
                factor = a_io[i, c]
                largest = max(largest, abs(factor))
                a_io[i, c] = 0.0
                a_io[i, 0] -= factor * r0
                a_io[i, 1] -= factor * r1
                a_io[i, 2] -= factor * r2
                a_io[i, 3] -= factor * r3
                a_io[i, 4] -= factor * r4
                a_io[i, 5] -= factor * r5
        a_io[c, 0], a_io[c, 1], a_io[c, 2], a_io[c, 3], a_io[c, 4], a_io[c, 5] = r0, r1, r2, r3, r4, r5
        if not abs(pivot) > LEAST_PIVOT * largest:
            return False
    return True


@lean_kernel
def _invert_with_exchanges(a_io, out):
    """Inverse of a 6 x 6 matrix by elimination with row exchanges in `a_io`; False where it is singular."""
    for i in range(6):
        for j in range(6):
            out[i, j] = 1.0 if i == j else 0.0
    for c in range(6):
        p = c
        for i in range(c + 1, 6):
            if abs(a_io[i, c]) > abs(a_io[p, c]):
                p = i
        if not abs(a_io[p, c]) > 0.0:
            return False
        if p != c:
            for j in range(6):
                a_io[p, j], a_io[c, j] = a_io[c, j], a_io[p, j]
                out[p, j], out[c, j] = out[c, j], out[p, j]
        inverse = 1.0 / a_io[c, c]
        for j in range(6):
            a_io[c, j] *= inverse
            out[c, j] *= inverse
        for i in range(6):
            factor = a_io[i, c]
            if i != c and factor != 0.0:
                for j in range(6):
                    a_io[i, j] -= factor * a_io[c, j]
                    out[i, j] -= factor * out[c, j]
    return True


@lean_kernel
def factor_blocks(n, start, row, target, low_io, up_io, diagonal_io, work):
    """Factors of A = L D U in place: L in `low_io`, D U in `up_io`, D's inverse in `diagonal_io`; False: A is singular.

    `work` (6, 6) is scratch. Blocks of bodies are as a rule nearly symmetric and positive definite, and need no row
    exchanges.
    """
    t = 0
    for k in range(n):
        inverse = diagonal_io[k]
        _copy_block(inverse, work)
        if not _invert_in_order(inverse) and not _invert_with_exchanges(work, inverse):
            return False
        for p in range(start[k], start[k + 1]):
            _copy_block(low_io[p], work)
            low_io[p, :, :] = 0.0
            _add_product(1.0, work, inverse, low_io[p])
        for q in range(start[k], start[k + 1]):
            _add_product(-1.0, low_io[q], up_io[q], diagonal_io[row[q]])
            for p in range(q + 1, start[k + 1]):
                b = target[t]
                t += 1
                _add_product(-1.0, low_io[p], up_io[q], low_io[b])
                _add_product(-1.0, low_io[q], up_io[p], up_io[b])
    return True


@inner_kernel
def _copy_block(a, out):
    for i in range(6):
        for j in range(6):
            out[i, j] = a[i, j]


@lean_kernel
def solve_blocks(n, start, row, low, up, diagonal, work, x_io):
    """Solve A x = b in place, x (n, 6) holding b on entry and the factors of A standing in the arrays."""
    column = work[0]
    for k in range(n):
        for p in range(start[k], start[k + 1]):
            _add_times(-1.0, low[p], x_io[k], x_io[row[p]])
    for k in range(n - 1, -1, -1):
        # `up` holds D U, and the inverse of D makes U of it.
        for p in range(start[k], start[k + 1]):
            _add_times(-1.0, up[p], x_io[row[p]], x_io[k])
        for r in range(6):
            column[r] = x_io[k, r]
            x_io[k, r] = 0.0
        _add_times(1.0, diagonal[k], column, x_io[k])


@inner_kernel
def _add_times(sign, block, x, out):
    """Out += sign * block x."""
    for r in range(6):
        s = 0.0
        for c in range(6):
            s += block[r, c] * x[c]
        out[r] += sign * s
