"""How far held bodies are from where they are drawn.

A hand holds a body's frame by springs along and about the axes of the world, or a point of it by a spring at that
point, about which the body turns as it will.
"""

from ..._jit import inner_kernel, kernel
from ...math.pose_kernels import load_pose
from ...math.quat_kernels import quat_conj, quat_mul, quat_to_rotvec
from ...math.vec_kernels import mat_vec

# What a hand does, in hold[i, 0].
LET_GO, HOLDS_POSE, HOLDS_POINT = 0.0, 1.0, 2.0
# Columns of `hold` after stiffness, damping and limit for translation and for rotation.
ARM, HOLD_WIDTH = 7, 10
# Columns of `error`: way and rotation vector to the target, and from the centre of mass to the point that is held.
REACH, ERROR_WIDTH = 6, 9


@inner_kernel
def _turn_to(i, pose, target):
    """Rotation vector from body i's orientation to that of its target."""
    q = (pose[i, 3], pose[i, 4], pose[i, 5], pose[i, 6])
    q_target = (target[i, 3], target[i, 4], target[i, 5], target[i, 6])
    return quat_to_rotvec(quat_mul(q_target, quat_conj(q)))


@kernel
def hold_errors(hold, pose, target, error_out):
    """(n, 9) way and rotation vector from each held body to its target, and arm of its held point, in world axes."""
    for i in range(hold.shape[0]):
        if hold[i, 0] == LET_GO:
            continue
        turn, reach = _turn_to(i, pose, target), (0.0, 0.0, 0.0)
        if hold[i, 0] == HOLDS_POINT:
            arm = (hold[i, ARM], hold[i, ARM + 1], hold[i, ARM + 2])
            turn, reach = (0.0, 0.0, 0.0), mat_vec(load_pose(pose, i).R, arm)
        for k in range(3):
            error_out[i, k] = target[i, k] - pose[i, k] - reach[k]
            error_out[i, 3 + k] = turn[k]
            error_out[i, REACH + k] = reach[k]


@inner_kernel
def held_velocity(i, error, velocity):
    """Velocity of the point by which body i is held, if its centre of mass and its rotation have this one."""
    x, y, z = error[i, REACH], error[i, REACH + 1], error[i, REACH + 2]
    a, b, c = velocity[i, 3], velocity[i, 4], velocity[i, 5]
    return velocity[i, 0] + b * z - c * y, velocity[i, 1] + c * x - a * z, velocity[i, 2] + a * y - b * x
