"""The forces of a large island, by accelerated sweeps.

A sweep gives one contact after the other the force that its gap and its slip ask for. Without friction this lowers an
energy of which the law, x >= 0, w >= 0 and one of both 0, is the lowest point; but forces travel slowly in this way.
So the next sweep begins some way beyond, at x + momentum (x - x before), as Nesterov (1983) does with gradients, with
a momentum that grows until it leads uphill and then begins anew (O'Donoghue & Candès 2015). In heaps of hundreds of
boxes, where plain sweeps take a thousand rounds and accelerated gradients two hundred, these take fifty; each costs
two products of twelve numbers a row, and no matrix is needed. The last digits come slowly, but bodies in motion do not
need them. Friction has no such energy, and yet the same helps.

Values are linearised where the bodies have come to; arguments are those of multiplier_kernels. An item has one row of
`table`, or three of them with friction, from first[k] on. Items that follow each other have nothing to do with each
other as a rule, so that the processor need not wait for the one before it goes on with the next.
"""

from math import inf, sqrt

import numpy as np

from .._jit import OCTET, add_octets, dot_octets, inner_kernel, kernel, lean_kernel, put_octet
from ..math.vec_kernels import load_mat
from ..solve.cone_kernels import solve_contact
from .law_kernels import joint_force, joint_residual
from .multiplier_kernels import largest_residuals, place_items
from .rest_kernels import longest_way
from .row_kernels import first_row

MAX_TURNS = 8
"""How often gaps may be linearised."""
FORCING, FINER, FINEST = 1e-2, 0.9, 0.05
"""To which share of the residual, which is about what linear gaps miss of it, and of the tolerance forces are found: at
first, and in the end where that was not enough."""
OF_WAY, OF_GAP = 1e-3, 0.08
"""Shares of the longest way of a body, and of the contact gap in a whole step, by which gaps may be wrong in motion."""
AGITATED = 3.0
"""With friction, sweeps are for bodies whose share of the way is this many times the share of the gap."""
HASTE = 4.0
"""How many times that will do to find out what bodies meet on their way; known contacts must not be met again by it."""
MOST_CAREFUL = 64
"""Up to how many bodies haste does not pay: to solve and check them once more takes longer."""

LEAST_ANSWER = 1e-300
"""Below which nobody answers to a force, or its inverse would be infinite."""
STRANDS = 8
"""How many places of an island are swept by turns."""

# Columns of `table`, four octets: slope of a value by the shifts of its two bodies, and their shifts by a force of 1.
# Beside the first slope stands the value without forces, as the shift of a body has 1 there, and what a row alone
# answers with; beside the second one, the inverse of that.
SLOPE, ANSWER, WIDTH = 0, 2 * OCTET, 4 * OCTET
ONE, NOTHING = 6, 7
BASE, OWN, INVERSE = ONE, NOTHING, OCTET + NOTHING


@lean_kernel
def tolerance_in_motion(list_, smooth, bodies, accuracy):
    """How exact the values of bodies must be that are as fast as these: in the end, and for now.

    Slow bodies with friction come to rest where they are, or creep if they are not held exactly: no haste with these.
    """
    tolerance, _still, coarsest, haste = accuracy
    way = longest_way(list_, bodies[4], bodies[9], bodies[6], 0.0, bodies[5])
    wanted = min(OF_WAY * way, coarsest)
    if not smooth and OF_WAY * way < AGITATED * coarsest:
        return tolerance, tolerance
    return max(tolerance, wanted), max(tolerance, wanted * (haste if list_.shape[0] > MOST_CAREFUL else 1.0))


@lean_kernel
def _place_rows(items, n, mu, first_out):
    """Where the rows of each item begin; returns their number."""
    rows = 0
    for k in range(items.shape[0]):
        first_out[k] = rows
        rows += 3 if items[k] < n and mu[items[k]] > 0.0 else 1
    first_out[items.shape[0]] = rows
    return rows


@lean_kernel
def _are_smooth(items, n, first):
    """Whether all items are contacts without friction."""
    for item in items:
        if item >= n:
            return False
    return first[items.shape[0]] == items.shape[0]


@lean_kernel
def _pad_responses(list_, response, padded_out):
    """Columns of the responses of the listed bodies, six rows each, and of what cannot move."""
    for b in range(list_.shape[0]):
        for i in range(6):
            for j in range(6):
                padded_out[6 * b + j, i] = response[list_[b], i, j]


