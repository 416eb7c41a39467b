"""Forces or impulses of unilateral contacts: which of them push (Lötstedt 1984).

0 <= x, W x + q >= 0, one of both 0 in each row. An active set is guessed and mended. Of redundant contacts, only as
many push as are independent: the n + 1 points that hold an n-dimensional region.
"""

from math import sqrt

from ..._jit import lean_kernel
from .linear_kernels import RANK_TOLERANCE, solve_dependent

MENDINGS, SINGLE_MENDINGS = 20, 100
LEAST_LEFT = 1e-9
"""Least pivot of rows that do not depend on each other, beside a diagonal of 1."""
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
def _put_after(first, k, work, x, after_out):
    """Accelerations with these forces."""
    for i in range(k):
        total = work.right[first + i]
        for j in range(k):
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
        _put_after(first, k, work_io, x_out, after_out)
        done, fits = _mend(first, k, n >= MENDINGS, work_io, x_out, after_out)
        if done:
            return fits
        n += 1
    return False


@lean_kernel
def complete(first, k, work_io):
    """Flag as pushing as many of the still rows as do not depend on each other and on those that push.

    A part that stands on a line of points would else be free to turn about it.
    """
    flag, matrix, L, n = work_io.flag, work_io.matrix, work_io.square, 0
    for turn in (PUSHES, STILL):
        for i in range(k):
            if not flag[i, turn] or (turn == STILL and flag[i, PUSHES]):
                continue
            a, left = first + i, 1.0
            for j in range(n):
                b = first + work_io.place[j]
                s = matrix[a, b] / sqrt(max(matrix[a, a] * matrix[b, b], 1e-300))
                for c in range(j):
                    s -= L[n, c] * L[j, c]
                L[n, j] = s / L[j, j]
                left -= L[n, j] * L[n, j]
            if turn == PUSHES or left > LEAST_LEFT:
                L[n, n] = sqrt(max(left, 1e-30))
                work_io.place[n] = i
                n += 1
    for j in range(n):
        flag[work_io.place[j], PUSHES] = True
