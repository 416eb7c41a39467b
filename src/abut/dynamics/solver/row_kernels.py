"""The rows of a step's problem: contacts with friction and joints, as lengths at the end of the step.

An item is a contact or one row of a joint. Contact k has the rows 3 k (gap over its target), 3 k + 1 and 3 k + 2 (slip
along two tangents); row j of the joints stands behind the rows of all n contacts. Every row r has

    push[r]   (12,) the wrench that a unit force exerts on its two bodies [A, B], where they stand at the start
    slope[r]  (12,) derivative of its value by the bodies' displacements, where they stand at the end
    w[r]      its value at the end, [m]

and a force x[r] >= 0 (contact), within the friction cone (slip), or between two bounds (joint). Forces are scaled to
lengths, f dt^2 / m with the smallest mass m, so that x and w have one unit.
"""

from ..._jit import inner_kernel, lean_kernel
from ...contact.contact_kernels import (
    BODY_A,
    BODY_B,
    CARRIED_BY_A,
    CARRIED_BY_B,
    CARRIED_BY_BOTH,
    CARRIER,
    GAP,
    contact_frame,
    edges_of,
    gap_row,
)
from ...math.pose_kernels import load_frame, motion_at, pose_apply, pose_apply_inverse, put_frame
from ...math.vec_kernels import add_scaled, cross, dot, lerp, norm, orthonormal_basis, scale, sub
from ...query.motion.feature_table_kernels import load_motion
from ..joints.joint_kernels import JOINT_A, JOINT_B, ROW_KIND, joint_row

# Columns of `frame`: the point of contact in either body's frame, two tangents, the direction of slip along them.
POINT_A, POINT_B, TANGENT_1, TANGENT_2, SLIP, FRAME_WIDTH = 0, 3, 6, 9, 12, 14

SMOOTH_PLAY, ROUGH_PLAY = 2e-4, 0.2
"""By which share of the contact gap a gap may differ from it and be kept. Where no friction holds bodies, unequal gaps
would be slopes that set them in motion."""
RECOVERY = 0.01
"""[s] in which gaps that are too narrow become right."""
ASTRAY = 0.01
"""[rad] by which directions of pushes may be wrong, and so the share of the work that they do."""


@inner_kernel
def first_row(item, n_contact):
    """The first row of an item."""
    return 3 * item if item < n_contact else 2 * n_contact + item


@inner_kernel
def rows_of(item, contacts):
    """The first row of an item, and the one behind its last: three of a contact with friction, else one."""
    first = first_row(item, contacts.n)
    return first, first + 3 if item < contacts.n and contacts.mu[item] > 0.0 else first + 1


@inner_kernel
def three(v, r):
    """Entries r to r + 2."""
    return v[r], v[r + 1], v[r + 2]


@inner_kernel
def set_end(i, motion, free, dt, shift, end_out):
    """Pose of body i at the end: moved by dt * free and by `shift` (n, 6) beyond that."""
    X, _, _ = load_motion(motion, i)
    d = (dt * free[i, 0] + shift[i, 0], dt * free[i, 1] + shift[i, 1], dt * free[i, 2] + shift[i, 2])
    r = (dt * free[i, 3] + shift[i, 3], dt * free[i, 4] + shift[i, 4], dt * free[i, 5] + shift[i, 5])
    put_frame(motion_at(X, d, r, 1.0), i, end_out)


@inner_kernel
def point_between(place, k, balls, X_a, X_b):
    """Point between the surfaces at contact k, of balls with the radii `balls`, and its normal."""
    x_a, x_b, n = contact_frame(place, k, X_a, X_b)
    x_a, x_b = add_scaled(x_a, balls[0], n), add_scaled(x_b, -balls[1], n)
    return (0.5 * (x_a[0] + x_b[0]), 0.5 * (x_a[1] + x_b[1]), 0.5 * (x_a[2] + x_b[2])), n


