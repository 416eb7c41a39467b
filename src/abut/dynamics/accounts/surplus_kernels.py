"""Taking energy that came from nowhere: after a motion, and what bounced in it.

All velocities of an island become smaller alike, as drag would have it: seen from the rigid motion that has the
island's momentum and spin, so that both stay, or from the world if something outside holds on to the island. What is
taken counts as damping. What bodies have gained in earlier motions of the step counts, too: the law is one of steps.
"""

from math import sqrt

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.dense_kernels import inverse3
from ...math.pose_kernels import load_pose
from ...math.vec_kernels import add_scaled, cross, dot, load_mat, mat_vec, norm2, row, scale, sub
from ..bodies.body_kernels import NONE, spin_row
from ..bodies.tumble_kernels import inertia_in_world
from ..solver.island_kernels import clear_places, find_islands, list_bodies
from .account_kernels import DAMPING
from .balance_kernels import ENERGY, EXPECTED, LEAD, WORK, lead
from .balance_tables import Balance, Moved

OF_ROOM = 1e-6
"""A gain that exceeds its room by this share of it is let be: what was taken first has left it there."""


@inner_kernel
def _inertia(balance, i, pose):
    """Inertia of body i where it stands."""
    return inertia_in_world(load_pose(pose, i).R, load_mat(balance.inertia, i))


@lean_kernel
def _is_alone(items, bodies, balance, bound):
    """Whether nothing outside of an island holds on to it."""
    for item in items:
        if not (balance.movable[balance.body[item, 0]] and balance.movable[balance.body[item, 1]]):
            return False
    for i in bodies:
        if bound[i]:
            return False
    return True


@lean_kernel
def _centre(bodies, mass, table):
    """Mean of rows of a table, by mass."""
    total, sum_ = 0.0, NONE
    for i in bodies:
        total, sum_ = total + mass[i], add_scaled(sum_, mass[i], row(table, i))
    return scale(1.0 / total, sum_)


@lean_kernel
def _common_motion(bodies, balance, pose, twist):
    """The rigid motion that has the momentum and the spin of some bodies: a point, its velocity, angular velocity."""
    mass = balance.mass
    x, v = _centre(bodies, mass, pose), _centre(bodies, mass, twist)
    L, xx, xy, xz, yy, yz, zz = NONE, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in bodies:
        m, I_W, d = mass[i], _inertia(balance, i, pose), sub(row(pose, i), x)
        L = add_scaled(L, m, cross(d, sub(row(twist, i), v)))
        L = add_scaled(L, 1.0, mat_vec(I_W, spin_row(twist, i)))
        xx, yy, zz = xx + I_W[0] + m * d[1] ** 2, yy + I_W[4] + m * d[2] ** 2, zz + I_W[8] + m * d[0] ** 2
        xx, yy, zz = xx + m * d[2] ** 2, yy + m * d[0] ** 2, zz + m * d[1] ** 2
        xy, xz, yz = xy + I_W[1] - m * d[0] * d[1], xz + I_W[2] - m * d[0] * d[2], yz + I_W[5] - m * d[1] * d[2]
    return x, v, mat_vec(inverse3((xx, xy, xz, xy, yy, yz, xz, yz, zz)), L)


@inner_kernel
def _beside(i, common, pose, twist):
    """Velocity and angular velocity of body i beyond the common motion."""
    x, v, w = common
    carried = add_scaled(v, 1.0, cross(w, sub(row(pose, i), x)))
    return sub(row(twist, i), carried), sub(spin_row(twist, i), w)


@lean_kernel
def _energy_beside(bodies, balance, common, pose, twist):
    """Kinetic energy of bodies beyond a common motion, and the lead of these velocities."""
    energy, ahead = 0.0, 0.0
    for i in bodies:
        v, w = _beside(i, common, pose, twist)
        energy += 0.5 * balance.mass[i] * norm2(v) + 0.5 * dot(w, mat_vec(_inertia(balance, i, pose), w))
        ahead += lead(balance, i, v)
    return energy, ahead


@inner_kernel
def _factor(energy, ahead, surplus):
    """By what velocities are multiplied to have so much less of energy and lead, s^2 energy + s ahead; at least 0."""
    if surplus <= 0.0:
        return 1.0
    left = energy + ahead - surplus
    square = ahead * ahead + 4.0 * energy * left
    if energy <= 0.0 or square <= 0.0:
        return 0.0
    root = sqrt(square)
    s = 0.5 * (root - ahead) / energy if ahead <= 0.0 else 2.0 * left / (root + ahead)
    return min(max(s, 0.0), 1.0)


