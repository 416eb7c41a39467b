"""Overlapping boxes by coordinate sorting, for boxes of any sizes and places.

Boxes are sorted along one axis, where a scan finds the overlaps; the order of the last call is repaired by insertion.
One sorted axis alone leaves n^(5/3) pairs to test in space and n^2 in a plane across it. So the other two axes are
divided first, as in Zomorodian and Edelsbrunner, Fast software for box intersections, IJCGA 2002: a segment tree that
is never stored. Time grows as n log^2 n plus pairs.

`box` is (6, n), low and high along the scan axis, then along the other two; a box is known by its column, its place
in the sorted order. Along every axis boxes begin in the order of their keys (low, place). Two intervals overlap if and
only if one of them, the one of lower key, contains the low end of the other: each pair is found once.
A set of boxes is a range of `arena`, places rising; what is made on the way lies behind `top`.
"""

import numpy as np

from .._jit import kernel
from .culling_kernels import emit_pair
from .culling_tables import SortedBoxes, SortSpace, Span, Task

FEW = 256
"""Sets smaller than this are scanned rather than divided."""
DEEPEST = 60
"""Divisions after which a set is scanned however large it is: medians of samples halve it long before."""
MOST_TASKS = 512
"""More than are ever waiting: three for each division along two axes."""
_LARGEST_SQUARED = 1e150
"""[m] lengths below this have finite squares."""


@kernel
def widest_axis(low, high):
    """The axis along which the middles of the bounded boxes are spread most."""
    best, widest = 0, -1.0
    for k in range(3):
        n, mean, squares = 0, 0.0, 0.0
        for i in range(low.shape[0]):
            # Squares of larger numbers would not be finite; such boxes count as unbounded here.
            if max(abs(low[i, k]), abs(high[i, k])) < _LARGEST_SQUARED:
                middle = 0.5 * (low[i, k] + high[i, k])
                n += 1
                step = middle - mean
                mean += step / n
                squares += step * (middle - mean)
        if squares > widest:
            best, widest = k, squares
    return best


@kernel
def repair_order(low, axis, most_moves, order_out):
    """Sort `order_out` by low ends along `axis`, by insertion; False, unsorted, if it takes more than `most_moves`."""
    moves = 0
    for place in range(1, order_out.shape[0]):
        box = order_out[place]
        key = low[box, axis]
        gap = place
        while gap > 0 and low[order_out[gap - 1], axis] > key:
            order_out[gap] = order_out[gap - 1]
            gap -= 1
        order_out[gap] = box
        moves += place - gap
        if moves > most_moves:
            return False
    return True


@kernel
def gather_boxes(low, high, order, axis, box_out):
    """The table `box`: bounds in the given order, the scan axis first."""
    for place in range(order.shape[0]):
        i = order[place]
        for d in range(3):
            k = (axis + d) % 3
            box_out[2 * d, place] = low[i, k]
            box_out[2 * d + 1, place] = high[i, k]


@kernel
def refresh_boxes(low, high, escaped, axis, order, box_out, chosen_out):
    """Bring the columns of the escaped boxes up to date, in the old order, and mark them."""
    for place in range(order.shape[0]):
        i = order[place]
        chosen_out[place] = escaped[i]
        if escaped[i]:
            for d in range(3):
                k = (axis + d) % 3
                box_out[2 * d, place] = low[i, k]
                box_out[2 * d + 1, place] = high[i, k]


@kernel
def repair_table(most_moves, order_out, box_out, chosen_out):
    """Sort table and flags by insertion, like `repair_order` for the order alone: where few boxes have moved."""
    moves = 0
    for place in range(1, order_out.shape[0]):
        key = box_out[0, place]
        if box_out[0, place - 1] <= key:
            continue
        gap = place - 1
        while gap > 0 and box_out[0, gap - 1] > key:
            gap -= 1
        for k in range(6):
            value = box_out[k, place]
            for m in range(place, gap, -1):
                box_out[k, m] = box_out[k, m - 1]
            box_out[k, gap] = value
        box, flag = order_out[place], chosen_out[place]
        for m in range(place, gap, -1):
            order_out[m], chosen_out[m] = order_out[m - 1], chosen_out[m - 1]
        order_out[gap], chosen_out[gap] = box, flag
        moves += place - gap
        if moves > most_moves:
            return False
    return True


