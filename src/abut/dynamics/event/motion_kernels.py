"""Newton-Euler equations with hinges at acceleration level (Bouma & Vanecek, section 3; Haug 1989).

Where the rows J of the hinges hold J v = 0, accelerations obey J a + (dJ/dt) v = 0. The latter term is the second
derivative of a hinge's value along the motion with constant twists (bend_kernels).
"""

from math import sqrt

from ..._jit import inner_kernel, lean_kernel
from ...math.dense_kernels import cholesky_factor, cholesky_solve, inverse3
from ...math.frame_tables import Frame
from ...math.pose_kernels import load_frame, put_frame
from ...math.quat_kernels import quat_conj, quat_mul, quat_to_mat, quat_to_rotvec, quat_unit
from ...math.vec_kernels import add, cross, load_mat, mat_vec, norm, scale, sub
from ..bodies.body_kernels import DYNAMIC, KINEMATIC
from ..bodies.hold_kernels import ARM, HOLDS_POINT, LET_GO
from ..bodies.tumble_kernels import inertia_in_world
from ..joints.joint_kernels import ROW_KIND, joint_row
from .bend_kernels import bend_of_hinge
from .hinge_kernels import hinge_row, put_pushes, rate_of
from .linear_kernels import solve_dependent, solve_symmetric
from .motion_tables import CONSTANT, NORMAL, SPEED, SPIN, TURN

NEARBY = 2e-3
"""[rad] by which bodies turn, or go around what is curved, to where derivatives are taken."""
UNLOCKED = 3


@inner_kernel
def pose_of(y, i):
    """Pose of body i, whose quaternion need not be of length 1."""
    q = quat_unit((y[i, TURN], y[i, TURN + 1], y[i, TURN + 2], y[i, TURN + 3]))
    return Frame(quat_to_mat(q), (y[i, 0], y[i, 1], y[i, 2]))


@inner_kernel
def load_row9(table, i):
    """A 3x3 matrix that stands in a row of a table."""
    r = table[i]
    return r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]


@inner_kernel
def _twist_of(y, i):
    return (y[i, SPEED], y[i, SPEED + 1], y[i, SPEED + 2]), (y[i, SPIN], y[i, SPIN + 1], y[i, SPIN + 2])


@inner_kernel
def time_nearby(y, hinges):
    """[s] in which bodies move by NEARBY."""
    fastest = 0.0
    for i in range(y.shape[0]):
        v, w = _twist_of(y, i)
        turn, way = sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2), sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2)
        fastest = max(fastest, turn + way / hinges.length)
    return NEARBY / fastest if fastest > 0.0 else 1.0


@inner_kernel
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


@inner_kernel
def put_inverses(bodies, room_io):
    """How bodies answer to forces and torques; those that do not give way do not answer."""
    inverse_out, frames = room_io.inverse, room_io.frames
    for i in range(frames.shape[0]):
        for k in range(12):
            inverse_out[i, k] = 0.0
        if bodies.kind[i] != DYNAMIC:
            continue
        for k in range(3):
            inverse_out[i, k] = 0.0 if bodies.locked[i, k] else 1.0 / bodies.mass[i]
        inertia = inertia_in_world(load_frame(frames, i)[0], load_mat(bodies.inertia, i))
        for k in range(9):
            room_io.inertia[i, k] = inertia[k]
        if bodies.locked[i, 3] or bodies.locked[i, 4] or bodies.locked[i, 5]:
            _unlocked_inverse(inertia, bodies.locked, i, room_io.small, room_io.line[1], inverse_out)
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
def _within_limit(v, most):
    """A vector, shortened to a length."""
    length = norm(v)
    return scale(most / length, v) if length > most else v


@inner_kernel
def hand_wrench(y, i, bodies, frames):
    """Force and torque about the centre of mass with which a hand draws body i."""
    hold, aim, R = bodies.hold[i], bodies.aim[i], load_frame(frames, i)[0]
    v, w = _twist_of(y, i)
    reach, turn = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if hold[0] == HOLDS_POINT:
        reach = mat_vec(R, (hold[ARM], hold[ARM + 1], hold[ARM + 2]))
    else:
        q = quat_unit((y[i, TURN], y[i, TURN + 1], y[i, TURN + 2], y[i, TURN + 3]))
        turn = quat_to_rotvec(quat_mul((aim[3], aim[4], aim[5], aim[6]), quat_conj(q)))
    way = (aim[0] - y[i, 0] - reach[0], aim[1] - y[i, 1] - reach[1], aim[2] - y[i, 2] - reach[2])
    speed = add(v, cross(w, reach))
    force = _within_limit(sub(scale(hold[1], way), scale(hold[2], speed)), hold[3])
    torque = _within_limit(sub(scale(hold[4], turn), scale(hold[5], w)), hold[6])
    return force, add(torque, cross(reach, force))


@inner_kernel
def _load(y, i, bodies, room, wrench_out):
    """Wrench of loads, hands and drag on body i, less what turns its momentum along with it."""
    v, w = _twist_of(y, i)
    L = mat_vec(load_row9(room.inertia, i), w)
    gyration = cross(w, L)
    for k in range(3):
        wrench_out[k] = bodies.load[i, k] - bodies.drag[i, 0] * bodies.mass[i] * v[k]
        wrench_out[3 + k] = bodies.load[i, 3 + k] - gyration[k] - bodies.drag[i, 1] * L[k]
    if bodies.hold[i, 0] > LET_GO:
        force, torque = hand_wrench(y, i, bodies, room.frames)
        for k in range(3):
            wrench_out[k] += force[k]
            wrench_out[3 + k] += torque[k]


