"""A motion that was found is made: what acts in it is noted, bodies and joints advance, contacts are placed anew."""

from ..._jit import kernel, lean_kernel
from ...contact.contact_kernels import refresh_contacts
from ..accounts.account_kernels import note_contacts, note_joints, note_motion
from ..bodies.body_kernels import advance_bodies
from ..bodies.lock_kernels import drop_locked_turns
from ..contacts.contact_set_kernels import keep_contacts
from ..joints.joint_kernels import joint_advance
from ..joints.joint_tables import JointRows
from ..rest.sleep_kernels import any_stood_still
from .packet_tables import (
    bodies_of,
    contacts_of,
    features_of,
    joints_of,
    marked_of,
    noted_of,
    paths_of,
    prediction_of,
    shapes_of,
    sides_of,
    surfaces_of,
)
from .step_tables import Pace, Plan


@lean_kernel
def _keep_twists(bodies_io, prediction):
    """Bodies without inertia have the velocities that they were given."""
    for i in range(bodies_io.twist.shape[0]):
        for k in range(6 if prediction.movable[i] else 0):
            bodies_io.twist[i, k] = prediction.twist[i, k]


@kernel
def advance_motion(packet_io, plan, pace, resisted, acted_io):
    """Bodies and joints at the end of a motion, with what hands and drag, if there are any, and joints did in it.

    acted_io (n_body, WRENCHES, 6) as of account_kernels. Returns whether bodies were marked that stay though they could
    have moved.
    """
    plan, pace, noted = Plan(*plan), Pace(*pace), noted_of(packet_io)
    bodies, prediction, joints = bodies_of(packet_io), prediction_of(packet_io), joints_of(packet_io)
    still, gamma = pace.still_for > 0.0, pace.gamma if pace.gamma > 0.0 else 1.0
    if resisted and not still:
        note_motion(bodies, prediction, plan.h, gamma, pace.share, noted.velocity, acted_io)
    any_stay = advance_bodies(bodies, prediction, plan.h, gamma, noted.stays)
    if still:
        _keep_twists(bodies, prediction)
    if plan.m > 0:
        rows, motion = JointRows(joints.name, joints.place, joints.last), prediction.motion
        note_joints(plan.m, rows, motion, joints.force, pace.share, acted_io, joints.acted, joints.wrench)
        joint_advance(joints.name, joints.place, joints.name.shape[0], motion, joints.last)
    return any_stay


@kernel
def advance_touching(packet_io, plan, pace, slack, resisted, acted_io):
    """The same with contacts, which are placed anew; features of those that are alive are within `slack` [m]."""
    n, contacts, shapes = Plan(*plan).n, contacts_of(packet_io), shapes_of(packet_io)
    places = (contacts.name, contacts.place, shapes.radius)
    turning = (prediction_of(packet_io).motion, marked_of(packet_io).spin, Plan(*plan).h)
    note_contacts(n, places, turning, contacts.force, contacts.friction, Pace(*pace).share, contacts.acted)
    any_stay = advance_motion(packet_io, plan, pace, resisted, acted_io)
    rows, ends, alive = (
        (contacts.name, contacts.place, contacts.extra),
        paths_of(packet_io).ends,
        sides_of(packet_io).alive,
    )
    refresh_contacts(rows, n, features_of(packet_io), surfaces_of(packet_io), shapes.shape_of, ends, slack, alive)
    return any_stay


@kernel
def end_motion(packet_io, n, limit, turns_locked):
    """Drop turns about locked axes, and contacts that let go unless somebody may sleep: these are looked at first.

    Returns how many of n contacts are kept, their smallest gap [m], and whether anyone stood still.
    """
    bodies, prediction = bodies_of(packet_io), prediction_of(packet_io)
    if turns_locked:
        drop_locked_turns(bodies.kind, bodies.inertia, bodies.locked, bodies.pose, bodies.twist)
    if any_stood_still(bodies.kind, prediction.motion, prediction.twist):
        return n, 0.0, True
    kept, smallest = keep_contacts(sides_of(packet_io).alive, limit, n, contacts_of(packet_io))
    return kept, smallest, False
