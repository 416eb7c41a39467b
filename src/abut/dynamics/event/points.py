"""Points of contact: active and inactive ones rest, dead ones move apart (Bouma & Vanecek, section 7)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...contact.contact_kernels import BODY_A, BODY_B, KIND
from ...query import Feature
from ..contacts.contact_set import ContactSet
from ..contacts.contact_table import KIND_PARTS, solid_features
from ..events import Event
from ..moment import Setup
from ..state import Model

AT_REST = 1e-9
"""[m/s] of approach or separation that is none."""
DEAD, INACTIVE, ACTIVE = 0, 1, 2
"""Moves apart; rests and bears nothing; rests and pushes."""
SMOOTH, STICKS, SLIPS = 0, 1, 2
"""What friction does at an active point."""


class Points:
    """The rows of a set of contacts, with what an event-driven step knows of each."""

    def __init__(self, model: Model, setup: Setup) -> None:
        self._model, self._setup = model, setup
        self.contacts = ContactSet()
        self.status, self.target, self.slack = np.zeros(0, np.int8), np.zeros(0), np.zeros(0)
        """DEAD, INACTIVE or ACTIVE; [m] the gap at which it is held; [m] how far it may lie beyond its face."""
        self.touching: NDArray[np.bool_] = np.zeros(0, np.bool_)
        """Whether it rests since an event that was noted."""
        self.mode, self.direction = np.zeros(0, np.int8), np.zeros((0, 3))
        """SMOOTH, STICKS or SLIPS; where it slips."""

    @property
    def n(self) -> int:
        """How many there are."""
        return self.contacts.n

    def begin(self, contacts: ContactSet, gap: Floats, rate: Floats, slack: float) -> None:
        """Go on from a moment: what rests there has been noted before."""
        self.contacts = contacts
        n = contacts.n
        self.status, self.target = np.full(n, DEAD, np.int8), gap.copy()
        self.slack, self.touching = np.full(n, slack), np.abs(rate) <= AT_REST
        self.mode, self.direction = np.full(n, SMOOTH, np.int8), np.zeros((n, 3))

    def grow(self, gap: Floats, slack: float) -> None:
        """Rows were added to the contacts: they are new, and held at the gaps they have."""
        first, n = len(self.status), self.contacts.n
        more = n - first
        self.status = np.append(self.status, np.full(more, DEAD, np.int8))
        self.target = np.append(self.target, gap[first:n])
        self.slack = np.append(self.slack, np.full(more, slack))
        self.touching = np.append(self.touching, np.zeros(more, np.bool_))
        self.mode = np.append(self.mode, np.full(more, SMOOTH, np.int8))
        self.direction = np.concatenate((self.direction, np.zeros((more, 3))))

    def keep(self, kept: NDArray[np.bool_]) -> bool:
        """Drop the others; whether there were any."""
        if kept.all():
            return False
        self.contacts.let_go(kept, np.inf)
        self.status, self.target = self.status[kept], self.target[kept]
        self.slack, self.touching = self.slack[kept], self.touching[kept]
        self.mode, self.direction = self.mode[kept], self.direction[kept]
        return True

    def event(self, k: int, kind: str, time: float, impulse: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Event:
        """Something that happens at point k."""
        row = self.contacts.name[k : k + 1]
        entity, part = solid_features(self._model, row)[0], KIND_PARTS[row[0, KIND]]
        a, b = (Feature(str(part[side]), int(entity[side])) for side in range(2))
        return Event(time, kind, *self.names(k), a, b, impulse)

    def names(self, k: int) -> tuple[str, str]:
        """Of the bodies of point k."""
        a, b = self.contacts.name[k, BODY_A : BODY_B + 1].tolist()
        return self._setup.specs[a].name, self._setup.specs[b].name
