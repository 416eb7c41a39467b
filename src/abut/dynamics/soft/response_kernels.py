"""How contacts of deformable bodies answer to impulses.

The answer of a soft body is taken from its shape at rest: the inverse of the matrix of a step there, of the nodes that
carry contacts, turned with these nodes. It is near the truth, and what it misses is found by solving with the true
matrix. Contacts that may push are rows of a matrix of answers; what they do to the others is found by way of the nodes.
"""

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.vec_kernels import add, cross, dot, load_mat, mat_t_vec, row, scale
from .soft_tables import Local, NodeAnswersTable, Problem, Rigid, Rows, Spread, Touches
from .touch_kernels import LINK

MOST_ROWS_AT_ONCE = 16
"""Of more contacts than these that come at once, some wait until others have pushed."""


@kernel
def fill_answers(columns, slot, nodes, begin, square_out):
    """Rows and columns of the touched nodes from place `begin` on, in the matrix of a body."""
    for p in range(begin, nodes.shape[0]):
        for q in range(p + 1):
            # Of the two answers of a pair, which differ by rounding, that of the node with the smaller number.
            a, b = (p, q) if nodes[p] < nodes[q] else (q, p)
            column, m = columns[slot[nodes[a]]], nodes[b]
            for d in range(3):
                for e in range(3):
                    square_out[3 * a + e, 3 * b + d] = column[m, d, e]
                    square_out[3 * b + d, 3 * a + e] = column[m, d, e]


@kernel
def missing_nodes(spread, first, last, due, dof, used_io, missing_out):
    """Nodes of some contacts, and those with impulses that are due, of which no answers are known; how many."""
    spread, n = Spread(*spread), 0
    for k in range(first, last):
        for i in range(spread.count[k]):
            used_io[spread.node[k, i]] = True
    for node in range(due.shape[0]):
        if due[node, 0] != 0.0 or due[node, 1] != 0.0 or due[node, 2] != 0.0:
            used_io[node] = True
        if used_io[node] and dof[node] < 0:
            missing_out[n] = node
            n += 1
    return n


@kernel
def localise(touches, spread, turned, first, last, local_io):
    """Axes of contacts times shares of nodes, turned back with these; `turned` (n, 3, 3) are their rotations."""
    touches, spread, local = Touches(*touches), Spread(*spread), Local(*local_io)
    for k in range(first, last):
        for i in range(spread.count[k]):
            R = load_mat(turned, spread.node[k, i])
            for d in range(local.axis.shape[1]):
                t = mat_t_vec(R, scale(spread.share[k, i], row(touches.axes[k], d)))
                for e in range(3):
                    local.axis[k, d, i, e] = t[e]


@kernel
def choose_rows(touches, spread, rows, left, problem, best_io, chosen_out):
    """Contacts that may push and are no rows yet; how many there are.

    Of many the narrowest at each node of a cage, which push most of the others open, too. `best_io` (n_node,) is -1.
    """
    touches, spread, rows, problem, n = Touches(*touches), Spread(*spread), Rows(*rows), Problem(*problem), 0
    for k in range(problem.n):
        pushes = touches.impulse[k, 0] > 0.0 or touches.name[k, 0] >= LINK
        if rows.row[k] < 0 and (pushes or left[k, 0] < problem.near):
            chosen_out[n] = k
            n += 1
    if n <= MOST_ROWS_AT_ONCE:
        return n
    for c in range(n):
        k = chosen_out[c]
        node = spread.node[k, 0]
        if best_io[node] < 0 or left[k, 0] < left[best_io[node], 0]:
            best_io[node] = k
    m = 0
    for c in range(n):
        k = chosen_out[c]
        if best_io[spread.node[k, 0]] == k or touches.impulse[k, 0] > 0.0 or touches.name[k, 0] >= LINK:
            chosen_out[m] = k
            m += 1
    for c in range(problem.n):
        best_io[spread.node[c, 0]] = -1
    return m


