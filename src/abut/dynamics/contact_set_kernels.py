"""Contacts that stay from one step to the next."""

from .._jit import lean_kernel
from ..contact.contact_kernels import GAP


@lean_kernel
def _move_row(table, source, target):
    for c in range(table.shape[1]):
        table[target, c] = table[source, c]


@lean_kernel
def keep_contacts(alive, limit, n, name, place, force, friction, extra):
    """Keep those of n contacts that are alive and push or have a gap below `limit`; returns how many."""
    kept = 0
    for k in range(n):
        if alive[k] and (force[k] > 0.0 or place[k, GAP] < limit):
            if kept < k:
                _move_row(name, k, kept)
                _move_row(place, k, kept)
                _move_row(friction, k, kept)
                force[kept], extra[kept] = force[k], extra[k]
            kept += 1
    return kept


@lean_kernel
def smallest_gap(place, n):
    """[m] of n contacts, one or more."""
    smallest = place[0, GAP]
    for k in range(1, n):
        smallest = min(smallest, place[k, GAP])
    return smallest
