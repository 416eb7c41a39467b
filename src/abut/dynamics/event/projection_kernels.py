"""Hinges hold to rounding: what an integration left of their values and rates is taken away, weighed by masses."""

from ..._jit import inner_kernel, lean_kernel
from ...math.pose_kernels import load_frame
from ...math.quat_kernels import quat_from_rotvec, quat_mul, quat_unit
from .hinge_kernels import hinge_row, rate_of
from .motion_kernels import add_answers, put_frames, put_inverses, put_matrix, put_rows, solve_hinges
from .motion_tables import MOTOR, SPEED, TANGENT, TURN

MOST_CORRECTIONS = 6
EXACT = 4e-16
"""Values below this share of where bodies are, in [m], are rounding."""


@lean_kernel
def put_answers(y, system_io):
    """Rows as pushes, and the matrix of what hinges feel of each other, where the bodies are."""
    bodies, _, hinges, tables, room = system_io
    put_frames(y, room.frames)
    put_inverses(bodies, room)
    put_rows(hinges, tables, room.frames, room.row)
    for r in range(hinges.kind.shape[0]):
        for i in range(12):
            room.push[r, i] = room.row[r, i]
    put_matrix(hinges, room)


@inner_kernel
def _put_errors(hinges, tables, frames, row_io, error_out):
    """What is missing at the values of all hinges; the largest beside rounding."""
    worst = 0.0
    for r in range(hinges.kind.shape[0]):
        X_a, X_b = load_frame(frames, hinges.body[r, 0]), load_frame(frames, hinges.body[r, 1])
        value = hinge_row(r, hinges, tables, X_a, X_b, row_io)
        free = hinges.kind[r] == TANGENT or hinges.kind[r] == MOTOR
        error_out[r] = 0.0 if free else hinges.target[r] - value
        far = 1e-3 + abs(value)
        for k in range(3):
            far += abs(X_a[1][k]) + abs(X_b[1][k])
        worst = max(worst, abs(error_out[r]) / (EXACT * far))
    return worst


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
def project(system_io, shift_io, force_io, y_io):
    """Bring bodies to where all hinges hold, and let their velocities keep them there."""
    hinges, tables, room = system_io.hinges, system_io.tables, system_io.room
    m = hinges.kind.shape[0]
    if m == 0:
        return
    for _ in range(MOST_CORRECTIONS):
        put_answers(y_io, system_io)
        worst = _put_errors(hinges, tables, room.frames, room.line[0], room.right)
        if worst <= 1.0:
            break
        solve_hinges(hinges, room, force_io)
        _clear(shift_io)
        add_answers(hinges, room.answer, force_io, 0, shift_io)
        _move(shift_io, y_io)
    put_answers(y_io, system_io)
    for r in range(m):
        rate = rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], y_io, SPEED)
        room.right[r] = (hinges.target[r] if hinges.kind[r] == MOTOR else 0.0) - rate
    solve_hinges(hinges, room, force_io)
    add_answers(hinges, room.answer, force_io, SPEED, y_io)
