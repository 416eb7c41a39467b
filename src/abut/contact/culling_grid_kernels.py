"""Overlapping boxes by a hierarchical hash grid (Overmars, Point location in fat subdivisions, IPL 1992; Mirtich,
Impulse-based dynamic simulation, 1996, section 2.2).

Level l is a grid whose cells have the size 2^(l + e). Each box lives on the finest level whose cells are larger than
it, in the cell of its low corner. Whatever overlaps a box there begins in the box's cells or one before them, so that
at its own level and each coarser one there are at most 3 x 3 x 3 cells to look at. Cells share the buckets of a hash
table. Boxes that are unbounded or too large for the numbers live on a level of their own that has no cells.

A box that stands in the grid is an *entry*, with its number, the name of its cell and a copy of its bounds:
`entries` is (items, names, low, high). Those of a full filling stand in the order of buckets, from `start[bucket]` on,
and are listed by level: `lists` is (start, level_start, level_entries). A box that moves leaves an entry behind that
overlaps nothing, and gets one at the end, which hangs in a chain of its bucket and in one of its level: `chains` is
(bucket_head, bucket_next, level_head, level_next, level_count), -1 at the end of a chain.
"""

from math import floor, frexp, inf, ldexp, nan

import numpy as np

from .._jit import kernel
from .culling_kernels import boxes_overlap, emit_pair
from .culling_tables import GridChains, GridEntries, GridLists

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
def _is_bounded(low, high, i, limit):
    bounded = True
    for k in range(3):
        bounded &= (abs(low[i, k]) < limit) & (abs(high[i, k]) < limit)
    return bounded


@kernel
def _finest_exponent(low, high):
    """The exponent e of the finest level: cells no smaller than 2^-44 of the largest coordinate, to count exactly."""
    largest = 0.0
    for i in range(low.shape[0]):
        if _is_bounded(low, high, i, LARGEST):
            for k in range(3):
                largest = max(largest, abs(low[i, k]), abs(high[i, k]))
    return max(frexp(largest)[1] - 44, -1000)


@kernel
def _limit(exponent):
    """Boxes with coordinates beyond this count as unbounded: twice the largest of a full filling."""
    return ldexp(1.0, int(exponent + 45))


@kernel
def _level_of(low, high, i, exponent):
    """The finest level whose cells are larger than box i."""
    if not _is_bounded(low, high, i, _limit(exponent)):
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
    """Place of a cell in the hash table; blocks of 4 x 4 x 4 cells lie side by side, to be fetched together."""
    mixed = (((x >> 2) & WRAP) * 73856093) ^ (((y >> 2) & WRAP) * 19349663) ^ (((z >> 2) & WRAP) * 83492791)
    mixed ^= int(level) * 49979687
    mixed ^= mixed >> 15
    return ((mixed << 6) | ((x & 3) << 4) | ((y & 3) << 2) | (z & 3)) & mask


@kernel
def _cell_of(corner, i, level, exponent):
    """Cell of a level in which row i of `corner` lies."""
    size = _cell_size(level, exponent)
    return floor(corner[i, 0] / size), floor(corner[i, 1] / size), floor(corner[i, 2] / size)


@kernel
def _home_of(low, high, i, exponent, n_bucket):
    """Bucket and name of the cell of box i; the last bucket for a box without a cell."""
    level = _level_of(low, high, i, exponent)
    if level == UNBOUNDED:
        return n_bucket - 1, np.int64(UNBOUNDED)
    x, y, z = _cell_of(low, i, level, exponent)
    return _bucket(x, y, z, level, n_bucket - 2), _cell_name(x, y, z, level)


@kernel
def _put_entry(low, high, i, name, entry, place_out, entries_out):
    items, names, low_out, high_out = entries_out
    items[entry], names[entry], place_out[i] = i, name, entry
    for k in range(3):
        low_out[entry, k], high_out[entry, k] = low[i, k], high[i, k]


@kernel
def fill_grid(low, high, home_io, place_out, entries_out, lists_out, chains_out):
    """Place all boxes; returns the exponent of the finest level. `home_io` (n, 2) is scratch space."""
    exponent, entries_out = _finest_exponent(low, high), GridEntries(*entries_out)
    lists_out, chains_out = GridLists(*lists_out), GridChains(*chains_out)
    start = lists_out.start
    n_bucket = start.shape[0] - 1
    start[:] = 0
    for i in range(low.shape[0]):
        home_io[i, 0], home_io[i, 1] = _home_of(low, high, i, exponent, n_bucket)
        start[home_io[i, 0]] += 1
    for b in range(n_bucket):
        start[b + 1] += start[b]
    for i in range(low.shape[0] - 1, -1, -1):
        start[home_io[i, 0]] -= 1
        _put_entry(low, high, i, home_io[i, 1], start[home_io[i, 0]], place_out, entries_out)
    _list_levels(entries_out.names[: low.shape[0]], lists_out.level_start, lists_out.level_entries)
    chains_out.bucket_head[:], chains_out.level_head[:], chains_out.level_count[:] = -1, -1, 0
    return exponent