@inner_kernel
def _put_row(t, at_a, at_b, p_a, p_b, row_out):
    """Row of a value that grows as B moves along t and A against it, at points of the world."""
    turn_a, turn_b = cross(sub(at_a, p_a), t), cross(sub(at_b, p_b), t)
    for i in range(3):
        row_out[i], row_out[3 + i] = -t[i], -turn_a[i]
        row_out[6 + i], row_out[9 + i] = t[i], turn_b[i]


@lean_kernel
def _set_frame(contacts, k, motion, twist, frame_out):
    """Point between the two surfaces, tangents, and where B's surface slides on A's at the start of the step."""
    a, b, radius = contacts.name[k, BODY_A], contacts.name[k, BODY_B], contacts.radius
    X_a, X_b = load_motion(motion, a).start, load_motion(motion, b).start
    c, n = point_between(contacts.place, k, (radius[a], radius[b]), X_a, X_b)
    c_a, c_b = pose_apply_inverse(X_a, c), pose_apply_inverse(X_b, c)
    t1, t2 = orthonormal_basis(n)
    v = sub(_velocity(twist, b, c, X_b.p), _velocity(twist, a, c, X_a.p))
    slip = (dot(t1, v), dot(t2, v))
    speed = norm((slip[0], slip[1], 0.0))
    for i in range(3):
        frame_out[k, POINT_A + i], frame_out[k, POINT_B + i] = c_a[i], c_b[i]
        frame_out[k, TANGENT_1 + i], frame_out[k, TANGENT_2 + i] = t1[i], t2[i]
    for i in range(2):
        frame_out[k, SLIP + i] = slip[i] / speed if speed > 0.0 else 0.0
    return c, t1, t2


@inner_kernel
def _velocity(twist, i, x, centre):
    """Velocity of the point x of body i."""
    turn = cross((twist[i, 3], twist[i, 4], twist[i, 5]), sub(x, centre))
    return twist[i, 0] + turn[0], twist[i, 1] + turn[1], twist[i, 2] + turn[2]


@inner_kernel
def half_turn(spin, i, dt):
    """By what body i turns in half a step."""
    return 0.5 * dt * spin[i, 0], 0.5 * dt * spin[i, 1], 0.5 * dt * spin[i, 2]


@inner_kernel
def _is_astray(spin, motion, i, dt):
    """Whether body i turns by much more or less until the middle of its motion than `spin` says."""
    r = half_turn(spin, i, dt)
    return norm((0.5 * motion[i, 15] - r[0], 0.5 * motion[i, 16] - r[1], 0.5 * motion[i, 17] - r[2])) > ASTRAY


@lean_kernel
def find_astray(n, name, force, motion, movable, dt, spin_io, due_out):
    """Mark the bodies that contacts push astray, as they turn now, and correct their spin; whether there are any."""
    found = False
    for k in range(n):
        for side in range(2 if force[k] > 0.0 else 0):
            b = name[k, BODY_A + side]
            if movable[b] and _is_astray(spin_io, motion, b, dt):
                found = due_out[b] = True
                for i in range(3):
                    spin_io[b, i] = motion[b, 15 + i] / dt
    return found


@inner_kernel
def _turned(r, v):
    """Vector v turned by a small rotation r."""
    w = add_scaled(v, 1.0, cross(r, v))
    return scale(norm(v) / norm(w), w)


@inner_kernel
def line_of_action(place, k, balls, X_a, X_b, r_a, r_b):
    """A point on which contact k pushes both bodies, and its normal when they have turned by r_a and r_b.

    One line for both keeps the momentum, also where the two points do not lie along the normal yet. A ball, with one of
    the radii `balls`, is pushed on its centre, or a smooth one would begin to spin.
    """
    x_a, x_b, n = contact_frame(place, k, X_a, X_b)
    if place[k, CARRIER] == CARRIED_BY_A:
        return x_b, _turned(r_a, n)
    if place[k, CARRIER] == CARRIED_BY_B:
        return x_a, _turned(r_b, n)
    if place[k, CARRIER] == CARRIED_BY_BOTH:
        u, v = edges_of(place, k, X_a, X_b)
        turned = cross(_turned(r_a, u), _turned(r_b, v))
        n = scale(1.0 / norm(turned), turned) if norm(turned) > 0.0 else n
    if (balls[0] > 0.0) != (balls[1] > 0.0):
        return (x_a if balls[0] > 0.0 else x_b), n
    return lerp(x_a, x_b, 0.5), n


