"""Semi-smooth Newton on the NCP function of every row, in the form with forces only (SiLVIA eq. 7; Buck & Schömer 4).

The solver does not call the problem's function: the caller does, so that Python functions and compiled stepping loops
are served by the same code. It goes

    request = newton_start(x, w, ...)              with w evaluated at the start values x
    while request != FINISHED:
        evaluate w at x; where request == LINEARISE also the matrix J = dw/dx
        request = newton_resume(x, w, J, ...)

and leaves the answer in x, its w in w, and status, residual and iterations in the workspace. Each direction solves
(D_x + D_w J) dx = -phi, D the slopes of phi. The merit |phi|^2 / 2 must fall below the largest of the last few
(Grippo, Lampariello & Lucidi 1986), else the step is halved; where Newton's direction fails, the gradient of the
merit takes its place (De Luca, Facchinei & Kanzow, Math. Programming 75, 1996).
"""

from math import isfinite

from .._jit import kernel
from ..math.dense_kernels import lu_factor, lu_solve
from .ncp_kernels import affine, row_residual, row_slopes, row_value
from .solve_tables import NewtonOptions, NewtonWork
from .status_kernels import CONVERGED, MAX_ITERATIONS, NOT_FINITE, STALLED

EVALUATE = 0
LINEARISE = 1
FINISHED = 2

# Places in `counters`.
PHASE, ITERATION, HALVINGS, STATUS = 0, 1, 2, 3
# Vectors.
POINT, VALUE, DIRECTION, SCRATCH = 0, 1, 2, 3
# Places in `memory`; the last few merits stand from RECENT on.
RESIDUAL, MERIT, STEP, SLOPE, RECENT = 0, 1, 2, 3, 4
N_RECENT = 4

# What the numbers just evaluated are for.
TRY_NEWTON, TRY_GRADIENT, SET_OUT, RETREAT, RESTORED = 0, 1, 2, 3, 4

MAX_HALVINGS = 25
SUFFICIENT_DECREASE = 1e-4
_LEAST_DIAGONAL = 1e-30
"""Of what regularisation is a share."""


@kernel
def newton_start(x, w, lower, upper, options, work):
    """First request; `w` stands at the start values `x`."""
    options, work = NewtonOptions(*options), NewtonWork(*work)
    memory, counters, vectors = work.memory, work.counters, work.vectors
    counters[ITERATION] = 0
    counters[STATUS] = MAX_ITERATIONS
    merit, residual = _measure(x, w, lower, upper, options.function, vectors[VALUE])
    memory[RECENT : RECENT + N_RECENT] = merit
    memory[RESIDUAL] = residual
    memory[MERIT] = merit
    work.history[0] = residual
    return _request_after(residual, options, counters)


@kernel
def newton_resume(x_io, w, J, lower, upper, options, work):
    """Go on with what was asked for standing in `w` (and `J`): the next request, its point in `x_io`."""
    options, work = NewtonOptions(*options), NewtonWork(*work)
    memory, counters, vectors = work.memory, work.counters, work.vectors
    phase = counters[PHASE]
    if phase == RESTORED:
        return FINISHED
    if phase == SET_OUT:
        newton = _newton_direction(x_io, w, J, lower, upper, options, work)
        return _set_out(newton, x_io, w, J, lower, upper, options, work)
    if phase == RETREAT:
        return _set_out(False, x_io, w, J, lower, upper, options, work)
    merit, residual = _measure(x_io, w, lower, upper, options.function, vectors[SCRATCH])
    allowed = _largest_recent(memory) - SUFFICIENT_DECREASE * memory[STEP] * memory[SLOPE]
    if merit <= allowed:
        return _accept(merit, residual, options, work)
    if counters[HALVINGS] < MAX_HALVINGS:
        return _halve(x_io, memory, counters, vectors)
    x_io[:] = vectors[POINT, : x_io.shape[0]]
    if phase == TRY_NEWTON:
        counters[PHASE] = RETREAT
    else:
        counters[STATUS] = STALLED if isfinite(merit) else NOT_FINITE
        counters[PHASE] = RESTORED
    return EVALUATE


@kernel
def newton_affine(A, b, lower, upper, options, x_io, work, w_out):
    """Solve the rows with w = A x + b from the start values in `x_io`: status, residual, iterations."""
    affine(A, b, x_io, w_out)
    request = newton_start(x_io, w_out, lower, upper, options, work)
    while request != FINISHED:
        # A candidate is evaluated once: what LINEARISE asks for, the matrix, is at hand.
        if request == EVALUATE:
            affine(A, b, x_io, w_out)
        request = newton_resume(x_io, w_out, A, lower, upper, options, work)
    work = NewtonWork(*work)
    return work.counters[STATUS], work.memory[RESIDUAL], work.counters[ITERATION]


