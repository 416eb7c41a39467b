"""How much work a step may take before it gives up: counted, not timed, so that every run gives up at the same point.

Counts depend on nothing but the state in which the step began: not on threads, not on what checks remember (those of
long motions are made afresh for that), and not on who sleeps. Bodies at rest are counted neither by checks, as they do
not move, nor by solvers, as their forces are right before the first iteration.
"""

from __future__ import annotations

from typing import Any

from ...arrays import Floats, Ints
from ..state import Model

MOST_WORK = 1e8
"""Of a step, in units of about 10 ns: a second."""
LEAST_ROUNDS = 400
"""Rounds with short motions that a step may take in any case, however many features its bodies have."""
RESERVE = 1.0 / 16.0
"""The share of that which all others get after bodies that find no way are held."""
CHECK = 1.0 / 8.0
"""The share of that which the check of one pair may take."""
WORK_OF_FEATURE = 4.0
"""Work to check one feature of a body that moves a little against another body."""
LONG = 0.5
"""Motions of two bodies past each other, in sizes of the smaller one and radians; where they are longer, their checks
count what they do."""
ROUND = 5e3
"""Work of a round of a step in Python."""
OVERHEAD, DENSE = 1e5, 0.15
"""Work of one step of a solver in Python, and times a power of the number of rows, with a matrix of all of them."""


class Budget:
    """Counts the work of the motions of a step."""

    def __init__(self, model: Model) -> None:
        self.features: Ints = model.table.rows[model.shape_of][:, [0, 2]].sum(axis=1)
        """(n,) of each body."""
        self.size: Floats = model.reach
        """(n,) [m] by which the length of its ways is told."""
        self._most = max(MOST_WORK, LEAST_ROUNDS * WORK_OF_FEATURE * float(self.features.sum()))
        self._left, self.done = self._most, 0.0
        """What is left, and what the step has taken until now."""

    @property
    def most_of_a_check(self) -> float:
        """What may be done to check a pair; a shorter motion takes less."""
        return min(self._left, CHECK * self._most)

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self._left < 0.0

    @property
    def left(self) -> float:
        """What is left; below 0 if more was done than a step may take."""
        return self._left

    def of_check(self, longest_way: float, longest_turn: float, *, again: bool) -> tuple[Any, ...]:
        """By what the work of a check is counted: the fields of CheckWork."""
        budget = (self._left, CHECK * self._most, again)
        return (WORK_OF_FEATURE, LONG, *budget, longest_way, longest_turn)

    def begin(self) -> None:
        """A step begins."""
        self._left, self.done = self._most, 0.0

    def grant_reserve(self) -> None:
        """Let others go on after some bodies were held."""
        if self.spent:
            self._left = RESERVE * self._most

    def note(self, work: float) -> None:
        """So much was done, or is about to be."""
        self._left -= work
        self.done += work
