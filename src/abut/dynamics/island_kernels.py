"""Islands: bodies that push each other, directly or through others. Each is a problem of its own."""

import numpy as np

from .._jit import kernel
from ..math.envelope_kernels import cuthill_mckee
from ..math.union_kernels import find_root


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


@kernel
def order_bodies(items, body, n, position, bodies, first_out):
    """Put the n bodies of an island into an order in which few blocks of their matrix fill up.

    `position` and `bodies` are changed accordingly; first_out[i] is the first neighbour of the body at place i, or i.
    """
    begin = np.zeros(n + 1, np.int32)
    for k in items:
        i, j = position[body[k, 0]], position[body[k, 1]]
        if i >= 0 and j >= 0:
            begin[i + 1] += 1
            begin[j + 1] += 1
    for i in range(n):
        begin[i + 1] += begin[i]
    neighbours, filled = np.empty(begin[n], np.int32), begin[:n].copy()
    for k in items:
        i, j = position[body[k, 0]], position[body[k, 1]]
        if i >= 0 and j >= 0:
            neighbours[filled[i]], neighbours[filled[j]] = j, i
            filled[i] += 1
            filled[j] += 1
    order, old = np.empty(n, np.int32), bodies[:n].copy()
    cuthill_mckee(n, neighbours, begin, order)
    for i in range(n):
        bodies[i] = old[order[i]]
        position[bodies[i]] = i
        first_out[i] = i
    for k in items:
        i, j = position[body[k, 0]], position[body[k, 1]]
        if i >= 0 and j >= 0:
            first_out[max(i, j)] = min(first_out[max(i, j)], min(i, j))
