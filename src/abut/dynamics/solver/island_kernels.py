"""Islands: bodies that push each other, directly or through others. Each is a problem of its own."""

import numpy as np

from ..._jit import inlined_kernel, kernel, lean_kernel
from ...math.elimination_order_kernels import fill_columns, find_targets, minimum_degree
from ...math.union_kernels import find_root


@kernel
def find_islands(body, n, movable, order_out, start_out):
    """Sort n items by island; returns the number of islands. Bodies that cannot move join nothing.

    Island i has the items order_out[start_out[i] : start_out[i + 1]]. Items of bodies that cannot move are left out.
    """
    parent = np.arange(movable.shape[0])
    for k in range(n):
        a, b = body[k, 0], body[k, 1]
        if movable[a] and movable[b]:
            parent[find_root(parent, a)] = find_root(parent, b)
    number = np.full(movable.shape[0], -1, np.int32)
    island = np.empty(n, np.int32)
    n_island = 0
    for k in range(n):
        a, b = body[k, 0], body[k, 1]
        island[k] = -1
        if not (movable[a] or movable[b]):
            continue
        r = find_root(parent, a) if movable[a] else find_root(parent, b)
        if number[r] < 0:
            number[r] = n_island
            n_island += 1
        island[k] = number[r]
    start_out[: n_island + 1] = 0
    for k in range(n):
        if island[k] >= 0:
            start_out[island[k] + 1] += 1
    for i in range(n_island):
        start_out[i + 1] += start_out[i]
    filled = start_out[: n_island + 1].copy()
    for k in range(n):
        if island[k] >= 0:
            order_out[filled[island[k]]] = k
            filled[island[k]] += 1
    return n_island


@kernel
def list_bodies(items, body, movable, position_out, bodies_out):
    """Bodies of an island that can move; returns their number.

    position_out[b] is the place of b among them; it must be -1 everywhere to begin with, and stays so for others.
    """
    n = 0
    for k in items:
        for side in range(2):
            b = body[k, side]
            if movable[b] and position_out[b] < 0:
                position_out[b] = n
                bodies_out[n] = b
                n += 1
    return n


@lean_kernel
def clear_places(bodies, position_out):
    """Leave no places of bodies, for the next island."""
    for b in bodies:
        position_out[b] = -1


@kernel
def _list_neighbours(items, body, n, position, begin_out, neighbours_out):
    """For each of the n bodies of an island those it has items with, once for every item."""
    begin_out[:] = 0
    for k in items:
        i, j = position[body[k, 0]], position[body[k, 1]]
        if i >= 0 and j >= 0 and i != j:
            begin_out[i + 1] += 1
            begin_out[j + 1] += 1
    for i in range(n):
        begin_out[i + 1] += begin_out[i]
    filled = begin_out[:n].copy()
    for k in items:
        i, j = position[body[k, 0]], position[body[k, 1]]
        if i >= 0 and j >= 0 and i != j:
            neighbours_out[filled[i]], neighbours_out[filled[j]] = j, i
            filled[i] += 1
            filled[j] += 1


@inlined_kernel
def plan_elimination(items, body, n, position_io, bodies_io, most):
    """Put the n bodies of an island into an order in which few blocks of their matrix fill up.

    `position_io` and `bodies_io` are changed accordingly. Returns whether at most so many products of blocks are needed
    (else nothing is done), and start, row and target of math.elimination_kernels.
    """
    begin, neighbours = np.empty(n + 1, np.int32), np.empty(2 * items.shape[0], np.int32)
    _list_neighbours(items, body, n, position_io, begin, neighbours)
    order, start = np.empty(n, np.int32), np.zeros(n + 1, np.int32)
    products = minimum_degree(n, neighbours, begin, most, order, start[1:])
    fits = products <= most
    place, old = np.empty(n, np.int32), bodies_io[:n].copy()
    for k in range(n if fits else 0):
        place[order[k]] = k
        bodies_io[k] = old[order[k]]
        position_io[bodies_io[k]] = k
        start[k + 1] += start[k]
    row = np.empty(start[n] if fits else 0, np.int32)
    target = np.empty(products if fits else 0, np.int32)
    if fits:
        fill_columns(n, neighbours, begin, order, place, start, row)
        find_targets(n, start, row, target)
    return fits, start, row, target
