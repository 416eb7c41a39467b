"""Newton-Euler equations with hinges at acceleration level (Bouma & Vanecek, section 3; Haug 1989).

Where the rows J of the hinges hold J v = 0, accelerations obey J a + (dJ/dt) v = 0. The latter term is the second
derivative of a hinge's value along the motion with constant twists (bend_kernels).
"""

from ..._jit import inner_kernel, lean_kernel
from ...math.dense_kernels import cholesky_factor, cholesky_solve
from ...math.frame_tables import Frame
from ...math.pose_kernels import load_frame, put_frame
from ...math.quat_kernels import quat_conj, quat_mul, quat_to_rotvec, quat_unit
from ...math.vec_kernels import add, cross, load_mat, mat_t_vec, mat_vec, norm, scale, sub
from ..bodies.body_kernels import DYNAMIC, KINEMATIC
from ..bodies.hold_kernels import ARM, HOLDS_POINT, LET_GO
from ..bodies.tumble_kernels import inertia_in_world
from ..joints.joint_kernels import JOINT as OF_JOINT
from ..joints.joint_kernels import ROW_KIND, joint_row
from .bend_kernels import bend_of_hinge
from .hinge_kernels import hinge_row, put_pushes, rate_of
from .joined_kernels import is_joined, join, joined_row, nowhere
from .linear_kernels import solve_dependent, solve_symmetric
from .motion_tables import CONSTANT, MOTOR, NORMAL, SPEED, SPIN, TURN
from .swing_kernels import let_swing

UNLOCKED = 3


@inner_kernel
def pose_of(y, i):
    """Pose of body i, whose quaternion need not be of length 1."""
    p, q, r, s = y[i, TURN], y[i, TURN + 1], y[i, TURN + 2], y[i, TURN + 3]
    k = 2.0 / (p * p + q * q + r * r + s * s)
    rotation = (
        1.0 - k * (r * r + s * s),
        k * (q * r - p * s),
        k * (q * s + p * r),
        k * (q * r + p * s),
        1.0 - k * (q * q + s * s),
        k * (r * s - p * q),
        k * (q * s - p * r),
        k * (r * s + p * q),
        1.0 - k * (q * q + r * r),
    )
    return Frame(rotation, (y[i, 0], y[i, 1], y[i, 2]))


@inner_kernel
def _inverse_inertia(table, i):
    """The 3x3 matrix behind the inverse masses of a row."""
    r = table[i]
    return r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11]


@inner_kernel
def spin_of(y, i, bodies, frames):
    """Angular momentum of body i about its centre of mass."""
    R = load_frame(frames, i).R
    w = mat_t_vec(R, (y[i, SPIN], y[i, SPIN + 1], y[i, SPIN + 2]))
    return mat_vec(R, mat_vec(load_mat(bodies.inertia, i), w))


@inner_kernel
def _twist_of(y, i):
    return (y[i, SPEED], y[i, SPEED + 1], y[i, SPEED + 2]), (y[i, SPIN], y[i, SPIN + 1], y[i, SPIN + 2])


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
def put_inverse(i, bodies, room_io):
    """How body i answers to forces and torques; one that does not give way does not answer."""
    inverse_out, frames = room_io.inverse, room_io.frames
    for k in range(3):
        inverse_out[i, k] = bodies.inverse[i, k]
    if bodies.turns[i]:
        inverse = inertia_in_world(load_frame(frames, i).R, _inverse_inertia(bodies.inverse, i))
        for k in range(9):
            inverse_out[i, UNLOCKED + k] = inverse[k]
    elif bodies.kind[i] == DYNAMIC:
        inertia = inertia_in_world(load_frame(frames, i).R, load_mat(bodies.inertia, i))
        _unlocked_inverse(inertia, bodies.locked, i, room_io.small, room_io.line[1], inverse_out)
    else:
        for k in range(9):
            inverse_out[i, UNLOCKED + k] = 0.0


@inner_kernel
def put_inverses(bodies, room_io):
    """The same of all bodies."""
    for i in range(room_io.frames.shape[0]):
        put_inverse(i, bodies, room_io)


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
    hold, aim, R = bodies.hold[i], bodies.aim[i], load_frame(frames, i).R
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
    L = spin_of(y, i, bodies, room.frames)
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
def may_move(kind):
    """Whether bodies of a kind move between events."""
    return kind == DYNAMIC or kind == KINEMATIC


