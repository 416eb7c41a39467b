"""The forces of one island by the method of multipliers (Hestenes, Powell 1969; with friction Alart & Curnier 1991).

With forces x as multipliers, every item answers to its value w with the force y = P(x - rho w) (law_kernels), and the
bodies' displacements s solve

    M s / m = sum of push . y(s)                                                                                     (1)

by Newton's method on blocks of 6 x 6, one a body: however many contacts there are, the system has the size of the
bodies, and redundant contacts do no harm. Then y becomes the next x. The weights rho are so large that this happens two
or three times. At the end the displacements are those that the forces give, so that momentum is kept to rounding.

problem = (n_contact, contacts, frame, joints, law, linear, base): what row_kernels evaluate;
bodies  = (motion, free, response, weight, dt, reach, shift, end, wrench, twist, others): weight = M / m, response its
          inverse, twist of the bodies when the step begins, `others` what items beyond these push them with;
rows    = (body, push, slope, w, x, y, rho, compliance, lower, upper).
"""

import numpy as np

from .._jit import inner_kernel, kernel, lean_kernel
from ..math.elimination_kernels import factor_blocks, solve_blocks
from .assembly_kernels import assemble
from .law_kernels import (
    COULOMB,
    LAGGED,
    contact_force,
    contact_residuals,
    joint_force,
    joint_residual,
)
from .line_search_kernels import length_ahead
from .rest_kernels import is_calm, would_rest
from .row_kernels import SLIP, evaluate, evaluate_linear, first_row, set_end, three

MAX_UPDATES, MAX_NEWTON = 30, 30
PATIENCE = 6
"""Newton steps after which (1) must be nearer to right than at first."""
FRICTION_SLACK = 10.0
"""How much farther from its law friction may stay than contacts and joints."""
LEAST_WEIGHT, FIRST_WEIGHT, LAST_WEIGHT = 1e1, 1e4, 1e7
FAR, FAR_WEIGHT = 1e5, 1e3
"""From this many tolerances on, forces are far from right, and weights begin here."""
PRECISE, FIRST_PRECISE = 0.03, 1e-4
"""To which share of the tolerance, or of what forces are wrong by, equation (1) is solved."""
JOINT_WEIGHT = 1e3
"""How much larger the weights of joints are: they never let go, so that Newton's method has nothing to search for."""


@lean_kernel
def _set_weights(items, n_contact, rows, mu, response, factor):
    """Weights rho: what each row alone answers with, many times over, so that a value of 1 m calls for that length."""
    body, push, _slope, _w, _x, _y, rho, _compliance, lower, upper = rows
    for item in items:
        first = first_row(item, n_contact)
        last = first + 3 if item < n_contact and mu[item] > 0.0 else first + 1
        for r in range(first, last):
            answer = 0.0
            for side in range(2):
                b = body[item, side]
                for i in range(6):
                    for j in range(6):
                        answer += push[r, 6 * side + i] * response[b, i, j] * push[r, 6 * side + j]
            rho[r] = factor / answer if answer > 0.0 else factor
        if item >= n_contact and lower[item - n_contact] == -np.inf and upper[item - n_contact] == np.inf:
            rho[first] *= JOINT_WEIGHT
        if last == first + 3:
            # One weight for both tangents: friction has no favourite direction.
            rho[first + 1] = rho[first + 2] = min(rho[first + 1], rho[first + 2])


@inner_kernel
def place_items(items, list_, problem, bodies, rows):
    """Values of the items where the bodies' shifts have brought them."""
    n, contacts, frame, joints, _law, linear, base = problem
    motion, free, dt, shift, end = bodies[0], bodies[1], bodies[4], bodies[6], bodies[7]
    body, push, slope, w = rows[0], rows[1], rows[2], rows[3]
    if linear:
        evaluate_linear(items, n, body, push, base, shift, contacts[4], w, slope)
        return
    for b in list_:
        set_end(b, motion, free, dt, shift, end)
    evaluate(items, n, contacts, frame, joints, end, w, slope)


