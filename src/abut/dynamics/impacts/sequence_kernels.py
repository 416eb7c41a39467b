"""Impacts that follow each other: pair of bodies by pair of bodies, the one that closes fastest first.

Newton's law for all contacts at once throws off all balls of a row alike. Here a blow goes from body to body, as if
they stood a hair apart: all contacts of one pair of bodies are struck at once, by the law of restitution, then those of
the pair that now closes fastest, until none closes. Joints hand each blow on at once. No blow adds energy: of those at
several points of a pair, as much acts as adds none. There are finitely many: what still closes after
MOST_BLOWS_A_CONTACT of them for each contact is left to one law for all.

Pushes and shifts are lengths, as in row_kernels.
"""

from math import sqrt

import numpy as np

from ..._jit import kernel, lean_kernel
from ..solver.row_kernels import first_row
from .sequence_tables import Row

MOST_BLOWS_A_CONTACT = 64
"""For each contact of an island."""
NO_APPROACH = 1e-10
"""Share of the fastest approach that is none."""
SWEEPS = 200
"""Most sweeps over the contacts of one pair; RIGHT is the share of its approach to which they are right."""
RIGHT = 1e-14
DEPENDENT = 1e-10
"""Share of its own answer that a row of a joint has left once others hold, if it says nothing new."""


@lean_kernel
def _way(row, a, b, shift):
    """Way of a row by shifts of its bodies."""
    way = 0.0
    for i in range(6):
        way += row[i] * shift[a, i] + row[6 + i] * shift[b, i]
    return way


@lean_kernel
def _put_answer(row, side, response, reply_out):
    """How a body answers to a unit push of a row on its side."""
    for i in range(6):
        reply_out[i] = 0.0
        for j in range(6):
            reply_out[i] += response[i, j] * row[6 * side + j]


@kernel
def sort_pairs(items, n, body, approach, contact_out, first_out):
    """Contacts of an island that take part, pair of bodies by pair of bodies; returns how many, and how many pairs."""
    next_, m, n_pair = np.full(items.shape[0], -1, np.int64), 0, 0
    done = np.zeros(items.shape[0], np.bool_)
    head = np.full(body.max() + 1, -1, np.int64)
    for i in range(items.shape[0] - 1, -1, -1):  # chains of items by their first body, in their order
        if items[i] < n and approach[items[i]] > -np.inf:
            a = min(body[items[i], 0], body[items[i], 1])
            next_[i], head[a] = head[a], i
        else:
            done[i] = True
    for i in range(items.shape[0]):
        if done[i]:
            continue
        first_out[n_pair], n_pair, k = m, n_pair + 1, i
        b = max(body[items[i], 0], body[items[i], 1])
        while k >= 0:
            if not done[k] and max(body[items[k], 0], body[items[k], 1]) == b:
                contact_out[m], done[k], m = items[k], True, m + 1
            k = next_[k]
    first_out[n_pair] = m
    return m, n_pair


@kernel
def _factor(rows, body, push, first, response, factor_out, used_out):
    """Factor of how rows of joints answer to each other; rows that follow from others are not used."""
    n = rows.shape[0]
    reply = np.empty(6)
    for j in range(n):
        for i in range(j, n):
            total = 0.0
            for s in range(2):
                b = body[rows[j], s]
                for t in range(2):
                    if body[rows[i], t] == b:
                        _put_answer(push[first[j]], s, response[b], reply)
                        for k in range(6):
                            total += push[first[i], 6 * t + k] * reply[k]
            factor_out[i, j] = total
    for j in range(n):
        own = d = factor_out[j, j]
        for k in range(j):
            d -= factor_out[j, k] * factor_out[j, k]
        used_out[j] = d > DEPENDENT * own
        d = sqrt(d) if used_out[j] else 1.0
        for i in range(j + 1, n):
            for k in range(j):
                factor_out[i, j] -= factor_out[i, k] * factor_out[j, k]
            factor_out[i, j] = factor_out[i, j] / d if used_out[j] else 0.0
        factor_out[j, j] = d


@lean_kernel
def _solve(factor, used, x_io):
    """Solve with such a factor; what is not used gets nothing."""
    n = x_io.shape[0]
    for i in range(n):
        for k in range(i):
            x_io[i] -= factor[i, k] * x_io[k]
        x_io[i] = x_io[i] / factor[i, i] if used[i] else 0.0
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x_io[i] -= factor[k, i] * x_io[k]
        x_io[i] = x_io[i] / factor[i, i] if used[i] else 0.0


@kernel
def _reply_alone(contact, body, push, response, reply_out, moved_out):
    """Answers of the two bodies of each contact, where no joints hold any."""
    for q in range(contact.shape[0]):
        for side in range(2):
            b = moved_out[q, side] = body[contact[q], side]
            _put_answer(push[3 * contact[q]], side, response[b], reply_out[q, side])


@kernel
def _reply_with_joints(contact, joint, members, struck, shift_io, reply_out, moved_out, through_out):
    """The same where rows of joints hold: answers of all members of the island. `shift_io` is zero before and after."""
    body, push, response, m_row = struck.body, struck.push, struck.response, joint.shape[0]
    first, factor, used = np.empty(m_row, np.int64), np.empty((m_row, m_row)), np.empty(m_row, np.bool_)
    for j in range(m_row):
        first[j] = first_row(joint[j], struck.n)
    _factor(joint, body, push, first, response, factor, used)
    reply = np.empty(6)
    for q in range(contact.shape[0]):
        _add_push(push[3 * contact[q]], body[contact[q]], response, 1.0, reply, shift_io)
        for j in range(m_row):
            a, b = body[joint[j], 0], body[joint[j], 1]
            through_out[q, j] = -_way(push[first[j]], a, b, shift_io)
        _solve(factor, used, through_out[q])
        for j in range(m_row):
            _add_push(push[first[j]], body[joint[j]], response, through_out[q, j], reply, shift_io)
        for i in range(members.shape[0]):
            moved_out[q, i] = members[i]
            for k in range(6):
                reply_out[q, i, k] = shift_io[members[i], k]
                shift_io[members[i], k] = 0.0


