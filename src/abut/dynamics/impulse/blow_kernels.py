"""One blow at one point: an impulse that lets two bodies part, with friction in the cone.

With a closing speed c along the normal, bodies part with e c. Slow ones part with no less than the speed of a hop, or
with c if that is less: a train of such blows carries what rests on each other. In a train, the slip along the tangents
is turned round like the speed along the normal, so that nothing creeps, where that is within the cone (Mirtich,
Impulse-based Dynamic Simulation, 1996); in an impact it is stopped. Else the impulse lies on the cone, and friction
acts against the slip that it leaves. No blow adds energy: of an impulse that would, as much acts as adds none. What
trains have lost lets bodies sink within the contact gap. Those that have sunk below its last eighth are lifted again,
with the speed of a hop: that is a part of what their weight has given since they came to rest.
"""

from ..._jit import inner_kernel, lean_kernel
from ...math.vec_kernels import (
    add,
    add_scaled,
    cross,
    dot,
    mat_mul,
    mat_t_vec,
    mat_vec,
    norm,
    orthonormal_basis,
    put_row,
    row,
    scale,
    sub,
    transpose,
)
from ...solve.cone_kernels import solve_contact
from ..bodies.body_kernels import DYNAMIC
from .flight_kernels import point_velocity, turned_by

GENTLE = 3.0
"""In speeds of a hop: up to which a blow is one of a train and no impact. Corners of what rests rock that fast."""


@inner_kernel
def _centre(bodies, i):
    return bodies.pose[i, 0], bodies.pose[i, 1], bodies.pose[i, 2]


@lean_kernel
def _answer(bodies, i, arm, p):
    """Velocity that an impulse p at an arm gives the point of body i where it acts."""
    if bodies.kind[i] != DYNAMIC:
        return (0.0, 0.0, 0.0)
    turn = turned_by(bodies, i, cross(arm, p))
    return add_scaled(cross(turn, arm), 1.0 / bodies.mass[i], p)


@lean_kernel
def _answers(bodies, i, j, x, p):
    """By what an impulse p on body j at x, and its opposite on i, changes their velocity past each other there."""
    arm_i, arm_j = sub(x, _centre(bodies, i)), sub(x, _centre(bodies, j))
    return add(_answer(bodies, i, arm_i, p), _answer(bodies, j, arm_j, p))


@lean_kernel
def _matrix(bodies, i, j, x):
    """The same as a matrix."""
    a = _answers(bodies, i, j, x, (1.0, 0.0, 0.0))
    b = _answers(bodies, i, j, x, (0.0, 1.0, 0.0))
    c = _answers(bodies, i, j, x, (0.0, 0.0, 1.0))
    return (a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])


@lean_kernel
def _rough(K, n, u, part, mu, is_train):
    """Impulse with friction that lets bodies with the velocity u past each other part at the speed `part`."""
    slip = add_scaled(u, -dot(u, n), n)
    wanted = add_scaled(scale(part, n), -1.0 if is_train else 0.0, slip)
    a, b = orthonormal_basis(n)
    frame = (n[0], n[1], n[2], a[0], a[1], a[2], b[0], b[1], b[2])
    answers = mat_mul(mat_mul(frame, K), transpose(frame))
    return mat_t_vec(frame, solve_contact(answers, mat_vec(frame, sub(u, wanted)), mu))


@lean_kernel
def _without_gain(K, p, u):
    """As much of an impulse as adds no energy."""
    work, square = -dot(p, u), 0.5 * dot(p, mat_vec(K, p))
    return p if square <= work else scale(max(work, 0.0) / square, p)


@lean_kernel
def impulse_of_blow(bodies, i, j, touch, law):
    """Impulse on body j where it touches i, the closing speed, whether it is of a train."""
    x, n, hop, mu, has_sunk = touch.x, touch.n, law.hop, law.friction, touch.has_sunk
    u = sub(point_velocity(bodies, j, x), point_velocity(bodies, i, x))
    closing = -dot(u, n)
    is_train = law.restitution * closing < hop
    part = min(closing, hop) if is_train else law.restitution * closing
    part = max(part, hop) if has_sunk else part
    K = _matrix(bodies, i, j, x)
    if mu > 0.0:
        p = _rough(K, n, u, part, mu, is_train)
    else:
        p = scale((closing + part) / dot(n, mat_vec(K, n)), n)
    return (p if has_sunk else _without_gain(K, p, u)), closing, closing <= GENTLE * hop


@lean_kernel
def strike(bodies_io, i, x, p):
    """Give body i an impulse p at the point x; returns its torque about the centre of mass."""
    L = cross(sub(x, _centre(bodies_io, i)), p)
    if bodies_io.kind[i] == DYNAMIC:
        put_row(add_scaled(row(bodies_io.velocity, i), 1.0 / bodies_io.mass[i], p), i, bodies_io.velocity)
        if bodies_io.is_round[i] and norm(L) <= 1e-14 * norm(p) * bodies_io.reach[i]:
            return (0.0, 0.0, 0.0)  # a smooth ball is pushed on its centre, and does not begin to spin by rounding
        put_row(add(row(bodies_io.spin, i), L), i, bodies_io.spin)
        put_row(turned_by(bodies_io, i, row(bodies_io.spin, i)), i, bodies_io.turn)
    return L
