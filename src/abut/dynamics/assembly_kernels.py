"""The derivative of equation (1) of multiplier_kernels: a 6 x 6 block for each body, two for each pair that touches.

Each row that answers adds its stiffness times its push and its slope to the blocks of its two bodies. The matrix stands
in the arrays of math.elimination_kernels, bodies in the order of elimination.
"""

from .._jit import inlined_kernel, inner_kernel, lean_kernel
from ..math.elimination_order_kernels import find_block
from .law_kernels import contact_stiffness, joint_force
from .row_kernels import SLIP, first_row, three


@inlined_kernel
def _block(i, j, matrix):
    """The block of body i's row and body j's column."""
    start, row, _target, low, up, diagonal, _work = matrix
    if i == j:
        return diagonal[i]
    p = find_block(i, j, start, row)
    return low[p] if i > j else up[p]


@inner_kernel
def _add_one(target, r, side, other, stiffness, push, slope):
    """Add the coupling of row r's push on one body with its own value by the other's displacement."""
    for p in range(6):
        f = stiffness * push[r, side + p]
        if f != 0.0:
            for q in range(6):
                target[p, q] += f * slope[r, other + q]


@inner_kernel
def _add_three(target, r, side, other, k, push, slope):
    """The same for a contact's three pushes with its three values, a 3x3 matrix k by rows."""
    for p in range(6):
        a, b, c = push[r, side + p], push[r + 1, side + p], push[r + 2, side + p]
        f0 = a * k[0] + b * k[3] + c * k[6]
        f1 = a * k[1] + b * k[4] + c * k[7]
        f2 = a * k[2] + b * k[5] + c * k[8]
        for q in range(6):
            o = other + q
            target[p, q] += f0 * slope[r, o] + f1 * slope[r + 1, o] + f2 * slope[r + 2, o]


@inner_kernel
def _add_item(r, rough, k, both, position, matrix, push, slope):
    """Add an item with stiffnesses k, of which only the first one counts if it is not rough, to the blocks."""
    for side in range(2):
        i = position[both[side]]
        for other in range(2):
            j = position[both[other]]
            if i < 0 or j < 0:
                continue
            if rough:
                _add_three(_block(i, j, matrix), r, 6 * side, 6 * other, k, push, slope)
            else:
                _add_one(_block(i, j, matrix), r, 6 * side, 6 * other, k[0], push, slope)


@inner_kernel
def _single(stiffness):
    """The stiffnesses of an item of one row."""
    return stiffness, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@lean_kernel
def assemble(items, list_, problem, rows, weight_of, position, factor, law, hold, matrix):
    """Matrix of equation (1)'s derivative; where contacts `hold`, those that pushed do not let go."""
    n, contacts, frame = problem[0], problem[1], problem[2]
    body, push, slope, w, x, _y, rho, compliance, lower, upper = rows
    _start, _row, _target, low, up, diagonal, _work = matrix
    mu = contacts[4]
    for i in range(list_.shape[0]):
        for p in range(6):
            for q in range(6):
                diagonal[i, p, q] = weight_of[list_[i], p, q]
    low[:, :, :] = 0.0
    up[:, :, :] = 0.0
    for item in items:
        r = first_row(item, n)
        both = (body[item, 0], body[item, 1])
        if item >= n:
            j = item - n
            _, stiffness = joint_force(x[r], w[r], compliance[j], lower[j], upper[j], factor * rho[r])
            if stiffness > 0.0:
                _add_item(r, False, _single(stiffness), both, position, matrix, push, slope)
        elif mu[item] > 0.0:
            slip = (frame[item, SLIP], frame[item, SLIP + 1])
            weights = (factor * rho[r], factor * rho[r + 1])
            k = contact_stiffness(three(x, r), three(w, r), mu[item], weights, slip, law)
            if k[0] > 0.0 or k[4] > 0.0:
                _add_item(r, True, k, both, position, matrix, push, slope)
        elif x[r] - factor * rho[r] * w[r] > 0.0 or (hold and x[r] > 0.0):
            _add_item(r, False, _single(factor * rho[r]), both, position, matrix, push, slope)