@kernel
def _list_levels(names, start_out, entries_out):
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
def move_entries(low, high, listed, exponent, entry, place_out, entries_out, chains_out):
    """Give the listed boxes new entries, from `entry` on."""
    bucket_head, bucket_next, level_head, level_next, level_count = chains_out
    entries_out = GridEntries(*entries_out)
    for i in listed:
        # Nothing overlaps what is not a number.
        entries_out.low[place_out[i], 0] = nan
        bucket, name = _home_of(low, high, i, exponent, bucket_head.shape[0])
        _put_entry(low, high, i, name, entry, place_out, entries_out)
        bucket_next[entry], bucket_head[bucket] = bucket_head[bucket], entry
        level = name & LEVEL_MASK
        level_next[entry], level_head[level] = level_head[level], entry
        level_count[level] += 1
        entry += 1


@kernel
def grid_pairs(exponent, marks, entries, lists, chains, pairs_out):
    """All allowed pairs of overlapping boxes in a grid that was just filled; returns their number.

    Entries in the order of the table have neighbours in common, which stay in the processor's cache.
    """
    entries, lists, chains = GridEntries(*entries), GridLists(*lists), GridChains(*chains)
    level_start, level_entries, names = lists.level_start, lists.level_entries, entries.names
    count, filled = np.int64(0), np.bool_(False)
    for i in range(level_entries.shape[0]):
        own = names[i] & LEVEL_MASK
        for level in range(own, N_LEVEL):
            later = level == own
            begin, end = level_start[level], level_start[level + 1]
            if end == begin:
                continue
            if level == UNBOUNDED or end - begin <= FEW_ON_LEVEL:
                count = _look_through(entries, i, later, marks, level_entries[begin:end], count, pairs_out)
            else:
                place = (i, later, level, exponent)
                count = _look_up(place, marks, entries, lists.start, filled, chains, count, pairs_out)
    return count


@kernel
def grid_pairs_of(listed, exponent, marks, place, entries, lists, chains, pairs_out):
    """The allowed pairs with at least one listed box, those of two listed boxes twice; returns their number."""
    entries, lists, chains = GridEntries(*entries), GridLists(*lists), GridChains(*chains)
    low, high, level_start, level_entries = entries.low, entries.high, lists.level_start, lists.level_entries
    count, later, moved = np.int64(0), np.bool_(False), np.bool_(True)
    for box in listed:
        i = np.int64(place[box])
        for level in range(N_LEVEL):
            begin, end = level_start[level], level_start[level + 1]
            n_box = end - begin + chains.level_count[level]
            if n_box == 0:
                continue
            if level == UNBOUNDED or n_box < _cells_of(low, high, i, level, exponent):
                count = _look_through(entries, i, later, marks, level_entries[begin:end], count, pairs_out)
                count = _look_along(entries, i, level, marks, chains, count, pairs_out)
            else:
                where = (i, later, level, exponent)
                count = _look_up(where, marks, entries, lists.start, moved, chains, count, pairs_out)
    return count


@kernel
def _cells_of(low, high, i, level, exponent):
    """How many cells of a level there are to look at; infinite for an unbounded box."""
    if not _is_bounded(low, high, i, _limit(exponent)):
        return inf
    size = _cell_size(level, exponent)
    cells = 1.0
    for k in range(3):
        cells *= 2.0 + floor(high[i, k] / size) - floor(low[i, k] / size)
    return cells


@kernel
def _look_through(entries, i, only_later, marks, listed, count, pairs_out):
    """Pairs of entry i with the listed entries of a level, with the later ones only if the level is its own."""
    items, _, low, high = entries
    for j in listed:
        if (j > i if only_later else j != i) and boxes_overlap(low, high, i, j):
            count = emit_pair(items[i], items[j], marks, count, pairs_out)
    return count


@kernel
def _look_along(entries, i, level, marks, chains, count, pairs_out):
    """Pairs of entry i with the boxes that have moved to a level."""
    items, _, low, high = entries
    j = chains.level_head[level]
    while j >= 0:
        if j != i and boxes_overlap(low, high, i, j):
            count = emit_pair(items[i], items[j], marks, count, pairs_out)
        j = chains.level_next[j]
    return count


@kernel
def _look_up(place, marks, entries, start, moved, chains, count, pairs_out):
    """Pairs of an entry with those in the cells of a level that may hold boxes that overlap it.

    `place` is (entry, whether only those that come later, level, exponent); `moved` whether chains are to be followed.
    """
    i, only_later, level, exponent = place
    items, names, low, high = entries
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
                j = np.int64(chains.bucket_head[bucket]) if moved else np.int64(-1)
                while j >= 0:
                    if names[j] == name and j != i and boxes_overlap(low, high, i, j):
                        count = emit_pair(items[i], items[j], marks, count, pairs_out)
                    j = np.int64(chains.bucket_next[j])
    return count
