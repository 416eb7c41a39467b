"""Lemke's complementary pivoting, lexicographic, so that degenerate problems cannot make it cycle.

Cottle, Pang & Stone, The Linear Complementarity Problem, algorithms 4.4.5 and 4.9.3. The tableau holds
w - A x - 1 z0 = b with columns w (n), x (n), z0, b; one pivot is one elimination. The columns of w hold the inverse
of the basis, which is what the lexicographic rule compares where ratios tie.
"""

import numpy as np

from .._jit import kernel
from .status_kernels import CONVERGED, MAX_ITERATIONS, RAY

# Entries of a tableau whose data are of size 1 are trusted down to this size.
PIVOT_FLOOR = 1e-11
TIE = 1e-12


@kernel
def lemke(A, b, max_pivots, tableau, basis, x_out, ray_out):
    """Solve 0 <= A x + b perp x >= 0: status and pivots; where the path ends on a ray, its x direction in `ray_out`.

    `tableau` is (n, 2 n + 2) and `basis` n int32, scratch; `basis` ends as the variable of each row: i for w_i,
    n + i for x_i, 2 n for z0.
    """
    n = b.shape[0]
    x_out[:] = 0.0
    _fill(A, b, tableau, basis)
    row = _first_row(b)
    if b[row] >= 0.0:
        return CONVERGED, 0
    entering = 2 * n
    pivot_row = np.empty(2 * n + 2)
    for pivots in range(1, max_pivots + 1):
        leaving = basis[row]
        _pivot(tableau, row, entering, pivot_row)
        basis[row] = entering
        if leaving == 2 * n:
            _read(tableau, basis, x_out)
            return CONVERGED, pivots
        entering = leaving + n if leaving < n else leaving - n
        row = _lexicographic_row(tableau, basis, entering, n)
        if row < 0:
            _read(tableau, basis, x_out)
            _read_ray(tableau, basis, entering, ray_out)
            return RAY, pivots
    _read(tableau, basis, x_out)
    return MAX_ITERATIONS, max_pivots


@kernel
def _fill(A, b, tableau, basis):
    n = b.shape[0]
    tableau[:, :] = 0.0
    for i in range(n):
        tableau[i, i] = 1.0
        for j in range(n):
            tableau[i, n + j] = -A[i, j]
        tableau[i, 2 * n] = -1.0
        tableau[i, 2 * n + 1] = b[i]
        basis[i] = i


@kernel
def _first_row(b):
    """Row of the smallest b: the least z0 that makes all feasible. Of equal ones the last precedes."""
    best = 0
    for i in range(1, b.shape[0]):
        if b[i] <= b[best]:
            best = i
    return best


@kernel
def _pivot(tableau, row, column, pivot_row):
    """Bring `column` into the basis at `row`."""
    inverse = 1.0 / tableau[row, column]
    width = tableau.shape[1]
    # A copy of the pivot's row cannot overlap the rows it is taken from, which lets the inner loop vectorise.
    for k in range(width):
        pivot_row[k] = tableau[row, k] * inverse
    pivot_row[column] = 1.0
    for i in range(tableau.shape[0]):
        factor = tableau[i, column]
        if factor != 0.0:
            for k in range(width):
                tableau[i, k] -= factor * pivot_row[k]
            tableau[i, column] = 0.0
    tableau[row] = pivot_row


@kernel
def _lexicographic_row(tableau, basis, column, n):
    """Row that leaves when `column` enters; z0 wherever it may; -1 where no row limits the entering variable."""
    best, z0_row = -1, -1
    for i in range(n):
        if tableau[i, column] > PIVOT_FLOOR:
            if basis[i] == 2 * n:
                z0_row = i
            if best < 0 or _precedes(tableau, i, best, column, n):
                best = i
    if z0_row >= 0 and _ratio(tableau, z0_row, 2 * n + 1, column) <= TIE + _ratio(tableau, best, 2 * n + 1, column):
        return z0_row
    return best


@kernel
def _ratio(tableau, row, k, column):
    return tableau[row, k] / tableau[row, column]


@kernel
def _precedes(tableau, i, j, column, n):
    """Whether row i divided by its pivot is lexicographically less than row j divided by its own."""
    difference = _ratio(tableau, i, 2 * n + 1, column) - _ratio(tableau, j, 2 * n + 1, column)
    if abs(difference) > TIE:
        return difference < 0.0
    for k in range(n):
        difference = _ratio(tableau, i, k, column) - _ratio(tableau, j, k, column)
        if abs(difference) > TIE:
            return difference < 0.0
    return False


@kernel
def _read(tableau, basis, x_out):
    """The x of the present basis."""
    n = basis.shape[0]
    x_out[:] = 0.0
    for i in range(n):
        if n <= basis[i] < 2 * n:
            x_out[basis[i] - n] = max(0.0, tableau[i, 2 * n + 1])


@kernel
def _read_ray(tableau, basis, entering, ray_out):
    """Direction in which x grows as the entering variable does."""
    n = basis.shape[0]
    ray_out[:] = 0.0
    if n <= entering < 2 * n:
        ray_out[entering - n] = 1.0
    for i in range(n):
        if n <= basis[i] < 2 * n:
            ray_out[basis[i] - n] = max(0.0, -tableau[i, entering])
