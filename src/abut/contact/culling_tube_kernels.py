"""Overlapping boxes by coordinate sorting, for boxes that are alike in size and spread evenly.

The two axes across the scan are cut into strips about twice as wide as the average box, which leaves a bundle of tubes
along the scan axis. Each box is listed, in sorted order, in the tubes it touches, and each tube is scanned. Boxes much
wider than the average are left to `culling_sort_kernels`, and so is everything when tubes do not separate the boxes.
`box` is the table of that file.
"""

from math import isfinite

import numpy as np

from .._jit import kernel
from .culling_kernels import emit_pair
from .culling_sort_kernels import ahead_overlapping, gather_lane, lane_row

WIDE = 4.0
"""A box wider than so many average boxes is left out."""
TESTS_IN_TUBES = 64
"""Tests per box, beyond some per pair found, after which the tubes are given up."""


@kernel
def _is_narrow(box, i, limit):
    """Whether box i is bounded and not too wide across the scan axis."""
    return (box[3, i] - box[2, i] <= limit[0]) & (box[5, i] - box[4, i] <= limit[1])


@kernel
def mean_extent_along(box, d):
    """Average extent along axis d of the bounded boxes."""
    n, total = 0, 0.0
    for i in range(box.shape[1]):
        extent = box[2 * d + 1, i] - box[2 * d, i]
        if isfinite(extent):
            n += 1
            total += extent
    return total / n if n > 0 and isfinite(total) else 0.0


@kernel
def _strips(box, d, limit, width):
    """Where the strips along axis d begin, their width and how many there are; at most as many as boxes."""
    low, high = 0.0, 0.0
    found = False
    for i in range(box.shape[1]):
        if _is_narrow(box, i, limit):
            low = min(low, box[2 * d, i]) if found else box[2 * d, i]
            high = max(high, box[2 * d, i]) if found else box[2 * d, i]
            found = True
    reach = high - low
    n = box.shape[1]
    if not isfinite(reach) or reach <= 0.0:
        return low, 1.0, 1
    if width * n < reach:
        width = reach / n
    return low, width, int(reach / width) + 1


@kernel
def plan_tubes(box, wide_out):
    """Strips along both axes across the scan, with at most one tube for four boxes; and who is too wide for them."""
    mean1, mean2 = mean_extent_along(box, 1), mean_extent_along(box, 2)
    limit = (WIDE * mean1, WIDE * mean2)
    n_wide = 0
    for i in range(box.shape[1]):
        wide_out[i] = not _is_narrow(box, i, limit)
        n_wide += wide_out[i]
    first1, width1, n1 = _strips(box, 1, limit, 2.0 * mean1)
    first2, width2, n2 = _strips(box, 2, limit, 2.0 * mean2)
    while n1 * n2 > 1 + box.shape[1] // 4:
        if n1 > n2:
            n1, width1 = (n1 + 1) // 2, 2.0 * width1
        else:
            n2, width2 = (n2 + 1) // 2, 2.0 * width2
    return (first1, width1, n1), (first2, width2, n2), n_wide


@kernel
def _strip_of(value, strips):
    """The strip a coordinate lies in; those beyond the ends count to the outermost."""
    first, width, n = strips
    return int(min(max((value - first) / width, 0.0), n - 1.0))


@kernel
def list_tubes(box, wide, across1, across2, corner_out, start_out, rows_out):
    """List in each tube the boxes that touch it; `corner_out` is the strips of their low ends.

    Returns the number of entries, or -1 if there is no room for them.
    """
    (_, _, n1), (_, _, n2) = across1, across2
    n_tube = n1 * n2
    start_out[: n_tube + 1] = 0
    for i in range(box.shape[1]):
        corner_out[i, 0], corner_out[i, 1] = _strip_of(box[2, i], across1), _strip_of(box[4, i], across2)
        if not wide[i]:
            for a in range(corner_out[i, 0], _strip_of(box[3, i], across1) + 1):
                for b in range(corner_out[i, 1], _strip_of(box[5, i], across2) + 1):
                    start_out[a * n2 + b] += 1
    for tube in range(n_tube):
        start_out[tube + 1] += start_out[tube]
    if start_out[n_tube] > rows_out.shape[0]:
        return -1
    for i in range(box.shape[1] - 1, -1, -1):
        if not wide[i]:
            for a in range(corner_out[i, 0], _strip_of(box[3, i], across1) + 1):
                for b in range(corner_out[i, 1], _strip_of(box[5, i], across2) + 1):
                    start_out[a * n2 + b] -= 1
                    rows_out[start_out[a * n2 + b]] = i
    return start_out[n_tube]


@kernel
def tube_pairs(table, n_strip, corner, start, rows, lane_io, hits_io, pairs_out):
    """The allowed pairs of boxes listed in tubes; returns their number, or -1 if it takes too many tests."""
    (box, order, marks), (n_1, n_2) = table, n_strip
    count, n_test = np.int64(0), 0
    most_tests = TESTS_IN_TUBES * box.shape[1]
    for a in range(n_1):
        for b in range(n_2):
            tube = a * n_2 + b
            begin, n = start[tube], start[tube + 1] - start[tube]
            gather_lane(box, begin, begin + n, rows, lane_io)
            for m in range(n):
                i = rows[begin + m]
                n_hit, n_more = ahead_overlapping(lane_row(lane_io, m), lane_io, m + 1, n, hits_io)
                n_test += n_more
                for h in range(n_hit):
                    j = rows[begin + hits_io[h]]
                    # Two boxes meet in several tubes; the pair counts where the later of their low ends lies.
                    if (max(corner[i, 0], corner[j, 0]) == a) & (max(corner[i, 1], corner[j, 1]) == b):
                        count = emit_pair(order[i], order[j], marks, count, pairs_out)
            if n_test > most_tests + 8 * count:
                return -1
    return count