@inner_kernel
def _free_change(y, bodies, room, wrench_io, answer_io, change_out):
    """Derivative of the state by loads alone."""
    answer = answer_io
    for i in range(y.shape[0]):
        v, w = _twist_of(y, i)
        x, p = (y[i, TURN + 1], y[i, TURN + 2], y[i, TURN + 3]), y[i, TURN]
        for k in range(13):
            change_out[i, k] = 0.0
        if not may_move(bodies.kind[i]):
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
def put_rows(y, system_io, bending):
    """Rows and values of all hinges where the bodies are, and how these bend; of contacts only if that is asked for."""
    hinges, tables, room, joint = system_io.hinges, system_io.tables, system_io.room, -1
    joined = nowhere()
    for r in range(hinges.kind.shape[0]):
        if not is_joined(r, hinges, tables):
            X_a, X_b = load_frame(room.frames, hinges.body[r, 0]), load_frame(room.frames, hinges.body[r, 1])
            room.value[r] = hinge_row(r, hinges, tables, X_a, X_b, room.row[r])
            if bending:
                room.right[r] = bend_of_hinge(r, hinges, tables, room.frames, y, room.line[0])
            if hinges.kind[r] == MOTOR:
                rate = rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], y, SPEED)
                room.right[r] -= hinges.mu[r] * rate
            continue
        k = hinges.index[r]
        if tables.joint_name[k, OF_JOINT] != joint:
            joint = tables.joint_name[k, OF_JOINT]
            joined = join(r, hinges, tables, room.frames, y, SPEED)
        room.value[r], room.right[r] = joined_row(k, tables, joined, room.row[r])


@inner_kernel
def _half(table, r, first):
    """Six columns of a row: numbers in registers, which what is written meanwhile cannot change."""
    line = table[r]
    return line[first], line[first + 1], line[first + 2], line[first + 3], line[first + 4], line[first + 5]


