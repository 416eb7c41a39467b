"""Solving with the matrix of a step: conjugate gradients with its factor as preconditioner, a limited number of them.

Vectors are (n, 4), in the order of elimination; the fourth number means nothing. The matrix is known by its lower
blocks alone.
"""

from math import sqrt

from ..._jit import NO_PRODUCTS, QUAD, add_block, dot_block, kernel, lean_kernel
from .elastic_tables import Matrix, NodeData, Panels, Pattern, StepSettings
from .factor_kernels import apply_factor
from .panel_kernels import apply_panels


@lean_kernel
def multiply(pattern, block, x, y_out):
    """The symmetric matrix times x."""
    for p in range(x.shape[0]):
        for k in range(QUAD):
            y_out[p, k] = 0.0
    for p in range(x.shape[0]):
        a, b, c = x[p, 0], x[p, 1], x[p, 2]
        u, v, w = dot_block(block, pattern.start[p], x, p, NO_PRODUCTS)
        for s in range(pattern.start[p] + 1, pattern.start[p + 1]):
            r = pattern.row[s]
            u, v, w = dot_block(block, s, x, r, (u, v, w))
            add_block(block, s, a, b, c, y_out, r)
        y_out[p, 0] += u[0] + u[1] + u[2]
        y_out[p, 1] += v[0] + v[1] + v[2]
        y_out[p, 2] += w[0] + w[1] + w[2]


@lean_kernel
def dot_rows(a, b):
    """Sum of products of all entries, always added in the same order."""
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i, 0] * b[i, 0] + a[i, 1] * b[i, 1] + a[i, 2] * b[i, 2]
    return s


@lean_kernel
def _precondition(pattern, matrix, r, z_out):
    """Solve with the factor, which is of a shape from which the nodes have turned."""
    turn = matrix.turn
    for i in range(r.shape[0]):
        x, y, z = r[i, 0], r[i, 1], r[i, 2]
        for d in range(3):
            z_out[i, d] = turn[i, 0, d] * x + turn[i, 1, d] * y + turn[i, 2, d] * z
    if matrix.panel_height.shape[0] > 0:
        panels = Panels(
            matrix.panel_first, matrix.panel_start, matrix.panel_height, matrix.panel_data, matrix.panel_work
        )
        apply_panels(pattern, matrix.factor, matrix.pivot, panels, z_out)
    else:
        apply_factor(pattern, matrix.factor, matrix.pivot, z_out)
    for i in range(r.shape[0]):
        x, y, z = z_out[i, 0], z_out[i, 1], z_out[i, 2]
        for d in range(3):
            z_out[i, d] = turn[i, d, 0] * x + turn[i, d, 1] * y + turn[i, d, 2] * z


@lean_kernel
def conjugate_gradients(pattern, matrix_io, tolerance, most, x_out):
    """Solve A x = b from x = 0, b standing in vectors[0], which becomes the residual b - A x.

    Ends when the residual is `tolerance` times that of the start, or after `most` iterations. Returns how many there
    were and the relative residual.
    """
    r, z, p, q = matrix_io.vectors[0], matrix_io.vectors[1], matrix_io.vectors[2], matrix_io.vectors[3]
    for i in range(r.shape[0]):
        for d in range(3):
            x_out[i, d], p[i, d] = 0.0, 0.0
    begin = sqrt(dot_rows(r, r))
    size, before, iterations = begin, 1.0, 0
    while size > tolerance * begin and iterations < most:
        _precondition(pattern, matrix_io, r, z)
        now = dot_rows(r, z)
        turn = now / before if iterations > 0 else 0.0
        for i in range(r.shape[0]):
            for d in range(3):
                p[i, d] = z[i, d] + turn * p[i, d]
        multiply(pattern, matrix_io.block, p, q)
        step = now / dot_rows(p, q)
        for i in range(r.shape[0]):
            for d in range(3):
                x_out[i, d] += step * p[i, d]
                r[i, d] -= step * q[i, d]
        size, before, iterations = sqrt(dot_rows(r, r)), now, iterations + 1
    return iterations, size / begin if begin > 0.0 else 0.0


