"""Semi-smooth Newton on the augmented equations of Alart & Curnier for Coulomb friction.

Alart & Curnier, Computer Methods in Applied Mechanics and Engineering 92 (1991). With y = r - rho u per contact:
F_n = r_n - max(0, y_n) and F_t = r_t - P(y_t), P the projection on the disk of radius mu max(0, y_n). F = 0 exactly
where contact and friction laws hold; its derivative by r and u is a pair of 3x3 blocks per contact, so that Newton's
matrix is D_r + D_u W.
"""

from math import isfinite, sqrt

from .._jit import kernel
from ..math.dense_kernels import lu_factor, lu_solve
from ..math.vec_kernels import load_mat, put_mat, put_row, row
from .friction_kernels import friction_residual, friction_sweep
from .solve_tables import FrictionNewtonOptions, FrictionNewtonWork, FrictionProblem
from .status_kernels import DIVERGED

BURST = 12
LOST = 1e4
MAX_SWEEPS = 2000
# Tables of FrictionNewtonWork.
VALUE, BEST, DIRECTION, RHO = 0, 1, 2, 3


@kernel
def alart_values(r, u, mu, rho, value_out):
    """F of every contact, rho an (n, 2) table (normal, tangential); returns |F|^2 / 2."""
    merit = 0.0
    for i in range(r.shape[0]):
        normal = max(r[i, 0] - rho[i, 0] * u[i, 0], 0.0)
        y1, y2 = r[i, 1] - rho[i, 1] * u[i, 1], r[i, 2] - rho[i, 1] * u[i, 2]
        length, radius = sqrt(y1 * y1 + y2 * y2), mu[i] * normal
        factor = 1.0 if length <= radius else radius / length
        F = (r[i, 0] - normal, r[i, 1] - factor * y1, r[i, 2] - factor * y2)
        put_row(F, i, value_out)
        merit += 0.5 * (F[0] * F[0] + F[1] * F[1] + F[2] * F[2])
    return merit


@kernel
def alart_slopes(r, u, mu, rho, by_r_out, by_u_out):
    """Blocks dF/dr and dF/du of every contact, (n, 3, 3) each."""
    for i in range(r.shape[0]):
        by_r, by_u = _contact_slopes(row(r, i), row(u, i), mu[i], rho[i, 0], rho[i, 1])
        put_mat(by_r, i, by_r_out)
        put_mat(by_u, i, by_u_out)


@kernel
def _contact_slopes(r, u, mu, rho_n, rho_t):
    """Open contact: F = r. Sticking: F = rho u. Slipping: F_t = r_t - mu y_n t, t the direction of y_t."""
    zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    y = r[0] - rho_n * u[0]
    if y <= 0.0:
        return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), zero
    y1, y2 = r[1] - rho_t * u[1], r[2] - rho_t * u[2]
    length, radius = sqrt(y1 * y1 + y2 * y2), mu * y
    if length <= radius:
        return zero, (rho_n, 0.0, 0.0, 0.0, rho_t, 0.0, 0.0, 0.0, rho_t)
    t1, t2, bend = y1 / length, y2 / length, radius / length
    m11, m12, m22 = bend * (1.0 - t1 * t1), -bend * t1 * t2, bend * (1.0 - t2 * t2)
    by_r = (0.0, 0.0, 0.0, -mu * t1, 1.0 - m11, -m12, -mu * t2, -m12, 1.0 - m22)
    n1, n2 = mu * rho_n * t1, mu * rho_n * t2
    by_u = (rho_n, 0.0, 0.0, n1, rho_t * m11, rho_t * m12, n2, rho_t * m12, rho_t * m22)
    return by_r, by_u


@kernel
def alart_weights(W, rho_out):
    """Weights rho = 1 / W_nn and 2 / trace(W_tt) of each contact's own block: u and r become comparable."""
    _indptr, _indices, blocks, diagonal = W
    for i in range(diagonal.shape[0]):
        block = load_mat(blocks, diagonal[i])
        rho_out[i, 0] = 1.0 / block[0] if block[0] > 0.0 else 1.0
        tangential = 0.5 * (block[4] + block[8])
        rho_out[i, 1] = 1.0 / tangential if tangential > 0.0 else 1.0


