"""Bodies that swing: a hinge holds each of them to what does not give way, so that it can only turn about one axis.

How such a body moves, and what holds it, follows without a matrix of what its rows feel of each other.
"""

from ..._jit import inner_kernel, lean_kernel
from ...math.pose_kernels import load_frame
from ...math.quat_kernels import quat_rotate, quat_unit
from ...math.vec_kernels import add, add_scaled, cross, dot, load_mat, mat_vec, scale, sub
from ..bodies.body_kernels import DYNAMIC, KINEMATIC
from ..bodies.tumble_kernels import inertia_in_world
from ..joints.joint_kernels import ALIGNED, AXIAL, ROW_KIND, SIDE_A, SIDE_B
from ..joints.joint_kernels import JOINT as OF_JOINT
from .joined_kernels import vector_of
from .motion_tables import JOINT, TURN

ROWS = 5
"""Of a hinge: three that hold a point, along directions perpendicular to each other, and two that hold an axis."""
NEARLY_ACROSS = 0.5
"""Cosine below which two directions are near enough to perpendicular that an axis can be told from them."""


@inner_kernel
def swinging_body(r, bodies, hinges):
    """The body that the hinge whose first row is r lets swing, as far as it is free otherwise; else -1."""
    a, b = hinges.body[r, 0], hinges.body[r, 1]
    i = b if bodies.kind[b] == DYNAMIC else a
    locked = bodies.locked[i, 0] or bodies.locked[i, 1] or bodies.locked[i, 2] or not bodies.turns[i]
    both = bodies.kind[a] == DYNAMIC and bodies.kind[b] == DYNAMIC
    return -1 if both or locked else i


@inner_kernel
def _is_upright(r, y, hinges, tables):
    """Whether row r holds a direction of one body across the axis of another, and they are not far from that."""
    k, q = hinges.index[r], (hinges.body[r, 0], hinges.body[r, 1])
    a = quat_rotate(_turn_of(y, q[0]), vector_of(tables.joint_place, k, SIDE_A))
    b = quat_rotate(_turn_of(y, q[1]), vector_of(tables.joint_place, k, SIDE_B))
    return tables.joint_name[k, ROW_KIND] == ALIGNED and abs(dot(a, b)) < NEARLY_ACROSS


@inner_kernel
def _turn_of(y, i):
    return quat_unit((y[i, TURN], y[i, TURN + 1], y[i, TURN + 2], y[i, TURN + 3]))


@inner_kernel
def _is_hinge(r, y, hinges, tables):
    """Whether the rows from r on are those of a hinge, which holds."""
    for s in range(r, r + ROWS):
        k = hinges.index[s]
        if hinges.kind[s] != JOINT or tables.joint_name[k, OF_JOINT] != tables.joint_name[hinges.index[r], OF_JOINT]:
            return False
        if not (tables.joint_name[k, ROW_KIND] == AXIAL if s < r + 3 else _is_upright(s, y, hinges, tables)):
            return False
    return True


@lean_kernel
def all_swing(m, y, system):
    """Whether the first m hinges are such that all bodies that they hold swing."""
    hinges = system.hinges
    for r in range(0, m, ROWS):
        if r + ROWS > m or not _is_hinge(r, y, hinges, system.tables):
            return False
        i = swinging_body(r, system.bodies, hinges)
        known = i < 0
        for s in range(0, r, ROWS):
            known = known or swinging_body(s, system.bodies, hinges) == i
        if known:
            return False
    return True


@inner_kernel
def _spin_about(inertia, mass, arm, w):
    """Angular momentum of a body about a point at its arm, as it turns about that with w."""
    return add_scaled(mat_vec(inertia, w), mass, cross(arm, cross(w, arm)))


@inner_kernel
def _follow(r, bodies, hinges, room_io, first, table):
    """Add to the right side of row r what the body does that does not give way."""
    a, b = hinges.body[r, 0], hinges.body[r, 1]
    other, side = (a, 0) if bodies.kind[b] == DYNAMIC else (b, 6)
    if bodies.kind[other] == KINEMATIC:
        for c in range(6):
            room_io.right[r] += room_io.row[r, side + c] * table[other, first + c]


@inner_kernel
def _arm_of(r, side, row):
    """From the centre of mass to the point that the rows from r on hold: they turn the body by arm x direction."""
    total = (0.0, 0.0, 0.0)
    for k in range(r, r + 3):
        total = add(total, cross(vector_of(row, k, side), vector_of(row, k, side + 3)))
    return scale(0.5, total)


@inner_kernel
def _held_point(r, side, room):
    """What the point that is held must do."""
    total = (0.0, 0.0, 0.0)
    for k in range(r, r + 3):
        total = add_scaled(total, -room.right[k], vector_of(room.row, k, side))
    return total


@inner_kernel
def _let_swing(r, bodies, hinges, room, first, table_io, force_out):
    """See let_hold, of the body that swings at the hinge whose first row is r."""
    i, row, right = swinging_body(r, bodies, hinges), room.row, room.right
    side = 6 if hinges.body[r, 1] == i else 0
    mass, inertia = bodies.mass[i], inertia_in_world(load_frame(room.frames, i).R, load_mat(bodies.inertia, i))
    arm, held = _arm_of(r, side, row), _held_point(r, side, room)
    pull = sub(held, vector_of(table_io, i, first))
    given = add_scaled(mat_vec(inertia, vector_of(table_io, i, first + 3)), mass, cross(arm, pull))
    # Across the axis u it turns as it must, and about it as it likes.
    s, t = vector_of(row, r + 3, side + 3), vector_of(row, r + 4, side + 3)
    u = cross(s, t)
    of_s, of_t = scale(1.0 / dot(u, u), cross(t, u)), scale(1.0 / dot(u, u), cross(u, s))
    w = add(scale(-right[r + 3], of_s), scale(-right[r + 4], of_t))
    missing = dot(u, sub(given, _spin_about(inertia, mass, arm, w)))
    w = add_scaled(w, missing / dot(u, _spin_about(inertia, mass, arm, u)), u)
    v = sub(held, cross(w, arm))
    push, turn = scale(mass, sub(v, vector_of(table_io, i, first))), sub(_spin_about(inertia, mass, arm, w), given)
    for k in range(3):
        force_out[r + k] = dot(vector_of(row, r + k, side), push)
        table_io[i, first + k], table_io[i, first + 3 + k] = v[k], w[k]
    force_out[r + 3], force_out[r + 4] = dot(of_s, turn), dot(of_t, turn)


@inner_kernel
def let_swing(system_io, first, table_io, force_out):
    """See let_hold, where all bodies that hinges hold swing."""
    bodies, hinges, room = system_io.bodies, system_io.hinges, system_io.room
    for r in range(hinges.kind.shape[0]):
        _follow(r, bodies, hinges, room, first, table_io)
    for r in range(0, hinges.kind.shape[0], ROWS):
        _let_swing(r, bodies, hinges, room, first, table_io, force_out)
