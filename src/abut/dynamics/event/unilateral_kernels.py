"""Forces or impulses of unilateral contacts: which of them push (Lötstedt 1984).

0 <= x, W x + q >= 0, one of both 0 in each row. An active set is guessed and mended; Lemke's method has the last word.
Of redundant contacts, only as many push as are independent: the n + 1 points that hold an n-dimensional region.
"""

from math import sqrt

import numpy as np

from ..._jit import kernel, lean_kernel
from ...solve.lemke_kernels import lemke
from ...solve.status_kernels import CONVERGED
from .linear_kernels import RANK_TOLERANCE, solve_dependent

MENDINGS, SINGLE_MENDINGS = 20, 100
LEAST_PIVOTS, PIVOTS = 1000, 50
"""That Lemke's method may make: at least, and for each row."""
LEAST_LEFT = 1e-9
"""Least pivot of rows that do not depend on each other, beside a diagonal of 1."""
LEAST_KEPT = 1e-30
"""In its place, of rows that push though they depend on others."""
UP_TO_ROUNDING = 1e-11
"""Of forces and of what they hold, beside the largest ones."""
FITS = 1e-9
"""Share of the largest acceleration by which rows that are to be held may miss."""
# Columns of the flags of points.
RESTS, SETTLES, PUSHES, STILL = 0, 1, 2, 3


@lean_kernel
def eliminate_first(m, n, matrix_io, right_io, size_io):
    """Eliminate the first m of n equations from the others; those that follow from others are left out."""
    for i in range(m):
        size_io[i] = matrix_io[i, i]
    for _ in range(m):
        best, largest = -1, RANK_TOLERANCE
        for i in range(m):
            if size_io[i] > 0.0 and matrix_io[i, i] / size_io[i] > largest:
                best, largest = i, matrix_io[i, i] / size_io[i]
        if best < 0:
            return
        size_io[best], pivot = 0.0, matrix_io[best, best]
        for i in range(n):
            if i < m and size_io[i] <= 0.0:
                continue
            factor = matrix_io[i, best] / pivot
            if factor != 0.0:
                right_io[i] -= factor * right_io[best]
                for j in range(n):
                    matrix_io[i, j] -= factor * matrix_io[best, j]


@lean_kernel
def _hold_pushing(first, k, work_io, x_out):
    """Forces that hold the rows that are flagged as pushing."""
    flag, matrix, right, square, line = work_io.flag, work_io.matrix, work_io.right, work_io.square, work_io.line
    n = 0
    for i in range(k):
        x_out[i] = 0.0
        if flag[i, PUSHES]:
            work_io.place[n] = i
            n += 1
    for i in range(n):
        a = first + work_io.place[i]
        line[0, i] = -right[a]
        for j in range(n):
            square[i, j] = matrix[a, first + work_io.place[j]]
    solve_dependent(square, line[0], n, work_io.order, line[1], line[2])
    for i in range(n):
        x_out[work_io.place[i]] = line[2, i]


@lean_kernel
def put_after(first, k, n, work, x, after_out):
    """Accelerations of k rows with the forces of n."""
    for i in range(k):
        total = work.right[first + i]
        for j in range(n):
            if x[j] != 0.0:
                total += work.matrix[first + i, first + j] * x[j]
        after_out[i] = total


@lean_kernel
def _mend(first, k, single, work_io, x, after):
    """Let rows that pull cease to push, and rows that sink push; returns whether all is well and whether it fits."""
    flag, largest, done, fits = work_io.flag, 0.0, True, True
    for i in range(k):
        largest = max(largest, abs(work_io.right[first + i]))
    for i in range(k):
        if flag[i, PUSHES] and x[i] < 0.0:
            flag[i, PUSHES] = False
        elif not flag[i, PUSHES] and flag[i, RESTS] and after[i] < -UP_TO_ROUNDING * largest:
            flag[i, PUSHES] = True
        else:
            fits = fits and not (flag[i, PUSHES] and abs(after[i]) > FITS * largest)
            continue
        done = False
        if single:
            return False, fits
    return done, fits


