"""One step of order 8 with error control and dense output, of the equations of motion (see dop853_tables)."""

from math import inf, isfinite, sqrt

from ..._jit import kernel, lean_kernel
from .dop853_tables import ALL_STAGES, STAGES, A, B, D, E
from .motion_kernels import derivative
from .motion_tables import Bodies, Hinges, Room, Springs, Tables

RELATIVE, ABSOLUTE = 1e-12, 1e-13
"""Errors of a step that are allowed, beside the state and in [m], [rad], [m/s], [rad/s]."""
SAFETY, SLOWEST, FASTEST = 0.9, 0.2, 10.0
MOST_STRETCHED = 0.5
"""By how much the squared length of a quaternion may be off 1: beyond, a step is wild, however small its error seems
beside the numbers that it leads to."""
SHORTEST_TRY = 1e-13
"""Share of the longest step below which none is tried."""


@lean_kernel
def _stage(s, y, h, stages, y_out):
    """State at which stage s is taken."""
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            total = 0.0
            for j in range(s):
                if A[s, j] != 0.0:
                    total += A[s, j] * stages[j, i, k]
            y_out[i, k] = y[i, k] + h * total


@lean_kernel
def _is_wild(new):
    """Whether a quaternion of a state is far from the length 1; the last row is the world."""
    for i in range(new.shape[0] - 1):
        length2 = new[i, 3] ** 2 + new[i, 4] ** 2 + new[i, 5] ** 2 + new[i, 6] ** 2
        if not abs(length2 - 1.0) < MOST_STRETCHED:
            return True
    return False


@lean_kernel
def _error(y, new, h, stages):
    """Size of the error in units of what is allowed."""
    if _is_wild(new):
        return inf
    sum3, sum5, n = 0.0, 0.0, 0
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            allowed = ABSOLUTE + RELATIVE * max(abs(y[i, k]), abs(new[i, k]))
            e3, e5 = 0.0, 0.0
            for j in range(STAGES + 1):
                e3 += E[0, j] * stages[j, i, k]
                e5 += E[1, j] * stages[j, i, k]
            sum3, sum5, n = sum3 + (e3 / allowed) ** 2, sum5 + (e5 / allowed) ** 2, n + 1
    below = sum5 + 0.01 * sum3
    return abs(h) * sum5 / sqrt(below * n) if below > 0.0 else 0.0


@lean_kernel
def _take(y, h, system_io, stages_io, new_out, force_out):
    """Take a step from where stage 0 stands; returns its error."""
    bodies, springs, hinges, tables, room = system_io
    for s in range(1, STAGES):
        _stage(s, y, h, stages_io, new_out)
        derivative(new_out, bodies, springs, hinges, tables, room, force_out, stages_io[s])
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            total = 0.0
            for j in range(STAGES):
                total += B[j] * stages_io[j, i, k]
            new_out[i, k] = y[i, k] + h * total
    derivative(new_out, bodies, springs, hinges, tables, room, force_out, stages_io[STAGES])
    return _error(y, new_out, h, stages_io)


@lean_kernel
def _put_dense(y, new, h, system_io, stages_io, work, force_out, dense_out):
    """Coefficients of the polynomial between the ends of a step."""
    bodies, springs, hinges, tables, room = system_io
    for s in range(STAGES + 1, ALL_STAGES):
        _stage(s, y, h, stages_io, work)
        derivative(work, bodies, springs, hinges, tables, room, force_out, stages_io[s])
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            way = new[i, k] - y[i, k]
            dense_out[0, i, k] = way
            dense_out[1, i, k] = h * stages_io[0, i, k] - way
            dense_out[2, i, k] = 2.0 * way - h * (stages_io[STAGES, i, k] + stages_io[0, i, k])
            for d in range(D.shape[0]):
                total = 0.0
                for j in range(ALL_STAGES):
                    total += D[d, j] * stages_io[j, i, k]
                dense_out[3 + d, i, k] = h * total


@kernel
def advance(y, h, longest, bodies, springs, hinges, tables, room_io, stages_io, new_out, force_out, dense_out):
    """Take one step of at most `longest` that is as good as asked, beginning with h.

    Returns its length, and what to try next; the length is 0 if none is found, however short.
    """
    bodies, springs, hinges = Bodies(*bodies), Springs(*springs), Hinges(*hinges)
    system = (bodies, springs, hinges, Tables(*tables), Room(*room_io))
    derivative(y, *system, force_out, stages_io[0])
    h, grow = min(h, longest), FASTEST
    while True:
        error = _take(y, h, system, stages_io, new_out, force_out)
        if isfinite(error) and error < 1.0:
            factor = min(grow, SAFETY * error ** (-0.125)) if error > 0.0 else grow
            _put_dense(y, new_out, h, system, stages_io, stages_io[ALL_STAGES], force_out, dense_out)
            return h, h * max(factor, SLOWEST)
        h *= max(SLOWEST, SAFETY * error ** (-0.125)) if isfinite(error) else SLOWEST
        grow = 1.0
        if h < SHORTEST_TRY * longest:
            return 0.0, h


@lean_kernel
def dense_state(y, dense, x, y_out):
    """State at the share x of a step from y, with quaternions of length 1."""
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            total = 0.0
            for c in range(6, -1, -1):
                total += dense[c, i, k]
                total *= x if c % 2 == 0 else 1.0 - x
            y_out[i, k] = y[i, k] + total
        length = sqrt(y_out[i, 3] ** 2 + y_out[i, 4] ** 2 + y_out[i, 5] ** 2 + y_out[i, 6] ** 2)
        for k in range(3, 7):
            y_out[i, k] /= length
