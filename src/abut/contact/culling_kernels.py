"""Pairs of overlapping boxes: what every culling method shares.

A box is a row of `low` and of `high`, both (n, 3); touching boxes overlap. Candidates are the allowed pairs whose
*fat* boxes overlap. As long as each box stays inside its fat box, every overlapping pair is among them.
`rows` is (n, 8), low and high ends side by side: what is read here and there takes one line of the processor's cache.
`marks` is (n, 2): the group of each box (no pairs within a group >= 0, and none with a box that is ABSENT), and 1 for a
fixed box (no pairs of two).
"""

from math import inf, isfinite

import numpy as np

from .._jit import kernel, prefetch
from .culling_tables import FatBoxes

ABSENT = -(2**31)
"""Group of boxes that make no pairs at all: the lowest number there is."""
SLACK = 0.03
"""Room around a fat box, as a fraction of the box's largest extent."""
HORIZON = 16.0
"""Frames of the present motion for which a fat box leaves room ahead."""
LONGEST_REACH = 0.5
"""The most room ahead, as a fraction of the box's or the average box's largest extent, whichever is larger."""
AHEAD = 64
"""Candidates that are fetched before they are tested: as long as memory takes to answer."""
DIGIT = 11
"""Most bits of a number that one pass of the sort of pairs looks at."""


@kernel
def boxes_overlap(low, high, i, j):
    """Whether boxes i and j have a point in common."""
    # Without branches: three comparisons that are often undecided cost more as jumps than as arithmetic.
    return (
        (low[i, 0] <= high[j, 0])
        & (low[j, 0] <= high[i, 0])
        & (low[i, 1] <= high[j, 1])
        & (low[j, 1] <= high[i, 1])
        & (low[i, 2] <= high[j, 2])
        & (low[j, 2] <= high[i, 2])
    )


@kernel
def pair_allowed(marks, i, j):
    """Whether groups and fixed boxes leave the pair (i, j) in."""
    different = (marks[i, 0] < 0) | (marks[i, 0] != marks[j, 0])
    present = (marks[i, 0] != ABSENT) & (marks[j, 0] != ABSENT)
    return different & present & (marks[i, 1] + marks[j, 1] < 2)


@kernel
def emit_pair(i, j, marks, count, pairs_out):
    """Append the pair, smaller number first, if it is allowed; returns the new count.

    When the table is full, pairs are only counted; its last row is for pairs that are not allowed. Without jumps, so
    that the compiler does not count references to the tables in the innermost loops.
    """
    place = min(count, pairs_out.shape[0] - 1)
    pairs_out[place, 0] = min(i, j)
    pairs_out[place, 1] = max(i, j)
    return count + pair_allowed(marks, i, j)


@kernel
def find_bad_box(low, high):
    """First box with a NaN or with low > high; -1 if there is none."""
    for i in range(low.shape[0]):
        if not ((low[i, 0] <= high[i, 0]) & (low[i, 1] <= high[i, 1]) & (low[i, 2] <= high[i, 2])):
            return i
    return -1


@kernel
def pairs_of_few(low, high, marks, ignored, pairs_out):
    """All pairs by testing all pairs: the fastest way for a few dozen boxes. Returns (bad box or -1, count)."""
    bad = find_bad_box(low, high)
    count = 0
    if bad >= 0:
        return bad, 0
    for i in range(low.shape[0]):
        for j in range(i + 1, low.shape[0]):
            if boxes_overlap(low, high, i, j):
                count = emit_pair(i, j, marks, count, pairs_out)
    return -1, drop_ignored(ignored, count, pairs_out)


@kernel
def drop_ignored(ignored, count, pairs_out):
    """Remove the rows of `ignored` from the leading `count` pairs, both sorted; returns how many are left."""
    if ignored.shape[0] == 0:
        return count
    kept, k = 0, 0
    for m in range(count):
        i, j = pairs_out[m, 0], pairs_out[m, 1]
        while k < ignored.shape[0] and (ignored[k, 0] < i or (ignored[k, 0] == i and ignored[k, 1] < j)):
            k += 1
        if k < ignored.shape[0] and ignored[k, 0] == i and ignored[k, 1] == j:
            continue
        pairs_out[kept, 0], pairs_out[kept, 1] = i, j
        kept += 1
    return kept


