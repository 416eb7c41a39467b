"""The derivative of equation (1) of multiplier_kernels: a 6 x 6 block for each body, two for each pair that touches.

Each row that answers adds its stiffness times its push and its slope to the blocks of its two bodies. The matrix stands
in the arrays of math.elimination_kernels, bodies in the order of elimination.
"""

from ..._jit import inlined_kernel, inner_kernel, lean_kernel
from ...math.elimination_order_kernels import find_block
from .law_kernels import contact_stiffness, joint_force
from .row_kernels import SLIP, first_row, three


@inlined_kernel
def _block(i, j, matrix):
    """The block of body i's row and body j's column."""
    if i == j:
        return matrix.diagonal[i]
    p = find_block(i, j, matrix.start, matrix.row)
    return matrix.low[p] if i > j else matrix.up[p]


@inner_kernel
def _add_one(r, side, other, stiffness, push, slope, block_io):
    """Add the coupling of row r's push on one body with its own value by the other's displacement."""
    for p in range(6):
        f = stiffness * push[r, side + p]
        if f != 0.0:
            for q in range(6):
                block_io[p, q] += f * slope[r, other + q]


@inner_kernel
def _add_three(r, side, other, k, push, slope, block_io):
    """The same for a contact's three pushes with its three values, a 3x3 matrix k by rows."""
    for p in range(6):
        a, b, c = push[r, side + p], push[r + 1, side + p], push[r + 2, side + p]
        f0 = a * k[0] + b * k[3] + c * k[6]
        f1 = a * k[1] + b * k[4] + c * k[7]
        f2 = a * k[2] + b * k[5] + c * k[8]
        for q in range(6):
            o = other + q
            block_io[p, q] += f0 * slope[r, o] + f1 * slope[r + 1, o] + f2 * slope[r + 2, o]


@inner_kernel
def _add_item(item, r, rough, k, island, rows, matrix):
    """Add an item with stiffnesses k, of which only the first one counts if it is not rough, to the blocks."""
    body, position, push, slope = rows.body, island.position, rows.push, rows.slope
    for side in range(2):
        i = position[body[item, side]]
        for other in range(2):
            j = position[body[item, other]]
            if i < 0 or j < 0:
                continue
            if rough:
                _add_three(r, 6 * side, 6 * other, k, push, slope, _block(i, j, matrix))
            else:
                _add_one(r, 6 * side, 6 * other, k[0], push, slope, _block(i, j, matrix))


@inner_kernel
def _single(stiffness):
    """The stiffnesses of an item of one row."""
    return stiffness, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@lean_kernel
def assemble(island, contacts, rows, weight, search, hold, matrix_io):
    """Matrix of equation (1)'s derivative; where contacts `hold`, those that pushed do not let go."""
    n, mu, frame, factor = contacts.n, contacts.mu, rows.frame, search.factor
    w, x, rho = rows.w, rows.x, rows.rho
    for i in range(island.members.shape[0]):
        for p in range(6):
            for q in range(6):
                matrix_io.diagonal[i, p, q] = weight[island.members[i], p, q]
    matrix_io.low[:, :, :] = 0.0
    matrix_io.up[:, :, :] = 0.0
    for item in island.items:
        r = first_row(item, n)
        if item >= n:
            j = item - n
            _, stiffness = joint_force(x[r], w[r], rows.compliance[j], rows.lower[j], rows.upper[j], factor * rho[r])
            if stiffness > 0.0:
                _add_item(item, r, False, _single(stiffness), island, rows, matrix_io)
        elif mu[item] > 0.0:
            slip = (frame[item, SLIP], frame[item, SLIP + 1])
            weights = (factor * rho[r], factor * rho[r + 1])
            k = contact_stiffness(three(x, r), three(w, r), mu[item], weights, slip, search.law)
            if k[0] > 0.0 or k[4] > 0.0:
                _add_item(item, r, True, k, island, rows, matrix_io)
        elif x[r] - factor * rho[r] * w[r] > 0.0 or (hold and x[r] > 0.0):
            _add_item(item, r, False, _single(factor * rho[r]), island, rows, matrix_io)