@inner_kernel
def _add_columns_of_node(answers, node, force, y_io):
    """Add how the touched nodes of a body answer to an impulse (x, y, z) on one of them."""
    b, (x, y, z) = answers.body[node], force
    first, width, n = answers.first[b], answers.first[b + 1] - answers.first[b], answers.count[b]
    at = answers.start[b] + (answers.dof[node] - first) * width
    # Slices: a loop over numbers that cannot be negative is one over vectors of the processor.
    u, v, w = answers.data[at : at + n], answers.data[at + width :][:n], answers.data[at + 2 * width :][:n]
    mine = y_io[first : first + n]
    for j in range(n):
        mine[j] += u[j] * x + v[j] * y + w[j] * z


@inner_kernel
def _add_columns(spread, answers, k, axis, size, y_io):
    """Add how all touched nodes answer to an impulse along an axis (16, 3) of contact k."""
    for i in range(spread.count[k]):
        _add_columns_of_node(answers, spread.node[k, i], scale(size, row(axis, i)), y_io)


@inner_kernel
def _along(spread, answers, k, axis, y):
    """The component of a vector of touched nodes along an axis of contact k."""
    total = 0.0
    for i in range(spread.count[k]):
        at = answers.dof[spread.node[k, i]]
        total += axis[i, 0] * y[at] + axis[i, 1] * y[at + 1] + axis[i, 2] * y[at + 2]
    return total


@inner_kernel
def _clear_bodies(spread, answers, k, y_io):
    """Set the vector of touched nodes to 0 for the bodies of contact k."""
    for i in range(spread.count[k]):
        b = answers.body[spread.node[k, i]]
        if i == 0 or b != answers.body[spread.node[k, i - 1]]:
            for j in range(answers.first[b], answers.first[b] + answers.count[b]):
                y_io[j] = 0.0


@kernel
def add_rows(touches, spread, local, answers, rigid, span, rows_io):
    """Answers of the rows of contacts from begin to end, `span` (h, begin, end), to all before them and their own."""
    touches, spread, local, answers = Touches(*touches), Spread(*spread), Local(*local), NodeAnswersTable(*answers)
    rows, rigid, (h, begin, end), dim = Rows(*rows_io), Rigid(*rigid), span, local.axis.shape[1]
    y = np.zeros(answers.first[answers.first.shape[0] - 1])
    for a in range(begin, end):
        k = rows.contact[a]
        stiff = spread.body[k, 0] >= 0 or spread.body[k, 1] >= 0
        for d in range(dim):
            _add_columns(spread, answers, k, local.axis[k, d], h, y)
            for c in range(a + 1):
                l = rows.contact[c]
                for e in range(d + 1 if c == a else dim):
                    value = _along(spread, answers, l, local.axis[l, e], y)
                    if stiff:
                        value += h * _rigid_answer(touches, spread, rigid, (k, d), (l, e))
                    rows.answer[a * dim + d, c * dim + e] = value
                    rows.answer[c * dim + e, a * dim + d] = value
            _clear_bodies(spread, answers, k, y)


@lean_kernel
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


@lean_kernel
def _answer_all(answers, h, force, y_out):
    """How touched nodes move [m] for impulses on them, by place."""
    for j in range(y_out.shape[0]):
        y_out[j] = 0.0
    for node in range(answers.dof.shape[0]):
        at = answers.dof[node]
        if at >= 0:
            push = (h * force[at], h * force[at + 1], h * force[at + 2])
            if push[0] != 0.0 or push[1] != 0.0 or push[2] != 0.0:
                _add_columns_of_node(answers, node, push, y_out)


@kernel
def add_due(spread, local, answers, turned, h, due, left_io):
    """Add what impulses (n, 3) [N s] on nodes change about what is left of contacts [m]."""
    spread, local, answers = Spread(*spread), Local(*local), NodeAnswersTable(*answers)
    size = answers.first[answers.first.shape[0] - 1]
    force, y = np.zeros(size), np.empty(size)
    for node in range(due.shape[0]):
        at = answers.dof[node]
        if at >= 0:
            t = mat_t_vec(load_mat(turned, node), row(due, node))
            force[at], force[at + 1], force[at + 2] = t[0], t[1], t[2]
    _answer_all(answers, h, force, y)
    for k in range(left_io.shape[0]):
        for d in range(local.axis.shape[1]):
            left_io[k, d] += _along(spread, answers, k, local.axis[k, d], y)


