"""The contacts of a world: kept from step to step by what touches, with their forces."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Floats, Ints
from ...contact.contact_kernels import BODY_A, BODY_B, FEATURE_A, FEATURE_B, KIND, NAME_WIDTH, PLACE_WIDTH, SPOT
from ...contact.surface import facets_of
from ...query.motion.motion_candidate_kernels import FACE_VERTEX, VERTEX_FACE
from ..accounts.account_kernels import CONTACT_WIDTH, sum_contacts
from ..state import Model
from .contact_set_kernels import append_pushing, copy_contacts, count_pushing, keep_contacts

ROOM = 16
"""Rows of a set that was just made."""
FEW_ROWS = 64
"""Tables of so many rows are copied as a whole, which takes one call."""
LEAST_ROOM = 256
"""Rows that a longer table keeps from step to step in any case."""
SPARE_ROOM = 4
"""How many times as much room as rows a longer table keeps from step to step."""


class ContactForces(NamedTuple):
    """How many contacts there were when a motion began, and their forces."""

    n: int
    next_label: int
    force: Floats
    """(n,) [N] along the normals."""
    friction: Floats
    """(n, 3) [N] on bodies B."""


@dataclass(eq=False)
class ContactSet:
    """Rows of contacts as contact_kernels write them; the first `n` are in use."""

    n: int = 0
    next_label: int = 0
    name: Ints = field(default_factory=lambda: np.zeros((ROOM, NAME_WIDTH), np.int32))
    """(capacity, 7) bodies and features, see contact_kernels."""
    place: Floats = field(default_factory=lambda: np.zeros((ROOM, PLACE_WIDTH)))
    """(capacity, 17) points, normals and gaps [m], see contact_kernels."""
    force: Floats = field(default_factory=lambda: np.zeros(ROOM))
    """(capacity,) [N] along the normal, in the last motion."""
    friction: Floats = field(default_factory=lambda: np.zeros((ROOM, 3)))
    """(capacity, 3) [N] on body B, in the world's axes."""
    extra: Floats = field(default_factory=lambda: np.zeros(ROOM))
    """(capacity,) [m] by how much the target gap is raised in this step; with method "event", until bodies part."""
    acted: Floats = field(default_factory=lambda: np.zeros((ROOM, CONTACT_WIDTH)))
    """(capacity, 12) forces [N] and torques [N m] as account_kernels write them, means over the last step."""
    smallest_gap: float = np.inf
    """[m] of those that were kept last."""
    gone: ContactSet | None = None
    """Those that pushed in the last step and are no contacts at its end."""

    def make_room(self, n: int) -> bool:
        """Let `n` rows fit; whether that took other tables."""
        if n <= len(self.force):
            return False
        tables = [_with_room(table, self.n, 2 * n) for table in self.tables()]
        self.name, self.place, self.force, self.friction, self.extra, self.acted = tables
        return True

    def take_rows(self, n: int, next_label: int) -> None:
        """Count the rows up to n as contacts that did not push yet: their names and places were written before."""
        for table in (self.force, self.friction, self.acted):
            table[self.n : n] = 0.0
        self.n, self.next_label = n, next_label

    def become(self, other: ContactSet) -> None:
        """Go on from other contacts, which stay as they are; nothing acted yet, and none are gone."""
        empty_still = self.n == 0 == other.n and other.force is self.force
        n = self.n = other.n
        self.next_label, self.smallest_gap, self.gone = other.next_label, other.smallest_gap, None
        if empty_still:  # what was handed over last: nobody has rows in these tables
            return
        # A step that looked through thousands of hits leaves much room: those after it do without.
        room = min(len(other.force), max(LEAST_ROOM, SPARE_ROOM * n))
        if len(other.force) > FEW_ROWS:
            self._make_tables(room)
            copy_contacts(n, other.tables(), self.tables())
            return
        self.acted = np.zeros((room, CONTACT_WIDTH))
        self.name, self.place, self.force = other.name.copy(), other.place.copy(), other.force.copy()
        self.friction, self.extra = other.friction.copy(), other.extra.copy()

    def _make_tables(self, room: int) -> None:
        """Empty tables with so many rows."""
        self.name, self.place = np.empty((room, NAME_WIDTH), np.int32), np.empty((room, PLACE_WIDTH))
        self.force, self.friction, self.extra = np.empty(room), np.empty((room, 3)), np.empty(room)
        self.acted = np.empty((room, CONTACT_WIDTH))

    def handed_over(self) -> ContactSet:
        """The contacts as an object of their own, with the same tables."""
        twin = object.__new__(ContactSet)
        twin.__dict__.update(self.__dict__)
        return twin

    def without_gone(self) -> ContactSet:
        """The contacts without those that went in the last step."""
        return ContactSet(self.n, self.next_label, *self.tables(), self.smallest_gap)

    def tables(self) -> tuple[Ints, Floats, Floats, Floats, Floats, Floats]:
        """All of them, in the order of the fields."""
        return self.name, self.place, self.force, self.friction, self.extra, self.acted

    def find_facets(self, model: Model) -> None:
        """Number the facets that vertices are held above as the model does: another contact gap divides faces anew."""
        name = self.name[: self.n]
        for kind, body, feature in ((VERTEX_FACE, BODY_B, FEATURE_B), (FACE_VERTEX, BODY_A, FEATURE_A)):
            rows = np.flatnonzero(name[:, KIND] == kind)
            shape = model.shape_of[name[rows, body]]
            name[rows, feature] = facets_of(model.surfaces, shape, name[rows, SPOT])

    def copied_forces(self) -> ContactForces:
        """What a motion that fails has to go back to, whatever becomes of these contacts.

        What else it writes is found anew or does no harm.
        """
        return ContactForces(self.n, self.next_label, self.force[: self.n].copy(), self.friction[: self.n].copy())

    def go_back(self, before: ContactForces | ContactSet) -> None:
        """Drop the rows that were added since, with their forces."""
        n = self.n = before.n
        self.next_label, self.force[:n], self.friction[:n] = before.next_label, before.force[:n], before.friction[:n]

    def keep(self, alive: NDArray[np.bool_], limit: float) -> None:
        """Drop the rows that are not alive, or do not push and have a gap [m] of `limit` or more."""
        self.n, self.smallest_gap = keep_contacts(alive, limit, self.n, self.tables())

    def let_go(self, alive: NDArray[np.bool_], limit: float) -> None:
        """The same at the end of a motion: rows that pushed in this step are remembered among those that are gone."""
        self.cut_off(*keep_contacts(alive, limit, self.n, self.tables()))

    def cut_off(self, kept: int, smallest_gap: float) -> None:
        """The same after keep_contacts has brought the rows into order."""
        n = self.n
        self.n, self.smallest_gap = kept, smallest_gap
        if kept == n:
            return
        mine, gone = self.tables(), self.gone
        pushed = count_pushing(kept, n, self.acted)
        if pushed == 0:
            return
        if gone is None:
            gone = self.gone = object.__new__(ContactSet)
            gone.n, gone.smallest_gap, gone.gone = 0, np.inf, None
            gone._make_tables(pushed)
        gone.next_label = self.next_label
        gone.make_room(gone.n + pushed)
        gone.n = append_pushing(kept, n, mine, gone.n, gone.tables())

    def wrenches(self, n_body: int) -> Floats:
        """(n_body, 6) what contacts exerted on bodies in the last step, those included that let go in it."""
        total = np.zeros((n_body, 6)) if self.gone is None else self.gone.wrenches(n_body)
        sum_contacts(self.n, self.name, self.acted, total)
        return total

    def without(self, pairs: Set[tuple[int, int]]) -> ContactSet:
        """The contacts without those of these pairs of bodies, the smaller number first."""
        mine = zip(self.name[: self.n, BODY_A].tolist(), self.name[: self.n, BODY_B].tolist(), strict=True)
        kept = self._only(np.array([pair not in pairs for pair in mine], np.bool_))
        kept.gone = None if self.gone is None else self.gone.without(pairs)
        return kept

    def without_bodies(self, away: ArrayLike) -> ContactSet:
        """The contacts without those of some bodies, by their numbers."""
        name = self.name[: self.n]
        kept = self._only(~(np.isin(name[:, BODY_A], away) | np.isin(name[:, BODY_B], away)))
        kept.gone = None if self.gone is None else self.gone.without_bodies(away)
        return kept

    def _only(self, chosen: NDArray[np.bool_]) -> ContactSet:
        """A copy with the chosen rows."""
        kept = ContactSet()
        kept.become(self)
        kept.acted = self.acted.copy()
        kept.keep(chosen, np.inf)
        return kept


def _with_room(table: NDArray[Any], n: int, room: int) -> NDArray[Any]:
    """The first n rows in a table with more room."""
    copy = np.zeros((room, *table.shape[1:]), table.dtype)
    copy[:n] = table[:n]
    return copy
