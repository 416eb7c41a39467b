"""A binary heap of pairs of nodes, the smallest key first."""

from .._jit import kernel


@kernel
def heap_push(key, a, b, top, pairs, keys):
    """Insert an open pair into a heap of `top` entries."""
    i = top
    while i > 0 and keys[(i - 1) >> 1] > key:
        parent = (i - 1) >> 1
        keys[i] = keys[parent]
        pairs[i, 0], pairs[i, 1] = pairs[parent, 0], pairs[parent, 1]
        i = parent
    keys[i] = key
    pairs[i, 0], pairs[i, 1] = a, b


@kernel
def heap_pop(top, pairs, keys):
    """Move the smallest of `top` entries to the end of the heap."""
    top -= 1
    key, a, b = keys[top], pairs[top, 0], pairs[top, 1]
    keys[top] = keys[0]
    pairs[top, 0], pairs[top, 1] = pairs[0, 0], pairs[0, 1]
    i = 0
    while 2 * i + 1 < top:
        c = 2 * i + 1
        if c + 1 < top and keys[c + 1] < keys[c]:
            c += 1
        if keys[c] >= key:
            break
        keys[i] = keys[c]
        pairs[i, 0], pairs[i, 1] = pairs[c, 0], pairs[c, 1]
        i = c
    if top > 0:
        keys[i] = key
        pairs[i, 0], pairs[i, 1] = a, b