@inner_kernel
def spring_force(y, s, springs, tables, frames, row_io):
    """Force of spring s, whose row is written."""
    k, a, b = springs.index[s], springs.body[s, 0], springs.body[s, 1]
    X_a, X_b, kind = load_frame(frames, a), load_frame(frames, b), tables.joint_name[k, ROW_KIND]
    q = joint_row(kind, tables.joint_place, k, X_a, X_b, tables.joint_last[k], row_io)
    value = springs.value[s]
    return value[CONSTANT] - value[0] * (q - value[2]) - value[1] * rate_of(row_io, a, b, y, SPEED)


@inner_kernel
def _pull_springs(y, springs, tables, room, row_io, answer_io, change_io):
    """Add accelerations by springs in joints, and by motors at their largest force."""
    answer = answer_io
    for s in range(springs.index.shape[0]):
        a, b = springs.body[s, 0], springs.body[s, 1]
        force = spring_force(y, s, springs, tables, room.frames, row_io)
        answer_to(a, room.inverse, row_io, 0, answer)
        answer_to(b, room.inverse, row_io, 6, answer)
        for i in range(6):
            change_io[a, SPEED + i] += force * answer[i]
            change_io[b, SPEED + i] += force * answer[6 + i]


@inner_kernel
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
        _load(y, i, bodies, room, wrench_io)
        answer_to(i, room.inverse, wrench_io, 0, answer)
        for k in range(6):
            change_out[i, SPEED + k] = answer[k]


@inner_kernel
def put_rows(hinges, tables, frames, row_out):
    """Derivatives of all hinges where the bodies are."""
    for r in range(hinges.kind.shape[0]):
        X_a, X_b = load_frame(frames, hinges.body[r, 0]), load_frame(frames, hinges.body[r, 1])
        hinge_row(r, hinges, tables, X_a, X_b, row_out[r])


@inner_kernel
def put_matrix(hinges, room_io):
    """Answers of the bodies to the pushes, and what the hinges feel of each other."""
    body, row, push, answer, matrix = hinges.body, room_io.row, room_io.push, room_io.answer, room_io.matrix
    m = hinges.kind.shape[0]
    for r in range(m):
        answer_to(body[r, 0], room_io.inverse, push[r], 0, answer[r])
        answer_to(body[r, 1], room_io.inverse, push[r], 6, answer[r])
    for r in range(m):
        # A push with friction is not along its row, and the matrix is not symmetric then.
        last = m if hinges.mu[r] != 0.0 and hinges.kind[r] == NORMAL else r + 1
        for s in range(m):
            slipping = hinges.mu[s] != 0.0 and hinges.kind[s] == NORMAL
            if s >= last and not slipping:
                continue
            total = 0.0
            for side in range(2):
                for other in range(2):
                    if body[r, side] == body[s, other]:
                        for i in range(6):
                            total += row[r, 6 * side + i] * answer[s, 6 * other + i]
            matrix[r, s] = total
            if s < r and not slipping and last == r + 1:
                matrix[s, r] = total


@inner_kernel
def add_answers(hinges, answer, force, first, table_io):
    """Add the answers to forces to columns from `first` on of a table of bodies."""
    for r in range(hinges.kind.shape[0]):
        a, b = hinges.body[r, 0], hinges.body[r, 1]
        for i in range(6):
            table_io[a, first + i] += force[r] * answer[r, i]
            table_io[b, first + i] += force[r] * answer[r, 6 + i]


@inner_kernel
def set_up(y, system_io, change_out):
    """Derivative of the state without forces of hinges; matrix and right side of these stand in the room."""
    bodies, springs, hinges, tables, room = system_io
    m, wrench = hinges.kind.shape[0], room.line[0]
    put_frames(y, room.frames)
    put_inverses(bodies, room)
    _free_change(y, bodies, room, wrench, room.line[1], change_out)
    _pull_springs(y, springs, tables, room, wrench, room.line[1], change_out)
    if m == 0:
        return
    tau = time_nearby(y, hinges)
    put_rows(hinges, tables, room.frames, room.row)
    put_pushes(hinges, tables, room.frames, y, SPEED, room.row, wrench, room.push)
    put_matrix(hinges, room)
    for r in range(m):
        room.right[r] = bend_of_hinge(r, hinges, tables, room.frames, y, tau, wrench)
        room.right[r] += rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], change_out, SPEED)


@inner_kernel
def solve_hinges(hinges, room_io, force_out):
    """Forces of hinges whose matrix and right side stand in the room, and are used up."""
    m, symmetric = hinges.kind.shape[0], True
    for r in range(m):
        symmetric = symmetric and (hinges.mu[r] == 0.0 or hinges.kind[r] != NORMAL)
    if symmetric and solve_symmetric(room_io.matrix, room_io.right, m, room_io.factor, force_out):
        return
    solve_dependent(room_io.matrix, room_io.right, m, room_io.order, room_io.size, force_out)


@lean_kernel
def derivative(y, system_io, force_out, change_out):
    """Derivative of the state (n, 13), and the forces of the hinges that hold all of them."""
    set_up(y, system_io, change_out)
    hinges, room = system_io.hinges, system_io.room
    m = hinges.kind.shape[0]
    if m == 0:
        return
    for r in range(m):
        room.right[r] = -room.right[r]
    solve_hinges(hinges, room, force_out)
    add_answers(hinges, room.answer, force_out, SPEED, change_out)
