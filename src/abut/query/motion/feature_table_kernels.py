"""Many shapes and pairs of them in flat tables, checked in one call.

A table holds the concatenated arrays of all shapes' exposed features and, in `start`, where each shape's rows begin;
the view of one shape is what motion_check_kernels take.

Memory of pairs is kept in slots: slot s has row s of `ways` (see path_memory_kernels), of the part with the smaller
ball seen from the other, and its three searches use the clearances and blocks from row s of `first` on. slack[s] is by
how much the motions of the pair may change, since they were checked, and yet be free.
"""

from math import inf

from ..._jit import inlined_kernel, inner_kernel, kernel, lean_kernel
from ...math.motion_tables import TURN, WAY, MovingFrame
from ...math.pose_kernels import frame_at, load_frame, pose_apply, put_frame
from ...math.vec_kernels import norm, row, sub
from .feature_tables import ExposedShape, Features, Grid, Hulls, Searched, Target
from .motion_check_kernels import CERTAINLY_MORE, OF_PLACES, check_motion
from .motion_piece_kernels import EFFORT
from .motion_tables import (
    Between,
    CheckOptions,
    Chord,
    Found,
    FoundInPairs,
    Memories,
    Memory,
    Objects,
    PairMemories,
    Pairs,
)
from .path_memory_kernels import REST, departure, remember_path
from .relative_motion_kernels import relative_motion_between
from .separating_plane_kernels import kept_by_best_plane, kept_by_known_plane

# Columns of `start`: where the rows of a shape begin in the tables.
POINT, POINT_BLOCK, SEGMENT, SEGMENT_BLOCK, SEGMENT_CELL, SEGMENT_GROUP = 0, 1, 2, 3, 4, 5
TRIANGLE, TRIANGLE_CELL, TRIANGLE_GROUP, PLANE = 6, 7, 8, 9


@inlined_kernel
def _rows(table, start, s, column):
    return table[start[s, column] : start[s + 1, column]]


@inlined_kernel
def _edges_of(table, s):
    start = table.start
    segment = _rows(table.segment, start, s, SEGMENT)
    grid = Grid(
        table.segment_frame[s],
        _rows(table.segment_cell, start, s, SEGMENT_CELL),
        _rows(table.segment_item, start, s, SEGMENT_GROUP),
        _rows(table.segment_code, start, s, SEGMENT_GROUP),
    )
    box = _rows(table.segment_box, start, s, SEGMENT)
    return Target(table.segment_bounds[s : s + 1], grid, box, segment, table.plane[:0])


@inlined_kernel
def _triangles_of(table, s):
    start = table.start
    grid = Grid(
        table.triangle_frame[s],
        _rows(table.triangle_cell, start, s, TRIANGLE_CELL),
        _rows(table.triangle_item, start, s, TRIANGLE_GROUP),
        _rows(table.triangle_code, start, s, TRIANGLE_GROUP),
    )
    box, corner = _rows(table.triangle_box, start, s, TRIANGLE), _rows(table.corner, start, s, TRIANGLE)
    return Target(table.triangle_bounds[s : s + 1], grid, box, corner, _rows(table.plane, start, s, TRIANGLE))


@inlined_kernel
def shape_view(table, s):
    """Exposed features of shape `s`."""
    start = table.start
    points = Searched(
        _rows(table.point, start, s, POINT)[: table.peaks[s]],
        _rows(table.point_centre, start, s, POINT_BLOCK),
        _rows(table.point_radius, start, s, POINT_BLOCK),
    )
    segments = Searched(
        _rows(table.segment, start, s, SEGMENT),
        _rows(table.segment_centre, start, s, SEGMENT_BLOCK),
        _rows(table.segment_radius, start, s, SEGMENT_BLOCK),
    )
    half_space = _rows(table.half_space, start, s, PLANE)
    edges, triangles = _edges_of(table, s), _triangles_of(table, s)
    return ExposedShape(points, segments, edges, triangles, half_space, table.radius[s], table.size[s])


@inner_kernel
def load_motion(motions, i):
    """Row i of a table of motions."""
    m = motions[i]
    return MovingFrame(load_frame(motions, i), (m[WAY], m[WAY + 1], m[WAY + 2]), (m[TURN], m[TURN + 1], m[TURN + 2]))


@inlined_kernel
def _memory_view(memory, slot, channel):
    """Memory of one of the three searches of a pair."""
    first = memory.first
    i, j = first[slot, 2 * channel], first[slot, 2 * channel + 2]
    b, c = first[slot, 2 * channel + 1], first[slot, 2 * channel + 3]
    return Memory(memory.clearance[i:j], memory.hints[i:j], memory.blocks[b:c])


@kernel
def put_ends(motions, ends_out):
    """Write the pose at the end of the motion of each object as [rotation (9), position (3)]."""
    for i in range(ends_out.shape[0]):
        put_frame(frame_at(load_motion(motions, i), 1.0), i, ends_out)


