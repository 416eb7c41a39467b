"""What hinges feel of each other, for impulses and for the choice of those that hold: asked from Python."""

from ..._jit import inlined_kernel, kernel
from ...contact.contact_kernels import BODY_A, BODY_B
from ...math.vec_kernels import put_row
from .hinge_kernels import rate_of, slip_of
from .motion_kernels import add_answers, pose_of, set_up
from .motion_tables import SPEED, Bodies, Equations, Hinges, Room, Springs, Tables


@inlined_kernel
def _named(system):
    bodies, springs, hinges, tables, room = system
    return Equations(Bodies(*bodies), Springs(*springs), Hinges(*hinges), Tables(*tables), Room(*room))


@kernel
def measure(y, system_io, change_io, rate_out):
    """Matrix and accelerations of hinges, which stand in the room, and their rates."""
    system_io = _named(system_io)
    hinges, room = system_io.hinges, system_io.room
    set_up(y, system_io, change_io)
    for r in range(rate_out.shape[0]):
        rate_out[r] = rate_of(room.row[r], hinges.body[r, 0], hinges.body[r, 1], y, SPEED)


@kernel
def accelerations(y, system_io, pushing_io, force, change_io, moved_io, acceleration_out):
    """Accelerations of the values of hinges that bear nothing, while others push with given forces."""
    system_io, pushing_io = _named(system_io), _named(pushing_io)
    hinges, room = system_io.hinges, system_io.room
    set_up(y, pushing_io, moved_io)
    add_answers(pushing_io.hinges, pushing_io.room.answer, force, SPEED, moved_io)
    set_up(y, system_io, change_io)
    for r in range(acceleration_out.shape[0]):
        a, b = hinges.body[r, 0], hinges.body[r, 1]
        more = rate_of(room.row[r], a, b, moved_io, SPEED) - rate_of(room.row[r], a, b, change_io, SPEED)
        acceleration_out[r] = room.right[r] + more


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
