"""Blocks of memory for the tables of a step (`block_kernels`), as Python sees them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Floats
from .block_kernels import KIND, LOAD, POSE, TWIST

_WIDTH = {POSE: 7, TWIST: 6, LOAD: 6}


def block_of_bodies(n: int) -> Floats:
    """An empty block for n bodies."""
    return np.empty(size_of_bodies(n))


def size_of_bodies(n: int) -> int:
    """How many numbers a block of n bodies has."""
    return KIND * n + (n + 1) // 2


def table_of_bodies(block: Floats, n: int, place: int) -> Any:
    """The table that begins at a column of a block of n bodies."""
    if place == KIND:
        return block[KIND * n :].view(np.int32)[:n]
    return block[place * n : (place + _WIDTH[place]) * n].reshape(n, _WIDTH[place])


def row_of_body(block: Floats, n: int, place: int, body: int) -> Floats:
    """The row of one body in such a table."""
    first = place * n + _WIDTH[place] * body
    return block[first : first + _WIDTH[place]]


def table_of_joints(block: Floats, n: int, place: int, width: int) -> Floats:
    """Likewise of joints."""
    table = block[place * n : (place + width) * n]
    return table if width == 1 else table.reshape(n, width)
