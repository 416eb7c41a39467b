"""Small dense algebra: 3x3 matrices as tuples, and factorisations in place on arrays for systems of any size.

The array routines take the leading `n` rows and columns of a larger scratch array, so that one workspace serves
problems of every size without allocation.
"""

from math import sqrt

import numpy as np

from .._jit import kernel
from .vec_kernels import cross, dot


@kernel
def inverse3(m):
    """Inverse of a 3x3 matrix by cofactors; inf or nan where it is singular."""
    r0, r1, r2 = (m[0], m[1], m[2]), (m[3], m[4], m[5]), (m[6], m[7], m[8])
    a, b, c = cross(r1, r2), cross(r2, r0), cross(r0, r1)
    s = 1.0 / dot(r0, a)
    return s * a[0], s * b[0], s * c[0], s * a[1], s * b[1], s * c[1], s * a[2], s * b[2], s * c[2]


@kernel
def cholesky_factor(a_io, n):
    """Lower Cholesky factor of the leading n x n block, in place; False where it is not positive definite."""
    for j in range(n):
        d = a_io[j, j]
        for k in range(j):
            d -= a_io[j, k] * a_io[j, k]
        if not d > 0.0:
            return False
        d = sqrt(d)
        a_io[j, j] = d
        for i in range(j + 1, n):
            s = a_io[i, j]
            for k in range(j):
                s -= a_io[i, k] * a_io[j, k]
            a_io[i, j] = s / d
    return True


@kernel
def cholesky_solve(a, n, x_io):
    """Solve L L^T x = b in place, `x_io` holding b on entry and the factor standing in `a`."""
    for i in range(n):
        s = x_io[i]
        for k in range(i):
            s -= a[i, k] * x_io[k]
        x_io[i] = s / a[i, i]
    for i in range(n - 1, -1, -1):
        s = x_io[i]
        for k in range(i + 1, n):
            s -= a[k, i] * x_io[k]
        x_io[i] = s / a[i, i]


@kernel
def lu_factor(a_io, n, pivot_out):
    """LU factors of the leading n x n block with row exchanges, in place; False where a pivot vanishes.

    Four columns at a time: the rest of the matrix is then read and written once for four pivots instead of four times.
    """
    rows = np.empty((4, n))
    for first in range(0, n, 4):
        last = min(first + 4, n)
        for j in range(first, last):
            if not _eliminate_in_panel(a_io, n, j, last, pivot_out):
                return False
        for j in range(first + 1, last):
            for p in range(first, j):
                for k in range(last, n):
                    a_io[j, k] -= a_io[j, p] * a_io[p, k]
        if last < n:
            _subtract_four(a_io, n, first, rows)
    return True


@kernel
def _eliminate_in_panel(a_io, n, j, last, pivot_out):
    """Find the pivot of column j, exchange its row, and eliminate it from the columns before `last`."""
    best = j
    for i in range(j + 1, n):
        if abs(a_io[i, j]) > abs(a_io[best, j]):
            best = i
    pivot_out[j] = best
    if not abs(a_io[best, j]) > 0.0:
        return False
    if best != j:
        for k in range(n):
            a_io[j, k], a_io[best, k] = a_io[best, k], a_io[j, k]
    inverse = 1.0 / a_io[j, j]
    for i in range(j + 1, n):
        factor = a_io[i, j] * inverse
        a_io[i, j] = factor
        if factor != 0.0:
            for k in range(j + 1, last):
                a_io[i, k] -= factor * a_io[j, k]
    return True


@kernel
def _subtract_four(a_io, n, first, rows_io):
    """Subtract the multiples of four finished rows from all rows below them."""
    last = first + 4
    # Copies of the rows cannot overlap the rows that are changed, which lets the inner loop vectorise.
    for p in range(4):
        for k in range(last, n):
            rows_io[p, k] = a_io[first + p, k]
    r0, r1, r2, r3 = rows_io[0], rows_io[1], rows_io[2], rows_io[3]
    for i in range(last, n):
        f0, f1, f2, f3 = a_io[i, first], a_io[i, first + 1], a_io[i, first + 2], a_io[i, first + 3]
        if f0 != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
            for k in range(last, n):
                a_io[i, k] -= f0 * r0[k] + f1 * r1[k] + f2 * r2[k] + f3 * r3[k]


@kernel
def lu_solve(a, n, pivot, x_io):
    """Solve A x = b in place, `x_io` holding b on entry and the factors of A standing in `a`."""
    for i in range(n):
        p = pivot[i]
        x_io[i], x_io[p] = x_io[p], x_io[i]
    for i in range(n):
        s = x_io[i]
        for k in range(i):
            s -= a[i, k] * x_io[k]
        x_io[i] = s
    for i in range(n - 1, -1, -1):
        s = x_io[i]
        for k in range(i + 1, n):
            s -= a[i, k] * x_io[k]
        x_io[i] = s / a[i, i]
