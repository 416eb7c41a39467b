"""Poses and rigid motions.

A pose is a Frame, a rotation matrix R (nine floats) and a position p; a table of poses is (n, 7) with rows
[x y z qw qx qy qz]. A motion over t in [0, 1] carries the frame's origin along a straight line by `d` and turns the
frame at constant angular velocity by the rotation vector `r`: R(t) = exp(t r) R(0), p(t) = p(0) + t d.
"""

from math import sqrt

from .._jit import inner_kernel, kernel
from .frame_tables import Frame
from .motion_tables import MovingFrame
from .quat_kernels import mat_from_rotvec, quat_from_rotvec, quat_mul, quat_to_mat, quat_unit
from .vec_kernels import (
    add,
    add_scaled,
    mat_mul,
    mat_t_mul,
    mat_t_vec,
    mat_vec,
    put_row,
    row,
    sub,
    transpose,
)


@inner_kernel
def load_pose(table, i):
    """Row `i` of an (n, 7) table as a pose."""
    q = (table[i, 3], table[i, 4], table[i, 5], table[i, 6])
    return Frame(quat_to_mat(q), (table[i, 0], table[i, 1], table[i, 2]))


@inner_kernel
def load_pose_row(row):
    """A row [x y z qw qx qy qz] as a pose."""
    return Frame(quat_to_mat((row[3], row[4], row[5], row[6])), (row[0], row[1], row[2]))


@inner_kernel
def named_motion(motion):
    """A motion from Python, a plain tuple of plain tuples, as a MovingFrame."""
    X, d, r = motion
    return MovingFrame(Frame(*X), d, r)


@inner_kernel
def load_frame(table, i):
    """Row `i` of a table that begins with rotation (9) and position (3) as a pose."""
    m = table[i]
    return Frame((m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]), (m[9], m[10], m[11]))


@inner_kernel
def put_frame(X, i, table_out):
    """Write a pose to row `i` of such a table."""
    for k in range(9):
        table_out[i, k] = X.R[k]
    for k in range(3):
        table_out[i, 9 + k] = X.p[k]


@kernel
def pose_apply(X, v):
    """The point `v` of the pose's frame in the outer frame."""
    return add(mat_vec(X.R, v), X.p)


@kernel
def pose_apply_inverse(X, v):
    """The point `v` of the outer frame in the pose's frame."""
    return mat_t_vec(X.R, sub(v, X.p))


@kernel
def pose_inverse(X_AB):
    """X_BA."""
    R = transpose(X_AB.R)
    p = mat_vec(R, X_AB.p)
    return Frame(R, (-p[0], -p[1], -p[2]))


@kernel
def pose_relative(X_WA, X_WB):
    """X_AB, the pose of B seen from A."""
    return Frame(mat_t_mul(X_WA.R, X_WB.R), mat_t_vec(X_WA.R, sub(X_WB.p, X_WA.p)))


@inner_kernel
def chord_of_turn(X, Y):
    """How far apart a point at distance 1 from the origin is at most, turned as X and as Y."""
    chord2 = 0.0
    for k in range(9):
        chord2 += (X.R[k] - Y.R[k]) ** 2
    # The Frobenius norm of the difference of two rotations is sqrt(2) times its largest gain.
    return sqrt(0.5 * chord2)


@kernel
def motion_at(X, d, r, t):
    """Pose at time `t` of the motion that starts at `X`."""
    return Frame(mat_mul(mat_from_rotvec((t * r[0], t * r[1], t * r[2])), X.R), add_scaled(X.p, t, d))


@inner_kernel
def frame_at(motion, t):
    """The same of a MovingFrame."""
    return motion_at(motion.start, motion.displacement, motion.rotvec, t)


@kernel
def advance_row(table, i, d, r, t, table_out):
    """Move pose `i` of an (n, 7) table to time `t` of a motion; the quaternion stays of length 1."""
    turned = quat_from_rotvec((t * r[0], t * r[1], t * r[2]))
    q = quat_unit(quat_mul(turned, (table[i, 3], table[i, 4], table[i, 5], table[i, 6])))
    table_out[i, 0] = table[i, 0] + t * d[0]
    table_out[i, 1] = table[i, 1] + t * d[1]
    table_out[i, 2] = table[i, 2] + t * d[2]
    table_out[i, 3], table_out[i, 4], table_out[i, 5], table_out[i, 6] = q


@kernel
def place_points(points, pose, place_out):
    """Points (n, 3) of a frame that stands at a row of a pose, in the outer frame."""
    X = load_pose_row(pose)
    for i in range(points.shape[0]):
        put_row(pose_apply(X, row(points, i)), i, place_out)
