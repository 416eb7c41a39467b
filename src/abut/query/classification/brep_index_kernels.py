"""Building the index of a B-rep: planes across the axes above, the planes of the part's triangles in the cells below.

A node is divided where the surface-area heuristic expects the least work: it favours balance, few triangles on both
sides, and large empty cells. Division ends where it does not pay, so that the number of cells grows with the number of
triangles, whatever the part: the planes of the B-rep alone would be a chain on convex parts.
"""

import numpy as np

from ..._jit import inner_kernel, kernel, lean_kernel
from ...geometry.triangles.triangle_kernels import sliver_normal
from ...math.vec_kernels import cross, dot, row, sub, unit
from ..distance.triangle_pair_kernels import load_triangle

CELL = 3
_BINS = 16
# A plane costs about as much as this many triangles, and one that leaves a side empty this much less.
_PLANE, _EMPTY = 3.0, 0.8
# Cells of so few triangles are not divided, nor are nodes after so many divisions that did not pay.
_FEW, _IN_VAIN = 4, 1
# Nor are those where even the best division means this many times the work.
_WASTE = 2.0


@kernel
def measure_triangles(corners, planes_out, boxes_out):
    """Planes of triangles and of their sides, see `BrepIndex.planes`, and their boxes (n, 6)."""
    for i in range(corners.shape[0]):
        T = load_triangle(corners, i)
        n = unit(sliver_normal(T[0], T[1], T[2]))
        _put_plane(n, dot(n, T[0]), i, 0, planes_out)
        for k in range(3):
            inward = unit(cross(n, sub(T[(k + 1) % 3], T[k])))
            _put_plane(inward, dot(inward, T[k]), i, 4 * k + 4, planes_out)
            boxes_out[i, k] = min(T[0][k], T[1][k], T[2][k])
            boxes_out[i, 3 + k] = max(T[0][k], T[1][k], T[2][k])


@kernel
def _put_plane(n, offset, i, column, planes_out):
    for k in range(3):
        planes_out[i, column + k] = n[k]
    planes_out[i, column + 3] = offset


@inner_kernel
def _off_axis(axis, a, b, c, half, slack):
    """Whether a triangle about the middle of a box lies beside the box along `axis`."""
    x, y, z = dot(axis, a), dot(axis, b), dot(axis, c)
    reach = abs(axis[0]) * half[0] + abs(axis[1]) * half[1] + abs(axis[2]) * half[2]
    reach += slack * (abs(axis[0]) + abs(axis[1]) + abs(axis[2]))
    return min(x, y, z) > reach or max(x, y, z) < -reach


@lean_kernel
def triangle_meets_box(T, low, high, slack):
    """Whether a triangle has points in a box, or within about `slack` of it: separating axes."""
    middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]))
    half = (0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]), 0.5 * (high[2] - low[2]))
    a, b, c = sub(T[0], middle), sub(T[1], middle), sub(T[2], middle)
    for k in range(3):
        if min(a[k], b[k], c[k]) > half[k] + slack or max(a[k], b[k], c[k]) < -half[k] - slack:
            return False
    sides = (sub(b, a), sub(c, b), sub(a, c))
    if _off_axis(unit(cross(sides[0], sides[1])), a, b, c, half, slack):
        return False
    for side in sides:
        s = unit(side)
        if _off_axis((0.0, -s[2], s[1]), a, b, c, half, slack) or _off_axis((s[2], 0.0, -s[0]), a, b, c, half, slack):
            return False
        if _off_axis((-s[1], s[0], 0.0), a, b, c, half, slack):
            return False
    return True


@kernel
def _area(size):
    return size[0] * size[1] + size[1] * size[2] + size[2] * size[0]


@lean_kernel
def _count_bins(pool, first, count, boxes, axis, low, width, bins_out):
    """How many triangles begin and end in each of the bins along `axis`."""
    bins_out[:] = 0
    for i in range(first, first + count):
        t = pool[i]
        begin = min(_BINS - 1, max(0, int((boxes[t, axis] - low) / width)))
        end = min(_BINS - 1, max(0, int((boxes[t, 3 + axis] - low) / width)))
        bins_out[0, begin] += 1
        bins_out[1, end] += 1


@lean_kernel
def _choose_cut(pool, first, count, boxes, low, high, bins_io):
    """Expected work, axis and place of the best plane; infinite where there is none."""
    size = sub(high, low)
    whole = _area(size)
    best, best_axis, best_at = np.inf, 0, 0.0
    for axis in range(3):
        width = size[axis] / _BINS
        if not (width > 0.0 and whole > 0.0):
            continue
        _count_bins(pool, first, count, boxes, axis, low[axis], width, bins_io)
        below, ended = 0, 0
        across = size[(axis + 1) % 3] * size[(axis + 2) % 3]
        around = size[(axis + 1) % 3] + size[(axis + 2) % 3]
        for k in range(1, _BINS):
            below += bins_io[0, k - 1]
            ended += bins_io[1, k - 1]
            above = count - ended
            work = (below * (across + k * width * around) + above * (across + (_BINS - k) * width * around)) / whole
            work = _PLANE + work * (_EMPTY if below == 0 or above == 0 else 1.0)
            if work < best:
                best, best_axis, best_at = work, axis, low[axis] + k * width
    return best, best_axis, best_at


