"""Lists of different lengths in two flat arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Ints


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
        order = np.argsort(owner, kind="stable").astype(np.int32)
        first = int(np.searchsorted(owner, 0, sorter=order))  # -1 belongs to nobody
        start = np.searchsorted(owner, np.arange(n + 1), sorter=order) - first
        return cls(start.astype(np.int32), np.ascontiguousarray(order[first:]))

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
