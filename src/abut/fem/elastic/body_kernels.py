"""What a step asks of one elastic body, by its packet: to move under known forces, and to answer to more impulses."""

from math import inf

from ..._jit import kernel, lean_kernel
from .body_packet_tables import begun_of, elements_of, matrix_of, nodes_of, pattern_of, round_of, state_of
from .elastic_tables import StepSettings
from .solve_kernels import keep_change, solve, solve_more
from .step_kernels import linearise


@kernel
def weigh(mass, gravity, loads, load_out):
    """Weights and loads of the nodes together [N]."""
    for i in range(mass.shape[0]):
        for d in range(3):
            load_out[i, d] = mass[i] * gravity[d] + loads[i, d]


@lean_kernel
def settings_of(body):
    """Numbers of the step that has begun."""
    x = begun_of(body).numbers
    return StepSettings(x[0], x[1], x[2], x[3], x[4], int(x[5]), x[6] != 0.0)


@lean_kernel
def _limited(settings, tolerance, most):
    """The same with another residual and another number of iterations."""
    dt, theta, alpha, beta = settings.dt, settings.theta, settings.mass_damping, settings.stiffness_damping
    return StepSettings(dt, theta, alpha, beta, tolerance, most, settings.free)


@kernel
def improve_body(body_io, w_io, most):
    """One round of the step that has begun: forces and matrix at w, and what their equation changes about w.

    At most `most` conjugate gradients with the factor as it is; none and no change of w if that is negative, or if they
    do not suffice. Returns iterations, relative residual, and the smallest stretch of what may be flat.
    """
    pattern, nodes, matrix, found = pattern_of(body_io), nodes_of(body_io), matrix_of(body_io), round_of(body_io)
    settings, elements, state = settings_of(body_io), elements_of(body_io), state_of(body_io)
    flattest = linearise(elements, pattern, nodes, settings, w_io, state, matrix.block, found)
    if most < 0:
        return 0, inf, flattest
    few = _limited(settings, settings.tolerance, most)
    iterations, residual = solve(pattern, nodes, few, found.left, matrix, found.change)
    if residual <= settings.tolerance:
        keep_change(found.change, matrix, w_io)
    return iterations, residual, flattest


@kernel
def push_body(body_io, impulses, tolerance, w_io):
    """Add impulses (n, 3) [N s] to the step and improve its velocities; iterations.

    What earlier solutions left is solved for, too: however rough they were, the last one counts. `tolerance` is the
    residual over that of the start.
    """
    pattern, nodes, settings = pattern_of(body_io), nodes_of(body_io), settings_of(body_io)
    rough = _limited(settings, tolerance, settings.max_iterations)
    iterations, _ = solve_more(pattern, nodes, rough, impulses, matrix_of(body_io), w_io)
    return iterations
