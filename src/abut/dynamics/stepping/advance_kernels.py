"""A motion that was found is made: what acts in it is noted, bodies and joints advance, contacts are placed anew."""

from ..._jit import kernel, lean_kernel
from ...contact.contact_kernels import refresh_contacts
from ..accounts.account_kernels import note_contacts, note_joints, note_motion
from ..bodies.body_kernels import advance_bodies
from ..bodies.body_tables import Prediction, RigidBodies
from ..bodies.lock_kernels import drop_locked_turns
from ..contacts.contact_set_kernels import keep_contacts
from ..contacts.contact_tables import ContactTables
from ..joints.joint_kernels import joint_advance
from ..joints.joint_tables import JointRows
from ..rest.sleep_kernels import any_stood_still
from .step_tables import Acts, MovedJoints, Pace, Touched


@lean_kernel
def _keep_twists(bodies_io, prediction):
    """Bodies without inertia have the velocities that they were given."""
    for i in range(bodies_io.twist.shape[0]):
        for k in range(6 if prediction.movable[i] else 0):
            bodies_io.twist[i, k] = prediction.twist[i, k]


@kernel
def advance_motion(bodies_io, prediction, joints_io, pace, acts_io):
    """Bodies and joints at the end of a motion, with what hands, drag and joints did in it.

    Returns whether bodies were marked that stay though they could have moved.
    """
    bodies, prediction, pace, acts = RigidBodies(*bodies_io), Prediction(*prediction), Pace(*pace), Acts(*acts_io)
    still, gamma = pace.still_for > 0.0, pace.gamma if pace.gamma > 0.0 else 1.0
    if acts.resisted and not still:
        note_motion(bodies, prediction, pace.h, gamma, pace.share, acts.velocity, acts.bodies)
    any_stay = advance_bodies(bodies, prediction, pace.h, gamma, acts.stays)
    if still:
        _keep_twists(bodies, prediction)
    joints, motion = MovedJoints(*joints_io), prediction.motion
    if joints.n > 0:
        rows, moved = JointRows(joints.name, joints.place, joints.last), (acts.bodies, joints.acted, joints.wrench)
        note_joints(joints.n, rows, motion, joints.force, pace.share, *moved)
        joint_advance(joints.name, joints.place, joints.name.shape[0], motion, joints.last)
    return any_stay


@kernel
def advance_touching(n, contacts_io, touched, spin, bodies_io, prediction, advanced_io, alive_out):
    """The same with n contacts, which are placed anew; which of them have features there that face each other.

    advanced_io = (joints, pace, acts) as of advance_motion, spin as in problem_tables.Status.
    """
    contacts, touched, pace = ContactTables(*contacts_io), Touched(*touched), Pace(*advanced_io[1])
    places, turning = (contacts.name, contacts.place, touched.radius), (Prediction(*prediction).motion, spin, pace.h)
    note_contacts(n, places, turning, contacts.force, contacts.friction, pace.share, contacts.acted)
    any_stay = advance_motion(bodies_io, prediction, *advanced_io)
    rows, shapes = (contacts.name, contacts.place, contacts.extra), (touched.features, touched.surfaces)
    refresh_contacts(rows, n, *shapes, touched.shape_of, touched.ends, touched.slack, alive_out)
    return any_stay


@kernel
def end_motion(n, contacts_io, limit, alive, turns_locked, bodies_io, prediction):
    """Drop turns about locked axes, and contacts that let go unless somebody may sleep: these are looked at first.

    Returns how many contacts are kept, their smallest gap [m], and whether anyone stood still.
    """
    bodies, prediction = RigidBodies(*bodies_io), Prediction(*prediction)
    if turns_locked:
        drop_locked_turns(bodies.kind, bodies.inertia, bodies.locked, bodies.pose, bodies.twist)
    if any_stood_still(bodies.kind, prediction.motion, prediction.twist):
        return n, 0.0, True
    kept, smallest = keep_contacts(alive, limit, n, contacts_io)
    return kept, smallest, False
