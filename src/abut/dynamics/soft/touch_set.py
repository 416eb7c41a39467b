"""Contacts of deformable bodies during a step: tables that grow, and what hangs on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from .name_kernels import find_rows
from .soft_spec import KeptTouches
from .soft_tables import Links, Spread, Touches
from .touch_kernels import put_touches


class TouchSet:
    """Rows of contacts, `n` of which are in use."""

    def __init__(self) -> None:
        self.n = 0
        self._make(256)

    def _make(self, room: int) -> None:
        self.touches = Touches(
            np.zeros((room, 5), np.int32),
            np.zeros((room, 4)),
            np.zeros((room, 3, 3)),
            np.zeros(room),
            np.zeros(room),
            np.zeros((room, 3)),
        )
        self.spread = Spread(
            np.zeros((room, 16), np.int32),
            np.zeros((room, 16)),
            np.zeros(room, np.int32),
            np.zeros((room, 2), np.int32),
            np.zeros((room, 2, 3)),
        )
        self.links = Links(np.zeros((room, 3)), np.zeros(room), np.full(room, np.inf))
        self.label = np.zeros(room, np.int64)
        self.left, self.gap = np.zeros((room, 3)), np.zeros(room)

    @property
    def room(self) -> int:
        """How many rows fit."""
        return len(self.label)

    def grow(self, n: int) -> None:
        """Make room for n rows."""
        if n <= self.room:
            return
        old, known = self._lasting, self.n
        self._make(2 * n)
        for table, before in zip(self._lasting, old, strict=True):
            table[:known] = before[:known]

    @property
    def _lasting(self) -> tuple[NDArray[Any], ...]:
        return (*self.touches, *self.spread, *self.links, self.label, self.left, self.gap)

    def recall(self, kept: KeptTouches, h: float) -> None:
        """Begin with the contacts of the last step, with the forces that they had."""
        self.n = 0
        n = len(kept.name)
        self.grow(n)
        self.n = n
        self.touches.name[:n], self.label[:n] = kept.name, kept.label
        self.touches.impulse[:n], self.touches.axes[:n] = h * kept.impulse, kept.axes
        self._give_way_nowhere(0, n)

    def _give_way_nowhere(self, first: int, last: int) -> None:
        """Rows of contacts: what a hand left there in an earlier step does not count."""
        for table, value in zip(self.links, (0.0, 0.0, np.inf), strict=True):
            table[first:last] = value

    def hold(self, name: tuple[int, ...], shares: tuple[float, ...], soft: float, limit: float) -> int:
        """One more held point; its row."""
        k = self.n
        self.grow(k + 1)
        self.touches.name[k], self.touches.share[k], self.touches.axes[k] = name, shares, np.eye(3)
        self.touches.friction[k], self.touches.impulse[k], self.label[k] = 0.0, 0.0, 0
        self.touches.target[k], self.links.aim[k] = 0.0, 0.0
        self.links.soft[k], self.links.limit[k], self.n = soft, limit, k + 1
        return k

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        """Forget the rows that are not chosen."""
        kept = np.flatnonzero(chosen)
        for table in (*self.touches, *self.spread, self.label):
            table[: len(kept)] = table[kept]
        self.n = len(kept)

    def rows_of(self, names: Ints) -> Ints:
        """Row of each name (k, 5) among the contacts, -1 for none."""
        row = np.empty(len(names), np.int32)
        find_rows(self.touches.name, self.n, names, row)
        return row

    def add(self, names: Ints, values: Floats, chosen: NDArray[np.int64], next_label: int) -> int:
        """Contacts from hits; the next label."""
        first, k = self.n, len(chosen)
        self.grow(first + k)
        put_touches(names, values, chosen, k, first, tuple(self.touches))
        self.touches.impulse[first : first + k] = 0.0
        self.label[first : first + k] = np.arange(next_label, next_label + k)
        self._give_way_nowhere(first, first + k)
        self.n = first + k
        return next_label + k
