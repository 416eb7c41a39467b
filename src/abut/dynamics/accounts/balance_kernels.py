"""The balance of energy of a motion: what bodies would have gained by it that nobody gave them.

Over a motion of length h, a body of mass m goes with v and comes with v_0; gravity, loads, drag and hands alone would
have it go with v_f. Its translation gains m (v^2 - v_0^2) / 2 beyond their work m (v_f - v_0) . v. As velocities are
those of the middle of a step, v_0 and v may also be taken half a step later, when they differ by (v_f - v_0) / 2: of a
body on a curve, the one measure goes up and down with its height. What is a gain by both is one. Rotation gains
L . w / 2 at the end beyond that of the momentum L_f that it would have, which is the same at the start and at the end
of a free turn. Motors, springs, stops and bodies that move as they were told to give the work of their forces along the
motion, contacts at most their force times the contact gap to which they are restored. What is more comes from nowhere:
from contacts that push along one direction while bodies turn by much.
"""

from math import inf

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.dense_kernels import inverse3
from ...math.pose_kernels import load_frame
from ...math.quat_kernels import mat_from_rotvec
from ...math.vec_kernels import dot, load_mat, mat_mul, mat_t_vec, mat_vec, scale
from ...query.motion.feature_table_kernels import load_motion
from ..joints.joint_kernels import EQUAL, JOINT_A, JOINT_B, ROW_KIND, joint_row
from ..solver.island_kernels import clear_places, find_islands, list_bodies
from .balance_tables import Balance

OF_JOINTS = 0.01
"""Share of the contact gap by which joints may be wrong and are mended."""


@lean_kernel
def _energy_of_momentum(R, inverse, L):
    """Energy of rotation of a body turned by R."""
    p = mat_t_vec(R, L)
    return 0.5 * dot(p, mat_vec(inverse, p))


@lean_kernel
def _translation(balance, i, h):
    """Gain of kinetic energy of translation of body i beyond the work of loads, by both measures, and that energy."""
    free, twist, motion = balance.free, balance.twist, balance.motion
    gain, later, energy = 0.0, 0.0, 0.0
    for k in range(3):
        v, v_0, v_f = motion[i, 12 + k] / h, twist[i, k], free[i, k]
        gain += 0.5 * (v * v - v_0 * v_0) - (v_f - v_0) * v
        later += 0.5 * (v_f - v_0) * (v - v_0)
        energy += 0.5 * v_0 * v_0
    m = balance.mass[i]
    return m * gain, m * (gain + later), m * energy


@lean_kernel
def _rotation(balance, i, h):
    """Gain of energy of rotation of body i, and that energy without contacts."""
    X, _d, r = load_motion(balance.motion, i)
    middle, inverse = load_mat(balance.middle, i), inverse3(load_mat(balance.inertia, i))
    L = mat_vec(middle, scale(1.0 / h, r))
    L_free = mat_vec(middle, (balance.free[i, 3], balance.free[i, 4], balance.free[i, 5]))
    before = _energy_of_momentum(X[0], inverse, L_free)
    return _energy_of_momentum(mat_mul(mat_from_rotvec(r), X[0]), inverse, L) - before, before


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
            more = (motion[i, 12 + l] / h - free[i, l]) * (weight[i, k, l] - mass)
            work -= motion[i, 12 + k] / h * more
    return unit * work


@lean_kernel
def _work_of_row(balance, item, row, driven):
    """Way of a row by which its force does work that counts: of all of it, or of bodies that move as they were told."""
    way = 0.0
    for side in range(2):
        b = balance.body[item, side]
        sign = 1.0 if driven else (0.0 if balance.movable[b] else -1.0)
        for k in range(6):
            way += sign * row[6 * side + k] * balance.motion[b, 12 + k]
    return way


@lean_kernel
def _work_of_contact(balance, k, gap):
    """Work that contact k may do, as force (a length) times way."""
    work = balance.x[3 * k] * gap
    for r in range(3 * k, 3 * k + (3 if balance.mu[k] > 0.0 else 1)):
        work += balance.x[r] * _work_of_row(balance, k, balance.push[r], False)
    return work


@lean_kernel
def _work_of_joint(balance, n, j, gap, row_io):
    """The same of row j of the joints, in J; among the rows, it is where the contacts of its last solution ended."""
    name, force = balance.joint_name, balance.joint_force[j]
    X_a, X_b = load_frame(balance.motion, name[j, JOINT_A]), load_frame(balance.motion, name[j, JOINT_B])
    joint_row(name[j, ROW_KIND], balance.joint_place, j, X_a, X_b, balance.joint_last[j], row_io)
    return force * _work_of_row(balance, n + j, row_io, balance.law[j] != EQUAL) + abs(force) * OF_JOINTS * gap


@lean_kernel
def _balance_of_island(items, bodies, n, balance, unit, h, gap, row_io):
    """What an island gains by two measures, the work on it, and its energy."""
    work, gain, later, energy = 0.0, 0.0, 0.0, 0.0
    for i in bodies:
        slid, slid_later, of_slide = _translation(balance, i, h)
        turned, of_turn = _rotation(balance, i, h)
        gain, later = gain + slid + turned, later + slid_later + turned
        energy += of_slide + of_turn
        work += _work_of_holds(balance, i, h, unit)
    for item in items:
        if item < n:
            work += _work_of_contact(balance, item, gap) * unit / (h * h)
        else:
            work += _work_of_joint(balance, n, item - n, gap, row_io)
    return gain, later, work, energy


@kernel
def largest_gain(n, balance, unit, h, gap):
    """The largest gain of energy of an island from nowhere, over its energy at the start and the work on it.

    n contacts; `unit` [kg] the mass by which forces are scaled to lengths, f h^2 / unit; `gap` the contact gap.
    """
    balance = Balance(*balance)
    n_item, movable = n + balance.law.shape[0], balance.movable
    order, start = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32)
    position, list_ = np.full(movable.shape[0], -1, np.int32), np.empty(movable.shape[0], np.int32)
    row, worst = np.empty(12), 0.0
    for k in range(find_islands(balance.body, n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        bodies = list_[: list_bodies(items, balance.body, movable, position, list_)]
        clear_places(bodies, position)
        gain, later, work, energy = _balance_of_island(items, bodies, n, balance, unit, h, gap, row)
        energy += abs(work)
        gain = min(gain, later) - work
        if gain > worst * energy:
            worst = gain / energy if energy > 0.0 else inf
    return worst


@kernel
def find_losses(n, balance, unit, h, lost_out):
    """Energy [J] that every island has lost, with velocities of half a step later; islands as of find_islands."""
    balance = Balance(*balance)
    n_item, movable = n + balance.law.shape[0], balance.movable
    order, start = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32)
    position, list_ = np.full(movable.shape[0], -1, np.int32), np.empty(movable.shape[0], np.int32)
    row = np.empty(12)
    for k in range(find_islands(balance.body, n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        bodies = list_[: list_bodies(items, balance.body, movable, position, list_)]
        clear_places(bodies, position)
        _gain, later, work, _energy = _balance_of_island(items, bodies, n, balance, unit, h, 0.0, row)
        lost_out[k] = work - later
