"""What waits in a search comes out in the order that its kind of queue promises, and nothing is lost."""

import numpy as np
import pytest

from abut.query.search.heap_kernels import heap_pop, heap_push
from abut.query.search.queue_kernels import OPEN, clear_queue, least_key, pop, push, top_of
from abut.query.search.search_tables import Queue

ROOM = 200
BEST = 0.995
"""Squared distance that no key reaches; 64 levels are two factors of two below it."""


def heap_of(keys):
    """A heap with one pair (i, -i) for each key."""
    pairs, heap = np.zeros((ROOM, 2), np.int32), np.zeros(ROOM)
    for i, key in enumerate(keys):
        heap_push(key, i, -i, i, pairs, heap)
    return pairs, heap


@pytest.mark.parametrize("n", [*range(1, 12), ROOM])
def test_a_heap_gives_the_smallest_first_with_its_own_pair(rng, n):
    keys = rng.integers(0, 40, n) / 8.0
    pairs, heap = heap_of(keys)
    taken = []
    for top in range(n, 0, -1):
        assert heap[0] == heap[:top].min()
        heap_pop(top, pairs, heap)
        i, j = pairs[top - 1]
        assert j == -i and heap[top - 1] == keys[i]
        taken.append(i)
    assert sorted(taken) == list(range(n))
    assert (np.diff(keys[taken]) >= 0.0).all()


def queue_of(keys, n_level, spare=0):
    """A queue with one pair (i, i) for each key, the state it keeps, and what keys are measured from."""
    queue = Queue(
        np.zeros((ROOM, 2), np.int32),
        np.full(ROOM, np.inf),
        np.zeros(ROOM, np.int32),
        np.zeros(n_level, np.int32),
        spare,
    )
    state = np.zeros(9, np.int64)
    clear_queue(state, queue)
    for i, key in enumerate(keys):
        push(key, i, i, top_of(BEST), state, queue)
    return queue, state


def taken_from(queue, state):
    order = []
    while state[OPEN] > 0:
        least = least_key(state, queue)
        key, a, b = pop(state, queue)
        assert a == b and key >= least
        order.append(a)
    assert least_key(state, queue) == np.inf
    return order


def test_with_one_level_a_queue_is_a_stack(rng):
    keys = rng.uniform(0.0, 0.99, 50)
    assert taken_from(*queue_of(keys, 1)) == list(range(49, -1, -1))


@pytest.mark.parametrize("n_level", [64, 1024])
def test_with_many_levels_the_closest_comes_first_to_within_a_level(rng, n_level):
    keys = rng.uniform(0.3, 0.99, ROOM)
    order = taken_from(*queue_of(keys, n_level))
    assert sorted(order) == list(range(ROOM))
    # A level is a 32nd of a factor of two.
    assert (np.maximum.accumulate(keys[order]) <= keys[order] * (1.0 + 1.0 / 32.0)).all()


def test_a_queue_with_no_room_left_goes_on_as_a_stack(rng):
    keys = rng.uniform(0.3, 0.99, 40)
    order = taken_from(*queue_of(keys, 64, spare=ROOM - 30))
    assert order[:10] == list(range(39, 29, -1))
    assert sorted(order) == list(range(40))


def test_slots_are_used_again(rng):
    queue, state = queue_of(rng.uniform(0.3, 0.9, ROOM), 64)
    for _ in range(50):
        key, a, b = pop(state, queue)
        push(min(0.95, key * 1.01), a, b, top_of(BEST), state, queue)
    assert sorted(taken_from(queue, state)) == list(range(ROOM))
