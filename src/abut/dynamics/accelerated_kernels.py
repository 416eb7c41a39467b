"""The forces of a large island without friction, by accelerated sweeps.

A sweep gives one contact after the other the force that its gap asks for, and so lowers an energy of which the law,
x >= 0, w >= 0 and one of both 0, is the lowest point. Forces travel slowly in this way. So the next sweep begins some
way beyond, at x + momentum (x - x before), as Nesterov (1983) does with gradients, with a momentum that grows until it
leads uphill and then begins anew (O'Donoghue & Candès 2015). In heaps of hundreds of boxes, where plain sweeps take a
thousand rounds and accelerated gradients two hundred, these take fifty; each costs two products of twelve numbers a
contact, and no matrix is needed. The last digits come slowly, but bodies in motion do not need them.

Gaps are linearised where the bodies have come to; arguments are those of multiplier_kernels.
"""

from math import inf, sqrt

import numpy as np

from .._jit import inner_kernel, kernel, lean_kernel
from .multiplier_kernels import measure
from .rest_kernels import longest_way

MAX_TURNS = 8
"""How often gaps may be linearised."""
FORCING, FINER = 1e-2, 0.9
"""To which share of the residual, which is about what linear gaps miss of it, and of the tolerance forces are found."""
OF_WAY, OF_GAP = 1e-3, 0.08
"""Shares of the longest way of a body, and of the contact gap in a whole step, by which gaps may be wrong in motion."""
HASTE = 4.0
"""How many times that will do to find out what bodies meet on their way; known contacts must not be met again by it."""

# Columns of `table`: slope of a gap by the shifts of its two bodies, their shifts by a force of 1, gap without forces,
# what a contact alone answers with.
SLOPE, ANSWER, BASE, OWN, WIDTH = 0, 12, 24, 25, 26


@lean_kernel
def tolerance_in_motion(list_, bodies, accuracy):
    """How exact the gaps of bodies must be that are as fast as these: in the end, and for now."""
    tolerance, _still, coarsest, haste = accuracy
    way = longest_way(list_, bodies[4], bodies[9], bodies[6], 0.0, bodies[5])
    wanted = min(OF_WAY * way, coarsest)
    return max(tolerance, wanted), max(tolerance, haste * wanted)


@lean_kernel
def _fill_answers(items, n, body, push, response, position, pair_out, table_out):
    """The bodies of each contact and how far a force of 1 shifts them; those that cannot move are the last one, n."""
    for k in range(items.shape[0]):
        for side in range(2):
            b = body[items[k], side]
            pair_out[k, side] = position[b] if position[b] >= 0 else n
            for i in range(6):
                s = 0.0
                for j in range(6):
                    s += response[b, i, j] * push[3 * items[k], 6 * side + j]
                table_out[k, ANSWER + 6 * side + i] = s


@lean_kernel
def _fill_slopes(items, bodies, rows, table_out):
    """Gaps as linear functions of the shifts, from where these are."""
    shift, body, slope, w = bodies[6], rows[0], rows[2], rows[3]
    for k in range(items.shape[0]):
        r, a, b, own = 3 * items[k], body[items[k], 0], body[items[k], 1], 0.0
        gap = w[r]
        for i in range(6):
            # What cannot move has no shift.
            gap -= slope[r, i] * shift[a, i] + slope[r, 6 + i] * shift[b, i]
        for i in range(12):
            table_out[k, SLOPE + i] = slope[r, i]
            own += slope[r, i] * table_out[k, ANSWER + i]
        table_out[k, BASE], table_out[k, OWN] = gap, own