@inner_kernel
def _answer(items, problem, rows, weight, law, hold):
    """Forces y that the values call for; where contacts `hold`, those that pushed may pull."""
    n, contacts, frame = problem[0], problem[1], problem[2]
    _body, _push, _slope, w, x, y, rho, compliance, lower, upper = rows
    mu = contacts[4]
    for item in items:
        r = first_row(item, n)
        if item >= n:
            y[r], _ = joint_force(x[r], w[r], compliance[item - n], lower[item - n], upper[item - n], weight * rho[r])
        elif mu[item] > 0.0:
            slip = (frame[item, SLIP], frame[item, SLIP + 1])
            y[r], y[r + 1], y[r + 2] = contact_force(
                three(x, r), three(w, r), mu[item], (weight * rho[r], weight * rho[r + 1]), slip, law
            )
        else:
            y[r] = x[r] - weight * rho[r] * w[r]
            if y[r] < 0.0 and not (hold and x[r] > 0.0):
                y[r] = 0.0


@lean_kernel
def _gather_pushes(items, list_, n, mu, body, push, force, others, out):
    """Sum of the pushes of `force` on the listed bodies, and what others push them with."""
    for b in list_:
        for i in range(6):
            out[b, i] = others[b, i]
    add_pushes(items, n, mu, body, push, force, out)


@lean_kernel
def add_pushes(items, n, mu, body, push, force, out):
    """Add the pushes of `force` on the bodies of the items."""
    for item in items:
        first = first_row(item, n)
        last = first + 3 if item < n and mu[item] > 0.0 else first + 1
        a, b = body[item, 0], body[item, 1]
        for r in range(first, last):
            f = force[r]
            if f != 0.0:
                for i in range(6):
                    out[a, i] += f * push[r, i]
                    out[b, i] += f * push[r, 6 + i]


@inner_kernel
def _times(matrix, b, i, v):
    """Entry i of matrix[b] v[b]."""
    s = 0.0
    for j in range(6):
        s += matrix[b, i, j] * v[b, j]
    return s


@lean_kernel
def _respond(list_, response, wrench, shift_out):
    """Displacements that wrenches give."""
    for b in list_:
        for i in range(6):
            shift_out[b, i] = _times(response, b, i, wrench)


@inner_kernel
def _missing(list_, weight, shift, wrench):
    """Turn the wrenches of the answers into what is missing from equation (1)."""
    for b in list_:
        for i in range(6):
            wrench[b, i] -= _times(weight, b, i, shift)


@lean_kernel
def _largest(list_, response, missing, reach):
    """The largest way [m] by which displacements miss those that the forces give."""
    largest = 0.0
    for b in list_:
        for i in range(6):
            way = abs(_times(response, b, i, missing)) * (1.0 if i < 3 else reach[b])
            if not way <= largest:
                largest = way
    return largest


