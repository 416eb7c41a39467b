"""Newton-Euler equations with hinges at acceleration level (Bouma & Vanecek, section 3; Haug 1989).

Where the rows J of the hinges hold J v = 0, accelerations obey J a + (dJ/dt) v = 0. The latter term is the second
derivative of a hinge's value along the motion with constant twists (bend_kernels).
"""

from math import sqrt

from ..._jit import inner_kernel, lean_kernel
from ...math.dense_kernels import cholesky_factor, cholesky_solve, inverse3
from ...math.frame_tables import Frame
from ...math.pose_kernels import load_frame, put_frame
from ...math.quat_kernels import quat_to_mat, quat_unit
from ...math.vec_kernels import cross, load_mat, mat_vec
from ..bodies.body_kernels import DYNAMIC, KINEMATIC
from ..bodies.tumble_kernels import inertia_in_world
from ..joints.joint_kernels import ROW_KIND, joint_row
from .bend_kernels import bend_of_hinge
from .hinge_kernels import hinge_row, put_pushes, rate_of
from .linear_kernels import solve_dependent
from .motion_tables import SPEED, SPIN, TURN

NEARBY = 2e-3
"""[rad] by which bodies turn, or go around what is curved, to where derivatives are taken."""
UNLOCKED = 3


@inner_kernel
def pose_of(y, i):
    """Pose of body i, whose quaternion need not be of length 1."""
    q = quat_unit((y[i, TURN], y[i, TURN + 1], y[i, TURN + 2], y[i, TURN + 3]))
    return Frame(quat_to_mat(q), (y[i, 0], y[i, 1], y[i, 2]))


@inner_kernel
def _twist_of(y, i):
    return (y[i, SPEED], y[i, SPEED + 1], y[i, SPEED + 2]), (y[i, SPIN], y[i, SPIN + 1], y[i, SPIN + 2])


@lean_kernel
def time_nearby(y, hinges):
    """[s] in which bodies move by NEARBY."""
    fastest = 0.0
    for i in range(y.shape[0]):
        v, w = _twist_of(y, i)
        turn, way = sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2), sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
        fastest = max(fastest, turn + way / hinges.length)
    return NEARBY / fastest if fastest > 0.0 else 1.0


@lean_kernel
def put_frames(y, frames_out):
    """Poses of the bodies."""
    for i in range(y.shape[0]):
        put_frame(pose_of(y, i), i, frames_out)


@lean_kernel
def _unlocked_inverse(inertia, locked, i, matrix_io, column_io, inverse_out):
    """Inverse of a 3x3 inertia about axes that are free; zero about those that are locked."""
    for c in range(3):
        for k in range(3):
            held = locked[i, 3 + k]
            for l in range(3):
                keep = not (held or locked[i, 3 + l])
                matrix_io[k, l] = inertia[3 * k + l] if keep else (1.0 if k == l else 0.0)
            column_io[k] = 1.0 if k == c and not held else 0.0
        cholesky_factor(matrix_io, 3)
        cholesky_solve(matrix_io, 3, column_io)
        for k in range(3):
            inverse_out[i, UNLOCKED + 3 * k + c] = column_io[k]


@lean_kernel
def put_inverses(bodies, frames, matrix_io, column_io, inverse_out):
    """How bodies answer to forces and torques; those that do not give way do not answer."""
    for i in range(frames.shape[0]):
        for k in range(12):
            inverse_out[i, k] = 0.0
        if bodies.kind[i] != DYNAMIC:
            continue
        for k in range(3):
            inverse_out[i, k] = 0.0 if bodies.locked[i, k] else 1.0 / bodies.mass[i]
        inertia = inertia_in_world(load_frame(frames, i)[0], load_mat(bodies.inertia, i))
        if bodies.locked[i, 3] or bodies.locked[i, 4] or bodies.locked[i, 5]:
            _unlocked_inverse(inertia, bodies.locked, i, matrix_io, column_io, inverse_out)
            continue
        inverse = inverse3(inertia)
        for k in range(9):
            inverse_out[i, UNLOCKED + k] = inverse[k]


@inner_kernel
def answer_to(i, inverse, wrench, first, answer_out):
    """Accelerations of body i by a wrench, which stand in columns from `first` on."""
    for k in range(3):
        answer_out[first + k] = inverse[i, k] * wrench[first + k]
        s = 0.0
        for l in range(3):
            s += inverse[i, UNLOCKED + 3 * k + l] * wrench[first + 3 + l]
        answer_out[first + 3 + k] = s


@inner_kernel
def _load(y, i, bodies, frames, wrench_out):
    """Wrench of loads and drag on body i, less what turns its momentum along with it."""
    v, w = _twist_of(y, i)
    L = mat_vec(inertia_in_world(load_frame(frames, i)[0], load_mat(bodies.inertia, i)), w)
    gyration = cross(w, L)
    for k in range(3):
        wrench_out[k] = bodies.load[i, k] - bodies.drag[i, 0] * bodies.mass[i] * v[k]
        wrench_out[3 + k] = bodies.load[i, 3 + k] - gyration[k] - bodies.drag[i, 1] * L[k]


