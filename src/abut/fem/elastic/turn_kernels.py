"""How the nodes of a body turn: with the elements around them."""

from math import sqrt

from ..._jit import kernel
from ...math.quat_kernels import quat_to_mat
from ...math.vec_kernels import put_mat


@kernel
def turn_nodes(corner, rotations, turn_out):
    """(n, 4) mean rotation of the elements around each node, by unit quaternions."""
    for i in range(turn_out.shape[0]):
        for k in range(4):
            turn_out[i, k] = 0.0
    for e in range(corner.shape[0]):
        for c in range(4):
            i = corner[e, c]
            s = 0.0
            for k in range(4):
                s += turn_out[i, k] * rotations[e, k]
            for k in range(4):
                turn_out[i, k] += rotations[e, k] if s >= 0.0 else -rotations[e, k]
    for i in range(turn_out.shape[0]):
        s = 0.0
        for k in range(4):
            s += turn_out[i, k] * turn_out[i, k]
        for k in range(4):
            turn_out[i, k] = turn_out[i, k] / sqrt(s) if s > 0.0 else (1.0 if k == 0 else 0.0)


@kernel
def put_turns(turn, order, matrix_out):
    """Rotation matrices (n, 3, 3) of the nodes in another order."""
    for p in range(order.shape[0]):
        i = order[p]
        put_mat(quat_to_mat((turn[i, 0], turn[i, 1], turn[i, 2], turn[i, 3])), p, matrix_out)
