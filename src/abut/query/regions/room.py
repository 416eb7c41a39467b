"""Room for a search for contact regions: kept from one search to the next, one for each thread."""

from __future__ import annotations

from threading import local

import numpy as np

from ..._jit import Packet
from .region_kernels import NUMBERS
from .region_tables import ROOM, Found, Groups, Scratch

_FEW = 256
"""Groups, elements, corners and points that fit at first."""
_GROWTH = 4
_POLYGON = 12


class Room:
    """Tables that a search writes to."""

    def __init__(self, room: int = _FEW, depth: int = 64) -> None:
        self.room, self.depth = room, depth
        self.groups = Groups(
            counts=np.zeros(5, np.int32),
            slots=np.zeros(4 * room, np.int32),
            key=np.empty(room, np.int64),
            name=np.empty((room, 5), np.int32),
            state=np.empty((room, 2), np.int32),
            near=np.empty((room, 7)),
            element=np.empty((room, 3), np.int32),
            span=np.empty((room, 4)),
            corner=np.empty((4 * room, 4)),
            code=np.empty(4 * room, np.int64),
        )
        self.scratch = Scratch(
            stack=np.empty((depth, 2), np.int32),
            pair=np.empty((4 * room, 4), np.int32),
            seed=np.empty((room, 4), np.int32),
            seed_point=np.empty((room, 3)),
            polygon=np.empty((2, _POLYGON, 4)),
            border=np.empty((2, _POLYGON), np.int32),
            flat=np.empty((4 * room, 2)),
            order=np.empty(4 * room, np.int32),
            hull=np.empty(8 * room, np.int32),
        )
        self.found = empty_found(room)
        self.packet = Packet(ROOM)
        for tables in (self.scratch, self.groups, self.found):
            self.packet.put(type(tables), tables)

    def grown(self, depth: int = 0) -> Room:
        """More room: for all, or for trees of this depth."""
        return Room(self.room, depth) if depth > self.depth else Room(_GROWTH * self.room, self.depth)


def empty_found(room: int) -> Found:
    """Tables for so many regions, and four times as many points."""
    return Found(
        counts=np.zeros(3, np.int32),
        name=np.empty((room, 4), np.int32),
        key=np.empty(room, np.int64),
        dim=np.empty(room, np.int32),
        number=np.empty((room, NUMBERS)),
        normal_b=np.empty((room, 3)),
        start=np.zeros(room + 1, np.int32),
        point=np.empty((4 * room, 6)),
        place=np.empty((4 * room, 3)),
        code=np.empty(4 * room, np.int64),
        label=np.empty(4 * room, np.int64),
        group=np.empty(room, np.int32),
        witness=np.empty((room, 2), np.int32),
    )


_kept = local()


def room_for(depth: int) -> Room:
    """The room of this thread, deep enough for two trees."""
    room: Room | None = getattr(_kept, "room", None)
    if room is None or room.depth < depth:
        room = _kept.room = Room(depth=max(64, depth)) if room is None else room.grown(depth)
    return room


def more_room() -> Room:
    """The room of this thread, several times as large as it was."""
    _kept.room = _kept.room.grown()
    room: Room = _kept.room
    return room