@kernel
def longer(table, needed):
    """A table with room for `needed` rows, and the rows that there are."""
    if table.shape[0] >= needed:
        return table
    longer = np.empty(2 * needed, table.dtype)
    for i in range(table.shape[0]):
        longer[i] = table[i]
    return longer


@kernel
def longer_rows(table, needed):
    """The same for a table of several columns."""
    if table.shape[0] >= needed:
        return table
    longer = np.empty((2 * needed, table.shape[1]), table.dtype)
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            longer[i, k] = table[i, k]
    return longer


@kernel
def _box_of(boxes, i):
    return (boxes[i, 0], boxes[i, 1], boxes[i, 2]), (boxes[i, 3], boxes[i, 4], boxes[i, 5])


@kernel
def _moved(v, axis, at):
    """`v` with another coordinate along `axis`."""
    return (at if axis == 0 else v[0], at if axis == 1 else v[1], at if axis == 2 else v[2])


@lean_kernel
def _share(corners, low, high, slack, pool, first, count, side_out):
    """Those of the node's triangles that have points in a box; returns how many."""
    n = 0
    for i in range(first, first + count):
        if triangle_meets_box(load_triangle(corners, pool[i]), low, high, slack):
            side_out[n] = pool[i]
            n += 1
    return n


@kernel
def _push(low, high, what, top, waiting_io, cells_io):
    """Let a node wait: its cell; its number, its triangles in the pool, levels left, divisions in vain."""
    waiting_io[top, 0], waiting_io[top, 1], waiting_io[top, 2], waiting_io[top, 3], waiting_io[top, 4] = what
    for k in range(3):
        cells_io[top, k], cells_io[top, 3 + k] = low[k], high[k]


@kernel
def _waiting(table, i):
    return table[i, 0], table[i, 1], table[i, 2], table[i, 3], table[i, 4]


@kernel
def _stacked(side, n_below, n_above, first, pool_io):
    """The pool with the triangles above and then those below a plane in the place of all of the node's."""
    pool = longer(pool_io, first + n_below + n_above)
    for i in range(n_above):
        pool[first + i] = side[1, i]
    for i in range(n_below):
        pool[first + n_above + i] = side[0, i]
    return pool


@kernel
def divide(corners, boxes, box, most_depth, slack):
    """Nodes of the tree, what is filed in its cells, boxes (n_cell, 6) of these, and the depth."""
    n = corners.shape[0]
    axis, cut, child = np.empty(64, np.int8), np.empty(64), np.empty(64, np.int32)
    first, filed, cells = np.zeros(64, np.int32), np.empty(2 * n, np.int32), np.empty((64, 6))
    pool, side, bins = np.arange(n).astype(np.int32), np.empty((2, n), np.int32), np.empty((2, _BINS), np.int32)
    waiting, room = np.empty((most_depth + 2, 5), np.int32), np.empty((most_depth + 2, 6))
    _push(row(box, 0), row(box, 1), (0, 0, n, most_depth, 0), 0, waiting, room)
    top, n_node, n_cell, n_filed, depth = 1, 1, 0, 0, 1
    while top > 0:
        top -= 1
        node, begin, count, left, vain = _waiting(waiting, top)
        low, high = _box_of(room, top)
        work, k, at = _choose_cut(pool, begin, count, boxes, low, high, bins)
        vain += 1 if work >= count else 0
        depth = max(depth, most_depth - left + 1)
        axis, cut, child = longer(axis, n_node + 2), longer(cut, n_node + 2), longer(child, n_node + 2)
        if count <= _FEW or left == 0 or vain > _IN_VAIN or work > _WASTE * count:
            filed, first = longer(filed, n_filed + count), longer(first, n_cell + 2)
            cells = longer_rows(cells, n_cell + 1)
            axis[node], cut[node], child[node] = CELL, 0.0, n_cell
            for i in range(count):
                filed[n_filed + i] = pool[begin + i]
            for i in range(6):
                cells[n_cell, i] = room[top, i]
            n_filed, n_cell = n_filed + count, n_cell + 1
            first[n_cell] = n_filed
            continue
        axis[node], cut[node], child[node] = k, at, n_node
        low_above, high_below = _moved(low, k, at), _moved(high, k, at)
        n_below = _share(corners, low, high_below, slack, pool, begin, count, side[0])
        n_above = _share(corners, low_above, high, slack, pool, begin, count, side[1])
        pool = _stacked(side, n_below, n_above, begin, pool)
        _push(low_above, high, (n_node + 1, begin, n_above, left - 1, vain), top, waiting, room)
        _push(low, high_below, (n_node, begin + n_above, n_below, left - 1, vain), top + 1, waiting, room)
        top, n_node = top + 2, n_node + 2
    tree = axis[:n_node].copy(), cut[:n_node].copy(), child[:n_node].copy()
    return tree, (first[: n_cell + 1].copy(), filed[:n_filed].copy()), cells[:n_cell].copy(), depth


@kernel
def find_quiet(axis, child, first, winding, quiet_out):
    """Nodes under which all is out, and nothing filed; children come after their parents."""
    for node in range(axis.shape[0] - 1, -1, -1):
        under = child[node]
        if axis[node] == CELL:
            quiet_out[node] = 1 if first[under] == first[under + 1] and winding[under] == 0 else 0
        else:
            quiet_out[node] = min(quiet_out[under], quiet_out[under + 1])
