"""The matrix of a step from its elements: gradients are rotated, 12 x 12 matrices are never formed.

With g_i = R b_i, the block of corners j (row) and i (column) is λ g_j g_iᵀ + μ g_i g_jᵀ + μ (g_i · g_j) I.
"""

from ..._jit import kernel, lean_kernel
from ...math.dense_kernels import inverse3
from ...math.vec_kernels import dot, mat_mul, mat_t_mul, mat_vec, skew, transpose
from .elastic_tables import Elements, NodeData, Pattern, StepSettings
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
        u, v = bulk * a[k], shear * b[k]
        block_io[s, k, 0] += u * b[0] + v * a[0]
        block_io[s, k, 1] += u * b[1] + v * a[1]
        block_io[s, k, 2] += u * b[2] + v * a[2]
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
                block_io[slot[e, s], k // 3, k % 3] -= share * (stretch * changed[k] + shear * known[k])
            s += 1


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
