"""Contact forces so that all gaps are at least their targets at the end of the step (SiLVIA 3).

0 <= gap(s(f)) - target  perp  f >= 0, with u(f) = u_free + dt M^-1 C f and the exact rotation of s. Unknowns are
scaled to lengths: x = f dt^2 / m, m the smallest mass, so that x and the gaps have one unit and Newton's matrix is well
scaled.

Bodies that touch form islands, which are solved one by one. A small island is solved by semi-smooth Newton on the
Fischer function with the gaps' exact derivative, a large one by Gauss-Seidel sweeps on repeated linearisations.
"""

import numpy as np

from .._jit import kernel
from ..contact.contact_kernels import BODY_A, BODY_B, gap_row
from ..math.pose_kernels import motion_at
from ..query.feature_table_kernels import load_motion
from ..solve.newton_kernels import EVALUATE, FINISHED, LINEARISE, newton_resume, newton_start
from ..solve.status_kernels import CONVERGED

LARGEST_DENSE = 160
SWEEPS, LINEARISATIONS = 60, 4


@kernel
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def find_islands(name, n, movable, order_out, start_out):
    """Sort the contacts by island; returns the number of islands. Bodies that cannot move join nothing."""
    parent = np.arange(movable.shape[0])
    for k in range(n):
        a, b = name[k, BODY_A], name[k, BODY_B]
        if movable[a] and movable[b]:
            parent[_root(parent, a)] = _root(parent, b)
    number = np.full(movable.shape[0], -1, np.int32)
    island = np.empty(n, np.int32)
    n_island = 0
    for k in range(n):
        a, b = name[k, BODY_A], name[k, BODY_B]
        r = _root(parent, a) if movable[a] else _root(parent, b)
        if number[r] < 0:
            number[r] = n_island
            n_island += 1
        island[k] = number[r]
    start_out[: n_island + 1] = 0
    for k in range(n):
        start_out[island[k] + 1] += 1
    for i in range(n_island):
        start_out[i + 1] += start_out[i]
    filled = start_out[: n_island + 1].copy()
    for k in range(n):
        order_out[filled[island[k]]] = k
        filled[island[k]] += 1
    return n_island


@kernel
def _radii(table, shape_of, name, k):
    return table[4][1][shape_of[name[k, BODY_A]]] + table[4][1][shape_of[name[k, BODY_B]]]


@kernel
def contact_responses(name, place, n, table, shape_of, motion, response, row_out, answer_out):
    """Direction in which each contact pushes its bodies at the start of the step, and how they answer to it."""
    for k in range(n):
        a, b = name[k, BODY_A], name[k, BODY_B]
        gap_row(
            place, k, load_motion(motion, a)[0], load_motion(motion, b)[0], _radii(table, shape_of, name, k), row_out[k]
        )
        for i in range(6):
            answer_a, answer_b = 0.0, 0.0
            for j in range(6):
                answer_a += response[a, i, j] * row_out[k, j]
                answer_b += response[b, i, j] * row_out[k, 6 + j]
            answer_out[k, i], answer_out[k, 6 + i] = answer_a, answer_b


@kernel
def _set_twists(members, name, x, answer, free, factor, u):
    """U = u_free + factor * sum of the answers to x, for the bodies of one island."""
    for k in members:
        for i in range(6):
            u[name[k, BODY_A], i] = free[name[k, BODY_A], i]
            u[name[k, BODY_B], i] = free[name[k, BODY_B], i]
    for m in range(members.shape[0]):
        k = members[m]
        a, b = name[k, BODY_A], name[k, BODY_B]
        for i in range(6):
            u[a, i] += factor * x[m] * answer[k, i]
            u[b, i] += factor * x[m] * answer[k, 6 + i]


@kernel
def _end_pose(motion, u, i, dt):
    X = load_motion(motion, i)[0]
    d = (dt * u[i, 0], dt * u[i, 1], dt * u[i, 2])
    return motion_at(X, d, (dt * u[i, 3], dt * u[i, 4], dt * u[i, 5]), 1.0)


@kernel
def _evaluate(members, name, place, table, shape_of, motion, u, dt, target, gap_out, row_out):
    """Gaps over their targets at the end of the step, and their derivatives by the twists."""
    for m in range(members.shape[0]):
        k = members[m]
        X_a, X_b = _end_pose(motion, u, name[k, BODY_A], dt), _end_pose(motion, u, name[k, BODY_B], dt)
        gap_out[m] = gap_row(place, k, X_a, X_b, _radii(table, shape_of, name, k), row_out[m]) - target[k]


@kernel
def _coupling(name, k, l, row, answer):
    """Change of the gap with derivative `row` of contact k when contact l pushes."""
    total = 0.0
    for side_k in range(2):
        for side_l in range(2):
            if name[k, side_k] == name[l, side_l]:
                for i in range(6):
                    total += row[6 * side_k + i] * answer[6 * side_l + i]
    return total


