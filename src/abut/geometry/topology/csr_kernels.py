"""Lists of different lengths in flat arrays, made by counting sort: linear time, stable order."""

from ..._jit import kernel


@kernel
def list_starts(owner, start_out):
    """Where the list of each owner 0 .. n - 1 begins, and where the last one ends; owner -1 is nobody."""
    start_out[:] = 0
    n = start_out.shape[0] - 1
    for i in range(owner.shape[0]):
        if owner[i] >= 0:
            start_out[owner[i] + 1] += 1
    for k in range(n):
        start_out[k + 1] += start_out[k]


@kernel
def sort_by_owner(owner, order, start_io, order_out):
    """The items of `order`, sorted by their owner; equal owners keep their order. `start_io` is used up."""
    for i in order:
        if owner[i] >= 0:
            order_out[start_io[owner[i]]] = i
            start_io[owner[i]] += 1


@kernel
def drop_repeated(start, items, start_out, items_out):
    """Lists without values that are already in them, for short lists; returns the number of items left."""
    n = 0
    start_out[0] = 0
    for k in range(start.shape[0] - 1):
        first = n
        for i in range(start[k], start[k + 1]):
            known = False
            for j in range(first, n):
                known = known or items_out[j] == items[i]
            if not known:
                items_out[n] = items[i]
                n += 1
        start_out[k + 1] = n
    return n
