"""From the forces of the last step to those of this one: the problem of a step, set up, solved and read back."""

import numpy as np

from .._jit import kernel, lean_kernel
from ..math.vec_kernels import dot
from .problem_kernels import solve_islands
from .row_kernels import TANGENT_1, TANGENT_2, mask_locked, set_end, start_contacts, start_joints


@lean_kernel
def start_forces(n, mu, force, friction, joint_force, frame, factor, x_out):
    """Forces [N] as lengths, friction along the tangents."""
    for k in range(n):
        x_out[3 * k] = factor * force[k]
        if mu[k] > 0.0:
            f = (factor * friction[k, 0], factor * friction[k, 1], factor * friction[k, 2])
            for i, first in ((1, TANGENT_1), (2, TANGENT_2)):
                x_out[3 * k + i] = dot(f, (frame[k, first], frame[k, first + 1], frame[k, first + 2]))
    for j in range(joint_force.shape[0]):
        x_out[3 * n + j] = factor * joint_force[j]


@lean_kernel
def end_forces(n, mu, x, frame, factor, same, force_out, friction_out, joint_force_out):
    """Lengths as forces [N], friction in the world's axes; those of contacts that are the `same` keep every bit."""
    for k in range(n):
        if same[k]:
            continue
        force_out[k] = x[3 * k] / factor
        for i in range(3):
            friction_out[k, i] = 0.0
            if mu[k] > 0.0:
                along = x[3 * k + 1] * frame[k, TANGENT_1 + i] + x[3 * k + 2] * frame[k, TANGENT_2 + i]
                friction_out[k, i] = along / factor
    for j in range(joint_force_out.shape[0]):
        joint_force_out[j] = x[3 * n + j] / factor


@lean_kernel
def begin_forces(n, contacts, joints, bodies, rows, options, forces):
    """Set up the rows of n contacts and all joints, with the forces of the last step; arguments as for solve_forces."""
    motion, free, _response, _weight, dt, _reach, shift, end, _wrench, twist, locked, movable, due = bodies
    body, push, _slope, _w, x, _y, _rho, frame, _answer, _own = rows
    _tolerance, factor, share, _law, _still = options
    force, friction, joint_force = forces
    mu = contacts[4]
    n_item = n + joint_force.shape[0]
    start_contacts(n, contacts, motion, twist, dt, share, body, frame, push)
    start_joints(n, joints, motion, body, push)
    mask_locked(n_item, n, body, locked, push)
    start_forces(n, mu, force, friction, joint_force, frame, factor, x)
    for b in range(end.shape[0]):
        if due[b]:
            for i in range(6):
                shift[b, i] = 0.0
        if not movable[b]:
            set_end(b, motion, free, dt, shift, end)


@kernel
def solve_forces(n, contacts, joints, limits, bodies, rows, options, forces, scratch, report_out):
    """Forces of n contacts and all joints, and the bodies' shifts beyond their free motion.

    contacts = (name, place, table, shape_of, mu, target); joints = (name, place, last, reference);
    limits = (compliance, lower, upper) of the joints' rows, in lengths;
    bodies = (motion, free, response, weight, dt, reach, shift, end, wrench, twist, locked, movable, due): islands
             without a body that is due stay as they are;
    rows = (body, push, slope, w, x, y, rho, frame, answer, own);
    options = (tolerance, force to length, share of the step, friction law, motion of bodies at rest);
    forces = (force, friction, joint force) [N], which are the start values too.
    """
    motion, free, response, weight, dt, reach, shift, end, wrench, twist, _locked, movable, due = bodies
    body, push, slope, w, x, y, rho, frame, answer, own = rows
    compliance, lower, upper = limits
    tolerance, factor, _share, law, still = options
    force, friction, joint_force = forces
    begin_forces(n, contacts, joints, bodies, rows, options, forces)
    laws = (body, push, slope, w, x, y, rho, compliance, lower, upper)
    problem = (n, contacts, frame, joints, law, False, w)
    moving = (motion, free, response, weight, dt, reach, shift, end, wrench, twist)
    n_item = n + joint_force.shape[0]
    same = np.zeros(n_item, np.bool_)
    solve_islands(
        n_item, problem, moving, laws, movable, due, (tolerance, still), answer, own, scratch, same, report_out
    )
    end_forces(n, contacts[4], x, frame, factor, same, force, friction, joint_force)
