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

FEW = 256
"""Sets smaller than this are scanned rather than divided."""
DEEPEST = 60
"""Divisions after which a set is scanned however large it is: medians of samples halve it long before."""
MOST_TASKS = 512
"""More than are ever waiting: three for each division along two axes."""


@kernel
def widest_axis(low, high):
    """The axis along which the middles of the bounded boxes are spread most."""
    best, widest = 0, -1.0
    for k in range(3):
        n, mean, squares = 0, 0.0, 0.0
        for i in range(low.shape[0]):
            # Squares of larger numbers would not be finite; such boxes count as unbounded here.
            if max(abs(low[i, k]), abs(high[i, k])) < 1e150:
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
def pairs_of_chosen(box, order, marks, chosen, count, tasks_io, arena_io, lane_i_io, lane_p_io, hits_io, pairs_out):
    """Append the allowed pairs with at least one chosen box; returns the count, or -1 if `arena_io` is too small."""
    n = box.shape[1]
    top, first = n, np.int64(0)
    for i in range(n):
        arena_io[i] = i
        if chosen[i]:
            arena_io[top] = i
            top += 1
    movers = (n, top)
    count = _divide(
        box, order, marks, movers, (first, n), top, count, tasks_io, arena_io, lane_i_io, lane_p_io, hits_io, pairs_out
    )
    n_rest = first
    for i in range(n):
        arena_io[n_rest] = i
        n_rest += not chosen[i]
    rest = (first, n_rest)
    return _divide(
        box, order, marks, rest, movers, top, count, tasks_io, arena_io, lane_i_io, lane_p_io, hits_io, pairs_out
    )


