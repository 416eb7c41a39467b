"""How much of Newton's step to take: to where equation (1) of multiplier_kernels has the lowest potential on the way.

Values are taken to be linear along the step, as Newton's method takes them, so that a look ahead costs a few products a
row and nothing has to be placed. What is not linear in them would, times large weights, only cut good steps short.
"""

from ..._jit import inner_kernel, lean_kernel
from .law_kernels import contact_force, joint_force
from .row_kernels import SLIP, first_row, rows_of, three

# Columns of rates: of the value of a row along the step, and the work that a force of 1 does there.
CHANGE, WORK = 0, 1

MAX_SEARCH = 12
OFF_THE_ENDS = 0.1
"""Share of a bracket by which the next look stays off its ends."""
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
def _look_ahead(island, contacts, rows, direction, rate_out):
    """Rates of the rows of all items, three for each item."""
    items, position = island.items, island.position
    for m in range(items.shape[0]):
        first, last = rows_of(items[m], contacts)
        i, j = position[rows.body[items[m], 0]], position[rows.body[items[m], 1]]
        for k in range(last - first):
            change, work = _rates(first + k, i, j, rows.push, rows.slope, direction)
            rate_out[3 * m + k, CHANGE], rate_out[3 * m + k, WORK] = change, work


@lean_kernel
def _inertia(members, weight, shift, direction):
    """Work that inertia takes along the direction, and how it grows on the way."""
    work, growth = 0.0, 0.0
    for i in range(members.shape[0]):
        b = members[i]
        for p in range(6):
            for q in range(6):
                d = direction[i, p] * weight[b, p, q]
                work += d * shift[b, q]
                growth += d * direction[i, q]
    return work, growth


@inner_kernel
def _slope_at(length, items, contacts, rows, search, inertia, rate):
    """Minus the slope of the potential this far along the direction; inertia = (work, growth)."""
    n, mu, frame, factor = contacts.n, contacts.mu, rows.frame, search.factor
    w, x, rho = rows.w, rows.x, rows.rho
    work, growth = inertia
    total = -work - length * growth
    for m in range(items.shape[0]):
        item, p = items[m], 3 * m
        r = first_row(item, n)
        value = w[r] + length * rate[p, CHANGE]
        if item >= n:
            j = item - n
            law = (rows.compliance[j], rows.lower[j], rows.upper[j])
            force, _ = joint_force(x[r], value, *law, factor * rho[r])
            total += force * rate[p, WORK]
        elif mu[item] > 0.0:
            values = (value, w[r + 1] + length * rate[p + 1, CHANGE], w[r + 2] + length * rate[p + 2, CHANGE])
            slip = (frame[item, SLIP], frame[item, SLIP + 1])
            f = contact_force(three(x, r), values, mu[item], (factor * rho[r], factor * rho[r + 1]), slip, search.law)
            total += f[0] * rate[p, WORK] + f[1] * rate[p + 1, WORK] + f[2] * rate[p + 2, WORK]
        else:
            total += max(x[r] - factor * rho[r] * value, 0.0) * rate[p, WORK]
    return total


@lean_kernel
def length_ahead(island, contacts, bodies, rows, search, rate_io):
    """The part of the step of the bodies to take: all of it unless it leads far beyond the lowest point.

    `rate_io` (3 rows an item, 2) is filled with what CHANGE and WORK say.
    """
    items = island.items
    _look_ahead(island, contacts, rows, bodies.step, rate_io)
    inertia = _inertia(island.members, bodies.weight, bodies.shift, bodies.step)
    slope = _slope_at(0.0, items, contacts, rows, search, inertia, rate_io)
    low, high, low_slope, high_slope, length = 0.0, 1.0, slope, slope, 1.0
    for look in range(MAX_SEARCH + 1):
        ahead = _slope_at(length, items, contacts, rows, search, inertia, rate_io)
        flat = ahead >= -NEAR_FLAT * slope or slope <= 0.0 if look == 0 else abs(ahead) <= NEAR_FLAT * slope
        if flat:
            break
        if ahead > 0.0:
            low, low_slope = length, ahead
        else:
            high, high_slope = length, ahead
        # A straight line's zero, kept off the ends of the bracket.
        length = low + (high - low) * min(max(low_slope / (low_slope - high_slope), OFF_THE_ENDS), 1.0 - OFF_THE_ENDS)
    return length
