"""How much of Newton's step to take: to where equation (1) of multiplier_kernels has the lowest potential on the way.

Values are taken to be linear along the step, as Newton's method takes them, so that a look ahead costs a few products a
row and nothing has to be placed. What is not linear in them would, times large weights, only cut good steps short.
"""

from .._jit import inner_kernel, lean_kernel
from .law_kernels import contact_force, joint_force
from .row_kernels import SLIP, first_row, three

MAX_SEARCH = 12
NEAR_FLAT = 0.1
"""Slopes count as none that are this share of the one at the beginning."""


@inner_kernel
def _rates(r, i, j, push, slope, direction):
    """How the value of row r changes along the direction of bodies i and j, and what work a force of 1 does there."""
    change, work = 0.0, 0.0
    for k in range(6 if i >= 0 else 0):
        change += slope[r, k] * direction[i, k]
        work += push[r, k] * direction[i, k]
    for k in range(6 if j >= 0 else 0):
        change += slope[r, 6 + k] * direction[j, k]
        work += push[r, 6 + k] * direction[j, k]
    return change, work


@lean_kernel
def _look_ahead(items, n, mu, rows, position, direction, rate_out):
    """Rates of the rows of all items, three for each item."""
    body, push, slope = rows[0], rows[1], rows[2]
    for m in range(items.shape[0]):
        item = items[m]
        first = first_row(item, n)
        i, j = position[body[item, 0]], position[body[item, 1]]
        for k in range(3 if item < n and mu[item] > 0.0 else 1):
            rate_out[3 * m + k, 0], rate_out[3 * m + k, 1] = _rates(first + k, i, j, push, slope, direction)


@lean_kernel
def _inertia(list_, weight, shift, direction):
    """Work that inertia takes along the direction, and how it grows on the way."""
    work, growth = 0.0, 0.0
    for i in range(list_.shape[0]):
        b = list_[i]
        for p in range(6):
            for q in range(6):
                d = direction[i, p] * weight[b, p, q]
                work += d * shift[b, q]
                growth += d * direction[i, q]
    return work, growth


@inner_kernel
def _slope_at(length, items, problem, rows, factor, law, inertia, rate):
    """Minus the slope of the potential this far along the direction."""
    n, contacts, frame = problem[0], problem[1], problem[2]
    _body, _push, _slope, w, x, _y, rho, compliance, lower, upper = rows
    mu = contacts[4]
    total = -inertia[0] - length * inertia[1]
    for m in range(items.shape[0]):
        item, p = items[m], 3 * m
        r = first_row(item, n)
        value = w[r] + length * rate[p, 0]
        if item >= n:
            j = item - n
            force, _ = joint_force(x[r], value, compliance[j], lower[j], upper[j], factor * rho[r])
            total += force * rate[p, 1]
        elif mu[item] > 0.0:
            values = (value, w[r + 1] + length * rate[p + 1, 0], w[r + 2] + length * rate[p + 2, 0])
            slip = (frame[item, SLIP], frame[item, SLIP + 1])
            f = contact_force(three(x, r), values, mu[item], (factor * rho[r], factor * rho[r + 1]), slip, law)
            total += f[0] * rate[p, 1] + f[1] * rate[p + 1, 1] + f[2] * rate[p + 2, 1]
        else:
            total += max(x[r] - factor * rho[r] * value, 0.0) * rate[p, 1]
    return total


@lean_kernel
def length_ahead(items, list_, problem, bodies, rows, position, factor, law, direction, rate):
    """The part of the step `direction` to take: all of it unless it leads far beyond the lowest point.

    `rate` (3 rows an item, 2) is scratch.
    """
    weight, shift = bodies[3], bodies[6]
    _look_ahead(items, problem[0], problem[1][4], rows, position, direction, rate)
    inertia = _inertia(list_, weight, shift, direction)
    slope = _slope_at(0.0, items, problem, rows, factor, law, inertia, rate)
    low, high, low_slope, high_slope, length = 0.0, 1.0, slope, slope, 1.0
    for search in range(MAX_SEARCH + 1):
        ahead = _slope_at(length, items, problem, rows, factor, law, inertia, rate)
        flat = ahead >= -NEAR_FLAT * slope or slope <= 0.0 if search == 0 else abs(ahead) <= NEAR_FLAT * slope
        if flat:
            break
        if ahead > 0.0:
            low, low_slope = length, ahead
        else:
            high, high_slope = length, ahead
        # A straight line's zero, kept off the ends of the bracket.
        length = low + (high - low) * min(max(low_slope / (low_slope - high_slope), 0.1), 0.9)
    return length