@kernel
def _divide(
    box, order, marks, intervals, points, top, count, tasks_io, arena_io, lane_i_io, lane_p_io, hits_io, pairs_out
):
    """Append the pairs of an interval and a point (a low end) in it along the last axis that overlap along the others.

    Returns the number of pairs so far, or -1 if `arena_io` is too small. The recursion is written with a stack of
    tasks, because compiled functions that call themselves cannot be cached.
    """
    n_task = _push(tasks_io, 0, intervals, points, 2, 0, top, -1)
    while n_task > 0 and count >= 0:
        n_task -= 1
        intervals, points, d, depth, top, split = _task(tasks_io, n_task)
        if top + 2 * (intervals[1] - intervals[0]) + points[1] - points[0] > arena_io.shape[0]:
            return -1
        if split >= 0:
            points = _half_of_points(box, points, d, split // 2, split % 2, top, arena_io)
            top = points[1]
        n_interval, n_point = intervals[1] - intervals[0], points[1] - points[0]
        if d == 0 or min(n_interval, n_point) < FEW or depth > DEEPEST:
            count = _scan(
                box, order, marks, intervals, points, d, count, arena_io, lane_i_io, lane_p_io, hits_io, pairs_out
            )
        elif top + 2 * n_interval > arena_io.shape[0]:
            return -1
        else:
            n_task = _push_parts(box, intervals, points, d, depth, top, tasks_io, n_task, arena_io)
    return count


@kernel
def _push_parts(box, intervals, points, d, depth, top, tasks_io, n_task, arena_io):
    """Push what a task is divided into. The last comes first and may write over what others have yet to make."""
    partial, spanning = _split_intervals(box, intervals, points, d, top, arena_io)
    if partial[1] > partial[0]:
        place = _median_place(box, points, d, arena_io)
        for side in range(2):
            n_task = _push(tasks_io, n_task, partial, points, d, depth + 1, partial[1], 2 * place + side)
    # Who spans all points overlaps all of them along this axis: the rest is decided along the lower ones.
    if spanning[1] > spanning[0]:
        n_task = _push(tasks_io, n_task, spanning, points, d - 1, 0, spanning[1], -1)
        n_task = _push(tasks_io, n_task, points, spanning, d - 1, 0, spanning[1], -1)
    return n_task


@kernel
def _push(tasks_io, n_task, intervals, points, d, depth, top, split):
    """Append a task; `split` is 2 place + side where only the points on that side of a place's key are meant, or -1."""
    task = tasks_io[n_task]
    task[0], task[1] = intervals
    task[2], task[3] = points
    task[4], task[5], task[6], task[7] = d, depth, top, split
    return n_task + 1


@kernel
def _task(tasks, m):
    task = tasks[m]
    return (task[0], task[1]), (task[2], task[3]), task[4], task[5], task[6], task[7]


@kernel
def _split_intervals(box, intervals, points, d, top, arena_io):
    """The intervals that contain some of the points, and those that contain all of them, as ranges from `top` on."""
    first_place = last_place = arena_io[points[0]]
    first = last = box[2 * d, first_place]
    for m in range(points[0], points[1]):
        place = arena_io[m]
        low = box[2 * d, place]
        if low < first:
            first, first_place = low, place
        if low >= last:
            last, last_place = low, place
    n_partial, n_spanning = top, top + intervals[1] - intervals[0]
    spanning_start = n_spanning
    for m in range(intervals[0], intervals[1]):
        place = arena_io[m]
        low, high = box[2 * d, place], box[2 * d + 1, place]
        before_first = (low < first) | ((low == first) & (place < first_place))
        before_last = (low < last) | ((low == last) & (place < last_place))
        spans = before_first & (high >= last)
        arena_io[n_spanning] = place
        n_spanning += spans
        arena_io[n_partial] = place
        n_partial += before_last & (high >= first) & (not spans)
    return (top, n_partial), (spanning_start, n_spanning)


@kernel
def _median_place(box, points, d, arena):
    """The point whose key is the median of the medians of three triples: near the middle, and never the lowest."""
    stride = (points[1] - points[0]) // 9
    place = points[0]
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
    """The points before the key of `split_place` (side 0), or from it on (side 1), as a range from `top` on."""
    n = top
    for m in range(points[0], points[1]):
        arena_io[n] = arena_io[m]
        n += _begins_before(box, arena_io[m], split_place, d) != (side == 1)
    return top, n


@kernel
def gather_lane(box, places, arena, lane_out):
    """Copy the boxes of a set side by side, so that a scan reads them one after the other."""
    for k in range(6):
        for m in range(places[0], places[1]):
            lane_out[m - places[0], k] = box[k, arena[m]]


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
def _scan(box, order, marks, intervals, points, d, count, arena, lane_i_io, lane_p_io, hits_io, pairs_out):
    """Pairs that overlap along all axes and whose interval contains the point along axis d."""
    n_interval, n_point = intervals[1] - intervals[0], points[1] - points[0]
    gather_lane(box, intervals, arena, lane_i_io)
    gather_lane(box, points, arena, lane_p_io)
    a, b = 0, 0
    while a < n_interval and b < n_point:
        i, j = arena[intervals[0] + a], arena[points[0] + b]
        if i < j:
            for h in range(ahead_overlapping(lane_row(lane_i_io, a), lane_p_io, b, n_point, hits_io)[0]):
                j = arena[points[0] + hits_io[h]]
                if _begins_before(box, i, j, d):
                    count = emit_pair(order[i], order[j], marks, count, pairs_out)
            a += 1
        else:
            for h in range(ahead_overlapping(lane_row(lane_p_io, b), lane_i_io, a, n_interval, hits_io)[0]):
                i = arena[intervals[0] + hits_io[h]]
                if _begins_before(box, i, j, d):
                    count = emit_pair(order[i], order[j], marks, count, pairs_out)
            b += 1
    return count


@kernel
def lane_row(lane, i):
    """Bounds of a box of the lane."""
    return lane[i, 0], lane[i, 1], lane[i, 2], lane[i, 3], lane[i, 4], lane[i, 5]
