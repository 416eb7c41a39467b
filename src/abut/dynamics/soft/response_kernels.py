"""How contacts of deformable bodies answer to impulses, and the impulses with which none is violated.

The answer of a soft body is taken from its shape at rest: the inverse of the matrix of a step there, of the nodes that
carry contacts, turned with these nodes. It is near the truth, and what it misses is found by solving with the true
matrix.
"""

from math import hypot, sqrt

import numpy as np

from ..._jit import kernel
from ...math.quat_kernels import quat_to_mat
from ...math.vec_kernels import cross, dot, mat_t_vec, row, scale
from .soft_tables import Spread, Touches
from .touch_kernels import LINK, NODE

# PGS divides by a little more than the answer itself: contacts on the same nodes have equal rows.
_STIFFER = 1.0001


@kernel
def turn_nodes(corner, rotations, turn_out):
    """(n, 4) mean rotation of the elements around each node, by unit quaternions."""
    for i in range(turn_out.shape[0]):
        for k in range(4):
            turn_out[i, k] = 0.0
    for e in range(corner.shape[0]):
        for c in range(4):
            i = corner[e, c]
            s = 0.0
            for k in range(4):
                s += turn_out[i, k] * rotations[e, k]
            for k in range(4):
                turn_out[i, k] += rotations[e, k] if s >= 0.0 else -rotations[e, k]
    for i in range(turn_out.shape[0]):
        s = 0.0
        for k in range(4):
            s += turn_out[i, k] * turn_out[i, k]
        for k in range(4):
            turn_out[i, k] = turn_out[i, k] / np.sqrt(s) if s > 0.0 else (1.0 if k == 0 else 0.0)


@kernel
def _turned_rows(touches, spread, active, dim, first, last, turn, local_out):
    """(n_row, 16, 3) axes of contacts times shares of nodes, turned back with these; 0 for nodes of other bodies."""
    for a in range(active.shape[0]):
        k = active[a]
        for i in range(spread.count[k]):
            node = spread.node[k, i]
            mine = first <= node < last
            j = node - first if mine else 0
            R = quat_to_mat((turn[j, 0], turn[j, 1], turn[j, 2], turn[j, 3]))
            for d in range(dim):
                t = mat_t_vec(R, scale(spread.share[k, i], row(touches.axes[k], d))) if mine else (0.0, 0.0, 0.0)
                for c in range(3):
                    local_out[a * dim + d, i, c] = t[c]


@kernel
def touched_nodes(spread, active, first, last, mark_io, node_out):
    """Nodes of a body, by their number in it, on which active contacts hang; `mark_io` becomes their place."""
    spread, m = Spread(*spread), 0
    for a in range(active.shape[0]):
        k = active[a]
        for i in range(spread.count[k]):
            node = spread.node[k, i] - first
            if 0 <= node < last - first and mark_io[node] < 0:
                mark_io[node] = m
                node_out[m] = node
                m += 1
    return m


