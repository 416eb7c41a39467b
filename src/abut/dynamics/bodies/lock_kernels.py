"""Bodies that are kept from turning about some axes of the world, but not about all of them."""

import numpy as np

from ..._jit import kernel
from ...math.dense_kernels import cholesky_factor, cholesky_solve
from ...math.pose_kernels import load_pose
from ...math.vec_kernels import load_mat, mat_vec
from .body_kernels import DYNAMIC
from .tumble_kernels import inertia_in_world


@kernel
def _fill_unlocked(i, locked, inertia, momentum, matrix_out, right_out):
    """Inertia and angular momentum about the axes that are free."""
    for k in range(3):
        for l in range(3):
            matrix_out[k, l] = inertia[3 * k + l]
        right_out[k] = momentum[k]
    for k in range(3):
        if locked[i, 3 + k]:
            matrix_out[k, :] = 0.0
            matrix_out[:, k] = 0.0
            matrix_out[k, k], right_out[k] = 1.0, 0.0


@kernel
def drop_locked_turns(kind, inertia, locked, pose, twist_io):
    """Take away angular velocities about locked axes; the angular momentum about the others stays.

    A body turns about free axes only, but its axes of inertia turn with it: the angular momentum of the middle of a
    step would have it turn a little about locked ones at the end.
    """
    matrix, right = np.empty((3, 3)), np.empty(3)
    for i in range(kind.shape[0]):
        if kind[i] != DYNAMIC or not (locked[i, 3] or locked[i, 4] or locked[i, 5]):
            continue
        I_W = inertia_in_world(load_pose(pose, i).R, load_mat(inertia, i))
        momentum = mat_vec(I_W, (twist_io[i, 3], twist_io[i, 4], twist_io[i, 5]))
        _fill_unlocked(i, locked, I_W, momentum, matrix, right)
        cholesky_factor(matrix, 3)
        cholesky_solve(matrix, 3, right)
        for k in range(3):
            twist_io[i, 3 + k] = right[k]