@lean_kernel
def _fill_answers(items, n, first, fixed, rows, responses, position, pair_out, table_out):
    """The bodies of each item, and how far a force of 1 shifts them; those that cannot move are number `fixed`."""
    body, push = rows[0], rows[1]
    for k in range(items.shape[0]):
        for side in range(2):
            b = position[body[items[k], side]]
            pair_out[k, side] = b if b >= 0 else fixed
            for p in range(first[k + 1] - first[k]):
                r, start = first_row(items[k], n) + p, 6 * pair_out[k, side]
                put_octet(responses, start, push, r, 6 * side, table_out, first[k] + p, ANSWER // OCTET + side)


@lean_kernel
def _fill_slopes(items, n, first, pair, shift, rows, table_out, own_out):
    """Values as linear functions of the shifts, from where these are; for friction, what its rows do to each other."""
    slope, w = rows[2], rows[3]
    for k in range(items.shape[0]):
        start, count = first[k], first[k + 1] - first[k]
        for p in range(count):
            q, r = start + p, first_row(items[k], n) + p
            for i in range(6):
                table_out[q, SLOPE + i], table_out[q, SLOPE + OCTET + i] = slope[r, i], slope[r, 6 + i]
            table_out[q, BASE] = 0.0
            table_out[q, BASE] = w[r] - dot_octets(table_out, q, shift, pair[k, 0], pair[k, 1])
            alone = _product(q, q, table_out)
            answers = alone > LEAST_ANSWER
            table_out[q, OWN], table_out[q, INVERSE] = (alone, 1.0 / alone) if answers else (0.0, 0.0)
        for p in range(count if count > 1 else 0):
            for q in range(count):
                own_out[k, p, q] = _product(start + p, start + q, table_out)


@inner_kernel
def larger(a, b):
    """The larger one of two residuals; what is not a number is larger than all."""
    return a if b <= a or a != a else b


@inner_kernel
def _product(p, q, table):
    """What a force of 1 of row q does to the value of row p of the same item."""
    a, b = 0.0, 0.0
    for i in range(6):
        a += table[p, SLOPE + i] * table[q, ANSWER + i]
        b += table[p, SLOPE + OCTET + i] * table[q, ANSWER + OCTET + i]
    return a + b


@inner_kernel
def _change(r, i, j, beyond, new, table, x, before, shift):
    """Let row r have a new force, from beyond the last one; returns by how much that leads back."""
    old = x[r]
    before[r], x[r] = old, new
    # Also if nothing changes: to find that out takes longer.
    add_octets(new - beyond, table, r, shift, i, j)
    return (beyond - new) * table[r, OWN] * (new - old)


@inner_kernel
def _rub(r, i, j, momentum, W, mu, table, x, before, shift):
    """The forces of a contact with friction: the residual that was met, and by how much the change leads back."""
    b0 = x[r] + momentum * (x[r] - before[r])
    b1 = x[r + 1] + momentum * (x[r + 1] - before[r + 1])
    b2 = x[r + 2] + momentum * (x[r + 2] - before[r + 2])
    v0 = dot_octets(table, r, shift, i, j)
    v1 = dot_octets(table, r + 1, shift, i, j)
    v2 = dot_octets(table, r + 2, shift, i, j)
    q = (
        v0 - W[0] * b0 - W[1] * b1 - W[2] * b2,
        v1 - W[3] * b0 - W[4] * b1 - W[5] * b2,
        v2 - W[6] * b0 - W[7] * b1 - W[8] * b2,
    )
    new = solve_contact(W, q, mu)
    residual = larger(abs(min(b0, v0)), larger(W[4] * abs(b1 - new[1]), W[8] * abs(b2 - new[2])))
    back = _change(r, i, j, b0, new[0], table, x, before, shift)
    back += _change(r + 1, i, j, b1, new[1], table, x, before, shift)
    return residual, back + _change(r + 2, i, j, b2, new[2], table, x, before, shift)


@inner_kernel
def _press(r, i, j, momentum, table, x, before, shift):
    """The force of a contact without friction: the residual that was met, and by how much the change leads back."""
    beyond, value = x[r] + momentum * (x[r] - before[r]), dot_octets(table, r, shift, i, j)
    new = max(beyond - value * table[r, INVERSE], 0.0) if table[r, OWN] > 0.0 else 0.0
    return abs(min(beyond, value)), _change(r, i, j, beyond, new, table, x, before, shift)


@inner_kernel
def _hold(r, i, j, momentum, law, table, x, before, shift):
    """The force of a row of a joint: the residual that was met, and by how much the change leads back."""
    c, low, high = law
    beyond, value = x[r] + momentum * (x[r] - before[r]), dot_octets(table, r, shift, i, j)
    new = joint_force(beyond, value, c, low, high, table[r, INVERSE])[0] if table[r, OWN] > 0.0 else beyond
    return joint_residual(beyond, value, c, low, high), _change(r, i, j, beyond, new, table, x, before, shift)


@lean_kernel
def _sweep(items, n, laws, momentum, enough, first, pair, table, own, x, before, shift):
    """Give every item the force that its values ask for, beginning beyond x, where `shift` is already.

    laws = (mu, compliance, lower, upper). Returns how many residuals were met that are more than enough, and whether
    the sweep leads back.
    """
    mu, compliance, lower, upper = laws
    wrong, back = 0, 0.0
    for k in range(items.shape[0]):
        i, j, r, item = pair[k, 0], pair[k, 1], first[k], items[k]
        if first[k + 1] > r + 1:
            residual, away = _rub(r, i, j, momentum, load_mat(own, k), mu[item], table, x, before, shift)
        elif item >= n:
            law = (compliance[item - n], lower[item - n], upper[item - n])
            residual, away = _hold(r, i, j, momentum, law, table, x, before, shift)
        else:
            residual, away = _press(r, i, j, momentum, table, x, before, shift)
        wrong, back = wrong + (not residual <= enough), back + away
    return wrong, back > 0.0


@lean_kernel
def _sweep_smooth(momentum, enough, pair, table, x, before, shift):
    """The same for contacts without friction, and a third faster where there is nothing else."""
    wrong, back = 0, 0.0
    for r in range(pair.shape[0]):
        residual, away = _press(r, pair[r, 0], pair[r, 1], momentum, table, x, before, shift)
        wrong, back = wrong + (not residual <= enough), back + away
    return wrong, back > 0.0


@lean_kernel
def _go_beyond(momentum, shift, before):
    """Shift bodies as their forces go on."""
    for b in range(shift.shape[0]):
        for i in range(OCTET):
            now = shift[b, i]
            shift[b, i] = now + momentum * (now - before[b, i])
            before[b, i] = now


@lean_kernel
def _solve_linear(items, n, laws, first, pair, table, own, aim, x, before, shift, shift_before):
    """Forces x for which the laws hold if values are linear, from those with these shifts: how many sweeps it took.

    aim = (residual that is enough, how many items may have more, sweeps at most).
    """
    enough, few, sweeps = aim
    speed, momentum, smooth = 1.0, 0.0, _are_smooth(items, n, first)
    for used in range(sweeps):
        _go_beyond(momentum, shift, shift_before)
        if smooth:
            wrong, back = _sweep_smooth(momentum, enough, pair, table, x, before, shift)
        else:
            wrong, back = _sweep(items, n, laws, momentum, enough, first, pair, table, own, x, before, shift)
        if wrong <= few:
            return used + 1
        faster = 0.5 + sqrt(0.25 + speed * speed)
        speed, momentum = (1.0, 0.0) if back else (faster, (speed - 1.0) / faster)
    return sweeps


@lean_kernel
def _copy_forces(items, n, first, to_table, force, x):
    """Forces of the items from `force` to `x`, whose rows are those of the table, or back."""
    for k in range(items.shape[0]):
        for p in range(first[k + 1] - first[k]):
            r = first_row(items[k], n) + p
            if to_table:
                x[first[k] + p] = force[r]
            else:
                force[r] = x[first[k] + p]


@lean_kernel
def _copy_shifts(list_, shift, shift_out):
    """Shifts of the listed bodies, and behind them of what cannot move."""
    shift_out[list_.shape[0]] = 0.0
    for b in range(list_.shape[0]):
        for i in range(6):
            shift_out[b, i] = shift[list_[b], i]
        shift_out[b, NOTHING] = 0.0
    shift_out[:, ONE] = 1.0


@lean_kernel
def _mix(items, mixed_out):
    """Items of far places of the list by turns: those of the same bodies stand together there."""
    m = items.shape[0]
    length, k = (m + STRANDS - 1) // STRANDS, 0
    for i in range(length):
        for p in range(i, m, length):
            mixed_out[k] = items[p]
            k += 1


@lean_kernel
def _hold_others(list_, response, others, shift_out):
    """Shifts of the listed bodies by what items beyond these push them with."""
    shift_out[:] = 0.0
    shift_out[:, ONE] = 1.0
    for b in range(list_.shape[0]):
        for j in range(6):
            for i in range(6 if others[list_[b], j] != 0.0 else 0):
                shift_out[b, i] += response[list_[b], i, j] * others[list_[b], j]


@lean_kernel
def _copy(source, target_out):
    for k in range(source.shape[0]):
        target_out[k] = source[k]


@lean_kernel
def _go(items, list_, problem, bodies, rows, first, pair, table, x, held, shift):
    """Shift the bodies as the forces x say; how far contacts and joints, and friction, are from their laws there."""
    for b in range(shift.shape[0]):
        for i in range(OCTET):
            shift[b, i] = held[b, i]
    for k in range(pair.shape[0]):
        for r in range(first[k], first[k + 1]):
            add_octets(x[r], table, r, shift, pair[k, 0], pair[k, 1])
    for b in range(list_.shape[0]):
        for i in range(6):
            bodies[6][list_[b], i] = shift[b, i]
    place_items(items, list_, problem, bodies, rows)
    return largest_residuals(items, problem, rows, rows[4])


@kernel
def solve_by_sweeps(items, list_, problem, bodies, rows, position, tolerance, slack, few, sweeps, known):
    """Forces x of the items: the residuals of contacts and joints and of friction that are left, and sweeps.

    Friction may be `slack` times as wrong as contacts and joints. Sweeps end when all but a `few` items are right: what
    is left then is found faster by looking there alone.
    known: whether forces, shifts and values belong to each other to begin with.
    """
    m, fixed, n, mu = items.shape[0], list_.shape[0], problem[0], problem[1][4]
    laws = (mu, rows[7], rows[8], rows[9])
    mixed, first, pair = np.empty(m, np.int32), np.empty(m + 1, np.int32), np.empty((m, 2), np.int32)
    _mix(items, mixed)
    n_row = _place_rows(mixed, n, mu, first)
    table, own = np.zeros((n_row, WIDTH)), np.empty((m if n_row > m else 0, 3, 3))
    x, x_before, best = np.empty(n_row), np.zeros(n_row), np.empty(n_row)
    held, responses = np.empty((fixed + 1, OCTET)), np.zeros((6 * (fixed + 1), OCTET))
    shift, shift_before = np.empty((fixed + 1, OCTET)), np.zeros((fixed + 1, OCTET))
    _pad_responses(list_, bodies[2], responses)
    _fill_answers(mixed, n, first, fixed, rows, responses, position, pair, table)
    _hold_others(list_, bodies[2], bodies[10], held)
    _copy_forces(mixed, n, first, True, rows[4], x)
    where = (items, list_, problem, bodies, rows, first, pair, table)
    hard, soft, lowest, used, enough, finest = inf, inf, inf, 0, inf, FINER * tolerance
    for turn in range(MAX_TURNS + 1):
        if turn == 0 and known:
            _copy_shifts(list_, bodies[6], shift)
            hard, soft = largest_residuals(items, problem, rows, rows[4])
        else:
            hard, soft = _go(*where, x, held, shift)
        worst = larger(hard, soft / slack)
        # A few items may be as wrong as before, or more, where all others become right.
        better, done = worst < 0.9 * lowest or few > 0, few > 0 and enough == finest
        if not better and enough == finest and finest > FINEST * tolerance:
            # Residuals are met on the way through a sweep; at its end they are others.
            better, finest = True, max(0.25 * finest, FINEST * tolerance)
        if worst < lowest:
            lowest = worst
            _copy(x[: 0 if few > 0 else n_row], best)
        if worst <= tolerance or used >= sweeps or turn == MAX_TURNS or done or not better:
            break
        _fill_slopes(mixed, n, first, pair, shift, rows, table, own)
        enough = finest if few > 0 and turn > 0 else max(FORCING * worst, finest)
        aim = (enough, few, sweeps - used)
        used += _solve_linear(mixed, n, laws, first, pair, table, own, aim, x, x_before, shift, shift_before)
        _copy_forces(mixed, n, first, False, rows[4], x)
    if few == 0 and lowest < inf and not larger(hard, soft / slack) <= lowest:
        _copy_forces(mixed, n, first, False, rows[4], best)
        hard, soft = _go(*where, best, held, shift)
    return hard, soft, used
