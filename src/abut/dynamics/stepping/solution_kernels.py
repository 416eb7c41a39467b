"""From what contacts and joints ask of a motion to the motion that their forces mean."""

from ..._jit import kernel, lean_kernel
from ..bodies.body_kernels import any_spun, set_motions
from ..contacts.contact_tables import PairTable
from ..contacts.pair_kernels import pair_values
from ..joints.joint_kernels import joint_references
from ..joints.joint_tables import AskedJoints, JointLaws, JointRows
from ..solver.force_kernels import solve_forces, sum_up
from ..solver.problem_kernels import HARD, WORK
from ..solver.problem_tables import Bodies, Contacts, Joints, Options, Rows, Status
from .guard_kernels import follow_motions
from .step_tables import Bounds, Solution

FOLLOWED, LEFT_ROOM, NO_WORK_LEFT, VIOLATED, SPUN = 0, 1, 2, 3, 4
"""What became of a solution: motions were followed, within the rooms of their boxes or beyond, or are not to be."""


@kernel
def ask_of_motion(contacts_io, joints_io, laws, bodies, factor, rows_io):
    """Friction of contacts; references of joints, their compliances and bounds as lengths: forces times `factor`."""
    contacts, joints, bodies, rows = Contacts(*contacts_io), AskedJoints(*joints_io), Bodies(*bodies), Rows(*rows_io)
    pair_values(contacts.name, contacts.n, PairTable(*laws), contacts.mu)
    asked = (JointRows(joints.name, joints.place, joints.last), JointLaws(joints.law, joints.value))
    joint_references(*asked, bodies.motion, bodies.twist, bodies.dt, joints.reference, rows.compliance)
    for j in range(joints.reference.shape[0]):
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
def read_motions(bodies_io, status, bounds, report, paths_io):
    """Set the motions of those due, and follow them where the solution keeps its bounds.

    Returns what became of it, two largest violations [m], islands that are not solved, and whether forces are hasty.
    """
    bodies, status, bounds = Bodies(*bodies_io), Status(*status), Bounds(*bounds)
    hard, soft, unsolved, any_hasty = sum_up(status.left, status.hasty)
    set_motions(bodies.free, bodies.shift, bodies.dt, status.due, bodies.motion)
    outcome = _outcome(report, bounds, any_spun(bodies.free, bodies.shift, bodies.dt, status.due))
    if outcome == FOLLOWED and follow_motions(bodies.motion, status.due, paths_io):
        outcome = LEFT_ROOM
    return outcome, hard, soft, unsolved, any_hasty


@kernel
def solve_motion(contacts_io, joints_io, bodies_io, status_io, rows_io, wanted, solution_io, paths_io):
    """Forces of contacts and joints as solve_forces finds them, and the motions that they mean as read_motions has it.

    wanted = (Options, Bounds, laws of friction).
    """
    options, bounds, laws = wanted
    joints, solution = AskedJoints(*joints_io), Solution(*solution_io)
    ask_of_motion(contacts_io, joints_io, laws, bodies_io, Options(*options).factor, rows_io)
    asked = Joints(joints.name, joints.place, joints.last, joints.reference)
    forces = (solution.force, solution.friction, solution.joint)
    solve_forces(contacts_io, asked, bodies_io, status_io, rows_io, options, forces, solution.report)
    return read_motions(bodies_io, status_io, bounds, solution.report, paths_io)