@inner_kernel
def _gap(k, i, j, table, shift):
    """The gap of contact k; products that do not wait for each other."""
    p0 = table[k, 0] * shift[i, 0] + table[k, 6] * shift[j, 0]
    p1 = table[k, 1] * shift[i, 1] + table[k, 7] * shift[j, 1]
    p2 = table[k, 2] * shift[i, 2] + table[k, 8] * shift[j, 2]
    p3 = table[k, 3] * shift[i, 3] + table[k, 9] * shift[j, 3]
    p4 = table[k, 4] * shift[i, 4] + table[k, 10] * shift[j, 4]
    p5 = table[k, 5] * shift[i, 5] + table[k, 11] * shift[j, 5]
    return table[k, BASE] + (((p0 + p1) + (p2 + p3)) + (p4 + p5))


@inner_kernel
def _shift_both(k, i, j, force, table, shift):
    """Shift both bodies by what a force along contact k does to them."""
    for c in range(6):
        shift[i, c] += force * table[k, ANSWER + c]
        shift[j, c] += force * table[k, ANSWER + 6 + c]


@lean_kernel
def _sweep(momentum, pair, table, x, before, shift):
    """Give every contact the force that its gap asks for, beginning beyond x, where `shift` is already.

    Returns the largest residual that was met, and whether the sweep leads back.
    """
    worst, back = 0.0, 0.0
    for k in range(x.shape[0]):
        i, j, own = pair[k, 0], pair[k, 1], table[k, OWN]
        old = x[k]
        beyond = old + momentum * (old - before[k])
        gap = _gap(k, i, j, table, shift)
        worst = max(worst, abs(min(beyond, gap)))
        new = max(beyond - gap / own, 0.0) if own > 0.0 else 0.0
        before[k], x[k] = old, new
        if new != beyond:
            back += (beyond - new) * own * (new - old)
            _shift_both(k, i, j, new - beyond, table, shift)
    return worst, back > 0.0


@lean_kernel
def _go_beyond(momentum, shift, before):
    """Shift bodies as their forces go on."""
    for b in range(shift.shape[0]):
        for i in range(6):
            now = shift[b, i]
            shift[b, i] = now + momentum * (now - before[b, i])
            before[b, i] = now


@lean_kernel
def _solve_linear(pair, table, enough, sweeps, x, before, shift, shift_before):
    """Forces x for which the law holds if gaps are linear: how many sweeps it took."""
    shift[:] = 0.0
    for k in range(x.shape[0]):
        _shift_both(k, pair[k, 0], pair[k, 1], x[k], table, shift)
    speed, momentum = 1.0, 0.0
    for used in range(sweeps):
        _go_beyond(momentum, shift, shift_before)
        worst, back = _sweep(momentum, pair, table, x, before, shift)
        if not worst > enough:
            return used + 1
        faster = 0.5 + sqrt(0.25 + speed * speed)
        speed, momentum = (1.0, 0.0) if back else (faster, (speed - 1.0) / faster)
    return sweeps


@kernel
def solve_by_sweeps(items, list_, problem, bodies, rows, position, tolerance, sweeps):
    """Forces x of the items, all of them contacts without friction: the residual that is left, and sweeps."""
    m, n, force = items.shape[0], list_.shape[0], rows[4]
    pair, table = np.empty((m, 2), np.int32), np.empty((m, WIDTH))
    x, x_before, shift, shift_before = np.empty(m), np.zeros(m), np.empty((n + 1, 6)), np.zeros((n + 1, 6))
    _fill_answers(items, n, rows[0], rows[1], bodies[2], position, pair, table)
    hard, before, used = inf, inf, 0
    for _ in range(MAX_TURNS):
        hard, _soft = measure(items, list_, problem, bodies, rows)
        if hard <= tolerance or used >= sweeps or not hard < 0.9 * before:
            break
        before = hard
        _fill_slopes(items, bodies, rows, table)
        for k in range(m):
            x[k] = force[3 * items[k]]
        enough = max(FORCING * hard, FINER * tolerance)
        used += _solve_linear(pair, table, enough, sweeps - used, x, x_before, shift, shift_before)
        for k in range(m):
            force[3 * items[k]] = x[k]
    return hard, used
