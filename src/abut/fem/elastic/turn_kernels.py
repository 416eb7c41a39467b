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


@kernel
def mean_turn(turn, mean_out):
    """(3, 3) mean of rotations by unit quaternions (n, 4)."""
    q, first = (0.0, 0.0, 0.0, 0.0), (turn[0, 0], turn[0, 1], turn[0, 2], turn[0, 3])
    for i in range(turn.shape[0]):
        w, x, y, z = turn[i, 0], turn[i, 1], turn[i, 2], turn[i, 3]
        s = 1.0 if w * first[0] + x * first[1] + y * first[2] + z * first[3] >= 0.0 else -1.0
        q = q[0] + s * w, q[1] + s * x, q[2] + s * y, q[3] + s * z
    size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    R = quat_to_mat((q[0] / size, q[1] / size, q[2] / size, q[3] / size))
    for k in range(9):
        mean_out[k // 3, k % 3] = R[k]