@kernel
def drop_repeated_pairs(count, pairs_out):
    """Keep one of each run of equal pairs among the leading `count`; returns how many are left."""
    kept = 0
    for m in range(count):
        i, j = pairs_out[m, 0], pairs_out[m, 1]
        if kept == 0 or pairs_out[kept - 1, 0] != i or pairs_out[kept - 1, 1] != j:
            pairs_out[kept, 0], pairs_out[kept, 1] = i, j
            kept += 1
    return kept


@kernel
def find_escaped(low, high, fat_low, fat_high, rows_out, escaped_out, listed_out):
    """Mark and list the boxes that have left their fat boxes, and copy all bounds. Returns (bad box or -1, count)."""
    count = 0
    for i in range(low.shape[0]):
        sound, inside = True, True
        for k in range(3):
            sound &= low[i, k] <= high[i, k]
            inside &= (low[i, k] >= fat_low[i, k]) & (high[i, k] <= fat_high[i, k])
            rows_out[i, k], rows_out[i, 3 + k] = low[i, k], high[i, k]
        if not sound:
            return i, 0
        escaped_out[i] = not inside
        listed_out[count] = i
        count += not inside
    return -1, count


@kernel
def _largest_extent(low, high, i):
    """Largest finite extent of box i."""
    largest = 0.0
    for k in range(3):
        extent = high[i, k] - low[i, k]
        if isfinite(extent):
            largest = max(largest, extent)
    return largest


@kernel
def mean_extent(low, high):
    """Average of the largest finite extents."""
    total = 0.0
    for i in range(low.shape[0]):
        total += _largest_extent(low, high, i) / low.shape[0]
    return total


@kernel
def _speed(now, before, frames):
    """Motion of a bound per frame; bounds at infinity do not move."""
    return (now - before) / frames if isfinite(now) and isfinite(before) else 0.0


@kernel
def _fatten_box(low, high, i, mean, frames, fat_io):
    """Fat box of box i: slack all around, and room ahead for HORIZON frames of its motion since the last time."""
    base_low, base_high, fastest = fat_io.base_low, fat_io.base_high, 0.0
    for k in range(3):
        fastest = max(fastest, abs(_speed(low[i, k], base_low[i, k], frames)))
        fastest = max(fastest, abs(_speed(high[i, k], base_high[i, k], frames)))
    size = _largest_extent(low, high, i)
    reach = LONGEST_REACH * max(size, mean)
    horizon = min(HORIZON, reach / fastest) if fastest > 0.0 else 0.0
    slack = SLACK * size
    if fastest > 0.0 and horizon < 1.0:
        # It will have left before the next frame whatever room it is given.
        horizon, slack = 0.0, 0.0
    for k in range(3):
        fat_io.low[i, k] = low[i, k] - slack + horizon * min(0.0, _speed(low[i, k], base_low[i, k], frames))
        fat_io.high[i, k] = high[i, k] + slack + horizon * max(0.0, _speed(high[i, k], base_high[i, k], frames))
        base_low[i, k], base_high[i, k] = low[i, k], high[i, k]


@kernel
def fatten(low, high, listed, frame, mean, fat_io):
    """New FatBoxes for the listed boxes, and a note of where they are and when."""
    fat_io = FatBoxes(*fat_io)
    since = fat_io.since
    for i in listed:
        frames = float(frame - since[i]) if since[i] >= 0 else inf
        _fatten_box(low, high, i, mean, frames, fat_io)
        since[i] = frame


@kernel
def tidy_pairs(n, ignored, count, counters_io, work, pairs_out):
    """Sort the leading `count` pairs of numbers below n, each once, without the ignored; returns how many are left."""
    sort_pairs(n, count, counters_io, work, pairs_out)
    return drop_ignored(ignored, drop_repeated_pairs(count, pairs_out), pairs_out)


