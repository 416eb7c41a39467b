"""The forces of contacts without friction in an island of a few bodies, by Newton's method on the forces themselves.

Where a few bodies touch, the gaps at the end of the step are nearly linear in the forces. Their law, x >= 0, w >= 0 and
one of both 0, is solved for gaps that are linear, and again from where that leads to. For that, elimination finds the
forces that bring gaps to nothing, and sweeps over the contacts which of them push, by turns; both lower the
energy of which the law is the lowest point. Islands that are not within the tolerance after a few turns are left to
multiplier_kernels, of which the arguments are; and so are calm ones, which are solved better (rest_kernels).

`work` is (MOST_ITEMS, WIDTH) scratch, one row a contact: [row of the matrix A of changes of gaps by forces, row of the
factors of its part, shifts of the two bodies by a force of 1, force at first, right side, the two bodies], from the
columns below on.
"""

from math import inf

from ..._jit import inner_kernel, lean_kernel
from .multiplier_kernels import PROGRESS, measure

MOST_ITEMS, MOST_MEMBERS = 64, 24
FACTORS, SHIFTS = MOST_ITEMS, 2 * MOST_ITEMS
FIRST = SHIFTS + 2 * 6
RIGHT, SHIFTED = FIRST + 1, FIRST + 2
WIDTH = SHIFTED + 2
"""Columns of `work`."""
MAX_TURNS, MAX_DIRECT_ROUNDS, SWEEPS, MAX_STEPS = 8, 20, 3, 3
IDLE_ROUNDS = 2
"""Rounds without progress after which forces are taken as they are: the tolerance is wider than what is asked for."""
NEAR_ENOUGH_TO_KEEP = 100.0
"""Tolerances within which the matrix of the turn before will do."""
LINEAR_FINENESS = 0.03
"""Share of the tolerance to which the linear problem is solved."""
LINEAR_FORCING = 1e-3
"""Share of the residual to which it is solved, which is about what it misses of the true gaps."""
LET_GO_BELOW = 1e-12
"""Share of its force below which a contact that was to let go has done so, but for rounding."""
STIFFER = 1e-5
"""Share by which the diagonal of A is raised, because of contacts that others make redundant."""


@lean_kernel
def _fill_shifts(items, body, push, response, work):
    """How far a force of 1 along each contact shifts its two bodies, and which these are; -1 where it shifts none."""
    for p in range(items.shape[0]):
        for side in range(2):
            b, moved = body[items[p], side], False
            for i in range(6):
                s = 0.0
                for j in range(6):
                    s += response[b, i, j] * push[3 * items[p], 6 * side + j]
                work[p, SHIFTS + 6 * side + i] = s
                moved |= s != 0.0
            work[p, SHIFTED + side] = float(b) if moved else -1.0


@inner_kernel
def _add_products(s, slope, r, side, work, q, other):
    """Add what row r of a gap makes of the shift of a body by contact q."""
    for i in range(6):
        s += slope[r, 6 * side + i] * work[q, SHIFTS + 6 * other + i]
    return s


@lean_kernel
def _fill_matrix(items, slope, work):
    """Change of every gap by every force."""
    for p in range(items.shape[0]):
        r, a, b = 3 * items[p], work[p, SHIFTED], work[p, SHIFTED + 1]
        for q in range(items.shape[0]):
            c, d, s = work[q, SHIFTED], work[q, SHIFTED + 1], 0.0
            s = _add_products(s, slope, r, 0, work, q, 0) if a == c and a >= 0.0 else s
            s = _add_products(s, slope, r, 0, work, q, 1) if a == d and a >= 0.0 else s
            s = _add_products(s, slope, r, 1, work, q, 0) if b == c and b >= 0.0 else s
            s = _add_products(s, slope, r, 1, work, q, 1) if b == d and b >= 0.0 else s
            work[p, q] = s


@inner_kernel
def _change(items, p, change, w_io, x_io, work):
    """Change the force of contact p, and all gaps with it."""
    x_io[3 * items[p]] += change
    for q in range(items.shape[0]):
        w_io[3 * items[q]] += work[q, p] * change


@lean_kernel
def _sweep(items, w_io, x_io, work):
    """Once over the contacts: each gets the force that its own gap asks for."""
    for p in range(items.shape[0]):
        r = 3 * items[p]
        if work[p, p] > 0.0:
            change = max(x_io[r] - w_io[r] / work[p, p], 0.0) - x_io[r]
            if change != 0.0:
                _change(items, p, change, w_io, x_io, work)


@inner_kernel
def _residual(items, w, x, work):
    """The largest change of a gap that a contact asks for."""
    largest = 0.0
    for p in range(items.shape[0]):
        r, own = 3 * items[p], work[p, p]
        if own > 0.0:
            largest = max(largest, abs(max(own * x[r] - w[r], 0.0) - own * x[r]))
    return largest


@inner_kernel
def _list_pushing(items, alone, w, x, list_out):
    """Places of the contacts that push, `alone` or with those that would have to."""
    count = 0
    for p in range(items.shape[0]):
        r = 3 * items[p]
        if x[r] > 0.0 or (w[r] < 0.0 and not alone):
            list_out[count] = p
            count += 1
    return count


