"""Block systems factored within their envelope, against dense solves."""

import numpy as np
import pytest

from abut.math.envelope_kernels import cuthill_mckee, envelope, envelope_factor, envelope_solve

WORK = np.empty((2, 6, 6))


def _neighbours(n, edges):
    lists = [[] for _ in range(n)]
    for a, b in edges:
        lists[a].append(b)
        lists[b].append(a)
    begin = np.cumsum([0] + [len(x) for x in lists]).astype(np.int32)
    return np.array([i for row in lists for i in row], np.int32), begin


def _ordered(n, edges):
    order = np.zeros(n, np.int32)
    cuthill_mckee(n, *_neighbours(n, edges), order)
    assert sorted(order) == list(range(n))
    place = np.argsort(order)
    first = np.arange(n, dtype=np.int32)
    pairs = [(max(place[a], place[b]), min(place[a], place[b])) for a, b in edges]
    for i, j in pairs:
        first[i] = min(first[i], j)
    return first, pairs


def _random_system(rng, first, pairs):
    n = len(first)
    start = np.zeros(n, np.int32)
    blocks, work = envelope(n, first, start)
    low, up, diagonal = np.zeros((blocks, 6, 6)), np.zeros((blocks, 6, 6)), np.zeros((n, 6, 6))
    dense = np.zeros((n, 6, n, 6))
    for i in range(n):
        diagonal[i] = dense[i, :, i, :] = rng.normal(size=(6, 6)) + 20.0 * np.eye(6)
    for i, j in pairs:
        k = start[i] + j - first[i]
        low[k], up[k] = rng.normal(size=(2, 6, 6))
        dense[i, :, j, :], dense[j, :, i, :] = low[k], up[k]
    return (first, start, low, up, diagonal), dense.reshape(6 * n, 6 * n), work


GRAPHS = {
    "one body": (1, []),
    "a pair": (2, [(0, 1)]),
    "a chain, shuffled": (9, [(3, 7), (7, 1), (1, 8), (8, 0), (0, 5), (5, 2), (2, 6), (6, 4)]),
    "a ring": (8, [(i, (i + 1) % 8) for i in range(8)]),
    "a star": (7, [(0, i) for i in range(1, 7)]),
    "a grid": (12, [(i, i + 1) for i in range(11) if i % 4 != 3] + [(i, i + 4) for i in range(8)]),
}


@pytest.mark.parametrize("graph", GRAPHS)
def test_solves_as_a_dense_solver_does(graph, rng):
    n, edges = GRAPHS[graph]
    matrix, dense, _ = _random_system(rng, *_ordered(n, edges))
    b = rng.normal(size=(n, 6))
    x = b.copy()
    assert envelope_factor(n, *matrix, WORK)
    envelope_solve(n, *matrix, WORK, x)
    assert np.allclose(x.ravel(), np.linalg.solve(dense, b.ravel()), rtol=1e-11, atol=1e-13)


def test_a_chain_costs_as_much_as_it_is_long(rng):
    shuffled = rng.permutation(200)
    first, _ = _ordered(200, [(shuffled[i], shuffled[i + 1]) for i in range(199)])
    blocks, work = envelope(200, first, np.zeros(200, np.int32))
    assert blocks == 199
    assert work == 399


def test_a_singular_matrix_is_reported():
    first, start = np.zeros(1, np.int32), np.zeros(1, np.int32)
    none = np.zeros((0, 6, 6))
    assert not envelope_factor(1, first, start, none, none, np.zeros((1, 6, 6)), WORK)
