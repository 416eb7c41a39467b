"""The forces of one island by the method of multipliers (Hestenes, Powell 1969; with friction Alart & Curnier 1991).

With forces x as multipliers, every item answers to its value w with the force y = P(x - rho w) (law_kernels), and the
bodies' displacements s solve

    M s / m = sum of push . y(s)                                                                                     (1)

by Newton's method on blocks of 6 x 6, one a body: however many contacts there are, the system has the size of the
bodies, and redundant contacts do no harm. Then y becomes the next x. The weights rho are so large that this happens two
or three times. At the end the displacements are those that the forces give, so that momentum is kept to rounding.

Problems, bodies and rows are those of problem_tables.
"""

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.elimination_kernels import factor_blocks, solve_blocks
from ...solve.status_kernels import DIVERGED
from ..rest.rest_kernels import is_calm, would_rest
from .assembly_kernels import assemble
from .law_kernels import COULOMB, LAGGED, contact_force, contact_residuals, joint_force, joint_residual
from .line_search_kernels import length_ahead
from .problem_tables import Search
from .row_kernels import SLIP, evaluate, evaluate_linear, first_row, rows_of, set_end, three

MAX_UPDATES, MAX_MULTIPLIER_STEPS = 60, 30
LATE, LEAST_RAISE = 10, 1.5
"""Updates after which weights with which Newton's method does not get through are raised by less, down to this factor:
the last ones hold nothing better either, and to begin anew with low ones leads here again."""
PROGRESS = 0.9
"""Share of the lowest residual so far that a round must come to, or it was in vain."""
STEPS_TO_COME_NEARER = 6
"""Newton steps after which (1) must be nearer to right than at first."""
FRICTION_SLACK = 10.0
"""How much farther from its law friction may stay than contacts and joints."""
LEAST_WEIGHT, FIRST_WEIGHT, LAST_WEIGHT = 1e1, 1e4, 1e7
FAR, FAR_WEIGHT = 1e5, 1e3
"""From this many tolerances on, forces are far from right, and weights begin here."""
PRECISE, FIRST_PRECISE = 0.03, 1e-4
"""To which share of the tolerance, or of what forces are wrong by, equation (1) is solved."""
WELL_AHEAD, HARDLY_AHEAD = 0.1, 0.5
"""Shares of the last residual: below the first, weights serve well; above the second, they were too low."""
RAISED, LOWERED, LOWEST = 10.0, 0.1, 0.01
"""Factors of weights: if updates are slow; of the most that they may be after a failure; where they begin anew then."""
OF_WANTED = 0.3
"""Share of the residual that is wanted, to which equation (1) is solved at least."""
JOINT_WEIGHT = 1e3
"""How much larger the weights of joints are: they never let go, so that Newton's method has nothing to search for."""


@lean_kernel
def _set_weights(items, contacts, rows_io, response, factor):
    """Weights rho: what each row alone answers with, many times over, so that a value of 1 m calls for that length."""
    push, rho, n = rows_io.push, rows_io.rho, contacts.n
    for item in items:
        first, last = rows_of(item, contacts)
        for r in range(first, last):
            answer = 0.0
            for side in range(2):
                b = rows_io.body[item, side]
                for i in range(6):
                    for j in range(6):
                        answer += push[r, 6 * side + i] * response[b, i, j] * push[r, 6 * side + j]
            rho[r] = factor / answer if answer > 0.0 else factor
        if item >= n and rows_io.lower[item - n] == -np.inf and rows_io.upper[item - n] == np.inf:
            rho[first] *= JOINT_WEIGHT
        if last == first + 3:
            # One weight for both tangents: friction has no favourite direction.
            rho[first + 1] = rho[first + 2] = min(rho[first + 1], rho[first + 2])


@inner_kernel
def place_items(items, members, problem, bodies_io, rows_io):
    """Values of the items where the bodies' shifts have brought them."""
    if problem.linear:
        evaluate_linear(items, problem.contacts, problem.base, bodies_io.shift, rows_io)
        return
    for b in members:
        set_end(b, bodies_io.motion, bodies_io.free, bodies_io.dt, bodies_io.shift, bodies_io.end)
    evaluate(items, problem.contacts, problem.joints, bodies_io.end, rows_io)


