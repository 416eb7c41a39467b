"""Gauss-Seidel sweeps that find which unknowns are free, and conjugate gradients that solve for those.

For symmetric positive semi-definite A the rows are the optimality conditions of min x^T A x / 2 + b^T x within bounds.
A sweep always lowers that energy, a conjugate-gradient step projected to the bounds is taken only if it does too, so
together they converge wherever Gauss-Seidel does, in a number of products that grows with the root of the condition
number (after Moré & Toraldo, SIAM J. Optimization 1, 1991; Silcowitz, Niebe & Erleben, VRIPHYS 2009).
"""

from math import isfinite

from .._jit import kernel
from .status_kernels import DIVERGED
from .sweep_kernels import affine_sparse, gauss_seidel_sweep, largest_residual_sparse, row_product, sweep_status

N_SWEEPS = 2
# Of conjugate gradients: to which share of the residual, how many steps at first and at most.
_REDUCTION, _FIRST_STEPS, _MOST_STEPS = 0.05, 20, 500
_FLAT = 1e-14
"""Curvature below this share of what it could be is none."""


@kernel
def subspace(A, b, lower, upper, options, x_io, work, w_out):
    """Solve from the start values in x: status, residual, rounds. options = (tolerance, max_rounds).

    A = (indptr, indices, data, inverse), the last 1 / A_ii; work = (free, vectors, history): n int32, (4, n) floats and
    max_rounds + 1 floats.
    """
    tolerance, max_rounds = options
    free, vectors, history = work
    residual = largest_residual_sparse(A, b, lower, upper, x_io, w_out)
    history[0] = residual
    rounds, n_inner = 0, _FIRST_STEPS
    while rounds < max_rounds and tolerance < residual < DIVERGED:
        for _ in range(N_SWEEPS):
            gauss_seidel_sweep(A, b, lower, upper, 1.0, x_io)
        affine_sparse(A, b, x_io, w_out)
        _mark_free(x_io, w_out, lower, upper, free)
        finished = conjugate_gradients(A, w_out, free, _REDUCTION, n_inner, vectors)
        kept = _project_step(A, b, lower, upper, vectors, x_io, w_out)
        # The right face has been found once a whole step can be taken: then solving it further pays.
        if kept and not finished:
            n_inner = min(2 * n_inner, _MOST_STEPS)
        residual = largest_residual_sparse(A, b, lower, upper, x_io, w_out)
        rounds += 1
        history[rounds] = residual
    return sweep_status(residual, tolerance), residual, rounds


@kernel
def _mark_free(x, w, lower, upper, free_out):
    """Unknowns that are within their bounds, or at one that they want to leave."""
    for i in range(x.shape[0]):
        held = (x[i] <= lower[i] and w[i] >= 0.0) or (x[i] >= upper[i] and w[i] <= 0.0)
        free_out[i] = 0 if held else 1


@kernel
def conjugate_gradients(A, w, free, reduction, max_steps, vectors_io):
    """Step d in vectors[0] with (A d + w)_i = 0 on the free rows, to `reduction` of |w|; True where reached.

    The diagonal is the preconditioner. A direction without curvature (redundant rows) ends the iteration.
    """
    n = w.shape[0]
    step, rest, direction, image = vectors_io[0], vectors_io[1], vectors_io[2], vectors_io[3]
    _, _, _, inverse = A
    size2 = 0.0
    for i in range(n):
        step[i] = 0.0
        rest[i] = -w[i] if free[i] else 0.0
        direction[i] = rest[i] * inverse[i]
        size2 += rest[i] * direction[i]
    goal = reduction * reduction * size2
    for _ in range(max_steps):
        if not size2 > goal:
            return True
        curvature = _image_on_free(A, direction, free, image)
        if not curvature > _FLAT * size2:
            return True
        length = size2 / curvature
        new2 = 0.0
        for i in range(n):
            step[i] += length * direction[i]
            rest[i] -= length * image[i]
            new2 += rest[i] * rest[i] * inverse[i]
        for i in range(n):
            direction[i] = rest[i] * inverse[i] + new2 / size2 * direction[i]
        size2 = new2
    return False


@kernel
def _image_on_free(A, direction, free, image_out):
    """A d on the free rows, and d^T A d."""
    indptr, indices, data, _ = A
    curvature = 0.0
    for i in range(direction.shape[0]):
        s = row_product(indices, data, indptr[i], indptr[i + 1], direction) if free[i] else 0.0
        image_out[i] = s
        curvature += s * direction[i]
    return curvature


@kernel
def _energy_change(w, w_new, step):
    """Change of x^T A x / 2 + b^T x along `step`, from the gradients at its ends."""
    change = 0.0
    for i in range(step.shape[0]):
        change += 0.5 * (w[i] + w_new[i]) * step[i]
    return change


@kernel
def _project_step(A, b, lower, upper, vectors_io, x_io, w):
    """Set x to clip(x + t step) for the first t of 1, 1/2, 1/4 ... that lowers the energy; True where t = 1 did."""
    step, start, moved, w_new = vectors_io[0], vectors_io[1], vectors_io[2], vectors_io[3]
    n = x_io.shape[0]
    start[:n] = x_io
    t = 1.0
    for _ in range(8):
        for i in range(n):
            x_io[i] = min(max(start[i] + t * step[i], lower[i]), upper[i])
            moved[i] = x_io[i] - start[i]
        affine_sparse(A, b, x_io, w_new)
        change = _energy_change(w, w_new, moved[:n])
        if isfinite(change) and change <= 0.0:
            return t == 1.0
        t *= 0.5
    x_io[:] = start[:n]
    return False
