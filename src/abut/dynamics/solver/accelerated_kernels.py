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

from ..._jit import OCTET, add_octets, dot_octets, inlined_kernel, inner_kernel, kernel, lean_kernel, put_octet
from ...math.vec_kernels import load_mat
from ...solve.cone_kernels import solve_contact
from ..rest.rest_kernels import longest_way
from .law_kernels import joint_force, joint_residual
from .multiplier_kernels import PROGRESS, largest_residuals, place_items
from .problem_tables import Aim, Run, Sweeps
from .row_kernels import first_row, rows_of

MAX_TURNS = 8
"""How often gaps may be linearised."""
SWEEP_FORCING, SWEEP_FINENESS, FINEST = 1e-2, 0.9, 0.05
"""To which share of the residual, which is about what linear gaps miss of it, and of the tolerance forces are found: at
first, and in the end where that was not enough."""
OF_LONGEST_WAY, OF_GAP = 1e-3, 0.08
"""Shares of the longest way of a body, and of the contact gap in a whole step, by which gaps may be wrong in motion."""
AGITATED = 3.0
"""With friction, sweeps are for bodies whose share of the way is this many times the share of the gap."""
COARSENESS = 4.0
"""How many times that will do to find out what bodies meet on their way; known contacts must not be met again by it."""
MOST_CAREFUL = 64
"""Up to how many bodies a coarse round does not pay: to solve and check them once more takes longer."""

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
def tolerance_in_motion(members, smooth, bodies, accuracy):
    """How exact the values of bodies must be that are as fast as these: in the end, and for now.

    Slow bodies with friction come to rest where they are, or creep if they are not held exactly: never coarsely.
    """
    tolerance, coarsest = accuracy.tolerance, accuracy.coarsest
    way = longest_way(members, bodies, bodies.twist, 0.0)
    wanted = min(OF_LONGEST_WAY * way, coarsest)
    if not smooth and OF_LONGEST_WAY * way < AGITATED * coarsest:
        return tolerance, tolerance
    for_now = wanted * (accuracy.coarseness if members.shape[0] > MOST_CAREFUL else 1.0)
    return max(tolerance, wanted), max(tolerance, for_now)


@lean_kernel
def _place_rows(items, contacts, first_out):
    """Where the rows of each item begin; returns their number."""
    count = 0
    for k in range(items.shape[0]):
        first_out[k] = count
        first, last = rows_of(items[k], contacts)
        count += last - first
    first_out[items.shape[0]] = count
    return count


@lean_kernel
def _are_smooth(linear):
    """Whether all items are contacts without friction."""
    n_item = linear.items.shape[0]
    for item in linear.items:
        if item >= linear.n:
            return False
    return linear.first[n_item] == n_item


@lean_kernel
def _pad_responses(members, response, padded_out):
    """Columns of the responses of the members, six rows each, and of what cannot move."""
    for b in range(members.shape[0]):
        for i in range(6):
            for j in range(6):
                padded_out[6 * b + j, i] = response[members[b], i, j]


@lean_kernel
def _fill_answers(rows, responses, position, fixed, linear_io):
    """The bodies of each item, and how far a force of 1 shifts them; those that cannot move are number `fixed`."""
    items, first, pair, n = linear_io.items, linear_io.first, linear_io.pair, linear_io.n
    for k in range(items.shape[0]):
        for side in range(2):
            b = position[rows.body[items[k], side]]
            pair[k, side] = b if b >= 0 else fixed
            for p in range(first[k + 1] - first[k]):
                r, start = first_row(items[k], n) + p, 6 * pair[k, side]
                octet = ANSWER // OCTET + side
                put_octet(responses, start, rows.push, r, 6 * side, linear_io.table, first[k] + p, octet)


@lean_kernel
def _fill_slopes(shift, rows, linear_io):
    """Values as linear functions of the shifts, from where these are; for friction, what its rows do to each other."""
    items, n, first, pair, table = linear_io.items, linear_io.n, linear_io.first, linear_io.pair, linear_io.table
    slope = rows.slope
    for k in range(items.shape[0]):
        start, count = first[k], first[k + 1] - first[k]
        for p in range(count):
            q, r = start + p, first_row(items[k], n) + p
            for i in range(6):
                table[q, SLOPE + i], table[q, SLOPE + OCTET + i] = slope[r, i], slope[r, 6 + i]
            table[q, BASE] = 0.0
            table[q, BASE] = rows.w[r] - dot_octets(table, q, shift, pair[k, 0], pair[k, 1])
            alone = _product(q, q, table)
            answers = alone > LEAST_ANSWER
            table[q, OWN], table[q, INVERSE] = (alone, 1.0 / alone) if answers else (0.0, 0.0)
        for p in range(count if count > 1 else 0):
            for q in range(count):
                linear_io.own[k, p, q] = _product(start + p, start + q, table)


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
def _change(r, i, j, beyond, new, table, run_io):
    """Let row r have a new force, from beyond the last one; returns by how much that leads back."""
    old = run_io.x[r]
    run_io.x_before[r], run_io.x[r] = old, new
    # Also if nothing changes: to find that out takes longer.
    add_octets(new - beyond, table, r, run_io.shift, i, j)
    return (beyond - new) * table[r, OWN] * (new - old)