@kernel
def add_changes(touches, spread, local, answers, rigid, h, change, left_io):
    """Add what changes (n, dim) [N s] of the impulses of contacts change about what is left of all of them [m]."""
    touches, spread, local, answers = Touches(*touches), Spread(*spread), Local(*local), NodeAnswersTable(*answers)
    rigid, size = Rigid(*rigid), answers.first[answers.first.shape[0] - 1]
    force, y, twist = np.zeros(size), np.empty(size), np.zeros((rigid.mass.shape[0], 6))
    for k in range(change.shape[0]):
        for d in range(local.axis.shape[1]):
            p = change[k, d]
            if p != 0.0:
                for i in range(spread.count[k]):
                    at = answers.dof[spread.node[k, i]]
                    for e in range(3):
                        force[at + e] += p * local.axis[k, d, i, e]
                _kick_bodies(spread, rigid, k, scale(h * p, row(touches.axes[k], d)), twist)
    _answer_all(answers, h, force, y)
    for k in range(change.shape[0]):
        shift = _moved_bodies(spread, k, twist)
        for d in range(local.axis.shape[1]):
            left_io[k, d] += _along(spread, answers, k, local.axis[k, d], y) + dot(shift, row(touches.axes[k], d))


@kernel
def push_nodes(touches, spread, local, rigid, h, change, force_out):
    """Impulses (n, 3) on nodes by changes (k, dim) of the impulses of contacts.

    Returns the ways [m], [rad] of rigid bodies by these.
    """
    touches, spread, local, rigid = Touches(*touches), Spread(*spread), Local(*local), Rigid(*rigid)
    twist = np.zeros((rigid.mass.shape[0], 6))
    for i in range(force_out.shape[0]):
        for d in range(3):
            force_out[i, d] = 0.0
    for k in range(change.shape[0]):
        for d in range(local.axis.shape[1]):
            p = change[k, d]
            if p != 0.0:
                for i in range(spread.count[k]):
                    for e in range(3):
                        force_out[spread.node[k, i], e] += p * local.axis[k, d, i, e]
                _kick_bodies(spread, rigid, k, scale(h * p, row(touches.axes[k], d)), twist)
    return twist


@kernel
def add_ways(touches, spread, local, h, velocity, twist, left_io):
    """Add how far contacts open and slip [m] with velocities of nodes (n, 3), and with ways of rigid bodies."""
    touches, spread, local = Touches(*touches), Spread(*spread), Local(*local)
    for k in range(left_io.shape[0]):
        shift = _moved_bodies(spread, k, twist)
        for d in range(local.axis.shape[1]):
            total = 0.0
            for i in range(spread.count[k]):
                total += dot(row(local.axis[k, d], i), row(velocity, spread.node[k, i]))
            left_io[k, d] += h * total + dot(shift, row(touches.axes[k], d))


@inner_kernel
def _kick_bodies(spread, rigid, k, x, twist_io):
    """Ways [m], [rad] of rigid bodies by an impulse on B of a contact, times the time that it lasts."""
    for side in range(2):
        b = spread.body[k, side]
        if b >= 0:
            y = scale(-1.0 if side == 0 else 1.0, x)
            turn = cross(row(spread.arm[k], side), y)
            for d in range(3):
                twist_io[b, d] += rigid.mass[b] * y[d]
                twist_io[b, 3 + d] += dot(row(rigid.inertia[b], d), turn)


@inner_kernel
def _moved_bodies(spread, k, twist):
    """By how much the way from A to B grows with these ways."""
    w = (0.0, 0.0, 0.0)
    for side in range(2):
        b = spread.body[k, side]
        if b >= 0:
            way, turn = (twist[b, 0], twist[b, 1], twist[b, 2]), (twist[b, 3], twist[b, 4], twist[b, 5])
            w = add(w, scale(-1.0 if side == 0 else 1.0, add(way, cross(turn, row(spread.arm[k], side)))))
    return w
