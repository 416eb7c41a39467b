"""Room for the regions of a world: three long arrays each, and the tables that lie in them."""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType

import numpy as np

from ...query.regions.region_tables import Found
from .layout_kernels import (
    CONTACT_FLOATS,
    CONTACT_INTS,
    CONTACT_ROOM,
    FOUND_FLOATS,
    FOUND_INTS,
    FOUND_LONGS,
    FOUND_ROOM,
    POLYGON_FLOATS,
    READING_FLOATS,
    READING_INTS,
    READING_LONGS,
    READING_ROOM,
    WORK_FLOATS,
    WORK_INTS,
    WORK_LONGS,
    WORK_ROOM,
    found_in,
    moment_in,
)
from .world_region_tables import Moments

GROWTH = 4


class FoundRoom:
    """Regions with their measures."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.given = _arrays(room, 0, FOUND_FLOATS * room, FOUND_INTS * room + FOUND_ROOM, FOUND_LONGS * room)
        self.found: Found = _plain(found_in)(*self.given[:4])


class MomentRoom:
    """All that is known of the regions of a moment, but for measures of surfaces."""

    def __init__(self, room: int, n_contact: int) -> None:
        self.room, self.n_contact = room, n_contact
        self.reader: ReferenceType[Any] | None = None
        """Held by the regions that show these tables, as long as somebody has them."""
        floats = (FOUND_FLOATS + READING_FLOATS) * room + CONTACT_FLOATS * n_contact
        ints = (FOUND_INTS + READING_INTS) * room + CONTACT_INTS * n_contact + FOUND_ROOM + CONTACT_ROOM
        longs = (FOUND_LONGS + READING_LONGS) * room + READING_ROOM
        self.given = _arrays(room, n_contact, floats, ints, longs)
        found: Found = _plain(found_in)(*self.given[:4])
        tables: Moments = _plain(moment_in)(*self.given, found)
        self.found, self.pairs, self.reading = found, tables.pairs, tables.reading


class WorkRoom:
    """Scratch of a search."""

    def __init__(self, room: int, depth: int) -> None:
        self.room, self.depth = room, depth
        floats, ints = WORK_FLOATS * room + POLYGON_FLOATS, WORK_INTS * room + WORK_ROOM + 2 * depth
        self.given = _arrays(room, depth, floats, ints, WORK_LONGS * room)


def _arrays(room: int, width: int, floats: int, ints: int, longs: int) -> tuple[Any, ...]:
    """What kernels take, see `RoomTables`."""
    return np.zeros(floats), np.zeros(ints, np.int32), np.zeros(longs, np.int64), room, width


def _plain(kernel: Any) -> Any:
    """A kernel as the Python function that it was."""
    return getattr(kernel, "py_func", kernel)
