"""How far two parts are from each other, asked again for each frame."""

from __future__ import annotations

from typing import Any

from ...dynamics import World
from ...query import distance
from ...query.distance.distance import Distance

BUDGET = 30_000
"""Pairs of bounding volumes that a frame may look at, some milliseconds; bounds are told where it is not enough."""


class Measuring:
    """Two bodies between which a page wants to know the distance."""

    def __init__(self) -> None:
        self._pair: tuple[int, int] | None = None
        self._last: Distance | None = None

    def ask(self, body: int, other: int) -> None:
        """Measure between two bodies from now on."""
        self._pair, self._last = (body, other), None

    def forget(self) -> None:
        """Measure no more."""
        self._pair, self._last = None, None

    def status(self, world: World) -> dict[str, Any] | None:
        """What pages are told: bounds of the distance [m] and the nearest points; None if nobody asked."""
        if self._pair is None:
            return None
        a, b = (world.bodies[number] for number in self._pair)
        found = distance(a.shape, b.shape, a.pose, b.pose, pairs=BUDGET, start=self._last)
        self._last = found
        return {
            "body": a.index,
            "other": b.index,
            "lower": float(found.lower),
            "upper": float(found.upper),
            "from": found.point_a.tolist(),
            "to": found.point_b.tolist(),
        }