@inner_kernel
def _answer(items, contacts, rows_io, search, hold):
    """Forces y that the values call for; where contacts `hold`, those that pushed may pull."""
    n, mu, frame, weight = contacts.n, contacts.mu, rows_io.frame, search.factor
    w, x, y, rho = rows_io.w, rows_io.x, rows_io.y, rows_io.rho
    for item in items:
        r = first_row(item, n)
        if item >= n:
            j = item - n
            y[r], _ = joint_force(
                x[r], w[r], rows_io.compliance[j], rows_io.lower[j], rows_io.upper[j], weight * rho[r]
            )
        elif mu[item] > 0.0:
            slip = (frame[item, SLIP], frame[item, SLIP + 1])
            y[r], y[r + 1], y[r + 2] = contact_force(
                three(x, r), three(w, r), mu[item], (weight * rho[r], weight * rho[r + 1]), slip, search.law
            )
        else:
            y[r] = x[r] - weight * rho[r] * w[r]
            if y[r] < 0.0 and not (hold and x[r] > 0.0):
                y[r] = 0.0


@lean_kernel
def _gather_pushes(items, members, contacts, rows, force, others, wrench_out):
    """Sum of the pushes of `force` on the members, and what others push them with."""
    for b in members:
        for i in range(6):
            wrench_out[b, i] = others[b, i]
    add_pushes(items, contacts, rows, force, wrench_out)


@lean_kernel
def add_pushes(items, contacts, rows, force, wrench_io):
    """Add the pushes of `force` on the bodies of the items."""
    push = rows.push
    for item in items:
        first, last = rows_of(item, contacts)
        a, b = rows.body[item, 0], rows.body[item, 1]
        for r in range(first, last):
            f = force[r]
            if f != 0.0:
                for i in range(6):
                    wrench_io[a, i] += f * push[r, i]
                    wrench_io[b, i] += f * push[r, 6 + i]


@inner_kernel
def _times(matrix, b, i, v):
    """Entry i of matrix[b] v[b]."""
    s = 0.0
    for j in range(6):
        s += matrix[b, i, j] * v[b, j]
    return s


@lean_kernel
def _respond(members, response, wrench, shift_out):
    """Displacements that wrenches give."""
    for b in members:
        for i in range(6):
            shift_out[b, i] = _times(response, b, i, wrench)


@inner_kernel
def _missing(members, weight, shift, wrench_io):
    """Turn the wrenches of the answers into what is missing from equation (1)."""
    for b in members:
        for i in range(6):
            wrench_io[b, i] -= _times(weight, b, i, shift)


@lean_kernel
def _largest(members, response, missing, reach):
    """The largest way [m] by which displacements miss those that the forces give."""
    largest = 0.0
    for b in members:
        for i in range(6):
            way = abs(_times(response, b, i, missing)) * (1.0 if i < 3 else reach[b])
            if not way <= largest:
                largest = way
    return largest


@inner_kernel
def residuals_of(item, problem, rows, force):
    """Violations of one item: of a contact or joint, and of friction."""
    n, mu, frame, w = problem.contacts.n, problem.contacts.mu, rows.frame, rows.w
    r = first_row(item, n)
    if item >= n:
        j = item - n
        return joint_residual(force[r], w[r], rows.compliance[j], rows.lower[j], rows.upper[j]), 0.0
    if mu[item] > 0.0:
        slip = (frame[item, SLIP], frame[item, SLIP + 1])
        return contact_residuals(three(force, r), three(w, r), mu[item], slip, problem.law)
    return abs(min(force[r], w[r])), 0.0


@lean_kernel
def largest_residuals(items, problem, rows, force):
    """Largest violations: of contacts and joints, and of friction."""
    hard, soft = 0.0, 0.0
    for item in items:
        value, slip = residuals_of(item, problem, rows, force)
        hard = value if not value <= hard else hard
        soft = slip if not slip <= soft else soft
    return hard, soft


