"""How much work a step may take before it gives up: counted, not timed, so that every run gives up at the same point.

The first motion of a step is never counted: it ends by itself, and in it bodies may sleep or be awake. From then on all
are awake, and counts depend on nothing but the state in which the step began: not on threads, not on what checks
remember.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .state import Model

MOST_WORK = 1e8
"""Of a step, in units of about 10 ns: a second."""
LEAST_ROUNDS = 400
"""Rounds with short motions that a step may take in any case, however many features its bodies have."""
RESERVE = 1.0 / 16.0
"""The share of that which all others get after bodies that find no way are held."""
AT_REST = 4.0
"""Work to check one feature of a body that hardly moves."""
PER_ITEM = 50.0
"""Work of one iteration for a contact or a row of a joint."""
DENSE = 0.15
"""Work of one iteration with a matrix of all rows, times their number to the third: three rows for each item."""


class Budget:
    """Counts the work of the motions of a step."""

    def __init__(self, model: Model, dense: bool) -> None:
        """`dense`: forces come from matrices of all rows (method "bilateral")."""
        self._features = float(model.table.rows[model.shape_of][:, [0, 2]].sum())
        self._size, self._dense = np.maximum(model.reach, 1e-300), dense
        self._most = max(MOST_WORK, LEAST_ROUNDS * AT_REST * self._features)
        self._left, self._counts = self._most, False

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self._left < 0.0

    def begin(self) -> None:
        """A step begins, with a motion that does not count."""
        self._left, self._counts = self._most, False

    def next_motion(self) -> None:
        """What follows counts."""
        self._counts = True

    def grant_reserve(self) -> None:
        """Let others go on after some bodies were held."""
        if self.spent:
            self._left = RESERVE * self._most

    def note(self, motion: Floats, items: int, iterations: int) -> None:
        """Forces of so many contacts and rows were found in so many iterations, and the motion (n, 18) is checked."""
        if not self._counts:
            return
        ways = np.linalg.norm(motion[:, 12:15], axis=1) / self._size
        turns = np.linalg.norm(motion[:, 15:], axis=1)
        # Paths have as many pieces, and as many elements beside each of them, as they are long.
        length = float((ways + turns).max(initial=0.0))
        per_iteration = DENSE * (3.0 * items) ** 3 if self._dense else PER_ITEM * items
        self._left -= self._features * (AT_REST + length * length) + iterations * per_iteration
