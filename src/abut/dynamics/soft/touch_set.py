"""Contacts of deformable bodies during a step: tables that grow, and what hangs on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._jit import Packet
from .soft_tables import NODES_OF_CONTACT, Links, Spread, Touches, TouchStates


class TouchSet:
    """Rows of contacts, `n` of which are in use."""

    def __init__(self, packet: Packet) -> None:
        self.n, self._packet = 0, packet
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
            np.zeros((room, NODES_OF_CONTACT), np.int32),
            np.zeros((room, NODES_OF_CONTACT)),
            np.zeros(room, np.int32),
            np.zeros((room, 2), np.int32),
            np.zeros((room, 2, 3)),
        )
        self.links = Links(np.zeros((room, 3)), np.zeros(room), np.full(room, np.inf))
        self.states = TouchStates(np.zeros(room, np.int64), np.zeros((room, 3)), np.zeros((room, 3)), np.zeros(room))
        for table in (self.touches, self.spread, self.links, self.states):
            self._packet.put(type(table), table)

    @property
    def room(self) -> int:
        """How many rows fit."""
        return len(self.states.label)

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
        return (*self.touches, *self.spread, *self.links, *self.states)

    def hold(self, name: tuple[int, ...], shares: tuple[float, ...], soft: float, limit: float) -> int:
        """One more held point; its row."""
        k = self.n
        self.grow(k + 1)
        self.touches.name[k], self.touches.share[k], self.touches.axes[k] = name, shares, np.eye(3)
        self.touches.friction[k], self.touches.impulse[k], self.states.label[k] = 0.0, 0.0, 0
        self.touches.target[k], self.links.aim[k] = 0.0, 0.0
        self.links.soft[k], self.links.limit[k], self.n = soft, limit, k + 1
        return k
