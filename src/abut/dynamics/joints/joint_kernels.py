"""Joints as rows of scalar coordinates q of two bodies (Haug, Computer Aided Kinematics and Dynamics, 1989, chapter 9).

    AXIAL     n . (x_B - x_A)                      n carried by A: how far B's point is from A's, along n
    ALIGNED   factor (a . b)                       a carried by A, b by B: zero while they are perpendicular
    APART     |x_B - x_A|
    TURNED    factor (angle about n from a to b)   a, perpendicular to n, and n carried by A, b by B
    SCREWED   n . (x_B - x_A) - factor (the same angle)

Every q is a length; `factor` [m] turns angles into lengths. Angles go on over any number of turns: the one nearest to
that of the last step is meant. A row `name` = [kind, body A, body B, joint] and a row `place` = [point of A (3), point
of B (3), n (3), a (3), b (3), factor], each vector in the frame of the body that carries it. The law of a row says what
is asked of q at the end of a step: w = q - reference + compliance force, complementary to a force within bounds.
"""

from math import atan2, pi

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.pose_kernels import motion_at, pose_apply
from ...math.vec_kernels import add_scaled, cross, dot, mat_vec, norm, scale, sub
from ...query.motion.feature_table_kernels import load_motion
from .joint_tables import JointLaws, JointRows

AXIAL, ALIGNED, APART, TURNED, SCREWED = 0, 1, 2, 3, 4
EQUAL, AT_LEAST, AT_MOST, VELOCITY, POSITION, SPRING = 0, 1, 2, 3, 4, 5

LEAST_SINE2 = 1e-24
"""Square of the sine between an axis and a direction, below which the direction stands along the axis."""
FORCE_CHANGE_AT_REST = 1e-4
"""The share of the largest force by which forces may change from step to step where nothing moves."""

# Columns of `name`.
ROW_KIND, JOINT_A, JOINT_B, JOINT = 0, 1, 2, 3
# Columns of `place`.
POINT_A, POINT_B, AXIS, SIDE_A, SIDE_B, FACTOR = 0, 3, 6, 9, 12, 15
# Columns of `value`, of springs.
SPRING_STIFFNESS, SPRING_DAMPING, SPRING_REST = 0, 1, 2
# Columns of `value` behind the three numbers of the law: limits of the coordinate, for motors.
LOW, HIGH = 3, 4


@inner_kernel
def _vector(place, k, first):
    return place[k, first], place[k, first + 1], place[k, first + 2]


@inner_kernel
def _put_turn(turn, row_out):
    """A row that depends on the bodies' relative rotation only."""
    for i in range(3):
        row_out[i], row_out[3 + i] = 0.0, -turn[i]
        row_out[6 + i], row_out[9 + i] = 0.0, turn[i]


@inner_kernel
def _put_push(n, arm_a, arm_b, row_out):
    """A row along n, at the arms of A and B from their origins."""
    turn_a, turn_b = cross(arm_a, n), cross(arm_b, n)
    for i in range(3):
        row_out[i], row_out[3 + i] = -n[i], -turn_a[i]
        row_out[6 + i], row_out[9 + i] = n[i], turn_b[i]


@inner_kernel
def _axial(place, k, X_a, X_b, row_out):
    x_a, x_b = pose_apply(X_a, _vector(place, k, POINT_A)), pose_apply(X_b, _vector(place, k, POINT_B))
    n = mat_vec(X_a.R, _vector(place, k, AXIS))
    # The direction turns with A, so that A is pushed at B's point.
    _put_push(n, sub(x_b, X_a.p), sub(x_b, X_b.p), row_out)
    return dot(n, sub(x_b, x_a))


@inner_kernel
def _aligned(place, k, X_a, X_b, row_out):
    a, b = mat_vec(X_a.R, _vector(place, k, SIDE_A)), mat_vec(X_b.R, _vector(place, k, SIDE_B))
    _put_turn(scale(place[k, FACTOR], cross(b, a)), row_out)
    return place[k, FACTOR] * dot(a, b)


