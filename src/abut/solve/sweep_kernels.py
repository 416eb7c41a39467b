"""Projected Gauss-Seidel and Jacobi on rows with bounds, dense and row-compressed sparse.

Each visit of a row sets x_i <- clip(x_i - relaxation w_i / A_ii); the largest A_ii |change| of an undamped sweep is the
largest natural residual met on the way. Both converge for symmetric positive semi-definite A with a solution, Jacobi
only when damped.
"""

from math import isfinite

import numpy as np

from .._jit import kernel
from .ncp_kernels import affine, largest_residual, row_residual
from .status_kernels import CONVERGED, DIVERGED, MAX_ITERATIONS, NOT_FINITE

ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@kernel
def gauss_seidel_dense(A, b, lower, upper, options, x_io, history_out, w_out):
    """Sweep until converged: status, residual, sweeps. options = (tolerance, relaxation, max_sweeps)."""
    return _sweep_dense(A, b, (lower, upper), options, True, x_io, history_out, w_out)


@kernel
def jacobi_dense(A, b, lower, upper, options, x_io, history_out, w_out):
    """Like `gauss_seidel_dense`, with every row judged by the same x: the rows could be visited in any order."""
    return _sweep_dense(A, b, (lower, upper), options, False, x_io, history_out, w_out)


@kernel
def _sweep_dense(A, b, bounds, options, in_turn, x_io, history_out, w_out):
    """Rows are judged by the x of the moment, if they are taken in turn, or by that before the sweep."""
    (lower, upper), (tolerance, relaxation, max_sweeps) = bounds, options
    affine(A, b, x_io, w_out)
    residual = largest_residual(x_io, w_out, lower, upper)
    history_out[0] = residual
    sweeps = 0
    while sweeps < max_sweeps and tolerance < residual < DIVERGED:
        for i in range(x_io.shape[0]):
            w = b[i] if in_turn else w_out[i]
            for j in range(x_io.shape[0] if in_turn else 0):
                w += A[i, j] * x_io[j]
            x_io[i] = relaxed(x_io[i], w, _inverse(A[i, i]), lower[i], upper[i], relaxation)
        affine(A, b, x_io, w_out)
        residual = largest_residual(x_io, w_out, lower, upper)
        sweeps += 1
        history_out[sweeps] = residual
    return sweep_status(residual, tolerance), residual, sweeps


@kernel
def gauss_seidel_sparse(A, b, lower, upper, options, x_io, history_out, w_out):
    """Like `gauss_seidel_dense` with A = (indptr, indices, data, inverse); measured by what a sweep meets."""
    tolerance, relaxation, max_sweeps = options
    residual = largest_residual_sparse(A, b, lower, upper, x_io, w_out)
    history_out[0] = residual
    sweeps = 0
    while sweeps < max_sweeps and tolerance < residual < DIVERGED:
        residual = gauss_seidel_sweep(A, b, lower, upper, relaxation, x_io)
        sweeps += 1
        if residual <= tolerance:
            residual = largest_residual_sparse(A, b, lower, upper, x_io, w_out)
        history_out[sweeps] = residual
    residual = largest_residual_sparse(A, b, lower, upper, x_io, w_out)
    return sweep_status(residual, tolerance), residual, sweeps


@kernel
def jacobi_sparse(A, b, lower, upper, options, x_io, history_out, w_out):
    """Like `jacobi_dense` with A = (indptr, indices, data, inverse)."""
    tolerance, relaxation, max_sweeps = options
    _, _, _, inverse = A
    residual = largest_residual_sparse(A, b, lower, upper, x_io, w_out)
    history_out[0] = residual
    sweeps = 0
    while sweeps < max_sweeps and tolerance < residual < DIVERGED:
        for i in range(x_io.shape[0]):
            x_io[i] = relaxed(x_io[i], w_out[i], inverse[i], lower[i], upper[i], relaxation)
        residual = largest_residual_sparse(A, b, lower, upper, x_io, w_out)
        sweeps += 1
        history_out[sweeps] = residual
    return sweep_status(residual, tolerance), residual, sweeps


@kernel
def gauss_seidel_sweep(A, b, lower, upper, relaxation, x_io):
    """Visit every row once: the largest natural residual met."""
    indptr, indices, data, inverse = A
    largest = 0.0
    for i in range(x_io.shape[0]):
        w = b[i] + row_product(indices, data, indptr[i], indptr[i + 1], x_io)
        residual = row_residual(x_io[i], w, lower[i], upper[i])
        if not residual <= largest:
            largest = residual
        x_io[i] = relaxed(x_io[i], w, inverse[i], lower[i], upper[i], relaxation)
    return largest


@kernel
def row_product(indices, data, start, end, x):
    """Sum of data x over one row.

    In four sums, since one would wait for each addition before the next; with unsigned places, since Numba lets signed
    ones count from the end and pays for asking. Together this halves the time of a sweep.
    """
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    k, stop = np.uint64(start), np.uint64(end)
    while k + FOUR <= stop:
        s0 += data[k] * x[np.uint32(indices[k])]
        s1 += data[k + ONE] * x[np.uint32(indices[k + ONE])]
        s2 += data[k + TWO] * x[np.uint32(indices[k + TWO])]
        s3 += data[k + THREE] * x[np.uint32(indices[k + THREE])]
        k += FOUR
    while k < stop:
        s0 += data[k] * x[np.uint32(indices[k])]
        k += ONE
    return (s0 + s1) + (s2 + s3)


@kernel
def relaxed(x, w, inverse, lower, upper, relaxation):
    """New value of an unknown; `inverse` is 1 / A_ii, or 0 where A_ii <= 0 and its own row cannot move it."""
    return min(max(x - relaxation * w * inverse, lower), upper)


@kernel
def _inverse(diagonal):
    return 1.0 / diagonal if diagonal > 0.0 else 0.0


@kernel
def affine_sparse(A, b, x, w_out):
    """A x + b."""
    indptr, indices, data, _inverse = A
    for i in range(x.shape[0]):
        w_out[i] = b[i] + row_product(indices, data, indptr[i], indptr[i + 1], x)


@kernel
def largest_residual_sparse(A, b, lower, upper, x, w_out):
    """Largest natural residual at x, whose A x + b is left in `w_out`."""
    affine_sparse(A, b, x, w_out)
    return largest_residual(x, w_out, lower, upper)


@kernel
def sweep_status(residual, tolerance):
    """How sweeping ended."""
    if residual <= tolerance:
        return CONVERGED
    return MAX_ITERATIONS if isfinite(residual) and residual < DIVERGED else NOT_FINITE
