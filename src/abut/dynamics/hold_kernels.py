"""How far held bodies are from where they are drawn."""

from .._jit import kernel
from ..math.quat_kernels import quat_conj, quat_mul, quat_to_rotvec


@kernel
def hold_errors(hold, pose, target, error_out):
    """(n, 6) way and rotation vector from each held body's pose to its target, in the world's axes."""
    for i in range(hold.shape[0]):
        if hold[i, 0] == 0.0:
            continue
        q = (pose[i, 3], pose[i, 4], pose[i, 5], pose[i, 6])
        q_target = (target[i, 3], target[i, 4], target[i, 5], target[i, 6])
        turn = quat_to_rotvec(quat_mul(q_target, quat_conj(q)))
        for k in range(3):
            error_out[i, k] = target[i, k] - pose[i, k]
            error_out[i, 3 + k] = turn[k]
