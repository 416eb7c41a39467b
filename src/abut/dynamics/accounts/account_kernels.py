"""What acted on bodies over a step: forces as means over it, torques about centres of mass, added up motion by motion.

A force of one motion counts by the motion's share of the step, and acts with the arm and along the normal with which it
entered the motion: those of the solver, from where the bodies stood when the motion began, or when they bounced. So the
sums are the changes of momentum and of spin, whatever became of the contacts on the way.
"""

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...contact.contact_kernels import BODY_A, BODY_B
from ...math.motion_tables import WAY
from ...math.pose_kernels import load_pose
from ...math.vec_kernels import cross, load_mat, mat_vec, row, scale, sub
from ...query.motion.feature_table_kernels import load_motion
from ..block_kernels import bodies_in
from ..bodies.body_kernels import DYNAMIC, NONE
from ..bodies.body_tables import Prediction, RigidBodies
from ..bodies.hold_kernels import REACH, held_velocity
from ..bodies.tumble_kernels import inertia_in_world
from ..contacts.contact_tables import ContactPlaces, Turning
from ..joints.joint_kernels import JOINT_A, JOINT_B, ROW_KIND, joint_row, unit_wrench
from ..joints.joint_tables import JointRows
from ..solver.row_kernels import half_turn, line_of_action, point_between
from ..stepping.packet_tables import bodies_of, noted_of

# Columns of what acted at a contact: two forces on B [N], the torques of both on A and on B [N m].
PRESSURE, FRICTION, TORQUE_A, TORQUE_B, CONTACT_WIDTH = 0, 3, 6, 9, 12
# Kinds of wrenches on a body, (n_body, WRENCHES, 6). Those of contacts and loads are added up where they are asked for.
JOINTS, HAND, DAMPING, LOCKS, WRENCHES = 0, 1, 2, 3, 4


@inner_kernel
def _add_push(k, point, centres, force, share, column, acted_io):
    """Add a share of a force on B, and its opposite on A, at a point of the world."""
    turn_a, turn_b = cross(sub(point, centres[0]), force), cross(sub(point, centres[1]), force)
    for i in range(3):
        acted_io[k, column + i] += share * force[i]
        acted_io[k, TORQUE_A + i] -= share * turn_a[i]
        acted_io[k, TORQUE_B + i] += share * turn_b[i]


@lean_kernel
def note_contacts(n, places, turning, force, friction, share, acted_io):
    """Add a share of what n contacts exert, as row_kernels.start_items lets them push."""
    places, turning = ContactPlaces(*places), Turning(*turning)
    place, radius, motion = places.place, places.radius, turning.motion
    for k in range(n):
        rub = row(friction, k)
        if force[k] == 0.0 and rub == NONE:
            continue
        a, b = places.name[k, BODY_A], places.name[k, BODY_B]
        X_a, X_b = load_motion(motion, a).start, load_motion(motion, b).start
        radii, centres = (radius[a], radius[b]), (X_a.p, X_b.p)
        turns = (half_turn(turning.spin, a, turning.dt), half_turn(turning.spin, b, turning.dt))
        point, normal = line_of_action(place, k, radii, X_a, X_b, turns[0], turns[1])
        _add_push(k, point, centres, scale(force[k], normal), share, PRESSURE, acted_io)
        if rub != NONE:
            point, _ = point_between(place, k, radii, X_a, X_b)
            _add_push(k, point, centres, rub, share, FRICTION, acted_io)


@inner_kernel
def _is_bound(i, drag, hold):
    """Whether a hand or drag acts on body i."""
    return hold[i, 0] > 0.0 or drag[i, 0] > 0.0 or drag[i, 1] > 0.0


@inner_kernel
def _momentum(i, mass, middle, velocity):
    """Momentum of body i and its spin in the middle of a motion."""
    v = (velocity[i, 0], velocity[i, 1], velocity[i, 2])
    spin = mat_vec(load_mat(middle, i), (velocity[i, 3], velocity[i, 4], velocity[i, 5]))
    p = scale(mass[i], v)
    return (p[0], p[1], p[2], spin[0], spin[1], spin[2])


@inner_kernel
def _add_hand(i, bodies, prediction, velocity, h, drawn, share, acted_io):
    """Add a share of what the hand that holds body i exerts on it."""
    hold, grip, error = bodies.hold, prediction.grip, prediction.error
    held, turn = held_velocity(i, error, velocity), (velocity[i, 3], velocity[i, 4], velocity[i, 5])
    f = _spring_force(i, 0, hold, grip, error, held, h, drawn)
    torque = _spring_force(i, 1, hold, grip, error, turn, h, drawn)
    arm = cross((error[i, REACH], error[i, REACH + 1], error[i, REACH + 2]), f)
    for k in range(3):
        acted_io[i, HAND, k] += share * f[k]
        acted_io[i, HAND, 3 + k] += share * (torque[k] + arm[k])


@inner_kernel
def _spring_force(i, part, hold, grip, error, velocity, h, drawn):
    """Force of the hand's spring along the axes (part 0), or its torque about them (part 1)."""
    stiffness, damping = hold[i, 1 + 3 * part], hold[i, 2 + 3 * part]
    way = (error[i, 3 * part], error[i, 3 * part + 1], error[i, 3 * part + 2])
    slowed = scale(h * stiffness + damping, velocity)
    return scale(grip[i, part], sub(scale(drawn * stiffness, way), slowed))