@kernel
def _assemble(W, by_r, by_u, regularisation, matrix_out):
    """D_r + D_u (W + regularisation I) as a dense matrix."""
    indptr, indices, blocks, diagonal = W
    n = diagonal.shape[0]
    for i in range(3 * n):
        for c in range(3 * n):
            matrix_out[i, c] = 0.0
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            for a in range(3):
                for c in range(3):
                    s = 0.0
                    for d in range(3):
                        s += by_u[i, a, d] * blocks[k, d, c]
                    matrix_out[3 * i + a, 3 * j + c] += s
        for a in range(3):
            for c in range(3):
                matrix_out[3 * i + a, 3 * i + c] += by_r[i, a, c] + regularisation * by_u[i, a, c]


@kernel
def _direction(problem, r, u, regularisation, work):
    """Newton's direction into its table of `work`; False where the matrix is singular."""
    matrix, pivot, flat, n = work.matrix, work.pivot, work.flat, r.shape[0]
    value, direction, by_r, by_u = work.tables[VALUE], work.tables[DIRECTION], work.blocks[0], work.blocks[1]
    alart_slopes(r, u, problem.mu, work.tables[RHO], by_r, by_u)
    _assemble(problem.W, by_r, by_u, regularisation, matrix)
    for i in range(n):
        for a in range(3):
            flat[3 * i + a] = -value[i, a]
    if not lu_factor(matrix, 3 * n, pivot):
        return False
    lu_solve(matrix, 3 * n, pivot, flat)
    total = 0.0
    for i in range(n):
        for a in range(3):
            direction[i, a] = flat[3 * i + a]
            total += abs(direction[i, a])
    return isfinite(total)


@kernel
def _copy(r, table_out):
    """Copy impulses to the first rows of a table."""
    for i in range(r.shape[0]):
        put_row(row(r, i), i, table_out)


@kernel
def _add(table, r_io):
    """Add the first rows of a table to impulses."""
    for i in range(r_io.shape[0]):
        for a in range(3):
            r_io[i, a] += table[i, a]


@kernel
def friction_newton(W, q, mu, options, r_io, work, history_out, u_out):
    """Newton from the impulses in `r_io`, in bursts between Gauss-Seidel sweeps: residual and rounds.

    A burst takes whole steps, through worse points if need be, and is undone unless it leads to a better one; one that
    does not halve the residual doubles the sweeps before the next. (A line search on |F|^2 stops in local minima more
    often.) A round is a step of Newton or the sweeps before a burst.
    """
    options, work, problem = FrictionNewtonOptions(*options), FrictionNewtonWork(*work), FrictionProblem(W, q, mu)
    alart_weights(W, work.tables[RHO])
    residual = friction_residual(W, q, mu, r_io, u_out)
    history_out[0] = residual
    sweeps, rounds = options.sweeps, 0
    while rounds < options.max_rounds and options.tolerance < residual < DIVERGED:
        for _ in range(sweeps):
            friction_sweep(W, q, mu, 1.0, r_io)
        before = friction_residual(W, q, mu, r_io, u_out)
        rounds += 1
        history_out[rounds] = before
        residual, rounds = _burst(problem, options, before, rounds, r_io, work, history_out, u_out)
        sweeps = min(2 * sweeps, MAX_SWEEPS) if residual > 0.5 * before else options.sweeps
    return friction_residual(W, q, mu, r_io, u_out), rounds


@kernel
def _burst(problem, options, before, rounds, r_io, work, history_out, u_out):
    """Whole Newton steps from `r_io`, which ends at the best point met: its residual, and the rounds so far."""
    (W, q, mu), best, lowest = problem, work.tables[BEST], before
    _copy(r_io, best)
    for _ in range(min(BURST, options.max_rounds - rounds)):
        alart_values(r_io, u_out, mu, work.tables[RHO], work.tables[VALUE])
        if lowest <= options.tolerance or not _direction(problem, r_io, u_out, options.regularisation, work):
            break
        _add(work.tables[DIRECTION], r_io)
        residual = friction_residual(W, q, mu, r_io, u_out)
        if residual < lowest:
            lowest = residual
            _copy(r_io, best)
        rounds += 1
        history_out[rounds] = lowest
        if not residual < LOST * before:
            break
    for i in range(r_io.shape[0]):
        put_row(row(best, i), i, r_io)
    return lowest, rounds
