"""Points of contact: active and inactive ones rest, dead ones move apart (Bouma & Vanecek, section 7)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...contact.contact_kernels import KIND
from ...query import Feature
from ..contacts.contact_set import ContactSet
from ..contacts.contact_table import KIND_PARTS, solid_features
from ..contacts.pair_laws import PairLaws
from ..events import EVENT_KINDS, Event
from ..joints.joint_kernels import JOINT
from ..joints.joint_set import JointSet
from ..moment import Setup
from ..state import Model
from .search_tables import DEAD, OF_JOINT, SLIPS, SMOOTH, Limits, Notes
from .search_tables import Points as Rows

ROOM = 64
NOTES = 512


class Points:
    """Limits of joints and rows of a set of contacts, with what an event-driven step knows of each."""

    def __init__(self, model: Model, setup: Setup) -> None:
        self._model, self._setup = model, setup
        self.contacts, self._joints, self._limits = ContactSet(), JointSet(), 0
        self.rows, self.notes = _room(ROOM), _notes(NOTES)

    @property
    def n(self) -> int:
        """How many there are."""
        return self._limits + self.contacts.n

    def __getattr__(self, name: str) -> Any:
        """A table of the rows that are in use."""
        return getattr(self.rows, name)[: self.n]

    def begin(self, contacts: ContactSet, joints: JointSet, limits: Limits, laws: PairLaws) -> None:
        """Go on from a moment."""
        self.contacts, self._joints, self._limits = contacts, joints, len(limits.index)
        contacts.make_room(contacts.n + 2)
        self.make_room(self.n)
        rows, first = self.rows, self._limits
        rows.status[: self.n], rows.mode[: self.n], rows.direction[:first] = DEAD, SMOOTH, 0.0
        rows.pulled[: self.n], rows.gripped[: self.n] = False, False
        if contacts.n:
            rows.direction[first : self.n] = -_units(contacts.friction[: contacts.n])
            rows.friction[first : self.n] = laws.friction_of(contacts.name, contacts.n)
            rows.restitution[first : self.n] = laws.restitution_of(contacts.name, contacts.n)
        rows.friction[:first], rows.restitution[:first] = 0.0, laws.restitution

    def remember(self, contact_gap: float) -> None:
        """Let contacts know at which gaps they are held, and where they slip, for the next step."""
        contacts, n = self.contacts, self.contacts.n
        if n == 0:
            return
        contacts.extra[:n] = self.target[self._limits :] - contact_gap
        slips = np.flatnonzero(self.mode[self._limits :] == SLIPS)
        size = np.linalg.norm(contacts.friction[slips], axis=1)
        contacts.friction[slips] = -size[:, None] * self.direction[self._limits :][slips]

    def make_room(self, n: int) -> None:
        """Let n points fit."""
        if n <= len(self.rows.status):
            return
        rows = _room(2 * n)
        for new, old in zip(rows, self.rows, strict=True):
            new[: len(old)] = old
        self.rows = rows

    def events(self, n: int, start: float) -> list[Event]:
        """The first n notes, as events of a world whose time was `start` [s] when the step began."""
        notes, events = self.notes, list[Event]()
        kinds, time, impulse = notes.kind[:n].tolist(), notes.time[:n].tolist(), notes.impulse[:n].tolist()
        touching = notes.name[:n, KIND] != OF_JOINT
        entity = np.zeros((n, 2), np.int32)
        entity[touching] = solid_features(self._model, notes.name[:n][touching])
        for i, row in enumerate(notes.name[:n].tolist()):
            if row[KIND] == OF_JOINT:
                features = (Feature("limit", self._joint(row[3])),) * 2
            else:
                part = KIND_PARTS[row[KIND]]
                features = tuple(Feature(str(part[side]), int(entity[i, side])) for side in range(2))  # type: ignore[assignment]
            a, b, c = impulse[i]
            names = self._name(row[0]), self._name(row[1])
            events.append(Event(start + time[i], EVENT_KINDS[kinds[i]], *names, *features, (a, b, c)))
        return events

    def _joint(self, row: int) -> int:
        """Number of the joint with a row."""
        return int(self._joints.name[row, JOINT])

    def _name(self, body: int) -> str:
        return self._setup.specs[body].name if body < len(self._setup.specs) else "world"

    def names(self, p: int) -> tuple[str, str]:
        """Of the bodies of point p."""
        if p < self._limits:
            return ()  # type: ignore[return-value]
        return self.names_of(*self.contacts.name[p - self._limits, :2].tolist())

    def names_of(self, a: int, b: int) -> tuple[str, str]:
        """Of two bodies, or of a body and the world."""
        return self._name(a), self._name(b)


def _units(vectors: Floats) -> Floats:
    """Vectors of length 1 along others, or 0."""
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0.0, size, 1.0))


def _room(n: int) -> Rows:
    flags, small = np.zeros((4, n), np.bool_), np.zeros((2, n), np.int8)
    lengths, ways = np.zeros((5, n)), np.zeros((n, 3))
    return Rows(small[0], *lengths[:2], flags[0], small[1], ways, lengths[2], flags[1], flags[2], *lengths[3:])


def _notes(n: int) -> Notes:
    return Notes(np.zeros(n, np.int32), np.zeros((n, 7), np.int32), np.zeros(n), np.zeros((n, 3)))
