"""Contacts that stay from one step to the next."""

from math import inf

from ..._jit import lean_kernel
from ...contact.contact_kernels import GAP


@lean_kernel
def _swap_rows(table_io, i, j):
    for c in range(table_io.shape[1]):
        table_io[i, c], table_io[j, c] = table_io[j, c], table_io[i, c]


@lean_kernel
def keep_contacts(alive, limit, n, name_io, place_io, force_io, friction_io, extra_io, acted_io):
    """Keep those of n contacts that are alive and push or have a gap below `limit`; returns how many.

    They stay in order; the others stand behind them. Returns the smallest gap [m] of those that are kept, too.
    """
    kept, smallest = 0, inf
    for k in range(n):
        if alive[k] and (force_io[k] > 0.0 or place_io[k, GAP] < limit):
            if kept < k:
                _swap_rows(name_io, k, kept)
                _swap_rows(place_io, k, kept)
                _swap_rows(friction_io, k, kept)
                _swap_rows(acted_io, k, kept)
                force_io[kept], force_io[k] = force_io[k], force_io[kept]
                extra_io[kept], extra_io[k] = extra_io[k], extra_io[kept]
            smallest = min(smallest, place_io[kept, GAP])
            kept += 1
    return kept, smallest


@lean_kernel
def _copy_row(table, i, j, table_out):
    for c in range(table.shape[1]):
        table_out[j, c] = table[i, c]


@lean_kernel
def _has_pushed(acted, k):
    pushed = False
    for c in range(acted.shape[1]):
        pushed |= acted[k, c] != 0.0
    return pushed


@lean_kernel
def append_pushing(first, end, tables, n, tables_out):
    """Append those of the rows from `first` to `end` at which something acted to n others; returns how many there are.

    Both tables = (name, place, force, friction, extra, acted), as ContactSet has them.
    """
    name, place, force, friction, extra, acted = tables
    name_out, place_out, force_out, friction_out, extra_out, acted_out = tables_out
    for k in range(first, end):
        if _has_pushed(acted, k):
            _copy_row(name, k, n, name_out)
            _copy_row(place, k, n, place_out)
            _copy_row(friction, k, n, friction_out)
            _copy_row(acted, k, n, acted_out)
            force_out[n], extra_out[n] = force[k], extra[k]
            n += 1
    return n
