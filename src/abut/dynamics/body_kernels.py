"""Rigid bodies over one step: their inertia in the world, their motion without contacts, the advance of their state.

A body's frame has its origin in the centre of mass. Its pose is a row of (n, 7), its twist a row [v w] of (n, 6), its
inertia (n, 3, 3) is given along its own axes. The angular velocity of a step is the one that the angular momentum gives
at the middle of the step, so that a free body keeps its momentum exactly and its energy in the mean.
"""

from math import cos, inf, isfinite, sin, sqrt

from .._jit import inner_kernel, kernel, lean_kernel
from ..math.dense_kernels import inverse3
from ..math.pose_kernels import advance_row, load_pose, put_frame
from ..math.quat_kernels import mat_from_rotvec
from ..math.vec_kernels import distance2, dot, load_mat, mat_mul, mat_t_vec, mat_vec, norm2, scale, skew, sub, transpose
from ..query.feature_table_kernels import load_motion

DYNAMIC, FIXED, KINEMATIC, FROZEN = 0, 1, 2, 3
NONE = (0.0, 0.0, 0.0)
MIDPOINT_ITERATIONS = 4
MOST_TURN = 1.0
"""[rad] by which forces of one motion may turn a body. Gaps at the end of a motion may be right after a whole turn,
too, by a force that would do work."""
SETTLED = 1e-30
"""Square of the relative change of an angular velocity below which it is that of rounding."""
UNSETTLED = 1e-12
"""The same, above which it was not found by mere repetition: slender bodies need Newton's method."""
MAX_NEWTON = 20
MOST_GAIN = 2.0
"""How much more energy of rotation a body may have at the end of a motion than its motion has; if it were more, it gets
as much. Below, its angular momentum is kept to rounding."""


@inner_kernel
def inertia_in_world(R, inertia):
    """Inertia of a body turned by R."""
    return mat_mul(mat_mul(R, inertia), transpose(R))


@inner_kernel
def _turned(R, matrix, v):
    """R matrix R^T v."""
    return mat_vec(R, mat_vec(matrix, mat_t_vec(R, v)))


@lean_kernel
def _slope_of_turn(a):
    """How exp(-a) v turns with a: d(exp(-a) v) = [exp(-a) v]x J da; the left Jacobian of -a."""
    angle2 = norm2(a)
    angle = sqrt(angle2)
    b, c = (0.5, 1.0 / 6.0) if angle < 1e-4 else ((1.0 - cos(angle)) / angle2, (angle - sin(angle)) / (angle2 * angle))
    S = skew(a)
    SS = mat_mul(S, S)
    return (
        1.0 - b * S[0] + c * SS[0],
        -b * S[1] + c * SS[1],
        -b * S[2] + c * SS[2],
        -b * S[3] + c * SS[3],
        1.0 - b * S[4] + c * SS[4],
        -b * S[5] + c * SS[5],
        -b * S[6] + c * SS[6],
        -b * S[7] + c * SS[7],
        1.0 - b * S[8] + c * SS[8],
    )


@lean_kernel
def _midpoint_by_newton(inertia, momentum, dt):
    """Angular velocity at the middle of the step along the body's axes: I w = exp(-dt/2 w) momentum.

    Where Newton's method does not find it, the one that the momentum gives at the start: its energy is right.
    """
    start = mat_vec(inverse3(inertia), momentum)
    w, step, h = start, start, 0.5 * dt
    for _ in range(MAX_NEWTON):
        a = scale(h, w)
        turned = mat_t_vec(mat_from_rotvec(a), momentum)
        T = mat_mul(skew(turned), _slope_of_turn(a))
        slope = (
            inertia[0] - h * T[0],
            inertia[1] - h * T[1],
            inertia[2] - h * T[2],
            inertia[3] - h * T[3],
            inertia[4] - h * T[4],
            inertia[5] - h * T[5],
            inertia[6] - h * T[6],
            inertia[7] - h * T[7],
            inertia[8] - h * T[8],
        )
        step = mat_vec(inverse3(slope), sub(mat_vec(inertia, w), turned))
        w = sub(w, step)
        if norm2(step) <= SETTLED * norm2(w):
            return w
    return w if norm2(step) <= UNSETTLED * norm2(w) else start


@inner_kernel
def _midpoint_velocity(R, inertia, momentum, w, dt):
    """Angular velocity at the middle of the step for constant angular momentum, and the inertia there."""
    inverse, R_mid, change = inverse3(inertia), R, 0.0
    for _ in range(MIDPOINT_ITERATIONS):
        before = w
        R_mid = mat_mul(mat_from_rotvec(scale(0.5 * dt, w)), R)
        w = _turned(R_mid, inverse, momentum)
        change = distance2(w, before)
        if change <= SETTLED * norm2(w):
            break
    if change > UNSETTLED * norm2(w):
        w = mat_vec(R, _midpoint_by_newton(inertia, mat_t_vec(R, momentum), dt))
        R_mid = mat_mul(mat_from_rotvec(scale(0.5 * dt, w)), R)
    return w, inertia_in_world(R_mid, inertia)


