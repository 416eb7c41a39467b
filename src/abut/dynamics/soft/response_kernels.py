"""How contacts of deformable bodies answer to impulses, and the impulses with which none is violated.

The answer of a soft body is taken from its shape at rest: the inverse of the matrix of a step there, of the nodes that
carry contacts, turned with these nodes. It is near the truth, and what it misses is found by solving with the true
matrix. Answers of contacts that come later are added to those that are known.
"""

from math import hypot, sqrt

import numpy as np

from ..._jit import kernel
from ...math.quat_kernels import quat_to_mat
from ...math.vec_kernels import cross, dot, mat_t_vec, row, scale
from .soft_tables import Rigid, Rows, SoftAnswers, Span, Spread, Touches
from .touch_kernels import LINK, NODE

# PGS divides by a little more than the answer itself: contacts on the same nodes have equal rows.
_STIFFER = 1.0001


@kernel
def turn_rows(touches, spread, turn, span, rows_io):
    """Axes of contacts times shares of nodes, turned back with these; `turn` (n, 4) of the nodes of all bodies."""
    touches, spread, span, rows = Touches(*touches), Spread(*spread), Span(*span), Rows(*rows_io)
    for a in range(span.begin, span.end):
        k = rows.contact[a]
        for i in range(spread.count[k]):
            node = spread.node[k, i]
            R = quat_to_mat((turn[node, 0], turn[node, 1], turn[node, 2], turn[node, 3]))
            for d in range(span.dim):
                t = mat_t_vec(R, scale(spread.share[k, i], row(touches.axes[k], d)))
                for c in range(3):
                    rows.local[a * span.dim + d, i, c] = t[c]


@kernel
def touch_nodes(spread, rows, span, first, place_io, node_io):
    """Note nodes of a body, whose first one is `first`, on which contacts hang; how many there are now."""
    spread, rows, span, m = Spread(*spread), Rows(*rows), Span(*span), 0
    while m < node_io.shape[0] and node_io[m] >= 0:
        m += 1
    for a in range(span.begin, span.end):
        k = rows.contact[a]
        for i in range(spread.count[k]):
            node = spread.node[k, i] - first
            if 0 <= node < place_io.shape[0] and place_io[node] < 0:
                place_io[node] = m
                node_io[m] = node
                m += 1
    return m


@kernel
def clear_answers(span, answer_out):
    """Rows and columns that are to be filled."""
    span = Span(*span)
    for r in range(span.begin * span.dim, span.end * span.dim):
        for s in range(r + 1):
            answer_out[r, s], answer_out[s, r] = 0.0, 0.0


@kernel
def add_soft_answers(spread, rows, span, body, count, answer_io):
    """Add how one soft body, of which `count` nodes are touched, answers to some rows [m/(N s)]."""
    spread, rows, span, body = Spread(*spread), Rows(*rows), Span(*span), SoftAnswers(*body)
    y = np.empty((count, 3))
    for r in range(span.begin * span.dim, span.end * span.dim):
        if not _answers(spread, body, rows.contact[r // span.dim], rows.local[r], y):
            continue
        for s in range(r + 1):
            total = body.h * _dot_rows(spread, body, rows.contact[s // span.dim], rows.local[s], y)
            answer_io[r, s] += total
            if s != r:
                answer_io[s, r] += total


@kernel
def _answers(spread, body, k, local, y_out):
    """Velocities of the touched nodes for a unit impulse along a row of contact k, each in its own axes at rest."""
    any_mine = False
    for j in range(y_out.shape[0]):
        y_out[j, 0], y_out[j, 1], y_out[j, 2] = 0.0, 0.0, 0.0
    for i in range(spread.count[k]):
        node = spread.node[k, i]
        if not body.first <= node < body.last:
            continue
        any_mine, column = True, body.columns[body.slot[node - body.first]]
        a, b, c = local[i, 0], local[i, 1], local[i, 2]
        for j in range(y_out.shape[0]):
            m = body.node[j]
            for d in range(3):
                y_out[j, d] += column[m, d, 0] * a + column[m, d, 1] * b + column[m, d, 2] * c
    return any_mine


@kernel
def _dot_rows(spread, body, k, local, y):
    total = 0.0
    for i in range(spread.count[k]):
        node = spread.node[k, i]
        if body.first <= node < body.last:
            j = body.place[node - body.first]
            total += local[i, 0] * y[j, 0] + local[i, 1] * y[j, 1] + local[i, 2] * y[j, 2]
    return total


@kernel
def add_rigid_answers(touches, spread, rows, span, rigid, h, answer_io):
    """Add how rigid bodies answer."""
    touches, spread, rows, span = Touches(*touches), Spread(*spread), Rows(*rows), Span(*span)
    rigid = Rigid(*rigid)
    for r in range(span.begin * span.dim, span.end * span.dim):
        for s in range(r + 1):
            value = h * _rigid_answer(
                touches,
                spread,
                rigid,
                (rows.contact[r // span.dim], r % span.dim),
                (rows.contact[s // span.dim], s % span.dim),
            )
            if value != 0.0:
                answer_io[r, s] += value
                if s != r:
                    answer_io[s, r] += value


@kernel
def _rigid_answer(touches, spread, rigid, first, second):
    """How the velocity along an axis of one contact, (contact, axis), answers to an impulse along that of another."""
    (k, d), (l, e), total = first, second, 0.0
    for side in range(2):
        b = spread.body[k, side]
        if b < 0 or rigid.mass[b] == 0.0:
            continue
        for other in range(2):
            if spread.body[l, other] == b:
                n, f = row(touches.axes[k], d), row(touches.axes[l], e)
                u, v = cross(row(spread.arm[k], side), n), cross(row(spread.arm[l], other), f)
                I = rigid.inertia[b]
                spun = dot(row(I, 0), v), dot(row(I, 1), v), dot(row(I, 2), v)
                value = rigid.mass[b] * dot(n, f) + dot(u, spun)
                total += value if side == other else -value
    return total


@kernel
def _shift(answer, r, change, left_io):
    for s in range(left_io.shape[0]):
        left_io[s] += answer[r, s] * change


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
def sweep_impulses(answer, rows, dim, most_sweeps, enough, left_io, impulse_io):
    """Impulses by sweeps, from where they are: `left_io` is what they leave [m], row by row.

    Ends after `most_sweeps`, or when none changes anything by more than `enough` [m]. Returns the number of sweeps.
    """
    rows = Rows(*rows)
    for sweep in range(most_sweeps):
        largest = 0.0
        for a in range(left_io.shape[0] // dim):
            if rows.kind[a] == NODE:
                continue
            if rows.kind[a] == LINK:
                largest = max(largest, _sweep_link(answer, a, rows.limit[a], left_io, impulse_io))
                continue
            r = a * dim
            old = impulse_io[r]
            new = max(0.0, old - left_io[r] / (answer[r, r] * _STIFFER)) if answer[r, r] > 0.0 else old
            if new != old:
                impulse_io[r] = new
                _shift(answer, r, new - old, left_io)
                largest = max(largest, abs(new - old) * answer[r, r])
            if dim == 3 and rows.friction[a] > 0.0:
                largest = max(largest, _sweep_friction(answer, a, rows.friction[a] * new, left_io, impulse_io))
        if largest < enough:
            return sweep + 1
    return most_sweeps
