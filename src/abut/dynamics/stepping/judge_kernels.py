"""Whether a motion that is free to its end may be made as it is."""

from ..._jit import inlined_kernel, kernel
from ..accounts.balance_kernels import draw_balance
from ..accounts.balance_tables import Balance, Scheme, Span
from ..solver.row_kernels import find_astray
from .packet_tables import bodies_of, contacts_of, joints_of, marked_of, paths_of, prediction_of, rows_of, sides_of
from .step_tables import Plan


@inlined_kernel
def _balance_in(packet, plan, scheme):
    """Tables of a motion, from those of its bodies, contacts and joints."""
    bodies, prediction, joints, rows = bodies_of(packet), prediction_of(packet), joints_of(packet), rows_of(packet)
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
        sides_of(packet).mu,
        joints.law[: plan.m],
        joints.name,
        joints.place,
        joints.last,
        joints.force,
        joints.value,
        joints.spring_middle,
    )


@kernel
def judge_motion(packet_io, plan, scheme, books_out):
    """Whether contacts push bodies astray, which are due then; if not, the balance of energy as draw_balance has it.

    Returns the former, the largest gain as a share, and in J.
    """
    plan, scheme = Plan(*plan), Scheme(*scheme)
    if scheme.correct:
        prediction, marked, contacts = prediction_of(packet_io), marked_of(packet_io), contacts_of(packet_io)
        turned = (prediction.motion, prediction.movable, plan.h, marked.spin)
        if find_astray(plan.n, contacts.name, contacts.force, *turned, marked.due):
            return True, 0.0, 0.0
    gain, joules = 0.0, 0.0
    if books_out.shape[0] > 0:
        books_out[:] = 0.0
        balance = _balance_in(packet_io, plan, scheme)
        span = Span(plan.n, scheme.unit, plan.h, plan.gap, scheme.last)
        gain, joules = draw_balance(balance, paths_of(packet_io).ends, span, books_out)
    return False, gain, joules
