"""The matrix of a step from its elements: gradients are rotated, 12 x 12 matrices are never formed.

With g_i = R b_i, the block of corners j (row) and i (column) is λ g_j g_iᵀ + μ g_i g_jᵀ + μ (g_i · g_j) I. Blocks are
written column by column.
"""

from math import sqrt

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.dense_kernels import inverse3
from ...math.vec_kernels import dot, mat_mul, mat_t_mul, mat_vec, skew, transpose
from .elastic_tables import Elements, NodeData, Pattern, StepSettings
from .flat_kernels import firmness, flat_stiffness, may_be_flat, strain2, stretches
from .measure_kernels import deformation_gradient
from .rotation_kernels import rotation_of


@lean_kernel
def _turned_gradient(elements, e, i, R):
    return mat_vec(R, (elements.gradient[e, i, 0], elements.gradient[e, i, 1], elements.gradient[e, i, 2]))


@lean_kernel
def _add_block(s, bulk, shear, a, b, block_io):
    """Add the block of a row's gradient `a` and a column's `b`."""
    d = shear * dot(a, b)
    for k in range(3):
        u, v = bulk * b[k], shear * a[k]
        block_io[s, k, 0] += u * a[0] + v * b[0]
        block_io[s, k, 1] += u * a[1] + v * b[1]
        block_io[s, k, 2] += u * a[2] + v * b[2]
        block_io[s, k, k] += d


@lean_kernel
def add_stiffness(elements, rotations, slot, factor, block_io):
    """Add `factor` times the stiffness of all elements to the lower blocks."""
    for e in range(elements.corner.shape[0]):
        R = rotation_of(rotations, e)
        bulk, shear = factor * elements.bulk[e], factor * elements.shear[e]
        g0, g1 = _turned_gradient(elements, e, 0, R), _turned_gradient(elements, e, 1, R)
        g2, g3 = _turned_gradient(elements, e, 2, R), _turned_gradient(elements, e, 3, R)
        _add_block(slot[e, 0], bulk, shear, g0, g0, block_io)
        _add_block(slot[e, 1], bulk, shear, g1, g0, block_io)
        _add_block(slot[e, 2], bulk, shear, g2, g0, block_io)
        _add_block(slot[e, 3], bulk, shear, g3, g0, block_io)
        _add_block(slot[e, 4], bulk, shear, g1, g1, block_io)
        _add_block(slot[e, 5], bulk, shear, g2, g1, block_io)
        _add_block(slot[e, 6], bulk, shear, g3, g1, block_io)
        _add_block(slot[e, 7], bulk, shear, g2, g2, block_io)
        _add_block(slot[e, 8], bulk, shear, g3, g2, block_io)
        _add_block(slot[e, 9], bulk, shear, g3, g3, block_io)


