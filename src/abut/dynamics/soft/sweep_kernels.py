"""The impulses with which contacts keep to their laws, by sweeps over the matrix of their answers."""

from math import hypot, sqrt

from ..._jit import inner_kernel, kernel, lean_kernel
from .soft_tables import Rows
from .touch_kernels import LINK, NODE

# PGS divides by a little more than the answer itself: contacts on the same nodes have equal rows.
_STIFFER = 1.0001


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


@kernel
def sweep_impulses(rows, dim, most_sweeps, enough, left_io, impulse_io):
    """Impulses by sweeps, from where they are: `left_io` is what they leave [m], row by row.

    Ends after `most_sweeps`, or when none changes anything by more than `enough` [m]. Returns the number of sweeps.
    """
    rows = Rows(*rows)
    answer = rows.answer
    for sweep in range(most_sweeps):
        largest = 0.0
        for a in range(left_io.shape[0] // dim):
            if rows.kind[a] == NODE:
                continue
            if rows.kind[a] == LINK:
                largest = max(largest, _sweep_link(answer, a, rows.limit[a], left_io, impulse_io))
                continue
            r = a * dim
            old = impulse_io[r]
            new = max(0.0, old - left_io[r] / (answer[r, r] * _STIFFER)) if answer[r, r] > 0.0 else old
            if new != old:
                impulse_io[r] = new
                _shift(answer, r, new - old, left_io)
                largest = max(largest, abs(new - old) * answer[r, r])
            if dim == 3 and rows.friction[a] > 0.0:
                largest = max(largest, _sweep_friction(answer, a, rows.friction[a] * new, left_io, impulse_io))
        if largest < enough:
            return sweep + 1
    return most_sweeps


@kernel
def gather_rows(rows, n, left, impulse, left_out, impulse_out):
    """What is left of the contacts of n rows, and their impulses, one after the other."""
    rows, dim = Rows(*rows), left.shape[1]
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
