"""Pairs of features that may touch on the way of a step: those near each other along a motion that is nearly it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...contact import SweepAndPrune
from ...contact.boxes_kernels import boxes_over_motions
from ...query.motion.feature_table import PairMemory
from ...query.motion.feature_table_kernels import PLANE, SEGMENT, TRIANGLE
from ..state import Model
from .drive_kernels import put_motions
from .motion_tables import SPEED

CLOSE, CLOSE_OF_FEW, FEW_FEATURES = 0.02, 1.0, 64
"""Share of the smallest reach of a body by which a way may bend from its chord: more would give many candidates. The
same of parts that have only so many vertices and edges."""
MOST_TURN = 1.0
"""[rad] of a body along one chord."""
MOST_BODIES = 64
"""All of whose pairs are looked at in the loop of a step."""
FEW_PAIRS_OF_FEATURES = 700
"""Of two bodies, up to which all of them are candidates."""
BEND_MARGIN = 1.5
"""By how much ways may bend more than accelerations at the stages of a step say."""


class Hits(NamedTuple):
    """Candidates of one chord."""

    n: int
    hits: Ints
    """(n, 3) kind, feature of A, feature of B."""
    pair: Ints
    """(n,) rows of `pairs`."""
    pairs: Ints
    """(k, 2) bodies."""


class Candidates:
    """Finds candidates; what it remembers makes it fast, never different."""

    def __init__(self, model: Model, contact_gap: float, threads: int) -> None:
        self._model, self._gap = model, contact_gap
        self._memory = PairMemory(model.table, model.shape_of, threads)
        self._culling = SweepAndPrune(group=model.group, fixed=~model.dynamic)
        n = len(model.mass)
        self._ignored: list[tuple[int, int]] | None = None
        self.all_pairs = np.zeros((0, 2), np.int32), np.zeros(0, np.bool_)
        """(p, 2) pairs of bodies that may touch, and which of them have few features."""
        self._low, self._high, self._motion = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 18))
        self._reach = np.where(np.isfinite(model.reach), model.reach, 0.0)
        self._turning = np.append(model.reach > model.radius * (1.0 + 1e-12), False)
        """Bodies whose turns matter: those of balls do not."""
        moving = model.reach[model.dynamic]
        few = int(model.table.rows[:, [0, 2]].sum(axis=1).max(initial=0)) <= FEW_FEATURES
        self._bend = (CLOSE_OF_FEW if few else CLOSE) * (float(moving.min()) if len(moving) else 1.0)
        """[m] by which a way may bend from its chord."""

    def ignore(self, pairs: list[tuple[int, int]]) -> None:
        """Pairs of bodies that may overlap."""
        if pairs == self._ignored:
            return
        self._ignored = pairs
        self._culling.set_filter(group=self._model.group, fixed=~self._model.dynamic, ignored=pairs or None)
        self.all_pairs = self._find_all()

    @property
    def plain_pairs(self) -> bool:
        """Whether all pairs of bodies are looked at in the loop of a step."""
        return len(self._model.mass) <= MOST_BODIES

    def _find_all(self) -> tuple[Ints, NDArray[np.bool_]]:
        n = len(self._model.mass)
        if not self.plain_pairs or n == 0:
            return np.zeros((0, 2), np.int32), np.zeros(0, np.bool_)
        pairs = self._culling.pairs(np.full((n, 3), -np.inf), np.full((n, 3), np.inf)).copy()
        start, peaks = self._model.table.arrays[0], self._model.table.arrays[-1]
        sizes = np.diff(start, axis=0)
        points, edges, faces = (
            peaks[self._model.shape_of],
            sizes[self._model.shape_of, SEGMENT],
            (sizes[:, TRIANGLE] + sizes[:, PLANE])[self._model.shape_of],
        )
        a, b = pairs.T
        features = points[a] * faces[b] + faces[a] * points[b] + edges[a] * edges[b]
        return pairs, features <= FEW_PAIRS_OF_FEATURES

    def bend(self, bounds: Floats, h: float) -> float:
        """[m] by which points of bodies may leave the chords of a way of length h [s]."""
        points = bounds[:-1, 0] + self._reach * bounds[:-1, 1]
        return float(2.0 * BEND_MARGIN * 0.125 * h * h * points.max(initial=0.0))

    def chords(self, bounds: Floats, h: float) -> int:
        """Into how many pieces a way of length h is to be divided."""
        turns = float(bounds[self._turning, 2].max(initial=0.0)) * h / MOST_TURN
        bends = (self.bend(bounds, h) / self._bend) ** 0.5
        return max(1, int(np.ceil(max(turns, bends))))

    def near_pairs(self, y: Floats, end: Floats, margin: float) -> Ints:
        """Pairs of bodies whose boxes over the chord meet."""
        put_motions(y, end, self._motion)
        model, pose, ways = self._model, np.ascontiguousarray(y[:-1, :SPEED]), self._motion[:, 12:].copy()
        boxes_over_motions(model.low, model.high, model.reach, pose, ways, margin, self._low, self._high)
        return self._culling.pairs(self._low, self._high)

    def find(self, y: Floats, end: Floats, reach: float) -> Hits:
        """Features that come within `reach` [m] of each other on the chord from one state to another."""
        memory = self._memory
        memory.set_pairs(self.near_pairs(y, end, reach))
        n = len(memory.pairs)
        if n:
            every = np.ones(n, np.bool_)
            n = memory.check(every, self._motion, (reach, 0.01 * self._gap, 0.0), 2.0)
        return Hits(n, memory.hits, memory.pair, memory.pairs)