@inner_kernel
def residuals_of(item, problem, rows, force):
    """Violations of one item: of a contact or joint, and of friction."""
    n, mu, frame, w = problem[0], problem[1][4], problem[2], rows[3]
    r = first_row(item, n)
    if item >= n:
        j = item - n
        return joint_residual(force[r], w[r], rows[7][j], rows[8][j], rows[9][j]), 0.0
    if mu[item] > 0.0:
        slip = (frame[item, SLIP], frame[item, SLIP + 1])
        return contact_residuals(three(force, r), three(w, r), mu[item], slip, problem[4])
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
def _newton(items, list_, problem, bodies, rows, position, factor, law, tolerance, hold, matrix, scratch):
    """Solve equation (1) for given multipliers and leave the answers in y: whether it converged, and the steps.

    With `hold`, the first step goes all the way to where the contacts that push would all be closed. Values that are a
    little wrong, times large weights, open and close many contacts, and to find back from there takes many steps.
    """
    _motion, _free, response, weight, _dt, reach, shift, _end, _wrench, _twist, others = bodies
    body, push, y = rows[0], rows[1], rows[5]
    missing, right, rate = scratch
    n, mu = problem[0], problem[1][4]
    n_body, wrong_at_first = list_.shape[0], 0.0
    place_items(items, list_, problem, bodies, rows)
    for step in range(MAX_NEWTON):
        held = hold and step == 0
        _answer(items, problem, rows, factor, law, held)
        _gather_pushes(items, list_, n, mu, body, push, y, others, missing)
        _missing(list_, weight, shift, missing)
        wrong = _largest(list_, response, missing, reach)
        if wrong <= tolerance and not held:
            return True, step
        if step == 0:
            wrong_at_first = wrong
        elif step >= PATIENCE and wrong > wrong_at_first:
            return False, step
        assemble(items, list_, problem, rows, weight, position, factor, law, held, matrix)
        start, row, target, low, up, diagonal, work = matrix
        if not factor_blocks(n_body, start, row, target, low, up, diagonal, work):
            return False, step
        for i in range(n_body):
            for k in range(6):
                right[i, k] = missing[list_[i], k]
        solve_blocks(n_body, start, row, low, up, diagonal, work, right)
        if _length(list_, right, reach) <= tolerance:
            _finish(items, list_, n, mu, rows, position, right, shift)
            _answer(items, problem, rows, factor, law, False)
            _gather_pushes(items, list_, n, mu, body, push, y, others, missing)
            _missing(list_, weight, shift, missing)
            if _largest(list_, response, missing, reach) <= tolerance:
                return True, step + 1
            continue
        length = 1.0
        if not held:
            length = length_ahead(items, list_, problem, bodies, rows, position, factor, law, right, rate)
        _walk(list_, length, right, shift)
        place_items(items, list_, problem, bodies, rows)
    return False, MAX_NEWTON


@inner_kernel
def _length(list_, direction, reach):
    """The longest way [m] of a step."""
    longest = 0.0
    for i in range(list_.shape[0]):
        for k in range(6):
            way = abs(direction[i, k]) if k < 3 else abs(direction[i, k]) * reach[list_[i]]
            if not way <= longest:
                longest = way
    return longest


@lean_kernel
def _finish(items, list_, n, mu, rows, position, direction, shift):
    """Take a short last step, with the change of the values that was reckoned with.

    Values found anew would carry another rounding, which the weights would turn into forces that do not belong to the
    displacements.
    """
    body, slope, w = rows[0], rows[2], rows[3]
    _walk(list_, 1.0, direction, shift)
    for item in items:
        first = first_row(item, n)
        last = first + 3 if item < n and mu[item] > 0.0 else first + 1
        for side in range(2):
            i = position[body[item, side]]
            if i >= 0:
                for r in range(first, last):
                    for k in range(6):
                        w[r] += slope[r, 6 * side + k] * direction[i, k]


@inner_kernel
def _walk(list_, length, direction, shift):
    """Go this far along the direction."""
    for i in range(list_.shape[0]):
        for k in range(6):
            shift[list_[i], k] += length * direction[i, k]


