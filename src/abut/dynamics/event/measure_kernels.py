"""What hinges feel of each other, for impulses and for the choice of those that hold."""

from ..._jit import kernel
from ...contact.contact_kernels import BODY_A, BODY_B
from ...math.vec_kernels import put_row
from .hinge_kernels import rate_of, slip_of
from .motion_kernels import add_answers, derivative, pose_of, put_frames, put_inverses, put_matrix, put_rows, set_up
from .motion_tables import SPEED, Bodies, Hinges, Room, Springs, Tables


@kernel
def measure(y, bodies, springs, hinges, tables, room_io, change_io, rate_out):
    """Matrix and accelerations of hinges, which stand in the room, and their rates."""
    bodies, springs, hinges = Bodies(*bodies), Springs(*springs), Hinges(*hinges)
    tables, room_io = Tables(*tables), Room(*room_io)
    set_up(y, bodies, springs, hinges, tables, room_io, change_io)
    for r in range(rate_out.shape[0]):
        rate_out[r] = rate_of(room_io.row[r], hinges.body[r, 0], hinges.body[r, 1], y, SPEED)


@kernel
def add_impulses(bodies, hinges, tables, room_io, impulse, y_io):
    """Change velocities by impulses along the rows of hinges."""
    bodies, hinges, tables, room_io = Bodies(*bodies), Hinges(*hinges), Tables(*tables), Room(*room_io)
    put_frames(y_io, room_io.frames)
    put_inverses(bodies, room_io.frames, room_io.small, room_io.line[1], room_io.inverse)
    put_rows(hinges, tables, room_io.frames, room_io.row)
    for r in range(hinges.kind.shape[0]):
        for i in range(12):
            room_io.push[r, i] = room_io.row[r, i]
    put_matrix(hinges, room_io)
    add_answers(hinges, room_io.answer, impulse, SPEED, y_io)


@kernel
def accelerations(
    y, bodies, springs, hinges, tables, room_io, pushing, pushing_room_io, force, change_io, acceleration_out
):
    """Accelerations of the values of hinges that bear nothing, while others push with given forces."""
    bodies, springs, hinges = Bodies(*bodies), Springs(*springs), Hinges(*hinges)
    tables, room_io = Tables(*tables), Room(*room_io)
    pushing, pushing_room_io = Hinges(*pushing), Room(*pushing_room_io)
    set_up(y, bodies, springs, pushing, tables, pushing_room_io, change_io)
    add_answers(pushing, pushing_room_io.answer, force, SPEED, change_io)
    moved = change_io.copy()
    set_up(y, bodies, springs, hinges, tables, room_io, change_io)
    for r in range(acceleration_out.shape[0]):
        a, b = hinges.body[r, 0], hinges.body[r, 1]
        more = rate_of(room_io.row[r], a, b, moved, SPEED) - rate_of(room_io.row[r], a, b, change_io, SPEED)
        acceleration_out[r] = room_io.right[r] + more


@kernel
def forces_at(y, bodies, springs, hinges, tables, room_io, change_io, force_out):
    """Forces of hinges that hold in a state."""
    bodies, springs, hinges = Bodies(*bodies), Springs(*springs), Hinges(*hinges)
    derivative(y, bodies, springs, hinges, Tables(*tables), Room(*room_io), force_out, change_io)


@kernel
def slips(contacts, tables, y, slip_out, normal_out):
    """Velocities of B's surface along A's at contacts, and their normals."""
    tables = Tables(*tables)
    for c in range(contacts.shape[0]):
        k = contacts[c]
        a, b = tables.name[k, BODY_A], tables.name[k, BODY_B]
        _, n, v = slip_of(k, a, b, tables, pose_of(y, a), pose_of(y, b), y, SPEED)
        put_row(v, c, slip_out)
        put_row(n, c, normal_out)
