"""Finding contacts by their names: a kind and four vertices."""

import numpy as np

from ..._jit import kernel

VERTEX_FACE_NAME = 0


@kernel
def _place(a, b, c, mask):
    """Where three numbers are looked for in a table of mask + 1 places."""
    # Without compilation, numbers of 32 bits would overflow.
    return ((np.int64(a) * 7919 + b) * 104729 + np.int64(c) * 1299709) & mask


@kernel
def _same(table, i, others, j, width):
    for m in range(width):
        if table[i, m] != others[j, m]:
            return False
    return True


@kernel
def _table_for(n):
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.empty(size, np.int32)
    for i in range(size):
        table[i] = -1
    return table


@kernel
def find_rows(known, n, names, row_out):
    """Row of each name among the first n of `known`, -1 for none."""
    table = _table_for(n)
    mask = table.shape[0] - 1
    for i in range(n):
        p = _place(known[i, 1], known[i, 2], known[i, 3], mask)
        while table[p] >= 0:
            p = (p + 1) & mask
        table[p] = i
    for j in range(names.shape[0]):
        p, row_out[j] = _place(names[j, 1], names[j, 2], names[j, 3], mask), -1
        while table[p] >= 0:
            if _same(known, table[p], names, j, 5):
                row_out[j] = table[p]
                break
            p = (p + 1) & mask


@kernel
def choose_first(names, rows, chosen_out):
    """Of new hits, which have no row, sorted by time: the first of each vertex and of each edge; how many there are."""
    table, n = _table_for(names.shape[0]), 0
    mask = table.shape[0] - 1
    for j in range(names.shape[0]):
        if rows[j] >= 0:
            continue
        width = 2 if names[j, 0] == VERTEX_FACE_NAME else 3
        p, known = _place(names[j, 0], names[j, 1], names[j, 2] if width == 3 else -1, mask), False
        while table[p] >= 0 and not known:
            known = _same(names, table[p], names, j, width)
            p = (p + 1) & mask
        if not known:
            table[p], chosen_out[n] = j, j
            n += 1
    return n
