"""How values of hinges bend along a motion with constant twists: the part of their acceleration that velocities give.

In closed form where the type of hinge has one; else from four values of the first derivative nearby, to 12 digits.
"""

from ..._jit import inner_kernel, lean_kernel
from ...contact.contact_kernels import CARRIED_BY_A, CARRIED_BY_B, CARRIER, NO_CARRIER
from ...math.pose_kernels import load_frame, motion_at
from ...math.vec_kernels import add, cross, dot, mat_vec, norm, sub
from ..joints.joint_kernels import (
    ALIGNED,
    APART,
    AXIAL,
    AXIS,
    FACTOR,
    POINT_A,
    POINT_B,
    ROW_KIND,
    SIDE_A,
    SIDE_B,
    TURNED,
)
from .hinge_kernels import hinge_row, rate_of
from .joined_kernels import vector_of
from .motion_tables import JOINT, LIMIT, MOTOR, NORMAL, SPEED, SPIN, Moving, Pair, Twist

NORMAL_OF_CONTACT = 6
"""Column of the normal in the rows of contacts."""
NEARBY = 2e-3
"""[rad] by which bodies turn, or go around what is curved, to where derivatives are taken."""


@inner_kernel
def _point(table, k, first, X, u):
    """Point of a body with the twist u in the world."""
    arm = mat_vec(X.R, vector_of(table, k, first))
    turn = cross(u.spin, arm)
    return Moving(add(X.p, arm), add(u.speed, turn), cross(u.spin, turn))


@inner_kernel
def _direction(table, k, first, X, u):
    """Direction carried by a body."""
    n = mat_vec(X.R, vector_of(table, k, first))
    rate = cross(u.spin, n)
    return Moving(n, rate, cross(u.spin, rate))


@inner_kernel
def _product(a, b):
    """Scalar product of two vectors."""
    bend = dot(a.bend, b.value) + 2.0 * dot(a.rate, b.rate) + dot(a.value, b.bend)
    return Moving(dot(a.value, b.value), dot(a.rate, b.value) + dot(a.value, b.rate), bend)


@inner_kernel
def _between(table, k, a, b, pair):
    """Way from a point of A to one of B."""
    p, q = _point(table, k, a, pair.X_a, pair.u_a), _point(table, k, b, pair.X_b, pair.u_b)
    return Moving(sub(q.value, p.value), sub(q.rate, p.rate), sub(q.bend, p.bend))


@inner_kernel
def _bend_of_angle(place, k, pair):
    """Of the angle about an axis of A from a direction of A to one of B."""
    n, a = mat_vec(pair.X_a.R, vector_of(place, k, AXIS)), _direction(place, k, SIDE_A, pair.X_a, pair.u_a)
    c = cross(n, a.value)
    rate = cross(pair.u_a.spin, c)
    b = _direction(place, k, SIDE_B, pair.X_b, pair.u_b)
    x, y = _product(a, b), _product(Moving(c, rate, cross(pair.u_a.spin, rate)), b)
    length2, turn = x.value**2 + y.value**2, x.value * y.rate - y.value * x.rate
    if length2 < 1e-24:
        return 0.0
    bend = (x.value * y.bend - y.value * x.bend) / length2
    return bend - 2.0 * (x.value * x.rate + y.value * y.rate) * turn / (length2 * length2)


@inner_kernel
def _bend_of_joint(kind, place, k, pair):
    if kind == ALIGNED:
        a, b = _direction(place, k, SIDE_A, pair.X_a, pair.u_a), _direction(place, k, SIDE_B, pair.X_b, pair.u_b)
        return place[k, FACTOR] * _product(a, b).bend
    if kind == TURNED:
        return place[k, FACTOR] * _bend_of_angle(place, k, pair)
    way = _between(place, k, POINT_A, POINT_B, pair)
    if kind == APART:
        length = norm(way.value)
        if not length > 0.0:
            return 0.0
        rate = dot(way.value, way.rate) / length
        return (dot(way.rate, way.rate) - rate * rate + dot(way.value, way.bend)) / length
    bend = _product(_direction(place, k, AXIS, pair.X_a, pair.u_a), way).bend
    if kind == AXIAL:
        return bend
    return bend - place[k, FACTOR] * _bend_of_angle(place, k, pair)


@inner_kernel
def _time_nearby(pair, length):
    """[s] in which bodies move by NEARBY around what has a radius of `length`."""
    fastest = max(
        norm(pair.u_a.spin) + norm(pair.u_a.speed) / length, norm(pair.u_b.spin) + norm(pair.u_b.speed) / length
    )
    return NEARBY / fastest if fastest > 0.0 else 1.0


@lean_kernel
def _bend_nearby(r, hinges, tables, pair, y, row_io):
    """By differences of the rate at four moments nearby."""
    a, b, bend, tau = hinges.body[r, 0], hinges.body[r, 1], 0.0, _time_nearby(pair, hinges.length)
    for weight, offset in ((8.0, 1.0), (-8.0, -1.0), (-1.0, 2.0), (1.0, -2.0)):
        t = offset * tau
        X_a = motion_at(pair.X_a, pair.u_a.speed, pair.u_a.spin, t)
        X_b = motion_at(pair.X_b, pair.u_b.speed, pair.u_b.spin, t)
        hinge_row(r, hinges, tables, X_a, X_b, row_io)
        bend += weight * rate_of(row_io, a, b, y, SPEED)
    return bend / (12.0 * tau)


@inner_kernel
def _twist(y, i):
    return Twist((y[i, SPEED], y[i, SPEED + 1], y[i, SPEED + 2]), (y[i, SPIN], y[i, SPIN + 1], y[i, SPIN + 2]))


@inner_kernel
def bend_of_hinge(r, hinges, tables, frames, y, row_io):
    """Second derivative of the value of hinge r along the motion with constant twists."""
    k, a, b = hinges.index[r], hinges.body[r, 0], hinges.body[r, 1]
    pair = Pair(load_frame(frames, a), load_frame(frames, b), _twist(y, a), _twist(y, b))
    if hinges.kind[r] == JOINT or hinges.kind[r] == LIMIT or hinges.kind[r] == MOTOR:
        bend = _bend_of_joint(tables.joint_name[k, ROW_KIND], tables.joint_place, k, pair)
        return hinges.mu[r] * bend if hinges.kind[r] == LIMIT else bend
    carrier = tables.place[k, CARRIER]
    if hinges.kind[r] == NORMAL and (carrier == CARRIED_BY_A or carrier == CARRIED_BY_B):
        X, u = (pair.X_a, pair.u_a) if carrier == CARRIED_BY_A else (pair.X_b, pair.u_b)
        normal = _direction(tables.place, k, NORMAL_OF_CONTACT, X, u)
        return _product(normal, _between(tables.place, k, 0, 3, pair)).bend
    if hinges.kind[r] == NORMAL and carrier == NO_CARRIER and tables.radius[a] + tables.radius[b] == 0.0:
        return dot(vector_of(tables.place, k, NORMAL_OF_CONTACT), _between(tables.place, k, 0, 3, pair).bend)
    return _bend_nearby(r, hinges, tables, pair, y, row_io)
