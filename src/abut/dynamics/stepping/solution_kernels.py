"""From what contacts and joints ask of a motion to the motion that their forces mean."""

from ..._jit import inlined_kernel, kernel, lean_kernel
from ..bodies.body_kernels import any_spun, set_motions
from ..contacts.contact_tables import PairTable
from ..contacts.pair_kernels import pair_values
from ..joints.joint_kernels import joint_references
from ..joints.joint_tables import JointLaws, JointRows
from ..solver.force_kernels import solve_forces, sum_up
from ..solver.problem_kernels import HARD, WORK
from ..solver.problem_tables import Bodies, Contacts, Forces, Joints, Options, Status
from .guard_kernels import follow_motions
from .packet_tables import (
    contacts_of,
    finding_of,
    joints_of,
    marked_of,
    paths_of,
    prediction_of,
    rows_of,
    rubbing_of,
    shapes_of,
    sides_of,
)
from .step_tables import Bounds, Plan

FOLLOWED, LEFT_ROOM, NO_WORK_LEFT, VIOLATED, SPUN = 0, 1, 2, 3, 4
"""What became of a solution: motions were followed, within the rooms of their boxes or beyond, or are not to be."""


@inlined_kernel
def contacts_in(packet, plan):
    """Contacts as solvers take them."""
    rows, sides = contacts_of(packet), sides_of(packet)
    radius = shapes_of(packet).radius
    return Contacts(plan.n, rows.name, rows.place, radius, rows.extra, sides.mu, sides.target, plan.gap)


@inlined_kernel
def bodies_in(packet, plan):
    """Bodies as solvers take them."""
    moving, found = prediction_of(packet), finding_of(packet)
    return Bodies(
        moving.motion,
        moving.free,
        moving.response,
        moving.weight,
        plan.h,
        found.reach,
        found.shift,
        found.end,
        found.wrench,
        moving.twist,
        found.others,
        found.missing,
        found.step,
        found.moved,
    )


@inlined_kernel
def status_in(packet):
    """What is known of bodies, as solvers take it."""
    marked, movable = marked_of(packet), prediction_of(packet).movable
    return Status(marked.locked, movable, marked.due, marked.begun, marked.coarse, marked.spin, marked.left)


@kernel
def ask_of_motion(packet_io, plan, friction, factor):
    """Friction of contacts; references of joints, their compliances and bounds as lengths: forces times `factor`.

    `friction` is that of pairs for which nothing else is said.
    """
    plan, joints, rows, sides = Plan(*plan), joints_of(packet_io), rows_of(packet_io), sides_of(packet_io)
    rubbing, moving = rubbing_of(packet_io), prediction_of(packet_io)
    table = PairTable(rubbing.of_body, friction, rubbing.pairs, rubbing.of_pair)
    pair_values(contacts_of(packet_io).name, plan.n, table, sides.mu)
    asked = (JointRows(joints.name, joints.place, joints.last), JointLaws(joints.law, joints.value))
    joint_references(*asked, moving.motion, moving.twist, plan.h, sides.reference, rows.compliance)
    for j in range(plan.m):
        rows.compliance[j] = rows.compliance[j] / factor
        rows.lower[j], rows.upper[j] = joints.lower[j] * factor, joints.upper[j] * factor


@lean_kernel
def _outcome(report, bounds, spun):
    """Why motions are not to be followed; FOLLOWED if they are."""
    if bounds.work - report[WORK] < 0.0:
        return NO_WORK_LEFT
    if not report[HARD] <= bounds.worst:
        return VIOLATED
    return SPUN if spun and not bounds.spun else FOLLOWED


@lean_kernel
def read_motions(packet_io, plan, bounds):
    """Set the motions of those due, and follow them where the solution keeps its bounds.

    Returns what became of it, two largest violations [m], islands that are not solved, and whether forces are coarse.
    """
    plan, moving, finding, marked = Plan(*plan), prediction_of(packet_io), finding_of(packet_io), marked_of(packet_io)
    hard, soft, unsolved, any_coarse = sum_up(marked.left, marked.coarse)
    set_motions(moving.free, finding.shift, plan.h, marked.due, moving.motion)
    spun = any_spun(moving.free, finding.shift, plan.h, marked.due)
    outcome = _outcome(finding.report, Bounds(*bounds), spun)
    if outcome == FOLLOWED and follow_motions(moving.motion, marked.due, plan.gap, paths_of(packet_io)):
        outcome = LEFT_ROOM
    return outcome, hard, soft, unsolved, any_coarse


@lean_kernel
def move_freely(packet_io, plan, bounds):
    """The same where there is nothing to solve."""
    finding = finding_of(packet_io)
    finding.shift[:] = 0.0
    finding.report[:] = 0.0
    return read_motions(packet_io, plan, bounds)


@kernel
def solve_motion(packet_io, plan, options, friction, bounds):
    """Forces of contacts and joints as solve_forces finds them, and the motions that they mean as read_motions has it.

    `friction` is that of pairs for which nothing else is said.
    """
    named = Plan(*plan)
    ask_of_motion(packet_io, plan, friction, Options(*options).factor)
    rows, joints, finding, contacts = (
        rows_of(packet_io),
        joints_of(packet_io),
        finding_of(packet_io),
        contacts_of(packet_io),
    )
    asked = Joints(joints.name, joints.place, joints.last, sides_of(packet_io).reference)
    forces = Forces(contacts.force, contacts.friction, joints.force[: named.m])
    touching, bodies, status = contacts_in(packet_io, named), bodies_in(packet_io, named), status_in(packet_io)
    solve_forces(touching, asked, bodies, status, rows, options, forces, finding.report)
    return read_motions(packet_io, plan, bounds)
