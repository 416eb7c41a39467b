"""Hinges hold to rounding: what an integration left of their values and rates is taken away, weighed by masses."""

from ..._jit import inner_kernel, lean_kernel
from ...math.quat_kernels import quat_from_rotvec, quat_mul, quat_unit
from .hinge_kernels import rate_of
from .motion_kernels import is_symmetric, let_hold, put_frames, put_inverses, put_matrix, put_rows
from .motion_tables import MOTOR, SPEED, TANGENT, TURN

MOST_PROJECTIONS = 6
EXACT = 4e-16
"""Values below this share of where bodies are, in [m], are rounding."""
MISSED = 1e-3
"""Share of the speeds of bodies by which hinges that contradict each other miss their rates at least. In mechanisms
that are not drawn quite exactly, they miss them by less."""
NEARLY_EXACT, NEARLY_STILL = 1e6, 1e-6
"""Errors of values, in units of rounding, and of rates [m/s], below which a correction leaves rounding alone, even one
that takes from before another what hinges feel of each other."""


@inner_kernel
def _put_places(y, system_io):
    """Rows and values of hinges where the bodies are."""
    put_frames(y, system_io.room.frames)
    put_rows(y, system_io, False)


@inner_kernel
def _put_matrix(system_io):
    """Rows as pushes, and what hinges feel of each other."""
    bodies, hinges, room = system_io.bodies, system_io.hinges, system_io.room
    put_inverses(bodies, room)
    if not is_symmetric(hinges):
        for r in range(hinges.kind.shape[0]):
            for i in range(12):
                room.push[r, i] = room.row[r, i]
    put_matrix(bodies, hinges, room)


@inner_kernel
def _put_errors(y, hinges, value, error_out):
    """By how much the values of all hinges are too large; the largest beside rounding."""
    worst = 0.0
    for r in range(hinges.kind.shape[0]):
        free = hinges.kind[r] == TANGENT or hinges.kind[r] == MOTOR
        error_out[r] = 0.0 if free else value[r] - hinges.target[r]
        far = 1e-3 + abs(value[r])
        for k in range(3):
            far += abs(y[hinges.body[r, 0], k]) + abs(y[hinges.body[r, 1], k])
        worst = max(worst, abs(error_out[r]) / (EXACT * far))
    return worst


@inner_kernel
def _put_rates(y, hinges, row, wanted_out):
    """The rates that all hinges are to have, with opposite sign; by how much they miss them at most."""
    worst = 0.0
    for r in range(hinges.kind.shape[0]):
        wanted_out[r] = -hinges.target[r] if hinges.kind[r] == MOTOR else 0.0
        worst = max(worst, abs(rate_of(row[r], hinges.body[r, 0], hinges.body[r, 1], y, SPEED) + wanted_out[r]))
    return worst


@inner_kernel
def contradicted(m, y, system):
    """The first of m hinges that moves otherwise than it is to, where all were projected; -1 if they all obey."""
    hinges = system.hinges
    for r in range(m):
        a, b = hinges.body[r, 0], hinges.body[r, 1]
        wanted, fast = hinges.target[r] if hinges.kind[r] == MOTOR else 0.0, 0.0
        for k in range(SPEED, SPEED + 6):
            fast = max(fast, abs(y[a, k]), abs(y[b, k]))
        if abs(rate_of(system.room.row[r], a, b, y, SPEED) - wanted) > NEARLY_STILL + MISSED * max(fast, abs(wanted)):
            return r
    return -1


@inner_kernel
def _clear(table_io):
    for i in range(table_io.shape[0]):
        for k in range(table_io.shape[1]):
            table_io[i, k] = 0.0


@inner_kernel
def _move(shift, y_io):
    """Move bodies by small ways and turns."""
    for i in range(y_io.shape[0]):
        turn = quat_from_rotvec((shift[i, 3], shift[i, 4], shift[i, 5]))
        q = quat_unit(quat_mul(turn, (y_io[i, TURN], y_io[i, TURN + 1], y_io[i, TURN + 2], y_io[i, TURN + 3])))
        for k in range(4):
            y_io[i, TURN + k] = q[k]
        for k in range(3):
            y_io[i, k] += shift[i, k]


@lean_kernel
def project_places(system_io, shift_io, force_io, y_io):
    """Bring bodies to where all hinges hold; whether it is known what hinges feel of each other there."""
    hinges, room, known = system_io.hinges, system_io.room, False
    _put_places(y_io, system_io)
    for _ in range(MOST_PROJECTIONS):
        worst = _put_errors(y_io, hinges, room.value, room.right)
        if worst <= 1.0:
            break
        if not (known or hinges.swing):
            _put_matrix(system_io)
        _clear(shift_io)
        known = let_hold(system_io, 0, shift_io, force_io) and worst < NEARLY_EXACT
        _move(shift_io, y_io)
        _put_places(y_io, system_io)
    return known


@lean_kernel
def project_velocities(system_io, known, y_io, impulse_out):
    """Let velocities keep bodies where all hinges hold, by impulses, after project_places said what is known."""
    hinges, room = system_io.hinges, system_io.room
    known = _put_rates(y_io, hinges, room.row, room.right) < NEARLY_STILL and known
    if not (known or hinges.swing):
        _put_matrix(system_io)
    let_hold(system_io, SPEED, y_io, impulse_out)