@inner_kernel
def tame(w, energy, other, energy_of_other, own):
    """The one of two angular velocities that has less energy, and that not above its `own`."""
    if energy_of_other < energy:
        w, energy = other, energy_of_other
    return scale(sqrt(own / energy), w) if energy > own else w


@inner_kernel
def _spin_at_end(R, R_end, inertia, middle, r, dt):
    """Angular velocity at the end of a motion that turned a body by r from R to R_end.

    It is that of the angular momentum in the middle. There, the inertia is known for the way in which the body would
    have turned without contacts. If it turned otherwise, and is slender, a little of its momentum across is one along
    its axis at the end, with many times the energy; then the momentum is that of the way it did turn, or less.
    """
    inverse, u = inverse3(inertia), scale(1.0 / dt, r)
    L = mat_vec(middle, u)
    w, own = _turned(R_end, inverse, L), dot(u, L)
    energy = dot(w, L)
    if energy <= MOST_GAIN * own:
        return w
    L = mat_vec(mat_from_rotvec(scale(0.5, r)), _turned(R, inertia, u))
    other = _turned(R_end, inverse, L)
    return tame(w, energy, other, dot(other, L), own)


@lean_kernel
def _is_finite(i, dt, pose, free):
    """Whether a body has finite velocities and comes to a place that has finite coordinates."""
    for k in range(6):
        place = pose[i, k] if k < 3 else 0.0
        if not (isfinite(free[i, k]) and isfinite(place + dt * free[i, k])):
            return False
    return True


@lean_kernel
def _freeze_if_broken(i, dt, kind, pose, twist, free_out):
    """Stop a body whose motion is no longer finite; returns 1 if it was stopped."""
    if _is_finite(i, dt, pose, free_out):
        return 0
    kind[i] = FROZEN
    for k in range(6):
        twist[i, k], free_out[i, k] = 0.0, 0.0
    return 1


@lean_kernel
def predict_bodies(kind, mass, inertia, pose, twist, wrench, gravity, dt, middle_out, free_out, motion_out):
    """Motion of every body as if nothing touched: its twist over the step, and its inertia in the middle of it.

    `motion_out` (n, 18) gets the pose as [rotation (9), position (3)], followed by room for displacement and turn.
    Bodies whose motion is no longer finite are stopped, so that the world goes on without them; returns how many.
    """
    n_broken = 0
    for i in range(pose.shape[0]):
        R, p = load_pose(pose, i)
        put_frame((R, p), i, motion_out)
        w = (twist[i, 3], twist[i, 4], twist[i, 5])
        if kind[i] != DYNAMIC:
            moves = 1.0 if kind[i] == KINEMATIC else 0.0
            for k in range(6):
                free_out[i, k] = moves * twist[i, k]
            n_broken += _freeze_if_broken(i, dt, kind, pose, twist, free_out)
            continue
        body_inertia = load_mat(inertia, i)
        L = _turned(R, body_inertia, w)
        L = (L[0] + dt * wrench[i, 3], L[1] + dt * wrench[i, 4], L[2] + dt * wrench[i, 5])
        w, middle = _midpoint_velocity(R, body_inertia, L, w, dt)
        for k in range(3):
            free_out[i, k] = twist[i, k] + dt * (gravity[k] + wrench[i, k] / mass[i])
            free_out[i, 3 + k] = w[k]
            for l in range(3):
                middle_out[i, k, l] = middle[3 * k + l]
        n_broken += _freeze_if_broken(i, dt, kind, pose, twist, free_out)
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


@kernel
def any_driven(kind, twist, hold):
    """Whether a body moves as it was told to, or is held by a hand."""
    for i in range(kind.shape[0]):
        if hold[i, 0] != 0.0:
            return True
        if kind[i] == KINEMATIC:
            for k in range(6):
                if twist[i, k] != 0.0:
                    return True
    return False


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
def advance_bodies(kind, inertia, middle, motion, dt, pose, twist):
    """Move every body along its motion and give it the velocity it has at the end."""
    for i in range(pose.shape[0]):
        if kind[i] == FIXED or kind[i] == FROZEN:
            continue
        X, d, r = load_motion(motion, i)
        if d != NONE or r != NONE:  # a turn by nothing would still round the quaternion
            advance_row(pose, i, d, r, 1.0, pose)
        if kind[i] == KINEMATIC:
            continue
        w = _spin_at_end(X[0], load_pose(pose, i)[0], load_mat(inertia, i), load_mat(middle, i), r, dt)
        for k in range(3):
            twist[i, k], twist[i, 3 + k] = d[k] / dt, w[k]
