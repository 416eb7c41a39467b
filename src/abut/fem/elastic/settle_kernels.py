"""Forces that are left, and displacements that would balance them."""

from ..._jit import kernel, lean_kernel
from .elastic_tables import Matrix, NodeData, Pattern
from .factor_kernels import apply_factor
from .force_kernels import elastic_force


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


@kernel
def solve_once(pattern, left, matrix_io, step_out):
    """Solve with the factor alone: displacements that would balance the forces left, were stiffness constant."""
    pattern, matrix = Pattern(*pattern), Matrix(*matrix_io)
    answer = matrix.vectors[0]
    for i in range(left.shape[0]):
        for d in range(3):
            answer[pattern.place[i], d] = left[i, d]
    apply_factor(pattern, matrix.factor, matrix.pivot, answer)
    for i in range(left.shape[0]):
        for d in range(3):
            step_out[i, d] = answer[pattern.place[i], d]
