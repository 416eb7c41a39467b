"""How a body answers to an impulse: its effective mass and the inverse of that, (6, 6), in the order [v w].

Springs and dampers that hold a body (a hand, a fixture) enter with their force at the end of the step, so that they are
stable at any stiffness: (M + dt C + dt^2 K) u = M u_free + dt K e, e the way to the target at the start. The spring
along the axes may act at a point of the body, and then turns it, too. A locked direction has no answer at all. A body
that is neither held nor locked answers with the inverses of its mass and of its inertia.
"""

from math import sqrt

import numpy as np

from ..._jit import inner_kernel, kernel
from ...math.dense_kernels import cholesky_factor, cholesky_solve, inverse3
from ...math.pose_kernels import load_pose
from ...math.vec_kernels import load_mat, put_mat
from ...math.vec_kernels import scale as scale_of
from .body_kernels import DYNAMIC
from .body_tables import Prediction, RigidBodies
from .hold_kernels import REACH, held_velocity
from .tumble_kernels import inertia_in_world


@kernel
def _limited(error, velocity, stiffness, damping, limit):
    """By what factor a spring's force along three axes must be lowered to keep to its limit."""
    total = 0.0
    for k in range(3):
        force = stiffness * error[k] - damping * velocity[k]
        total += force * force
    return min(1.0, limit / sqrt(total)) if total > 0.0 else 1.0


@kernel
def _fill_mass(i, mass, middle, dt, drag, matrix_out):
    """Mass matrix of body i with viscous drag [1/s] taken at the end of the step."""
    matrix_out[:] = 0.0
    for k in range(3):
        matrix_out[k, k] = mass[i] * (1.0 + dt * drag[i, 0])
        for l in range(3):
            matrix_out[3 + k, 3 + l] = middle[i, k, l] * (1.0 + dt * drag[i, 1])


@inner_kernel
def _add_arm(i, error, spring, pull, matrix_io, right_io):
    """Add what a spring at the held point of body i, `spring` along each axis, does and feels by the body's rotation.

    Its point moves with v + w x r, and its force acts with the torque r x f.
    """
    x, y, z = error[i, REACH], error[i, REACH + 1], error[i, REACH + 2]
    cross_r = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    for k in range(3):
        for l in range(3):
            matrix_io[k, 3 + l] -= spring * cross_r[k][l]
            matrix_io[3 + k, l] += spring * cross_r[k][l]
            right_io[3 + k] += cross_r[k][l] * pull[l]
            for m in range(3):
                matrix_io[3 + k, 3 + l] -= spring * cross_r[k][m] * cross_r[m][l]


@kernel
def _add_hold(i, hold, error, free, dt, matrix_io, right_io, grip_out):
    """Add the spring and damper that hold body i, each lowered to its limit.

    hold[i] = [what is held, stiffness, damping, limit] for translation, then the last three for rotation. grip_out[i]
    gets the factors by which the two are lowered.
    """
    velocity = (held_velocity(i, error, free), (free[i, 3], free[i, 4], free[i, 5]))
    for part in range(2):
        way = (error[i, 3 * part], error[i, 3 * part + 1], error[i, 3 * part + 2])
        stiffness, damping, limit = hold[i, 1 + 3 * part], hold[i, 2 + 3 * part], hold[i, 3 + 3 * part]
        factor = grip_out[i, part] = _limited(way, velocity[part], stiffness, damping, limit)
        spring, pull = factor * dt * (damping + dt * stiffness), scale_of(factor * dt * stiffness, way)
        for k in range(3):
            matrix_io[3 * part + k, 3 * part + k] += spring
            right_io[3 * part + k] += pull[k]
        if part == 0:
            _add_arm(i, error, spring, pull, matrix_io, right_io)


@kernel
def _lock(i, locked, matrix_out, right_out):
    """Take the locked directions out of the equations."""
    for k in range(6):
        if locked[i, k]:
            matrix_out[k, :] = 0.0
            matrix_out[:, k] = 0.0
            matrix_out[k, k] = 1.0
            right_out[k] = 0.0


@inner_kernel
def _is_loose(i, hold, locked):
    """Whether body i is neither held nor locked."""
    bound = hold[i, 0] > 0.0
    for k in range(6):
        bound |= locked[i, k]
    return not bound


