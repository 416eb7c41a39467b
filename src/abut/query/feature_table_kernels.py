"""Many shapes and pairs of them in flat tables, checked in one call.

A table holds the concatenated arrays of all shapes' exposed features and, in `start`, where each shape's rows begin;
the view of one shape is the tuple that motion_check_kernels takes.
"""

from .._jit import kernel
from .motion_check_kernels import check_motion

# Columns of `start`: where the rows of a shape begin in the tables.
POINT, POINT_BLOCK, SEGMENT, SEGMENT_BLOCK, SEGMENT_CELL, SEGMENT_ITEM = 0, 1, 2, 3, 4, 5
TRIANGLE, TRIANGLE_CELL, TRIANGLE_ITEM, PLANE = 6, 7, 8, 9


@kernel
def _rows(table, start, s, column):
    return table[start[s, column] : start[s + 1, column]]


@kernel
def shape_view(table, s):
    """Exposed features of shape `s`, as motion_check_kernels takes them."""
    start, points, segments, triangles, scalars = table
    point, point_centre, point_radius = points
    segment, segment_centre, segment_radius, edge_box, edge_bounds, edge_frame, edge_cell, edge_item = segments
    corner, plane, box, bounds, frame, cell, item = triangles
    half_space, radius, size = scalars
    edges = _rows(segment, start, s, SEGMENT)
    edge_grid = (edge_frame[s], _rows(edge_cell, start, s, SEGMENT_CELL), _rows(edge_item, start, s, SEGMENT_ITEM))
    triangle_grid = (frame[s], _rows(cell, start, s, TRIANGLE_CELL), _rows(item, start, s, TRIANGLE_ITEM))
    return (
        (
            _rows(point, start, s, POINT),
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
    )


@kernel
def _memory_view(memory, k, channel):
    """Memory of one of the three searches of pair k."""
    first, state, span, block_pose, pool, found = memory
    i, j = first[k, 2 * channel], first[k, 2 * channel + 2]
    b, c = first[k, 2 * channel + 1], first[k, 2 * channel + 3]
    return state[i:j], span[i:j], block_pose[b:c], pool, found


@kernel
def check_pairs(table, shape_of, pairs, chosen, motions, options, memory, times_out, hits_out, pair_out):
    """Check the motions of all chosen pairs with the options of check_motion; False if the memory is too small.

    `motions[i]` = [rotation (9), position (3), displacement (3), rotation vector (3)] of object i. Rows of `hits_out`
    are as check_motion writes them, `pair_out` says to which pair they belong. `memory[0]` (n_pair, 8) says where the
    memory of each pair begins and ends: features and blocks of the three searches in turn.
    """
    times_out[0] = 0.0
    for k in range(pairs.shape[0]):
        if not chosen[k]:
            continue
        a, b = pairs[k, 0], pairs[k, 1]
        first = int(times_out[0])
        memories = (_memory_view(memory, k, 0), _memory_view(memory, k, 1), _memory_view(memory, k, 2))
        view_a, view_b = shape_view(table, shape_of[a]), shape_view(table, shape_of[b])
        motion_a, motion_b = load_motion(motions, a), load_motion(motions, b)
        if not check_motion(view_a, view_b, motion_a, motion_b, options, memories, times_out, hits_out):
            return False
        for h in range(first, min(int(times_out[0]), pair_out.shape[0])):
            pair_out[h] = k
    return True


@kernel
def load_motion(motions, i):
    """Row i of a table of motions as (pose, displacement, rotation vector)."""
    m = motions[i]
    R = (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
    return (R, (m[9], m[10], m[11])), (m[12], m[13], m[14]), (m[15], m[16], m[17])