@kernel
def solve_island(items, list_, problem, bodies, rows, position, tolerance, still, matrix, scratch):
    """Forces x of the items and shifts of the bodies: residuals of contacts and of friction, and Newton steps.

    x holds the forces to begin with. list_ are the bodies in the order of elimination, position their places in it.
    Forces far from right are first looked for with low weights, with which Newton's method has less to search for.
    Where it does not get through all the same, friction is taken from the last forces for once, and weights stay lower.
    """
    x, y = rows[4], rows[5]
    n, mu = problem[0], problem[1][4]
    factor, most, law = 1.0, LAST_WEIGHT / FIRST_WEIGHT, problem[4]
    _set_weights(items, n, rows, mu, bodies[2], FIRST_WEIGHT)
    best, lowest = np.zeros(3 * items.shape[0]), np.inf
    room = (scratch[0], scratch[1], np.empty((3 * items.shape[0], 2)))
    slack, wanted = (1.0, 0.5 * still) if is_calm(list_, bodies, tolerance, still) else (FRICTION_SLACK, tolerance)
    before, steps, plain, smooth = np.inf, 0, True, _is_smooth(items, n, mu)
    for update in range(MAX_UPDATES):
        hard, soft = measure(items, list_, problem, bodies, rows)
        worst = max(hard, soft / slack)
        if update == 0 and worst <= tolerance and would_rest(list_, bodies, still):
            return hard, soft, steps
        if worst <= wanted or (worst <= tolerance and worst > 0.1 * before):
            return hard, soft, steps
        if not worst < 1e300:
            break
        if worst < lowest:
            lowest = worst
            _store(items, n, x, best)
        if update == 0:
            far = worst > FAR * tolerance
            factor = FAR_WEIGHT / FIRST_WEIGHT if far else 1.0
            # Else forces tell better than velocities where bodies come to; friction that slips is another matter.
            if far or not smooth:
                _go_on(list_, bodies)
        elif plain and (factor < 1.0 or (update > 1 and worst > 0.1 * before)):
            # A weight that was too much from afar may do from near.
            most = min(10.0 * most, LAST_WEIGHT / FIRST_WEIGHT) if worst > 0.5 * before else most
            factor = min(10.0 * factor, most)
        before, precise = worst, max(min(0.3 * wanted, PRECISE * tolerance), FIRST_PRECISE * worst)
        through, more = _newton(
            items, list_, problem, bodies, rows, position, factor, law, precise, smooth, matrix, room
        )
        steps += more
        plain, law = through and law == problem[4], problem[4]
        if through:
            _keep_answers(items, n, mu, x, y)
        else:
            law = LAGGED if law == COULOMB else law
            most = max(0.1 * factor, LEAST_WEIGHT / FIRST_WEIGHT)
            factor = max(0.01 * factor, LEAST_WEIGHT / FIRST_WEIGHT)
            _go_on(list_, bodies)
    _recall(items, n, best, x)
    hard, soft = measure(items, list_, problem, bodies, rows)
    return hard, soft, steps


@lean_kernel
def _is_smooth(items, n, mu):
    """Whether there is no friction."""
    for item in items:
        if item < n and mu[item] > 0.0:
            return False
    return True


@lean_kernel
def _go_on(list_, bodies):
    """Begin where the bodies would come with the velocities they have: a good guess for all that lasts."""
    free, dt, shift, twist = bodies[1], bodies[4], bodies[6], bodies[9]
    for b in list_:
        for i in range(6):
            shift[b, i] = dt * (twist[b, i] - free[b, i])


@lean_kernel
def measure(items, list_, problem, bodies, rows):
    """Shift the bodies as the forces x say, and see how far contacts, joints and friction are from their laws."""
    response, shift, body, push, x = bodies[2], bodies[6], rows[0], rows[1], rows[4]
    wrench, others = bodies[8], bodies[10]
    _gather_pushes(items, list_, problem[0], problem[1][4], body, push, x, others, wrench)
    _respond(list_, response, wrench, shift)
    place_items(items, list_, problem, bodies, rows)
    return largest_residuals(items, problem, rows, x)


@lean_kernel
def _store(items, n, x, out):
    for m in range(items.shape[0]):
        r = first_row(items[m], n)
        out[3 * m] = x[r]
        if items[m] < n:
            out[3 * m + 1], out[3 * m + 2] = x[r + 1], x[r + 2]


@lean_kernel
def _recall(items, n, stored, x_out):
    for m in range(items.shape[0]):
        r = first_row(items[m], n)
        x_out[r] = stored[3 * m]
        if items[m] < n:
            x_out[r + 1], x_out[r + 2] = stored[3 * m + 1], stored[3 * m + 2]


@lean_kernel
def _keep_answers(items, n, mu, x, y):
    for item in items:
        r = first_row(item, n)
        x[r] = y[r]
        if item < n and mu[item] > 0.0:
            x[r + 1], x[r + 2] = y[r + 1], y[r + 2]
