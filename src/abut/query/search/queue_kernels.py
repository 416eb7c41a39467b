"""Open pairs of nodes, sorted into levels of their lower bounds.

The key of a pair is a lower bound of its squared distance. Pairs of one level are taken last in, first out, levels
from the lowest up: with one level that is a stack (depth-first search), with many it is a queue sorted to within a
level (best-first search), without the cost of a heap. A key must not be lower than that of the last pair taken. A queue
that has no more room than a descent to the leaves needs goes on as a stack.

The first entries of `state`, named below, belong to a queue.
"""

from math import frexp, inf

import numpy as np

from ..._jit import lean_kernel

OPEN, USED, FREE, LOWEST = 0, 1, 2, 3
"""How many pairs wait, how many slots were ever used, the first slot to be used again (or -1), the lowest level."""


# Levels for keys within a factor of two.
_PER_OCTAVE = 32


@lean_kernel
def top_of(best2):
    """What `push` measures levels from, where no key will reach `best2`."""
    return frexp(best2)[1]


@lean_kernel
def _level_of(key, top, n_level):
    """Levels divide each factor of two into equal parts; the lowest has the keys that are too small to matter."""
    fraction, exponent = frexp(key)
    level = n_level + (exponent - top) * _PER_OCTAVE + np.int64(2.0 * _PER_OCTAVE * (fraction - 1.0))
    return max(0, min(n_level - 1, level)) if key > 0.0 else 0


@lean_kernel
def clear_queue(state_io, queue_io):
    """No open pairs."""
    state_io[OPEN], state_io[USED], state_io[FREE], state_io[LOWEST] = 0, 0, -1, 0
    queue_io.heads[:] = -1


@lean_kernel
def push(key, a, b, top, state_io, queue_io):
    """Add a pair to the level of its key, or to the lowest where no more than the spare slots are left."""
    pairs, keys, links, heads, spare = queue_io
    slot = state_io[FREE]
    if slot < 0:
        slot = state_io[USED]
        state_io[USED] = slot + 1
    else:
        state_io[FREE] = links[slot]
    level = state_io[LOWEST]
    if state_io[OPEN] < keys.shape[0] - spare:
        level = max(level, _level_of(key, top, heads.shape[0]))
    pairs[slot, 0], pairs[slot, 1], keys[slot] = a, b, key
    links[slot] = heads[level]
    heads[level] = slot
    state_io[OPEN] += 1


@lean_kernel
def pop(state_io, queue_io):
    """Take a pair of the lowest level that has any: its key and its nodes."""
    pairs, keys, links, heads, _ = queue_io
    level = state_io[LOWEST]
    while heads[level] < 0:
        level += 1
    state_io[LOWEST] = level
    slot = np.int64(heads[level])
    heads[level], links[slot] = links[slot], state_io[FREE]
    state_io[FREE] = slot
    state_io[OPEN] -= 1
    key = keys[slot]
    keys[slot] = inf
    return key, np.int64(pairs[slot, 0]), np.int64(pairs[slot, 1])


@lean_kernel
def least_key(state, queue):
    """The smallest key of the open pairs; infinite where there is none."""
    least, keys = inf, queue.keys
    for i in range(state[USED]):
        least = min(least, keys[i])
    return least