@lean_kernel
def _slow_down(bodies, balance, common, s, moved_io):
    """Multiply velocities beyond the common motion by s, and note the impulses as forces over the step."""
    twist, acted = moved_io.twist, moved_io.acted
    for i in bodies:
        v, w = _beside(i, common, moved_io.pose, twist)
        turn = mat_vec(_inertia(balance, i, moved_io.pose), w)
        for k in range(3):
            twist[i, k] -= (1.0 - s) * v[k]
            twist[i, 3 + k] -= (1.0 - s) * w[k]
            acted[i, DAMPING, k] -= (1.0 - s) * balance.mass[i] * v[k] / balance.step
            acted[i, DAMPING, 3 + k] -= (1.0 - s) * turn[k] / balance.step


@lean_kernel
def _gains(bodies, balance, expected, lead_then, moved):
    """What bodies have gained in the step by both measures."""
    past = moved.past
    energy, ahead = _energy_beside(bodies, balance, (NONE, NONE, NONE), moved.pose, moved.twist)
    gain = energy - expected
    later = gain + ahead - lead_then
    for i in bodies:
        gain, later = gain + past[i, 0], later + past[i, 1]
    return gain, later


@lean_kernel
def _settle(bodies, balance, alone, expected, lead_then, room, moved_io):
    """Take what bodies have gained beyond some room for it; returns how much that was [J].

    If nothing outside holds on to them, their common motion stays, but for what is left without any other.
    """
    gain, later = _gains(bodies, balance, expected, lead_then, moved_io)
    taken, pose, twist = 0.0, moved_io.pose, moved_io.twist
    for stage in range(0 if alone else 1, 2):
        if min(gain, later) <= (1.0 + OF_ROOM) * room:
            break
        common = (NONE, NONE, NONE) if stage == 1 else _common_motion(bodies, balance, pose, twist)
        energy, ahead = _energy_beside(bodies, balance, common, pose, twist)
        s = max(_factor(energy, 0.0, gain - room), _factor(energy, ahead, later - room))
        _slow_down(bodies, balance, common, s, moved_io)
        taken += (1.0 - s * s) * energy
        gain, later = _gains(bodies, balance, expected, lead_then, moved_io)
    for i in bodies:  # a loss is no leave to gain
        moved_io.past[i, 0] = max(gain, 0.0) / bodies.shape[0]
        moved_io.past[i, 1] = max(later, 0.0) / bodies.shape[0]
    return taken


@kernel
def _settle_flights(n_item, balance, books, most, in_island, moved_io):
    """The same of bodies that nothing touched in the motion, which may have gained in an earlier one, or by hands.

    By velocities half a step later they gain if the motion is shorter than the step.
    """
    taken, one, twist = 0.0, np.empty(1, np.int32), moved_io.twist
    for i in range(twist.shape[0]):
        if in_island[i] or not balance.movable[i]:
            continue
        one[0] = i
        v, then = row(twist, i), row(balance.twist, i)
        energy = _energy_beside(one, balance, (NONE, NONE, NONE), moved_io.pose, twist)[0]
        # Along its way, loads give m (v - v_0) . v.
        expected = energy + 0.5 * balance.mass[i] * norm2(sub(v, then))
        if books.shape[0] > n_item and books[n_item + i, ENERGY] > 0.0:
            expected, energy = books[n_item + i, EXPECTED] + books[n_item + i, WORK], books[n_item + i, ENERGY]
        taken += _settle(one, balance, False, expected, lead(balance, i, then), most * energy, moved_io)
    return taken


@kernel
def settle_energy(n_item, balance, books, given, most, bound, moved_io):
    """Take what islands have gained beyond the share `most` of their energy; returns how much that was [J].

    given (n_island,) [J] what bodies that move as they were told to gave in a bounce, `bound` (n_body,) which bodies
    hands or locks hold.
    """
    balance, moved_io = Balance(*balance), Moved(*moved_io)
    movable, taken, in_island = balance.movable, 0.0, np.zeros(bound.shape[0], np.bool_)
    order, start = np.empty(n_item, np.int32), np.empty(n_item + 1, np.int32)
    position, list_ = np.full(movable.shape[0], -1, np.int32), np.empty(movable.shape[0], np.int32)
    for k in range(find_islands(balance.body, n_item, movable, order, start)):
        items = order[start[k] : start[k + 1]]
        bodies = list_[: list_bodies(items, balance.body, movable, position, list_)]
        clear_places(bodies, position)
        for i in bodies:
            in_island[i] = True
        alone, expected = _is_alone(items, bodies, balance, bound), books[k, EXPECTED] + books[k, WORK] + given[k]
        room = most * (books[k, ENERGY] + abs(given[k]))
        taken += _settle(bodies, balance, alone, expected, books[k, LEAD], room, moved_io)
    return taken + _settle_flights(n_item, balance, books, most, in_island, moved_io)
