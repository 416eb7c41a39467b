"""Projected Gauss-Seidel and Jacobi on rows with bounds, dense and row-compressed sparse.

Each visit of a row sets x_i <- clip(x_i - relaxation w_i / A_ii); the largest A_ii |change| of an undamped sweep is the
largest natural residual met on the way. Both converge for symmetric positive semi-definite A with a solution, Jacobi
only when damped.
"""

from math import isfinite

from .._jit import kernel
from .ncp_kernels import affine, largest_residual
from .status_kernels import CONVERGED, MAX_ITERATIONS, NOT_FINITE


@kernel
def gauss_seidel_dense(A, b, lower, upper, options, x, history_out, w_out):
    """Sweep until converged: status, residual, sweeps. options = (tolerance, relaxation, max_sweeps)."""
    affine(A, b, x, w_out)
    residual = largest_residual(x, w_out, lower, upper)
    history_out[0] = residual
    sweeps = 0
    while sweeps < options[2] and options[0] < residual < 1e300:
        for i in range(x.shape[0]):
            w = b[i]
            for j in range(x.shape[0]):
                w += A[i, j] * x[j]
            x[i] = relaxed(x[i], w, A[i, i], lower[i], upper[i], options[1])
        affine(A, b, x, w_out)
        residual = largest_residual(x, w_out, lower, upper)
        sweeps += 1
        history_out[sweeps] = residual
    return sweep_status(residual, options[0]), residual, sweeps


@kernel
def jacobi_dense(A, b, lower, upper, options, x, history_out, w_out):
    """Like `gauss_seidel_dense`, with every row judged by the same x: the rows could be visited in any order."""
    affine(A, b, x, w_out)
    residual = largest_residual(x, w_out, lower, upper)
    history_out[0] = residual
    sweeps = 0
    while sweeps < options[2] and options[0] < residual < 1e300:
        for i in range(x.shape[0]):
            x[i] = relaxed(x[i], w_out[i], A[i, i], lower[i], upper[i], options[1])
        affine(A, b, x, w_out)
        residual = largest_residual(x, w_out, lower, upper)
        sweeps += 1
        history_out[sweeps] = residual
    return sweep_status(residual, options[0]), residual, sweeps


@kernel
def gauss_seidel_sparse(A, b, lower, upper, options, x, history_out, w_out):
    """Like `gauss_seidel_dense` with A = (indptr, indices, data, diagonal); measured by what a sweep meets."""
    residual = largest_residual_sparse(A, b, lower, upper, x, w_out)
    history_out[0] = residual
    sweeps = 0
    while sweeps < options[2] and options[0] < residual < 1e300:
        residual = gauss_seidel_sweep(A, b, lower, upper, options[1], x)
        sweeps += 1
        if residual <= options[0]:
            residual = largest_residual_sparse(A, b, lower, upper, x, w_out)
        history_out[sweeps] = residual
    residual = largest_residual_sparse(A, b, lower, upper, x, w_out)
    return sweep_status(residual, options[0]), residual, sweeps


@kernel
def jacobi_sparse(A, b, lower, upper, options, x, history_out, w_out):
    """Like `jacobi_dense` with A = (indptr, indices, data, diagonal)."""
    residual = largest_residual_sparse(A, b, lower, upper, x, w_out)
    history_out[0] = residual
    sweeps = 0
    while sweeps < options[2] and options[0] < residual < 1e300:
        for i in range(x.shape[0]):
            x[i] = relaxed(x[i], w_out[i], A[3][i], lower[i], upper[i], options[1])
        residual = largest_residual_sparse(A, b, lower, upper, x, w_out)
        sweeps += 1
        history_out[sweeps] = residual
    return sweep_status(residual, options[0]), residual, sweeps


@kernel
def gauss_seidel_sweep(A, b, lower, upper, relaxation, x):
    """Visit every row once: the largest natural residual met."""
    indptr, indices, data, diagonal = A
    largest = 0.0
    for i in range(x.shape[0]):
        w = b[i]
        for k in range(indptr[i], indptr[i + 1]):
            w += data[k] * x[indices[k]]
        residual = abs(x[i] - min(max(x[i] - w, lower[i]), upper[i]))
        if not residual <= largest:
            largest = residual
        x[i] = relaxed(x[i], w, diagonal[i], lower[i], upper[i], relaxation)
    return largest


@kernel
def relaxed(x, w, diagonal, lower, upper, relaxation):
    """New value of an unknown; one whose own row does not move it (A_ii <= 0) stays."""
    if not diagonal > 0.0:
        return x
    return min(max(x - relaxation * w / diagonal, lower), upper)


@kernel
def affine_sparse(A, b, x, w_out):
    """A x + b."""
    indptr, indices, data, _diagonal = A
    for i in range(x.shape[0]):
        w = b[i]
        for k in range(indptr[i], indptr[i + 1]):
            w += data[k] * x[indices[k]]
        w_out[i] = w


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
    return MAX_ITERATIONS if isfinite(residual) and residual < 1e300 else NOT_FINITE
