"""Exposed features of many shapes in flat tables, and motion checks of many pairs at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from .exposed import ExposedFeatures


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features of shapes 0 .. n - 1; `arrays` is what feature_table_kernels takes."""

    shapes: tuple[ExposedFeatures, ...]
    arrays: tuple[Any, ...]
    rows: Ints
    """(n_shape, 4) points, blocks of points, segments, blocks of segments of each shape."""

    @classmethod
    def of(cls, shapes: Sequence[ExposedFeatures]) -> FeatureTable:
        """Put the features of several shapes into one table."""
        counts = np.array([_counts(shape) for shape in shapes], np.int32).reshape(-1, 10)
        start = np.concatenate((np.zeros((1, 10), np.int32), np.cumsum(counts, axis=0, dtype=np.int32)))
        points = (
            _stack([s.point for s in shapes], 3),
            _stack([s.point_blocks.centre for s in shapes], 3),
            _chain([s.point_blocks.radius for s in shapes], np.float64),
        )
        segments = (
            _stack([s.segment for s in shapes], 6),
            _stack([s.segment_blocks.centre for s in shapes], 3),
            _chain([s.segment_blocks.radius for s in shapes], np.float64),
            *_grids([s.segment_grid for s in shapes]),
        )
        triangles = (
            _stack([s.corner for s in shapes], 9),
            _stack([s.plane for s in shapes], 4),
            *_grids([s.triangle_grid for s in shapes]),
        )
        scalars = (
            _stack([s.half_space for s in shapes], 4),
            np.array([s.radius for s in shapes]),
            np.array([s.size for s in shapes]),
        )
        return cls(tuple(shapes), (start, points, segments, triangles, scalars), counts[:, :4].copy())


def _counts(s: ExposedFeatures) -> tuple[int, ...]:
    return (
        len(s.point),
        len(s.point_blocks.radius),
        len(s.segment),
        len(s.segment_blocks.radius),
        len(s.segment_grid.start),
        len(s.segment_grid.items),
        len(s.corner),
        len(s.triangle_grid.start),
        len(s.triangle_grid.items),
        len(s.half_space),
    )


def _grids(grids: Sequence[Any]) -> tuple[Any, ...]:
    """Boxes, bounds, frames, cells and items of the grids of all shapes."""
    return (
        _stack([g.elements for g in grids], 6),
        _stack([g.bounds for g in grids], 6),
        _stack([g.frame[None] for g in grids], 7),
        _chain([g.start for g in grids], np.int32),
        _chain([g.items for g in grids], np.int32),
    )


def _stack(tables: Sequence[Floats], width: int) -> Floats:
    return np.ascontiguousarray(np.concatenate([np.zeros((0, width)), *tables]))


def _chain(lists: Sequence[NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    return np.ascontiguousarray(np.concatenate([np.zeros(0, dtype), *lists]), dtype)


class PairMemory:
    """What motion checks remember of each pair of objects; grows as needed, and may be emptied at any time."""

    def __init__(self, table: FeatureTable, shape_of: Ints) -> None:
        self._table, self._shape_of = table, shape_of
        self.pairs = np.zeros((0, 2), np.int32)
        self._first = np.zeros((0, 8), np.int32)
        self._used = np.zeros(2, np.int64)
        self._room = (1024, 64)
        self._pool_size, self._found_size, self._hit_size = 1 << 16, 512, 256
        self.forget()

    def set_pairs(self, pairs: Ints) -> None:
        """The pairs to check from now on; those that stay keep their memory."""
        if pairs.shape == self.pairs.shape and (pairs == self.pairs).all():
            return
        first = np.full((len(pairs), 8), -1, np.int32)
        known = self._find(pairs)
        first[known >= 0] = self._first[known[known >= 0]]
        self.pairs, self._first = pairs, first
        self._place(np.flatnonzero(known < 0))

    def _find(self, pairs: Ints) -> Ints:
        """Row of each pair among the present ones, -1 if it is new; both are sorted."""
        if len(self.pairs) == 0 or len(pairs) == 0:
            return np.full(len(pairs), -1, np.int64)
        n = int(max(self.pairs.max(), pairs.max())) + 1
        key, wanted = (p[:, 0].astype(np.int64) * n + p[:, 1] for p in (self.pairs, pairs))
        at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        return np.where(key[at] == wanted, at, -1)

    def _place(self, rows: NDArray[Any]) -> None:
        """Give rows of `pairs` blank memory at the end, or start anew with more room."""
        a, b = (self._table.rows[self._shape_of[self.pairs[rows, side]]] for side in (0, 1))
        fewer = np.where((a[:, 2] <= b[:, 2])[:, None], a[:, 2:], b[:, 2:])
        sizes = np.stack((a[:, :2], b[:, :2], fewer), axis=1)
        ends = self._used + np.cumsum(sizes.reshape(-1, 2), axis=0).reshape(-1, 3, 2)
        total = ends[-1, -1] if len(rows) else self._used
        if (total > self._room).any():
            self._room = (2 * int(total[0]) + 1024, 2 * int(total[1]) + 64)
            self.forget()
            return
        self._first[rows, :2] = ends[:, 0] - sizes[:, 0]
        self._first[rows, 2:] = ends.reshape(-1, 6)
        self._used = total

    def forget(self) -> None:
        """Start with an empty memory for all pairs."""
        n, n_block = self._room
        self._state = np.zeros((n, 13))
        self._state[:, 9:] = -1.0
        self._span, self._block = np.zeros((n, 3), np.int32), np.full((n_block, 13), -1.0)
        self._pool, self._found = np.zeros(self._pool_size, np.int32), np.empty(self._found_size, np.int32)
        self._pool[0] = 1
        self.times = np.zeros(self._hit_size + 1)
        self.hits, self.pair = np.empty((self._hit_size, 3), np.int32), np.empty(self._hit_size, np.int32)
        self._used = np.zeros(2, np.int64)
        self._first = np.full((len(self.pairs), 8), -1, np.int32)
        self._place(np.arange(len(self.pairs)))

    def check(self, chosen: NDArray[np.bool_], motions: Floats, options: tuple[float, float, float]) -> int:
        """Check the chosen pairs; returns the number of hits, which stand in `times[1:]`, `hits` and `pair`.

        options = (gap, tolerance, share) as motion_check_kernels.check_motion takes them.
        """
        from .feature_table_kernels import check_pairs

        while True:
            memory = (self._first, self._state, self._span, self._block, self._pool, self._found)
            done = check_pairs(
                self._table.arrays,
                self._shape_of,
                self.pairs,
                chosen,
                motions,
                options,
                memory,
                self.times,
                self.hits,
                self.pair,
            )
            n = int(self.times[0])
            if done and n <= self._hit_size:
                return n
            if not done:
                self._pool_size, self._found_size = 2 * self._pool_size, 2 * self._found_size
            self._hit_size = max(self._hit_size, 2 * n)
            self.forget()
