"""Impacts: with which velocities bodies part after a step that brought them together.

The step itself ends with the bodies touching, as if nothing bounced. Contacts that were run into then ask for a
velocity of separation (Newton's law of restitution), contacts that rest ask for none, joints keep the rates they have,
and one problem of velocities over all of them gives the impulses: simultaneous, and handed on by contacts and joints.

The velocity of a step is that of its middle, and the bodies touch somewhere within it. The law is applied to the
velocity at the touch, v^2 = v_0^2 + 2 a s, a the acceleration without contacts and s the gap at the start, and the
velocity is handed back for the middle of the step: a ball that drops freely comes up to e^2 of its height, for any dt.
"""

from math import inf, sqrt

import numpy as np

from ..._jit import inlined_kernel, kernel, lean_kernel
from ...contact.contact_kernels import BODY_A, BODY_B, gap_row
from ...math.dense_kernels import inverse3
from ...math.motion_tables import MOTION_WIDTH, WAY
from ...math.pose_kernels import load_pose, put_frame
from ...math.vec_kernels import dot, load_mat, mat_vec, row
from ...query.motion.feature_table_kernels import load_motion
from ..accounts.balance_kernels import LOST, lead
from ..accounts.balance_tables import Balance
from ..bodies.body_kernels import DYNAMIC, spin_row
from ..bodies.tumble_kernels import inertia_in_world
from ..contacts.pair_kernels import pair_values
from ..solver.island_kernels import clear_places, find_islands, list_bodies
from ..solver.problem_kernels import make_room, settle_island
from ..solver.problem_tables import Accuracy, Bodies, Contacts, Held, Joints, Marks, Options, Problem, Rows
from ..solver.row_kernels import name_bodies, start_items
from .sequence_tables import Blows, Strikes

RESTING = 2.0
"""Contacts slower than what this many steps of free acceleration give are at rest and do not bounce."""


@kernel
def _approach(push, r, a, b, twist):
    """Speed with which the bodies of row r come nearer."""
    total = 0.0
    for i in range(6):
        total -= push[r, i] * twist[a, i] + push[r, 6 + i] * twist[b, i]
    return total


@kernel
def _speed_at_touch(k, contacts, bodies, push, row_io):
    """Speed with which contact k closes at the start, when it touches, and what it gains of that in the motion."""
    a, b, radius = contacts.name[k, BODY_A], contacts.name[k, BODY_B], contacts.radius
    X_a, X_b = load_motion(bodies.motion, a).start, load_motion(bodies.motion, b).start
    gap = gap_row(contacts.place, k, X_a, X_b, radius[a] + radius[b], row_io)
    before = _approach(push, 3 * k, a, b, bodies.twist)
    gained = max(_approach(push, 3 * k, a, b, bodies.free) - before, 0.0)
    start = max(before + 0.5 * gained, 0.0)
    speed = sqrt(start * start + 2.0 * gained / bodies.dt * max(gap - contacts.target[k], 0.0))
    return before + 0.5 * gained, speed, gained


@kernel
def _put_strike(k, contacts, restitution, bodies, push, row_io, strikes_out):
    """What happens at contact k, with a coefficient of restitution, when it touches."""
    start, speed, gained = _speed_at_touch(k, contacts, bodies, push, row_io)
    bounces = restitution > 0.0 and speed > RESTING * gained
    strikes_out.approach[k] = bodies.dt * (speed if bounces else min(start, 0.0))
    strikes_out.slow[k] = bodies.dt * RESTING * gained
    strikes_out.lead[k] = bodies.dt * 0.5 * gained if bounces else 0.0
    strikes_out.wanted[k] = bodies.dt * (restitution * speed + 0.5 * gained) if bounces else 0.0


@kernel
def _stays(motion, i):
    """Whether body i does not move in the step."""
    for k in range(WAY, MOTION_WIDTH):
        if motion[i, k] != 0.0:
            return False
    return True


@kernel
def ask_for_speeds(contacts, asked, bodies, rows_io, strikes_out):
    """Values w of the velocity problem's rows before any impulse, as ways of a step; returns how many contacts bounce.

    asked = (number of rows of joints, laws of restitution, forces [N]). A contact that bore none asks for nothing.
    """
    contacts, bodies, rows_io, strikes_io = Contacts(*contacts), Bodies(*bodies), Rows(*rows_io), Strikes(*strikes_out)
    n_joint, laws, force = asked
    name, motion, push = contacts.name, bodies.motion, rows_io.push
    row, bouncing = np.empty(12), 0
    pair_values(name, contacts.n, laws, strikes_io.restitution)
    for r in range(3 * contacts.n, 3 * contacts.n + n_joint):
        rows_io.w[r] = 0.0
    for k in range(contacts.n):
        a, b = name[k, BODY_A], name[k, BODY_B]
        strikes_io.slow[k], strikes_io.lead[k], strikes_io.wanted[k] = 0.0, 0.0, 0.0
        strikes_io.approach[k] = 0.0 if force[k] > 0.0 else -inf
        if not force[k] > 0.0:
            rows_io.w[3 * k] = 1.0
            continue
        if not (_stays(motion, a) and _stays(motion, b)):  # what sleeps was not set up
            _put_strike(k, contacts, strikes_io.restitution[k], bodies, push, row, strikes_io)
        bouncing += strikes_io.wanted[k] > 0.0
        way = 0.0
        for i in range(6):
            way += push[3 * k, i] * motion[a, WAY + i] + push[3 * k, 6 + i] * motion[b, WAY + i]
        rows_io.w[3 * k] = way - strikes_io.wanted[k]
    return bouncing