@inner_kernel
def _apart(place, k, X_a, X_b, row_out):
    x_a, x_b = pose_apply(X_a, _vector(place, k, POINT_A)), pose_apply(X_b, _vector(place, k, POINT_B))
    d = sub(x_b, x_a)
    length = norm(d)
    # Points that coincide have no direction between them; any will do to part them.
    n = scale(1.0 / length, d) if length > 0.0 else (1.0, 0.0, 0.0)
    _put_push(n, sub(x_a, X_a.p), sub(x_b, X_b.p), row_out)
    return length


@lean_kernel
def joint_angle(place, k, X_a, X_b, last):
    """Angle of row k near `last`, and its derivative by the relative angular velocity of B against A."""
    n, a = mat_vec(X_a.R, _vector(place, k, AXIS)), mat_vec(X_a.R, _vector(place, k, SIDE_A))
    b = mat_vec(X_b.R, _vector(place, k, SIDE_B))
    c = cross(n, a)
    x, y = dot(a, b), dot(c, b)
    length2 = x * x + y * y
    angle = atan2(y, x)
    angle += 2.0 * pi * np.floor((last - angle) / (2.0 * pi) + 0.5)
    if length2 < LEAST_SINE2:  # b stands along the axis and has no direction about it
        return angle, n
    return angle, scale(1.0 / length2, cross(b, add_scaled(scale(x, c), -y, a)))


@inner_kernel
def _turned(place, k, X_a, X_b, last, row_out):
    angle, turn = joint_angle(place, k, X_a, X_b, last)
    _put_turn(scale(place[k, FACTOR], turn), row_out)
    return place[k, FACTOR] * angle


@inner_kernel
def _screwed(place, k, X_a, X_b, last, row_out):
    q = _axial(place, k, X_a, X_b, row_out)
    angle, turn = joint_angle(place, k, X_a, X_b, last)
    for i in range(3):
        row_out[3 + i] += place[k, FACTOR] * turn[i]
        row_out[9 + i] -= place[k, FACTOR] * turn[i]
    return q - place[k, FACTOR] * angle


@lean_kernel
def joint_row(kind, place, k, X_a, X_b, last, row_out):
    """Coordinate q [m] of row k at the poses of its bodies, and its derivative by their twists [v_A w_A v_B w_B]."""
    if kind == AXIAL:
        return _axial(place, k, X_a, X_b, row_out)
    if kind == ALIGNED:
        return _aligned(place, k, X_a, X_b, row_out)
    if kind == APART:
        return _apart(place, k, X_a, X_b, row_out)
    if kind == TURNED:
        return _turned(place, k, X_a, X_b, last, row_out)
    return _screwed(place, k, X_a, X_b, last, row_out)


@lean_kernel
def _spring(value, k, q, rate, dt):
    """Reference and compliance of a spring whose force follows q averaged over three times a step apart.

    The weights 1/4, 1/2, 1/4 of the end, the start and one step before it are those of Newmark's constant average
    acceleration: stable at any stiffness, and an undamped spring neither gains nor loses energy.
    """
    stiffness, damping, rest = value[k, SPRING_STIFFNESS], value[k, SPRING_DAMPING], value[k, SPRING_REST]
    at_end = 0.25 * stiffness + damping / dt
    force = stiffness * (q - rest) - 0.25 * stiffness * dt * rate
    return q - force / at_end, 1.0 / at_end


@lean_kernel
def _towards(value, k, q, dt):
    """Where a position motor wants to be at the end of the step, given its largest speed and its response time."""
    target, max_speed, response = value[k, 0], value[k, 1], value[k, 2]
    way = (target - q) * (dt / max(dt, response))
    return q + max(-max_speed * dt, min(max_speed * dt, way))