@inner_kernel
def _respond_loosely(i, bodies, dt, scale, free_io, prediction_io):
    """Effective mass and response of body i if only drag acts on it, which slows it down."""
    mass, drag, middle = bodies.mass, bodies.drag, prediction_io.middle
    weight, response = prediction_io.weight, prediction_io.response
    slide, turn = 1.0 + dt * drag[i, 0], 1.0 + dt * drag[i, 1]
    inverse = inverse3(load_mat(middle, i))
    to_weight, to_response = turn / scale, scale / turn
    for k in range(3):
        free_io[i, k] /= slide
        free_io[i, 3 + k] /= turn
        for l in range(3):
            weight[i, k, l], weight[i, k, 3 + l], weight[i, 3 + k, l] = 0.0, 0.0, 0.0
            response[i, k, l], response[i, k, 3 + l], response[i, 3 + k, l] = 0.0, 0.0, 0.0
            weight[i, 3 + k, 3 + l] = middle[i, k, l] * to_weight
            response[i, 3 + k, 3 + l] = inverse[3 * k + l] * to_response
        weight[i, k, k] = mass[i] * slide / scale
        response[i, k, k] = scale / (mass[i] * slide)


@kernel
def _respond(i, bodies, hold, dt, scale, work, prediction_io):
    """The same for any body i; work = (matrix, right side, column)."""
    mass, middle, free, locked = bodies.mass, prediction_io.middle, prediction_io.free, bodies.locked
    matrix, right, column = work
    for k in range(3):
        right[k] = mass[i] * free[i, k]
        right[3 + k] = 0.0
        for l in range(3):
            right[3 + k] += middle[i, k, l] * free[i, 3 + l]
    _fill_mass(i, mass, middle, dt, bodies.drag, matrix)
    if hold[i, 0] > 0.0:
        _add_hold(i, hold, prediction_io.error, free, dt, matrix, right, prediction_io.grip)
    _lock(i, locked, matrix, right)
    for k in range(6):
        for l in range(6):
            prediction_io.weight[i, k, l] = matrix[k, l] / scale
    cholesky_factor(matrix, 6)
    cholesky_solve(matrix, 6, right)
    for k in range(6):
        free[i, k] = right[k]
        if locked[i, k]:
            continue
        column[:] = 0.0
        column[k] = scale
        cholesky_solve(matrix, 6, column)
        for l in range(6):
            prediction_io.response[i, l, k] = 0.0 if locked[i, l] else column[l]


@kernel
def respond_at_end(bodies, dt, scale, prediction_io):
    """Let bodies that are neither held nor locked answer with the inertia that they have where they have come to."""
    bodies, prediction_io = RigidBodies(*bodies), Prediction(*prediction_io)
    velocity = np.zeros((bodies.kind.shape[0], 6))
    for i in range(bodies.kind.shape[0]):
        if bodies.kind[i] == DYNAMIC and _is_loose(i, bodies.hold, bodies.locked):
            I_W = inertia_in_world(load_pose(bodies.pose, i).R, load_mat(bodies.inertia, i))
            put_mat(I_W, i, prediction_io.middle)
            _respond_loosely(i, bodies, dt, scale, velocity, prediction_io)


@kernel
def build_responses(bodies, hold, dt, scale, prediction_io):
    """Effective mass over `scale` of every body, and its inverse; returns whether any is held.

    Free twists become those with springs, drag and locks in force. `hold` is that of the bodies, or zeros where hands
    act in another way.
    """
    bodies, prediction_io = RigidBodies(*bodies), Prediction(*prediction_io)
    scratch, any_held = (np.empty((6, 6)), np.empty(6), np.empty(6)), False
    for i in range(bodies.kind.shape[0]):
        if bodies.kind[i] == DYNAMIC and _is_loose(i, hold, bodies.locked):
            _respond_loosely(i, bodies, dt, scale, prediction_io.free, prediction_io)
            continue
        prediction_io.response[i] = 0.0
        if bodies.kind[i] == DYNAMIC:
            any_held |= hold[i, 0] > 0.0
            _respond(i, bodies, hold, dt, scale, scratch, prediction_io)
    return any_held
