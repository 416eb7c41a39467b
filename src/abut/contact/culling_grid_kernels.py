"""Overlapping boxes by a hierarchical hash grid (Overmars, Point location in fat subdivisions, IPL 1992; Mirtich,
Impulse-based dynamic simulation, 1996, section 2.2).

Level l is a grid whose cells have the size 2^(l + e). Each box lives on the finest level whose cells are larger than
it, in the cell of its low corner. Whatever overlaps a box there begins in the box's cells or one before them, so that
at its own level and each coarser one there are at most 3 x 3 x 3 cells to look at. Cells are lists in a hash table.
Boxes that are unbounded or too large for the numbers live on a level of their own that has no cells.
"""

from math import floor, frexp, inf, ldexp

import numpy as np

from .._jit import kernel
from .culling_kernels import boxes_overlap, emit_pair

N_LEVEL = 48
"""Levels, the one without cells included: sizes from 2^-46 of the scene up to the scene."""
UNBOUNDED = N_LEVEL - 1
LEVEL_MASK = 63
"""The bits of a cell's name that hold its level."""
LARGEST = 1e300
"""Coordinates beyond this count as infinite."""
WRAP = (1 << 19) - 1
"""Mask of the cell numbers in a cell's name: neighbours keep different names, cells far apart may share one."""
FEW_ON_LEVEL = 8
"""Levels with no more boxes than this are read through instead of looked up."""


@kernel
def _is_bounded(low, high, i):
    bounded = True
    for k in range(3):
        bounded &= (abs(low[i, k]) < LARGEST) & (abs(high[i, k]) < LARGEST)
    return bounded


@kernel
def finest_exponent(low, high):
    """The exponent e of the finest level: cells no smaller than 2^-44 of the largest coordinate, to count exactly."""
    largest = 0.0
    for i in range(low.shape[0]):
        if _is_bounded(low, high, i):
            for k in range(3):
                largest = max(largest, abs(low[i, k]), abs(high[i, k]))
    return max(frexp(largest)[1] - 44, -1000)


@kernel
def _level_of(low, high, i, exponent):
    """The finest level whose cells are larger than box i."""
    if not _is_bounded(low, high, i):
        return UNBOUNDED
    extent = max(high[i, 0] - low[i, 0], high[i, 1] - low[i, 1], high[i, 2] - low[i, 2])
    # frexp: extent < 2^e, strictly, also where the difference was rounded down.
    return max(frexp(extent)[1] - exponent, 0) if extent > 0.0 else 0


@kernel
def _cell_size(level, exponent):
    return ldexp(1.0, int(level + exponent))


@kernel
def _cell_name(x, y, z, level):
    """One number for a cell; neighbours on a level, and levels, have different ones."""
    return ((x & WRAP) << 44) | ((y & WRAP) << 25) | ((z & WRAP) << 6) | int(level)


@kernel
def _bucket(x, y, z, level, mask):
    """Place of a cell in the hash table; neighbours along z lie side by side, to be fetched together."""
    mixed = ((x & WRAP) * 73856093) ^ ((y & WRAP) * 19349663) ^ (int(level) * 83492791)
    return ((mixed ^ (mixed >> 15)) + z) & mask


@kernel
def box_levels(low, high, exponent, level_out):
    """Level of each box."""
    for i in range(low.shape[0]):
        level_out[i] = _level_of(low, high, i, exponent)


@kernel
def _cell_of(corner, i, level, exponent):
    """Cell of a level in which row i of `corner` lies."""
    size = _cell_size(level, exponent)
    return floor(corner[i, 0] / size), floor(corner[i, 1] / size), floor(corner[i, 2] / size)


@kernel
def fill_cells(low, high, exponent, level, bucket, start_out, items_out, names_out, low_out, high_out):
    """Hash table: bucket b holds the entries start_out[b] .. start_out[b + 1], with box, name of cell and bounds.

    The last bucket is for the boxes without a cell.
    """
    n_bucket = start_out.shape[0] - 1
    start_out[:] = 0
    for i in range(low.shape[0]):
        bucket[i] = n_bucket - 1
        if level[i] != UNBOUNDED:
            x, y, z = _cell_of(low, i, level[i], exponent)
            bucket[i] = _bucket(x, y, z, level[i], n_bucket - 2)
        start_out[bucket[i]] += 1
    for b in range(n_bucket):
        start_out[b + 1] += start_out[b]
    for i in range(low.shape[0] - 1, -1, -1):
        start_out[bucket[i]] -= 1
        entry = start_out[bucket[i]]
        items_out[entry] = i
        names_out[entry] = UNBOUNDED
        if level[i] != UNBOUNDED:
            x, y, z = _cell_of(low, i, level[i], exponent)
            names_out[entry] = _cell_name(x, y, z, level[i])
        for k in range(3):
            low_out[entry, k], high_out[entry, k] = low[i, k], high[i, k]