@inner_kernel
def _rub(r, i, j, momentum, W, mu, table, run_io):
    """The forces of a contact with friction: the residual that was met, and by how much the change leads back."""
    x, before, shift = run_io.x, run_io.x_before, run_io.shift
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
    back = _change(r, i, j, b0, new[0], table, run_io)
    back += _change(r + 1, i, j, b1, new[1], table, run_io)
    return residual, back + _change(r + 2, i, j, b2, new[2], table, run_io)


@inner_kernel
def _beyond(r, momentum, run):
    """The force of row r, some way on from the last one."""
    return run.x[r] + momentum * (run.x[r] - run.x_before[r])


@inner_kernel
def _press(r, i, j, momentum, table, run_io):
    """The force of a contact without friction: the residual that was met, and by how much the change leads back."""
    beyond, value = _beyond(r, momentum, run_io), dot_octets(table, r, run_io.shift, i, j)
    new = max(beyond - value * table[r, INVERSE], 0.0) if table[r, OWN] > 0.0 else 0.0
    return abs(min(beyond, value)), _change(r, i, j, beyond, new, table, run_io)


@inner_kernel
def _hold(r, i, j, momentum, law, table, run_io):
    """The force of a row of a joint: the residual that was met, and by how much the change leads back."""
    c, low, high = law
    beyond, value = _beyond(r, momentum, run_io), dot_octets(table, r, run_io.shift, i, j)
    new = joint_force(beyond, value, c, low, high, table[r, INVERSE])[0] if table[r, OWN] > 0.0 else beyond
    return joint_residual(beyond, value, c, low, high), _change(r, i, j, beyond, new, table, run_io)


@lean_kernel
def _sweep(linear, momentum, enough, run_io):
    """Give every item the force that its values ask for, beginning beyond x, where the shifts are already.

    Returns how many residuals were met that are more than enough, and whether the sweep leads back.
    """
    items, first, pair, table, n = linear.items, linear.first, linear.pair, linear.table, linear.n
    wrong, back = 0, 0.0
    for k in range(items.shape[0]):
        i, j, r, item = pair[k, 0], pair[k, 1], first[k], items[k]
        if first[k + 1] > r + 1:
            residual, away = _rub(r, i, j, momentum, load_mat(linear.own, k), linear.mu[item], table, run_io)
        elif item >= n:
            law = (linear.compliance[item - n], linear.lower[item - n], linear.upper[item - n])
            residual, away = _hold(r, i, j, momentum, law, table, run_io)
        else:
            residual, away = _press(r, i, j, momentum, table, run_io)
        wrong, back = wrong + (not residual <= enough), back + away
    return wrong, back > 0.0


@lean_kernel
def _sweep_smooth(pair, table, momentum, enough, run_io):
    """The same for contacts without friction, and a third faster where there is nothing else."""
    wrong, back = 0, 0.0
    for r in range(pair.shape[0]):
        residual, away = _press(r, pair[r, 0], pair[r, 1], momentum, table, run_io)
        wrong, back = wrong + (not residual <= enough), back + away
    return wrong, back > 0.0


@lean_kernel
def _go_beyond(momentum, shift_io, before_io):
    """Shift bodies as their forces go on."""
    for b in range(shift_io.shape[0]):
        for i in range(OCTET):
            now = shift_io[b, i]
            shift_io[b, i] = now + momentum * (now - before_io[b, i])
            before_io[b, i] = now


@lean_kernel
def _solve_linear(linear, aim, run_io):
    """Forces x for which the laws hold if values are linear, from those with these shifts: how many sweeps it took."""
    speed, momentum, smooth = 1.0, 0.0, _are_smooth(linear)
    for used in range(aim.sweeps):
        _go_beyond(momentum, run_io.shift, run_io.shift_before)
        if smooth:
            wrong, back = _sweep_smooth(linear.pair, linear.table, momentum, aim.enough, run_io)
        else:
            wrong, back = _sweep(linear, momentum, aim.enough, run_io)
        if wrong <= aim.few:
            return used + 1
        faster = 0.5 + sqrt(0.25 + speed * speed)
        speed, momentum = (1.0, 0.0) if back else (faster, (speed - 1.0) / faster)
    return aim.sweeps


@lean_kernel
def _load_forces(linear, force, x_out):
    """Forces of the items, in the order of the table."""
    items, first = linear.items, linear.first
    for k in range(items.shape[0]):
        for p in range(first[k + 1] - first[k]):
            x_out[first[k] + p] = force[first_row(items[k], linear.n) + p]


@lean_kernel
def _keep_forces(linear, x, force_out):
    """The same back."""
    items, first = linear.items, linear.first
    for k in range(items.shape[0]):
        for p in range(first[k + 1] - first[k]):
            force_out[first_row(items[k], linear.n) + p] = x[first[k] + p]


