"""Islands are what graph theory calls connected components; bodies that cannot move connect nothing."""

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from abut.dynamics.solver.island_kernels import find_islands, list_bodies


def islands_of(body, movable):
    """Items of each island, as lists."""
    order, start = np.empty(len(body), np.int32), np.empty(len(body) + 1, np.int32)
    n = find_islands(body, len(body), movable, order, start)
    return [order[start[i] : start[i + 1]].tolist() for i in range(n)]


def components_of(body, movable):
    """The same by SciPy: items by the component of a body of theirs that can move."""
    free = movable[body[:, 0]] & movable[body[:, 1]]
    graph = coo_array((np.ones(free.sum()), body[free].T), shape=(len(movable),) * 2)
    _, component = connected_components(graph, directed=False)
    found = {}
    for k, (a, b) in enumerate(body):
        if movable[a] or movable[b]:
            found.setdefault(component[a] if movable[a] else component[b], []).append(k)
    return list(found.values())


@pytest.mark.parametrize("density", [0.2, 0.6, 1.0, 3.0])
def test_islands_are_connected_components(density, rng):
    for _ in range(20):
        n = int(rng.integers(2, 60))
        body = rng.integers(0, n, (max(1, int(density * n)), 2)).astype(np.int32)
        movable = rng.random(n) < 0.8
        assert islands_of(body, movable) == components_of(body, movable)


def test_two_boxes_on_one_floor_are_two_islands():
    floor, left, right = 0, 1, 2
    movable = np.array([False, True, True])
    body = np.array([(floor, left), (floor, right), (floor, left)], np.int32)
    assert islands_of(body, movable) == [[0, 2], [1]]


def test_items_between_bodies_that_stand_still_are_left_out():
    assert islands_of(np.array([(0, 1)], np.int32), np.array([False, False])) == []


def test_bodies_of_an_island_are_listed_once_with_their_places():
    body, movable = np.array([(0, 1), (1, 2), (0, 2), (2, 3)], np.int32), np.array([True, True, True, False])
    place, bodies = np.full(4, -1, np.int32), np.empty(4, np.int32)
    n = list_bodies(np.arange(4, dtype=np.int32), body, movable, place, bodies)
    assert bodies[:n].tolist() == [0, 1, 2] and place.tolist() == [0, 1, 2, -1]
