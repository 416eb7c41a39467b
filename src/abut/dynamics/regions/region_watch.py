"""Finds the regions of a world when they are asked for, and remembers them for the next time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._jit import Packet
from ...contact.contact_kernels import NAME_WIDTH, PLACE_WIDTH
from ...query.regions.region_tables import NEXT_LABEL, REGIONS
from ..accounts.account_kernels import CONTACT_WIDTH
from ..bodies.body import BodySpec
from ..contacts.contact_set import ContactSet
from ..contacts.contact_set_kernels import join_contacts
from ..contacts.contact_tables import PartNumbers
from ..moment import Moment
from ..state import Model
from .measure_kernels import measure_regions
from .packed import GROWTH, FoundRoom, MomentRoom, WorkRoom
from .part_stack import PartStack, stack_parts
from .world_region_kernels import update_regions
from .world_region_tables import KNOWN, StillBodies
from .world_regions import Shown, WorldRegions

if TYPE_CHECKING:
    from ..world import World

GAPS_OF_TOUCH = 2.0
"""Contact gaps within which features touch."""
SLIPPING = 0.02
"""Contact gaps a step: the least slip that counts."""
_FEW = 256
_SPARE = 8
"""Sets of tables that are kept, at most."""


class Known(NamedTuple):
    """What does not change while bodies stay the same."""

    specs: tuple[BodySpec, ...]
    model: Model
    stack: PartStack
    contact_gap: float
    """[m]."""
    packet: Packet
    """Bodies."""
    words: tuple[Any, Any]
    """Bodies and parts, as kernels take them."""

    @classmethod
    def of(cls, world: World, now: Moment) -> Known:
        """Of the bodies of a moment."""
        model, specs = world._model_of(now.setup), now.setup.specs
        stack = stack_parts(specs)
        packet = Packet(KNOWN)
        packet.put(StillBodies, (stack.shape, stack.centre, model.radius, model.shape_of, stack.margin))
        packet.put(PartNumbers, model.numbers)
        return cls(specs, model, stack, world._gap_of(now.setup), packet, (packet.words, stack.words))


class RegionWatch:
    """The regions of one world, moment after moment."""

    def __init__(self) -> None:
        self._work = WorkRoom(_FEW, 64)
        self._now, self._old = MomentRoom(_FEW, _FEW), MomentRoom(_FEW, _FEW)
        self._spare: list[MomentRoom] = []
        """Tables of earlier moments, which somebody may still read."""
        self._known: Known | None = None
        self._measured: tuple[MomentRoom, FoundRoom, Shown] | None = None
        """The latest regions that were measured, which labels of points are carried from."""
        self.latest: WorldRegions | None = None
        self.next_point_label = 0

    def at(self, world: World, now: Moment) -> WorldRegions:
        """The regions of a world at a moment."""
        latest = self.latest
        if latest is not None:
            if latest.moment is now:
                return latest
            if _nothing_changed(latest, now):
                self.latest = latest.still_at(now)
                return self.latest
            latest.forget()
        known = self._known
        if known is None or known.specs is not now.setup.specs:
            known = self._known = Known.of(world, now)
            self.make_room(known)
        gap, contacts = known.contact_gap, _given(now.contacts)
        limits = (GAPS_OF_TOUCH * gap, SLIPPING * gap / world._dt)
        n = self._update((*known.words, now.state.block(), contacts, limits), contacts[3])
        self.latest = WorldRegions(Shown(world, self, known, self._now, n, contacts[3]), now, latest)
        return self.latest

    def _update(self, given: tuple[Any, ...], n_contact: int) -> int:
        """Fill the tables of this moment; returns how many regions there are."""
        old = self._now
        tables = self._free_tables(old.room, n_contact)
        while (n := update_regions(*given, old.words, self._work.words, tables.words)) < 0:
            self._grow()
            tables = MomentRoom(GROWTH * tables.room, tables.n_contact)
        self._old, self._now = old, tables
        return int(n)

    def make_room(self, known: Known) -> None:
        """Let searches have room for as many regions as there are, and for the trees of these parts."""
        room = max(self._old.room, self._now.room)
        if self._work.depth < known.stack.depth or self._work.room < room:
            self._work = WorkRoom(max(self._work.room, room), max(64, known.stack.depth))

    def _grow(self) -> None:
        self._work = WorkRoom(GROWTH * self._work.room, self._work.depth)

    def _free_tables(self, room: int, n_contact: int) -> MomentRoom:
        """Tables with so much room that nobody reads any more, or new ones; as a rule those before the last ones."""
        if _serves(self._old, room, n_contact):
            return self._old
        for k, tables in enumerate(self._spare):
            if _serves(tables, room, n_contact):
                self._spare[k] = self._old
                return tables
        self._spare = [*(tables for tables in self._spare if tables.room >= room), self._old][-_SPARE:]
        return MomentRoom(room, max(_FEW, _power(n_contact)))

    def measure(self, shown: Shown, now: Moment) -> FoundRoom:
        """The regions of a moment with areas, centres and points; labels of points go on from those before."""
        known, tables = shown.known, shown.tables
        self.make_room(known)
        before = self._measured[:2] if self._measured is not None else (MomentRoom(1, 1), FoundRoom(1))
        full = FoundRoom(max(before[1].room, _power(int(tables.found.counts[REGIONS]))))
        given = (known.packet.words, known.stack.words, GAPS_OF_TOUCH * known.contact_gap)
        then = (tables.words, before[0].words, before[1].words)
        while True:
            full.found.counts[NEXT_LABEL] = self.next_point_label
            if not measure_regions(*given, *then, self._work.words, full.words):
                break
            self._grow()
            full = FoundRoom(GROWTH * full.room)
        self.next_point_label = int(full.found.counts[NEXT_LABEL])
        self._measured = tables, full, shown
        return full


def _serves(tables: MomentRoom, room: int, n_contact: int) -> bool:
    """Whether nobody reads these tables, and they have so much room."""
    unread = tables.reader is None or tables.reader() is None
    return unread and tables.room >= room and tables.n_contact >= n_contact


def _nothing_changed(latest: WorldRegions, now: Moment) -> bool:
    """Whether a world has not moved, or nothing touched and nothing does."""
    before, contacts = latest.moment, now.contacts
    if contacts is before.contacts and now.state is before.state:
        return True
    return contacts.n == 0 and contacts.gone is None and len(latest) == 0


def _power(n: int) -> int:
    """The next power of two."""
    return 1 << max(4, (n - 1).bit_length())


def _given(contacts: ContactSet) -> tuple[Any, ...]:
    """Contacts as kernels take them, see `GivenContacts`; few steps have any that have let go."""
    n, gone = contacts.n, contacts.gone
    tables: tuple[Any, ...] = (contacts.name, contacts.place, contacts.acted)
    if gone is None:
        return *tables, n, n
    total = n + gone.n
    both = np.empty((total, NAME_WIDTH), np.int32), np.empty((total, PLACE_WIDTH)), np.empty((total, CONTACT_WIDTH))
    join_contacts((n, *tables), (gone.n, gone.name, gone.place, gone.acted), both)
    return *both, total, n
