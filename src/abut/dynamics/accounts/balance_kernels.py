"""The balance of energy of a motion: what bodies would gain by it that nobody gave them.

Over a motion of length h, a body of mass m goes with u, comes with v_0 and leaves with v; gravity, loads, drag and
hands alone would have it leave with v_f. Its translation gains m (v^2 - v_0^2) / 2 beyond their work m (v_f - v_0) . u.
As velocities are those of the middle of a step, v_0 and v may also be taken half a step later, when they differ by half
the pull of loads in a step: of a body on a curve, the one measure goes up and down with its height. What is a gain by
both is one. A motion that is a part of a step is judged by half of its own length, and that of the part before it.
Rotation gains L . w / 2 at the end beyond that of the momentum L_f that it would have, which is the same at the start
and at the end of a free turn. Motors, springs and bodies that move as they were told to give the work of
their forces along the motion, contacts and joints at most their force times what they are restored by: the contact gap.
What is more comes from nowhere: from contacts that push along one direction while bodies turn by much. A spring gives
no more than it has held: velocities are those of the middle of a motion, and so is what it holds beside them.
"""

from math import inf, isnan

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.dense_kernels import inverse3
from ...math.motion_tables import MOTION_WIDTH, WAY
from ...math.pose_kernels import load_frame, motion_at
from ...math.vec_kernels import dot, load_mat, mat_t_vec, mat_vec, row, scale, sub
from ...query.motion.feature_table_kernels import load_motion
from ..bodies.body_kernels import spin_row, velocity_at_end
from ..bodies.tumble_kernels import inertia_in_world
from ..joints.joint_kernels import (
    JOINT_A,
    JOINT_B,
    POSITION,
    ROW_KIND,
    SPRING,
    SPRING_REST,
    SPRING_STIFFNESS,
    VELOCITY,
    joint_row,
)
from ..solver.island_kernels import clear_places, find_islands, list_bodies
from .balance_tables import Balance, Span

NEGLIGIBLE = 1e-12
"""Share of a mass, by which it may be rounded."""
OF_JOINTS = 1e-3
"""Share of the contact gap by which joints may be wrong and are mended: ten times what their forces are found to."""
# Columns of the books, one row an island [J]: kinetic energy that loads, drag and hands account for; lead of the
# velocities at the start; work that contacts, joints and hands may do beside that; energy at the start; what contacts
# took.
EXPECTED, LEAD, WORK, ENERGY, LOST, BOOK_WIDTH = 0, 1, 2, 3, 4, 5


@lean_kernel
def _energy_of_momentum(R, inverse, L):
    """Energy of rotation of a body turned by R."""
    p = mat_t_vec(R, L)
    return 0.5 * dot(p, mat_vec(inverse, p))


@inner_kernel
def lead(balance, i, v):
    """Energy that body i has more half a step after it had the velocity v, but for what is the same for all of them."""
    total = 0.0
    for k in range(3):
        total += (balance.mass[i] * balance.gravity[k] + balance.load[i, k]) * v[k]
    return 0.5 * balance.step * total


@inner_kernel
def _translation(balance, i, h):
    """Of body i: what loads, drag and hands give it, kinetic energy of translation at the start and at the end.

    Then the leads of its velocities at the start and at the end.
    """
    m, v_0, u = balance.mass[i], row(balance.twist, i), scale(1.0 / h, load_motion(balance.motion, i).displacement)
    v_f, v = row(balance.free, i), u
    if balance.gamma < 1.0:
        before = row(balance.before, i)
        v_f, v = velocity_at_end(before, v_f, balance.gamma), velocity_at_end(before, u, balance.gamma)
    given = m * dot(sub(v_f, v_0), u)
    return given, 0.5 * m * dot(v_0, v_0), 0.5 * m * dot(v, v), lead(balance, i, v_0), lead(balance, i, v)


@inner_kernel
def _rotation(balance, ends, i, h):
    """What loads and hands give body i, its energy of rotation at the start, and at the end of its motion.

    The second is that without contacts, with what they give: it is the same at the start and at the end of a free turn.
    A body that may not turn about some axes does not turn freely, and is given what changes its momentum.
    """
    X, _d, r = load_motion(balance.motion, i)
    w_f, w = spin_row(balance.free, i), scale(1.0 / h, r)
    if balance.gamma < 1.0:
        before = spin_row(balance.before, i)
        w_f, w = velocity_at_end(before, w_f, balance.gamma), velocity_at_end(before, w, balance.gamma)
    middle, inverse = load_mat(balance.middle, i), inverse3(load_mat(balance.inertia, i))
    R_end, L_f, given = load_frame(ends, i).R, mat_vec(middle, w_f), 0.0
    then, now = _energy_of_momentum(X.R, inverse, L_f), _energy_of_momentum(R_end, inverse, mat_vec(middle, w))
    if balance.locked[i, 3] or balance.locked[i, 4] or balance.locked[i, 5]:
        w_0 = spin_row(balance.twist, i)
        L_0 = mat_vec(inertia_in_world(X.R, load_mat(balance.inertia, i)), w_0)
        then = 0.5 * dot(w_0, L_0)
        for k in range(3):
            given += 0.0 if balance.locked[i, 3 + k] else (L_f[k] - L_0[k]) * r[k] / h
    return given, then, now


