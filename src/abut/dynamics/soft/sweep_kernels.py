"""The impulses with which contacts keep to their laws, by sweeps over the matrix of their answers.

Many contacts that answer nearly alike make sweeps slow. After the first ones, what each has changed is compared with
what earlier ones have, and the next one begins where the best mixture of them leaves least to change (Anderson 1965).
What is left of the contacts is mixed alike: it is linear in impulses. A sweep always comes last, so that all impulses
are within their bounds. Where a sweep changes more than the one before, what is known is forgotten. Without friction
sweeps are few enough, and stay nearer to the impulses of the last step.
"""

from math import hypot, inf, sqrt

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.dense_kernels import cholesky_factor, cholesky_solve
from .soft_tables import Rows
from .touch_kernels import LINK, NODE

# PGS divides by a little more than the answer itself: contacts on the same nodes have equal rows.
_STIFFER = 1.0001
_PLAIN_SWEEPS = 12
"""So many sweeps come one after the other as they are."""
_KEPT_SWEEPS = 6
"""Sweeps that are mixed."""
_SIMILAR = 1e-10
"""Share by which the squares of differences of sweeps are made larger: those of similar ones say the same."""


@inner_kernel
def _shift(answer, r, change, left_io):
    for s in range(left_io.shape[0]):
        left_io[s] += answer[r, s] * change


@lean_kernel
def _sweep_link(answer, a, limit, left_io, impulse_io):
    """One held point: the impulse along each axis with which nothing is left, as a whole within its limit."""
    largest, r = 0.0, 3 * a
    u, v, w = (
        _unheld(answer, r, left_io, impulse_io),
        _unheld(answer, r + 1, left_io, impulse_io),
        _unheld(answer, r + 2, left_io, impulse_io),
    )
    size = sqrt(u * u + v * v + w * w)
    share = limit / size if size > limit else 1.0
    for s, new in ((r, share * u), (r + 1, share * v), (r + 2, share * w)):
        change = new - impulse_io[s]
        impulse_io[s] = new
        _shift(answer, s, change, left_io)
        largest = max(largest, abs(change) * answer[s, s])
    return largest


@inner_kernel
def _unheld(answer, r, left, impulse):
    """The impulse along one axis of a held point with which nothing is left."""
    return impulse[r] - left[r] / (answer[r, r] * _STIFFER) if answer[r, r] > 0.0 else impulse[r]


@lean_kernel
def _sweep_friction(answer, a, bound, left_io, impulse_io):
    """Friction of one contact: sticking if the cone allows it."""
    r = 3 * a
    stiff = max(answer[r + 1, r + 1], answer[r + 2, r + 2]) * _STIFFER
    if stiff == 0.0:
        return 0.0
    u, v = impulse_io[r + 1] - left_io[r + 1] / stiff, impulse_io[r + 2] - left_io[r + 2] / stiff
    size = hypot(u, v)
    if size > bound:
        u, v = (u * bound / size, v * bound / size) if bound > 0.0 else (0.0, 0.0)
    largest = stiff * max(abs(u - impulse_io[r + 1]), abs(v - impulse_io[r + 2]))
    for s, new in ((r + 1, u), (r + 2, v)):
        change = new - impulse_io[s]
        if change != 0.0:
            impulse_io[s] = new
            _shift(answer, s, change, left_io)
    return largest


@lean_kernel
def _sweep_all(rows, soft, left_io, impulse_io):
    """One sweep; the largest way by which it changes a row [m]. `soft` is what `_find_soft` finds."""
    answer, largest, dim = rows.answer, 0.0, left_io.shape[0] // max(1, soft.shape[0])
    for a in range(soft.shape[0]):
        if rows.kind[a] == NODE:
            continue
        if rows.kind[a] == LINK:
            largest = max(largest, _sweep_link(answer, a, rows.limit[a], left_io, impulse_io))
            continue
        r = a * dim
        old = impulse_io[r]
        if old == 0.0 and left_io[r] >= 0.0 and (dim == 1 or rows.friction[a] == 0.0):
            continue
        new = max(0.0, old - left_io[r] * soft[a])
        if new != old:
            impulse_io[r] = new
            _shift(answer, r, new - old, left_io)
            largest = max(largest, abs(new - old) * answer[r, r])
        if dim == 3 and rows.friction[a] > 0.0:
            largest = max(largest, _sweep_friction(answer, a, rows.friction[a] * new, left_io, impulse_io))
    return largest