@inner_kernel
def _product(a, b):
    """Scalar product of six numbers."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@inner_kernel
def _put_felt(r, last, bodies, hinges, room_io):
    """Accelerations of row r by units of the forces of the hinges before `last`."""
    body, answer, on_a, on_b = hinges.body, room_io.answer, _half(room_io.row, r, 0), _half(room_io.row, r, 6)
    a, b = body[r, 0], body[r, 1]
    a_moves, b_moves = bodies.kind[a] == DYNAMIC, bodies.kind[b] == DYNAMIC
    for s in range(last):
        total, c, d = 0.0, body[s, 0], body[s, 1]
        if a_moves and (a == c or a == d):
            total += _product(on_a, _half(answer, s, 0 if a == c else 6))
        if b_moves and (b == c or b == d):
            total += _product(on_b, _half(answer, s, 0 if b == c else 6))
        room_io.matrix[r, s] = total


@inner_kernel
def put_matrix(bodies, hinges, room_io):
    """Answers of the bodies to the pushes, and what the hinges feel of each other."""
    body, answer, matrix = hinges.body, room_io.answer, room_io.matrix
    m = hinges.kind.shape[0]
    # A push with friction is not along its row, and the matrix is not symmetric then.
    symmetric = is_symmetric(hinges)
    for r in range(m):
        push = room_io.row[r] if symmetric else room_io.push[r]
        for side in range(2):
            if bodies.kind[body[r, side]] == DYNAMIC:
                answer_to(body[r, side], room_io.inverse, push, 6 * side, answer[r])
            else:
                for i in range(6 * side, 6 * side + 6):
                    answer[r, i] = 0.0
        if symmetric:
            _put_felt(r, r + 1, bodies, hinges, room_io)
            for s in range(r):
                matrix[s, r] = matrix[r, s]
    for r in range(0 if symmetric else m):
        _put_felt(r, m, bodies, hinges, room_io)


@inner_kernel
def _added(sum_, factor, line):
    """Six numbers and a multiple of others."""
    return (
        sum_[0] + factor * line[0],
        sum_[1] + factor * line[1],
        sum_[2] + factor * line[2],
        sum_[3] + factor * line[3],
        sum_[4] + factor * line[4],
        sum_[5] + factor * line[5],
    )


@inner_kernel
def _put_half(line, i, first, table_out):
    for k in range(6):
        table_out[i, first + k] = line[k]


@inner_kernel
def add_answers(hinges, answer, force, first, table_io):
    """Add the answers to forces to columns from `first` on of a table of bodies.

    Sums of hinges that follow each other between two bodies stay in registers.
    """
    r, m = 0, hinges.kind.shape[0]
    while r < m:
        a, b = hinges.body[r, 0], hinges.body[r, 1]
        of_a, of_b = _half(table_io, a, first), _half(table_io, b, first)
        while r < m and hinges.body[r, 0] == a and hinges.body[r, 1] == b:
            of_a = _added(of_a, force[r], _half(answer, r, 0))
            of_b = _added(of_b, force[r], _half(answer, r, 6))
            r += 1
        _put_half(of_a, a, first, table_io)
        _put_half(of_b, b, first, table_io)


@inner_kernel
def _put_free(y, system_io, change_out):
    """Derivative of the state without forces of hinges; their rows, and how these bend, stand in the room."""
    bodies, springs, hinges, tables, room = system_io
    wrench = room.line[0]
    put_frames(y, room.frames)
    put_inverses(bodies, room)
    _free_change(y, bodies, room, wrench, room.line[1], change_out)
    _pull_springs(y, springs, tables, room, wrench, room.line[1], change_out)
    if hinges.kind.shape[0] > 0:
        put_rows(y, system_io, True)


@inner_kernel
def _put_feelings(y, system_io):
    """What hinges feel of each other where rows stand in the room."""
    hinges, room = system_io.hinges, system_io.room
    if not is_symmetric(hinges):
        put_pushes(hinges, system_io.tables, room.frames, y, SPEED, room.row, room.line[0], room.push)
    put_matrix(system_io.bodies, hinges, room)


@inner_kernel
def set_up(y, system_io, change_out):
    """Derivative of the state without forces of hinges; matrix and right side of these stand in the room."""
    hinges, room = system_io.hinges, system_io.room
    _put_free(y, system_io, change_out)
    if hinges.kind.shape[0] == 0:
        return
    _put_feelings(y, system_io)
    for r in range(hinges.kind.shape[0]):
        room.right[r] += rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], change_out, SPEED)


@inner_kernel
def is_symmetric(hinges):
    """Whether no contact slips with friction."""
    for r in range(hinges.kind.shape[0]):
        if hinges.mu[r] != 0.0 and hinges.kind[r] == NORMAL:
            return False
    return True


@inner_kernel
def solve_hinges(hinges, room_io, force_out):
    """Forces of hinges whose matrix and right side stand in the room; whether the matrix is not used up."""
    m = hinges.kind.shape[0]
    if is_symmetric(hinges) and solve_symmetric(room_io.matrix, room_io.right, m, room_io.factor, force_out):
        return True
    solve_dependent(room_io.matrix, room_io.right, m, room_io.order, room_io.size, force_out)
    return False


@inner_kernel
def let_hold(system_io, first, table_io, force_out):
    """Change columns from `first` on of a table of bodies by forces of hinges, so that row x column + right side is 0.

    Rows, right side and, unless bodies swing, the matrix stand in the room; returns whether that is not used up.
    """
    hinges, room = system_io.hinges, system_io.room
    if hinges.swing:
        let_swing(system_io, first, table_io, force_out)
        return True
    for r in range(hinges.kind.shape[0]):
        rate = rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], table_io, first)
        room.right[r] = -(room.right[r] + rate)
    kept = solve_hinges(hinges, room, force_out)
    add_answers(hinges, room.answer, force_out, first, table_io)
    return kept


@inner_kernel
def put_derivative(y, system_io, force_out, change_out):
    """Derivative of the state (n, 13), and the forces of the hinges that hold all of them."""
    _put_free(y, system_io, change_out)
    if system_io.hinges.kind.shape[0] == 0:
        return
    if not system_io.hinges.swing:
        _put_feelings(y, system_io)
    let_hold(system_io, SPEED, change_out, force_out)


@lean_kernel
def derivative(y, system_io, force_out, change_out):
    """The same, for callers in which it need not be written out."""
    put_derivative(y, system_io, force_out, change_out)