@lean_kernel
def name_bodies(n, contact_name, joint_name, n_joint, body_out):
    """The two bodies of every item."""
    for k in range(n):
        body_out[k, 0], body_out[k, 1] = contact_name[k, BODY_A], contact_name[k, BODY_B]
    for j in range(n_joint):
        body_out[n + j, 0], body_out[n + j, 1] = joint_name[j, JOINT_A], joint_name[j, JOINT_B]


@inner_kernel
def _pressed(r, a, b, bodies, rows):
    """How far [m] the last force of row r, loads and velocities press its two bodies together in the step."""
    free, response, push, x, dt, way = bodies.free, bodies.response, rows.push, rows.x, bodies.dt, 0.0
    for i in range(6):
        way -= dt * (push[r, i] * free[a, i] + push[r, 6 + i] * free[b, i])
        for j in range(6):
            way += x[r] * push[r, i] * response[a, i, j] * push[r, j]
            way += x[r] * push[r, 6 + i] * response[b, i, j] * push[r, 6 + j]
    return max(way, 0.0)


@lean_kernel
def set_targets(items, contacts_io, bodies, rows, share):
    """Gaps that contacts are to have at the end: those they have if these are nearly right, so that bodies rest.

    Contacts that are too near part slowly, and by half of what presses them at most: bodies that came slowly would be
    thrown back. In a part of a step, they get there by the same share of the way only.
    """
    name, mu, target, wanted, w = contacts_io.name, contacts_io.mu, contacts_io.target, contacts_io.gap, rows.w
    for k in items:
        if k >= contacts_io.n:
            continue
        # A new contact has the gap at which it was found; before that, it may have been beyond the border of a face.
        gap = max(w[3 * k], contacts_io.place[k, GAP])
        play = ROUGH_PLAY if mu[k] > 0.0 else SMOOTH_PLAY
        target[k] = gap if abs(gap - wanted) <= wanted * play else wanted
        if gap < target[k]:
            pressed = _pressed(3 * k, name[k, BODY_A], name[k, BODY_B], bodies, rows)
            target[k] = min(gap + min(wanted * bodies.dt / RECOVERY, 0.5 * pressed), wanted)
        target[k] += contacts_io.extra[k]
        target[k] -= (1.0 - share) * max(target[k] - w[3 * k], 0.0)


@lean_kernel
def _start_contacts(items, contacts, bodies, spin, rows_io):
    """Gaps, frames and pushes of those of the items that are contacts."""
    name, place, radius, motion, push = contacts.name, contacts.place, contacts.radius, bodies.motion, rows_io.push
    for k in items:
        if k >= contacts.n:
            continue
        a, b = name[k, BODY_A], name[k, BODY_B]
        X_a, X_b = load_motion(motion, a).start, load_motion(motion, b).start
        rows_io.w[3 * k] = gap_row(place, k, X_a, X_b, radius[a] + radius[b], push[3 * k])
        r_a, r_b = half_turn(spin, a, bodies.dt), half_turn(spin, b, bodies.dt)
        c, n_W = line_of_action(place, k, (radius[a], radius[b]), X_a, X_b, r_a, r_b)
        _put_row(n_W, c, c, X_a.p, X_b.p, push[3 * k])
        if contacts.mu[k] > 0.0:
            c, t1, t2 = _set_frame(contacts, k, motion, bodies.twist, rows_io.frame)
            _put_row(t1, c, c, X_a.p, X_b.p, push[3 * k + 1])
            _put_row(t2, c, c, X_a.p, X_b.p, push[3 * k + 2])