@lean_kernel
def _find_soft(answer, dim, soft_out):
    """What a way along the normal of each contact takes of impulse [N s/m]; 0 where none moves it."""
    for a in range(soft_out.shape[0]):
        own = answer[a * dim, a * dim]
        soft_out[a] = 1.0 / (own * _STIFFER) if own > 0.0 else 0.0


@inner_kernel
def _alike(a, b, c):
    """Product of the differences a - b and a - c."""
    total = 0.0
    for s in range(a.shape[0]):
        total += (a[s] - b[s]) * (a[s] - c[s])
    return total


@inner_kernel
def _along(a, b):
    """Product of the difference a - b and a."""
    total = 0.0
    for s in range(a.shape[0]):
        total += (a[s] - b[s]) * a[s]
    return total


@lean_kernel
def _mix(known, n, last, work, impulse_io, left_io):
    """From where sweep `last` came to the mixture of n known ones that leaves least to change."""
    square, share, rest = work[:_KEPT_SWEEPS], work[_KEPT_SWEEPS], 1.0
    for i in range(n):
        share[i] = _along(known[last, 0], known[i, 0])
        for j in range(i + 1):
            square[i, j] = _alike(known[last, 0], known[i, 0], known[j, 0])
            square[j, i] = square[i, j]
        square[i, i] = 1.0 if i == last else (1.0 + _SIMILAR) * square[i, i]
    if not cholesky_factor(square, n):
        return
    cholesky_solve(square, n, share)
    for i in range(n):
        rest -= share[i]
    for s in range(impulse_io.shape[0]):
        p, l = rest * impulse_io[s], rest * left_io[s]
        for i in range(n):
            p, l = p + share[i] * known[i, 1, s], l + share[i] * known[i, 2, s]
        impulse_io[s], left_io[s] = p, l


@lean_kernel
def _remember(answer, before, impulse, left, known_out):
    """What a sweep has changed [m], and where it has come to; the square of the former."""
    total = 0.0
    for s in range(impulse.shape[0]):
        change = (impulse[s] - before[s]) * answer[s, s]
        known_out[0, s], known_out[1, s], known_out[2, s] = change, impulse[s], left[s]
        total += change * change
    return total


@kernel
def sweep_impulses(rows, dim, most_sweeps, enough, left_io, impulse_io):
    """Impulses by sweeps, from where they are: `left_io` is what they leave [m], row by row.

    Ends after `most_sweeps`, or when none changes anything by more than `enough` [m]. Returns the number of sweeps.
    """
    rows, size, soft = Rows(*rows), left_io.shape[0], np.empty(left_io.shape[0] // dim)
    _find_soft(rows.answer, dim, soft)
    plain = min(_PLAIN_SWEEPS, most_sweeps) if dim == 3 else most_sweeps
    for sweep in range(plain):
        if _sweep_all(rows, soft, left_io, impulse_io) < enough:
            return sweep + 1
    known, before, n, least = np.empty((_KEPT_SWEEPS, 3, size)), np.empty(size), 0, inf
    work = np.empty((_KEPT_SWEEPS + 1, _KEPT_SWEEPS))
    for sweep in range(plain, most_sweeps):
        for s in range(size):
            before[s] = impulse_io[s]
        if _sweep_all(rows, soft, left_io, impulse_io) < enough:
            return sweep + 1
        slot = n % _KEPT_SWEEPS
        changed = _remember(rows.answer, before, impulse_io, left_io, known[slot])
        if changed > least:
            n = 0
        elif sweep + 1 < most_sweeps:
            _mix(known, min(n + 1, _KEPT_SWEEPS), slot, work, impulse_io, left_io)
            n += 1
        least = changed
    return most_sweeps


@kernel
def gather_rows(rows, n, dim, left, impulse, left_out, impulse_out):
    """What is left of the contacts of n rows, and their impulses, one after the other."""
    rows = Rows(*rows)
    for a in range(n):
        for d in range(dim):
            left_out[a * dim + d] = left[rows.contact[a], d]
            impulse_out[a * dim + d] = impulse[rows.contact[a], d]


@kernel
def spread_rows(rows, n, found, impulse_io, change_io):
    """Impulses that were found for n rows, to their contacts, and by how much they have changed."""
    rows, dim = Rows(*rows), change_io.shape[1]
    for a in range(n):
        k = rows.contact[a]
        for d in range(dim):
            change_io[k, d] = found[a * dim + d] - impulse_io[k, d]
            impulse_io[k, d] = found[a * dim + d]