@inner_kernel
def _smaller_first(a, b, shape_of, ball):
    """The objects of a pair, the one with the smaller ball first."""
    return (b, a) if ball[shape_of[a], 3] > ball[shape_of[b], 3] else (a, b)


@inner_kernel
def _stays_free(a, b, slot, table, hulls, objects, options, memory_io):
    """How much farther apart a plane or memory shows a pair to stay than it must, and what to remember of its paths.

    The former is negative if there is no such plane or memory. The latter is the Chord of the first object seen from
    the second, and the bend of its paths.
    """
    s, other = objects.shape_of[a], objects.shape_of[b]
    motion_a, motion_b = load_motion(objects.motions, a), load_motion(objects.motions, b)
    X_0, X_1, bounds = relative_motion_between(
        motion_a, motion_b, load_frame(objects.ends, a), load_frame(objects.ends, b)
    )
    poses, ball, ways, radius = Chord(X_0, X_1), table.ball, memory_io.ways, table.radius
    centre, middle = row(ball, s), row(ball, other)
    arm = norm(centre) + ball[s, 3]
    bend = bounds.bend + bounds.bend_per_arm * arm
    certain = (
        options.gap + radius[s] + radius[other] + CERTAINLY_MORE * options.tolerance + OF_PLACES * (arm + norm(X_0.p))
    )
    between = Between(hulls, s, other, (motion_a, motion_b), poses, bend, norm(middle) + ball[other, 3])
    kept = kept_by_known_plane(between, certain, slot, memory_io.planes)
    if kept < certain and ways[slot, REST] > 0.0:
        kept = ways[slot, REST] - departure(ways, slot, centre, ball[s, 3], poses) - bend
    if kept < certain:
        side = sub(pose_apply(X_1, centre), middle)
        kept = kept_by_best_plane(between, side, certain, slot, memory_io.planes)
    return kept - certain, poses, bend


@inner_kernel
def _forget(slot, memory_io):
    """Let a slot know nothing."""
    ways, planes, _, first, clearance, hints, blocks = memory_io
    for column in range(ways.shape[1]):
        ways[slot, column] = -1.0
    for column in range(planes.shape[1]):
        planes[slot, column] = -1
    for i in range(first[slot, 0], first[slot, 6]):
        clearance[i] = -1.0
        for column in range(hints.shape[1]):
            hints[i, column] = 0.0
    for b in range(first[slot, 1], first[slot, 7]):
        for column in range(blocks.shape[1]):
            blocks[b, column] = -1.0


@inner_kernel
def _look_closely(k, table, objects, pairs, options, memory_io, found_out):
    """Check the features of pair k; returns a lower bound of their distance."""
    a, b, slot, n = pairs.objects[k, 0], pairs.objects[k, 1], pairs.slots[k], int(found_out.times[0])
    memories = Memories(
        _memory_view(memory_io, slot, 0), _memory_view(memory_io, slot, 1), _memory_view(memory_io, slot, 2)
    )
    apart = check_motion(
        shape_view(table, objects.shape_of[a]),
        shape_view(table, objects.shape_of[b]),
        load_motion(objects.motions, a),
        load_motion(objects.motions, b),
        options,
        memories,
        Found(found_out.work, found_out.times, found_out.hits),
    )
    for h in range(n, min(int(found_out.times[0]), found_out.pair.shape[0])):
        found_out.pair[h] = k
    return apart


@lean_kernel
def check_range(span, table, hulls, objects, pairs, options, memory_io, found_out):
    """Check the motions of the chosen ones of the pairs of a span (begin, end), see motion_tables.

    What is checked afresh uses no memory, so that the effort depends on nothing else; it is written to `effort` and
    limited by options, that of other pairs is neither.
    """
    table, hulls, objects, pairs = Features(*table), Hulls(*hulls), Objects(*objects), Pairs(*pairs)
    options, memory_io, found_out = CheckOptions(*options), PairMemories(*memory_io), FoundInPairs(*found_out)
    unlimited = CheckOptions(options.gap, options.tolerance, options.share, options.window, inf)
    begin, end = span
    effort, slack = found_out.effort, memory_io.slack
    found_out.times[0] = 0.0
    for k in range(begin, end):
        effort[k] = 0.0
        if not pairs.chosen[k]:
            continue
        slot, afresh = pairs.slots[k], pairs.afresh[k]
        if afresh:
            _forget(slot, memory_io)
        a, b = _smaller_first(pairs.objects[k, 0], pairs.objects[k, 1], objects.shape_of, table.ball)
        more, poses, bend = _stays_free(a, b, slot, table, hulls, objects, options, memory_io)
        slack[slot] = more if more > 0.0 else 0.0
        if not more >= 0.0:
            limited = options if afresh else unlimited
            apart = _look_closely(k, table, objects, pairs, limited, memory_io, found_out)
            effort[k] = found_out.work[0, EFFORT] if afresh else 0.0
            # Paths kept that distance, and their chords are off by another bend.
            remember_path(poses, apart - bend, slot, memory_io.ways)


