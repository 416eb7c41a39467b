"""Points in tetrahedra: which one, with which barycentric coordinates, and how motions and loads pass between them."""

from math import floor, inf

import numpy as np

from ..._jit import kernel, lean_kernel
from ...math.vec_kernels import load_mat, mat_vec, row, sub
from .embedding_tables import CellGrid


@lean_kernel
def _cell(x, axis, grid):
    """Cell of a coordinate along one axis, the outermost one where it lies outside."""
    return min(max(floor((x - grid.low[axis]) / grid.size), 0), grid.counts[axis] - 1)


@lean_kernel
def _cell_range(nodes, tetrahedra, t, axis, grid):
    """First and last cell along an axis of a tetrahedron and its surroundings, half a cell wide."""
    least, most = inf, -inf
    for k in range(4):
        x = nodes[tetrahedra[t, k], axis]
        least, most = min(least, x), max(most, x)
    return _cell(least - 0.5 * grid.size, axis, grid), _cell(most + 0.5 * grid.size, axis, grid)


@lean_kernel
def _enter(nodes, tetrahedra, grid, filling, start_io, items_io):
    """Count tetrahedra in cells, or, `filling`, note them there; `start_io` are counts, or where the next one goes."""
    for t in range(tetrahedra.shape[0]):
        i0, i1 = _cell_range(nodes, tetrahedra, t, 0, grid)
        j0, j1 = _cell_range(nodes, tetrahedra, t, 1, grid)
        k0, k1 = _cell_range(nodes, tetrahedra, t, 2, grid)
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                for k in range(k0, k1 + 1):
                    c = (i * grid.counts[1] + j) * grid.counts[2] + k
                    if filling:
                        items_io[start_io[c]] = t
                    start_io[c] += 1


@lean_kernel
def barycentric(nodes, tetrahedra, inverse, t, p):
    """Shares of the four corners of tetrahedron `t` at the point p."""
    b = mat_vec(load_mat(inverse, t), sub(p, row(nodes, tetrahedra[t, 0])))
    return 1.0 - b[0] - b[1] - b[2], b[0], b[1], b[2]


@kernel
def locate(nodes, tetrahedra, inverse, points, grid, own_out, weight_out):
    """The tetrahedron of each point in which its smallest share is largest, the first of equals; -1 if none is near."""
    grid = CellGrid(*grid)
    counts = grid.counts
    n_cell = np.int64(counts[0]) * counts[1] * counts[2]
    start, items = np.zeros(n_cell + 1, np.int64), np.empty(0, np.int32)
    _enter(nodes, tetrahedra, grid, False, start, items)
    total = np.int64(0)
    for c in range(n_cell + 1):
        total, start[c] = total + start[c], total
    items = np.empty(total, np.int32)
    _enter(nodes, tetrahedra, grid, True, start, items)
    for i in range(points.shape[0]):
        p = row(points, i)
        x, y, z = _cell(p[0], 0, grid), _cell(p[1], 1, grid), _cell(p[2], 2, grid)
        c = (x * counts[1] + y) * counts[2] + z
        best, own_out[i] = -inf, -1
        for k in range(start[c - 1] if c > 0 else 0, start[c]):
            b = barycentric(nodes, tetrahedra, inverse, items[k], p)
            least = min(min(b[0], b[1]), min(b[2], b[3]))
            if least > best:
                best, own_out[i] = least, items[k]
                weight_out[i, 0], weight_out[i, 1], weight_out[i, 2], weight_out[i, 3] = b


@kernel
def carry(corner, weight, nodes, points_out):
    """Points of a skin where their nodes are."""
    for i in range(corner.shape[0]):
        for d in range(3):
            points_out[i, d] = (
                weight[i, 0] * nodes[corner[i, 0], d]
                + weight[i, 1] * nodes[corner[i, 1], d]
                + weight[i, 2] * nodes[corner[i, 2], d]
                + weight[i, 3] * nodes[corner[i, 3], d]
            )


@kernel
def spread(corner, weight, loads, nodes_io):
    """Add loads on points of a skin to those of their nodes."""
    for i in range(corner.shape[0]):
        for k in range(4):
            for d in range(3):
                nodes_io[corner[i, k], d] += weight[i, k] * loads[i, d]
