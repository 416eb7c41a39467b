"""Block Gauss-Seidel for many Coulomb contacts: each contact in turn is solved exactly for the others' impulses.

Jean & Moreau's non-smooth contact dynamics. The matrix is kept in 3x3 blocks by rows:
W = (indptr, indices, blocks, diagonal) with blocks (k, 3, 3) and diagonal[i] the place of block (i, i).
Impulses and velocities are (n, 3) tables.
"""

from math import sqrt

from .._jit import kernel
from ..math.vec_kernels import add, load_mat, mat_vec, put_row, row
from .cone_kernels import coulomb_residual2, solve_contact
from .status_kernels import DIVERGED
from .sweep_kernels import sweep_status

# Measurements without a new best after which sweeps are damped, by how much each time, and how far at most.
IDLE_SWEEPS, _DAMPED, _MOST_DAMPED = 20, 0.9, 0.5


@kernel
def friction_gauss_seidel(W, q, mu, options, r_io, history_out, u_out):
    """Sweep from the impulses in `r_io` until converged: status, residual, sweeps, number of measurements.

    options = (tolerance, relaxation, max_sweeps, every): the residual is measured after every so many sweeps. Contacts
    that share a body may throw an impulse to and fro for ever; where the residual no longer falls, sweeps are damped.
    """
    residual = friction_residual(W, q, mu, r_io, u_out)
    history_out[0] = residual
    sweeps, measured = 0, 1
    tolerance, relaxation, max_sweeps, every = options
    best, idle = residual, 0
    while sweeps < max_sweeps and tolerance < residual < DIVERGED:
        for _ in range(min(every, max_sweeps - sweeps)):
            friction_sweep(W, q, mu, relaxation, r_io)
            sweeps += 1
        residual = friction_residual(W, q, mu, r_io, u_out)
        history_out[measured] = residual
        measured += 1
        best, idle = (residual, 0) if residual < best else (best, idle + 1)
        if idle == IDLE_SWEEPS:
            relaxation, idle = max(_DAMPED * relaxation, _MOST_DAMPED), 0
    return sweep_status(residual, tolerance), residual, sweeps, measured


@kernel
def friction_sweep(W, q, mu, relaxation, r_io):
    """Visit every contact once."""
    indptr, indices, blocks, diagonal = W
    for i in range(r_io.shape[0]):
        rest = row(q, i)
        for k in range(indptr[i], indptr[i + 1]):
            if k != diagonal[i]:
                rest = add(rest, mat_vec(load_mat(blocks, k), row(r_io, indices[k])))
        new = solve_contact(load_mat(blocks, diagonal[i]), rest, mu[i])
        # A mean of two points of the cone lies in it; a step beyond might not, but the residual judges it.
        r_io[i, 0] += relaxation * (new[0] - r_io[i, 0])
        r_io[i, 1] += relaxation * (new[1] - r_io[i, 1])
        r_io[i, 2] += relaxation * (new[2] - r_io[i, 2])


@kernel
def friction_velocity(W, q, r, u_out):
    """Velocities u = W r + q."""
    indptr, indices, blocks, _diagonal = W
    for i in range(r.shape[0]):
        u = row(q, i)
        for k in range(indptr[i], indptr[i + 1]):
            u = add(u, mat_vec(load_mat(blocks, k), row(r, indices[k])))
        put_row(u, i, u_out)


@kernel
def friction_residual(W, q, mu, r, u_out):
    """|r - P_K(r - u^)| / |q| over all contacts, for W and r scaled to max|W| = 1; u in `u_out`."""
    friction_velocity(W, q, r, u_out)
    total, size2 = 0.0, 0.0
    for i in range(r.shape[0]):
        total += coulomb_residual2(row(r, i), row(u_out, i), mu[i])
        size2 += q[i, 0] ** 2 + q[i, 1] ** 2 + q[i, 2] ** 2
    return sqrt(total / size2) if size2 > 0.0 else sqrt(total)