@lean_kernel
def solve_unilateral(first, k, work_io, x_out, after_out):
    """Forces of k rows from `first` on, of which those flagged as resting may push; whether they were found.

    Matrix and right side stand in `work_io`, as eliminate_first leaves them.
    """
    flag, n = work_io.flag, 0
    for i in range(k):
        flag[i, PUSHES] = flag[i, RESTS] and work_io.right[first + i] < 0.0
    while n < MENDINGS + SINGLE_MENDINGS:
        _hold_pushing(first, k, work_io, x_out)
        put_after(first, k, k, work_io, x_out, after_out)
        done, fits = _mend(first, k, n >= MENDINGS, work_io, x_out, after_out)
        if done and fits:
            return True
        n = MENDINGS + SINGLE_MENDINGS if done else n + 1
    return solve_by_lemke(first, k, work_io, x_out, after_out)


@kernel
def solve_by_lemke(first, k, work_io, x_out, after_out):
    """The same as solve_unilateral by Lemke's method, polished where that leaves forces that push."""
    flag, matrix, right, n = work_io.flag, work_io.matrix, work_io.right, 0
    rows = np.empty(k, np.int64)
    for i in range(k):
        if flag[i, RESTS]:
            rows[n] = i
            n += 1
    A, b, x = np.empty((n, n)), np.empty(n), np.empty(n)
    unit_a = unit_b = 1e-300
    for i in range(n):
        unit_b = max(unit_b, abs(right[first + rows[i]]))
        for j in range(n):
            unit_a = max(unit_a, abs(matrix[first + rows[i], first + rows[j]]))
    for i in range(n):
        b[i] = right[first + rows[i]] / unit_b
        for j in range(n):
            A[i, j] = matrix[first + rows[i], first + rows[j]] / unit_a
    if lemke(A, b, max(LEAST_PIVOTS, PIVOTS * n), np.empty((n, n + 2)), x, np.empty(n))[0] != CONVERGED:
        return False
    most = x.max()
    for i in range(k):
        flag[i, PUSHES] = False
    for i in range(n):
        flag[rows[i], PUSHES] = x[i] > UP_TO_ROUNDING * most
    _hold_pushing(first, k, work_io, x_out)
    put_after(first, k, k, work_io, x_out, after_out)
    if not _mend(first, k, True, work_io, x_out, after_out)[0]:
        for i in range(n):
            x_out[rows[i]] = x[i] * unit_b / unit_a if x[i] > UP_TO_ROUNDING * most else 0.0
            flag[rows[i], PUSHES] = x_out[rows[i]] > 0.0
        put_after(first, k, k, work_io, x_out, after_out)
    return True


@lean_kernel
def _left_of_row(first, n, matrix, place, factor_io):
    """Row and column n of the factors L U of rows, scaled to a diagonal of 1; what is left of that.

    The matrix of contacts that slip with friction is not symmetric.
    """
    a, left = first + place[n], 1.0
    for j in range(n):
        b = first + place[j]
        size = sqrt(max(abs(matrix[a, a] * matrix[b, b]), 1e-300))
        low, high = matrix[a, b] / size, matrix[b, a] / size
        for c in range(j):
            low -= factor_io[n, c] * factor_io[c, j]
            high -= factor_io[j, c] * factor_io[c, n]
        factor_io[n, j], factor_io[j, n] = low / factor_io[j, j], high
        left -= factor_io[n, j] * high
    factor_io[n, n] = left if abs(left) > LEAST_KEPT else LEAST_KEPT
    return left


@lean_kernel
def complete(first, k, work_io):
    """Flag as pushing as many of the still rows as do not depend on each other and on those that push.

    A part that stands on a line of points would else be free to turn about it.
    """
    flag, matrix, factor, n = work_io.flag, work_io.matrix, work_io.square, 0
    for turn in (PUSHES, STILL):
        for i in range(k):
            if not flag[i, turn] or (turn == STILL and flag[i, PUSHES]):
                continue
            work_io.place[n] = i
            left = _left_of_row(first, n, matrix, work_io.place, factor)
            if turn == PUSHES or left > LEAST_LEFT:
                n += 1
    for j in range(n):
        flag[work_io.place[j], PUSHES] = True