@kernel
def pairs_of_chosen(table, chosen, count, space_io, pairs_out):
    """Append the allowed pairs with at least one chosen box; returns the count, or -1 if the arena is too small."""
    table, space_io = SortedBoxes(*table), SortSpace(*space_io)
    n, arena = table.box.shape[1], space_io.arena
    top, first = n, np.int64(0)
    for i in range(n):
        arena[i] = i
        if chosen[i]:
            arena[top] = i
            top += 1
    movers = Span(n, top)
    count = _divide(table, movers, Span(first, n), top, count, space_io, pairs_out)
    n_rest = first
    for i in range(n):
        arena[n_rest] = i
        n_rest += not chosen[i]
    return _divide(table, Span(first, n_rest), movers, top, count, space_io, pairs_out)


@kernel
def _divide(table, intervals, points, top, count, space_io, pairs_out):
    """Append the pairs of an interval and a point (a low end) in it along the last axis that overlap along the others.

    Returns the number of pairs so far, or -1 if the arena is too small. The recursion is written with a stack of
    tasks, because compiled functions that call themselves cannot be cached.
    """
    tasks, arena = space_io.tasks, space_io.arena
    n_task = _push(tasks, 0, intervals, points, 2, 0, top, -1)
    while n_task > 0 and count >= 0:
        n_task -= 1
        intervals, points, d, depth, top, split = _task(tasks, n_task)
        n_interval = intervals.end - intervals.begin
        if top + 2 * n_interval + points.end - points.begin > arena.shape[0]:
            return -1
        if split >= 0:
            points = _half_of_points(table.box, points, d, split // 2, split % 2, top, arena)
            top = points.end
        n_point = points.end - points.begin
        if d == 0 or min(n_interval, n_point) < FEW or depth > DEEPEST:
            count = _scan(table, intervals, points, d, count, space_io, pairs_out)
        elif top + 2 * n_interval > arena.shape[0]:
            return -1
        else:
            task = Task(intervals, points, d, depth, top, split)
            n_task = _push_parts(table.box, task, tasks, n_task, arena)
    return count


@kernel
def _push_parts(box, task, tasks_io, n_task, arena_io):
    """Push what a task is divided into. The last comes first and may write over what others have yet to make."""
    intervals, points, d, depth, top, _ = task
    partial, spanning = _split_intervals(box, intervals, points, d, top, arena_io)
    if partial.end > partial.begin:
        place = _median_place(box, points, d, arena_io)
        for side in range(2):
            n_task = _push(tasks_io, n_task, partial, points, d, depth + 1, partial.end, 2 * place + side)
    # Who spans all points overlaps all of them along this axis: the rest is decided along the lower ones.
    if spanning.end > spanning.begin:
        n_task = _push(tasks_io, n_task, spanning, points, d - 1, 0, spanning.end, -1)
        n_task = _push(tasks_io, n_task, points, spanning, d - 1, 0, spanning.end, -1)
    return n_task


@kernel
def _push(tasks_io, n_task, intervals, points, d, depth, top, split):
    """Append a task."""
    row = tasks_io[n_task]
    row[0], row[1] = intervals
    row[2], row[3] = points
    row[4], row[5], row[6], row[7] = d, depth, top, split
    return n_task + 1


@kernel
def _task(tasks, m):
    row = tasks[m]
    return Task(Span(row[0], row[1]), Span(row[2], row[3]), row[4], row[5], row[6], row[7])


@kernel
def _split_intervals(box, intervals, points, d, top, arena_io):
    """The intervals that contain some of the points, and those that contain all of them, as Spans from `top` on."""
    first_place = last_place = arena_io[points.begin]
    first = last = box[2 * d, first_place]
    for m in range(points.begin, points.end):
        place = arena_io[m]
        low = box[2 * d, place]
        if low < first:
            first, first_place = low, place
        if low >= last:
            last, last_place = low, place
    n_partial, n_spanning = top, top + intervals.end - intervals.begin
    spanning_start = n_spanning
    for m in range(intervals.begin, intervals.end):
        place = arena_io[m]
        low, high = box[2 * d, place], box[2 * d + 1, place]
        before_first = (low < first) | ((low == first) & (place < first_place))
        before_last = (low < last) | ((low == last) & (place < last_place))
        spans = before_first & (high >= last)
        arena_io[n_spanning] = place
        n_spanning += spans
        arena_io[n_partial] = place
        n_partial += before_last & (high >= first) & (not spans)
    return Span(top, n_partial), Span(spanning_start, n_spanning)


@kernel
def _median_place(box, points, d, arena):
    """The point whose key is the median of the medians of three triples: near the middle, and never the lowest."""
    stride = (points.end - points.begin) // 9
    place = points.begin
    a = _middle_of_three(box, d, arena[place], arena[place + stride], arena[place + 2 * stride])
    place += 3 * stride
    b = _middle_of_three(box, d, arena[place], arena[place + stride], arena[place + 2 * stride])
    place += 3 * stride
    c = _middle_of_three(box, d, arena[place], arena[place + stride], arena[place + 2 * stride])
    return _middle_of_three(box, d, a, b, c)


@kernel
def _middle_of_three(box, d, a, b, c):
    if _begins_before(box, b, a, d):
        a, b = b, a
    if _begins_before(box, c, a, d):
        return a
    return c if _begins_before(box, c, b, d) else b


@kernel
def _begins_before(box, i, j, d):
    """Whether the key of box i along axis d is lower than that of box j."""
    return (box[2 * d, i] < box[2 * d, j]) | ((box[2 * d, i] == box[2 * d, j]) & (i < j))


@kernel
def _half_of_points(box, points, d, split_place, side, top, arena_io):
    """The points before the key of `split_place` (side 0), or from it on (side 1), as a Span from `top` on."""
    n = top
    for m in range(points.begin, points.end):
        arena_io[n] = arena_io[m]
        n += _begins_before(box, arena_io[m], split_place, d) != (side == 1)
    return Span(top, n)


@kernel
def gather_lane(box, begin, end, arena, lane_out):
    """Copy the boxes of a set side by side, so that a scan reads them one after the other."""
    for k in range(6):
        for m in range(begin, end):
            lane_out[m - begin, k] = box[k, arena[m]]


@kernel
def ahead_overlapping(me, lane, begin, n, hits_out):
    """Those from `begin` on that overlap `me`, if none of them begins before it: how many, and how many were tested."""
    _, reach, low1, high1, low2, high2 = me
    n_hit = 0
    for k in range(begin, n):
        if lane[k, 0] > reach:
            return n_hit, k - begin
        hits_out[n_hit] = k
        n_hit += (low1 <= lane[k, 3]) & (lane[k, 2] <= high1) & (low2 <= lane[k, 5]) & (lane[k, 4] <= high2)
    return n_hit, n - begin


@kernel
def _scan(table, intervals, points, d, count, space_io, pairs_out):
    """Pairs that overlap along all axes and whose interval contains the point along axis d."""
    box, order, marks = table
    _, arena, lane_i, lane_p, hits = space_io
    n_interval, n_point = intervals.end - intervals.begin, points.end - points.begin
    gather_lane(box, intervals.begin, intervals.end, arena, lane_i)
    gather_lane(box, points.begin, points.end, arena, lane_p)
    a, b = 0, 0
    while a < n_interval and b < n_point:
        i, j = arena[intervals.begin + a], arena[points.begin + b]
        if i < j:
            n_hit, _ = ahead_overlapping(lane_row(lane_i, a), lane_p, b, n_point, hits)
            for h in range(n_hit):
                j = arena[points.begin + hits[h]]
                if _begins_before(box, i, j, d):
                    count = emit_pair(order[i], order[j], marks, count, pairs_out)
            a += 1
        else:
            n_hit, _ = ahead_overlapping(lane_row(lane_p, b), lane_i, a, n_interval, hits)
            for h in range(n_hit):
                i = arena[intervals.begin + hits[h]]
                if _begins_before(box, i, j, d):
                    count = emit_pair(order[i], order[j], marks, count, pairs_out)
            b += 1
    return count


@kernel
def lane_row(lane, i):
    """Bounds of a box of the lane."""
    return lane[i, 0], lane[i, 1], lane[i, 2], lane[i, 3], lane[i, 4], lane[i, 5]
