"""A pair of shapes that is asked again and again whether a motion brings them too close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, number
from ...geometry import Shape
from ...math import Motion
from .exposed import ExposedFeatures, exposed_features
from .feature_table import blank_memory
from .motion_check_kernels import check_pair
from .motion_piece_kernels import ROWS


@dataclass(frozen=True, eq=False)
class Hits:
    """Feature pairs that come within the gap during a motion, the earliest first."""

    time: Floats
    """(n,) in [0, 1]; never later than the true time."""
    kind: Ints
    """(n,) 0: vertex of A and triangle of B, 1: triangle of A and vertex of B, 2: edge of A and edge of B."""
    a: Ints
    """(n,) vertex, triangle or edge of A."""
    b: Ints
    """(n,) triangle, vertex or edge of B."""

    def __len__(self) -> int:
        return len(self.time)


_NO_HITS = Hits(np.zeros(0), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int32))


class MotionPair:
    """Two shapes and a memory of what lies near each of their features.

    The memory makes repeated checks of small motions cheap: features that cannot have reached anything since they were
    last looked at are skipped, whole blocks of them at once. Answers never depend on it.
    """

    def __init__(self, a: Shape, b: Shape) -> None:
        self.a, self.b = exposed_features(a), exposed_features(b)
        fewer = self.a if len(self.a.segment) <= len(self.b.segment) else self.b
        counts = [
            (self.a.peaks, len(self.a.point_blocks.radius)),
            (self.b.peaks, len(self.b.point_blocks.radius)),
            (len(fewer.segment), len(fewer.segment_blocks.radius)),
        ]
        # Nothing is known of any feature.
        self.memory = tuple(blank_memory(n, n_block) for n, n_block in counts)
        self.apart = -np.inf
        """[m] lower bound of the distance of the points of the two shapes during the last motion without a hit."""
        self._work = np.zeros((ROWS, 12))
        self._make_room(256)

    def check(self, motion_a: Motion, motion_b: Motion, gap: float = 0.0, tolerance: float | None = None) -> Hits:
        """Pairs of features that come within `gap` [m] during the motions.

        A pair that stays beyond gap + tolerance is never reported, one that comes within the gap always is. The default
        tolerance is a hundredth of the gap, at least 1e-12 of the part's size.
        """
        gap = number("gap", gap, least=0.0)
        if tolerance is None:
            tolerance = max(0.01 * gap, 1e-12 * (self.a.size + self.b.size))
        return self.check_tuples(as_tuples(motion_a), as_tuples(motion_b), gap, tolerance)

    def check_tuples(self, motion_a: Any, motion_b: Any, gap: float, tolerance: float, window: float = 1.0) -> Hits:
        """The same for motions as kernels take them, without validation, up to `window` after the first hit."""
        self._times[0] = 0.0
        shapes, options = (self.a.arrays, self.b.arrays), (gap, tolerance, 0.0, window, np.inf)
        found = (self._work, self._times, self._hits)
        self.apart = check_pair(shapes, (motion_a, motion_b), options, self.memory, found)
        n = int(self._times[0])
        if n == 0:
            return _NO_HITS
        if n > len(self._hits):
            self._make_room(2 * n)
            return self.check_tuples(motion_a, motion_b, gap, tolerance, window)
        return self._collect(n)

    def _make_room(self, n: int) -> None:
        self._times, self._hits = np.zeros(n + 1), np.empty((n, 3), np.int32)

    def _collect(self, n: int) -> Hits:
        order = np.argsort(self._times[1 : n + 1], kind="stable")
        kind, i, j = self._hits[:n][order].T
        a_names = (self.a.point_id, _surface_names(self.a), self.a.segment_id)
        b_names = (_surface_names(self.b), self.b.point_id, self.b.segment_id)
        return Hits(self._times[1 : n + 1][order], kind.copy(), _named(kind, i, a_names), _named(kind, j, b_names))


def _surface_names(features: ExposedFeatures) -> Ints:
    """Triangles of a solid; the plane of a half-space is number 0."""
    return np.zeros(1, np.int32) if len(features.half_space) else features.triangle_id


def _named(kind: Ints, index: Ints, names: tuple[Ints, Ints, Ints]) -> Ints:
    result = np.empty(len(kind), np.int32)
    for k in range(3):
        chosen = kind == k
        result[chosen] = names[k][index[chosen]]
    return result


def as_tuples(motion: Motion) -> tuple[Any, Any, Any]:
    """A motion as entry kernels take it: MovingFrame as a plain tuple."""
    return motion.start.frame, tuple(motion.displacement.tolist()), tuple(motion.rotvec.tolist())


__all__ = ["ExposedFeatures", "Hits", "MotionPair", "as_tuples"]
