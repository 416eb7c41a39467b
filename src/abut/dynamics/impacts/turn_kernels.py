"""Velocities after a motion in which bodies were struck one after the other.

The motion has brought all of them together at once, as if nothing bounced. Its impacts are taken back and made anew in
turn: the velocities change by what the blows in turn give, less what one law for all without restitution gave for the
same speeds. What else acted in the motion, weights, friction and what supports bodies, stays. One problem of velocities
then sees to it that no contact closes, whatever was left, and that velocities are those of the middle of the step.
"""

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.pose_kernels import load_pose, put_frame
from ..solver.island_kernels import clear_places, find_islands, list_bodies
from ..solver.problem_kernels import make_room, settle_island
from ..solver.problem_tables import Accuracy, Contacts, Held, Joints, Marks, Options, Problem, Rows
from ..solver.problem_tables import Bodies as MovingBodies
from ..solver.row_kernels import name_bodies, rows_of, start_items
from .impact_kernels import at_once
from .sequence_kernels import make_row, push_joints, strike_in_turn
from .sequence_tables import Strikes, Struck


@lean_kernel
def _any_bounces(items, n, wanted):
    """Whether any contact of an island was run into."""
    for k in items:
        if k < n and wanted[k] > 0.0:
            return True
    return False


@lean_kernel
def _clear(items, contacts, members, x_out, shift_out):
    """No pushes and no shifts."""
    for item in items:
        first, last = rows_of(item, contacts)
        x_out[first:last] = 0.0
    for b in members:
        shift_out[b] = 0.0


@lean_kernel
def _keep(items, contacts, members, sign, rows, shift, x_io, shift_io):
    """Add pushes and shifts that were found, or take them away."""
    for item in items:
        first, last = rows_of(item, contacts)
        for r in range(first, last):
            x_io[r] += sign * rows.x[r]
    for b in members:
        for k in range(6):
            shift_io[b, k] += sign * shift[b, k]


@lean_kernel
def _way(rows, r, item, shift):
    """Way of row r of an item by shifts of its bodies."""
    a, b, way = rows.body[item, 0], rows.body[item, 1], 0.0
    for i in range(6):
        way += rows.push[r, i] * shift[a, i] + rows.push[r, 6 + i] * shift[b, i]
    return way


@lean_kernel
def _ask_for_none(items, contacts, strikes, base_out):
    """Values of rows that close with their approaches, for one law without restitution."""
    for item in items:
        first, _ = rows_of(item, contacts)
        base_out[first] = 0.0
        if item < contacts.n:
            base_out[first] = min(-strikes.approach[item], 1.0)


@lean_kernel
def _ask_for_rest(items, contacts, strikes, rows, shift_in_turn, shift, way, base_out):
    """Values of rows after blows in turn: contacts are to open as these have it, or not to close."""
    for item in items:
        first, _ = rows_of(item, contacts)
        base_out[first] = way[first] + _way(rows, first, item, shift)
        if item < contacts.n and strikes.approach[item] > -np.inf:
            opens = _way(rows, first, item, shift_in_turn) - strikes.approach[item]
            base_out[first] += strikes.wanted[item] - max(opens, 0.0) - (strikes.lead[item] if opens > 0.0 else 0.0)


@kernel
def _strike(items, members, contacts, standing, strikes, rows_io, shift_io):
    """Blows in turn on an island; its pushes and shifts are zero before."""
    keeps_rate = rows_io.upper > 0.0
    struck = Struck(contacts.n, strikes.approach, rows_io.body, rows_io.push, standing.response, keeps_rate)
    row = make_row(items, members, struck, shift_io)
    strike_in_turn(row, rows_io.body, rows_io.push, strikes, rows_io.x, shift_io)
    push_joints(row, contacts.n, rows_io.x)


@kernel
def bounce_in_turn(contacts, joints, bodies_io, held, rows_io, options, strikes, report_out):
    """As impact_kernels.bounce, with blows that follow each other; values w of rows stand for Newton's law."""
    contacts, joints, bodies_io, held = Contacts(*contacts), Joints(*joints), MovingBodies(*bodies_io), Held(*held)
    rows_io, options, strikes = Rows(*rows_io), Options(*options), Strikes(*strikes)
    n_joint, n_body = rows_io.lower.shape[0], held.movable.shape[0]
    n_item, way = contacts.n + n_joint, rows_io.w[: 3 * contacts.n + n_joint].copy()
    base, x, shift, in_turn = way.copy(), np.zeros(way.shape[0]), np.zeros((n_body, 6)), np.zeros((n_body, 6))
    rows_io.x[: base.shape[0]] = 0.0
    bodies_io.shift[:] = 0.0
    for i in range(held.pose.shape[0]):
        put_frame(load_pose(held.pose, i), i, bodies_io.motion)
    name_bodies(contacts.n, contacts.name, joints.name, n_joint, rows_io.body)
    problem, standing = Problem(contacts, joints, options.law, True, base), at_once(bodies_io)
    order, start, room = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32), make_room(n_body)
    position, list_ = np.full(n_body, -1, np.int32), np.empty(n_body, np.int32)
    accuracy = Accuracy(options.tolerance, 0.0, options.tolerance, 1.0)
    marks = Marks(held.movable, np.empty(0, np.bool_), False, False)
    report_out[:] = 0.0
    for k in range(find_islands(rows_io.body, n_item, held.movable, order, start)):
        items = order[start[k] : start[k + 1]]
        start_items(items, contacts, joints, standing, held.spin, held.locked, rows_io)
        members = list_[: list_bodies(items, rows_io.body, held.movable, position, list_)]
        clear_places(members, position)
        if _any_bounces(items, contacts.n, strikes.wanted):
            _ask_for_none(items, contacts, strikes, base)
            settle_island(items, problem, standing, rows_io, accuracy, room, marks, report_out)
            _keep(items, contacts, members, -1.0, rows_io, standing.shift, x, shift)
            _clear(items, contacts, members, rows_io.x, standing.shift)
            in_turn[:] = 0.0
            _strike(items, members, contacts, standing, strikes, rows_io, in_turn)
            _keep(items, contacts, members, 1.0, rows_io, in_turn, x, shift)
            _ask_for_rest(items, contacts, strikes, rows_io, in_turn, shift, way, base)
            _clear(items, contacts, members, rows_io.x, standing.shift)
        settle_island(items, problem, standing, rows_io, accuracy, room, marks, report_out)
        _keep(items, contacts, members, 1.0, rows_io, standing.shift, x, shift)
        _clear(items, contacts, members, rows_io.x, standing.shift)
    for r in range(base.shape[0]):
        rows_io.x[r] = x[r]
    for b in range(n_body):
        for i in range(6):
            bodies_io.shift[b, i] = shift[b, i]
