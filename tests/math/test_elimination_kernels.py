"""Block systems factored column by column, against dense solves; orders of elimination against plain sets."""

import numpy as np
import pytest

from abut.math.elimination_kernels import factor_blocks, solve_blocks
from abut.math.elimination_order_kernels import fill_columns, find_block, find_targets, minimum_degree

WORK = np.empty((6, 6))


def neighbours_of(n, edges):
    lists = [[] for _ in range(n)]
    for a, b in edges:
        lists[a].append(b)
        lists[b].append(a)
    begin = np.cumsum([0] + [len(x) for x in lists]).astype(np.int32)
    return np.array([i for row in lists for i in row], np.int32), begin


def plan(n, edges):
    """Places of the nodes, and the pattern of the factors."""
    neighbours, begin = neighbours_of(n, edges)
    order, count = np.zeros(n, np.int32), np.zeros(n, np.int32)
    products = minimum_degree(n, neighbours, begin, 10**6, order, count)
    assert products == (count * (count - 1) // 2).sum()
    assert sorted(order) == list(range(n))
    place = np.argsort(order).astype(np.int32)
    start = np.concatenate(([0], np.cumsum(count))).astype(np.int32)
    row, target = np.full(start[-1], -1, np.int32), np.full((count * (count - 1) // 2).sum(), -1, np.int32)
    fill_columns(n, neighbours, begin, order, place, start, row)
    find_targets(n, start, row, target)
    return place, start, row, target


def fill_by_sets(n, edges, order):
    """Columns of the factors, by joining the neighbours of every node that is eliminated."""
    adjacent = [set() for _ in range(n)]
    for a, b in edges:
        adjacent[a].add(b)
        adjacent[b].add(a)
    place, columns = np.argsort(order), []
    for u in order:
        columns.append(sorted(place[v] for v in adjacent[u]))
        for v in adjacent[u]:
            adjacent[v] |= adjacent[u] - {v}
            adjacent[v].discard(u)
    return columns


def random_system(rng, n, edges, place, start, row):
    low, up, diagonal = np.zeros((len(row), 6, 6)), np.zeros((len(row), 6, 6)), np.zeros((n, 6, 6))
    dense = np.zeros((n, 6, n, 6))
    for i in range(n):
        diagonal[i] = dense[i, :, i, :] = rng.normal(size=(6, 6)) + 20.0 * np.eye(6)
    for a, b in edges:
        i, j = max(place[a], place[b]), min(place[a], place[b])
        k = find_block(i, j, start, row)
        low[k], up[k] = rng.normal(size=(2, 6, 6))
        dense[i, :, j, :], dense[j, :, i, :] = low[k], up[k]
    return low, up, diagonal, dense.reshape(6 * n, 6 * n)


def random_graph(seed, n, m):
    edges = np.random.default_rng(seed).integers(n, size=(m, 2))
    return n, [(int(a), int(b)) for a, b in edges if a != b]


GRAPHS = {
    "one body": (1, []),
    "a pair": (2, [(0, 1)]),
    "a pair with many contacts": (2, [(0, 1)] * 7),
    "a chain, shuffled": (9, [(3, 7), (7, 1), (1, 8), (8, 0), (0, 5), (5, 2), (2, 6), (6, 4)]),
    "a ring": (8, [(i, (i + 1) % 8) for i in range(8)]),
    "a star": (7, [(0, i) for i in range(1, 7)]),
    "a grid": (12, [(i, i + 1) for i in range(11) if i % 4 != 3] + [(i, i + 4) for i in range(8)]),
    "a loose heap": random_graph(1, 60, 90),
    "a dense heap": random_graph(2, 30, 200),
}


@pytest.mark.parametrize("graph", GRAPHS)
def test_solves_as_a_dense_solver_does(graph, rng):
    n, edges = GRAPHS[graph]
    place, start, row, target = plan(n, edges)
    low, up, diagonal, dense = random_system(rng, n, edges, place, start, row)
    b = rng.normal(size=(n, 6))
    x = b.copy()
    assert factor_blocks(n, start, row, target, low, up, diagonal, WORK)
    solve_blocks(n, start, row, low, up, diagonal, WORK, x)
    assert np.allclose(x.ravel(), np.linalg.solve(dense, b.ravel()), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("small", [0.0, 1e-14, 1e-8])
def test_rows_are_exchanged_where_pivots_vanish(small, rng):
    n, edges = GRAPHS["a ring"]
    place, start, row, target = plan(n, edges)
    low, up, diagonal, dense = random_system(rng, n, edges, place, start, row)
    turned = small * np.eye(6) + 20.0 * np.eye(6)[[1, 2, 0, 4, 5, 3]]
    for i in range(n):
        diagonal[i] = turned
        dense[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = turned
    x = np.ones((n, 6))
    assert factor_blocks(n, start, row, target, low, up, diagonal, WORK)
    solve_blocks(n, start, row, low, up, diagonal, WORK, x)
    assert np.allclose(x.ravel(), np.linalg.solve(dense, np.ones(6 * n)), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("graph", GRAPHS)
def test_columns_are_those_that_elimination_fills(graph):
    n, edges = GRAPHS[graph]
    place, start, row, _ = plan(n, edges)
    expected = fill_by_sets(n, edges, np.argsort(place))
    assert [list(row[start[k] : start[k + 1]]) for k in range(n)] == expected


@pytest.mark.parametrize("seed", range(5))
def test_the_next_node_has_the_fewest_neighbours(seed):
    n, edges = random_graph(seed, 40, 70)
    adjacent = [set() for _ in range(n)]
    for a, b in edges:
        adjacent[a].add(b)
        adjacent[b].add(a)
    order, count = np.zeros(n, np.int32), np.zeros(n, np.int32)
    minimum_degree(n, *neighbours_of(n, edges), 10**6, order, count)
    left = set(range(n))
    for u, c in zip(order, count, strict=True):
        assert len(adjacent[u]) == c == min(len(adjacent[v]) for v in left)
        left.remove(u)
        for v in adjacent[u]:
            adjacent[v] |= adjacent[u] - {v}
            adjacent[v].discard(u)


def test_trees_do_not_fill_up(rng):
    shuffled = rng.permutation(200)
    edges = [(shuffled[i], shuffled[rng.integers(i)]) for i in range(1, 200)]
    _, _, row, target = plan(200, edges)
    assert len(row) == 199
    assert len(target) == 0


def test_an_order_that_takes_too_much_is_given_up():
    n, edges = GRAPHS["a dense heap"]
    order, count = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    assert minimum_degree(n, *neighbours_of(n, edges), 10, order, count) > 10
    assert -1 in order


def test_a_singular_matrix_is_reported():
    start, none = np.zeros(2, np.int32), np.zeros(0, np.int32)
    blocks = np.zeros((0, 6, 6))
    assert not factor_blocks(1, start, none, none, blocks, blocks, np.zeros((1, 6, 6)), WORK)