@lean_kernel
def note_resistance(bodies, prediction, velocity, h, drawn, share, acted_io):
    """Add a share of what hands and drag exert on bodies that move with these velocities over a motion of length h.

    Both are linear in the velocities (response_kernels), so that changes of these can be added later. `drawn` is 1
    where hands draw bodies to their targets, 0 where this was counted before.
    """
    bodies, prediction = RigidBodies(*bodies), Prediction(*prediction)
    drag, hold = bodies.drag, bodies.hold
    for i in range(bodies.kind.shape[0]):
        if bodies.kind[i] != DYNAMIC or not _is_bound(i, drag, hold):
            continue
        momentum = _momentum(i, bodies.mass, prediction.middle, velocity)
        for k in range(6):
            acted_io[i, DAMPING, k] -= share * drag[i, k // 3] * momentum[k]
        if hold[i, 0] > 0.0:
            _add_hand(i, bodies, prediction, velocity, h, drawn, share, acted_io)


@lean_kernel
def note_motion(bodies, prediction, h, gamma, share, work, acted_io):
    """The same for a motion that is about to be made; `work` is (n_body, 6).

    With gamma below 1, a motion takes that share of the velocities at its end.
    """
    motion, before = prediction.motion, prediction.before
    for i in range(bodies.kind.shape[0]):
        for k in range(6):
            v = motion[i, WAY + k] / h
            work[i, k] = v if gamma == 1.0 else before[i, k] + (v - before[i, k]) / gamma
    note_resistance(bodies, prediction, work, h, 1.0, share, acted_io)


@kernel
def note_joints(n, rows, motion, force, share, acted_io, force_io, wrench_io):
    """Add a share of what n rows of joints exert: on their bodies, along the rows, and about the anchors."""
    rows, push = JointRows(*rows), np.empty(12)
    for j in range(n):
        f = share * force[j]
        if f == 0.0:
            continue
        a, b = rows.name[j, JOINT_A], rows.name[j, JOINT_B]
        X_a, X_b = load_motion(motion, a).start, load_motion(motion, b).start
        joint_row(rows.name[j, ROW_KIND], rows.place, j, X_a, X_b, rows.last[j], push)
        unit = unit_wrench(rows.place, j, X_b, push)
        force_io[j] += f
        for k in range(6):
            wrench_io[j, k] += f * unit[k]
            if a >= 0:
                acted_io[a, JOINTS, k] += f * push[k]
            if b >= 0:
                acted_io[b, JOINTS, k] += f * push[6 + k]


@lean_kernel
def sum_contacts(n, name, acted, wrench_io):
    """Add what n contacts exert on their bodies, (n_body, 6)."""
    for k in range(n):
        a, b = name[k, BODY_A], name[k, BODY_B]
        for i in range(3):
            force = acted[k, PRESSURE + i] + acted[k, FRICTION + i]
            wrench_io[a, i] -= force
            wrench_io[b, i] += force
            wrench_io[a, 3 + i] += acted[k, TORQUE_A + i]
            wrench_io[b, 3 + i] += acted[k, TORQUE_B + i]


@inner_kernel
def _spin(i, inertia, pose, twist):
    """Angular momentum of body i about its centre of mass."""
    I_W = inertia_in_world(load_pose(pose, i).R, load_mat(inertia, i))
    return mat_vec(I_W, (twist[i, 3], twist[i, 4], twist[i, 5]))


@kernel
def note_locks(packet, then, gravity, dt, contacts, wrench_io, acted_io):
    """What kept bodies from moving along locked directions, and those that stay from moving at all.

    contacts = (n, name, acted); `then` is the block of bodies at the start of the step, the packet has those at its
    end: what is missing from the change of momentum, beside loads, what is noted, and the wrenches (n_body, 6) of
    contacts that are gone, to which the others are added.
    """
    bodies, stays = bodies_of(packet), noted_of(packet).stays
    mass, locked, twist = bodies.mass, bodies.locked, bodies.twist
    _, pose_then, twist_then, _ = bodies_in(then, mass.shape[0])
    n, name, acted = contacts
    sum_contacts(n, name, acted, wrench_io)
    for i in range(bodies.kind.shape[0]):
        bound = stays[i]
        for k in range(6):
            bound |= locked[i, k]
        if bodies.kind[i] != DYNAMIC or not bound:
            continue
        spin = _spin(i, bodies.inertia, bodies.pose, twist)
        spin_then = _spin(i, bodies.inertia, pose_then, twist_then)
        for k in range(6):
            if not (stays[i] or locked[i, k]):
                continue
            missing = mass[i] * (twist[i, k] - twist_then[i, k]) if k < 3 else spin[k - 3] - spin_then[k - 3]
            weight = mass[i] * gravity[k] if k < 3 else 0.0
            acted_io[i, LOCKS, k] = missing / dt - wrench_io[i, k] - weight - bodies.load[i, k]
            for what in range(LOCKS):
                acted_io[i, LOCKS, k] -= acted_io[i, what, k]
