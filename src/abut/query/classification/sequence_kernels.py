"""From spans within the tolerance of vertices, edges and faces to the sequence of points and stretches of a segment.

The segment is cut where spans begin and end. Each piece is named by the lowest entity whose span covers it; pieces of
one name are a run, and runs that no span covers are open: in or out. Runs are stretches where they are open or lie
along what they are named after; the others, between two stretches, are one point on the lowest entity among them.
"""

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...math.vec_kernels import lerp, norm, row, sub
from .brep_index_tables import OPEN, VERTEX, BrepIndex, Items, Spans
from .place_kernels import cell_of, place_in_cell

ALONG = 1e-3
"""Sine of the angle below which a segment lies along an edge or a face within whose tolerance it is."""
# Stretches on edges and faces are longer than so many tolerances; pieces shorter than the other are rounding.
_LONG, _NOTHING = 2.0, 1e-6


@inner_kernel
def _goes_before(spans, i, j):
    """Whether span i names a piece and not span j."""
    if spans.kind[i] != spans.kind[j]:
        return spans.kind[i] < spans.kind[j]
    if spans.rank[i] != spans.rank[j]:
        return spans.rank[i] < spans.rank[j]
    return spans.number[i] < spans.number[j]


@inner_kernel
def _name_at(spans, first, last, t):
    """The span that names the point at `t`; -1 where there is none."""
    best = -1
    for i in range(first, last):
        if spans.part[i, 0] <= t <= spans.part[i, 1] and (best < 0 or _goes_before(spans, i, best)):
            best = i
    return best


@lean_kernel
def _sort(n, values_io):
    for i in range(1, n):
        value, j = values_io[i], i
        while j > 0 and values_io[j - 1] > value:
            values_io[j] = values_io[j - 1]
            j -= 1
        values_io[j] = value


@inner_kernel
def _same_name(spans, i, j):
    if i < 0 or j < 0:
        return i < 0 and j < 0
    return spans.kind[i] == spans.kind[j] and spans.number[i] == spans.number[j]


@inner_kernel
def _find_runs(spans, first, last, nothing, cuts_io, names_out, starts_out):
    """Runs of one name, from starts_out[k] to starts_out[k + 1]; returns how many. Pieces up to `nothing` are none."""
    n, n_run = 2, 0
    cuts_io[0], cuts_io[1] = 0.0, 1.0
    for i in range(first, last):
        cuts_io[n], cuts_io[n + 1] = spans.part[i, 0], spans.part[i, 1]
        n += 2
    _sort(n, cuts_io)
    for k in range(n - 1):
        if cuts_io[k + 1] - cuts_io[k] <= nothing:
            continue
        name = _name_at(spans, first, last, 0.5 * (cuts_io[k] + cuts_io[k + 1]))
        if n_run == 0 or not _same_name(spans, name, names_out[n_run - 1]):
            names_out[n_run] = name
            starts_out[n_run] = cuts_io[k] if n_run > 0 else 0.0
            n_run += 1
    if n_run == 0:
        names_out[0], starts_out[0], n_run = _name_at(spans, first, last, 0.5), 0.0, 1
    starts_out[n_run] = 1.0
    return n_run


@inner_kernel
def _is_stretch(spans, name, extent, long):
    """Whether a run is open, or along what it is named after and long enough."""
    return name < 0 or (spans.kind[name] != VERTEX and spans.rank[name] <= ALONG and extent > long)


@inner_kernel
def _put_item(spans, name, t0, t1, n, items_io):
    """Add a point or stretch with the name of a span; returns how many there are."""
    items_io.kind[n] = OPEN if name < 0 else spans.kind[name]
    items_io.number[n] = -1 if name < 0 else spans.number[name]
    items_io.part[n, 0], items_io.part[n, 1] = t0, t1
    return n + 1


@inner_kernel
def _lowest_of_runs(spans, names, starts, k, end):
    """The name of a group of runs that are one point, and the middle of the runs of that name."""
    best = names[k]
    for i in range(k + 1, end):
        if _goes_before(spans, names[i], best):
            best = names[i]
    low, high = 1.0, 0.0
    for i in range(k, end):
        if _same_name(spans, names[i], best):
            low, high = min(low, starts[i]), max(high, starts[i + 1])
    return best, 0.5 * (low + high)


