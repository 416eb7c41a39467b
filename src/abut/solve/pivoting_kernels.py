"""Principal pivoting on rows with bounds: guess which unknowns are free, solve for them, exchange those that disagree.

Exchanging all at once is Newton's method on the min function and needs few steps, but may cycle; when the number of
disagreements has not fallen for a while, only the last one is exchanged, which ends for every P-matrix (Murty 1974;
Júdice & Pires, Computers & Operations Research 21, 1994). Redundant rows: the diagonal is raised a little, and the
solve repeated with the last answer as centre (the proximal point method), until the raise no longer shows.
"""

from .._jit import kernel
from ..math.dense_kernels import lu_factor, lu_solve
from .ncp_kernels import affine, largest_residual
from .solve_tables import NewtonOptions
from .status_kernels import CONVERGED, MAX_ITERATIONS, NOT_FINITE, STALLED

AT_LOWER, FREE, AT_UPPER = -1, 0, 1
IDLE_PIVOTS = 8
MAX_CENTRES = 12
_SLACK = 0.01
"""Of the tolerance: by which an unknown may be on the wrong side before it changes it."""


@kernel
def pivoting(A, b, lower, upper, options, x_io, work, w_out):
    """Solve the rows from the free set that `x_io` suggests: status, residual, iterations.

    options as for `newton_affine`; work = (side, index, vectors, matrix, pivot, history).
    """
    options = NewtonOptions(*options)
    side, _index, vectors, _matrix, _pivot, history = work
    centre = vectors[1]
    affine(A, b, x_io, w_out)
    _guess_sides(x_io, w_out, lower, upper, side)
    centre[: x_io.shape[0]] = x_io
    iterations, centres, residual = 0, 0, 0.0
    fewest, patience = x_io.shape[0] + 1, IDLE_PIVOTS
    while iterations < options.max_iterations:
        if not solve_free(A, b, lower, upper, options.regularisation, x_io, work):
            return NOT_FINITE, residual, iterations
        affine(A, b, x_io, w_out)
        residual = largest_residual(x_io, w_out, lower, upper)
        history[iterations] = residual
        iterations += 1
        if residual <= options.tolerance:
            return CONVERGED, residual, iterations
        disagreeing = _disagreements(x_io, w_out, centre, options, lower, upper, side, False)
        if disagreeing == 0:
            if centres == MAX_CENTRES:
                return STALLED, residual, iterations
            centres += 1
            centre[: x_io.shape[0]] = x_io
            fewest, patience = x_io.shape[0] + 1, IDLE_PIVOTS
            continue
        if disagreeing < fewest:
            fewest, patience = disagreeing, IDLE_PIVOTS
        else:
            patience -= 1
        if patience >= 0:
            _disagreements(x_io, w_out, centre, options, lower, upper, side, True)
        else:
            _exchange_last(x_io, w_out, centre, options, lower, upper, side)
    return MAX_ITERATIONS, residual, iterations


@kernel
def _guess_sides(x, w, lower, upper, side_out):
    """The side each unknown would take after one step of Jacobi."""
    for i in range(x.shape[0]):
        target = x[i] - w[i]
        side_out[i] = AT_LOWER if target <= lower[i] else (AT_UPPER if target >= upper[i] else FREE)


@kernel
def solve_free(A, b, lower, upper, regularisation, x_io, work):
    """Put x where w = 0 on the free rows (of the regularised problem) and at its bound on the others."""
    side, index, vectors, matrix, pivot, _history = work
    rhs, centre = vectors[0], vectors[1]
    n_free = 0
    for i in range(x_io.shape[0]):
        if side[i] == FREE:
            index[n_free] = i
            n_free += 1
        else:
            x_io[i] = lower[i] if side[i] == AT_LOWER else upper[i]
    for p in range(n_free):
        i = index[p]
        s = -b[i]
        for j in range(x_io.shape[0]):
            if side[j] != FREE:
                s -= A[i, j] * x_io[j]
        for q in range(n_free):
            matrix[p, q] = A[i, index[q]]
        matrix[p, p] += regularisation
        rhs[p] = s + regularisation * centre[i]
    if not lu_factor(matrix, n_free, pivot):
        return False
    lu_solve(matrix, n_free, pivot, rhs)
    for p in range(n_free):
        x_io[index[p]] = rhs[p]
    return True


@kernel
def _new_side(side, x, w, lower, upper, slack):
    """Where an unknown belongs, judged by the solution for the present sides."""
    if side == FREE:
        if x < lower - slack:
            return AT_LOWER
        return AT_UPPER if x > upper + slack else FREE
    if side == AT_LOWER:
        return FREE if w < -slack else AT_LOWER
    return FREE if w > slack else AT_UPPER


@kernel
def _disagreements(x, w, centre, options, lower, upper, side_io, exchange):
    """Number of unknowns on the wrong side; moved to the right one if `exchange`."""
    total = 0
    slack = _SLACK * options.tolerance
    for i in range(x.shape[0]):
        w_i = w[i] + options.regularisation * (x[i] - centre[i])
        new = _new_side(side_io[i], x[i], w_i, lower[i], upper[i], slack)
        if new != side_io[i]:
            total += 1
            if exchange:
                side_io[i] = new
    return total


@kernel
def _exchange_last(x, w, centre, options, lower, upper, side_io):
    slack = _SLACK * options.tolerance
    for i in range(x.shape[0] - 1, -1, -1):
        w_i = w[i] + options.regularisation * (x[i] - centre[i])
        new = _new_side(side_io[i], x[i], w_i, lower[i], upper[i], slack)
        if new != side_io[i]:
            side_io[i] = new
            return
