"""Bodies for which no motion was found: they stay where they are for the rest of a step, and all others go on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ..bodies.body_kernels import DYNAMIC, FIXED, KINEMATIC
from ..state import State

MOST_HOLDS = 8
"""How often bodies may be held in a step before all of it is given up."""


class Jam:
    """Holds bodies of a state, with the velocities they had, until they are released."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._held: list[tuple[Ints, Ints, Floats]] = []

    def who(self, stuck: NDArray[np.bool_]) -> Ints:
        """Those of some bodies that can move."""
        kind = self._state.kind
        return np.flatnonzero(stuck & ((kind == DYNAMIC) | (kind == KINEMATIC))).astype(np.int32)

    def hold(self, stuck: NDArray[np.bool_]) -> bool:
        """Let these bodies stay; False if none of them was moving, or too many were held before."""
        state, bodies = self._state, self.who(stuck)
        if len(bodies) == 0 or len(self._held) == MOST_HOLDS:
            return False
        self._held.append((bodies, state.kind[bodies], state.twist[bodies]))
        state.kind[bodies], state.twist[bodies] = FIXED, 0.0
        return True

    def release(self) -> bool:
        """Let all bodies go on as they were; whether any were held."""
        any_held = bool(self._held)
        for bodies, kind, twist in self._held:
            self._state.kind[bodies], self._state.twist[bodies] = kind, twist
        self._held.clear()
        return any_held
