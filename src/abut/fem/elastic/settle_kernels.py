"""A Newton step towards the shape in which forces balance."""

from ..._jit import kernel, lean_kernel
from .assembly_kernels import assemble_tangent
from .elastic_tables import Elements, Matrix, NodeData, Pattern
from .factor_kernels import apply_factor, factor_shifted, factorise
from .force_kernels import elastic_force

LEAST_SHARE = 0.2


@lean_kernel
def _largest2(table):
    """Square of the largest row of an (n, 3) table."""
    largest = 0.0
    for i in range(table.shape[0]):
        largest = max(largest, table[i, 0] ** 2 + table[i, 1] ** 2 + table[i, 2] ** 2)
    return largest


@kernel
def force_left(nodes, elements, node_data, rotations_io, left_out):
    """The force that is left on each node [N], 0 on held ones, and rotations there.

    Returns squares of the largest one and of the largest force of the material.
    """
    node_data = NodeData(*node_data)
    elastic_force(nodes, nodes, elements, 0.0, rotations_io, left_out)
    of_material = _largest2(left_out)
    for i in range(nodes.shape[0]):
        for d in range(3):
            left_out[i, d] = 0.0 if node_data.held[i] != 0 else left_out[i, d] + node_data.load[i, d]
    return _largest2(left_out), of_material


@lean_kernel
def _factor_tangent(nodes, elements, pattern, node_data, rotations, matrix_io):
    """Factor of the derivative of the force, or of as much of it as is positive definite; returns the share taken."""
    share = 1.0
    while share > LEAST_SHARE:
        assemble_tangent(nodes, elements, rotations, pattern, node_data, share, matrix_io.block)
        if factor_shifted(pattern, 0.0, matrix_io):
            return share
        share *= 0.5
    assemble_tangent(nodes, elements, rotations, pattern, node_data, 0.0, matrix_io.block)
    factorise(pattern, matrix_io)
    return 0.0


@kernel
def newton_step(nodes, elements, pattern, node_data, rotations, left, matrix_io, step_out):
    """Displacements that would balance the forces left, were stiffness constant; downhill in any case.

    Returns which share of what strain changes about the stiffness was taken.
    """
    elements, pattern, node_data = Elements(*elements), Pattern(*pattern), NodeData(*node_data)
    matrix = Matrix(*matrix_io)
    share = _factor_tangent(nodes, elements, pattern, node_data, rotations, matrix)
    answer = matrix.vectors[0]
    for i in range(nodes.shape[0]):
        for d in range(3):
            answer[pattern.place[i], d] = left[i, d]
    apply_factor(pattern, matrix.factor, matrix.pivot, answer)
    for i in range(nodes.shape[0]):
        for d in range(3):
            step_out[i, d] = answer[pattern.place[i], d]
    return share
