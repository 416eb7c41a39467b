"""Exposed features of many shapes in flat tables, and motion checks of many pairs at once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from .exposed import ExposedFeatures
from .hulls import stack_hulls
from .motion_piece_kernels import ROWS
from .path_memory_kernels import WIDTH, WIDTH_WITH_BOW

FEW_PAIRS = 64
"""Fewer than so many pairs are checked in one thread: handing them out would take longer."""


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features of shapes 0 .. n - 1."""

    shapes: tuple[ExposedFeatures, ...]
    arrays: tuple[Any, ...]
    """Features of feature_tables as a plain tuple."""
    rows: Ints
    """(n_shape, 4) peaks, blocks of them, segments, blocks of segments of each shape."""

    @cached_property
    def hulls(self) -> tuple[Any, ...]:
        """Convex shapes of few faces: Hulls of feature_tables as a plain tuple."""
        return stack_hulls(self.shapes)

    @classmethod
    def of(cls, shapes: Sequence[ExposedFeatures]) -> FeatureTable:
        """Put the features of several shapes into one table."""
        counts = np.array([_counts(shape) for shape in shapes], np.int32).reshape(-1, 10)
        start = np.concatenate((np.zeros((1, 10), np.int32), np.cumsum(counts, axis=0, dtype=np.int32)))
        peaks = np.array([s.peaks for s in shapes], np.int32)
        arrays = (
            start,
            _stack([s.point for s in shapes], 3),
            _stack([s.point_blocks.centre for s in shapes], 3),
            _chain([s.point_blocks.radius for s in shapes], np.float64),
            _stack([s.segment for s in shapes], 6),
            _stack([s.segment_blocks.centre for s in shapes], 3),
            _chain([s.segment_blocks.radius for s in shapes], np.float64),
            *_grids([s.segment_grid for s in shapes]),
            _stack([s.corner for s in shapes], 9),
            _stack([s.plane for s in shapes], 4),
            *_grids([s.triangle_grid for s in shapes]),
            _stack([s.half_space for s in shapes], 4),
            np.array([s.radius for s in shapes]),
            np.array([s.size for s in shapes]),
            _stack([s.ball[None] for s in shapes], 4),
            peaks,
        )
        return cls(tuple(shapes), arrays, np.column_stack((peaks, counts[:, 1:4])))


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
    """Boxes, bounds, frames, cells, items and codes of the grids of all shapes."""
    return (
        _stack([g.elements for g in grids], 6),
        _stack([g.bounds for g in grids], 6),
        _stack([g.frame[None] for g in grids], 8),
        _chain([g.start for g in grids], np.int32),
        np.concatenate([g.items for g in grids]),
        np.concatenate([g.codes for g in grids]),
    )


def _stack(tables: Sequence[Floats], width: int) -> Floats:
    return np.ascontiguousarray(np.concatenate([np.zeros((0, width)), *tables]))


def _chain(lists: Sequence[NDArray[Any]], dtype: type[np.generic]) -> NDArray[Any]:
    return np.ascontiguousarray(np.concatenate([np.zeros(0, dtype), *lists]), dtype)


def blank_memory(n: int, n_block: int) -> tuple[Floats, Floats, Floats]:
    """Of n features in blocks of which nothing is known: Memory of motion_tables as a plain tuple."""
    return np.full(n, -1.0), np.zeros((n, 4)), np.full((n_block, WIDTH_WITH_BOW), -1.0)