@lean_kernel
def _eliminate(items, w, pushing, count, work):
    """Solve the part of A that belongs to the contacts that push for their gaps, into the column RIGHT."""
    for i in range(count):
        p = pushing[i]
        for j in range(count):
            work[i, FACTORS + j] = work[p, pushing[j]]
        work[i, FACTORS + i] *= 1.0 + STIFFER
        work[i, RIGHT] = w[3 * items[p]]
    for k in range(count):
        behind, inverse = FACTORS + k + 1, 1.0 / work[k, FACTORS + k]
        for i in range(k + 1, count):
            factor = work[i, FACTORS + k] * inverse
            if factor != 0.0:
                for j in range(count - k - 1):  # from 0 on, or it would not be compiled to vectors
                    work[i, behind + j] -= factor * work[k, behind + j]
                work[i, RIGHT] -= factor * work[k, RIGHT]
    for k in range(count - 1, -1, -1):
        s = work[k, RIGHT]
        for j in range(k + 1, count):
            s -= work[k, FACTORS + j] * work[j, RIGHT]
        work[k, RIGHT] = s / work[k, FACTORS + k]


@inner_kernel
def _longest_step(items, x, pushing, count, work):
    """How far the forces may go towards those that elimination found, at most 1, before one of them would pull."""
    step = 1.0
    for i in range(count):
        force = x[3 * items[pushing[i]]]
        if force - step * work[i, RIGHT] < 0.0:
            step = force / work[i, RIGHT]
    return step


@lean_kernel
def _go(items, step, pushing, count, w_io, x_io, work):
    """Go that far; what would pull lets go."""
    for i in range(count):
        p = pushing[i]
        force = x_io[3 * items[p]]
        wanted = force - step * work[i, RIGHT]
        # The one that ended the step, but for rounding.
        wanted = wanted if wanted > LET_GO_BELOW * force else 0.0
        _change(items, p, wanted - force, w_io, x_io, work)


@lean_kernel
def _step_towards(items, alone, w_io, x_io, pushing_io, work):
    """Go to the forces that bring the gaps of all that push, `alone` or with what would have to, to nothing.

    Returns 1.0, or the part of the way on which nothing pulls, and goes that far.
    """
    count = _list_pushing(items, alone, w_io, x_io, pushing_io)
    _eliminate(items, w_io, pushing_io, count, work)
    step = _longest_step(items, x_io, pushing_io, count, work)
    _go(items, step, pushing_io, count, w_io, x_io, work)
    return step


@inner_kernel
def _lingers(items, w, x):
    """Whether a contact that is open still pushes: by less than the tolerance, but on and on."""
    for item in items:
        if 0.0 < x[3 * item] < w[3 * item]:
            return True
    return False


@lean_kernel
def _let_go(items, w_io, x_io, work):
    """Take the force from contacts that are open."""
    for p in range(items.shape[0]):
        r = 3 * items[p]
        if 0.0 < x_io[r] < w_io[r]:
            _change(items, p, -x_io[r], w_io, x_io, work)


@lean_kernel
def _solve_linear(items, w_io, x_io, enough, pushing_io, work):
    """Forces for which the law holds if gaps are linear.

    Elimination comes first, and shares forces alike among contacts that are alike.
    """
    blocked, lowest, waited = False, inf, 0
    for _ in range(MAX_DIRECT_ROUNDS):
        residual = _residual(items, w_io, x_io, work)
        waited = 0 if residual < PROGRESS * lowest else waited + 1
        if residual <= enough or waited > IDLE_ROUNDS:
            break
        lowest = min(lowest, residual)
        for _sweeping in range(SWEEPS if blocked else 0):
            _sweep(items, w_io, x_io, work)
        step = _step_towards(items, blocked, w_io, x_io, pushing_io, work)
        blocked = blocked or step < 1.0
        for _shorter in range(MAX_STEPS):
            if step < 1.0:
                step = _step_towards(items, True, w_io, x_io, pushing_io, work)
    _let_go(items, w_io, x_io, work)


@lean_kernel
def solve_directly(island, problem, bodies_io, rows_io, tolerance, room_io):
    """Forces x of a small island: the residual that is left, and turns; the residual is inf if they are not found.

    Forces are as they were if they are not found.
    """
    items, members, w, x, work = island.items, island.members, rows_io.w, rows_io.x, room_io.small
    for p in range(items.shape[0]):
        work[p, FIRST] = x[3 * items[p]]
    _fill_shifts(items, rows_io.body, rows_io.push, bodies_io.response, work)
    before = inf
    for turn in range(MAX_TURNS):
        hard, _ = measure(items, members, problem, bodies_io, rows_io)
        if hard <= tolerance and not _lingers(items, w, x):
            return hard, turn
        if not hard < 0.5 * before:
            break
        before = hard
        if turn == 0 or hard > NEAR_ENOUGH_TO_KEEP * tolerance:
            _fill_matrix(items, rows_io.slope, work)
        _solve_linear(items, w, x, max(LINEAR_FINENESS * tolerance, LINEAR_FORCING * hard), room_io.pushing, work)
    for p in range(items.shape[0]):
        x[3 * items[p]] = work[p, FIRST]
    return inf, 0
