"""One step of order 8 with error control and dense output, of the equations of motion (see dop853_tables)."""

from math import inf, isfinite, sqrt

from ..._jit import inner_kernel, lean_kernel
from .dop853_tables import ALL_STAGES, STAGES, A, B, D, E
from .mean_kernels import add_means, clear_means
from .motion_kernels import derivative, may_move, put_derivative
from .motion_tables import PLACE, SPEED, SPIN, TURN, WIDTH

RELATIVE, ABSOLUTE = 1e-11, 1e-12
"""Errors of a step that are allowed, beside the state and in [m], [rad], [m/s], [rad/s]."""
SAFETY, SLOWEST, FASTEST = 0.9, 0.2, 10.0
MOST_STRETCHED = 0.5
"""By how much the squared length of a quaternion may be off 1: beyond, a step is wild, however small its error seems
beside the numbers that it leads to."""
SHORTEST_TRY = 1e-13
"""Share of the longest step below which none is tried."""


@lean_kernel
def _put_sum(weights, n, kind, y, h, stages, y_out):
    """State that a weighed sum of the first n stages leads to."""
    for i in range(y.shape[0]):
        for k in range(WIDTH):
            y_out[i, k] = 0.0
        j, last = 0, n if may_move(kind[i]) else 0
        while j + 4 <= last:
            a, b, c, d = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
            for k in range(WIDTH):
                total = y_out[i, k] + a * stages[j, i, k]
                y_out[i, k] = total + b * stages[j + 1, i, k] + c * stages[j + 2, i, k] + d * stages[j + 3, i, k]
            j += 4
        while j < last:
            for k in range(WIDTH):
                y_out[i, k] += weights[j] * stages[j, i, k]
            j += 1
        for k in range(WIDTH):
            y_out[i, k] = y[i, k] + h * y_out[i, k]


@lean_kernel
def _is_wild(new):
    """Whether a quaternion of a state is far from the length 1; the last row is the world."""
    for i in range(new.shape[0] - 1):
        length2 = new[i, 3] ** 2 + new[i, 4] ** 2 + new[i, 5] ** 2 + new[i, 6] ** 2
        if not abs(length2 - 1.0) < MOST_STRETCHED:
            return True
    return False


@inner_kernel
def _size(state, i, first, last):
    """Squared length of some columns of body i."""
    total = 0.0
    for k in range(first, last):
        total += state[i, k] * state[i, k]
    return total


@lean_kernel
def _error(kind, y, new, h, stages):
    """Size of the error in units of what is allowed: of places, turns and velocities beside their lengths.

    So it does not depend on the directions of the axes, and a number that passes through 0 is not followed closely.
    """
    if _is_wild(new):
        return inf
    sum3, sum5 = 0.0, 0.0
    for i in range(y.shape[0]):
        if not may_move(kind[i]):
            continue
        for first, last in ((PLACE, TURN), (TURN, SPEED), (SPEED, SPIN), (SPIN, WIDTH)):
            size = sqrt(max(_size(y, i, first, last), _size(new, i, first, last)))
            part3, part5 = 0.0, 0.0
            for k in range(first, last):
                e3, e5 = 0.0, 0.0
                for j in range(STAGES):
                    e3 += E[0, j] * stages[j, i, k]
                    e5 += E[1, j] * stages[j, i, k]
                part3, part5 = part3 + e3 * e3, part5 + e5 * e5
            allowed = 1.0 / (ABSOLUTE + RELATIVE * size) ** 2
            sum3, sum5 = sum3 + allowed * part3, sum5 + allowed * part5
    below = sum5 + 0.01 * sum3
    return abs(h) * sum5 / sqrt(below * WIDTH * y.shape[0]) if below > 0.0 else 0.0


@lean_kernel
def _take(h, system_io, step_io, means_io):
    """Take a step, with the means of what acts; returns its error."""
    y, new, stages, forces = step_io.y, step_io.new, step_io.stages, step_io.forces
    kind = system_io.bodies.kind
    clear_means(system_io.hinges.kind.shape[0], means_io)
    for s in range(STAGES):
        _put_sum(A[s], s, kind, y, h, stages, new)
        put_derivative(new, system_io, forces[s], stages[s])
        if B[s] != 0.0:
            add_means(B[s], new, system_io, forces[s], means_io)
    _put_sum(B, STAGES, kind, y, h, stages, new)
    return _error(kind, y, new, h, stages)


@lean_kernel
def put_dense(h, system_io, step_io):
    """Coefficients of the polynomial between the ends of a step of length h that was taken."""
    y, new, stages, dense = step_io.y, step_io.new, step_io.stages, step_io.dense
    derivative(new, system_io, step_io.forces[STAGES], stages[STAGES])
    for s in range(STAGES + 1, ALL_STAGES):
        _put_sum(A[s], s, system_io.bodies.kind, y, h, stages, step_io.spare)
        derivative(step_io.spare, system_io, step_io.forces[s], stages[s])
    for i in range(y.shape[0]):
        for k in range(y.shape[1]):
            way = new[i, k] - y[i, k]
            dense[0, i, k] = way
            dense[1, i, k] = h * stages[0, i, k] - way
            dense[2, i, k] = 2.0 * way - h * (stages[STAGES, i, k] + stages[0, i, k])
            for d in range(D.shape[0]):
                total = 0.0
                for j in range(ALL_STAGES):
                    total += D[d, j] * stages[j, i, k]
                dense[3 + d, i, k] = h * total


@lean_kernel
def advance(h, longest, system_io, step_io, means_io):
    """Take one step of at most `longest` that is as good as asked, beginning with h.

    Returns its length, and what to try next; the length is 0 if none is found, however short.
    """
    h, grow = min(h, longest), FASTEST
    while True:
        error = _take(h, system_io, step_io, means_io)
        if isfinite(error) and error < 1.0:
            factor = min(grow, SAFETY * error ** (-0.125)) if error > 0.0 else grow
            return h, h * max(factor, SLOWEST)
        h *= max(SLOWEST, SAFETY * error ** (-0.125)) if isfinite(error) else SLOWEST
        grow = 1.0
        if h < SHORTEST_TRY * longest:
            return 0.0, h


@inner_kernel
def dense_body(y, dense, x, i, y_out):
    """State of body i at the share x of a step from y, with a quaternion of length 1."""
    for k in range(y.shape[1]):
        total = 0.0
        for c in range(6, -1, -1):
            total += dense[c, i, k]
            total *= x if c % 2 == 0 else 1.0 - x
        y_out[i, k] = y[i, k] + total
    length = sqrt(y_out[i, 3] ** 2 + y_out[i, 4] ** 2 + y_out[i, 5] ** 2 + y_out[i, 6] ** 2)
    for k in range(3, 7):
        y_out[i, k] /= length


@lean_kernel
def dense_state(y, dense, x, y_out):
    """The same of all bodies."""
    for i in range(y.shape[0]):
        dense_body(y, dense, x, i, y_out)