@kernel
def add_soft_answers(touches, spread, active, dim, body, nodes, columns, slot, turn, mark, answer_io):
    """Add how one soft body answers: `answer_io` (n_row, n_row) [m/(N s)] for `dim` rows of each active contact.

    `body` are the first node, the one after the last, and the length of the step; `columns` (n_slot, n, 3, 3) are
    velocities of all nodes for impulses on the node of each slot.
    """
    touches, spread = Touches(*touches), Spread(*spread)
    first, last, h = body
    n_row = active.shape[0] * dim
    local, y = np.zeros((n_row, 16, 3)), np.empty((nodes.shape[0], 3))
    _turned_rows(touches, spread, active, dim, first, last, turn, local)
    for r in range(n_row):
        k = active[r // dim]
        if not _answers(spread, columns, slot, first, last, k, local[r], nodes, y):
            continue
        for s in range(r, n_row):
            total = _dot_rows(spread, active[s // dim], local[s], mark, first, last, y)
            answer_io[r, s] += h * total
            if s != r:
                answer_io[s, r] += h * total


@kernel
def _answers(spread, columns, slot, first, last, k, local, nodes, y_out):
    """Velocities of the touched nodes for a unit impulse along a row of contact k, each in its own axes at rest."""
    any_mine = False
    for j in range(nodes.shape[0]):
        y_out[j, 0], y_out[j, 1], y_out[j, 2] = 0.0, 0.0, 0.0
    for i in range(spread.count[k]):
        node = spread.node[k, i]
        if not first <= node < last:
            continue
        any_mine, column = True, columns[slot[node - first]]
        a, b, c = local[i, 0], local[i, 1], local[i, 2]
        for j in range(nodes.shape[0]):
            m = nodes[j]
            for d in range(3):
                y_out[j, d] += column[m, d, 0] * a + column[m, d, 1] * b + column[m, d, 2] * c
    return any_mine


@kernel
def _dot_rows(spread, k, local, mark, first, last, y):
    total = 0.0
    for i in range(spread.count[k]):
        node = spread.node[k, i]
        if first <= node < last:
            j = mark[node - first]
            total += local[i, 0] * y[j, 0] + local[i, 1] * y[j, 1] + local[i, 2] * y[j, 2]
    return total


@kernel
def add_rigid_answers(touches, spread, active, dim, rigid, h, answer_io):
    """Add how rigid bodies answer."""
    touches, spread = Touches(*touches), Spread(*spread)
    for r in range(active.shape[0] * dim):
        for s in range(active.shape[0] * dim):
            k, l = active[r // dim], active[s // dim]
            for side in range(2):
                b = spread.body[k, side]
                for other in range(2):
                    if b >= 0 and spread.body[l, other] == b and rigid[0][b] > 0.0:
                        e, f = row(touches.axes[k], r % dim), row(touches.axes[l], s % dim)
                        u, v = cross(row(spread.arm[k], side), e), cross(row(spread.arm[l], other), f)
                        I = rigid[1][b]
                        spun = dot(row(I, 0), v), dot(row(I, 1), v), dot(row(I, 2), v)
                        value = h * (rigid[0][b] * dot(e, f) + dot(u, spun))
                        answer_io[r, s] += value if side == other else -value


@kernel
def _shift(answer, r, change, left_io):
    for s in range(left_io.shape[0]):
        left_io[s] += answer[s, r] * change


@kernel
def _sweep_link(answer, a, limit, left_io, impulse_io):
    """One held point: the impulse along each axis with which nothing is left, as a whole within its limit."""
    largest, r = 0.0, 3 * a
    u, v, w = (
        _unheld(answer, r, left_io, impulse_io),
        _unheld(answer, r + 1, left_io, impulse_io),
        _unheld(answer, r + 2, left_io, impulse_io),
    )
    size = sqrt(u * u + v * v + w * w)
    share = limit / size if size > limit else 1.0
    for s, new in ((r, share * u), (r + 1, share * v), (r + 2, share * w)):
        change = new - impulse_io[s]
        impulse_io[s] = new
        _shift(answer, s, change, left_io)
        largest = max(largest, abs(change) * answer[s, s])
    return largest


@kernel
def _unheld(answer, r, left, impulse):
    """The impulse along one axis of a held point with which nothing is left."""
    return impulse[r] - left[r] / (answer[r, r] * _STIFFER) if answer[r, r] > 0.0 else impulse[r]


@kernel
def _sweep_friction(answer, a, bound, left_io, impulse_io):
    """Friction of one contact: sticking if the cone allows it."""
    r = 3 * a
    stiff = max(answer[r + 1, r + 1], answer[r + 2, r + 2]) * _STIFFER
    if stiff == 0.0:
        return 0.0
    u, v = impulse_io[r + 1] - left_io[r + 1] / stiff, impulse_io[r + 2] - left_io[r + 2] / stiff
    size = hypot(u, v)
    if size > bound:
        u, v = (u * bound / size, v * bound / size) if bound > 0.0 else (0.0, 0.0)
    largest = stiff * max(abs(u - impulse_io[r + 1]), abs(v - impulse_io[r + 2]))
    for s, new in ((r + 1, u), (r + 2, v)):
        change = new - impulse_io[s]
        if change != 0.0:
            impulse_io[s] = new
            _shift(answer, s, change, left_io)
    return largest


@kernel
def sweep_impulses(answer, kind, friction, limit, dim, most_sweeps, enough, left_io, impulse_io):
    """Impulses of active contacts by sweeps, from where they are: `left_io` is what they leave [m], row by row.

    `limit` (n,) [N s] bounds links. Ends after `most_sweeps`, or when none changes anything by more than `enough` [m].
    Returns the number of sweeps.
    """
    for sweep in range(most_sweeps):
        largest = 0.0
        for a in range(kind.shape[0]):
            if kind[a] == NODE:
                continue
            if kind[a] == LINK:
                largest = max(largest, _sweep_link(answer, a, limit[a], left_io, impulse_io))
                continue
            r = a * dim
            old = impulse_io[r]
            new = max(0.0, old - left_io[r] / (answer[r, r] * _STIFFER)) if answer[r, r] > 0.0 else old
            if new != old:
                impulse_io[r] = new
                _shift(answer, r, new - old, left_io)
                largest = max(largest, abs(new - old) * answer[r, r])
            if dim == 3 and friction[a] > 0.0:
                largest = max(largest, _sweep_friction(answer, a, friction[a] * new, left_io, impulse_io))
        if largest < enough:
            return sweep + 1
    return most_sweeps