@inner_kernel
def _is_held(balance, i, unit):
    """Whether hands, drag or locks add to the effective mass of body i."""
    to_mass = balance.gamma * unit
    for k in range(3):
        mass, inertia = balance.mass[i], balance.middle[i, k, k]
        slide, turn = to_mass * balance.weight[i, k, k], to_mass * balance.weight[i, 3 + k, 3 + k]
        if abs(slide - mass) / mass + abs(turn - inertia) / inertia > NEGLIGIBLE:
            return True
    return False


@lean_kernel
def _work_of_holds(balance, i, h, unit):
    """What hands and drag give body i beyond what they would without contacts: their forces depend on its motion."""
    free, motion, weight = balance.free, balance.motion, balance.weight
    work = 0.0
    for k in range(6):
        for l in range(6):
            mass = 0.0
            if k < 3 and k == l:
                mass = balance.mass[i] / unit
            elif k >= 3 and l >= 3:
                mass = balance.middle[i, k - 3, l - 3] / unit
            more = (motion[i, WAY + l] / h - free[i, l]) * (weight[i, k, l] - mass / balance.gamma)
            work -= motion[i, WAY + k] / h * more
    return unit * work


@inner_kernel
def _work_of_row(balance, item, row):
    """Way of a row along which its force works for bodies that move as they were told to."""
    way = 0.0
    for side in range(2):
        b = balance.body[item, side]
        for k in range(0 if balance.movable[b] else 6):
            way -= row[6 * side + k] * balance.motion[b, WAY + k]
    return way


@inner_kernel
def _work_of_contact(balance, k):
    """Work that contact k does for bodies that move as they were told to, as force (a length) times way."""
    work = 0.0
    for r in range(3 * k, 3 * k + (3 if balance.mu[k] > 0.0 else 1)):
        work += balance.x[r] * _work_of_row(balance, k, balance.push[r])
    return work


@inner_kernel
def _is_carried(balance, item):
    """Whether a body of an item moves as it was told to."""
    for side in range(2):
        b = balance.body[item, side]
        for k in range(WAY, WAY if balance.movable[b] else MOTION_WIDTH):
            if balance.motion[b, k] != 0.0:
                return True
    return False


@lean_kernel
def _ends_of_joint(balance, j, row_io):
    """The coordinate of row j of the joints at the start and at the end of the motion, and its rate at the start."""
    kind, a, b = balance.joint_name[j, ROW_KIND], balance.joint_name[j, JOINT_A], balance.joint_name[j, JOINT_B]
    X_a, d_a, r_a = load_motion(balance.motion, a)
    X_b, d_b, r_b = load_motion(balance.motion, b)
    end_a, end_b = motion_at(X_a, d_a, r_a, 1.0), motion_at(X_b, d_b, r_b, 1.0)
    then, rate = joint_row(kind, balance.joint_place, j, X_a, X_b, balance.joint_last[j], row_io), 0.0
    for i in range(6):
        rate += row_io[i] * balance.twist[a, i] + row_io[6 + i] * balance.twist[b, i]
    return then, joint_row(kind, balance.joint_place, j, end_a, end_b, balance.joint_last[j], row_io), rate


@inner_kernel
def _held_by_spring(balance, j, q):
    """Energy [J] of the spring of row j of the joints at a coordinate."""
    return 0.5 * balance.joint_value[j, SPRING_STIFFNESS] * (q - balance.joint_value[j, SPRING_REST]) ** 2


@lean_kernel
def _work_of_spring(balance, j, h, row_io):
    """Work [J] of the spring of row j of the joints: along the motion, and no more than it has held."""
    then, end, rate = _ends_of_joint(balance, j, row_io)
    last = balance.spring_middle[j]
    if isnan(last):
        last = then - 0.5 * h * rate
    along = balance.joint_force[j] * (end - then)
    return min(along, _held_by_spring(balance, j, last) - _held_by_spring(balance, j, 0.5 * (then + end)))