@lean_kernel
def choose_pairs(pairs, slots, due, change, apart, afresh, slack_io, chosen_out):
    """Choose the pairs with an object that is due, unless its motion changed too little to matter since it was checked.

    change[i] is the farthest that the motion of object i leads any point of it away from where it led before. Pairs
    that stay apart are not chosen, others to check afresh are in any case.
    """
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        chosen_out[k] = due[a] or due[b]
        if chosen_out[k]:
            slack_io[slots[k]] -= change[a] + change[b]
            chosen_out[k] = not apart[k] and (afresh[k] or not slack_io[slots[k]] > 0.0)


@kernel
def match_pairs(pairs, slots, wanted, free_io, n_free, slots_out):
    """Slots of the wanted pairs that are among the present ones, -1 for the others; both lists are sorted.

    Slots of pairs that are no longer wanted are put on the stack `free_io`; returns its new height.
    """
    i = 0
    for k in range(wanted.shape[0]):
        a, b = wanted[k, 0], wanted[k, 1]
        while i < pairs.shape[0] and (pairs[i, 0] < a or (pairs[i, 0] == a and pairs[i, 1] < b)):
            free_io[n_free] = slots[i]
            n_free += 1
            i += 1
        slots_out[k] = -1
        if i < pairs.shape[0] and pairs[i, 0] == a and pairs[i, 1] == b:
            slots_out[k] = slots[i]
            i += 1
    while i < pairs.shape[0]:
        free_io[n_free] = slots[i]
        n_free += 1
        i += 1
    return n_free


@kernel
def _rows_of_pair(a, b, rows):
    """Features and blocks in the three searches of a pair of shapes."""
    fewer = a if rows[a, 2] <= rows[b, 2] else b
    return (rows[a, 0], rows[a, 1]), (rows[b, 0], rows[b, 1]), (rows[fewer, 2], rows[fewer, 3])


@kernel
def count_new_pairs(pairs, slots, shape_of, rows):
    """How many pairs have no slot, and how many features and blocks are searched in them."""
    n_new, n, n_block = 0, 0, 0
    for k in range(pairs.shape[0]):
        if slots[k] < 0:
            n_new += 1
            for features, blocks in _rows_of_pair(shape_of[pairs[k, 0]], shape_of[pairs[k, 1]], rows):
                n += features
                n_block += blocks
    return n_new, n, n_block


@kernel
def place_new_pairs(pairs, shape_of, rows, used, free, n_free, slots_io, tables_io):
    """Give pairs without a slot one of the free ones, with blank memory from `used` = (features, blocks) on.

    Returns how many slots are free and how much of the tables, PairMemories, is used then.
    """
    ways, planes, slack, first, clearance, hints, block_table = tables_io
    n, n_block = used
    for k in range(pairs.shape[0]):
        if slots_io[k] >= 0:
            continue
        n_free -= 1
        s = slots_io[k] = free[n_free]
        first[s, 0], first[s, 1] = n, n_block
        ways[s], planes[s], slack[s] = -1.0, -1, 0.0
        channel = 0
        for features, blocks in _rows_of_pair(shape_of[pairs[k, 0]], shape_of[pairs[k, 1]], rows):
            clearance[n : n + features], hints[n : n + features] = -1.0, 0.0
            block_table[n_block : n_block + blocks] = -1.0
            n, n_block, channel = n + features, n_block + blocks, channel + 1
            first[s, 2 * channel], first[s, 2 * channel + 1] = n, n_block
    return n_free, n, n_block


@inner_kernel
def _copy_rows(table, begin, end, place, table_out):
    """Rows begin .. end of a table to another one, from `place` on."""
    for i in range(end - begin):
        for column in range(table.shape[1]):
            table_out[place + i, column] = table[begin + i, column]


@kernel
def move_memory(slots, first_io, tables, tables_out):
    """Copy what the given slots remember to the beginning of larger tables; returns how much of them is used.

    tables = (clearance, hints, blocks), of which the first two have a row for each feature.
    """
    clearance, hints, blocks = tables
    clearance_out, hints_out, blocks_out = tables_out
    n, n_block = 0, 0
    for k in range(slots.shape[0]):
        s = slots[k]
        if s < 0:
            continue
        i, j, b, c = first_io[s, 0], first_io[s, 6], first_io[s, 1], first_io[s, 7]
        for feature in range(j - i):
            clearance_out[n + feature] = clearance[i + feature]
        _copy_rows(hints, i, j, n, hints_out)
        _copy_rows(blocks, b, c, n_block, blocks_out)
        for column in range(4):
            first_io[s, 2 * column] += n - i
            first_io[s, 2 * column + 1] += n_block - b
        n += j - i
        n_block += c - b
    return n, n_block
