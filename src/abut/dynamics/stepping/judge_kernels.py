"""Whether a motion that is free to its end may be made as it is."""

from ..._jit import inlined_kernel, kernel
from ..accounts.balance_kernels import draw_balance
from ..accounts.balance_tables import Balance, Scheme, Span
from ..bodies.body_tables import Prediction, RigidBodies
from ..joints.joint_tables import AskedJoints
from ..solver.problem_tables import Contacts, Rows, Status
from ..solver.row_kernels import find_astray
from .step_tables import Solution


@inlined_kernel
def _balance_of(bodies, prediction, scheme, contacts, joints, rows, solution):
    """Tables of a motion, from those of its bodies, contacts and joints."""
    return Balance(
        bodies.mass,
        bodies.inertia,
        prediction.middle,
        prediction.movable,
        prediction.motion,
        prediction.free,
        prediction.twist,
        prediction.weight,
        bodies.locked,
        prediction.before,
        scheme.gamma,
        scheme.gravity,
        bodies.load,
        scheme.step,
        rows.body,
        rows.push,
        rows.x,
        contacts.mu,
        joints.law[: joints.reference.shape[0]],
        joints.name,
        joints.place,
        joints.last,
        solution.joint,
        joints.value,
        scheme.spring_middle,
    )


@kernel
def judge_motion(contacts, joints, rows, solution, status_io, bodies, moving, books_out):
    """Whether contacts push bodies astray, which are due then; if not, the balance of energy as draw_balance has it.

    moving = (Prediction, Scheme). Returns the former, the largest gain as a share, and in J.
    """
    contacts, joints, rows, solution = Contacts(*contacts), AskedJoints(*joints), Rows(*rows), Solution(*solution)
    status, bodies, prediction, scheme = (
        Status(*status_io),
        RigidBodies(*bodies),
        Prediction(*moving[0]),
        Scheme(*moving[1]),
    )
    if scheme.correct:
        turned = (prediction.motion, status.movable, scheme.h, status.spin)
        if find_astray(contacts.n, contacts.name, solution.force, *turned, status.due):
            return True, 0.0, 0.0
    gain, joules = 0.0, 0.0
    if books_out.shape[0] > 0:
        books_out[:] = 0.0
        balance = _balance_of(bodies, prediction, scheme, contacts, joints, rows, solution)
        gain, joules = draw_balance(balance, Span(contacts.n, scheme.unit, scheme.h, contacts.gap), books_out)
    return False, gain, joules
