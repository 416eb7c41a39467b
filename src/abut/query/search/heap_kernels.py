"""A binary heap of pairs of nodes, the smallest key first."""

from ..._jit import kernel


@kernel
def heap_push(key, a, b, top, pairs_io, keys_io):
    """Insert an open pair into a heap of `top` entries."""
    i = top
    while i > 0 and keys_io[(i - 1) >> 1] > key:
        parent = (i - 1) >> 1
        keys_io[i] = keys_io[parent]
        pairs_io[i, 0], pairs_io[i, 1] = pairs_io[parent, 0], pairs_io[parent, 1]
        i = parent
    keys_io[i] = key
    pairs_io[i, 0], pairs_io[i, 1] = a, b


@kernel
def heap_pop(top, pairs_io, keys_io):
    """Move the smallest of `top` entries to the end of the heap."""
    top -= 1
    key, a, b = keys_io[top], pairs_io[top, 0], pairs_io[top, 1]
    keys_io[top] = keys_io[0]
    pairs_io[top, 0], pairs_io[top, 1] = pairs_io[0, 0], pairs_io[0, 1]
    i = 0
    while 2 * i + 1 < top:
        c = 2 * i + 1
        if c + 1 < top and keys_io[c + 1] < keys_io[c]:
            c += 1
        if keys_io[c] >= key:
            break
        keys_io[i] = keys_io[c]
        pairs_io[i, 0], pairs_io[i, 1] = pairs_io[c, 0], pairs_io[c, 1]
        i = c
    if top > 0:
        keys_io[i] = key
        pairs_io[i, 0], pairs_io[i, 1] = a, b
