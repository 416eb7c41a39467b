"""Messages of a step, written into the buffer of a chunk as MCAP and Protocol Buffers have them (see layout.py).

`at` is where something begins in the buffer; what writes it returns where the next begins.
"""

import numpy as np

from ..._jit import inner_kernel, kernel
from ...contact.contact_kernels import BODY_A, BODY_B, GAP, KIND, LABEL
from ...dynamics.accounts.account_kernels import FRICTION, TORQUE_A, TORQUE_B
from ...dynamics.contacts.contact_table_kernels import contact_entities, contact_frames
from .pack_tables import ContactFrames, Found, Left, Messages, StepBodies, StepContacts, When

MESSAGE = 5
"""Kind of an MCAP record that is a message."""
FRAME, HEAD = 31, 22
"""[bytes] before a message's data: in all, and of these what counts to its length."""
BYTES_FOLLOW = 2
"""Wire type of packed arrays."""
# Numbers of channels, in the order of layout.CHANNELS.
STATE, CONTACTS, REPORT, INPUT = 1, 2, 3, 4


@inner_kernel
def _put_number(value, width, at, out_io):
    """Little-endian."""
    for i in range(width):
        out_io[np.uint64(at + i)] = (value >> (8 * i)) & 0xFF
    return at + width


@inner_kernel
def _put_double(value, at, out_io):
    return _put_number(np.float64(value).view(np.int64), 8, at, out_io)


@inner_kernel
def _put_varint(value, at, out_io):
    """Seven bits a byte, the lowest first."""
    while value > 0x7F:
        out_io[at] = value & 0x7F | 0x80
        value >>= 7
        at += 1
    out_io[at] = value
    return at + 1


@inner_kernel
def _put_head(field, length, at, out_io):
    """Key and length of a packed array."""
    at = _put_varint(field << 3 | BYTES_FOLLOW, at, out_io)
    return _put_varint(length, at, out_io)


@inner_kernel
def _put_doubles(field, table, first, width, n, at, out_io):
    """Columns of a table, row by row."""
    at = _put_head(field, 8 * width * n, at, out_io)
    for k in range(n):
        for c in range(width):
            at = _put_double(table[k, first + c], at, out_io)
    return at


@inner_kernel
def _put_integers(field, table, column, bytes_each, n, at, out_io):
    at = _put_head(field, bytes_each * n, at, out_io)
    for k in range(n):
        at = _put_number(np.int64(table[k, column]), bytes_each, at, out_io)
    return at


@inner_kernel
def _put_rows(field, body, n, table, at, out_io):
    """Rows of n bodies."""
    at = _put_head(field, 8 * table.shape[1] * n, at, out_io)
    for k in range(n):
        for c in range(table.shape[1]):
            at = _put_double(table[body[k, 0], c], at, out_io)
    return at


@inner_kernel
def _put_step(step, at, out_io):
    """Field 1 of all messages."""
    return _put_number(step, 8, _put_head(1, 8, at, out_io), out_io)


@inner_kernel
def _put_time(time, at, out_io):
    """Field 2 of messages that have a time."""
    return _put_double(time, _put_head(2, 8, at, out_io), out_io)


@inner_kernel
def _end_message(end, channel, stamp, messages_io):
    """Write what stands before a message that goes up to `end`, and go on behind it."""
    cursor, index, out = messages_io
    begin, k = cursor[0], cursor[1]
    at = _put_number(MESSAGE, 1, begin, out)
    at = _put_number(end - begin - FRAME + HEAD, 8, at, out)
    at = _put_number(channel, 2, at, out)
    at = _put_number(0, 4, at, out)
    at = _put_number(stamp, 8, at, out)
    _put_number(stamp, 8, at, out)
    index[k, 0], index[k, 1], index[k, 2] = channel, stamp, begin
    cursor[0], cursor[1] = end, k + 1


@inner_kernel
def _begin_message(when, messages_io):
    """Leave room for what stands before a message, then write step and time; where the next field begins."""
    out = messages_io.buffer
    return _put_time(when.time, _put_step(when.step, messages_io.cursor[0] + FRAME, out), out)


