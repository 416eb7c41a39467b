"""How a body turns by itself: the constant angular velocity that leads to where Euler's equations take it in a step.

Along the axes of the body, its angular momentum p obeys p' = p x w with I w = p. The implicit midpoint rule,

    p_1 - p_0 = s p_m x w_m,    p_m = (p_0 + p_1) / 2,    I w_m = p_m,

keeps both |p| and the energy p . w / 2 for any s, and turns p_0 into p_1 by the rotation of Cayley, (1, s w_m / 2) as a
quaternion. The body makes the same turn, so that its momentum in the world stays as well. Large turns are made of small
ones, and one constant angular velocity then takes the body to where these led. The momentum is no longer that of the
inertia at any moment of such a turn: the inertia in its middle is changed by as little as makes it so.
"""

from math import atan2, inf, pi, tan

from ..._jit import inner_kernel, lean_kernel
from ...math.dense_kernels import inverse3
from ...math.quat_kernels import mat_from_rotvec, quat_mul, quat_rotate, quat_unit
from ...math.vec_kernels import (
    add_scaled,
    cross,
    dot,
    mat_mul,
    mat_t_vec,
    mat_vec,
    norm,
    norm2,
    scale,
    skew,
    sub,
    transpose,
)

LARGEST_TURN = 0.1
"""[rad] of one use of the midpoint rule."""
MOST_PARTS = 4096
"""How many of them a step may take."""
MAX_NEWTON = 20
SETTLED = 1e-30
NEARLY_SETTLED = 1e4 * SETTLED
"""Squares of the last change, as shares of that of the momentum: right, and right if it falls no more."""
"""Square of the relative change of a momentum below which it is that of rounding."""
PRINCIPAL = 1e-32
"""Square of the sine between angular velocity and momentum below which a body turns about a principal axis."""
LEAST_ALONG = 0.1
"""Share of its mean angular velocity along the momentum that the constant one must have."""


@inner_kernel
def inertia_in_world(R, inertia):
    """Inertia of a body turned by R."""
    return mat_mul(mat_mul(R, inertia), transpose(R))


@lean_kernel
def _middle_momentum(inverse, p, h):
    """Momentum in the middle of a turn, q = p + h q x w by Newton's method; whether it was found."""
    q, last = p, inf
    for _ in range(MAX_NEWTON):
        w = mat_vec(inverse, q)
        A, B = mat_mul(skew(q), inverse), skew(w)
        slope = (
            1.0 - h * (A[0] - B[0]),
            -h * (A[1] - B[1]),
            -h * (A[2] - B[2]),
            -h * (A[3] - B[3]),
            1.0 - h * (A[4] - B[4]),
            -h * (A[5] - B[5]),
            -h * (A[6] - B[6]),
            -h * (A[7] - B[7]),
            1.0 - h * (A[8] - B[8]),
        )
        step = mat_vec(inverse3(slope), sub(sub(q, p), scale(h, cross(q, w))))
        q = sub(q, step)
        change = norm2(step)
        if change <= SETTLED * norm2(p):
            return q, True
        if not change < last and change <= NEARLY_SETTLED * norm2(p):
            return q, True  # as near as rounding lets it come
        last = change
    return q, False


@lean_kernel
def _turn_by_parts(inverse, p, dt, n):
    """Quaternion and sum of the turns that n parts of a step make, along the axes of its start; whether all did."""
    q, total, h = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), dt / n
    for _ in range(n):
        speed = norm(mat_vec(inverse, p))
        t = tan(0.5 * h * speed) / speed  # of a turn about a principal axis, Cayley's rotation is then the exact one
        half, fits = _middle_momentum(inverse, p, t)
        if not fits:
            return q, total, False
        w = mat_vec(inverse, half)
        total = add_scaled(total, 2.0 * t, quat_rotate(q, w))
        q = quat_unit(quat_mul(q, (1.0, t * w[0], t * w[1], t * w[2])))
        p = add_scaled(scale(2.0, half), -1.0, p)
    return q, total, True


@inner_kernel
def _nearest_rotvec(q, total):
    """The rotation vector of q, of any number of turns, that is nearest to `total`."""
    v = (q[1], q[2], q[3])
    s = norm(v)
    if s == 0.0:
        return scale(2.0 * pi * round(norm(total) / (2.0 * pi)) / max(norm(total), 1e-300), total)
    axis, angle = scale(1.0 / s, v), 2.0 * atan2(s, q[0])
    turns = round((dot(axis, total) - angle) / (2.0 * pi))
    return scale(angle + 2.0 * pi * turns, axis)


@inner_kernel
def _with_momentum(M, u, L):
    """M changed by as little as makes M u = L, still symmetric and positive: the update that BFGS makes."""
    m = mat_vec(M, u)
    a, b = 1.0 / dot(u, L), 1.0 / dot(u, m)
    return (
        M[0] + a * L[0] * L[0] - b * m[0] * m[0],
        M[1] + a * L[0] * L[1] - b * m[0] * m[1],
        M[2] + a * L[0] * L[2] - b * m[0] * m[2],
        M[3] + a * L[1] * L[0] - b * m[1] * m[0],
        M[4] + a * L[1] * L[1] - b * m[1] * m[1],
        M[5] + a * L[1] * L[2] - b * m[1] * m[2],
        M[6] + a * L[2] * L[0] - b * m[2] * m[0],
        M[7] + a * L[2] * L[1] - b * m[2] * m[1],
        M[8] + a * L[2] * L[2] - b * m[2] * m[2],
    )


@lean_kernel
def _constant_turn(inverse, p, w, dt):
    """Constant angular velocity along the axes of the body at the start of a step."""
    speed = norm(w)
    parts = dt * speed / LARGEST_TURN
    if parts <= MOST_PARTS:
        q, total, fits = _turn_by_parts(inverse, p, dt, 1 + int(parts))
        u = scale(1.0 / dt, _nearest_rotvec(q, total))
        if fits and dot(u, p) >= LEAST_ALONG * dot(w, p):
            return u
    # About the momentum itself, a turn leaves the momentum along the axes of the body as it is, and so the energy.
    return scale(dot(w, p) / norm2(p), p)


@inner_kernel
def _inertia_halfway(R, inertia, u, dt):
    """Inertia of a body that has turned with u for half of dt."""
    return inertia_in_world(mat_mul(mat_from_rotvec(scale(0.5 * dt, u)), R), inertia)


@lean_kernel
def turn_freely(R, inertia, L, dt):
    """Angular velocity of a body with angular momentum L that nothing touches, and the inertia by which it is L."""
    inverse, p = inverse3(inertia), mat_t_vec(R, L)
    w = mat_vec(inverse, p)
    if norm2(cross(p, w)) <= PRINCIPAL * norm2(p) * norm2(w):
        u = mat_vec(R, w)
        return u, _inertia_halfway(R, inertia, u, dt)
    u = mat_vec(R, _constant_turn(inverse, p, w, dt))
    return u, _with_momentum(_inertia_halfway(R, inertia, u, dt), u, L)


@lean_kernel
def turn_about(R, inertia, L, w, dt):
    """The same for a body that is kept from turning about some axes and turns about w: as its inertia halfway gives."""
    middle = _inertia_halfway(R, inertia, w, dt)
    return mat_vec(inverse3(middle), L), middle
