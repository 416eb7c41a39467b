"""From the forces of the last step to those of this one: the problem of a step, set up, solved and read back.

Only islands with a body that is due, or whose forces can be better, are touched.
"""

import numpy as np

from .._jit import kernel, lean_kernel
from ..math.vec_kernels import dot
from .accelerated_kernels import OF_GAP, larger
from .island_kernels import find_islands
from .law_kernels import joint_residual
from .problem_kernels import (
    HARD,
    ITERATIONS,
    SOFT,
    UNSOLVED,
    WORK,
    add_report,
    make_room,
    mend_island,
    settle_island,
)
from .row_kernels import TANGENT_1, TANGENT_2, evaluate, first_row, name_bodies, set_end, set_targets, start_items

LEAST_ITEMS = 150
"""From how many items on an island is mended where it is no longer right, and not solved again as a whole."""


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
def begin_items(items, n, contacts, joints, bodies, status, rows, options, forces):
    """Set up the rows of items, with the forces of the last step; arguments as for solve_forces."""
    motion, dt, twist, locked, spin = bodies[0], bodies[4], bodies[9], status[0], status[5]
    body, push, _slope, w, x, _y, _rho, frame = rows
    factor, share = options[1], options[2]
    start_items(items, n, contacts, joints, motion, twist, spin, dt, body, locked, frame, push, w)
    _start_forces(items, n, contacts[4], forces, frame, factor, x)
    set_targets(items, n, contacts, bodies, rows, share)


@lean_kernel
def begin_bodies(n, contacts, joints, bodies, status, rows):
    """The bodies of every item; where those come to that cannot move, or were not looked at yet: without shifts."""
    motion, free, dt, shift, end = bodies[0], bodies[1], bodies[4], bodies[6], bodies[7]
    _locked, movable, due, begun = status[:4]
    name_bodies(n, contacts[0], joints[0], joints[3].shape[0], rows[0])
    for b in range(end.shape[0]):
        new = due[b] and not begun[b]
        if new:
            for i in range(6):
                shift[b, i] = 0.0
        if new or not movable[b]:
            set_end(b, motion, free, dt, shift, end)


@lean_kernel
def _is_to_do(items, body, status, haste):
    """Whether something has changed for one of the bodies of an island, or its forces can be better."""
    due, hasty = status[2], status[4]
    for item in items:
        a, b = body[item, 0], body[item, 1]
        if due[a] or due[b] or (haste <= 1.0 and (hasty[a] or hasty[b])):
            return True
    return False


@lean_kernel
def _are_begun(items, n, body, force, status):
    """Whether items are contacts of bodies that are begun, or that nothing pushed yet, so that most rows are right."""
    _locked, movable, due, begun = status[:4]
    for item in items:
        for side in range(2):
            b = body[item, side]
            if item >= n or not (begun[b] or not movable[b] or (due[b] and force[item] == 0.0)):
                return False
    return True


@lean_kernel
def _stands_still(items, body, movable, bodies):
    """Whether nobody in an island moves, nor did before: then it may sleep or not, and nothing must tell."""
    free, dt, shift, twist = bodies[1], bodies[4], bodies[6], bodies[9]
    for item in items:
        for side in range(2):
            b = body[item, side]
            for i in range(6 if movable[b] else 0):
                if twist[b, i] != 0.0 or dt * free[b, i] + shift[b, i] != 0.0:
                    return False
    return True


@lean_kernel
def _note(items, body, status, all_move, in_haste, stands, report):
    """Note what was found of the bodies of an island; see solve_forces."""
    _locked, movable, due, begun, hasty, _spin, left = status
    for item in items:
        for side in range(2):
            b = body[item, side]
            if movable[b]:
                due[b] |= all_move
                begun[b], hasty[b] = not stands, in_haste
                left[b, 0], left[b, 1], left[b, 2] = report[HARD], report[SOFT], 0.0
    first = body[items[0], 0] if movable[body[items[0], 0]] else body[items[0], 1]
    left[first, 2] = report[UNSOLVED]


@lean_kernel
def _begin_due(items, n, contacts, joints, bodies, status, rows, options, forces, found_out):
    """Set up the rows of items with a body that is due, and find their values where the bodies have come to."""
    body, due, found = rows[0], status[2], 0
    for item in items:
        if due[body[item, 0]] or due[body[item, 1]]:
            found_out[found] = item
            found += 1
    begin_items(found_out[:found], n, contacts, joints, bodies, status, rows, options, forces)
    evaluate(found_out[:found], n, contacts, rows[7], joints, bodies[7], rows[3], rows[2])


@kernel
def solve_forces(n, contacts, joints, limits, bodies, status, rows, options, forces, scratch, report_out):
    """Forces of n contacts and all joints, and the bodies' shifts beyond their free motion.

    contacts = (name, place, radius of bodies that are balls, extra, mu, target, contact gap): targets are set here;
    joints = (name, place, last, reference); limits = (compliance, lower, upper) of the joints' rows, in lengths;
    bodies as for multiplier_kernels;
    status = (locked, movable, due, begun, hasty, spin, left): islands without a body that is due, or hasty when
             there is no more haste, stay as they are, and bodies whose shifts change become due; bodies are begun when
             their island was solved in this motion and does not stand still, and hasty where forces are right in haste
             only; contacts push as if bodies turned with `spin`; each row of `left` is what the solver left of the
             island of a body, [violation of contacts and joints, of friction, 1 for one body of an island that is not
             solved to tolerance];
    rows = (body, push, slope, w, x, y, rho, frame);
    options = (tolerance, force to length, share of the step, friction law, motion of bodies at rest, haste);
    forces = (force, friction, joint force) [N], which are the start values too.
    """
    movable, due = status[1], status[2]
    body, push, slope, w, x, y, rho, frame = rows
    compliance, lower, upper = limits
    tolerance, factor, share, law, still, haste = options
    accuracy = (tolerance, still, OF_GAP * share * contacts[6], haste)
    laws = (body, push, slope, w, x, y, rho, compliance, lower, upper)
    problem = (n, contacts, frame, joints, law, False, w)
    n_item = n + lower.shape[0]
    order, start, room = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32), make_room(movable.shape[0])
    found = np.empty(n_item, np.int32)
    begin_bodies(n, contacts, joints, bodies, status, rows)
    report_out[:] = 0.0
    report = np.empty_like(report_out)
    for k in range(find_islands(body, n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        if not _is_to_do(items, body, status, haste):
            continue
        report[:] = 0.0
        mended, same, in_haste, all_move = False, False, False, True
        large = items.shape[0] >= LEAST_ITEMS
        begun = large and _are_begun(items, n, body, forces[0], status)
        if begun:
            _begin_due(items, n, contacts, joints, bodies, status, rows, options, forces, found)
        else:
            begin_items(items, n, contacts, joints, bodies, status, rows, options, forces)
        if large:
            mended, in_haste, all_move = mend_island(
                items, problem, bodies, laws, movable, accuracy, room, begun, due, report
            )
        if not mended:
            same, in_haste = settle_island(items, problem, bodies, laws, movable, accuracy, scratch, room, report)
        # What is only right in haste is no reason to give a motion up: it is solved again.
        hard, soft = (0.0, 0.0) if in_haste else (report[HARD], report[SOFT])
        add_report(hard, soft, report[ITERATIONS], report[UNSOLVED] == 0.0, report[WORK], report_out)
        _note(items, body, status, all_move, in_haste, _stands_still(items, body, movable, bodies), report)
        if not same or report[ITERATIONS] > 0.0:
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
