"""Tables for the regions of a world, and their packets."""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType

import numpy as np

from ..._jit import Layout, Packet
from ...query.regions.region_tables import Memory
from ...query.regions.room import Room, empty_found
from .world_region_tables import MEASURED, MOMENT, WORK, ContactFrames, Pairs, Reading

GROWTH = 4


class FoundRoom:
    """Regions with their measures."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.found = empty_found(room)
        self.packet = _packet(MEASURED, self.found)
        self.words = self.packet.words


class MomentRoom:
    """All that is known of the regions of a moment, but for measures of surfaces."""

    def __init__(self, room: int, n_contact: int) -> None:
        self.room, self.n_contact = room, n_contact
        self.reader: ReferenceType[Any] | None = None
        """Held by the regions that show these tables, as long as somebody has them."""
        self.found, self.pairs, self.reading = empty_found(room), _pairs(n_contact), _reading(room, n_contact)
        self.packet = _packet(MOMENT, self.found, self.pairs, self.reading, _frames(n_contact))
        self.words = self.packet.words


class WorkRoom:
    """Scratch of a search, and what it is to know."""

    def __init__(self, room: int, depth: int) -> None:
        self.room, self.depth = room, depth
        tables = Room(room, depth)
        self.packet = _packet(WORK, tables.scratch, tables.groups, _memory(room))
        self.words = self.packet.words


def _packet(layout: Layout, *sections: Any) -> Packet:
    packet = Packet(layout)
    for tables in sections:
        packet.put(type(tables), tables)
    return packet


def _pairs(n: int) -> Pairs:
    return Pairs(
        counts=_ints(1), body=_ints(n, 2), pose=np.zeros((n, 14)), start=_ints(n + 1), last=_ints(n),
        slots=_ints(4 * n), slot=_ints(n),
    )  # fmt: skip


def _reading(n: int, n_contact: int) -> Reading:
    return Reading(
        label=np.zeros(n, np.int64), counts=np.zeros(1, np.int64), owner=_ints(n, 2), made=_ints(n),
        wrench=np.zeros((n, 12)), pressure=np.zeros((n, 8)), friction=np.zeros((n, 3)), slip=np.zeros((n, 3)),
        sliding=_ints(n), region=_ints(n_contact), before=_ints(n_contact),
    )  # fmt: skip


def _frames(n: int) -> ContactFrames:
    return ContactFrames(_ints(n, 2), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n))


def _memory(n: int) -> Memory:
    """Labels of points are carried elsewhere."""
    key, normal, witness, none = np.zeros(n, np.int64), np.zeros((n, 3)), _ints(n, 2), np.zeros(0, np.int64)
    return Memory(key, normal, _ints(0), none, np.zeros((0, 3)), none, witness)


def _ints(*shape: int) -> Any:
    return np.zeros(shape, np.int32)