@lean_kernel
def _copy_shifts(members, shift, shift_out):
    """Shifts of the listed bodies, and behind them of what cannot move."""
    shift_out[members.shape[0]] = 0.0
    for b in range(members.shape[0]):
        for i in range(6):
            shift_out[b, i] = shift[members[b], i]
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
def _hold_others(members, response, others, shift_out):
    """Shifts of the listed bodies by what items beyond these push them with."""
    shift_out[:] = 0.0
    shift_out[:, ONE] = 1.0
    for b in range(members.shape[0]):
        for j in range(6):
            for i in range(6 if others[members[b], j] != 0.0 else 0):
                shift_out[b, i] += response[members[b], i, j] * others[members[b], j]


@lean_kernel
def _copy(source, target_out):
    for k in range(source.shape[0]):
        target_out[k] = source[k]


@lean_kernel
def _go(island, problem, bodies_io, rows_io, linear, x, held, shift_io):
    """Shift the bodies as the forces x say; how far contacts and joints, and friction, are from their laws there."""
    first, pair, members = linear.first, linear.pair, island.members
    for b in range(shift_io.shape[0]):
        for i in range(OCTET):
            shift_io[b, i] = held[b, i]
    for k in range(pair.shape[0]):
        for r in range(first[k], first[k + 1]):
            add_octets(x[r], linear.table, r, shift_io, pair[k, 0], pair[k, 1])
    for b in range(members.shape[0]):
        for i in range(6):
            bodies_io.shift[members[b], i] = shift_io[b, i]
    place_items(island.items, members, problem, bodies_io, rows_io)
    return largest_residuals(island.items, problem, rows_io, rows_io.x)


@inlined_kernel
def _prepare(island, contacts, bodies, rows):
    """The linear problem of an island, but for its slopes, and how its bodies answer."""
    m, fixed = island.items.shape[0], island.members.shape[0]
    mixed, first, pair = np.empty(m, np.int32), np.empty(m + 1, np.int32), np.empty((m, 2), np.int32)
    _mix(island.items, mixed)
    n_row = _place_rows(mixed, contacts, first)
    table, own = np.zeros((n_row, WIDTH)), np.empty((m if n_row > m else 0, 3, 3))
    linear = Sweeps(mixed, first, pair, table, own, contacts.n, contacts.mu, rows.compliance, rows.lower, rows.upper)
    responses = np.zeros((6 * (fixed + 1), OCTET))
    _pad_responses(island.members, bodies.response, responses)
    _fill_answers(rows, responses, island.position, fixed, linear)
    return linear


@kernel
def solve_by_sweeps(island, problem, bodies_io, rows_io, effort, known):
    """Forces x of the items: the residuals of contacts and joints and of friction that are left, and sweeps.

    Sweeps end when all but a few items are right: what is left then is found faster by looking there alone.
    known: whether forces, shifts and values belong to each other to begin with.
    """
    items, members, few, slack, tolerance = island.items, island.members, effort.few, effort.slack, effort.tolerance
    linear = _prepare(island, problem.contacts, bodies_io, rows_io)
    n_row, fixed = linear.table.shape[0], members.shape[0]
    x, x_before, best = np.empty(n_row), np.zeros(n_row), np.empty(n_row)
    held, shift, shift_before = np.empty((fixed + 1, OCTET)), np.empty((fixed + 1, OCTET)), np.zeros((fixed + 1, OCTET))
    _hold_others(members, bodies_io.response, bodies_io.others, held)
    _load_forces(linear, rows_io.x, x)
    run = Run(x, x_before, shift, shift_before)
    hard, soft, lowest, used, enough, finest = inf, inf, inf, 0, inf, SWEEP_FINENESS * tolerance
    for turn in range(MAX_TURNS + 1):
        if turn == 0 and known:
            _copy_shifts(members, bodies_io.shift, shift)
            hard, soft = largest_residuals(items, problem, rows_io, rows_io.x)
        else:
            hard, soft = _go(island, problem, bodies_io, rows_io, linear, x, held, shift)
        worst = larger(hard, soft / slack)
        # A few items may be as wrong as before, or more, where all others become right.
        better, done = worst < PROGRESS * lowest or few > 0, few > 0 and enough == finest
        if not better and enough == finest and finest > FINEST * tolerance:
            # Residuals are met on the way through a sweep; at its end they are others.
            better, finest = True, max(0.25 * finest, FINEST * tolerance)
        if worst < lowest:
            lowest = worst
            _copy(x[: 0 if few > 0 else n_row], best)
        if worst <= tolerance or used >= effort.sweeps or turn == MAX_TURNS or done or not better:
            break
        _fill_slopes(shift, rows_io, linear)
        enough = finest if few > 0 and turn > 0 else max(SWEEP_FORCING * worst, finest)
        used += _solve_linear(linear, Aim(enough, few, effort.sweeps - used), run)
        _keep_forces(linear, x, rows_io.x)
    if few == 0 and lowest < inf and not larger(hard, soft / slack) <= lowest:
        _keep_forces(linear, best, rows_io.x)
        hard, soft = _go(island, problem, bodies_io, rows_io, linear, best, held, shift)
    return hard, soft, used
