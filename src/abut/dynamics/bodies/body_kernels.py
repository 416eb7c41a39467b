"""Rigid bodies over one step: their inertia in the world, their motion without contacts, the advance of their state.

A body's frame has its origin in the centre of mass. Its pose is a row of (n, 7), its twist a row [v w] of (n, 6), its
inertia (n, 3, 3) is given along its own axes. A body that nothing touches turns to where its angular momentum takes it
(tumble_kernels), which keeps momentum and energy.
"""

from math import inf, isfinite, sqrt

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.dense_kernels import inverse3
from ...math.pose_kernels import advance_row, load_pose, put_frame
from ...math.quat_kernels import mat_from_rotvec
from ...math.vec_kernels import dot, load_mat, mat_t_vec, mat_vec, scale
from ...query.motion.feature_table_kernels import load_motion
from .tumble_kernels import turn_about, turn_freely

DYNAMIC, FIXED, KINEMATIC, FROZEN = 0, 1, 2, 3
NONE = (0.0, 0.0, 0.0)
MOST_TURN = 1.0
"""[rad] by which forces of one motion may turn a body. Gaps at the end of a motion may be right after a whole turn,
too, by a force that would do work."""
MOST_GAIN = 2.0
"""How much more energy of rotation a body may have at the end of a motion than its motion has; if it were more, it gets
as much. Below, its angular momentum is kept to rounding."""


@inner_kernel
def _turned(R, matrix, v):
    """R matrix R^T v."""
    return mat_vec(R, mat_vec(matrix, mat_t_vec(R, v)))


@inner_kernel
def tame(w, energy, other, energy_of_other, own):
    """The one of two angular velocities that has less energy, and that not above its `own`."""
    if energy_of_other < energy:
        w, energy = other, energy_of_other
    return scale(sqrt(own / energy), w) if energy > own else w


@inner_kernel
def _at_end(before, mean, gamma):
    """Velocity at the end of a motion that is made with gamma times this one and the rest of the one before."""
    return mean if gamma == 1.0 else before + (mean - before) / gamma


@inner_kernel
def _spin_at_end(R, R_end, inertia, middle, u, r):
    """Angular velocity at the end of a motion that turned a body by r from R to R_end, if its momentum is that of u.

    It is that of the angular momentum in the middle. There, the inertia is known for the way in which the body would
    have turned without contacts. If it turned otherwise, and is slender, a little of its momentum across is one along
    its axis at the end, with many times the energy; then the momentum is that of the way it did turn, or less. Returns
    whether that was so, too.
    """
    inverse, L = inverse3(inertia), mat_vec(middle, u)
    w, own = _turned(R_end, inverse, L), max(dot(u, L), dot(L, _turned(R, inverse, L)))
    energy = dot(w, L)
    if energy <= MOST_GAIN * own:
        return w, False
    L = mat_vec(mat_from_rotvec(scale(0.5, r)), _turned(R, inertia, u))
    other = _turned(R_end, inverse, L)
    return tame(w, energy, other, dot(other, L), own), True


@lean_kernel
def _is_finite(i, dt, pose, free):
    """Whether a body has finite velocities, comes to a place with finite coordinates, and turns by a finite angle."""
    turn2 = 0.0
    for k in range(6):
        place = pose[i, k] if k < 3 else 0.0
        if not (isfinite(free[i, k]) and isfinite(place + dt * free[i, k])):
            return False
        turn2 += (dt * free[i, k]) ** 2 if k >= 3 else 0.0
    return isfinite(turn2)


@lean_kernel
def _freeze_if_broken(i, dt, kind_io, pose, twist_out, free_out):
    """Stop a body whose motion is no longer finite; returns 1 if it was stopped."""
    if _is_finite(i, dt, pose, free_out):
        return 0
    kind_io[i] = FROZEN
    for k in range(6):
        twist_out[i, k], free_out[i, k] = 0.0, 0.0
    return 1


