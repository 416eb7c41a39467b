"""Finds the regions of a world when they are asked for, and remembers them for the next time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ReferenceType, ref

import numpy as np

from ...query.regions.room import Room, empty_found
from ..bodies.body import BodySpec
from ..contacts.contact_set import ContactSet
from ..moment import Moment
from ..state import Model
from .part_stack import PartStack, stack_parts
from .world_region_kernels import update_regions
from .world_region_tables import Pairs, Reading

if TYPE_CHECKING:
    from ..world import World
    from .world_regions import Hold, WorldRegions

GAPS_OF_TOUCH = 2.0
"""Contact gaps within which features touch."""
SLIPPING = 0.02
"""Contact gaps a step: the least slip that counts."""
_FEW = 256
_GROWTH = 4
_SPARE = 8
"""Sets of tables that are kept, at most."""


class _Tables:
    """Room for the regions of a world at one moment."""

    def __init__(self, room: int, n_contact: int) -> None:
        self.room, self.n_contact = room, n_contact
        self.reader: ReferenceType[Hold] | None = None
        """Held by the regions that show these tables, as long as somebody has them."""
        self.found = empty_found(room)
        self.pairs = Pairs(
            counts=np.zeros(1, np.int32),
            body=np.zeros((n_contact, 2), np.int32),
            pose=np.zeros((n_contact, 14)),
            start=np.zeros(n_contact + 1, np.int32),
            last=np.zeros(n_contact, np.int32),
            slots=np.zeros(4 * n_contact, np.int32),
            slot=np.zeros(n_contact, np.int32),
        )
        self.reading = Reading(
            label=np.zeros(room, np.int64),
            counts=np.zeros(1, np.int64),
            owner=np.zeros((room, 2), np.int32),
            made=np.zeros(room, np.int32),
            wrench=np.zeros((room, 12)),
            pressure=np.zeros((room, 4)),
            friction=np.zeros((room, 3)),
            slip=np.zeros((room, 3)),
            sliding=np.zeros(room, np.int32),
            region=np.zeros(n_contact, np.int32),
            before=np.zeros(n_contact, np.int32),
        )
        vectors = (np.zeros((n_contact, 3)), np.zeros((n_contact, 3)), np.zeros(n_contact))
        self.contacts = (np.zeros((n_contact, 2), np.int32), *vectors)
        self.tuples = tuple(self.found), tuple(self.pairs), tuple(self.reading)


class _Known(NamedTuple):
    """What does not change while bodies stay the same."""

    specs: tuple[BodySpec, ...]
    model: Model
    stack: PartStack
    contact_gap: float
    """[m]."""
    numbers: tuple[Any, ...]
    """How features are numbered in their parts, see `PartNumbers`."""

    @classmethod
    def of(cls, world: World, now: Moment) -> _Known:
        model, specs = world._model_of(now.setup), now.setup.specs
        return cls(specs, model, stack_parts(specs), world._gap_of(now.setup), tuple(model.numbers))


class RegionWatch:
    """The regions of one world, moment after moment."""

    def __init__(self) -> None:
        self._room = Room()
        self._memory = _memory(_FEW)
        self._now, self._old = _Tables(_FEW, _FEW), _Tables(_FEW, _FEW)
        self._spare: list[_Tables] = []
        """Tables of earlier moments, which somebody may still read."""
        self._known: _Known | None = None
        self.latest: WorldRegions | None = None

    def at(self, world: World, now: Moment) -> WorldRegions:
        """The regions of a world at a moment."""
        latest = self.latest
        if latest is not None and latest.moment is now:
            return latest
        if latest is not None and (_nothing_changed(latest.moment, now) or _nothing_touches(latest, now)):
            self.latest = latest.still_at(now)
            return self.latest
        from .world_regions import Hold, WorldRegions

        if latest is not None:
            latest.forget()
        known = self._known
        if known is None or known.specs is not now.setup.specs:
            known = self._known = _Known.of(world, now)
        n = self._update(now, known, world.dt)
        hold = Hold()
        self.latest = WorldRegions(world, now, self._now, hold, n, latest, GAPS_OF_TOUCH * known.contact_gap)
        self._now.reader = ref(hold)
        self._spare.append(self._old)
        return self.latest

    def _update(self, now: Moment, known: _Known, dt: float) -> int:
        """Fill the tables of this moment; returns how many contacts there are."""
        model, stack, contact_gap = known.model, known.stack, known.contact_gap
        n, contacts = _joined(now.contacts)
        bodies = (stack.shape, stack.centre, now.state.pose, now.state.twist, model.radius, model.shape_of)
        limits = (GAPS_OF_TOUCH * contact_gap, SLIPPING * contact_gap / dt)
        self._old, self._now = self._now, self._free_tables(self._now.room, n)
        if self._room.depth < stack.depth:
            self._room = self._room.grown(stack.depth)
        parts, numbers = (stack.tables, stack.starts, stack.margin), known.numbers
        while True:
            self._carry_counters()
            touching = (*contacts, *self._now.contacts)
            given = (*parts, bodies, touching, numbers, n, limits, *self._old.tuples, self._memory)
            if not update_regions(*given, *self._room.tables[:2], *self._now.tuples):
                return n
            self._room = self._room.grown()
            self._now = _Tables(_GROWTH * self._now.room, self._now.n_contact)
            self._memory = _memory(max(self._now.room, self._old.room))

    def _free_tables(self, room: int, n_contact: int) -> _Tables:
        """Tables with so much room that nobody reads any more, or new ones."""
        for k, tables in enumerate(self._spare):
            reader = tables.reader() if tables.reader is not None else None
            if reader is None and tables.room >= room and tables.n_contact >= n_contact:
                return self._spare.pop(k)
        self._spare = [tables for tables in self._spare if tables.room >= room][-_SPARE:]
        return _Tables(room, _power(n_contact))

    def _carry_counters(self) -> None:
        """Labels go on where they were."""
        self._now.reading.counts[0] = self._old.reading.counts[0]
        self._now.found.counts[3] = self._old.found.counts[3]


def _nothing_changed(before: Moment, now: Moment) -> bool:
    """Whether all bodies slept in between."""
    return before.state is now.state and before.contacts is now.contacts


def _nothing_touches(latest: WorldRegions, now: Moment) -> bool:
    """Whether there was no region and there is no contact."""
    return len(latest) == 0 and now.contacts.n == 0 and now.contacts.gone is None


def _memory(room: int) -> tuple[Any, ...]:
    """Room for what was known of one pair."""
    regions = (np.zeros(room, np.int64), np.zeros((room, 3)), np.zeros(room + 1, np.int32))
    return (*regions, np.zeros(4 * room, np.int64), np.zeros((4 * room, 3)), np.zeros(4 * room, np.int64))


def _power(n: int) -> int:
    return 1 << max(8, (n - 1).bit_length())


def _joined(contacts: ContactSet) -> tuple[int, tuple[Any, ...]]:
    """Contacts that are, then those that let go in the step: how many, their names, places and what acted."""
    gone = contacts.gone
    if gone is None:
        return contacts.n, (contacts.name, contacts.place, contacts.acted)
    pairs = ((contacts.name, gone.name), (contacts.place, gone.place), (contacts.acted, gone.acted))
    return contacts.n + gone.n, tuple(np.concatenate((mine[: contacts.n], its[: gone.n])) for mine, its in pairs)
