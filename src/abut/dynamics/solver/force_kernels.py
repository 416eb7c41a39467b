"""From the forces of the last step to those of this one: the problem of a step, set up, solved and read back.

Only islands with a body that is due, or whose forces can be better, are touched.
"""

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.vec_kernels import dot
from .accelerated_kernels import OF_GAP, larger
from .island_kernels import find_islands
from .law_kernels import joint_residual
from .problem_kernels import (
    HARD,
    ITERATIONS,
    LEAST_ITEMS,
    N_REPORT,
    SOFT,
    SOLVERS,
    UNSOLVED,
    WORK,
    add_report,
    make_room,
    settle_island,
)
from .problem_tables import Accuracy, Bodies, Contacts, Forces, Joints, Marks, Options, Problem, Rows, Status
from .row_kernels import (
    TANGENT_1,
    TANGENT_2,
    evaluate,
    first_row,
    name_bodies,
    set_end,
    set_targets,
    start_items,
    three,
)

# Columns of `left`, see Status.
LEFT_HARD, LEFT_SOFT, LEFT_UNSOLVED = 0, 1, 2


@lean_kernel
def _start_forces(items, contacts, forces, frame, factor, x_out):
    """Forces [N] as lengths, friction along the tangents."""
    n, friction = contacts.n, forces.friction
    for k in items:
        if k >= n:
            x_out[2 * n + k] = factor * forces.joint[k - n]
            continue
        x_out[3 * k] = factor * forces.force[k]
        if contacts.mu[k] > 0.0:
            f = (factor * friction[k, 0], factor * friction[k, 1], factor * friction[k, 2])
            for i, first in ((1, TANGENT_1), (2, TANGENT_2)):
                x_out[3 * k + i] = dot(f, three(frame[k], first))


@lean_kernel
def end_items(items, contacts, rows, factor, forces_io):
    """Lengths as forces [N], friction in the world's axes."""
    n, friction, x, frame = contacts.n, forces_io.friction, rows.x, rows.frame
    for k in items:
        if k >= n:
            forces_io.joint[k - n] = x[2 * n + k] / factor
            continue
        forces_io.force[k] = x[3 * k] / factor
        for i in range(3):
            friction[k, i] = 0.0
            if contacts.mu[k] > 0.0:
                along = x[3 * k + 1] * frame[k, TANGENT_1 + i] + x[3 * k + 2] * frame[k, TANGENT_2 + i]
                friction[k, i] = along / factor


@lean_kernel
def begin_items(items, contacts_io, joints, bodies, status, rows_io, options, forces):
    """Set up the rows of items, with the forces of the last step; arguments as for solve_forces."""
    start_items(items, contacts_io, joints, bodies, status.spin, status.locked, rows_io)
    _start_forces(items, contacts_io, forces, rows_io.frame, options.factor, rows_io.x)
    set_targets(items, contacts_io, bodies, rows_io, options.share)


@lean_kernel
def begin_bodies(contacts, joints, bodies_io, status, rows_io):
    """The bodies of every item; where those come to that cannot move, or were not looked at yet: without shifts."""
    name_bodies(contacts.n, contacts.name, joints.name, joints.reference.shape[0], rows_io.body)
    for b in range(bodies_io.end.shape[0]):
        new = status.due[b] and not status.begun[b]
        if new:
            for i in range(6):
                bodies_io.shift[b, i] = 0.0
        if new or not status.movable[b]:
            set_end(b, bodies_io.motion, bodies_io.free, bodies_io.dt, bodies_io.shift, bodies_io.end)


@lean_kernel
def _is_to_do(items, body, status, coarseness):
    """Whether something has changed for one of the bodies of an island, or its forces can be better."""
    due, coarse = status.due, status.coarse
    for item in items:
        a, b = body[item, 0], body[item, 1]
        if due[a] or due[b] or (coarseness <= 1.0 and (coarse[a] or coarse[b])):
            return True
    return False


@lean_kernel
def _are_begun(items, n, body, force, status):
    """Whether items are contacts of bodies that are begun, or that nothing pushed yet, so that most rows are right."""
    begun, movable, due = status.begun, status.movable, status.due
    for item in items:
        for side in range(2):
            b = body[item, side]
            if item >= n or not (begun[b] or not movable[b] or (due[b] and force[item] == 0.0)):
                return False
    return True


@lean_kernel
def _stands_still(items, body, movable, bodies):
    """Whether nobody in an island moves, nor did before: then it may sleep or not, and nothing must tell."""
    free, dt, shift, twist = bodies.free, bodies.dt, bodies.shift, bodies.twist
    for item in items:
        for side in range(2):
            b = body[item, side]
            for i in range(6 if movable[b] else 0):
                if twist[b, i] != 0.0 or dt * free[b, i] + shift[b, i] != 0.0:
                    return False
    return True


