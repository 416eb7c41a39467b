"""A chunk of a record that is being filled: messages one after the other, as they will be compressed together."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...dynamics.contacts.contact_set import ContactSet
from ...dynamics.moment import Moment
from ...dynamics.state import Model
from .layout import CHANNELS, COUNTED
from .pack_kernels import HEAD, MESSAGE, pack_input, pack_step
from .pack_tables import Left

BODY_BYTES, CONTACT_BYTES, INPUT_BYTES, OTHER_BYTES = 104, 164, 236, 256
"""Of a body's state, of a contact, of a body that something was done to, and of the rest of a message, at most."""
NANOSECONDS, MOST_STAMP = 1_000_000_000, 2**63 - 1
_FRAME = Struct("<BQHIQQ")
_NUMBERS = {topic: number for number, topic in enumerate(CHANNELS, 1)}
_NOTHING = np.zeros(0)
_counted = attrgetter(*COUNTED)
LEAST_MESSAGE = 32
"""[bytes]."""


class Chunk:
    """Messages in a buffer of fixed size; there must be room for what is put into it."""

    def __init__(self, room: int) -> None:
        self._buffer: NDArray[np.uint8] = np.empty(room, np.uint8)
        self._cursor = np.zeros(2, np.int64)
        self._index = np.empty((room // LEAST_MESSAGE, 3), np.int64)

    @property
    def data(self) -> memoryview:
        """The messages."""
        return self._buffer[: self._cursor[0]].data

    @property
    def index(self) -> NDArray[np.int64]:
        """(n, 3) channel, time [ns] and place of each message."""
        return self._index[: self._cursor[1]]

    @property
    def left(self) -> int:
        """[bytes] that have room."""
        return len(self._buffer) - int(self._cursor[0])

    def put_step(self, step: int, now: Moment, model: Model) -> None:
        """What a step did: states, contacts and those that pushed in it and have let go, its report."""
        self._put_step(step, now, _tables(now.contacts), model, np.array(_counted(now.report), np.float64))

    def put_start(self, step: int, now: Moment, model: Model) -> None:
        """Where everything is before the first step."""
        contacts = now.contacts
        self._put_step(step, now, (contacts.name, contacts.place, contacts.acted, 0), model, _NOTHING)

    def put_bare(self, step: int, now: Moment, *, report: bool) -> None:
        """The same of a world without rigid bodies."""
        head = {"step": step, "time": now.time}
        found = [("/state", CHANNELS["/state"].encode(head))]
        if report:
            counted = dict(zip(COUNTED, _counted(now.report), strict=True))
            found.append(("/report", CHANNELS["/report"].encode({**head, **counted})))
        self.put_all(found, now.time)

    def _put_step(self, step: int, now: Moment, contacts: Tables, model: Model, report: Floats) -> None:
        when, state = (step, now.time, stamp_of(now.time)), now.state
        bodies = (state.pose, state.twist, model.radius, model.shape_of, tuple(model.numbers))
        pack_step(when, bodies, contacts, report, (self._cursor, self._index, self._buffer))

    def put_input(self, step: int, now: Moment, left: Left) -> None:
        """What was done to bodies since a step left them, before the next step, if anything was."""
        state = now.state
        found = (state.twist, state.wrench, state.hold, state.target)
        pack_input(step, stamp_of(now.time), tuple(left), found, (self._cursor, self._index, self._buffer))

    def put(self, topic: str, stamp: int, data: bytes) -> None:
        """A message that is bytes already."""
        channel, (begin, k) = _NUMBERS[topic], self._cursor.tolist()
        frame = _FRAME.pack(MESSAGE, HEAD + len(data), channel, 0, stamp, stamp)
        end = begin + len(frame) + len(data)
        self._buffer[begin:end] = np.frombuffer(frame + data, np.uint8)
        self._index[k], self._cursor[:] = (channel, stamp, begin), (end, k + 1)

    def put_all(self, messages: Sequence[tuple[str, bytes]], time: float) -> None:
        """Messages that are bytes already, by their topics, of one time [s]."""
        for topic, data in messages:
            self.put(topic, stamp_of(time), data)


def room_of(messages: Sequence[tuple[str, bytes]]) -> int:
    """[bytes] that messages take that are bytes already."""
    return sum(len(data) + OTHER_BYTES for _, data in messages)


def stamp_of(time: float) -> int:
    """[ns] of a time [s] of the world, as far as there are numbers for it."""
    return min(max(0, round(time * NANOSECONDS)), MOST_STAMP)


def room_of_input(now: Moment) -> int:
    """[bytes] that what was done before a step takes at most."""
    return INPUT_BYTES * len(now.state.kind) + OTHER_BYTES


def room_of_step(now: Moment) -> int:
    """[bytes] that the messages of a step take at most."""
    gone = now.contacts.gone
    n_contact = now.contacts.n + (0 if gone is None else gone.n)
    return BODY_BYTES * len(now.state.kind) + CONTACT_BYTES * n_contact + 3 * OTHER_BYTES


Tables = tuple[Ints, Floats, Floats, int]


def _tables(contacts: ContactSet) -> Tables:
    """Rows of contacts, of those that are gone behind the others."""
    gone, n = contacts.gone, contacts.n
    if gone is None or gone.n == 0:
        return contacts.name, contacts.place, contacts.acted, n
    name = np.concatenate((contacts.name[:n], gone.name[: gone.n]))
    place = np.concatenate((contacts.place[:n], gone.place[: gone.n]))
    acted = np.concatenate((contacts.acted[:n], gone.acted[: gone.n]))
    return name, place, acted, n + gone.n
