"""From the forces of the last step to those of this one: the problem of a step, set up, solved and read back.

Only islands with a body that is due are touched.
"""

import numpy as np

from .._jit import kernel, lean_kernel
from ..math.vec_kernels import dot
from .accelerated_kernels import OF_GAP, larger
from .island_kernels import find_islands
from .law_kernels import joint_residual
from .problem_kernels import HARD, ITERATIONS, SOFT, UNSOLVED, add_report, make_room, settle_island
from .row_kernels import TANGENT_1, TANGENT_2, first_row, name_bodies, set_end, set_targets, start_items


@lean_kernel
def _start_forces(items, n, mu, forces, frame, factor, x_out):
    """Forces [N] as lengths, friction along the tangents."""
    force, friction, joint_force = forces
    for k in items:
        if k >= n:
            x_out[2 * n + k] = factor * joint_force[k - n]
            continue
        x_out[3 * k] = factor * force[k]
        if mu[k] > 0.0:
            f = (factor * friction[k, 0], factor * friction[k, 1], factor * friction[k, 2])
            for i, first in ((1, TANGENT_1), (2, TANGENT_2)):
                x_out[3 * k + i] = dot(f, (frame[k, first], frame[k, first + 1], frame[k, first + 2]))


@lean_kernel
def end_items(items, n, mu, x, frame, factor, forces):
    """Lengths as forces [N], friction in the world's axes."""
    force, friction, joint_force = forces
    for k in items:
        if k >= n:
            joint_force[k - n] = x[2 * n + k] / factor
            continue
        force[k] = x[3 * k] / factor
        for i in range(3):
            friction[k, i] = 0.0
            if mu[k] > 0.0:
                along = x[3 * k + 1] * frame[k, TANGENT_1 + i] + x[3 * k + 2] * frame[k, TANGENT_2 + i]
                friction[k, i] = along / factor


@lean_kernel
def begin_items(items, n, contacts, joints, bodies, rows, options, forces):
    """Set up the rows of items, with the forces of the last step; arguments as for solve_forces."""
    motion, dt, twist, locked = bodies[0], bodies[4], bodies[9], bodies[10]
    body, push, _slope, w, x, _y, _rho, frame = rows
    factor, share = options[1], options[2]
    start_items(items, n, contacts, joints, motion, twist, bodies[14], dt, body, locked, frame, push, w)
    _start_forces(items, n, contacts[4], forces, frame, factor, x)
    set_targets(items, n, contacts, bodies, rows, share)


@lean_kernel
def begin_bodies(n, contacts, joints, bodies, rows):
    """The bodies of every item, where bodies that cannot move come to, and no shifts of those that are due."""
    motion, free, dt, shift, end, movable, due = (
        bodies[0],
        bodies[1],
        bodies[4],
        bodies[6],
        bodies[7],
        bodies[11],
        bodies[12],
    )
    name_bodies(n, contacts[0], joints[0], joints[3].shape[0], rows[0])
    for b in range(end.shape[0]):
        if due[b]:
            for i in range(6):
                shift[b, i] = 0.0
        if not movable[b]:
            set_end(b, motion, free, dt, shift, end)


@lean_kernel
def _any_due(items, body, due):
    """Whether something has changed for one of the bodies of an island."""
    for item in items:
        if due[body[item, 0]] or due[body[item, 1]]:
            return True
    return False


@kernel
def solve_forces(n, contacts, joints, limits, bodies, rows, options, forces, scratch, report_out):
    """Forces of n contacts and all joints, and the bodies' shifts beyond their free motion.

    contacts = (name, place, radius of bodies that are balls, extra, mu, target, contact gap): targets are set here;
    joints = (name, place, last, reference); limits = (compliance, lower, upper) of the joints' rows, in lengths;
    bodies = (motion, free, response, weight, dt, reach, shift, end, wrench, twist, locked, movable, due, hasty, spin,
             left): islands without a body that is due stay as they are, all bodies of the others become due, and hasty
             where forces are right in haste only; contacts push as if bodies turned with `spin`; each row of `left` is
             what the solver left of the island of a body, [violation of contacts and joints, of friction, 1 for one
             body of an island that is not solved to tolerance];
    rows = (body, push, slope, w, x, y, rho, frame);
    options = (tolerance, force to length, share of the step, friction law, motion of bodies at rest, haste);
    forces = (force, friction, joint force) [N], which are the start values too.
    """
    motion, free, response, weight, dt, reach, shift, end, wrench, twist, _locked, movable = bodies[:12]
    due, hasty, _spin, left = bodies[12:]
    body, push, slope, w, x, y, rho, frame = rows
    compliance, lower, upper = limits
    tolerance, factor, share, law, still, haste = options
    accuracy = (tolerance, still, OF_GAP * share * contacts[6], haste)
    laws = (body, push, slope, w, x, y, rho, compliance, lower, upper)
    problem = (n, contacts, frame, joints, law, False, w)
    moving = (motion, free, response, weight, dt, reach, shift, end, wrench, twist)
    n_item = n + lower.shape[0]
    order, start, room = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32), make_room(movable.shape[0])
    begin_bodies(n, contacts, joints, bodies, rows)
    report_out[:] = 0.0
    report = np.empty_like(report_out)
    for k in range(find_islands(body, n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        if not _any_due(items, body, due):
            continue
        begin_items(items, n, contacts, joints, bodies, rows, options, forces)
        report[:] = 0.0
        list_, same, in_haste = settle_island(items, problem, moving, laws, movable, accuracy, scratch, room, report)
        # What is only right in haste is no reason to give a motion up: it is solved again.
        hard, soft = (0.0, 0.0) if in_haste else (report[HARD], report[SOFT])
        add_report(hard, soft, report[ITERATIONS], report[UNSOLVED] == 0.0, report_out)
        for b in list_:
            due[b], hasty[b] = True, in_haste
            left[b, 0], left[b, 1], left[b, 2] = report[HARD], report[SOFT], 0.0
        left[list_[0], 2] = report[UNSOLVED]
        if not same:
            end_items(items, n, contacts[4], x, frame, factor, forces)


@lean_kernel
def mark_violated(n, limits, rows, due, worst, marked_out):
    """Mark the bodies of contacts and joints that the last solve left violated by more than `worst` [m].

    Arguments as for solve_forces. What was not due was not solved, and its rows are older.
    """
    body, w, x = rows[0], rows[3], rows[4]
    compliance, lower, upper = limits
    for item in range(n + lower.shape[0]):
        r, a, b = first_row(item, n), body[item, 0], body[item, 1]
        if not (due[a] or due[b]):
            continue
        violation = abs(min(x[r], w[r]))
        if item >= n:
            j = item - n
            violation = joint_residual(x[r], w[r], compliance[j], lower[j], upper[j])
        if not violation <= worst:
            marked_out[a] = marked_out[b] = True


@lean_kernel
def sum_up(left, hasty):
    """What the solver left of all islands, see solve_forces: two largest violations, islands not solved, any haste."""
    hard, soft, unsolved, any_hasty = 0.0, 0.0, 0, False
    for b in range(left.shape[0]):
        hard, soft = larger(hard, left[b, 0]), larger(soft, left[b, 1])
        unsolved += int(left[b, 2])
        any_hasty |= hasty[b]
    return hard, soft, unsolved, any_hasty
