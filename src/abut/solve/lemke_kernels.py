"""Lemke's complementary pivoting, lexicographic, so that degenerate problems cannot make it cycle.

Cottle, Pang & Stone, The Linear Complementarity Problem, algorithms 4.4.5 and 4.9.3. The equations are
w - A x - 1 z0 = b in the variables w_i (numbered i), x_i (n + i) and z0 (2 n). Columns of basic variables are unit
vectors and not stored: the tableau holds the n + 1 other ones and b, and a pivot exchanges two variables in place.
`place[v]` is the column of variable v, or -1 - row where it is basic. The columns of w are the inverse of the basis,
which is what the lexicographic rule compares where ratios tie.
"""

import numpy as np

from .._jit import kernel
from .status_kernels import CONVERGED, MAX_ITERATIONS, RAY

# Entries of a tableau whose data are of size 1 are trusted down to this size.
PIVOT_FLOOR = 1e-11
TIE = 1e-12


@kernel
def lemke(A, b, max_pivots, tableau_io, x_out, ray_out):
    """Solve 0 <= A x + b perp x >= 0: status and pivots; where the path ends on a ray, its x direction in `ray_out`.

    `tableau_io` is (n, n + 2), scratch.
    """
    n = b.shape[0]
    basis, place = np.arange(n), np.empty(2 * n + 1, np.int64)
    pivot_row = np.empty(n + 2)
    x_out[:] = 0.0
    row = _first_row(b)
    if b[row] >= 0.0:
        return CONVERGED, 0
    _fill(A, b, tableau_io, place)
    entering = 2 * n
    for pivots in range(1, max_pivots + 1):
        leaving = basis[row]
        _exchange(tableau_io, row, place[entering], pivot_row)
        place[leaving], place[entering] = place[entering], -1 - row
        basis[row] = entering
        if leaving == 2 * n:
            _read(tableau_io, basis, x_out)
            return CONVERGED, pivots
        entering = leaving + n if leaving < n else leaving - n
        row = _lexicographic_row(tableau_io, basis, place, place[entering])
        if row < 0:
            _read(tableau_io, basis, x_out)
            _read_ray(tableau_io, basis, place, entering, ray_out)
            return RAY, pivots
    _read(tableau_io, basis, x_out)
    return MAX_ITERATIONS, max_pivots


@kernel
def _fill(A, b, tableau_out, place_out):
    """Columns x, z0 and b; w is the basis."""
    n = b.shape[0]
    for i in range(n):
        place_out[i], place_out[n + i] = -1 - i, i
        for j in range(n):
            tableau_out[i, j] = -A[i, j]
        tableau_out[i, n] = -1.0
        tableau_out[i, n + 1] = b[i]
    place_out[2 * n] = n


@kernel
def _first_row(b):
    """Row of the smallest b: the least z0 that makes all feasible. Of equal ones the last precedes."""
    best = 0
    for i in range(1, b.shape[0]):
        if b[i] <= b[best]:
            best = i
    return best


@kernel
def _exchange(tableau_io, row, column, pivot_row_io):
    """Make the variable of `column` basic at `row`; the one it replaces takes over the column."""
    inverse = 1.0 / tableau_io[row, column]
    width = tableau_io.shape[1]
    # A copy of the pivot row cannot overlap the rows that are changed, which lets the inner loop vectorise.
    for k in range(width):
        pivot_row_io[k] = tableau_io[row, k] * inverse
    pivot_row_io[column] = inverse
    for i in range(tableau_io.shape[0]):
        factor = tableau_io[i, column]
        if factor != 0.0:
            tableau_io[i, column] = 0.0
            for k in range(width):
                tableau_io[i, k] -= factor * pivot_row_io[k]
    tableau_io[row] = pivot_row_io


@kernel
def _lexicographic_row(tableau, basis, place, column):
    """Row that leaves when `column` enters; z0 wherever it may; -1 where no row limits the entering variable."""
    n = basis.shape[0]
    best, z0_row = -1, -1
    for i in range(n):
        if tableau[i, column] > PIVOT_FLOOR:
            if basis[i] == 2 * n:
                z0_row = i
            if best < 0 or _precedes(tableau, place, i, best, column):
                best = i
    if z0_row >= 0 and _ratio(tableau, z0_row, column) <= TIE + _ratio(tableau, best, column):
        return z0_row
    return best


@kernel
def _ratio(tableau, row, column):
    return tableau[row, tableau.shape[1] - 1] / tableau[row, column]


@kernel
def _precedes(tableau, place, i, j, column):
    """Whether row i divided by its pivot is lexicographically less than row j divided by its own."""
    difference = _ratio(tableau, i, column) - _ratio(tableau, j, column)
    if abs(difference) > TIE:
        return difference < 0.0
    for k in range(tableau.shape[0]):
        difference = (
            _entry(tableau, place[k], i) / tableau[i, column] - _entry(tableau, place[k], j) / tableau[j, column]
        )
        if abs(difference) > TIE:
            return difference < 0.0
    return False


@kernel
def _entry(tableau, place, row):
    """Entry of a variable's column, which is a unit vector where the variable is basic."""
    if place >= 0:
        return tableau[row, place]
    return 1.0 if place == -1 - row else 0.0


@kernel
def _read(tableau, basis, x_out):
    """The x of the present basis."""
    n = basis.shape[0]
    x_out[:] = 0.0
    for i in range(n):
        if n <= basis[i] < 2 * n:
            x_out[basis[i] - n] = max(0.0, tableau[i, n + 1])


@kernel
def _read_ray(tableau, basis, place, entering, ray_out):
    """Direction in which x grows as the entering variable does."""
    n = basis.shape[0]
    ray_out[:] = 0.0
    if n <= entering < 2 * n:
        ray_out[entering - n] = 1.0
    for i in range(n):
        if n <= basis[i] < 2 * n:
            ray_out[basis[i] - n] = max(0.0, -tableau[i, place[entering]])
