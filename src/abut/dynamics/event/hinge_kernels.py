"""Hinges of joints and contacts: their values, derivatives and pushes at given poses of the bodies.

A contact that slips pushes with friction against its slip; one that sticks has two tangents as hinges of their own.
"""

from ..._jit import inner_kernel
from ...contact.contact_kernels import (
    CARRIED_BY_A,
    CARRIED_BY_B,
    CARRIER,
    NO_CARRIER,
    contact_frame,
    gap_row,
    nearest_points,
)
from ...math.pose_kernels import load_frame
from ...math.vec_kernels import add_scaled, cross, dot, lerp, row, sub, unit
from ..joints.joint_kernels import ROW_KIND, joint_row
from .motion_tables import JOINT, LIMIT, MOTOR, NORMAL


@inner_kernel
def put_push(t, at, p_a, p_b, row_out):
    """Row of a value that grows as B moves along t and A against it, at a point of the world."""
    turn_a, turn_b = cross(sub(at, p_a), t), cross(sub(at, p_b), t)
    for i in range(3):
        row_out[i], row_out[3 + i] = -t[i], -turn_a[i]
        row_out[6 + i], row_out[9 + i] = t[i], turn_b[i]


@inner_kernel
def touch_between(place, k, balls, X_a, X_b):
    """Point between the surfaces at contact k where the bodies are, of balls with the radii `balls`, and its normal.

    What touches a face stands above a foot that moves along with it; where it stood when it was placed is left behind.
    """
    x_a, x_b, n = contact_frame(place, k, X_a, X_b)
    if place[k, CARRIER] == NO_CARRIER and balls[0] + balls[1] > 0.0:
        x_a, x_b, n = nearest_points(place, k, x_a, x_b, X_a, X_b)
    height = dot(n, sub(x_b, x_a))
    if place[k, CARRIER] == CARRIED_BY_A:
        x_a = add_scaled(x_b, -height, n)
    elif place[k, CARRIER] == CARRIED_BY_B:
        x_b = add_scaled(x_a, height, n)
    return lerp(add_scaled(x_a, balls[0], n), add_scaled(x_b, -balls[1], n), 0.5), n


@inner_kernel
def hinge_row(r, hinges, tables, X_a, X_b, row_out):
    """Value of hinge r at poses of its bodies, and its derivative by their twists; a tangent has no value."""
    k, kind = hinges.index[r], hinges.kind[r]
    if kind == JOINT or kind == LIMIT or kind == MOTOR:
        q = joint_row(tables.joint_name[k, ROW_KIND], tables.joint_place, k, X_a, X_b, tables.joint_last[k], row_out)
        if kind != LIMIT:
            return q
        for i in range(12):
            row_out[i] *= hinges.mu[r]
        return hinges.mu[r] * q
    balls = (tables.radius[hinges.body[r, 0]], tables.radius[hinges.body[r, 1]])
    if kind == NORMAL:
        return gap_row(tables.place, k, X_a, X_b, balls[0] + balls[1], row_out)
    c, n = touch_between(tables.place, k, balls, X_a, X_b)
    t = row(hinges.direction, r)
    put_push(unit(add_scaled(t, -dot(n, t), n)), c, X_a.p, X_b.p, row_out)
    return 0.0


@inner_kernel
def rate_of(row, a, b, twist, first):
    """Rate of a row at twists of bodies a and b, which begin in column `first`."""
    total = 0.0
    for i in range(6):
        total += row[i] * twist[a, first + i] + row[6 + i] * twist[b, first + i]
    return total


@inner_kernel
def velocity_at(twist, i, first, x, centre):
    """Velocity of the point x of body i, whose twist begins in column `first`."""
    turn = cross((twist[i, first + 3], twist[i, first + 4], twist[i, first + 5]), sub(x, centre))
    return twist[i, first] + turn[0], twist[i, first + 1] + turn[1], twist[i, first + 2] + turn[2]


@inner_kernel
def slip_of(k, a, b, tables, X_a, X_b, y, first):
    """Point between the surfaces at contact k, its normal, and the velocity of B's surface along A's."""
    c, n = touch_between(tables.place, k, (tables.radius[a], tables.radius[b]), X_a, X_b)
    v = sub(velocity_at(y, b, first, c, X_b.p), velocity_at(y, a, first, c, X_a.p))
    return c, n, add_scaled(v, -dot(n, v), n)


@inner_kernel
def rub_along(v, d, slow):
    """Direction against which friction acts on a slip v that goes along the unit vector d, nearly or at least so far.

    A slip slower than `slow` turns it as if it were as fast. Beyond the moment at which a slip ends, friction goes on
    as before, so that the motion stays smooth.
    """
    return unit(add_scaled(v, max(slow - dot(v, d), 0.0), d))


@inner_kernel
def put_pushes(hinges, tables, frames, y, first, rows, friction_io, push_out):
    """Wrenches of unit forces: those of the rows, with friction where contacts slip."""
    for r in range(hinges.kind.shape[0]):
        for i in range(12):
            push_out[r, i] = rows[r, i]
        if hinges.kind[r] != NORMAL or hinges.mu[r] == 0.0:
            continue
        a, b = hinges.body[r, 0], hinges.body[r, 1]
        X_a, X_b = load_frame(frames, a), load_frame(frames, b)
        c, _, v = slip_of(hinges.index[r], a, b, tables, X_a, X_b, y, first)
        t = rub_along(v, row(hinges.direction, r), hinges.slow[r])
        put_push(t, c, X_a.p, X_b.p, friction_io)
        for i in range(12):
            push_out[r, i] -= hinges.mu[r] * friction_io[i]
