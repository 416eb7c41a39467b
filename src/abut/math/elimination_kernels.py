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
def _invert_in_order(a):
    """Replace a 6 x 6 matrix by its inverse, without row exchanges; False where a pivot is too small for that."""
    for c in range(6):
        pivot, largest = a[c, c], 0.0
        a[c, c] = 1.0
        inverse = 1.0 / pivot
        r0, r1, r2 = a[c, 0] * inverse, a[c, 1] * inverse, a[c, 2] * inverse
        r3, r4, r5 = a[c, 3] * inverse, a[c, 4] * inverse, a[c, 5] * inverse
        for i in range(6):
            if i != c:
                factor = a[i, c]
                largest = max(largest, abs(factor))
                a[i, c] = 0.0
                a[i, 0] -= factor * r0
                a[i, 1] -= factor * r1
                a[i, 2] -= factor * r2
                a[i, 3] -= factor * r3
                a[i, 4] -= factor * r4
                a[i, 5] -= factor * r5
        a[c, 0], a[c, 1], a[c, 2], a[c, 3], a[c, 4], a[c, 5] = r0, r1, r2, r3, r4, r5
        if not abs(pivot) > LEAST_PIVOT * largest:
            return False
    return True


@lean_kernel
def _invert_with_exchanges(a, out):
    """Inverse of a 6 x 6 matrix by elimination with row exchanges, `a` is overwritten; False where it is singular."""
    for i in range(6):
        for j in range(6):
            out[i, j] = 1.0 if i == j else 0.0
    for c in range(6):
        p = c
        for i in range(c + 1, 6):
            if abs(a[i, c]) > abs(a[p, c]):
                p = i
        if not abs(a[p, c]) > 0.0:
            return False
        if p != c:
            for j in range(6):
                a[p, j], a[c, j] = a[c, j], a[p, j]
                out[p, j], out[c, j] = out[c, j], out[p, j]
        inverse = 1.0 / a[c, c]
        for j in range(6):
            a[c, j] *= inverse
            out[c, j] *= inverse
        for i in range(6):
            factor = a[i, c]
            if i != c and factor != 0.0:
                for j in range(6):
                    a[i, j] -= factor * a[c, j]
                    out[i, j] -= factor * out[c, j]
    return True


@lean_kernel
def factor_blocks(n, start, row, target, low, up, diagonal, work):
    """Factors of A = L D U in place: L in `low`, D U in `up`, D's inverse in `diagonal`; False if A is singular.

    `work` (6, 6) is scratch. Blocks of bodies are as a rule nearly symmetric and positive definite, and need no row
    exchanges.
    """
    t = 0
    for k in range(n):
        inverse = diagonal[k]
        _copy_block(inverse, work)
        if not _invert_in_order(inverse) and not _invert_with_exchanges(work, inverse):
            return False
        for p in range(start[k], start[k + 1]):
            _copy_block(low[p], work)
            low[p, :, :] = 0.0
            _add_product(1.0, work, inverse, low[p])
        for q in range(start[k], start[k + 1]):
            _add_product(-1.0, low[q], up[q], diagonal[row[q]])
            for p in range(q + 1, start[k + 1]):
                b = target[t]
                t += 1
                _add_product(-1.0, low[p], up[q], low[b])
                _add_product(-1.0, low[q], up[p], up[b])
    return True


@inner_kernel
def _copy_block(a, out):
    for i in range(6):
        for j in range(6):
            out[i, j] = a[i, j]


@lean_kernel
def solve_blocks(n, start, row, low, up, diagonal, work, x):
    """Solve A x = b in place, x (n, 6) holding b on entry and the factors of A standing in the arrays."""
    column = work[0]
    for k in range(n):
        for p in range(start[k], start[k + 1]):
            _add_times(-1.0, low[p], x[k], x[row[p]])
    for k in range(n - 1, -1, -1):
        # `up` holds D U, and the inverse of D makes U of it.
        for p in range(start[k], start[k + 1]):
            _add_times(-1.0, up[p], x[row[p]], x[k])
        for r in range(6):
            column[r] = x[k, r]
            x[k, r] = 0.0
        _add_times(1.0, diagonal[k], column, x[k])


@inner_kernel
def _add_times(sign, block, x, out):
    """Out += sign * block x."""
    for r in range(6):
        s = 0.0
        for c in range(6):
            s += block[r, c] * x[c]
        out[r] += sign * s