@kernel
def _solve_dense(members, contacts, bodies, dt, scale, options, x, work, workspace):
    """Newton on one small island; x starts with the last forces. Returns status, residual and iterations."""
    name, place, table, shape_of, target, answer = contacts
    motion, free, u = bodies
    gap, row, matrix, lower, upper = workspace
    n = members.shape[0]
    w, J = gap[:n], matrix[:n, :n]
    factor = scale / dt
    _set_twists(members, name, x, answer, free, factor, u)
    _evaluate(members, name, place, table, shape_of, motion, u, dt, target, w, row)
    request = newton_start(x, w, lower[:n], upper[:n], options, work)
    while request != FINISHED:
        if request == EVALUATE:
            _set_twists(members, name, x, answer, free, factor, u)
            _evaluate(members, name, place, table, shape_of, motion, u, dt, target, w, row)
        elif request == LINEARISE:
            for i in range(n):
                for j in range(n):
                    J[i, j] = scale * _coupling(name, members[i], members[j], row[i], answer[members[j]])
        request = newton_resume(x, w, J, lower[:n], upper[:n], options, work)
    _set_twists(members, name, x, answer, free, factor, u)
    return work[1][3], work[0][0], work[1][1]


@kernel
def _sweep(members, name, row, answer, base, scale, factor, dt, reference, x, u):
    """One Gauss-Seidel sweep over the linearised gaps of an island; returns the largest residual met."""
    worst = 0.0
    for m in range(members.shape[0]):
        k = members[m]
        a, b = name[k, BODY_A], name[k, BODY_B]
        gap = base[m]
        for i in range(6):
            gap += dt * (row[m, i] * (u[a, i] - reference[a, i]) + row[m, 6 + i] * (u[b, i] - reference[b, i]))
        stiffness = scale * _coupling(name, k, k, row[m], answer[k])
        worst = max(worst, abs(min(x[m], gap)))
        if stiffness <= 0.0:
            continue
        change = max(-x[m], -gap / stiffness)
        x[m] += change
        for i in range(6):
            u[a, i] += factor * change * answer[k, i]
            u[b, i] += factor * change * answer[k, 6 + i]
    return worst


@kernel
def _solve_sweeping(members, contacts, bodies, dt, scale, tolerance, x, reference, workspace):
    """Sweeps on one large island; returns status, residual and sweeps."""
    name, place, table, shape_of, target, answer = contacts
    motion, free, u = bodies
    gap, row, _, _, _ = workspace
    factor, residual, sweeps = scale / dt, 0.0, 0
    for _ in range(LINEARISATIONS):
        _set_twists(members, name, x, answer, free, factor, u)
        _evaluate(members, name, place, table, shape_of, motion, u, dt, target, gap, row)
        residual = 0.0
        for m in range(members.shape[0]):
            residual = max(residual, abs(min(x[m], gap[m])))
        if residual <= tolerance:
            return CONVERGED, residual, sweeps
        reference[:] = u
        for _ in range(SWEEPS):
            sweeps += 1
            if _sweep(members, name, row, answer, gap, scale, factor, dt, reference, x, u) <= 0.1 * tolerance:
                break
    return 1, residual, sweeps


@kernel
def solve_contacts(n, contacts, bodies, movable, dt, scale, options, force, buffers, work, workspace, report_out):
    """Forces (as lengths x) of n contacts and the twists they give.

    report_out = [largest residual, iterations, islands not solved to the tolerance, largest residual of those for which
    Newton failed]. contacts = (name, place, table, shape_of, target, answer), bodies = (motion, free, u).
    """
    name, free, u = contacts[0], bodies[1], bodies[2]
    order, start, reference = buffers
    u[:] = free
    report_out[:] = 0.0
    n_island = find_islands(name, n, movable, order, start)
    for i in range(n_island):
        members = order[start[i] : start[i + 1]]
        x = np.empty(members.shape[0])
        for m in range(members.shape[0]):
            x[m] = force[members[m]]
        if members.shape[0] <= LARGEST_DENSE:
            status, residual, steps = _solve_dense(members, contacts, bodies, dt, scale, options, x, work, workspace)
            if status != CONVERGED:
                report_out[3] = residual if not residual <= report_out[3] else report_out[3]
        else:
            status, residual, steps = _solve_sweeping(
                members, contacts, bodies, dt, scale, options[0], x, reference, workspace
            )
        for m in range(members.shape[0]):
            force[members[m]] = x[m]
        report_out[0] = max(report_out[0], residual)
        report_out[1] += steps
        report_out[2] += 1.0 if status != CONVERGED else 0.0