@lean_kernel
def _add_turning(elements, e, R, S, slot, share, block_io):
    """Add `share` of what strain changes about the derivative of an element's force.

    A motion u of corner i turns the element by H⁻¹ (g_i x u), with H = tr(S) I - S, S = Rᵀ F, in the world's frame,
    and with it the part (λ tr(S - I) - 2μ) R of its stress. Where S is I, that is in the stiffness already.
    """
    trace, shear = S[0] + S[4] + S[8], elements.shear[e]
    stretch = elements.bulk[e] * (trace - 3.0) - 2.0 * shear
    H = (trace - S[0], -S[1], -S[2], -S[3], trace - S[4], -S[5], -S[6], -S[7], trace - S[8])
    inverse = mat_mul(R, mat_mul(inverse3(H), transpose(R)))
    s = 0
    for i in range(4):
        turn = skew(_turned_gradient(elements, e, i, R))
        answer = mat_mul(inverse, turn)
        for j in range(i, 4):
            g = skew(_turned_gradient(elements, e, j, R))
            changed, known = mat_mul(g, answer), mat_mul(g, turn)
            for k in range(9):
                block_io[slot[e, s], k % 3, k // 3] -= share * (stretch * changed[k] + shear * known[k])
            s += 1


@lean_kernel
def _add_mode(elements, slot, held, e, mode, block_io):
    """Add the stiffness of one mode of an element's F, (stiffness, matrix), between corners that are not held."""
    (stiffness, D), s = mode, 0
    for i in range(4):
        a = _turned_gradient(elements, e, i, D)
        for j in range(i, 4):
            b = _turned_gradient(elements, e, j, D)
            if held[elements.corner[e, i]] == 0 and held[elements.corner[e, j]] == 0:
                for k in range(9):
                    block_io[slot[e, s], k % 3, k // 3] += stiffness * b[k // 3] * a[k % 3]
            s += 1


@lean_kernel
def _mode(R, vectors, i, j):
    """R (vᵢ vⱼᵀ + vⱼ vᵢᵀ) over its size."""
    u, v = (vectors[0, i], vectors[1, i], vectors[2, i]), (vectors[0, j], vectors[1, j], vectors[2, j])
    a, b, t = mat_vec(R, u), mat_vec(R, v), 0.5 if i == j else sqrt(0.5)
    return (
        t * (a[0] * v[0] + b[0] * u[0]),
        t * (a[0] * v[1] + b[0] * u[1]),
        t * (a[0] * v[2] + b[0] * u[2]),
        t * (a[1] * v[0] + b[1] * u[0]),
        t * (a[1] * v[1] + b[1] * u[1]),
        t * (a[1] * v[2] + b[1] * u[2]),
        t * (a[2] * v[0] + b[2] * u[0]),
        t * (a[2] * v[1] + b[2] * u[1]),
        t * (a[2] * v[2] + b[2] * u[2]),
    )


@kernel
def add_flatness(nodes, elements, rotations, pattern, held, factor, block_io):
    """Add `factor` times the stiffness of flat elements to the matrix of a step or to a derivative of forces."""
    elements, pattern = Elements(*elements), Pattern(*pattern)
    value, vectors = np.empty(3), np.empty((3, 3))
    for e in range(elements.corner.shape[0]):
        R = rotation_of(rotations, e)
        S = mat_t_mul(R, deformation_gradient(nodes, elements, e))
        if may_be_flat(strain2(S)):
            stretches(S, value, vectors)
            k = factor * firmness(elements, e)
            for i in range(3):
                for j in range(i + 1):
                    stiffness = k * flat_stiffness(value[i], value[j])
                    if stiffness > 0.0:
                        mode = stiffness, _mode(R, vectors, i, j)
                        _add_mode(elements, pattern.slot, held, e, mode, block_io)


@kernel
def assemble_tangent(nodes, elements, rotations, pattern, node_data, share, block_out):
    """The derivative of the elastic force at `nodes`, held nodes taken out; `share` 0 takes strains as small."""
    elements, pattern, node_data = Elements(*elements), Pattern(*pattern), NodeData(*node_data)
    _set_masses(pattern, node_data.mass, 0.0, block_out)
    add_stiffness(elements, rotations, pattern.slot, 1.0, block_out)
    for e in range(elements.corner.shape[0]):
        R = rotation_of(rotations, e)
        S = mat_t_mul(R, deformation_gradient(nodes, elements, e))
        _add_turning(elements, e, R, S, pattern.slot, share, block_out)
    add_flatness(nodes, elements, rotations, pattern, node_data.held, 1.0, block_out)
    _hold(pattern, node_data, 1.0, block_out)


@lean_kernel
def _set_masses(pattern, mass, factor, block_out):
    """Blocks that hold `factor` times the masses and nothing else."""
    for s in range(block_out.shape[0]):
        for k in range(3):
            for l in range(3):
                block_out[s, k, l] = 0.0
    for p in range(pattern.order.shape[0]):
        for k in range(3):
            block_out[pattern.start[p], k, k] = factor * mass[pattern.order[p]]


@lean_kernel
def _hold(pattern, nodes, mass_factor, block_io):
    """Take the couplings of held nodes out: their velocities are given, and do not change."""
    for p in range(pattern.order.shape[0]):
        column_held = nodes.held[pattern.order[p]] != 0
        for s in range(pattern.start[p], pattern.start[p + 1]):
            if column_held or nodes.held[pattern.order[pattern.row[s]]] != 0:
                for k in range(3):
                    for l in range(3):
                        block_io[s, k, l] = 0.0
        if column_held:
            for k in range(3):
                block_io[pattern.start[p], k, k] = mass_factor * nodes.mass[pattern.order[p]]


@kernel
def assemble(elements, rotations, pattern, nodes, settings, block_out):
    """The lower blocks of M (1 + θhα) + (θhβ + θ²h²) K, held nodes taken out."""
    elements, pattern, nodes = Elements(*elements), Pattern(*pattern), NodeData(*nodes)
    settings = StepSettings(*settings)
    reach = settings.theta * settings.dt
    mass_factor = 1.0 + reach * settings.mass_damping
    _set_masses(pattern, nodes.mass, mass_factor, block_out)
    add_stiffness(elements, rotations, pattern.slot, reach * (settings.stiffness_damping + reach), block_out)
    if not settings.free:
        _hold(pattern, nodes, mass_factor, block_out)
