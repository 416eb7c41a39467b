"""Ways to find overlapping boxes, each by itself beside a comparison of all with all."""

import numpy as np
import pytest

from abut.contact.culling_grid_kernels import N_LEVEL, fill_grid, grid_pairs
from abut.contact.culling_sort_kernels import gather_boxes
from abut.contact.culling_tube_kernels import list_tubes, plan_tubes, tube_pairs
from abut.contact.culling_window_kernels import window_pairs

N = 120


@pytest.fixture
def boxes(rng):
    """Low and high ends of boxes of about one size, three of which are long."""
    low = rng.uniform(0.0, 1.0, (N, 3))
    size = rng.uniform(0.05, 0.15, (N, 3))
    size[:3] *= 12.0
    return low, low + size


@pytest.fixture
def marks():
    """Two boxes are fixed, three are of one group."""
    table = np.full((N, 2), -1, np.int32)
    table[:, 1] = 0
    table[4:6, 1], table[7:10, 0] = 1, 5
    return table


def brute(boxes, marks):
    low, high = boxes
    i, j = np.triu_indices(N, 1)
    meets = (low[i] <= high[j]).all(axis=1) & (low[j] <= high[i]).all(axis=1)
    allowed = ((marks[i, 0] < 0) | (marks[i, 0] != marks[j, 0])) & (marks[i, 1] + marks[j, 1] < 2)
    return set(zip(i[meets & allowed].tolist(), j[meets & allowed].tolist(), strict=True))


def sorted_boxes(boxes):
    order, table = np.argsort(boxes[0][:, 0]).astype(np.int32), np.empty((6, N))
    gather_boxes(*boxes, order, 0, table)
    return order, table


def as_pairs(found, count):
    return [tuple(pair) for pair in found[:count].tolist()]


def test_windows_give_the_pairs_of_the_chosen_boxes(boxes, marks):
    order, table = sorted_boxes(boxes)
    chosen = np.arange(N) % 3 == 0
    pairs = np.empty((20 * N, 2), np.int32)
    count = window_pairs(table, order, marks, chosen, np.empty(16 * N, np.int32), np.empty(N, np.bool_), pairs)
    of_chosen = {pair for pair in brute(boxes, marks) if not {*order[chosen].tolist()}.isdisjoint(pair)}
    assert set(as_pairs(pairs, count)) == of_chosen


def test_tubes_give_each_pair_of_narrow_boxes_once(boxes, marks):
    order, table = sorted_boxes(boxes)
    wide = np.empty(N, np.bool_)
    across_1, across_2, n_wide = plan_tubes(table, wide)
    assert {0, 1, 2} >= {*order[wide].tolist()} and n_wide == wide.sum()
    corner, start, rows = np.empty((N, 2), np.int32), np.empty(N + 2, np.int32), np.empty(4 * N, np.int32)
    assert list_tubes(table, wide, across_1, across_2, corner, start, rows) > 0
    assert across_1[2] * across_2[2] > 4
    lane, hits, pairs = np.empty((N, 6)), np.empty(N, np.int32), np.empty((20 * N, 2), np.int32)
    strips = (across_1[2], across_2[2])
    found = as_pairs(pairs, tube_pairs((table, order, marks), strips, corner, start, rows, lane, hits, pairs))
    narrow = {pair for pair in brute(boxes, marks) if {*order[wide].tolist()}.isdisjoint(pair)}
    assert set(found) == narrow and len(found) == len(narrow)


def test_a_grid_gives_each_pair_once_at_all_sizes_and_without_bounds(boxes, marks):
    low, high = boxes
    low[10], high[10] = -np.inf, np.inf
    high[11] = low[11]  # a point
    low[12:14] -= 1e6
    high[12:14] -= 1e6
    n_bucket = 513
    entries = np.empty(N, np.int32), np.empty(N, np.int64), np.empty((N, 3)), np.empty((N, 3))
    lists = tuple(np.empty(size, np.int32) for size in (n_bucket + 1, N_LEVEL + 1, N))
    chains = tuple(np.empty(size, np.int32) for size in (n_bucket, N, N_LEVEL, N, N_LEVEL))
    place, pairs = np.empty(N, np.int32), np.empty((20 * N, 2), np.int32)
    exponent = fill_grid(low, high, np.empty((N, 2), np.int64), place, entries, lists, chains)
    found = as_pairs(pairs, grid_pairs(exponent, marks, entries, lists, chains, pairs))
    expected = brute(boxes, marks)
    assert set(found) == expected and len(found) == len(expected) > 100