@kernel
def _measure(x, w, lower, upper, function, value_out):
    """Equations at (x, w), their merit and the largest natural residual."""
    merit, largest = 0.0, 0.0
    for i in range(x.shape[0]):
        value = row_value(function, x[i], w[i], lower[i], upper[i])
        value_out[i] = value
        merit += 0.5 * value * value
        residual = row_residual(x[i], w[i], lower[i], upper[i])
        if not residual <= largest:
            largest = residual
    return merit, largest


@kernel
def _request_after(residual, options, counters_io):
    """LINEARISE at an accepted point, or FINISHED where it is good enough or the last one allowed."""
    if residual <= options.tolerance:
        counters_io[STATUS] = CONVERGED
        return FINISHED
    if not isfinite(residual):
        counters_io[STATUS] = NOT_FINITE
        return FINISHED
    if counters_io[ITERATION] >= options.max_iterations:
        return FINISHED
    counters_io[PHASE] = SET_OUT
    return LINEARISE


@kernel
def _largest_recent(memory):
    largest = memory[RECENT]
    for k in range(1, N_RECENT):
        largest = max(largest, memory[RECENT + k])
    return largest


@kernel
def _newton_direction(x, w, J, lower, upper, options, work):
    """Newton's direction into its vector of `work`; False where its matrix is singular."""
    n, matrix, pivot = x.shape[0], work.matrix, work.pivot
    direction, value = work.vectors[DIRECTION], work.vectors[VALUE]
    for i in range(n):
        by_x, by_w = row_slopes(options.function, x[i], w[i], lower[i], upper[i])
        for j in range(n):
            matrix[i, j] = by_w * J[i, j]
        matrix[i, i] += by_x + by_w * options.regularisation * max(abs(J[i, i]), _LEAST_DIAGONAL)
        direction[i] = -value[i]
    if not lu_factor(matrix, n, pivot):
        return False
    lu_solve(matrix, n, pivot, direction)
    total = 0.0
    for i in range(n):
        total += abs(direction[i])
    return isfinite(total)


@kernel
def _gradient_direction(x, w, J, lower, upper, options, vectors_io):
    """Minus the gradient of the merit into the direction, as long as the linear model wants it; its slope."""
    n = x.shape[0]
    direction, value, by_w = vectors_io[DIRECTION], vectors_io[VALUE], vectors_io[SCRATCH]
    for j in range(n):
        by_x, by_w[j] = row_slopes(options.function, x[j], w[j], lower[j], upper[j])
        direction[j] = -value[j] * by_x
    for i in range(n):
        for j in range(n):
            direction[j] -= value[i] * by_w[i] * J[i, j]
    length2, change2 = 0.0, 0.0
    for i in range(n):
        by_x, _ = row_slopes(options.function, x[i], w[i], lower[i], upper[i])
        change = by_x * direction[i]
        for j in range(n):
            change += by_w[i] * J[i, j] * direction[j]
        length2 += direction[i] * direction[i]
        change2 += change * change
    factor = length2 / change2 if change2 > 0.0 else 1.0
    for i in range(n):
        direction[i] *= factor
    return length2 * factor


@kernel
def _set_out(newton, x_io, w, J, lower, upper, options, work):
    """Leave the accepted point along Newton's direction, or along the gradient where there is none."""
    memory, counters, vectors = work.memory, work.counters, work.vectors
    memory[SLOPE] = 2.0 * memory[MERIT]
    if not newton:
        memory[SLOPE] = _gradient_direction(x_io, w, J, lower, upper, options, vectors)
    counters[PHASE] = TRY_NEWTON if newton else TRY_GRADIENT
    counters[HALVINGS] = 0
    memory[STEP] = 1.0
    for i in range(x_io.shape[0]):
        vectors[POINT, i] = x_io[i]
        x_io[i] += vectors[DIRECTION, i]
    return EVALUATE


@kernel
def _halve(x_io, memory_io, counters_io, vectors):
    counters_io[HALVINGS] += 1
    memory_io[STEP] *= 0.5
    for i in range(x_io.shape[0]):
        x_io[i] = vectors[POINT, i] + memory_io[STEP] * vectors[DIRECTION, i]
    return EVALUATE


@kernel
def _accept(merit, residual, options, work):
    memory, counters, vectors = work.memory, work.counters, work.vectors
    counters[ITERATION] += 1
    memory[RECENT + counters[ITERATION] % N_RECENT] = merit
    memory[MERIT] = merit
    memory[RESIDUAL] = residual
    work.history[counters[ITERATION]] = residual
    vectors[VALUE, :] = vectors[SCRATCH]
    return _request_after(residual, options, counters)
