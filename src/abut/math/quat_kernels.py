"""Rotations: unit quaternions `(w, x, y, z)`, rotation vectors and matrices.

`q` rotates a body's coordinates into the world's: v_W = q v_B q*. q and -q are one rotation; what is returned
has w >= 0 only where it says so.
"""

from math import atan2, cos, sin, sqrt

from .._jit import kernel
from .vec_kernels import add_scaled, cross, norm, scale

# Below these the first term of a series is all that counts.
_SMALL_ANGLE, _SMALL_SINE = 1e-8, 1e-12


@kernel
def quat_mul(a, b):
    """Rotation b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def quat_conj(q):
    """The inverse rotation."""
    return q[0], -q[1], -q[2], -q[3]


@kernel
def quat_unit(q):
    """`q` scaled to length 1."""
    s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return s * q[0], s * q[1], s * q[2], s * q[3]


@kernel
def quat_rotate(q, v):
    """`v` rotated by `q`."""
    u = (q[1], q[2], q[3])
    t = scale(2.0, cross(u, v))
    return add_scaled(add_scaled(v, q[0], t), 1.0, cross(u, t))


@kernel
def quat_from_rotvec(r):
    """Rotation by |r| radians about r; exact for any number of turns."""
    angle = norm(r)
    # sin(a/2)/a by its series where a^2 is lost beside 1.
    s = sin(0.5 * angle) / angle if angle > _SMALL_ANGLE else 0.5
    return cos(0.5 * angle), s * r[0], s * r[1], s * r[2]


@kernel
def quat_to_rotvec(q):
    """The shortest rotation vector of `q`, of length at most pi."""
    w, v = q[0], (q[1], q[2], q[3])
    if w < 0.0:
        w, v = -w, (-v[0], -v[1], -v[2])
    s = norm(v)
    return scale(2.0 * atan2(s, w) / s, v) if s > _SMALL_SINE else scale(2.0, v)


@kernel
def quat_to_mat(q):
    """Rotation matrix of the unit quaternion `q`."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@kernel
def mat_from_rotvec(r):
    """Rotation matrix of the rotation vector `r`."""
    return quat_to_mat(quat_from_rotvec(r))