@kernel
def sort_pairs(n, count, counters_io, work, pairs_out):
    """Sort the leading `count` pairs of numbers below n by first and then second number, digit by digit.

    Stable passes from the last digit of the second number to the first of the first: linear in pairs, however many
    one box has, and with counters that stay in the processor's cache, however many boxes there are.
    """
    bits = 1
    while n > 1 << bits:
        bits += 1
    n_digit = (bits + DIGIT - 1) // DIGIT
    width = (bits + n_digit - 1) // n_digit
    here, there = pairs_out, work
    for digit in range(2 * n_digit):
        column = 1 - digit // n_digit
        _digit_pass(here, count, column, width * (digit % n_digit), counters_io[: 1 << width], there)
        here, there = there, here


@kernel
def _digit_pass(pairs, count, column, shift, counters_io, pairs_out):
    mask = counters_io.shape[0] - 1
    counters_io[:] = 0
    for m in range(count):
        counters_io[(pairs[m, column] >> shift) & mask] += 1
    place = 0
    for digit in range(counters_io.shape[0]):
        place += counters_io[digit]
        counters_io[digit] = place - counters_io[digit]
    for m in range(count):
        digit = (pairs[m, column] >> shift) & mask
        place = counters_io[digit]
        counters_io[digit] = place + 1
        pairs_out[place, 0], pairs_out[place, 1] = pairs[m, 0], pairs[m, 1]


@kernel
def _drop_escaped(escaped, count, pairs_out):
    """Remove the pairs with an escaped box from the leading `count`; returns how many are left."""
    kept = np.uint64(0)
    for m in range(np.uint64(count)):
        i, j = pairs_out[m, 0], pairs_out[m, 1]
        pairs_out[kept, 0], pairs_out[kept, 1] = i, j
        kept += np.uint64(not escaped[np.uint32(i)] | escaped[np.uint32(j)])
    return np.int64(kept)


@kernel
def _first_behind(pairs, count, i, j):
    """First of the leading `count` sorted pairs that comes behind (i, j)."""
    begin, end = 0, count
    while begin < end:
        middle = (begin + end) // 2
        if pairs[middle, 0] < i or (pairs[middle, 0] == i and pairs[middle, 1] < j):
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def merge_candidates(escaped, fresh, n_fresh, count, pairs_out):
    """Remove the pairs with an escaped box from the leading `count` and insert fresh ones, sorted like them.

    Returns the new number, for which there must be room.
    """
    count = _drop_escaped(escaped, count, pairs_out)
    end = count
    for k in range(n_fresh - 1, -1, -1):
        place = _first_behind(pairs_out, end, fresh[k, 0], fresh[k, 1])
        for m in range(end - 1, place - 1, -1):
            pairs_out[m + k + 1, 0], pairs_out[m + k + 1, 1] = pairs_out[m, 0], pairs_out[m, 1]
        pairs_out[place + k, 0], pairs_out[place + k, 1] = fresh[k, 0], fresh[k, 1]
        end = place
    return count + n_fresh


@kernel
def keep_overlapping(rows, candidates, n_candidate, pairs_out):
    """The candidates whose boxes overlap, in the same order; returns how many."""
    # Unsigned, so that no index is asked whether it counts from the end: a quarter of the time.
    count, last = np.uint64(0), np.uint64(max(n_candidate, 1) - 1)
    for m in range(np.uint64(n_candidate)):
        prefetch(rows, np.uint32(candidates[min(m + np.uint64(AHEAD), last), 1]))
        i, j = np.uint32(candidates[m, 0]), np.uint32(candidates[m, 1])
        overlap = True
        for k in range(np.uint64(3)):
            overlap &= (rows[i, k] <= rows[j, np.uint64(3) + k]) & (rows[j, k] <= rows[i, np.uint64(3) + k])
        # Written in any case and counted if it holds, so that no jump depends on the test.
        pairs_out[count, 0], pairs_out[count, 1] = i, j
        count += np.uint64(overlap)
    return np.int64(count)
