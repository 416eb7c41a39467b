"""Sets that grow together, beside sets of Python."""

import numpy as np

from abut.math.union_kernels import find_root


def test_elements_have_one_root_if_and_only_if_they_were_joined(rng):
    n = 200
    parent, sets = np.arange(n), [{i} for i in range(n)]
    for a, b in rng.integers(0, n, (150, 2)):
        parent[find_root(parent, a)] = find_root(parent, b)
        joined = sets[a] | sets[b]
        for i in joined:
            sets[i] = joined
    roots = [find_root(parent, i) for i in range(n)]
    for i in range(n):
        assert {j for j in range(n) if roots[j] == roots[i]} == sets[i]


def test_the_way_to_the_root_becomes_shorter():
    parent = np.maximum(np.arange(64) - 1, 0)  # one long chain
    assert find_root(parent, 63) == 0
    steps, i = 0, 63
    while parent[i] != i:
        steps, i = steps + 1, parent[i]
    assert steps == 32