@lean_kernel
def _note(items, body, status_io, all_move, coarse, stands, report):
    """Note what was found of the bodies of an island; see Status."""
    movable, left = status_io.movable, status_io.left
    for item in items:
        for side in range(2):
            b = body[item, side]
            if movable[b]:
                status_io.due[b] |= all_move
                status_io.begun[b], status_io.coarse[b] = not stands, coarse
                left[b, LEFT_HARD], left[b, LEFT_SOFT], left[b, LEFT_UNSOLVED] = report[HARD], report[SOFT], 0.0
    first = body[items[0], 0] if movable[body[items[0], 0]] else body[items[0], 1]
    left[first, LEFT_UNSOLVED] = report[UNSOLVED]


@lean_kernel
def _list_due(items, body, due, found_out):
    """Items with a body that is due; returns how many."""
    found = 0
    for item in items:
        if due[body[item, 0]] or due[body[item, 1]]:
            found_out[found] = item
            found += 1
    return found


@kernel
def solve_forces(contacts_io, joints, bodies_io, status_io, rows_io, options, forces_io, report_out):
    """Forces of contacts and joints, and the bodies' shifts beyond their free motion; tables as of problem_tables.

    Islands without a body that is due, or coarse forces in a round that is not, stay as they are. Forces [N] are the
    start values too. Targets of contacts are set here. report_out as for settle_island.
    """
    contacts_io, joints, bodies_io, status_io = (
        Contacts(*contacts_io),
        Joints(*joints),
        Bodies(*bodies_io),
        Status(*status_io),
    )
    rows_io, options, forces_io = Rows(*rows_io), Options(*options), Forces(*forces_io)
    movable, due, body = status_io.movable, status_io.due, rows_io.body
    coarsest = OF_GAP * options.share * contacts_io.gap
    accuracy = Accuracy(options.tolerance, options.still, coarsest, options.coarseness)
    problem = Problem(contacts_io, joints, options.law, False, rows_io.w)
    n_item = contacts_io.n + rows_io.lower.shape[0]
    order, start, room = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32), make_room(movable.shape[0])
    found, report = np.empty(n_item, np.int32), np.empty_like(report_out)
    begin_bodies(contacts_io, joints, bodies_io, status_io, rows_io)
    report_out[:] = 0.0
    for k in range(find_islands(body, n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        if not _is_to_do(items, body, status_io, options.coarseness):
            continue
        report[:] = 0.0
        begun = items.shape[0] >= LEAST_ITEMS and _are_begun(items, contacts_io.n, body, forces_io.force, status_io)
        new = found[: _list_due(items, body, due, found)] if begun else items
        begin_items(new, contacts_io, joints, bodies_io, status_io, rows_io, options, forces_io)
        if begun:
            evaluate(new, contacts_io, joints, bodies_io.end, rows_io)
        marks = Marks(movable, due, begun, True)
        same, coarse, all_move = settle_island(items, problem, bodies_io, rows_io, accuracy, room, marks, report)
        _add_island(report, coarse, report_out)
        _note(items, body, status_io, all_move, coarse, _stands_still(items, body, movable, bodies_io), report)
        if not same:
            end_items(items, contacts_io, rows_io, options.factor, forces_io)


@lean_kernel
def _add_island(report, coarse, report_out):
    """Add what an island took; coarse forces are no reason to give a motion up: they are found again."""
    hard, soft = (0.0, 0.0) if coarse else (report[HARD], report[SOFT])
    add_report(hard, soft, report[ITERATIONS], report[UNSOLVED] == 0.0, report[WORK], report_out)
    for k in range(SOLVERS, N_REPORT):
        report_out[k] += report[k]


@lean_kernel
def mark_violated(n, rows, due, worst, marked_out):
    """Mark the bodies of contacts and joints that the last solve left violated by more than `worst` [m].

    Arguments as for solve_forces. What was not due was not solved, and its rows are older.
    """
    rows = Rows(*rows)
    body, w, x = rows.body, rows.w, rows.x
    for item in range(n + rows.lower.shape[0]):
        r, a, b = first_row(item, n), body[item, 0], body[item, 1]
        if not (due[a] or due[b]):
            continue
        violation = abs(min(x[r], w[r]))
        if item >= n:
            j = item - n
            violation = joint_residual(x[r], w[r], rows.compliance[j], rows.lower[j], rows.upper[j])
        if not violation <= worst:
            marked_out[a] = marked_out[b] = True


@lean_kernel
def sum_up(left, coarse):
    """What the solver left of all islands, see solve_forces: two largest violations, islands not solved, any coarse."""
    hard, soft, unsolved, any_coarse = 0.0, 0.0, 0, False
    for b in range(left.shape[0]):
        hard, soft = larger(hard, left[b, LEFT_HARD]), larger(soft, left[b, LEFT_SOFT])
        unsolved += int(left[b, LEFT_UNSOLVED])
        any_coarse |= coarse[b]
    return hard, soft, unsolved, any_coarse