@inner_kernel
def _pack_state(when, pose, twist, messages_io):
    """Poses and velocities of all bodies."""
    n, end, out = len(pose), _begin_message(when, messages_io), messages_io.buffer
    if n > 0:
        end = _put_doubles(3, pose, 0, 7, n, end, out)
        end = _put_doubles(4, twist, 0, 6, n, end, out)
    _end_message(end, STATE, when.stamp, messages_io)


@inner_kernel
def _pack_contacts(when, contacts, frames, messages_io):
    """One contact or more; see `CONTACT_TYPE`."""
    (name, place, acted, n), (entity, point, normal, force) = contacts, frames
    end, out = _begin_message(when, messages_io), messages_io.buffer
    end = _put_integers(3, name, LABEL, 8, n, end, out)
    end = _put_integers(4, name, BODY_A, 4, n, end, out)
    end = _put_integers(5, name, BODY_B, 4, n, end, out)
    end = _put_integers(6, name, KIND, 4, n, end, out)
    end = _put_integers(7, entity, 0, 4, n, end, out)
    end = _put_integers(8, entity, 1, 4, n, end, out)
    end = _put_doubles(9, point, 0, 3, n, end, out)
    end = _put_doubles(10, normal, 0, 3, n, end, out)
    end = _put_doubles(11, place, GAP, 1, n, end, out)
    end = _put_doubles(12, force, 0, n, 1, end, out)
    end = _put_doubles(13, acted, FRICTION, 3, n, end, out)
    end = _put_doubles(14, acted, TORQUE_A, 3, n, end, out)
    end = _put_doubles(15, acted, TORQUE_B, 3, n, end, out)
    _end_message(end, CONTACTS, when.stamp, messages_io)


@inner_kernel
def _pack_report(when, report, messages_io):
    """Numbers of a step's report, each a field of its own."""
    end, out = _begin_message(when, messages_io), messages_io.buffer
    for i in range(len(report)):
        end = _put_double(report[i], _put_head(3 + i, 8, end, out), out)
    _end_message(end, REPORT, when.stamp, messages_io)


@kernel
def pack_step(when, bodies, contacts, report, messages_io):
    """What a step did: StepBodies, StepContacts, its report."""
    when, bodies, contacts = When(*when), StepBodies(*bodies), StepContacts(*contacts)
    messages_io, n = Messages(*messages_io), contacts.n
    _pack_state(when, bodies.pose, bodies.twist, messages_io)
    if n > 0:
        frames = ContactFrames(np.empty((n, 2), np.int32), np.empty((n, 3)), np.empty((n, 3)), np.empty((1, n)))
        contact_entities(contacts.name, n, bodies.shape_of, bodies.numbers, frames.entity)
        places = contacts.name, contacts.place, bodies.radius, contacts.acted, n, bodies.pose
        contact_frames(*places, (frames.point, frames.normal, frames.force[0]))
        _pack_contacts(when, contacts, frames, messages_io)
    if len(report) > 0:
        _pack_report(when, report, messages_io)


@inner_kernel
def _differ(a, b, i):
    for c in range(a.shape[1]):
        if a[i, c] != b[i, c]:
            return True
    return False


@inner_kernel
def _is_pushed(wrench, i):
    for c in range(6):
        if wrench[i, c] != 0.0:
            return True
    return False


@kernel
def pack_input(step, stamp, left, found, messages_io):
    """What was done to bodies since the last step left them, if anything was."""
    left, found, messages_io = Left(*left), Found(*found), Messages(*messages_io)
    out = messages_io.buffer
    body, k = np.empty((len(found.twist), 1), np.int32), 0
    for i in range(len(found.twist)):
        held = _differ(found.hold, left.hold, i) or _differ(found.target, left.target, i)
        if held or _is_pushed(found.wrench, i) or _differ(found.twist, left.twist, i):
            body[k, 0] = i
            k += 1
    if k == 0:
        return
    end = _put_step(step, messages_io.cursor[0] + FRAME, out)
    end = _put_integers(2, body, 0, 4, k, end, out)
    end = _put_rows(3, body, k, found.twist, end, out)
    end = _put_rows(4, body, k, found.wrench, end, out)
    end = _put_rows(5, body, k, found.hold, end, out)
    end = _put_rows(6, body, k, found.target, end, out)
    _end_message(end, INPUT, stamp, messages_io)