@lean_kernel
def _newton(island, problem, bodies_io, rows_io, search, matrix_io, rate_io):
    """Solve equation (1) for given multipliers and leave the answers in y: whether it converged, and the steps.

    If contacts hold, the first step goes all the way to where the contacts that push would all be closed. Values that
    are a little wrong, times large weights, open and close many contacts, and to find back from there takes many steps.
    """
    items, members, contacts, wrong_at_first = island.items, island.members, problem.contacts, 0.0
    place_items(items, members, problem, bodies_io, rows_io)
    for step in range(MAX_MULTIPLIER_STEPS):
        held = search.hold and step == 0
        wrong = _find_missing(items, members, contacts, bodies_io, rows_io, search, held)
        if wrong <= search.tolerance and not held:
            return True, step
        if step == 0:
            wrong_at_first = wrong
        elif step >= STEPS_TO_COME_NEARER and wrong > wrong_at_first:
            return False, step
        assemble(island, contacts, rows_io, bodies_io.weight, search, held, matrix_io)
        if not _find_step(members, bodies_io.missing, matrix_io, bodies_io.step):
            return False, step
        if _length(members, bodies_io.step, bodies_io.reach) <= search.tolerance:
            _finish(island, contacts, rows_io, bodies_io.step, bodies_io.shift)
            if _find_missing(items, members, contacts, bodies_io, rows_io, search, False) <= search.tolerance:
                return True, step + 1
            continue
        length = 1.0
        if not held:
            length = length_ahead(island, contacts, bodies_io, rows_io, search, rate_io)
        _walk(members, length, bodies_io.step, bodies_io.shift)
        place_items(items, members, problem, bodies_io, rows_io)
    return False, MAX_MULTIPLIER_STEPS


@inner_kernel
def _find_missing(items, members, contacts, bodies_io, rows_io, search, held):
    """What the answers to the values leave missing from equation (1), and the largest way [m] by which."""
    _answer(items, contacts, rows_io, search, held)
    _gather_pushes(items, members, contacts, rows_io, rows_io.y, bodies_io.others, bodies_io.missing)
    _missing(members, bodies_io.weight, bodies_io.shift, bodies_io.missing)
    return _largest(members, bodies_io.response, bodies_io.missing, bodies_io.reach)


@inner_kernel
def _find_step(members, missing, matrix_io, step_out):
    """Factor the matrix and solve for what is missing, one row a member; False where it is singular."""
    n, start, row, low, up, work = (
        members.shape[0],
        matrix_io.start,
        matrix_io.row,
        matrix_io.low,
        matrix_io.up,
        matrix_io.work,
    )
    if not factor_blocks(n, start, row, matrix_io.target, low, up, matrix_io.diagonal, work):
        return False
    for i in range(n):
        for k in range(6):
            step_out[i, k] = missing[members[i], k]
    solve_blocks(n, start, row, low, up, matrix_io.diagonal, work, step_out)
    return True


@inner_kernel
def _length(members, direction, reach):
    """The longest way [m] of a step."""
    longest = 0.0
    for i in range(members.shape[0]):
        for k in range(6):
            way = abs(direction[i, k]) if k < 3 else abs(direction[i, k]) * reach[members[i]]
            if not way <= longest:
                longest = way
    return longest


@lean_kernel
def _finish(island, contacts, rows_io, direction, shift_io):
    """Take a short last step, with the change of the values that was reckoned with.

    Values found anew would carry another rounding, which the weights would turn into forces that do not belong to the
    displacements.
    """
    slope, w = rows_io.slope, rows_io.w
    _walk(island.members, 1.0, direction, shift_io)
    for item in island.items:
        first, last = rows_of(item, contacts)
        for side in range(2):
            i = island.position[rows_io.body[item, side]]
            if i >= 0:
                for r in range(first, last):
                    for k in range(6):
                        w[r] += slope[r, 6 * side + k] * direction[i, k]


@inner_kernel
def _walk(members, length, direction, shift_io):
    """Go this far along the direction."""
    for i in range(members.shape[0]):
        for k in range(6):
            shift_io[members[i], k] += length * direction[i, k]


