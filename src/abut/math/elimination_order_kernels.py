"""In which order to eliminate the bodies of an island so that few blocks fill up, and which ones do.

Elimination of a node joins its neighbours with each other. The node with the fewest neighbours is the next (minimum
degree; George & Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, ch. 5): chains, trees and loose
heaps hardly fill up at all. The neighbours of i are neighbours[begin[i] : begin[i + 1]], in which some may stand twice.
"""

import numpy as np

from .._jit import kernel, lean_kernel


@lean_kernel
def _hang(i, degree, lists_io):
    """Put node i into the list of its degree."""
    head, after, before = lists_io
    after[i], before[i] = head[degree], -1
    if head[degree] >= 0:
        before[head[degree]] = i
    head[degree] = i


@lean_kernel
def _take(i, degree, lists_io):
    """Take node i out of the list of its degree."""
    head, after, before = lists_io
    if before[i] >= 0:
        after[before[i]] = after[i]
    else:
        head[degree] = after[i]
    if after[i] >= 0:
        before[after[i]] = before[i]


@lean_kernel
def _add_new(pool_io, first, size, stamp, mark_io, used):
    """Append those of a list to the pool that do not bear the stamp yet; returns how much of the pool is used."""
    for k in range(first, first + size):
        j = pool_io[k]
        if mark_io[j] != stamp:
            mark_io[j] = stamp
            pool_io[used] = j
            used += 1
    return used


@kernel
def minimum_degree(n, neighbours, begin, most, order_out, count_out):
    """The order of elimination of n nodes, and how many neighbours each has when its turn comes.

    Returns how many products of blocks a factorisation takes; if they are more than `most`, the order is not complete.
    """
    mark, at, size = np.full(n, -1, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    pool = np.empty(4 * begin[n] + 4, np.int32)
    lists = (np.full(n + 1, -1, np.int32), np.empty(n, np.int32), np.empty(n, np.int32))
    for p in range(begin[n]):
        pool[p] = neighbours[p]
    used, stamp, lowest, products = np.int64(begin[n]), np.int64(0), np.int64(0), np.int64(0)
    for i in range(n):
        at[i], mark[i] = used, stamp
        used = _add_new(pool, begin[i], begin[i + 1] - begin[i], stamp, mark, used)
        size[i] = used - at[i]
        stamp += 1
        _hang(i, size[i], lists)
    for k in range(n):
        while lists[0][lowest] < 0:
            lowest += 1
        u = lists[0][lowest]
        _take(u, size[u], lists)
        order_out[k], count_out[k] = u, size[u]
        products += (size[u] * (size[u] - 1)) // 2
        if products > most:
            return products
        for p in range(at[u], at[u] + size[u]):
            v = pool[p]
            _take(v, size[v], lists)
            if used + size[u] + size[v] > pool.shape[0]:
                larger = np.empty(2 * (used + size[u] + size[v]), np.int32)
                for q in range(used):
                    larger[q] = pool[q]
                pool = larger
            mark[u], mark[v], first = stamp, stamp, used
            used = _add_new(pool, at[v], size[v], stamp, mark, used)
            used = _add_new(pool, at[u], size[u], stamp, mark, used)
            at[v], size[v] = first, used - first
            stamp += 1
            _hang(v, size[v], lists)
            lowest = min(lowest, size[v])
    return products


@lean_kernel
def _sort(values_io, first, last):
    for k in range(first + 1, last):
        value, p = values_io[k], k - 1
        while p >= first and values_io[p] > value:
            values_io[p + 1] = values_io[p]
            p -= 1
        values_io[p + 1] = value


@kernel
def fill_columns(n, neighbours, begin, order, place, start, row_out):
    """Rows below the diagonal of each column of the factors, row_out[start[k] : start[k + 1]], in ascending order.

    `place` is where each node comes in the order. A column holds what its node's neighbours and the columns that are
    eliminated into it hold.
    """
    mark = np.full(n, -1, np.int32)
    child, sibling = np.full(n, -1, np.int32), np.empty(n, np.int32)
    for k in range(n):
        used, u = start[k], order[k]
        mark[k] = k
        for p in range(begin[u], begin[u + 1]):
            i = place[neighbours[p]]
            if i > k and mark[i] != k:
                mark[i] = k
                row_out[used] = i
                used += 1
        c = child[k]
        while c >= 0:
            for p in range(start[c], start[c + 1]):
                i = row_out[p]
                if mark[i] != k:
                    mark[i] = k
                    row_out[used] = i
                    used += 1
            c = sibling[c]
        _sort(row_out, start[k], used)
        if used > start[k]:
            parent = row_out[start[k]]
            sibling[k], child[parent] = child[parent], k


@kernel
def find_targets(n, start, row, target_out):
    """Where the products of a factorisation go: of every two blocks of a column, in order, to which block."""
    where, t = np.empty(n, np.int32), 0
    for k in range(n):
        for q in range(start[k], start[k + 1]):
            j = row[q]
            for p in range(start[j], start[j + 1]):
                where[row[p]] = p
            for p in range(q + 1, start[k + 1]):
                target_out[t] = where[row[p]]
                t += 1


@lean_kernel
def find_block(i, j, start, row):
    """Which block couples the places i and j, -1 for a place with itself."""
    k, other = min(i, j), max(i, j)
    for p in range(start[k], start[k + 1]):
        if row[p] == other:
            return p
    return -1
