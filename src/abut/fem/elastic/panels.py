"""Panels of a complete factor: which of its columns stand side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._jit import OCTET
from ...arrays import Floats
from .elastic_tables import Panels, Pattern
from .panel_kernels import fill_panels

LEAST_WIDTH = 3
"""Columns of blocks from which on a panel pays."""


def no_panels() -> Panels:
    """Of a factor that is used as it is."""
    nothing = np.zeros(0, np.int32)
    return Panels(np.zeros(1, np.int32), np.zeros(0, np.int64), nothing, np.zeros(0, np.float32), np.zeros(0))


def find_panels(pattern: Pattern) -> Panels:
    """The panels of a pattern, empty: columns belong together where each has the rows of the next one and its own."""
    start, row, n = pattern.factor_start, pattern.factor_row, len(pattern.order)
    begins = [0]
    for j in range(1, n):
        if not np.array_equal(row[start[j - 1] + 1 : start[j]], row[start[j] : start[j + 1]]):
            begins.append(j)
    wide = np.diff([*begins, n]) >= LEAST_WIDTH
    # Narrow ones that come one after the other are taken together.
    kept = [k for k in range(len(begins)) if wide[k] or k == 0 or wide[k - 1]]
    first, wide = np.array([*(begins[k] for k in kept), n], np.int32), wide[kept]
    rows = 3 * np.diff(start)[first[:-1]]
    height = np.where(wide, -(-rows // OCTET) * OCTET, 0).astype(np.int32)
    sizes = 3 * np.diff(first).astype(np.int64) * height
    data = np.zeros(int(sizes.sum()), np.float32)
    return Panels(first, np.cumsum(sizes) - sizes, height, data, np.zeros(int(height.max(initial=0))))


def panels_of(pattern: Pattern, factor: Floats, empty: Panels) -> dict[str, Any]:
    """Fields of a `Matrix`: its panels, with the numbers of a factor."""
    panels = empty._replace(data=np.zeros_like(empty.data), work=np.zeros_like(empty.work))
    fill_panels(tuple(pattern), factor, tuple(panels))
    return {f"panel_{word}": table for word, table in panels._asdict().items()}
