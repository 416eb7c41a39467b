"""Some of the segments of a table: which are not out from end to end, and what these run through."""

import numpy as np

from ..._jit import inner_kernel, kernel
from .brep_index_tables import OUT, Items


@inner_kernel
def _is_said(items, s):
    """Whether a segment is not out from end to end."""
    for k in range(items.first[s], items.first[s + 1]):
        if items.kind[k] != OUT:
            return True
    return False


@kernel
def list_said(items, said_out):
    """Segments that are not out from end to end; returns how many."""
    items, n = Items(*items), 0
    for s in range(items.first.shape[0] - 1):
        if _is_said(items, s):
            said_out[n] = s
            n += 1
    return n


@kernel
def chosen_items(items, chosen):
    """The items of some of the segments, in their order."""
    items, total, first = Items(*items), 0, np.zeros(chosen.shape[0] + 1, np.int32)
    for i in range(chosen.shape[0]):
        total += items.first[chosen[i] + 1] - items.first[chosen[i]]
        first[i + 1] = total
    kept = Items(first, np.empty(total, np.int8), np.empty(total, np.int32), np.empty((total, 2)))
    for i in range(chosen.shape[0]):
        shift = first[i] - items.first[chosen[i]]
        for k in range(items.first[chosen[i]], items.first[chosen[i] + 1]):
            kept.kind[k + shift], kept.number[k + shift] = items.kind[k], items.number[k]
            for c in range(2):
                kept.part[k + shift, c] = items.part[k, c]
    return kept