@lean_kernel
def predict_bodies(
    kind_io, mass, inertia, pose, twist_io, wrench, gravity, dt, locked, middle_out, free_out, motion_out
):
    """Motion of every body as if nothing touched: its twist over the step, and its inertia in the middle of it.

    `motion_out` (n, 18) gets the pose as [rotation (9), position (3)], followed by room for displacement and turn.
    Bodies whose motion is no longer finite are stopped, so that the world goes on without them; returns how many.
    """
    n_broken = 0
    for i in range(pose.shape[0]):
        R, p = load_pose(pose, i)
        put_frame((R, p), i, motion_out)
        w = (twist_io[i, 3], twist_io[i, 4], twist_io[i, 5])
        if kind_io[i] != DYNAMIC:
            moves = 1.0 if kind_io[i] == KINEMATIC else 0.0
            for k in range(6):
                free_out[i, k] = moves * twist_io[i, k]
            n_broken += _freeze_if_broken(i, dt, kind_io, pose, twist_io, free_out)
            continue
        body_inertia = load_mat(inertia, i)
        L = _turned(R, body_inertia, w)
        L = (L[0] + dt * wrench[i, 3], L[1] + dt * wrench[i, 4], L[2] + dt * wrench[i, 5])
        if locked[i, 3] or locked[i, 4] or locked[i, 5]:
            w, middle = turn_about(R, body_inertia, L, w, dt)
        else:
            w, middle = turn_freely(R, body_inertia, L, dt)
        for k in range(3):
            free_out[i, k] = twist_io[i, k] + dt * (gravity[k] + wrench[i, k] / mass[i])
            free_out[i, 3 + k] = w[k]
            for l in range(3):
                middle_out[i, k, l] = middle[3 * k + l]
        n_broken += _freeze_if_broken(i, dt, kind_io, pose, twist_io, free_out)
    return n_broken


@kernel
def find_movable(kind, mass, movable_out):
    """Which bodies answer to forces, and the smallest mass of them; 1 if there is none."""
    least = inf
    for i in range(kind.shape[0]):
        movable_out[i] = kind[i] == DYNAMIC
        if movable_out[i]:
            least = min(least, mass[i])
    return least if least < inf else 1.0


@lean_kernel
def set_motions(free, shift, dt, due, motion_out):
    """Displacement and rotation vector of every body that is due: dt * free and its shift beyond that."""
    for i in range(free.shape[0]):
        if due[i]:
            for k in range(6):
                motion_out[i, 12 + k] = dt * free[i, k] + shift[i, k]


@lean_kernel
def any_spun(free, shift, dt, due):
    """Whether forces turn one of those due by more than MOST_TURN and its own turn."""
    for i in range(due.shape[0]):
        turn2, own2 = 0.0, 0.0
        for k in range(3, 6):
            turn2 += shift[i, k] ** 2
            own2 += (dt * free[i, k]) ** 2
        if due[i] and not sqrt(turn2) <= MOST_TURN + sqrt(own2):
            return True
    return False


@lean_kernel
def advance_bodies(kind, inertia, middle, motion, dt, gamma, pose_io, twist_io, stays_io):
    """Move every body along its motion and give it the velocity it has at the end; see pair_laws on gamma.

    Marks bodies that stay though they could have moved, and those that lose spin; returns whether there are any.
    """
    any_stay = False
    for i in range(pose_io.shape[0]):
        if kind[i] == FIXED or kind[i] == FROZEN:
            continue
        X, d, r = load_motion(motion, i)
        if d != NONE or r != NONE:  # a turn by nothing would still round the quaternion
            advance_row(pose_io, i, d, r, 1.0, pose_io)
        if kind[i] == KINEMATIC:
            continue
        u = (
            _at_end(twist_io[i, 3], r[0] / dt, gamma),
            _at_end(twist_io[i, 4], r[1] / dt, gamma),
            _at_end(twist_io[i, 5], r[2] / dt, gamma),
        )
        w, tamed = _spin_at_end(X[0], load_pose(pose_io, i)[0], load_mat(inertia, i), load_mat(middle, i), u, r)
        if tamed or (d == NONE and r == NONE):
            stays_io[i], any_stay = True, True
        for k in range(3):
            twist_io[i, k], twist_io[i, 3 + k] = _at_end(twist_io[i, k], d[k] / dt, gamma), w[k]
    return any_stay
