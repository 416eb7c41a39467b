"""One implicit step of an elastic body, linearised about a guess.

Nodes move straight through a step with the velocities w: x₁ = x₀ + h w. Forces are those at the share θ of the step, at
x₀ + θ h w, and velocities are extrapolated to its end: v₁ = v₀ + (w - v₀) / θ. So

    M (w - v₀) = θ h (f(x₀ + θ h w) + load - α M w - β K w)

θ = 1 is the implicit Euler method, θ = 1/2 the implicit midpoint rule. A round solves A δ = (right side - left side)
and adds δ to w, with A = M (1 + θhα) + (θhβ + θ²h²) K of the rotations at the guess. One round from w = v₀, the motion
that inertia alone would give, is accurate to second order; impulses p that act during the step, as those of contacts,
change w by θ A⁻¹ p.
"""

import numpy as np

from ..._jit import kernel, lean_kernel
from .assembly_kernels import add_flatness, assemble
from .elastic_tables import Elements, NodeData, Pattern, Round, State, StepSettings
from .flat_kernels import FLAT
from .force_kernels import elastic_force
from .turn_kernels import put_turns, turn_nodes


@lean_kernel
def _put_forces_point(state, settings, w, nodes_out):
    """Nodes where forces are taken."""
    reach = settings.theta * settings.dt
    for i in range(w.shape[0]):
        for d in range(3):
            nodes_out[i, d] = state.nodes[i, d] + reach * w[i, d]


@lean_kernel
def _put_imbalance(state, nodes, settings, w, force_io):
    """From the force of the material to what is left of the step's equation [N s]."""
    reach = settings.theta * settings.dt
    for i in range(w.shape[0]):
        m = nodes.mass[i]
        for d in range(3):
            force = force_io[i, d] + nodes.load[i, d] - settings.mass_damping * m * w[i, d]
            force_io[i, d] = reach * force - m * (w[i, d] - state.velocities[i, d])


@kernel
def linearise(elements, pattern, nodes, settings, w, state_io, block_out, round_out):
    """What is left of the step's equation at w, its matrix, and how elements and nodes have turned there.

    Returns the smallest stretch of what may be flat.
    """
    elements, pattern, nodes = Elements(*elements), Pattern(*pattern), NodeData(*nodes)
    settings, state, found = StepSettings(*settings), State(*state_io), Round(*round_out)
    _put_forces_point(state, settings, w, found.point)
    beta, rotations = settings.stiffness_damping, state.rotations
    _, flattest = elastic_force(found.point, w, elements, beta, rotations, found.left)
    _put_imbalance(state, nodes, settings, w, found.left)
    assemble(elements, rotations, pattern, nodes, settings, block_out)
    if flattest < FLAT:
        reach = settings.theta * settings.dt
        add_flatness(found.point, elements, rotations, pattern, nodes.held, reach * reach, block_out)
    turn_nodes(elements.corner, rotations, found.turns)
    put_turns(found.turns, pattern.order, found.frames)
    return flattest


@kernel
def holding_power(elements, nodes, settings, state, w, beside):
    """Power [W] with which the held nodes are moved through a step with velocities w; `elements` are those `beside`."""
    settings, state = StepSettings(*settings), State(*state)
    rotations, force = np.empty((beside.shape[0], 4)), np.empty(w.shape)
    for k in range(beside.shape[0]):
        for d in range(4):
            rotations[k, d] = state.rotations[beside[k], d]
    holding_forces(elements, nodes, settings, State(state.nodes, state.velocities, rotations), w, force)
    power = 0.0
    for i in range(w.shape[0]):
        power += force[i, 0] * w[i, 0] + force[i, 1] * w[i, 1] + force[i, 2] * w[i, 2]
    return power


@kernel
def holding_forces(elements, nodes, settings, state_io, w, force_out):
    """Mean forces [N] that hold the held nodes through a step with velocities w; 0 for the others."""
    elements, nodes, settings, state = Elements(*elements), NodeData(*nodes), StepSettings(*settings), State(*state_io)
    point = np.empty(w.shape)
    _put_forces_point(state, settings, w, point)
    elastic_force(point, w, elements, settings.stiffness_damping, state.rotations, force_out)
    for i in range(w.shape[0]):
        m = nodes.mass[i]
        for d in range(3):
            outside = force_out[i, d] + nodes.load[i, d] - settings.mass_damping * m * w[i, d]
            needed = m * (w[i, d] - state.velocities[i, d]) / settings.dt
            force_out[i, d] = needed - outside if nodes.held[i] != 0 else 0.0