@inner_kernel
def _work_of_joint(balance, span, j, row_io):
    """Work [J] of row j of the joints: of motors and springs, or for bodies that move as they were told to.

    Among the rows, it is where the contacts of its last solution ended.
    """
    name, force, law = balance.joint_name, balance.joint_force[j], balance.law[j]
    if force == 0.0:
        return 0.0
    if law == SPRING:
        return _work_of_spring(balance, j, span.h, row_io)
    if law == VELOCITY or law == POSITION:
        then, end, _ = _ends_of_joint(balance, j, row_io)
        return force * (end - then)
    if not _is_carried(balance, span.n + j):
        return 0.0
    X_a, X_b = load_frame(balance.motion, name[j, JOINT_A]), load_frame(balance.motion, name[j, JOINT_B])
    joint_row(name[j, ROW_KIND], balance.joint_place, j, X_a, X_b, balance.joint_last[j], row_io)
    return force * _work_of_row(balance, span.n + j, row_io)


@lean_kernel
def _draw_island(k, items, bodies, balance, ends, span, row_io, books_out):
    """Fill row k of the books for an island; returns what it gains by two measures."""
    h, unit = span.h, span.unit
    expected, energy, now, lead_then, lead_now, work, mended = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in bodies:
        given, slid, slides, ahead, ahead_now = _translation(balance, i, h)
        given_turn, turned, turns = _rotation(balance, ends, i, h)
        energy, now, given = energy + slid + turned, now + slides + turns, given + given_turn
        expected += slid + turned + given
        lead_then, lead_now = lead_then + ahead, lead_now + ahead_now
        if _is_held(balance, i, unit):
            work += _work_of_holds(balance, i, h, unit)
    for item in items:
        if item < span.n:
            work += _work_of_contact(balance, item) * unit / (h * h)
            mended += balance.x[3 * item] * span.gap * unit / (h * h)
        else:
            work += _work_of_joint(balance, span, item - span.n, row_io)
            mended += abs(balance.joint_force[item - span.n]) * OF_JOINTS * span.gap
    gain = now - expected - work
    later = gain + lead_now - lead_then
    halfway = gain + (h * lead_now - span.last * lead_then) / balance.step
    books_out[k, EXPECTED], books_out[k, LEAD], books_out[k, WORK] = expected, lead_then, work + mended
    books_out[k, ENERGY], books_out[k, LOST] = energy + abs(work) + mended, -later
    return min(gain, halfway) - mended


@inner_kernel
def _worse(worst, gain, energy):
    """The larger of two gains as (share of the energy, gain [J]); the second is one of so much energy."""
    if gain <= worst[0] * energy:
        return worst
    return (gain / energy if energy > 0.0 else inf), gain


@kernel
def _draw_held(balance, ends, span, order, books_out):
    """The books of bodies that hands, drag or locks hold and nothing touches, behind those of islands; as draw_balance.

    What hands make of the turn of a body is not quite what its momentum makes of it.
    """
    n_item, worst, row, one = span.n + balance.law.shape[0], (0.0, 0.0), np.empty(12), np.empty(1, np.int32)
    in_island, alone = np.zeros(balance.movable.shape[0], np.bool_), Span(span.n, span.unit, span.h, 0.0, span.last)
    for item in order:
        in_island[balance.body[item, 0]] = in_island[balance.body[item, 1]] = True
    for i in range(balance.mass.shape[0]):
        if balance.movable[i] and not in_island[i] and _is_held(balance, i, span.unit):
            one[0], k = i, n_item + i
            gain = _draw_island(k, order[:0], one, balance, ends, alone, row, books_out)
            worst = _worse(worst, gain, books_out[k, ENERGY])
    return worst


@kernel
def draw_balance(balance, ends, span, books_out):
    """Write the books of all islands, as find_islands sorts them; the largest gain over an island's energy, and in J.

    ends (n_body, 12) are rotations and positions at the end of the motion. If there is room for all bodies behind the
    rows of islands, those that are held and touch nothing get theirs there.
    """
    n_item, movable = span.n + balance.law.shape[0], balance.movable
    order, start = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32)
    position, list_ = np.full(movable.shape[0], -1, np.int32), np.empty(movable.shape[0], np.int32)
    row, worst, n_order = np.empty(12), (0.0, 0.0), 0
    for k in range(find_islands(balance.body, n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        bodies = list_[: list_bodies(items, balance.body, movable, position, list_)]
        clear_places(bodies, position)
        gain = _draw_island(k, items, bodies, balance, ends, span, row, books_out)
        worst = _worse(worst, gain, books_out[k, ENERGY])
        n_order = start[k + 1]
    if books_out.shape[0] > n_item:
        of_held = _draw_held(balance, ends, span, order[:n_order], books_out)
        worst = worst if of_held[0] <= worst[0] else of_held
    return worst


@kernel
def note_springs(balance, middle_out):
    """Note where springs are in the middle of the motion [m]."""
    balance, row = Balance(*balance), np.empty(12)
    for j in range(balance.law.shape[0]):
        if balance.law[j] == SPRING:
            then, end, _ = _ends_of_joint(balance, j, row)
            middle_out[j] = 0.5 * (then + end)
