"""Where the blocks of a step's matrix and of its factor stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ...math.elimination_order_kernels import fill_columns, minimum_degree
from .elastic_tables import Pattern

Keys = NDArray[np.int64]
"""Column times number of nodes plus row, of blocks."""

_PAIRS = ((0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (2, 2), (3, 2), (3, 3))
"""Row and column corners of the blocks of an element, corners sorted by place."""


def sorted_corners(tetrahedra: Ints, order: Ints) -> Ints:
    """Corners of each tetrahedron in the order of elimination."""
    place = _inverse(order)
    by_place = np.argsort(place[tetrahedra], axis=1)
    return np.ascontiguousarray(np.take_along_axis(tetrahedra, by_place, axis=1))


def elimination_order(tetrahedra: Ints, n: int, direct: bool) -> Ints:
    """The order of n nodes: by minimum degree for a complete factor, else with neighbours near each other."""
    start, row = _neighbours(tetrahedra, n)
    if direct:
        return _by_degree(start, row)[0]
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    graph = csr_array((np.ones(len(row)), row, start), shape=(n, n))
    return np.ascontiguousarray(reverse_cuthill_mckee(graph, symmetric_mode=True), np.int32)


def make_pattern(corner: Ints, order: Ints, direct: bool) -> Pattern:
    """The pattern of elements whose corners are sorted by their place in `order`."""
    n, place = len(order), _inverse(order)
    rows, columns = (np.stack([place[corner[:, pair[k]]] for pair in _PAIRS], axis=1).astype(np.int64) for k in (0, 1))
    keys = np.unique(columns * n + rows)
    start, row = _columns(keys, n)
    slot = np.searchsorted(keys, columns * n + rows).astype(np.int32)
    factor_keys = _filled(keys, corner, order) if direct else keys
    factor_start, factor_row = _columns(factor_keys, n)
    factor_slot = np.searchsorted(factor_keys, keys).astype(np.int32)
    return Pattern(order, place, start, row, slot, factor_start, factor_row, factor_slot)


def _filled(keys: Keys, corner: Ints, order: Ints) -> Keys:
    """Keys of the blocks of a complete factor: those of the matrix and what elimination adds."""
    n = len(order)
    begin, neighbours = _neighbours(corner, n)
    _, count = _by_degree(begin, neighbours)
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int32)
    row = np.empty(start[-1], np.int32)
    fill_columns(n, neighbours, begin, order, _inverse(order), start, row)
    below = np.repeat(np.arange(n, dtype=np.int64), count) * n + row
    return np.unique(np.concatenate([keys, below]))


def _by_degree(start: Ints, row: Ints) -> tuple[Ints, Ints]:
    """Order of minimum degree, and how many neighbours each node has when its turn comes."""
    n = len(start) - 1
    order, count = np.empty(n, np.int32), np.empty(n, np.int32)
    minimum_degree(n, row, start, 2**62, order, count)
    return order, count


def _columns(keys: Keys, n: int) -> tuple[Ints, Ints]:
    """Where each column begins, and the row of each block, from sorted keys column * n + row."""
    start = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * n).astype(np.int32)
    return start, np.ascontiguousarray(keys % n, np.int32)


def _neighbours(tetrahedra: Ints, n: int) -> tuple[Ints, Ints]:
    """Nodes that share a tetrahedron with each node, itself not among them."""
    pairs = [tetrahedra[:, [i, j]] for i in range(4) for j in range(4) if i != j]
    both = np.vstack(pairs).astype(np.int64)
    return _columns(np.unique(both[:, 0] * n + both[:, 1]), n)


def _inverse(order: Ints) -> Ints:
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place