class PairMemory:
    """What motion checks remember of each pair of objects; grows as needed. Results are the same for any `threads`."""

    def __init__(self, table: FeatureTable, shape_of: Ints, threads: int = 1) -> None:
        from . import feature_table_kernels

        self._kernels: Any = feature_table_kernels  # an import of its own in every step would cost as much as a kernel
        self._table, self._shape_of = table, shape_of
        self.pairs = np.zeros((0, 2), np.int32)
        self._slots, self._written = np.zeros(0, np.int32), b""
        self._ways, self._first = np.zeros((0, WIDTH)), np.zeros((0, 8), np.int32)
        self._hulls, self._planes = table.hulls, np.zeros((0, 3), np.int32)
        self._slack, self._free, self._n_free = np.zeros(0), np.zeros(0, np.int32), 0
        self._clearance, self._hints, self._blocks = blank_memory(0, 0)
        self._used = np.zeros(2, np.int64)
        self._work, self._effort = np.zeros((threads, ROWS, 12)), np.zeros(0)
        self.make_room_for_hits(256)

    def _note_tables(self) -> None:
        """Let kernels get the tables as they are."""
        self.known = ((self.pairs, self._slots), self._tables)
        """Pairs with their slots, and PairMemories of motion_tables as a plain tuple; replaced when they change."""
        self.found = (self._work[0], self.times, self.hits, self.pair, self._effort)
        """FoundInPairs of motion_tables as a plain tuple."""

    def set_pairs(self, pairs: Ints) -> None:
        """The pairs to check from now on, in ascending order; those that stay keep their memory."""
        written = pairs.tobytes()  # of few pairs, these are compared in less time than tables
        if written == self._written:
            return
        self._written = b""
        slots = np.empty(len(pairs), np.int32)
        self._n_free = self._kernels.match_pairs(self.pairs, self._slots, pairs, self._free, self._n_free, slots)
        self.pairs, self._slots, self._effort = pairs.copy(), slots, np.zeros(len(pairs))
        n_new, *more = self._kernels.count_new_pairs(pairs, slots, self._shape_of, self._table.rows)
        if n_new:
            self._place(n_new, np.array(more))
        self._note_tables()
        self._written = written

    def _place(self, n_new: int, more: NDArray[Any]) -> None:
        """Give new pairs a slot each, with blank memory at the end of the tables: `more` features and blocks."""
        if (self._used + more > (len(self._clearance), len(self._blocks))).any():
            self._make_room(more)
        if n_new > self._n_free:
            self._make_slots(n_new - self._n_free)
        given = (self.pairs, self._shape_of, self._table.rows, tuple(self._used.tolist()), self._free, self._n_free)
        self._n_free, *used = self._kernels.place_new_pairs(*given, self._slots, self._tables)
        self._used = np.array(used)

    @property
    def _tables(self) -> tuple[Any, ...]:
        """PairMemories of motion_tables as a plain tuple."""
        return self._ways, self._planes, self._slack, self._first, self._clearance, self._hints, self._blocks

    def _make_room(self, more: NDArray[Any]) -> None:
        """Larger tables, in which memory of pairs that are no longer wanted is left out."""
        kept = self._slots[self._slots >= 0]
        live = (self._first[kept, 6:] - self._first[kept, :2]).sum(axis=0, dtype=np.int64)
        n, n_block = (2 * (live + more) + (1024, 64)).tolist()
        tables, known = blank_memory(n, n_block), (self._clearance, self._hints, self._blocks)
        self._used = np.array(self._kernels.move_memory(kept, self._first, known, tables))
        self._clearance, self._hints, self._blocks = tables

    def _make_slots(self, more: int) -> None:
        """More slots; the new ones are free, and there is a place on the stack for each."""
        old = len(self._ways)
        n = 2 * (old + more) + 64
        free = np.empty(n, np.int32)
        free[: n - old] = np.arange(n - 1, old - 1, -1)
        free[n - old : n - old + self._n_free] = self._free[: self._n_free]
        self._ways = np.concatenate((self._ways, np.full((n - old, WIDTH), -1.0)))
        self._first = np.concatenate((self._first, np.zeros((n - old, 8), np.int32)))
        self._planes = np.concatenate((self._planes, np.full((n - old, 3), -1, np.int32)))
        self._slack = np.concatenate((self._slack, np.zeros(n - old)))
        self._free, self._n_free = free, self._n_free + n - old

    def make_room_for_hits(self, n: int) -> None:
        """Of each thread; what stands in the row of the first is the answer."""
        threads = len(self._work)
        self._times = np.zeros((threads, n + 1))
        self._hits, self._pair = np.empty((threads, n, 3), np.int32), np.empty((threads, n), np.int32)
        self.times, self.hits, self.pair = self._times[0], self._hits[0], self._pair[0]
        self._note_tables()

    def begin(self) -> None:
        """What follows are other motions, not small changes of those that were checked last."""
        self._slack[:] = 0.0

    @property
    def effort(self) -> Floats:
        """Of each pair that was checked afresh, in units of about 10 ns: the same for any number of threads."""
        return self._effort

    def choose(
        self,
        due: NDArray[np.bool_],
        change: Floats,
        apart: NDArray[np.bool_] | None = None,
        afresh: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]:
        """Pairs to check: of objects that are due, where changes of motions [m] since the last check are not too small.

        `change` is that of any point of each object, at most; 0 for those that are not due. Pairs that are known to
        stay `apart` are left out. Those that are to be checked `afresh` are checked however little they change.
        """
        chosen = np.empty(len(self.pairs), np.bool_)
        apart = np.zeros(len(self.pairs), np.bool_) if apart is None else apart
        afresh = np.zeros(len(self.pairs), np.bool_) if afresh is None else afresh
        self._kernels.choose_pairs(self.pairs, self._slots, due, change, apart, afresh, self._slack, chosen)
        return chosen

    def check(
        self,
        chosen: NDArray[np.bool_],
        motions: Floats,
        options: tuple[float, float, float],
        window: float = 1.0,
        ends: Floats | None = None,
        afresh: NDArray[np.bool_] | None = None,
        most_effort: float = np.inf,
    ) -> int:
        """Check the chosen pairs; returns the number of hits, which stand in `times[1:]`, `hits` and `pair`.

        options = (gap, tolerance, share) of CheckOptions. Hits that come more than
        `window` of the motion after the first one of their pair are left out. `ends` (n, 12) are rotations and
        positions at the end of the motions, if they are known already. Pairs to check `afresh` use no memory, so that
        their `effort` depends on nothing but shapes and motions. The hits of a pair that takes more than `most_effort`
        are worth nothing.
        """
        if ends is None:
            ends = np.empty((len(self._shape_of), 12))
            self._kernels.put_ends(motions, ends)
        afresh = np.zeros(len(chosen), np.bool_) if afresh is None else afresh
        given = (
            self._table.arrays,
            self._hulls,
            (self._shape_of, motions, ends),
            (self.pairs, self._slots, chosen, afresh),
            (*options, window, most_effort),
            self._tables,
        )
        while True:
            n = self._check_in_threads(given) if self._is_worth_threads(chosen) else self._check(given)
            if n <= len(self.hits):
                return n
            self.make_room_for_hits(2 * n)

    def _is_worth_threads(self, chosen: NDArray[np.bool_]) -> bool:
        return len(self._work) > 1 and int(np.count_nonzero(chosen)) >= FEW_PAIRS

    def _check(self, given: tuple[Any, ...]) -> int:
        """Number of hits."""
        self._kernels.check_range((0, len(self.pairs)), *given, self.found)
        return int(self.times[0])

    def _check_in_threads(self, given: tuple[Any, ...]) -> int:
        """Number of hits, or more than there is room for if a thread had too little of it."""
        threads, n_pair = len(self._work), len(self.pairs)

        def check(t: int) -> int:
            found = (self._work[t], self._times[t], self._hits[t], self._pair[t], self._effort)
            self._kernels.check_range((t * n_pair // threads, (t + 1) * n_pair // threads), *given, found)
            return int(self._times[t, 0])

        return self._gather(list(_pool(threads, os.getpid()).map(check, range(threads))))

    def _gather(self, counts: list[int]) -> int:
        """Put the hits of all threads behind those of the first."""
        room, total, end = len(self.hits), sum(counts), counts[0]
        if max(counts) > room or total > room:
            return max(total, room + 1)
        for t, n in enumerate(counts[1:], 1):
            self.times[end + 1 : end + n + 1] = self._times[t, 1 : n + 1]
            self.hits[end : end + n], self.pair[end : end + n] = self._hits[t, :n], self._pair[t, :n]
            end += n
        self.times[0] = total
        return total


@cache
def _pool(threads: int, _process: int) -> ThreadPoolExecutor:
    """Threads to hand pairs to; kernels let go of Python's lock. A process that was forked has none of its parent's."""
    return ThreadPoolExecutor(threads, thread_name_prefix="abut")
