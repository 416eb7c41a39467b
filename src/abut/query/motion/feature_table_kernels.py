"""Many shapes and pairs of them in flat tables, checked in one call.

A table holds the concatenated arrays of all shapes' exposed features and, in `start`, where each shape's rows begin;
the view of one shape is the tuple that motion_check_kernels takes.

Memory of pairs is kept in slots: slot s has row s of `ways` (see path_memory_kernels), of the part with the smaller
ball seen from the other, and its three searches use the clearances and blocks from row s of `first` on. slack[s] is by
how much the motions of the pair may change, since they were checked, and yet be free.
"""

from math import inf

from ..._jit import inlined_kernel, inner_kernel, kernel, lean_kernel
from ...math.pose_kernels import load_frame, motion_at, pose_apply, put_frame
from ...math.vec_kernels import norm, row, sub
from .motion_check_kernels import check_motion
from .motion_piece_kernels import EFFORT
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
def shape_view(table, s):
    """Exposed features of shape `s`, as motion_check_kernels takes them."""
    start, points, segments, triangles, scalars = table
    point, point_centre, point_radius = points
    segment, segment_centre, segment_radius = segments[:3]
    edge_box, edge_bounds, edge_frame, edge_cell, edge_item, edge_code = segments[3:]
    corner, plane, box, bounds, frame, cell, item, code = triangles
    half_space, radius, size, ball, peaks = scalars
    edges = _rows(segment, start, s, SEGMENT)
    edge_grid = (
        edge_frame[s],
        _rows(edge_cell, start, s, SEGMENT_CELL),
        _rows(edge_item, start, s, SEGMENT_GROUP),
        _rows(edge_code, start, s, SEGMENT_GROUP),
    )
    triangle_grid = (
        frame[s],
        _rows(cell, start, s, TRIANGLE_CELL),
        _rows(item, start, s, TRIANGLE_GROUP),
        _rows(code, start, s, TRIANGLE_GROUP),
    )
    return (
        (
            _rows(point, start, s, POINT)[: peaks[s]],
            _rows(point_centre, start, s, POINT_BLOCK),
            _rows(point_radius, start, s, POINT_BLOCK),
        ),
        (edges, _rows(segment_centre, start, s, SEGMENT_BLOCK), _rows(segment_radius, start, s, SEGMENT_BLOCK)),
        ((edge_bounds[s : s + 1], edge_grid), _rows(edge_box, start, s, SEGMENT), edges, plane[:0]),
        (
            (bounds[s : s + 1], triangle_grid),
            _rows(box, start, s, TRIANGLE),
            _rows(corner, start, s, TRIANGLE),
            _rows(plane, start, s, TRIANGLE),
        ),
        _rows(half_space, start, s, PLANE),
        radius[s],
        size[s],
        ball[s],
    )


@inner_kernel
def load_motion(motions, i):
    """Row i of a table of motions as (pose, displacement, rotation vector)."""
    m = motions[i]
    return load_frame(motions, i), (m[12], m[13], m[14]), (m[15], m[16], m[17])


@inlined_kernel
def _memory_view(first, tables, slot, channel):
    """Memory of one of the three searches of a pair."""
    clearance, hints, blocks = tables
    i, j = first[slot, 2 * channel], first[slot, 2 * channel + 2]
    b, c = first[slot, 2 * channel + 1], first[slot, 2 * channel + 3]
    return clearance[i:j], hints[i:j], blocks[b:c]


@kernel
def put_ends(motions, ends_out):
    """Write the pose at the end of the motion of each object as [rotation (9), position (3)]."""
    for i in range(ends_out.shape[0]):
        X, d, r = load_motion(motions, i)
        put_frame(motion_at(X, d, r, 1.0), i, ends_out)


@inner_kernel
def _smaller_first(a, b, shape_of, ball):
    """The objects of a pair, the one with the smaller ball first."""
    return (b, a) if ball[shape_of[a], 3] > ball[shape_of[b], 3] else (a, b)


