"""The contacts of a world: kept from step to step by what touches, with their forces."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..contact.contact_kernels import BODY_A, BODY_B, GAP
from .contact_set_kernels import keep_contacts


@dataclass(eq=False)
class ContactSet:
    """Rows of contacts as contact_kernels write them; the first `n` are in use."""

    n: int = 0
    next_label: int = 0
    name: Ints = field(default_factory=lambda: np.zeros((64, 7), np.int32))
    place: Floats = field(default_factory=lambda: np.zeros((64, 17)))
    force: Floats = field(default_factory=lambda: np.zeros(64))
    """(capacity,) [N] along the normal."""
    friction: Floats = field(default_factory=lambda: np.zeros((64, 3)))
    """(capacity, 3) [N] on body B, in the world's axes."""
    extra: Floats = field(default_factory=lambda: np.zeros(64))
    """(capacity,) [m] by how much the target gap is raised in this step."""
    gone: ContactSet | None = None
    """Those that pushed in the last motion and whose features no longer face each other after it."""

    def make_room(self, n: int) -> bool:
        """Let `n` rows fit; True if the arrays had to grow."""
        capacity = len(self.force)
        if n <= capacity:
            return False
        grow = 2 * n - capacity
        self.name = np.concatenate((self.name, np.zeros((grow, 7), np.int32)))
        self.place = np.concatenate((self.place, np.zeros((grow, 17))))
        self.force, self.extra = (np.concatenate((v, np.zeros(grow))) for v in (self.force, self.extra))
        self.friction = np.concatenate((self.friction, np.zeros((grow, 3))))
        return True

    def forces(self) -> tuple[int, int, Floats, Floats]:
        """What a step that fails has to go back to; what else it writes is found anew or does no harm."""
        return self.n, self.next_label, self.force[: self.n].copy(), self.friction[: self.n].copy()

    def go_back(self, before: tuple[int, int, Floats, Floats]) -> None:
        """Drop the rows that were added since, with their forces."""
        n = self.n = before[0]
        _, self.next_label, self.force[:n], self.friction[:n] = before

    def keep(self, alive: NDArray[np.bool_], limit: float) -> None:
        """Drop the rows that are not alive, or do not push and have a gap [m] of `limit` or more."""
        tables = (self.name, self.place, self.force, self.friction, self.extra)
        self.n = keep_contacts(alive, limit, self.n, *tables)

    def note_gone(self, alive: NDArray[np.bool_], place_then: Floats) -> None:
        """Remember the rows that push but are not alive, at the places they had before the motion."""
        rows = (~alive & (self.force[: self.n] > 0.0)).nonzero()[0]
        if len(rows):
            place = place_then[rows]
            place[:, GAP] = self.place[rows, GAP]
            tables = (self.name[rows], place, self.force[rows], self.friction[rows], self.extra[rows])
            self.gone = ContactSet(len(rows), self.next_label, *tables)

    def forget(self, pairs: Set[tuple[int, int]]) -> None:
        """Drop the rows of these pairs of bodies, the smaller number first."""
        if self.gone is not None:
            self.gone.forget(pairs)
        mine = zip(self.name[: self.n, BODY_A].tolist(), self.name[: self.n, BODY_B].tolist(), strict=True)
        self.keep(np.array([pair not in pairs for pair in mine], np.bool_), np.inf)

    def forget_body(self, body: int) -> None:
        """Drop the rows of one body."""
        if self.gone is not None:
            self.gone.forget_body(body)
        name = self.name[: self.n]
        self.keep((name[:, BODY_A] != body) & (name[:, BODY_B] != body), np.inf)