@lean_kernel
def _add_push(row, pair, response, x, work, shift_io):
    """Add to the shifts of two bodies what a push does; those that cannot move have no response."""
    for side in range(2):
        _put_answer(row, side, response[pair[side]], work)
        for k in range(6):
            shift_io[pair[side], k] += x * work[k]


@kernel
def make_row(items, members, struck, shift_io):
    """The contacts of an island and how its bodies answer to each. `shift_io` is zero before and after."""
    n, body = struck.n, struck.body
    contact, first = np.empty(items.shape[0], np.int64), np.empty(items.shape[0] + 1, np.int64)
    m, n_pair = sort_pairs(items, n, body, struck.approach, contact, first)
    contact, first = contact[:m], first[: n_pair + 1]
    n_row = 0
    joint = np.empty(items.shape[0], np.int64)
    for item in items:
        if item >= n and struck.held[item - n]:
            joint[n_row], n_row = item, n_row + 1
    joint, width = joint[:n_row], 2 if n_row == 0 else members.shape[0]
    reply, moved, through = np.zeros((m, width, 6)), np.zeros((m, width), np.int64), np.zeros((m, n_row))
    if n_row == 0:
        _reply_alone(contact, body, struck.push, struck.response, reply, moved)
    else:
        _reply_with_joints(contact, joint, members, struck, shift_io, reply, moved, through)
    return Row(contact, first, reply, moved, through, joint)


@lean_kernel
def _move(row, q, x, shift_io):
    """Shift the bodies by a push of contact q of the row."""
    for i in range(row.moved.shape[1]):
        b = row.moved[q, i]
        for k in range(6):
            shift_io[b, k] += x * row.reply[q, i, k]


@lean_kernel
def _gain(push, pair, row, q):
    """Way of a row of two bodies by a unit push of contact q."""
    way = 0.0
    for i in range(row.moved.shape[1]):
        b = row.moved[q, i]
        for side in range(2):
            if pair[side] == b:
                for k in range(6):
                    way += push[6 * side + k] * row.reply[q, i, k]
    return way


@lean_kernel
def _share(x, approach, answers):
    """How much of pushes x acts, so that it adds no energy."""
    work, square = 0.0, 0.0
    for q in range(x.shape[0]):
        work += x[q] * approach[q]
        for p in range(x.shape[0]):
            square += 0.5 * x[q] * answers[q, p] * x[p]
    return min(1.0, work / square) if square > 0.0 else 0.0


@kernel
def _blow(first, last, row, body, push, strikes, approach, x_out):
    """Pushes of one pair's contacts, row.contact[first:last], that close with these approaches."""
    m = last - first
    answers, wanted, now = np.empty((m, m)), np.empty(m), np.empty(m)
    largest = 0.0
    for q in range(m):
        k = row.contact[first + q]
        x_out[q], now[q] = 0.0, approach[first + q]
        bounces = now[q] > strikes.slow[k]
        wanted[q] = strikes.restitution[k] * now[q] if bounces else 0.0
        largest = max(largest, now[q])
        for p in range(m):
            answers[q, p] = _gain(push[3 * k], body[k], row, first + p)
    for _ in range(SWEEPS):
        change = 0.0
        for q in range(m):
            if not answers[q, q] > 0.0:
                continue
            x = max(x_out[q] + (now[q] + wanted[q]) / answers[q, q], 0.0)
            more = x - x_out[q]
            x_out[q], change = x, max(change, abs(more) * answers[q, q])
            for p in range(m):
                now[p] -= answers[p, q] * more
        if m == 1 or change <= RIGHT * largest:
            break
    share = _share(x_out[:m], approach[first:last], answers)
    for q in range(m):
        x_out[q] *= share


@kernel
def strike_in_turn(row, body, push, strikes, x_io, shift_io):
    """Strike pairs of an island until none closes; adds pushes (rows of items) and shifts, returns how many blows."""
    m, n_pair = row.contact.shape[0], row.first.shape[0] - 1
    approach, x, fastest = np.empty(m), np.empty(m), 0.0
    for q in range(m):
        approach[q] = strikes.approach[row.contact[q]]
        fastest = max(fastest, approach[q])
    most, blows = MOST_BLOWS_A_CONTACT * m, 0
    while blows < most:
        chosen, largest = -1, NO_APPROACH * fastest
        for p in range(n_pair):
            for q in range(row.first[p], row.first[p + 1]):
                if approach[q] > largest * (1.0 + NO_APPROACH):
                    chosen, largest = p, approach[q]
        if chosen < 0:
            break
        start, end = row.first[chosen], row.first[chosen + 1]
        _blow(start, end, row, body, push, strikes, approach, x)
        for q in range(start, end):
            x_io[3 * row.contact[q]] += x[q - start]
            _move(row, q, x[q - start], shift_io)
        for q in range(m):
            k = row.contact[q]
            approach[q] = strikes.approach[k] - _way(push[3 * k], body[k, 0], body[k, 1], shift_io)
        blows += 1
    return blows


@lean_kernel
def push_joints(row, n, x_io):
    """Pushes of rows of joints that hand the blows on."""
    for j in range(row.joint.shape[0]):
        r = first_row(row.joint[j], n)
        for q in range(row.contact.shape[0]):
            x_io[r] += row.through[q, j] * x_io[3 * row.contact[q]]
