"""Finds the regions of a world when they are asked for, and remembers them for the next time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..bodies.body import BodySpec
from ..contacts.contact_set import ContactSet
from ..moment import Moment
from ..state import Model
from .measure_kernels import measure_regions
from .packed import GROWTH, FoundRoom, MomentRoom, WorkRoom
from .part_stack import PartStack, stack_parts
from .world_region_kernels import update_regions
from .world_regions import Hold, WorldRegions

if TYPE_CHECKING:
    from ..world import World

GAPS_OF_TOUCH = 2.0
"""Contact gaps within which features touch."""
SLIPPING = 0.02
"""Contact gaps a step: the least slip that counts."""
_FEW = 256
_SPARE = 8
"""Sets of tables that are kept, at most."""
_NO_CONTACTS = (np.zeros((0, 7), np.int32), np.zeros((0, 17)), np.zeros((0, 12)), 0)


class Known(NamedTuple):
    """What does not change while bodies stay the same."""

    specs: tuple[BodySpec, ...]
    model: Model
    stack: PartStack
    contact_gap: float
    """[m]."""
    parts: tuple[Any, ...]
    """See `PartTables`."""

    @classmethod
    def of(cls, world: World, now: Moment) -> Known:
        """Of the bodies of a moment."""
        model, specs = world._model_of(now.setup), now.setup.specs
        stack = stack_parts(specs)
        parts = (stack.floats, stack.ints, stack.starts, stack.margin, *model.numbers)
        return cls(specs, model, stack, world._gap_of(now.setup), parts)

    def bodies(self, now: Moment) -> tuple[Any, ...]:
        """See `BodyTables`."""
        state, stack, model = now.state, self.stack, self.model
        return stack.shape, stack.centre, state.pose, state.twist, model.radius, model.shape_of


class RegionWatch:
    """The regions of one world, moment after moment."""

    def __init__(self) -> None:
        self._work = WorkRoom(_FEW, 64)
        self._now, self._old = MomentRoom(_FEW, _FEW), MomentRoom(_FEW, _FEW)
        self._spare: list[MomentRoom] = []
        """Tables of earlier moments, which somebody may still read."""
        self._known: Known | None = None
        self._measured: tuple[MomentRoom, FoundRoom, Hold] | None = None
        """The latest regions that were measured, which labels of points are carried from."""
        self.latest: WorldRegions | None = None
        self.next_point_label = 0

    def at(self, world: World, now: Moment) -> WorldRegions:
        """The regions of a world at a moment."""
        latest = self.latest
        if latest is not None:
            if latest.moment is now:
                return latest
            if _nothing_changed(latest.moment, now) or _nothing_touches(latest, now):
                self.latest = latest.still_at(now)
                return self.latest
            latest.forget()
        known = self._known
        if known is None or known.specs is not now.setup.specs:
            known = self._known = Known.of(world, now)
        n = self._update(now, known, world.dt)
        self.latest = WorldRegions(world, self, known, now, self._now, n, latest)
        return self.latest

    def _update(self, now: Moment, known: Known, dt: float) -> int:
        """Fill the tables of this moment; returns how many contacts there are."""
        limits = (GAPS_OF_TOUCH * known.contact_gap, SLIPPING * known.contact_gap / dt)
        touching, gone = _given(now.contacts), _given(now.contacts.gone)
        n: int = touching[3] + gone[3]
        self._spare.append(self._old)
        self._old, self._now = self._now, self._free_tables(self._now.room, n)
        self._deepen(known)
        given = (known.parts, known.bodies(now), touching, gone, limits, self._old.given)
        while True:
            # Labels go on where they were.
            self._now.reading.counts[0] = self._old.reading.counts[0]
            if not update_regions(*given, self._work.given, self._now.given):
                return n
            self._grow()
            self._now = MomentRoom(max(GROWTH * self._now.room, self._old.room), self._now.n_contact)

    def _deepen(self, known: Known) -> None:
        if self._work.depth < known.stack.depth or self._work.room < self._old.room:
            self._work = WorkRoom(max(self._work.room, self._old.room), max(64, known.stack.depth))

    def _grow(self) -> None:
        self._work = WorkRoom(GROWTH * self._work.room, self._work.depth)

    def _free_tables(self, room: int, n_contact: int) -> MomentRoom:
        """Tables with so much room that nobody reads any more, or new ones."""
        for k, tables in enumerate(self._spare):
            if not _is_read(tables) and tables.room >= room and tables.n_contact >= n_contact:
                return self._spare.pop(k)
        self._spare = [tables for tables in self._spare if tables.room >= room][-_SPARE:]
        return MomentRoom(room, max(_FEW, _power(n_contact)))

    def measure(self, known: Known, now: Moment, tables: MomentRoom, hold: Hold) -> FoundRoom:
        """The regions of a moment with areas, centres and points; labels of points go on from those before."""
        self._deepen(known)
        before = self._measured[:2] if self._measured is not None else (MomentRoom(1, 1), FoundRoom(1))
        full = FoundRoom(max(before[1].room, _power(int(tables.found.counts[0]))))
        given = (known.parts, known.bodies(now), GAPS_OF_TOUCH * known.contact_gap, tables.given)
        while True:
            full.found.counts[3] = self.next_point_label
            if not measure_regions(*given, before[0].given, before[1].given, self._work.given, full.given):
                break
            self._grow()
            full = FoundRoom(GROWTH * full.room)
        self.next_point_label = int(full.found.counts[3])
        self._measured = tables, full, hold
        return full


def _is_read(tables: MomentRoom) -> bool:
    return tables.reader is not None and tables.reader() is not None


def _nothing_changed(before: Moment, now: Moment) -> bool:
    """Whether all bodies slept in between."""
    return before.state is now.state and before.contacts is now.contacts


def _nothing_touches(latest: WorldRegions, now: Moment) -> bool:
    """Whether there was no region and there is no contact."""
    return len(latest) == 0 and now.contacts.n == 0 and now.contacts.gone is None


def _power(n: int) -> int:
    """The next power of two."""
    return 1 << max(4, (n - 1).bit_length())


def _given(contacts: ContactSet | None) -> tuple[Any, ...]:
    """Contacts as kernels take them: names, places, what acted, and how many."""
    return _NO_CONTACTS if contacts is None else (contacts.name, contacts.place, contacts.acted, contacts.n)
