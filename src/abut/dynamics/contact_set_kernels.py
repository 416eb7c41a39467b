"""Contacts that stay from one step to the next."""

from .._jit import lean_kernel
from ..contact.contact_kernels import GAP


@lean_kernel
def _swap_rows(table, i, j):
    for c in range(table.shape[1]):
        table[i, c], table[j, c] = table[j, c], table[i, c]


@lean_kernel
def keep_contacts(alive, limit, n, name, place, force, friction, extra, acted):
    """Keep those of n contacts that are alive and push or have a gap below `limit`; returns how many.

    They stay in order; the others stand behind them.
    """
    kept = 0
    for k in range(n):
        if alive[k] and (force[k] > 0.0 or place[k, GAP] < limit):
            if kept < k:
                _swap_rows(name, k, kept)
                _swap_rows(place, k, kept)
                _swap_rows(friction, k, kept)
                _swap_rows(acted, k, kept)
                force[kept], force[k] = force[k], force[kept]
                extra[kept], extra[k] = extra[k], extra[kept]
            kept += 1
    return kept


@lean_kernel
def smallest_gap(place, n):
    """[m] of n contacts, one or more."""
    smallest = place[0, GAP]
    for k in range(1, n):
        smallest = min(smallest, place[k, GAP])
    return smallest
