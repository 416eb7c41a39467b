"""Lists of different lengths in two flat arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Ints
from . import csr_kernels


@dataclass(frozen=True, eq=False)
class Csr:
    """`csr[i]` is the array of items that belong to `i`: `items[start[i] : start[i + 1]]`."""

    start: Ints
    """(n + 1,) where each list begins; the last entry is the number of items."""
    items: Ints
    """All lists, one after the other."""

    @classmethod
    def inverse_of(cls, owner: Ints, n: int) -> Csr:
        """Lists of the positions in `owner` that hold each of the values 0 .. n - 1, in rising order."""
        start = np.empty(n + 1, np.int32)
        csr_kernels.list_starts(owner, start)
        items = np.empty(start[-1], np.int32)
        csr_kernels.sort_by_owner(owner, np.arange(len(owner), dtype=np.int32), start.copy(), items)
        return cls(start, items)

    def without_repetition(self) -> Csr:
        """The same lists, each value kept once, where it first stands."""
        start, items = np.empty_like(self.start), np.empty_like(self.items)
        n = csr_kernels.drop_repeated(self.start, self.items, start, items)
        return Csr(start, items[:n].copy())

    @property
    def counts(self) -> Ints:
        """(n,) length of each list."""
        return np.diff(self.start)

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, i: int) -> Ints:
        if not -len(self) <= i < len(self):
            raise IndexError(f"list {i} of {len(self)}")
        i %= len(self)
        return self.items[self.start[i] : self.start[i + 1]]

    def __iter__(self) -> Iterator[Ints]:
        return (self[i] for i in range(len(self)))
