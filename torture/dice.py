"""Random numbers for cases: plain Python values, so that JSON holds a case bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Dice:
    """Draws from one seed."""

    def __init__(self, *seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return bool(self._rng.random() < share)

    def between(self, low: float, high: float) -> float:
        """Any number between two."""
        return float(self._rng.uniform(low, high))

    def scale(self, low: float, high: float) -> float:
        """A number between two, every order of magnitude as likely as another."""
        return exp(self.between(log(low), log(high)))

    def whole(self, low: int, high: int) -> int:
        """From low to high, both included."""
        return int(self._rng.integers(low, high + 1))

    def pick(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[self.whole(0, len(choices) - 1)]

    def normals(self, n: int = 3) -> list[float]:
        """Numbers around 0."""
        return [float(x) for x in self._rng.normal(size=n)]

    def direction(self) -> list[float]:
        """A unit vector."""
        v = np.array(self.normals())
        return [float(x) for x in v / np.linalg.norm(v)]

    def along(self, length: float) -> list[float]:
        """A vector of this length."""
        return [length * x for x in self.direction()]

    def rotvec(self) -> list[float]:
        """A turn; often none or a quarter, so that faces and edges are parallel."""
        if self.chance(0.3):
            return [0.0, 0.0, 0.0]
        if self.chance(0.2):
            axis = [0.0, 0.0, 0.0]
            axis[self.whole(0, 2)] = 0.5 * np.pi * self.whole(1, 3)
            return axis
        return self.along(self.between(0.0, np.pi))

    def bytes(self, n: int) -> bytes:
        """Any bytes."""
        return self._rng.bytes(n)