@inner_kernel
def _stays_free(pair, slot, shape_of, radius, ball, motions, ends, options, ways, hulls, planes):
    """How much farther apart a plane or memory shows a pair to stay than it must, and what to remember of its paths.

    The former is negative if there is no such plane or memory. The latter is the poses at the ends of the first object
    seen from the second, and the bend of its paths.
    """
    s, other = shape_of[pair[0]], shape_of[pair[1]]
    motion_a, motion_b = load_motion(motions, pair[0]), load_motion(motions, pair[1])
    X0, X1, bounds = relative_motion_between(motion_a, motion_b, (load_frame(ends, pair[0]), load_frame(ends, pair[1])))
    poses, centre = (X0, X1), row(ball, s)
    arm = norm(centre) + ball[s, 3]
    bend = bounds[2] + bounds[3] * arm
    certain = options[0] + radius[s] + radius[other] + 1.01 * options[1] + 1e-13 * (arm + norm(X0[1]))
    middle, between = row(ball, other), (hulls, (s, other), (motion_a, motion_b), poses)
    arm_of_b = norm(middle) + ball[other, 3]
    kept = kept_by_known_plane(*between, bend, arm_of_b, certain, slot, planes)
    if kept < certain and ways[slot, REST] > 0.0:
        kept = ways[slot, REST] - departure(ways, slot, centre, ball[s, 3], poses) - bend
    if kept < certain:
        side = sub(pose_apply(X1, centre), middle)
        kept = kept_by_best_plane(*between, side, bend, arm_of_b, certain, slot, planes)
    return kept - certain, poses, bend


@inner_kernel
def _forget(slot, memory_io):
    """Let a slot know nothing."""
    _, ways, first, (clearance, hints, blocks), _, _, planes, _ = memory_io
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
def _look_closely(k, table, shape_of, pairs, motions, options, memory, work_out, times_out, hits_out, pair_out):
    """Check the features of pair k; returns a lower bound of their distance."""
    slots, _, first, tables, _, _, _, _ = memory
    a, b, slot, n = pairs[k, 0], pairs[k, 1], slots[k], int(times_out[0])
    memories = (
        _memory_view(first, tables, slot, 0),
        _memory_view(first, tables, slot, 1),
        _memory_view(first, tables, slot, 2),
    )
    apart = check_motion(
        shape_view(table, shape_of[a]),
        shape_view(table, shape_of[b]),
        load_motion(motions, a),
        load_motion(motions, b),
        options,
        memories,
        work_out,
        times_out,
        hits_out,
    )
    for h in range(n, min(int(times_out[0]), pair_out.shape[0])):
        pair_out[h] = k
    return apart


@lean_kernel
def check_range(
    begin,
    end,
    table,
    shape_of,
    pairs,
    chosen,
    motions,
    options,
    memory_io,
    effort_out,
    work_out,
    times_out,
    hits_out,
    pair_out,
):
    """Check the motions of the chosen ones of the pairs begin .. end with the options of check_motion.

    chosen = (which pairs, which of these afresh). What is checked afresh uses no memory, so that the effort depends on
    nothing else; it is written to effort_out and limited by options, that of other pairs is neither.
    `motions[i]` = [rotation (9), position (3), displacement (3), rotation vector (3)] of object i. Rows of `hits_out`
    are as check_motion writes them, `pair_out` says to which pair they belong. memory = (slot of each pair, ways,
    first, (clearance, hints, blocks), poses at the ends of the motions, hulls and planes of separating_plane_kernels,
    slack).
    """
    slots, ways, _, _, ends, hulls, planes, slack = memory_io
    radius, ball = table[4][1], table[4][3]
    checked, afresh = chosen
    times_out[0] = 0.0
    for k in range(begin, end):
        effort_out[k] = 0.0
        if not checked[k]:
            continue
        if afresh[k]:
            _forget(slots[k], memory_io)
        slot, pair = slots[k], _smaller_first(pairs[k, 0], pairs[k, 1], shape_of, ball)
        more, poses, bend = _stays_free(pair, slot, shape_of, radius, ball, motions, ends, options, ways, hulls, planes)
        slack[slot] = more if more > 0.0 else 0.0
        if not more >= 0.0:
            limited = (options[0], options[1], options[2], options[3], options[4] if afresh[k] else inf)
            apart = _look_closely(
                k, table, shape_of, pairs, motions, limited, memory_io, work_out, times_out, hits_out, pair_out
            )
            effort_out[k] = work_out[0, EFFORT] if afresh[k] else 0.0
            # Paths kept that distance, and their chords are off by another bend.
            remember_path(poses, apart - bend, slot, ways)


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

    tables = (ways, planes, slack, first, clearance, hints, blocks). Returns how many slots are free and how much is
    used then.
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