@inner_kernel
def _put_sequence(spans, names, starts, n_run, long, n, items_io):
    """Points and stretches of a segment in turn, a point first and last; returns how many items there are."""
    begin, k = n, 0
    while k < n_run:
        if _is_stretch(spans, names[k], starts[k + 1] - starts[k], long):
            if (n - begin) % 2 == 0:
                # Two stretches meet, or the first one begins: of two, the one that is on something has the point.
                other = names[k - 1] if k > 0 and names[k] < 0 else names[k]
                n = _put_item(spans, other, starts[k], starts[k], n, items_io)
            n = _put_item(spans, names[k], starts[k], starts[k + 1], n, items_io)
            k += 1
            continue
        end = k + 1
        while end < n_run and not _is_stretch(spans, names[end], starts[end + 1] - starts[end], long):
            end += 1
        name, t = _lowest_of_runs(spans, names, starts, k, end)
        t = 0.0 if k == 0 else (1.0 if end == n_run else t)
        n = _put_item(spans, name, t, t, n, items_io)
        if k == 0 and end == n_run:
            n = _put_item(spans, name, 0.0, 1.0, n, items_io)
        k = end
    if (n - begin) % 2 == 0:
        last = names[n_run - 1]
        if not _is_stretch(spans, last, starts[n_run] - starts[n_run - 1], long):
            last = _name_of_item(spans, names, n_run, n, items_io)
        n = _put_item(spans, last, 1.0, 1.0, n, items_io)
    return n


@inner_kernel
def _name_of_item(spans, names, n_run, n, items):
    """The run's name that the last item was given."""
    for k in range(n_run):
        if (
            names[k] >= 0
            and spans.kind[names[k]] == items.kind[n - 1]
            and spans.number[names[k]] == items.number[n - 1]
        ):
            return names[k]
    return names[n_run - 1]


@kernel
def put_sequences(spans, first, points, ends, tolerance, items_out):
    """Sequences of all segments, with OPEN for in and out; returns how many items there are."""
    spans, items = Spans(*spans), Items(*items_out)
    most = 0
    for s in range(ends.shape[0]):
        most = max(most, first[s + 1] - first[s])
    cuts, names, starts = np.empty(2 * most + 2), np.empty(2 * most + 2, np.int32), np.empty(2 * most + 3)
    n, items.first[0] = 0, 0
    for s in range(ends.shape[0]):
        length = norm(sub(row(points, ends[s, 1]), row(points, ends[s, 0])))
        if length == 0.0:
            n = _put_item(spans, _name_at(spans, first[s], first[s + 1], 0.0), 0.0, 0.0, n, items)
        elif first[s] == first[s + 1]:
            n = _put_item(spans, -1, 0.0, 0.0, n, items)
            n = _put_item(spans, -1, 0.0, 1.0, n, items)
            n = _put_item(spans, -1, 1.0, 1.0, n, items)
        else:
            nothing = min(0.5, _NOTHING * tolerance / length)
            n_run = _find_runs(spans, first[s], first[s + 1], nothing, cuts, names, starts)
            n = _put_sequence(spans, names, starts, n_run, _LONG * tolerance / length, n, items)
        items.first[s + 1] = n
    return n


@kernel
def place_stretches(index, points, ends, items_io):
    """IN or OUT for every stretch that is OPEN, and for the ends of the segment beside it."""
    index, items = BrepIndex(*index), Items(*items_io)
    for s in range(ends.shape[0]):
        p, q = row(points, ends[s, 0]), row(points, ends[s, 1])
        begin, end = np.int64(items.first[s]), np.int64(items.first[s + 1])
        for k in range(min(begin + 1, end - 1), end, 2):
            if items.kind[k] != OPEN:
                continue
            middle = lerp(p, q, 0.5 * (items.part[k, 0] + items.part[k, 1]))
            place = place_in_cell(index, cell_of(index, middle), middle)
            for i in range(max(begin, k - 1), min(end, k + 2)):
                if items.kind[i] == OPEN:
                    items.kind[i] = place