@kernel
def solve_island(island, problem, bodies_io, rows_io, tolerance, still, matrix_io):
    """Forces x of the items and shifts of the bodies: residuals of contacts and of friction, and Newton steps.

    x holds the forces to begin with. Members are in the order of elimination.
    Forces far from right are first looked for with low weights, with which Newton's method has less to search for.
    Where it does not get through all the same, friction is taken from the last forces for once, and weights stay lower.
    """
    items, members, contacts = island.items, island.members, problem.contacts
    factor, most, law = 1.0, LAST_WEIGHT / FIRST_WEIGHT, problem.law
    _set_weights(items, contacts, rows_io, bodies_io.response, FIRST_WEIGHT)
    best, lowest, rate = np.zeros(3 * items.shape[0]), np.inf, np.empty((3 * items.shape[0], 2))
    slack, wanted = (1.0, 0.5 * still) if is_calm(members, bodies_io, tolerance, still) else (FRICTION_SLACK, tolerance)
    before, steps, plain, smooth, raised = np.inf, 0, True, _is_smooth(items, contacts), 1.0
    for update in range(MAX_UPDATES):
        hard, soft = measure(items, members, problem, bodies_io, rows_io)
        worst = max(hard, soft / slack)
        if update == 0 and worst <= tolerance and would_rest(members, bodies_io, still):
            return hard, soft, steps
        if worst <= wanted or (worst <= tolerance and worst > WELL_AHEAD * before):
            return hard, soft, steps
        if not worst < DIVERGED:
            break
        if worst < lowest:
            lowest = worst
            _store(items, contacts.n, rows_io.x, best)
        if update == 0:
            far = worst > FAR * tolerance
            factor = FAR_WEIGHT / FIRST_WEIGHT if far else 1.0
            # Else forces tell better than velocities where bodies come to; friction that slips is another matter.
            if far or not smooth:
                _go_on(members, bodies_io)
        elif plain and (factor < 1.0 or (update > 1 and worst > WELL_AHEAD * before)):
            # A weight that was too much from afar may do from near.
            most = min(RAISED * most, LAST_WEIGHT / FIRST_WEIGHT) if worst > HARDLY_AHEAD * before else most
            factor, raised = min(RAISED * factor, most), RAISED
        before, precise = worst, max(min(OF_WANTED * wanted, PRECISE * tolerance), FIRST_PRECISE * worst)
        through, more = _newton(
            island, problem, bodies_io, rows_io, Search(factor, law, precise, smooth), matrix_io, rate
        )
        steps += more
        plain, law = through and law == problem.law, problem.law
        if through:
            _keep_answers(items, contacts, rows_io)
            raised = 1.0
        elif update >= LATE and raised > LEAST_RAISE:
            raised = np.sqrt(raised)
            factor /= raised
        else:
            raised = 1.0
            law = LAGGED if law == COULOMB else law
            most = max(LOWERED * factor, LEAST_WEIGHT / FIRST_WEIGHT)
            factor = max(LOWEST * factor, LEAST_WEIGHT / FIRST_WEIGHT)
            _go_on(members, bodies_io)
    _recall(items, contacts.n, best, rows_io.x)
    hard, soft = measure(items, members, problem, bodies_io, rows_io)
    return hard, soft, steps


@lean_kernel
def _is_smooth(items, contacts):
    """Whether there is no friction."""
    for item in items:
        if item < contacts.n and contacts.mu[item] > 0.0:
            return False
    return True


@lean_kernel
def _go_on(members, bodies_io):
    """Begin where the bodies would come with the velocities they have: a good guess for all that lasts."""
    free, dt, shift, twist = bodies_io.free, bodies_io.dt, bodies_io.shift, bodies_io.twist
    for b in members:
        for i in range(6):
            shift[b, i] = dt * (twist[b, i] - free[b, i])


@lean_kernel
def measure(items, members, problem, bodies_io, rows_io):
    """Shift the bodies as the forces x say, and see how far contacts, joints and friction are from their laws."""
    _gather_pushes(items, members, problem.contacts, rows_io, rows_io.x, bodies_io.others, bodies_io.wrench)
    _respond(members, bodies_io.response, bodies_io.wrench, bodies_io.shift)
    place_items(items, members, problem, bodies_io, rows_io)
    return largest_residuals(items, problem, rows_io, rows_io.x)


@lean_kernel
def _store(items, n, x, stored_out):
    """Forces of the items, three each."""
    for m in range(items.shape[0]):
        r = first_row(items[m], n)
        stored_out[3 * m] = x[r]
        if items[m] < n:
            stored_out[3 * m + 1], stored_out[3 * m + 2] = x[r + 1], x[r + 2]


@lean_kernel
def _recall(items, n, stored, x_out):
    """The same forces back."""
    for m in range(items.shape[0]):
        r = first_row(items[m], n)
        x_out[r] = stored[3 * m]
        if items[m] < n:
            x_out[r + 1], x_out[r + 2] = stored[3 * m + 1], stored[3 * m + 2]


@lean_kernel
def _keep_answers(items, contacts, rows_io):
    """Forces are what the values called for."""
    for item in items:
        first, last = rows_of(item, contacts)
        for r in range(first, last):
            rows_io.x[r] = rows_io.y[r]
