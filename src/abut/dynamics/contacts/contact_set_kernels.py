"""Contacts that stay from one step to the next."""

from math import inf

from ..._jit import lean_kernel
from ...contact.contact_kernels import GAP
from .contact_tables import ContactTables


@lean_kernel
def _swap_rows(table_io, i, j):
    for c in range(table_io.shape[1]):
        table_io[i, c], table_io[j, c] = table_io[j, c], table_io[i, c]


@lean_kernel
def keep_contacts(alive, limit, n, tables_io):
    """Keep those of n contacts that are alive and push or have a gap below `limit`; returns how many.

    They stay in order; the others stand behind them. Returns the smallest gap [m] of those that are kept, too.
    """
    tables, kept, smallest = ContactTables(*tables_io), 0, inf
    force, place, extra = tables.force, tables.place, tables.extra
    for k in range(n):
        if alive[k] and (force[k] > 0.0 or place[k, GAP] < limit):
            if kept < k:
                _swap_rows(tables.name, k, kept)
                _swap_rows(place, k, kept)
                _swap_rows(tables.friction, k, kept)
                _swap_rows(tables.acted, k, kept)
                force[kept], force[k] = force[k], force[kept]
                extra[kept], extra[k] = extra[k], extra[kept]
            smallest = min(smallest, place[kept, GAP])
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
def count_pushing(first, end, acted):
    """How many of the rows from `first` to `end` have pushed."""
    n = 0
    for k in range(first, end):
        n += _has_pushed(acted, k)
    return n


@lean_kernel
def copy_contacts(n, tables, tables_out):
    """Copy n contacts, at which nothing has acted yet; those behind them touch nowhere."""
    old, new = ContactTables(*tables), ContactTables(*tables_out)
    for k in range(n):
        _copy_row(old.name, k, k, new.name)
        _copy_row(old.place, k, k, new.place)
        _copy_row(old.friction, k, k, new.friction)
        new.force[k], new.extra[k] = old.force[k], old.extra[k]
        for c in range(new.acted.shape[1]):
            new.acted[k, c] = 0.0
    for k in range(n, new.force.shape[0]):
        for c in range(new.name.shape[1]):
            new.name[k, c] = 0
        for c in range(new.place.shape[1]):
            new.place[k, c] = 0.0
        new.extra[k] = 0.0


@lean_kernel
def join_contacts(contacts, gone, both_out):
    """Contacts that are, then those that have let go: (how many, names, places, what acted) of either."""
    n = 0
    for some in (contacts, gone):
        for k in range(some[0]):
            _copy_row(some[1], k, n, both_out[0])
            _copy_row(some[2], k, n, both_out[1])
            _copy_row(some[3], k, n, both_out[2])
            n += 1


@lean_kernel
def append_pushing(first, end, tables, n, tables_out):
    """Append those of the rows from `first` to `end` at which something acted to n others; how many there are then."""
    tables, gone = ContactTables(*tables), ContactTables(*tables_out)
    for k in range(first, end):
        if _has_pushed(tables.acted, k):
            _copy_row(tables.name, k, n, gone.name)
            _copy_row(tables.place, k, n, gone.place)
            _copy_row(tables.friction, k, n, gone.friction)
            _copy_row(tables.acted, k, n, gone.acted)
            gone.force[n], gone.extra[n] = tables.force[k], tables.extra[k]
            n += 1
    return n