@lean_kernel
def _pull_springs(y, springs, tables, room, row_io, answer_io, change_io):
    """Add accelerations by springs in joints."""
    row, answer = row_io, answer_io
    for s in range(springs.index.shape[0]):
        k, a, b = springs.index[s], springs.body[s, 0], springs.body[s, 1]
        X_a, X_b = load_frame(room.frames, a), load_frame(room.frames, b)
        kind = tables.joint_name[k, ROW_KIND]
        q = joint_row(kind, tables.joint_place, k, X_a, X_b, tables.joint_last[k], row)
        rate = rate_of(row, a, b, y, SPEED)
        force = -springs.value[s, 0] * (q - springs.value[s, 2]) - springs.value[s, 1] * rate
        answer_to(a, room.inverse, row, 0, answer)
        answer_to(b, room.inverse, row, 6, answer)
        for i in range(6):
            change_io[a, SPEED + i] += force * answer[i]
            change_io[b, SPEED + i] += force * answer[6 + i]


@lean_kernel
def _free_change(y, bodies, room, wrench_io, answer_io, change_out):
    """Derivative of the state by loads alone."""
    answer = answer_io
    for i in range(y.shape[0]):
        moves = bodies.kind[i] == DYNAMIC or bodies.kind[i] == KINEMATIC
        v, w = _twist_of(y, i)
        x, p = (y[i, TURN + 1], y[i, TURN + 2], y[i, TURN + 3]), y[i, TURN]
        for k in range(13):
            change_out[i, k] = 0.0
        if not moves:
            continue
        turn = cross(w, x)
        change_out[i, TURN] = -0.5 * (w[0] * x[0] + w[1] * x[1] + w[2] * x[2])
        for k in range(3):
            change_out[i, k] = v[k]
            change_out[i, TURN + 1 + k] = 0.5 * (p * w[k] + turn[k])
        if bodies.kind[i] != DYNAMIC:
            continue
        _load(y, i, bodies, room.frames, wrench_io)
        answer_to(i, room.inverse, wrench_io, 0, answer)
        for k in range(6):
            change_out[i, SPEED + k] = answer[k]


@lean_kernel
def put_rows(hinges, tables, frames, row_out):
    """Derivatives of all hinges where the bodies are."""
    for r in range(hinges.kind.shape[0]):
        X_a, X_b = load_frame(frames, hinges.body[r, 0]), load_frame(frames, hinges.body[r, 1])
        hinge_row(r, hinges, tables, X_a, X_b, row_out[r])


@lean_kernel
def put_matrix(hinges, room_io):
    """Answers of the bodies to the pushes, and what the hinges feel of each other."""
    body, row, push, answer, matrix = hinges.body, room_io.row, room_io.push, room_io.answer, room_io.matrix
    m = hinges.kind.shape[0]
    for r in range(m):
        answer_to(body[r, 0], room_io.inverse, push[r], 0, answer[r])
        answer_to(body[r, 1], room_io.inverse, push[r], 6, answer[r])
    for r in range(m):
        for s in range(m):
            total = 0.0
            for side in range(2):
                for other in range(2):
                    if body[r, side] == body[s, other]:
                        for i in range(6):
                            total += row[r, 6 * side + i] * answer[s, 6 * other + i]
            matrix[r, s] = total


@lean_kernel
def add_answers(hinges, answer, force, first, table_io):
    """Add the answers to forces to columns from `first` on of a table of bodies."""
    for r in range(hinges.kind.shape[0]):
        a, b = hinges.body[r, 0], hinges.body[r, 1]
        for i in range(6):
            table_io[a, first + i] += force[r] * answer[r, i]
            table_io[b, first + i] += force[r] * answer[r, 6 + i]


@lean_kernel
def set_up(y, bodies, springs, hinges, tables, room_io, change_out):
    """Derivative of the state without forces of hinges; matrix and right side of these stand in the room."""
    m, wrench = hinges.kind.shape[0], room_io.line[0]
    put_frames(y, room_io.frames)
    put_inverses(bodies, room_io.frames, room_io.small, room_io.line[1], room_io.inverse)
    _free_change(y, bodies, room_io, wrench, room_io.line[1], change_out)
    _pull_springs(y, springs, tables, room_io, wrench, room_io.line[1], change_out)
    if m == 0:
        return
    tau = time_nearby(y, hinges)
    put_rows(hinges, tables, room_io.frames, room_io.row)
    put_pushes(hinges, tables, room_io.frames, y, SPEED, room_io.row, wrench, room_io.push)
    put_matrix(hinges, room_io)
    for r in range(m):
        room_io.right[r] = bend_of_hinge(r, hinges, tables, room_io.frames, y, tau, wrench)
        room_io.right[r] += rate_of(room_io.row[r], hinges.body[r, 0], hinges.body[r, 1], change_out, SPEED)


@lean_kernel
def derivative(y, bodies, springs, hinges, tables, room_io, force_out, change_out):
    """Derivative of the state (n, 13), and the forces of the hinges that hold all of them."""
    set_up(y, bodies, springs, hinges, tables, room_io, change_out)
    m = hinges.kind.shape[0]
    if m == 0:
        return
    for r in range(m):
        room_io.right[r] = -room_io.right[r]
    solve_dependent(room_io.matrix, room_io.right, m, room_io.order, room_io.size, force_out)
    add_answers(hinges, room_io.answer, force_out, SPEED, change_out)
