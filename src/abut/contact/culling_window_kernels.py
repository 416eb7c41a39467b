"""Pairs of a few boxes with all others, by coordinate sorting.

Whatever overlaps a box along the sorted axis begins within the longest extent before it and not after its end: a window
of the sorted order. Boxes much longer than the average are kept out of that measure and tested one by one.
`box` is the table of `culling_sort_kernels`.
"""

import numpy as np

from .._jit import kernel
from .culling_kernels import emit_pair
from .culling_tube_kernels import WIDE, mean_extent_along

TESTS_IN_WINDOWS = 200
"""Tests per box of the table, beyond some per pair found, after which the windows are given up."""
_A_HAIR_MORE = 1.0 + 1e-12


@kernel
def _first_beyond(lows, value, strictly):
    """First place in a sorted column that holds at least `value`, or more than it."""
    begin, end = 0, lows.shape[0]
    while begin < end:
        middle = (begin + end) // 2
        if lows[middle] < value or (strictly and lows[middle] == value):
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def list_long(box, long_out):
    """List the boxes that are much longer than the average; returns how many, and the longest extent of the others."""
    limit = WIDE * mean_extent_along(box, 0)
    n_long, longest = 0, 0.0
    for i in range(box.shape[1]):
        extent = box[1, i] - box[0, i]
        if extent <= limit:
            longest = max(longest, extent)
        else:
            long_out[n_long] = i
            n_long += 1
    # A hair more than the extents, which are rounded.
    return n_long, longest * _A_HAIR_MORE


@kernel
def _flag_overlaps(box, i, begin, end, flags_out):
    """Flag the boxes of a window that overlap box i; without jumps, so that several are tested at once."""
    low0, low1, low2 = box[0, i], box[2, i], box[4, i]
    high1, high2 = box[3, i], box[5, i]
    for k in range(end - begin):
        j = begin + k
        across = (low1 <= box[3, j]) & (box[2, j] <= high1) & (low2 <= box[5, j]) & (box[4, j] <= high2)
        flags_out[k] = across & (low0 <= box[1, j])


@kernel
def window_pairs(box, order, marks, chosen, long_io, flags_io, pairs_out):
    """The allowed pairs with a chosen box, those of two chosen ones twice; -1 if it takes too many tests."""
    n_long, longest = list_long(box, long_io)
    count, n_test = np.int64(0), 0
    for i in range(box.shape[1]):
        if not chosen[i]:
            continue
        begin = _first_beyond(box[0], box[0, i] - longest, np.bool_(False))
        end = _first_beyond(box[0], box[1, i], np.bool_(True))
        _flag_overlaps(box, i, begin, end, flags_io)
        for k in range(end - begin):
            if flags_io[k] and begin + k != i:
                count = emit_pair(order[i], order[begin + k], marks, count, pairs_out)
        for m in range(n_long):
            j = long_io[m]
            _flag_overlaps(box, i, j, j + 1, flags_io)
            if flags_io[0] and j < begin:
                count = emit_pair(order[i], order[j], marks, count, pairs_out)
        n_test += n_long + end - begin
        if n_test > TESTS_IN_WINDOWS * box.shape[1] + 8 * count:
            return -1
    return count
