"""A grid of cells in the frame of one part, for looking up what lies near a small moving feature.

A vertex or an edge of the other part, carried into this frame, has a small box of its own, which covers a few cells;
each cell lists the elements whose boxes meet it. For features of the size of the elements this is quicker than a tree's
descent. A Grid has frame = [origin (3), cells per length, cells along x, y, z, codes per length], and cell (x, y, z)
lists the groups start[c] .. start[c + 1], c = (x n_y + y) n_z + z. One more cell at the end lists all elements. A group
has room for 16 elements, the first 16 columns of items[g], -1 where there is none. The three columns behind tell, bit
by bit, of which of them the cell is the first one along x, y and z. Their boxes in codes[g] are whole numbers, which
the processor compares 16 at a time; as all coordinates are coded alike, boxes that meet have codes that meet.
"""

import numpy as np

from ..._jit import LANES, inner_kernel, kernel, lean_kernel
from .feature_tables import Grid

# Columns of a grid's frame, behind the origin: cells per length, cells along the axes (3), codes per length.
PER_LENGTH, CELLS, CODES_PER_LENGTH = 3, 4, 7
# Codes of coordinates within the grid are -LOWEST .. LOWEST - 2; a place without an element lies beyond all of them.
LOWEST = 32768
NOWHERE = 32767


@lean_kernel
def cell_coordinate(value, frame, k):
    """Cell along axis k that holds a coordinate, clamped to the grid."""
    x = (value - frame[k]) * frame[PER_LENGTH]
    last = frame[CELLS + k] - 1.0
    return int(min(max(x, 0.0), last))


@lean_kernel
def cell_range(low, high, frame):
    """First and last cell along each axis that the box [low, high] meets."""
    first = (cell_coordinate(low[0], frame, 0), cell_coordinate(low[1], frame, 1), cell_coordinate(low[2], frame, 2))
    last = (cell_coordinate(high[0], frame, 0), cell_coordinate(high[1], frame, 1), cell_coordinate(high[2], frame, 2))
    return first, last


@lean_kernel
def _range_of_element(boxes, e, frame):
    low = (boxes[e, 0], boxes[e, 1], boxes[e, 2])
    return cell_range(low, (boxes[e, 3], boxes[e, 4], boxes[e, 5]), frame)


@kernel
def count_entries(boxes, frame):
    """How many entries the lists of all cells would have together."""
    n = 0
    for e in range(boxes.shape[0]):
        first, last = _range_of_element(boxes, e, frame)
        n += (last[0] - first[0] + 1) * (last[1] - first[1] + 1) * (last[2] - first[2] + 1)
    return n


@kernel
def count_groups(boxes, frame, count_out, start_out):
    """Where the groups of each cell start; count_out has an entry for each cell, start_out one more."""
    n_y, n_z = int(frame[CELLS + 1]), int(frame[CELLS + 2])
    count_out[:] = 0
    count_out[-1] = boxes.shape[0]
    for e in range(boxes.shape[0]):
        first, last = _range_of_element(boxes, e, frame)
        for x in range(first[0], last[0] + 1):
            for y in range(first[1], last[1] + 1):
                for z in range(first[2], last[2] + 1):
                    count_out[(x * n_y + y) * n_z + z] += 1
    start_out[0] = 0
    for c in range(count_out.shape[0]):
        start_out[c + 1] = start_out[c] + (count_out[c] + LANES - 1) // LANES


@lean_kernel
def code_of(value, frame, k):
    """A coordinate along axis k as a whole number, clamped to the grid."""
    x = (value - frame[k]) * frame[CODES_PER_LENGTH]
    return np.int16(int(min(max(x, 0.0), 2.0 * LOWEST - 2.0)) - LOWEST)


@lean_kernel
def _add_entry(boxes, e, c, is_first, count_io, grid_io):
    """Element e as the next one of cell c, which has `count_io` so far; whether c is its first one along the axes."""
    frame, start, items, codes = grid_io
    g, lane = start[c] + count_io[c] // LANES, count_io[c] % LANES
    items[g, lane] = e
    for k in range(3):
        items[g, LANES + k] |= int(is_first[k]) << lane
    for k in range(6):
        codes[g, k, lane] = code_of(boxes[e, k], frame, k % 3)
    count_io[c] += 1