@kernel
def list_levels(names, start_out, entries_out):
    """The entries of each level."""
    start_out[:] = 0
    for i in range(names.shape[0]):
        start_out[names[i] & LEVEL_MASK] += 1
    for level in range(N_LEVEL):
        start_out[level + 1] += start_out[level]
    for i in range(names.shape[0] - 1, -1, -1):
        level = names[i] & LEVEL_MASK
        start_out[level] -= 1
        entries_out[start_out[level]] = i


@kernel
def grid_pairs(exponent, marks, level_start, level_entries, start, items, names, low, high, pairs_out):
    """All allowed pairs of overlapping boxes; returns their number. `low` and `high` are those of the entries.

    Entries in the order of the table have neighbours in common, which stay in the processor's cache.
    """
    count = np.int64(0)
    for i in range(low.shape[0]):
        own = names[i] & LEVEL_MASK
        for level in range(own, N_LEVEL):
            later = level == own
            begin, end = level_start[level], level_start[level + 1]
            n_box = end - begin
            if n_box == 0:
                continue
            if level == UNBOUNDED or n_box <= FEW_ON_LEVEL:
                count = _look_through(low, high, i, later, marks, level_entries[begin:end], items, count, pairs_out)
            else:
                count = _look_up(low, high, i, later, level, exponent, marks, start, items, names, count, pairs_out)
    return count


@kernel
def grid_pairs_of(exponent, marks, escaped, level_start, level_entries, start, items, names, low, high, pairs_out):
    """The allowed pairs with at least one escaped box, those of two escaped boxes twice; returns their number."""
    count = np.int64(0)
    later = np.bool_(False)
    for i in range(low.shape[0]):
        for level in range(N_LEVEL if escaped[items[i]] else 0):
            begin, end = level_start[level], level_start[level + 1]
            n_box = end - begin
            if n_box == 0:
                continue
            if level == UNBOUNDED or n_box < _cells_of(low, high, i, level, exponent):
                count = _look_through(low, high, i, later, marks, level_entries[begin:end], items, count, pairs_out)
            else:
                count = _look_up(low, high, i, later, level, exponent, marks, start, items, names, count, pairs_out)
    return count


@kernel
def _cells_of(low, high, i, level, exponent):
    """How many cells of a level there are to look at; infinite for an unbounded box."""
    if not _is_bounded(low, high, i):
        return inf
    size = _cell_size(level, exponent)
    cells = 1.0
    for k in range(3):
        cells *= 2.0 + floor(high[i, k] / size) - floor(low[i, k] / size)
    return cells


@kernel
def _look_through(low, high, i, only_later, marks, entries, items, count, pairs_out):
    """Pairs of entry i with the entries of a level, with the later ones only if the level is its own."""
    for j in entries:
        if (j > i if only_later else j != i) and boxes_overlap(low, high, i, j):
            count = emit_pair(items[i], items[j], marks, count, pairs_out)
    return count


@kernel
def _look_up(low, high, i, only_later, level, exponent, marks, start, items, names, count, pairs_out):
    """Pairs of entry i with those in the cells of a level that may hold boxes that overlap it."""
    mask = start.shape[0] - 3
    x0, y0, z0 = _cell_of(low, i, level, exponent)
    x1, y1, z1 = _cell_of(high, i, level, exponent)
    for x in range(x0 if only_later else x0 - 1, x1 + 1):
        # On its own level every pair is seen from both sides: take it from the cell that comes first.
        own_x = only_later and x == x0
        for y in range(y0 if own_x else y0 - 1, y1 + 1):
            own_y = own_x and y == y0
            for z in range(z0 if own_y else z0 - 1, z1 + 1):
                bucket = _bucket(x, y, z, level, mask)
                name = _cell_name(x, y, z, level)
                own_cell = own_y and z == z0
                for j in range(start[bucket], start[bucket + 1]):
                    if names[j] == name and (j > i if own_cell else j != i) and boxes_overlap(low, high, i, j):
                        count = emit_pair(items[i], items[j], marks, count, pairs_out)
    return count