@kernel
def bounce(contacts, joints, bodies_io, held, rows_io, options, report_out):
    """Solve the velocity problem whose rows stand in w: shifts become dt times the changes of velocity.

    Tables as of problem_tables. The impulses act where the bodies have come to.
    """
    contacts, joints, bodies_io, held = Contacts(*contacts), Joints(*joints), Bodies(*bodies_io), Held(*held)
    rows_io, options = Rows(*rows_io), Options(*options)
    n_joint = rows_io.lower.shape[0]
    n_item, base = contacts.n + n_joint, rows_io.w[: 3 * contacts.n + n_joint].copy()
    rows_io.x[: base.shape[0]] = 0.0
    bodies_io.shift[:] = 0.0
    for i in range(held.pose.shape[0]):
        put_frame(load_pose(held.pose, i), i, bodies_io.motion)
    name_bodies(contacts.n, contacts.name, joints.name, n_joint, rows_io.body)
    problem, standing = Problem(contacts, joints, options.law, True, base), at_once(bodies_io)
    order, start, room = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32), make_room(held.movable.shape[0])
    accuracy = Accuracy(options.tolerance, 0.0, options.tolerance, 1.0)
    marks = Marks(held.movable, np.empty(0, np.bool_), False, False)
    report_out[:] = 0.0
    for k in range(find_islands(rows_io.body, n_item, held.movable, order, start)):
        items = order[start[k] : start[k + 1]]
        start_items(items, contacts, joints, standing, held.spin, held.locked, rows_io)
        settle_island(items, problem, standing, rows_io, accuracy, room, marks, report_out)


@inlined_kernel
def at_once(bodies):
    """Bodies of which the velocities change in no time; the search begins at the velocities as they are."""
    return Bodies(
        bodies.motion,
        bodies.free,
        bodies.response,
        bodies.weight,
        0.0,
        bodies.reach,
        bodies.shift,
        bodies.end,
        bodies.wrench,
        bodies.free,
        bodies.others,
        bodies.missing,
        bodies.step,
        bodies.moved,
    )


@lean_kernel
def _work_of_driven(items, n, movable, motion, rows):
    """Work by impulses of a bounce of bodies that move as they were told to, as force (a length) times way."""
    body, push, x, work = rows.body, rows.push, rows.x, 0.0
    for k in items:
        for side in range(2 if k < n else 0):
            b = body[k, side]
            for i in range(0 if movable[b] else 6):
                work -= x[3 * k] * push[3 * k, 6 * side + i] * motion[b, WAY + i]
    return work


@lean_kernel
def _share_without_gain(bodies, balance, blows, given, lost):
    """How much of the changes of twist by a bounce gives bodies no more energy than was `given` and what they `lost`.

    Speeds of approach are those of the start of the step, impulses act at its end: with bodies that turn meanwhile, the
    law of restitution alone could give them more. Energy is measured with velocities half a step later: for a body that
    falls freely, or bounces without turning, the balance is exact.
    """
    a, b = 0.0, -given
    for i in bodies:
        v, w = row(blows.twist, i), spin_row(blows.twist, i)
        more, turn = row(blows.change, i), spin_row(blows.change, i)
        L = mat_vec(inertia_in_world(load_pose(blows.pose, i).R, load_mat(balance.inertia, i)), turn)
        a += 0.5 * balance.mass[i] * dot(more, more) + 0.5 * dot(turn, L)
        b += balance.mass[i] * dot(more, v) + lead(balance, i, more) + dot(w, L)
    if a + b <= lost or a <= 0.0:
        return 1.0
    return min(max((-b + sqrt(max(b * b + 4.0 * a * lost, 0.0))) / (2.0 * a), 0.0), 1.0)


@kernel
def shares_without_gain(n, rows, balance, blows, share_out, item_out, given_out):
    """Such shares of every island, as find_islands sorts them: of its bodies and of its items; n contacts.

    given_out (n_island,) [J] gets what bodies that move as they were told to give.
    """
    rows, balance, blows = Rows(*rows), Balance(*balance), Blows(*blows)
    movable, n_item = balance.movable, item_out.shape[0]
    order, start = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32)
    position, list_ = np.full(movable.shape[0], -1, np.int32), np.empty(movable.shape[0], np.int32)
    share_out[:], item_out[:], given_out[:] = 1.0, 1.0, 0.0
    for k in range(find_islands(rows.body, n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        bodies = list_[: list_bodies(items, rows.body, movable, position, list_)]
        clear_places(bodies, position)
        given = blows.unit * _work_of_driven(items, n, movable, balance.motion, rows)
        share = _share_without_gain(bodies, balance, blows, given, blows.books[k, LOST])
        given_out[k] = share * given
        for i in bodies:
            share_out[i] = share
        for item in items:
            item_out[item] = share


@kernel
def add_velocities(kind, inertia, middle, shift, dt, pose, twist_io):
    """Add changes of velocity (as ways of a step), found with the inertias `middle`."""
    for i in range(pose.shape[0]):
        if kind[i] != DYNAMIC:
            continue
        L = mat_vec(load_mat(middle, i), (shift[i, 3] / dt, shift[i, 4] / dt, shift[i, 5] / dt))
        w = mat_vec(inverse3(inertia_in_world(load_pose(pose, i).R, load_mat(inertia, i))), L)
        for k in range(3):
            twist_io[i, k] += shift[i, k] / dt
            twist_io[i, 3 + k] += w[k]