@lean_kernel
def _within(value, k, q):
    """A motor does not ask for more than the limits of its coordinate, or nothing could satisfy both."""
    return max(value[k, LOW], min(value[k, HIGH], q))


@kernel
def joint_references(rows, laws, motion, twist, dt, ref_out, compliance_out):
    """Reference [m] and compliance [m/N] of each row for a step of length dt, from the bodies' poses and twists now."""
    rows, laws, slope = JointRows(*rows), JointLaws(*laws), np.empty(12)
    name, law, value = rows.name, laws.law, laws.value
    for k in range(ref_out.shape[0]):
        compliance_out[k] = 0.0
        if law[k] == EQUAL or law[k] == AT_LEAST or law[k] == AT_MOST:
            ref_out[k] = value[k, 0]
            continue
        a, b = name[k, JOINT_A], name[k, JOINT_B]
        X_a, X_b = load_motion(motion, a).start, load_motion(motion, b).start
        q = joint_row(name[k, ROW_KIND], rows.place, k, X_a, X_b, rows.last[k], slope)
        if law[k] == VELOCITY:
            ref_out[k] = _within(value, k, q + value[k, 0] * dt)
        elif law[k] == POSITION:
            ref_out[k] = _within(value, k, _towards(value, k, q, dt))
        else:
            rate = 0.0
            for i in range(6):
                rate += slope[i] * twist[a, i] + slope[6 + i] * twist[b, i]
            ref_out[k], compliance_out[k] = _spring(value, k, q, rate, dt)


@lean_kernel
def unit_wrench(place, k, X_b, row):
    """Force and torque about B's point with which a unit of force of row k acts on B."""
    f, arm = (row[6], row[7], row[8]), mat_vec(X_b.R, _vector(place, k, POINT_B))
    moved = cross(arm, f)
    return f[0], f[1], f[2], row[9] - moved[0], row[10] - moved[1], row[11] - moved[2]


@lean_kernel
def joint_advance(name, place, n, motion, last_io):
    """After a motion was made: remember the angles at its end."""
    for k in range(n):
        kind, a, b = name[k, ROW_KIND], name[k, JOINT_A], name[k, JOINT_B]
        X_a, d_a, r_a = load_motion(motion, a)
        X_b, d_b, r_b = load_motion(motion, b)
        if kind == TURNED or kind == SCREWED:
            X_a, X_b = motion_at(X_a, d_a, r_a, 1.0), motion_at(X_b, d_b, r_b, 1.0)
            last_io[k], _ = joint_angle(place, k, X_a, X_b, last_io[k])


@lean_kernel
def expect_forces(name, movable, before, at_rest, force_io):
    """Let forces change as they did since `before`, unless by less than a share of the largest one.

    Those between bodies that cannot move are not solved for, and stay.
    """
    change, largest = 0.0, 0.0
    for k in range(force_io.shape[0]):
        change, largest = max(change, abs(force_io[k] - before[k])), max(largest, abs(force_io[k]))
    if change > at_rest * largest:
        for k in range(force_io.shape[0]):
            if movable[name[k, JOINT_A]] or movable[name[k, JOINT_B]]:
                force_io[k] += force_io[k] - before[k]


@lean_kernel
def measure_joints(rows, motion, twist, q_out, rate_out, row_out):
    """Coordinates, their rates and their derivatives (n, 12) at the poses where the motions start."""
    rows = JointRows(*rows)
    for k in range(q_out.shape[0]):
        a, b = rows.name[k, JOINT_A], rows.name[k, JOINT_B]
        X_a, X_b = load_motion(motion, a).start, load_motion(motion, b).start
        q_out[k] = joint_row(rows.name[k, ROW_KIND], rows.place, k, X_a, X_b, rows.last[k], row_out[k])
        rate_out[k] = 0.0
        for i in range(6):
            rate_out[k] += row_out[k, i] * twist[a, i] + row_out[k, 6 + i] * twist[b, i]
