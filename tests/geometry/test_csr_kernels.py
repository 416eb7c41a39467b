"""Lists of different lengths in flat arrays, beside lists of Python."""

from itertools import pairwise

import numpy as np

from abut.geometry.topology.csr_kernels import drop_repeated, list_starts, sort_by_owner


def test_items_are_sorted_by_owner_in_a_stable_order(rng):
    owner = rng.integers(-1, 12, 300).astype(np.int32)
    order = rng.permutation(300).astype(np.int32)
    start = np.empty(13, np.int32)
    list_starts(owner, start)
    items = np.empty(start[-1], np.int32)
    sort_by_owner(owner, order, start[:-1].copy(), items)
    for k in range(12):
        assert items[start[k] : start[k + 1]].tolist() == [i for i in order if owner[i] == k]


def test_repeated_items_are_dropped_from_each_list_by_itself(rng):
    lists = [rng.integers(0, 6, n).tolist() for n in rng.integers(0, 15, 40)]
    start = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    items = np.array([i for one in lists for i in one], np.int32)
    kept_start, kept = np.empty_like(start), np.empty_like(items)
    n = drop_repeated(start, items, kept_start, kept)
    assert kept_start[-1] == n
    assert [kept[a:b].tolist() for a, b in pairwise(kept_start)] == [list(dict.fromkeys(one)) for one in lists]
