"""Poses and rigid motions.

A pose is a pair `(R, p)` of a rotation matrix (nine floats) and a position; a table of poses is (n, 7) with rows
[x y z qw qx qy qz]. A motion over t in [0, 1] carries the frame's origin along a straight line by `d` and turns the
frame at constant angular velocity by the rotation vector `r`: R(t) = exp(t r) R(0), p(t) = p(0) + t d.
"""

from .._jit import inner_kernel, kernel
from .quat_kernels import mat_from_rotvec, quat_from_rotvec, quat_mul, quat_to_mat, quat_unit
from .vec_kernels import (
    add,
    add_scaled,
    mat_mul,
    mat_t_mul,
    mat_t_vec,
    mat_vec,
    sub,
    transpose,
)


@inner_kernel
def load_pose(table, i):
    """Row `i` of an (n, 7) table as a pose."""
    q = (table[i, 3], table[i, 4], table[i, 5], table[i, 6])
    return quat_to_mat(q), (table[i, 0], table[i, 1], table[i, 2])


@inner_kernel
def load_frame(table, i):
    """Row `i` of a table that begins with rotation (9) and position (3) as a pose."""
    m = table[i]
    return (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]), (m[9], m[10], m[11])


@inner_kernel
def put_frame(X, i, table_out):
    """Write a pose to row `i` of such a table."""
    for k in range(9):
        table_out[i, k] = X[0][k]
    for k in range(3):
        table_out[i, 9 + k] = X[1][k]


@kernel
def pose_apply(X, v):
    """The point `v` of the pose's frame in the outer frame."""
    return add(mat_vec(X[0], v), X[1])


@kernel
def pose_apply_inverse(X, v):
    """The point `v` of the outer frame in the pose's frame."""
    return mat_t_vec(X[0], sub(v, X[1]))


@kernel
def pose_inverse(X_AB):
    """X_BA."""
    R = transpose(X_AB[0])
    p = mat_vec(R, X_AB[1])
    return R, (-p[0], -p[1], -p[2])


@kernel
def pose_relative(X_WA, X_WB):
    """X_AB, the pose of B seen from A."""
    return mat_t_mul(X_WA[0], X_WB[0]), mat_t_vec(X_WA[0], sub(X_WB[1], X_WA[1]))


@kernel
def motion_at(X, d, r, t):
    """Pose at time `t` of the motion that starts at `X`."""
    return mat_mul(mat_from_rotvec((t * r[0], t * r[1], t * r[2])), X[0]), add_scaled(X[1], t, d)


@kernel
def advance_row(table, i, d, r, t, table_out):
    """Move pose `i` of an (n, 7) table to time `t` of a motion; the quaternion stays of length 1."""
    turned = quat_from_rotvec((t * r[0], t * r[1], t * r[2]))
    q = quat_unit(quat_mul(turned, (table[i, 3], table[i, 4], table[i, 5], table[i, 6])))
    table_out[i, 0] = table[i, 0] + t * d[0]
    table_out[i, 1] = table[i, 1] + t * d[1]
    table_out[i, 2] = table[i, 2] + t * d[2]
    table_out[i, 3], table_out[i, 4], table_out[i, 5], table_out[i, 6] = q
