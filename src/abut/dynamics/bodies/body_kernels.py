"""Rigid bodies over one step: their inertia in the world, their motion without contacts, the advance of their state.

A body's frame has its origin in the centre of mass. Its pose is a row of (n, 7), its twist a row [v w] of (n, 6), its
inertia (n, 3, 3) is given along its own axes. A body that nothing touches turns to where its angular momentum takes it
(tumble_kernels), which keeps momentum and energy.
"""

from math import inf, isfinite, sqrt

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.dense_kernels import inverse3
from ...math.motion_tables import WAY
from ...math.pose_kernels import advance_row, load_pose, put_frame
from ...math.vec_kernels import add_scaled, load_mat, mat_t_vec, mat_vec, put_mat, row, sub
from ...query.motion.feature_table_kernels import load_motion
from .tumble_kernels import turn_about, turn_freely

DYNAMIC, FIXED, KINEMATIC, FROZEN = 0, 1, 2, 3
NONE = (0.0, 0.0, 0.0)
MOST_TURN = 1.0
"""[rad] by which forces of one motion may turn a body. Gaps at the end of a motion may be right after a whole turn,
too, by a force that would do work."""


@inner_kernel
def _turned(R, matrix, v):
    """R matrix R^T v."""
    return mat_vec(R, mat_vec(matrix, mat_t_vec(R, v)))


@inner_kernel
def spin_row(twist, i):
    """Angular velocity of body i."""
    return twist[i, 3], twist[i, 4], twist[i, 5]


@inner_kernel
def velocity_at_end(before, mean, gamma):
    """Velocity at the end of a motion that is made with gamma times this one and the rest of the one before."""
    return mean if gamma == 1.0 else add_scaled(before, 1.0 / gamma, sub(mean, before))


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
def predict_bodies(bodies_io, gravity, dt, prediction_out):
    """Motion of every body as if nothing touched: its twist over the step, and its inertia in the middle of it.

    The motion gets the pose as [rotation (9), position (3)], followed by room for displacement and turn. Bodies whose
    motion is no longer finite are stopped, so that the world goes on without them; returns how many.
    """
    kind, pose, twist, load, locked = bodies_io.kind, bodies_io.pose, bodies_io.twist, bodies_io.load, bodies_io.locked
    free, n_broken = prediction_out.free, 0
    for i in range(pose.shape[0]):
        X = load_pose(pose, i)
        put_frame(X, i, prediction_out.motion)
        w = (twist[i, 3], twist[i, 4], twist[i, 5])
        if kind[i] != DYNAMIC:
            moves = 1.0 if kind[i] == KINEMATIC else 0.0
            for k in range(6):
                free[i, k] = moves * twist[i, k]
            n_broken += _freeze_if_broken(i, dt, kind, pose, twist, free)
            continue
        inertia = load_mat(bodies_io.inertia, i)
        L = _turned(X.R, inertia, w)
        L = (L[0] + dt * load[i, 3], L[1] + dt * load[i, 4], L[2] + dt * load[i, 5])
        if locked[i, 3] or locked[i, 4] or locked[i, 5]:
            w, middle = turn_about(X.R, inertia, L, w, dt)
        else:
            w, middle = turn_freely(X.R, inertia, L, dt)
        put_mat(middle, i, prediction_out.middle)
        for k in range(3):
            free[i, k] = twist[i, k] + dt * (gravity[k] + load[i, k] / bodies_io.mass[i])
            free[i, 3 + k] = w[k]
        n_broken += _freeze_if_broken(i, dt, kind, pose, twist, free)
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
                motion_out[i, WAY + k] = dt * free[i, k] + shift[i, k]


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
def find_before(bodies, prediction_io):
    """Twists at the start, with the angular velocities by which inertias of the middle are momenta of the start."""
    twist, before = prediction_io.twist, prediction_io.before
    for i in range(bodies.kind.shape[0]):
        w = spin_row(twist, i)
        if bodies.kind[i] == DYNAMIC:
            L = _turned(load_motion(prediction_io.motion, i).start.R, load_mat(bodies.inertia, i), w)
            w = mat_vec(inverse3(load_mat(prediction_io.middle, i)), L)
        for k in range(3):
            before[i, k], before[i, 3 + k] = twist[i, k], w[k]


@lean_kernel
def advance_bodies(bodies_io, prediction, dt, gamma, stays_io):
    """Move every body along its motion and give it the velocity it has at the end; see pair_laws on gamma.

    Its spin is that of its angular momentum, of the middle, where it stands then. Marks bodies that stay though they
    could have moved; returns whether there are any.
    """
    kind, pose, twist, before, any_stay = bodies_io.kind, bodies_io.pose, bodies_io.twist, prediction.before, False
    for i in range(pose.shape[0]):
        if kind[i] == FIXED or kind[i] == FROZEN:
            continue
        _X, d, r = load_motion(prediction.motion, i)
        if d != NONE or r != NONE:  # a turn by nothing would still round the quaternion
            advance_row(pose, i, d, r, 1.0, pose)
        if kind[i] == KINEMATIC:
            continue
        v = velocity_at_end(row(before, i), (d[0] / dt, d[1] / dt, d[2] / dt), gamma)
        u = velocity_at_end(spin_row(before, i), (r[0] / dt, r[1] / dt, r[2] / dt), gamma)
        L = mat_vec(load_mat(prediction.middle, i), u)
        w = _turned(load_pose(pose, i).R, inverse3(load_mat(bodies_io.inertia, i)), L)
        if d == NONE and r == NONE:
            stays_io[i], any_stay = True, True
        for k in range(3):
            twist[i, k], twist[i, 3 + k] = v[k], w[k]
    return any_stay
