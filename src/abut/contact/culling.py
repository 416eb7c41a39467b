"""Which bodies may touch: pairs of overlapping boxes, found anew in every frame at little cost.

Two methods give the same pairs: `SweepAndPrune` sorts coordinates, `HashGrid` hashes cells. Both remember fat boxes
around the boxes of earlier frames and the pairs among those, and look again only for boxes that have left theirs.
What is remembered makes the next answer fast, never different.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints, distinct_rows, indices, is_one_of
from ..errors import InputError, ShapeError
from . import culling_grid_kernels as grid_kernels
from . import culling_kernels as kernels
from . import culling_sort_kernels as sort_kernels
from . import culling_tube_kernels as tube_kernels
from . import culling_window_kernels as window_kernels

Strips = tuple[float, float, int]

FEW_BOXES = 64
"""Up to so many boxes all pairs are tested: faster than any bookkeeping."""
ALL_AGAIN = 64
"""When more than one in so many boxes has left its fat box, everything is looked for again."""
MOVES_PER_BOX = 8
"""When repairing the order takes more moves than this on average, it is sorted from scratch."""


class Culling(ABC):
    """Pairs of overlapping boxes, frame after frame.

    `group`: (n,) integers, two boxes of the same group >= 0 make no pair, and a box of group -2**31 none. `fixed`: (n,)
    booleans, two fixed boxes make no pair. `ignored`: (k, 2) pairs to leave out.
    """

    _fat_low: Floats
    """(n, 3) lower ends of the fat boxes."""
    _fat_high: Floats
    """(n, 3) upper ends of the fat boxes."""
    _base_low: Floats
    """(n, 3) lower ends of the boxes when their fat boxes were made."""
    _base_high: Floats
    """(n, 3) upper ends of the boxes when their fat boxes were made."""
    _since: NDArray[np.int64]
    """(n,) frame in which the fat boxes were made, -1 for never."""
    _rows: Floats
    """(n, 8) lower and upper ends of the boxes of this frame, side by side."""
    _escaped: NDArray[np.bool_]
    """(n,) boxes that have left their fat boxes in this frame."""
    _everyone: Ints
    """(n,) all boxes as a list."""
    _listed: Ints
    """The boxes that have left as a list, then anything."""

    def __init__(
        self, *, group: ArrayLike | None = None, fixed: ArrayLike | None = None, ignored: ArrayLike | None = None
    ) -> None:
        self._pairs, self._candidates, self._fresh, self._scratch = (np.empty((1, 2), np.int32) for _ in range(4))
        self._counters = np.empty(1 << kernels.DIGIT, np.int32)
        self.set_filter(group=group, fixed=fixed, ignored=ignored)

    def set_filter(
        self, *, group: ArrayLike | None = None, fixed: ArrayLike | None = None, ignored: ArrayLike | None = None
    ) -> None:
        """Replace the filters, all three of them."""
        self._group = None if group is None else _flat("group", group, np.int32)
        self._fixed = None if fixed is None else _flat("fixed", fixed, np.bool_)
        self._ignored = _sorted_pairs([] if ignored is None else ignored)
        self._ready_for = -1
        """For how many boxes the tables are made and hold together; -1 while they do not."""

    def pairs(self, low: ArrayLike, high: ArrayLike) -> Ints:
        """(m, 2) pairs i < j of boxes that overlap or touch, sorted, for (n, 3) bounds, which may be infinite.

        The table belongs to this object and holds until the next call; copy it to keep it.
        """
        low, high = _bounds("low", low), _bounds("high", high)
        if low.shape != high.shape:
            raise ShapeError(f"high: expected {low.shape} like low, got {high.shape}")
        n = len(low)
        if n != self._ready_for:
            self._forget(n)
        self._ready_for = -1  # a call that is interrupted from here on is followed by one that starts afresh
        bad, count = self._test_all(low, high) if n <= FEW_BOXES else self._test_candidates(low, high)
        self._ready_for = n
        if bad >= 0:
            raise InputError(
                f"low, high: box {bad} runs from {low[bad].tolist()} to {high[bad].tolist()}; "
                "expected low <= high, and no NaN"
            )
        return self._pairs[:count]

    def _test_all(self, low: Floats, high: Floats) -> tuple[int, int]:
        found: tuple[int, int] = kernels.pairs_of_few(low, high, self._marks, self._ignored, self._pairs)
        return found

    def _test_candidates(self, low: Floats, high: Floats) -> tuple[int, int]:
        self._frame += 1
        fat, notes = (self._fat_low, self._fat_high), (self._rows, self._escaped, self._listed)
        bad, n_escaped = kernels.find_escaped(low, high, *fat, *notes)
        if bad >= 0:
            return bad, 0
        if n_escaped > 0:
            self._look_again(low, high, n_escaped)
        self._pairs = _with_room(self._pairs, self._n_candidate + 1)
        return -1, kernels.keep_overlapping(self._rows, self._candidates, self._n_candidate, self._pairs)

    def _look_again(self, low: Floats, high: Floats, n_escaped: int) -> None:
        """Give escaped boxes new fat boxes and bring the candidates up to date."""
        everyone = n_escaped * ALL_AGAIN > self._n
        self._n_escaped = self._n if everyone else n_escaped
        if everyone:
            self._escaped[:], self._listed[:] = True, self._everyone
            self._mean_extent = kernels.mean_extent(low, high)
        fat = (self._fat_low, self._fat_high, self._base_low, self._base_high, self._since)
        kernels.fatten(low, high, self._listed[: self._n_escaped], self._frame, self._mean_extent, fat)
        n_fresh = self._find_fresh(everyone)
        if everyone:
            self._candidates, self._fresh = self._fresh, self._candidates
            self._n_candidate = n_fresh
            return
        n = self._n_candidate
        if len(self._candidates) < n + n_fresh:
            few, self._candidates = self._candidates, _with_room(self._candidates, n + n_fresh)
            self._candidates[:n] = few[:n]
        self._n_candidate = kernels.merge_candidates(self._escaped, self._fresh, n_fresh, n, self._candidates)

    def _find_fresh(self, everyone: bool) -> int:
        """Sorted pairs of fat boxes, of all or with at least one escaped box, in `_fresh`; returns their number."""
        n_found = self._find(everyone, self._fresh)
        if n_found >= len(self._fresh):  # pairs that are not allowed are written behind the others
            self._fresh = _with_room(self._fresh, n_found + 1)
            n_found = self._find(everyone, self._fresh)
        self._scratch = _with_room(self._scratch, n_found)
        return int(kernels.tidy_pairs(self._n, self._ignored, n_found, self._counters, self._scratch, self._fresh))

    def _forget(self, n: int) -> None:
        """Start afresh with n boxes."""
        self._marks = self._marks_of(n)
        self._n, self._frame, self._n_candidate = n, 0, 0
        if n <= FEW_BOXES:
            self._pairs = _with_room(self._pairs, n * (n - 1) // 2 + 1)
            return
        self._mean_extent = 0.0
        self._fat_low, self._fat_high = np.full((n, 3), np.inf), np.full((n, 3), -np.inf)
        self._base_low, self._base_high = np.zeros((n, 3)), np.zeros((n, 3))
        self._since, self._escaped = np.full(n, -1), np.empty(n, np.bool_)
        self._rows = _lines_of_cache(n)
        self._everyone, self._listed = np.arange(n, dtype=np.int32), np.empty(n, np.int32)
        self._forget_method(n)

    def _marks_of(self, n: int) -> Ints:
        marks = np.zeros((n, 2), np.int32)
        marks[:, 0] = -1
        for column, (name, values) in enumerate((("group", self._group), ("fixed", self._fixed))):
            if values is not None:
                if len(values) != n:
                    raise ShapeError(f"{name}: there are {n} boxes, but {len(values)} values")
                marks[:, column] = values
        return marks

    @abstractmethod
    def _forget_method(self, n: int) -> None:
        """Make the arrays of the method for n boxes."""

    @abstractmethod
    def _find(self, everyone: bool, pairs_out: Ints) -> int:
        """Allowed pairs of fat boxes, unsorted; returns their number, which may be larger than the table."""


class SweepAndPrune(Culling):
    """Culling by sorted coordinates: fast for boxes alike, and n log^2 n plus pairs for any sizes and places."""

    def _forget_method(self, n: int) -> None:
        self._axis = -1
        self._order = np.arange(n, dtype=np.int32)
        self._box = np.empty((6, n))
        self._chosen, self._flags = np.empty(n, np.bool_), np.empty(n, np.bool_)
        self._tube_corner, self._tube_start = np.empty((n, 2), np.int32), np.empty(n + 2, np.int32)
        self._tube_rows, self._hits = np.empty(4 * n, np.int32), np.empty(n, np.int32)
        self._tasks = np.empty((sort_kernels.MOST_TASKS, 8), np.int64)
        self._arena = np.empty(16 * n, np.int32)
        self._lanes = np.empty((n, 6)), np.empty((n, 6))

    def _find(self, everyone: bool, pairs_out: Ints) -> int:
        if not everyone:
            return self._find_escaped(pairs_out)
        self._sort_all()
        strips1, strips2, n_wide = tube_kernels.plan_tubes(self._box, self._chosen)
        count = self._find_in_tubes(strips1, strips2, pairs_out)
        if count < 0:
            self._chosen[:] = True
            return self._find_chosen(0, pairs_out)
        return self._find_chosen(count, pairs_out) if n_wide > 0 else count

    def _find_in_tubes(self, strips1: Strips, strips2: Strips, pairs_out: Ints) -> int:
        """Pairs of boxes that are not chosen, in tubes; -1 if tubes do not suit them."""
        lists = (self._tube_corner, self._tube_start, self._tube_rows)
        if tube_kernels.list_tubes(self._box, self._chosen, strips1, strips2, *lists) < 0:
            return -1
        (_, _, n1), (_, _, n2) = strips1, strips2
        table, n_strip = (self._box, self._order, self._marks), (n1, n2)
        lane, _ = self._lanes
        return int(tube_kernels.tube_pairs(table, n_strip, *lists, lane, self._hits, pairs_out))

    def _find_escaped(self, pairs_out: Ints) -> int:
        """Pairs with an escaped box, in windows of the sorted order where these are small."""
        self._sort_escaped()
        table = (self._box, self._order, self._marks, self._chosen)
        count = int(window_kernels.window_pairs(*table, self._arena, self._flags, pairs_out))
        return count if count >= 0 else self._find_chosen(0, pairs_out)

    def _find_chosen(self, count: int, pairs_out: Ints) -> int:
        """Append the pairs with a chosen box."""
        table = (self._box, self._order, self._marks)
        while True:
            space = (self._tasks, self._arena, *self._lanes, self._hits)
            n_found = sort_kernels.pairs_of_chosen(table, self._chosen, count, space, pairs_out)
            if n_found >= 0:
                return int(n_found)
            self._arena = np.empty(2 * len(self._arena), np.int32)

    def _sort_all(self) -> None:
        """Sort along the axis on which boxes are spread most, from the last order if that is near."""
        low, axis, most_moves = self._fat_low, self._axis, MOVES_PER_BOX * self._n
        self._axis = sort_kernels.widest_axis(low, self._fat_high)
        if self._axis != axis or not sort_kernels.repair_order(low, axis, most_moves, self._order):
            self._order = np.argsort(low[:, self._axis]).astype(np.int32)
        sort_kernels.gather_boxes(low, self._fat_high, self._order, self._axis, self._box)

    def _sort_escaped(self) -> None:
        """Bring the sorted table up to date where only escaped boxes have changed, and mark these as chosen."""
        bounds = (self._fat_low, self._fat_high)
        sort_kernels.refresh_boxes(*bounds, self._escaped, self._axis, self._order, self._box, self._chosen)
        if not sort_kernels.repair_table(self._n, self._order, self._box, self._chosen):
            self._order = np.argsort(self._fat_low[:, self._axis]).astype(np.int32)
            sort_kernels.gather_boxes(*bounds, self._order, self._axis, self._box)
            self._chosen = self._escaped[self._order]


class HashGrid(Culling):
    """Culling by a hierarchical hash grid: linear in boxes plus pairs, for boxes that are not long and thin."""

    def _forget_method(self, n: int) -> None:
        room, n_bucket = n + n // 2 + 1, (1 << (2 * n).bit_length()) + 1
        self._home, self._place = np.empty((n, 2), np.int64), np.empty(n, np.int32)
        self._entries = np.empty(room, np.int32), np.empty(room, np.int64), np.empty((room, 3)), np.empty((room, 3))
        self._lists = tuple(np.empty(size, np.int32) for size in (n_bucket + 1, grid_kernels.N_LEVEL + 1, n))
        sizes = (n_bucket, room, grid_kernels.N_LEVEL, room, grid_kernels.N_LEVEL)
        self._chains = tuple(np.empty(size, np.int32) for size in sizes)
        self._exponent, self._n_entry = 0, room

    def _find(self, everyone: bool, pairs_out: Ints) -> int:
        bounds, listed = (self._fat_low, self._fat_high), self._listed[: self._n_escaped]
        table = (self._place, self._entries)
        if everyone or self._n_entry + len(listed) > len(self._entries[0]):
            self._exponent = grid_kernels.fill_grid(*bounds, self._home, *table, self._lists, self._chains)
            self._n_entry = self._n
        else:
            grid_kernels.move_entries(*bounds, listed, self._exponent, self._n_entry, *table, self._chains)
            self._n_entry += len(listed)
        grid = (self._entries, self._lists, self._chains, pairs_out)
        if everyone:
            return int(grid_kernels.grid_pairs(self._exponent, self._marks, *grid))
        return int(grid_kernels.grid_pairs_of(listed, self._exponent, self._marks, self._place, *grid))


def make_culling(
    method: Literal["sort", "grid"] = "sort",
    *,
    group: ArrayLike | None = None,
    fixed: ArrayLike | None = None,
    ignored: ArrayLike | None = None,
) -> Culling:
    """A `SweepAndPrune` ("sort") or a `HashGrid` ("grid"), with filters as `Culling` has them."""
    methods: dict[Any, type[Culling]] = {"sort": SweepAndPrune, "grid": HashGrid}
    if not is_one_of(method, methods):
        raise InputError(f'method: expected "sort" or "grid", got {method!r}')
    return methods[method](group=group, fixed=fixed, ignored=ignored)


def _bounds(name: str, value: ArrayLike) -> Floats:
    """`value` as (n, 3) floats, infinite ones included; arrays that are right already pass at little cost."""
    try:
        array = np.ascontiguousarray(value, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected (n, 3) numbers") from error
    if array.ndim != 2 or array.shape[1] != 3:
        raise ShapeError(f"{name}: expected (n, 3), got {np.shape(value)}")
    return array if array.flags.writeable else array.copy()


def _flat(name: str, value: ArrayLike, dtype: type[np.generic]) -> NDArray[Any]:
    array = np.asarray(value)
    if array.ndim != 1 or not np.can_cast(array.dtype, np.int64, "same_kind"):
        kind = "booleans" if dtype is np.bool_ else "integers"
        raise InputError(f"{name}: expected (n,) {kind}, got {array.dtype} of shape {array.shape}")
    return array.astype(dtype)


def _sorted_pairs(ignored: ArrayLike) -> Ints:
    """`ignored` with the smaller number first in each row, rows sorted, each once."""
    table = indices("ignored", ignored, 2, below=2**31 - 1)
    if (table[:, 0] == table[:, 1]).any():
        row = int((table[:, 0] == table[:, 1]).argmax())
        raise InputError(f"ignored: row {row} pairs box {table[row, 0]} with itself")
    return distinct_rows(np.sort(table, axis=1))


def _with_room(table: Ints, n: int) -> Ints:
    """`table` if it has n rows, else a larger one, contents not kept."""
    return table if len(table) >= n else np.empty((n + n // 2, 2), np.int32)


def _lines_of_cache(n: int) -> Floats:
    """(n, 8) numbers, each row one line of the processor's cache."""
    room = np.empty(8 * n + 8)
    first = (-room.ctypes.data // room.itemsize) % 8
    return room[first : first + 8 * n].reshape(n, 8)