@lean_kernel
def _start_joints(items, n, joints, motion, push_out):
    """Pushes of those of the items that are rows of joints; n contacts come before these."""
    name = joints.name
    for item in items:
        if item >= n:
            j = item - n
            X_a, X_b = load_motion(motion, name[j, JOINT_A]).start, load_motion(motion, name[j, JOINT_B]).start
            joint_row(name[j, ROW_KIND], joints.place, j, X_a, X_b, joints.last[j], push_out[2 * n + item])


@lean_kernel
def _mask_locked(items, contacts, body, locked, push_out):
    """Nothing pushes a body along a direction that is locked."""
    for item in items:
        first, last = rows_of(item, contacts)
        for side in range(2):
            for i in range(6):
                if locked[body[item, side], i]:
                    for r in range(first, last):
                        push_out[r, 6 * side + i] = 0.0


@lean_kernel
def start_items(items, contacts, joints, bodies, spin, locked, rows_io):
    """Gaps, frames and pushes of items at the start of the step; contacts are the first of all items.

    Contacts push along the normal that they have in the middle of the step if bodies turn by `spin`: on the way from
    its first to its last direction a push along the one would do work, along the other take work.
    """
    _start_contacts(items, contacts, bodies, spin, rows_io)
    _start_joints(items, contacts.n, joints, bodies.motion, rows_io.push)
    _mask_locked(items, contacts, rows_io.body, locked, rows_io.push)


@inner_kernel
def _evaluate_slip(k, frame, X_a, X_b, w_out, slope_out):
    """Ways along the tangents of contact k."""
    f = frame[k]
    y_a, y_b = pose_apply(X_a, three(f, POINT_A)), pose_apply(X_b, three(f, POINT_B))
    t1, t2 = three(f, TANGENT_1), three(f, TANGENT_2)
    _put_row(t1, y_a, y_b, X_a.p, X_b.p, slope_out[3 * k + 1])
    _put_row(t2, y_a, y_b, X_a.p, X_b.p, slope_out[3 * k + 2])
    way = sub(y_b, y_a)
    w_out[3 * k + 1], w_out[3 * k + 2] = dot(t1, way), dot(t2, way)


@lean_kernel
def _evaluate_joint(j, r, joints, end, w_out, slope_out):
    """Value and slope of row j of the joints, which is row r of all."""
    name = joints.name
    X_a, X_b = load_frame(end, name[j, JOINT_A]), load_frame(end, name[j, JOINT_B])
    q = joint_row(name[j, ROW_KIND], joints.place, j, X_a, X_b, joints.last[j], slope_out[r])
    w_out[r] = q - joints.reference[j]


@lean_kernel
def evaluate(items, contacts, joints, end, rows_io):
    """Values and slopes of the rows of the given items for the poses `end`."""
    name, radius, n, w, slope = contacts.name, contacts.radius, contacts.n, rows_io.w, rows_io.slope
    for k in items:
        if k >= n:
            _evaluate_joint(k - n, 2 * n + k, joints, end, w, slope)
            continue
        a, b = name[k, BODY_A], name[k, BODY_B]
        X_a, X_b = load_frame(end, a), load_frame(end, b)
        gap = gap_row(contacts.place, k, X_a, X_b, radius[a] + radius[b], slope[3 * k])
        w[3 * k] = gap - contacts.target[k]
        if contacts.mu[k] > 0.0:
            _evaluate_slip(k, rows_io.frame, X_a, X_b, w, slope)


@lean_kernel
def evaluate_linear(items, contacts, base, shift, rows_io):
    """Values base + push . shift, for problems of velocities."""
    push, slope = rows_io.push, rows_io.slope
    for item in items:
        a, b = rows_io.body[item, 0], rows_io.body[item, 1]
        first, last = rows_of(item, contacts)
        for r in range(first, last):
            value = base[r]
            for i in range(6):
                slope[r, i], slope[r, 6 + i] = push[r, i], push[r, 6 + i]
                value += push[r, i] * shift[a, i] + push[r, 6 + i] * shift[b, i]
            rows_io.w[r] = value
