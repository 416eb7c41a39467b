"""A path along which two parts kept a known distance, and what follows from it for other motions of theirs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...geometry import Shape
from ...math import Motion
from ..motion.path_memory_kernels import WIDTH
from .kept_path_kernels import keep_path, keep_pose, proven_free


class KeptPath:
    """Poses of one part seen from the other at both ends of a path, and the distance that was kept in between.

    A motion whose ends are near those of the path cannot bring the parts together. Where a motion was looked at
    already, it is handed over as kernels take it (`as_tuples`).
    """

    def __init__(self, a: Shape, b: Shape) -> None:
        balls = [shape.core_ball for shape in (a, b)]
        # The smaller part is followed, seen from the larger one.
        self._first = 0 if balls[0][1] <= balls[1][1] else 1
        self._ball = balls[self._first]
        self._memory = np.full((1, WIDTH), -1.0)
        self._known = False

    def proves(self, motions: tuple[Motion, Motion], gap: float) -> tuple[bool, bool]:
        """Whether the parts are certain to be apart at the start, and farther than `gap` during the whole motion."""
        if not self._known:
            return False, False
        m, o = self._seen(motions)
        found: tuple[bool, bool] = proven_free(
            self._memory,
            *self._ball,
            (*m.start.arrays, m.displacement, m.rotvec),
            (*o.start.arrays, o.displacement, o.rotvec),
            gap,
        )
        return found

    def keep(self, motions: tuple[Any, Any], distance: float, gap: float) -> None:
        """The parts kept this distance [m] during a whole motion, and at its end at least `gap`."""
        keep_path(*self._ball, *self._seen(motions), distance, gap, self._memory)
        self._known = True

    def keep_pose(self, motions: tuple[Any, Any], time: float, distance: float) -> None:
        """The parts are at least this far [m] apart at a time of a motion."""
        keep_pose(*self._seen(motions), time, distance, self._memory)
        self._known = True

    def _seen(self, motions: tuple[Any, Any]) -> tuple[Any, Any]:
        return motions if self._first == 0 else motions[::-1]
