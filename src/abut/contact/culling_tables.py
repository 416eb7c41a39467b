"""What travels between the kernels of culling.

Entry kernels take plain tuples and name them in their first lines; everything below reads by name.
"""

from typing import Any, NamedTuple


class FatBoxes(NamedTuple):
    """Boxes with room around them, and what their motion is known from."""

    low: Any
    """(n, 3) [m] low ends."""
    high: Any
    """(n, 3) [m] high ends."""
    base_low: Any
    """(n, 3) [m] low ends of the boxes themselves, when they were last given room."""
    base_high: Any
    """(n, 3) [m] high ends then."""
    since: Any
    """(n,) number of the frame then; -1: no motion is known."""


class SortedBoxes(NamedTuple):
    """Boxes in the order of their low ends along one axis."""

    box: Any
    """(6, n) [m] low and high ends along that axis and the other two."""
    order: Any
    """(n,) the box at each place."""
    marks: Any
    """(n, 2) group and whether it is fixed, of each box."""


class SortSpace(NamedTuple):
    """Scratch of the streamed segment tree."""

    tasks: Any
    """(MOST_TASKS, 8) stack of what is left to do, see Task."""
    arena: Any
    """(room,) places of sets of boxes, one after another."""
    lane_i: Any
    """(n, 6) [m] boxes of a set of intervals, side by side."""
    lane_p: Any
    """(n, 6) [m] boxes of a set of points."""
    hits: Any
    """(n,) those of a set that overlap a box."""


class Span(NamedTuple):
    """A set of boxes: a stretch of the arena."""

    begin: Any
    end: Any
    """The place after the last."""


class Task(NamedTuple):
    """Intervals and points of which overlapping pairs are wanted."""

    intervals: Any
    """Span."""
    points: Any
    """Span."""
    d: Any
    """Axis along which an interval is to contain a point; the pairs overlap along those above it."""
    depth: Any
    """How often points were halved along this axis."""
    top: Any
    """Where the arena is free."""
    split: Any
    """2 place + side where only the points on that side of a place's key are meant, or -1."""


class GridEntries(NamedTuple):
    """Boxes in a hash grid, by the bucket of their cell."""

    items: Any
    """(room,) the box."""
    names: Any
    """(room,) its cell and its level."""
    low: Any
    """(room, 3) [m] its low ends; nan where it has moved on."""
    high: Any
    """(room, 3) [m] its high ends."""


class GridLists(NamedTuple):
    """Where the entries of buckets and levels are, when the grid was filled."""

    start: Any
    """(n_bucket + 1,) the first entry of each bucket."""
    level_start: Any
    """(N_LEVEL + 1,) the first place of each level in the next table."""
    level_entries: Any
    """(n,) entries, level by level."""


class GridChains(NamedTuple):
    """Entries that came since then, -1 at the end of each chain."""

    bucket_head: Any
    """(n_bucket,) the last entry that came to a bucket."""
    bucket_next: Any
    """(room,) the one before it."""
    level_head: Any
    """(N_LEVEL,) the last entry that came to a level."""
    level_next: Any
    """(room,) the one before it."""
    level_count: Any
    """(N_LEVEL,) how many came to a level."""