@kernel
def fill_cells(boxes, frame, start, count_io, items_out, codes_out):
    """Fill the groups of all cells; `count_io` is scratch with an entry for each cell."""
    n_y, n_z, grid = int(frame[CELLS + 1]), int(frame[CELLS + 2]), Grid(frame, start, items_out, codes_out)
    items_out[:, :LANES], items_out[:, LANES:] = -1, 0
    codes_out[:, :3], codes_out[:, 3:] = NOWHERE, -LOWEST
    count_io[:] = 0
    for e in range(boxes.shape[0]):
        first, last = _range_of_element(boxes, e, frame)
        for x in range(first[0], last[0] + 1):
            for y in range(first[1], last[1] + 1):
                for z in range(first[2], last[2] + 1):
                    c, is_first = (x * n_y + y) * n_z + z, (x == first[0], y == first[1], z == first[2])
                    _add_entry(boxes, e, c, is_first, count_io, grid)
        _add_entry(boxes, e, count_io.shape[0] - 1, (True, True, True), count_io, grid)


@kernel
def spatial_order(boxes, frame, key_out):
    """A key that neighbours in space share in their leading digits: the interleaved bits of the cell (Morton)."""
    for e in range(boxes.shape[0]):
        key = 0
        for k in range(3):
            c = cell_coordinate(0.5 * (boxes[e, k] + boxes[e, 3 + k]), frame, k)
            for bit in range(10):
                key |= ((c >> bit) & 1) << (3 * bit + k)
        key_out[e] = key


@lean_kernel
def box_separation(low, high, bounds, i):
    """Lower bound of the distance of the box [low, high] and row `i` of (n, 6) bounds; not positive if they meet."""
    return max(
        low[0] - bounds[i, 3],
        bounds[i, 0] - high[0],
        low[1] - bounds[i, 4],
        bounds[i, 1] - high[1],
        low[2] - bounds[i, 5],
        bounds[i, 2] - high[2],
    )


@lean_kernel
def widened(low, high, margin):
    """The box [low, high] with a margin around it."""
    low = (low[0] - margin, low[1] - margin, low[2] - margin)
    return low, (high[0] + margin, high[1] + margin, high[2] + margin)


@lean_kernel
def codes_of(low, high, frame):
    """The box [low, high] as groups of a grid have theirs."""
    return (
        code_of(low[0], frame, 0),
        code_of(low[1], frame, 1),
        code_of(low[2], frame, 2),
        code_of(high[0], frame, 0),
        code_of(high[1], frame, 1),
        code_of(high[2], frame, 2),
    )


@lean_kernel
def cells_of(low, high, frame, start, n_element):
    """The cells to look through for elements that meet the box [low, high].

    Returns first and last cell along the axes and what to add to a cell's number: where there would be more cells than
    elements, it is the one cell that lists all elements.
    """
    first, last = cell_range(low, high, frame)
    if (last[0] - first[0] + 1) * (last[1] - first[1] + 1) * (last[2] - first[2] + 1) > n_element:
        return (0, 0, 0), (0, 0, 0), start.shape[0] - 2
    return first, last, 0


@inner_kernel
def seen_first(items, g, cell, first):
    """Which of the elements of a group the cell is the first one for that they share with the box, bit by bit.

    The box begins in the cell `first`. Along each axis, the first common cell is that of the box or of the element.
    """
    seen = -1
    for k in range(3):
        if cell[k] > first[k]:
            seen &= items[g, LANES + k]
    return seen


@kernel
def bounds_of_boxes(boxes, bounds_out):
    """Bounds of all boxes, as a table of one row."""
    for k in range(3):
        low, high = np.inf, -np.inf
        for e in range(boxes.shape[0]):
            low, high = min(low, boxes[e, k]), max(high, boxes[e, 3 + k])
        bounds_out[0, k], bounds_out[0, 3 + k] = low, high