@lean_kernel
def _keep_momentum(pattern, mass, factor, b_sum, matrix_io, x_io):
    """Move all nodes alike, so that the momentum is what the loads say, whatever the residual, which follows.

    Stiffness does not resist a common translation: the rows of A sum up to `factor` times the masses.
    """
    total, carried = 0.0, (0.0, 0.0, 0.0)
    for p in range(pattern.order.shape[0]):
        m = mass[pattern.order[p]]
        total += m
        carried = carried[0] + m * x_io[p, 0], carried[1] + m * x_io[p, 1], carried[2] + m * x_io[p, 2]
    for d in range(3):
        shift = (b_sum[d] / factor - carried[d]) / total
        for p in range(pattern.order.shape[0]):
            x_io[p, d] += shift
            matrix_io.vectors[0, p, d] -= factor * mass[pattern.order[p]] * shift


@lean_kernel
def _solve_right(pattern, nodes, settings, matrix_io):
    """Solve A x = b with b in vectors[0], which becomes the residual, and x in vectors[4]; iterations and residual."""
    right, answer = matrix_io.vectors[0], matrix_io.vectors[4]
    a, b, c = 0.0, 0.0, 0.0
    for p in range(right.shape[0]):
        a, b, c = a + right[p, 0], b + right[p, 1], c + right[p, 2]
    iterations, residual = conjugate_gradients(pattern, matrix_io, settings.tolerance, settings.max_iterations, answer)
    if settings.free:
        factor = 1.0 + settings.theta * settings.dt * settings.mass_damping
        _keep_momentum(pattern, nodes.mass, factor, (a, b, c), matrix_io, answer)
    return iterations, residual


@kernel
def solve(pattern, nodes, settings, b, matrix_io, x_out):
    """Solve A x = b for tables in the order of the mesh; held nodes get 0. Returns iterations and relative residual."""
    pattern, nodes, settings, matrix = Pattern(*pattern), NodeData(*nodes), StepSettings(*settings), Matrix(*matrix_io)
    right, answer = matrix.vectors[0], matrix.vectors[4]
    for i in range(b.shape[0]):
        for d in range(3):
            right[pattern.place[i], d] = 0.0 if nodes.held[i] != 0 else b[i, d]
    iterations, residual = _solve_right(pattern, nodes, settings, matrix)
    for i in range(b.shape[0]):
        for d in range(3):
            x_out[i, d] = answer[pattern.place[i], d]
    return iterations, residual


@kernel
def keep_change(change, matrix_io, w_io):
    """Add the last solution to velocities, and note what it left, for impulses that are added to the same equation."""
    matrix = Matrix(*matrix_io)
    for p in range(w_io.shape[0]):
        for d in range(3):
            w_io[p, d] += change[p, d]
            matrix.vectors[5, p, d] = matrix.vectors[0, p, d]


@kernel
def solve_more(pattern, nodes, settings, impulses, matrix_io, w_io):
    """Add impulses (n, 3) to the equation of a step and improve its velocities, by all that is left of it.

    Returns iterations and the residual over that of their start.
    """
    pattern, nodes, settings, matrix = Pattern(*pattern), NodeData(*nodes), StepSettings(*settings), Matrix(*matrix_io)
    right, answer, rest = matrix.vectors[0], matrix.vectors[4], matrix.vectors[5]
    for i in range(impulses.shape[0]):
        p = pattern.place[i]
        for d in range(3):
            more = 0.0 if nodes.held[i] != 0 else settings.theta * impulses[i, d]
            right[p, d] = rest[p, d] + more
    iterations, residual = _solve_right(pattern, nodes, settings, matrix)
    for i in range(impulses.shape[0]):
        p = pattern.place[i]
        for d in range(3):
            w_io[i, d] += answer[p, d]
            rest[p, d] = right[p, d]
    return iterations, residual
