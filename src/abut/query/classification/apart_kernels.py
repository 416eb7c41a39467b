"""Where two parts are near each other, if only in a few places: both hierarchies at once.

Edges need a closer look only there. The surface of a part falls into the triangles that are near the other part and
what they leave of each shell. Where no corner of the former lies in the other part, the latter are out as a whole.
"""

import numpy as np

from ..._jit import inner_kernel, kernel
from ...math.pose_kernels import load_pose_row, pose_apply, pose_relative
from ...math.vec_kernels import row
from ..distance.triangle_pair_kernels import load_triangle, moved_triangle, triangle_gap2
from ..volumes.obb_kernels import overlaps_split_a, overlaps_split_b
from .brep_index_tables import IN, BrepIndex, TreeTables
from .place_kernels import name_point

_RADIUS = 15
"""Column of the radius of a box, by which the larger of two is divided."""


@inner_kernel
def _push(a, b, top, stack_io):
    stack_io[top, 0], stack_io[top, 1] = a, b
    return top + 1


@inner_kernel
def _divide(tree_a, a, tree_b, b, X, slack, stack_io, top):
    """Push pairs of children whose boxes are within `slack` of each other; returns the new height of the stack."""
    under_a, under_b = np.int64(tree_a.child[a]), np.int64(tree_b.child[b])
    if under_b < 0 or (under_a >= 0 and tree_a.boxes[a, _RADIUS] > tree_b.boxes[b, _RADIUS]):
        first, second = overlaps_split_a(tree_a.boxes, under_a, tree_b.boxes, b, X, slack)
        top = _push(under_a, b, top, stack_io) if first else top
        return _push(under_a + 1, b, top, stack_io) if second else top
    first, second = overlaps_split_b(tree_a.boxes, a, tree_b.boxes, under_b, X, slack)
    top = _push(a, under_b, top, stack_io) if first else top
    return _push(a, under_b + 1, top, stack_io) if second else top


@inner_kernel
def _is_listed(near, n, j):
    for k in range(n):
        if near[k] == j:
            return True
    return False


@inner_kernel
def _reaches_in(index, T, tolerance, cells_io):
    """Whether a corner of a triangle lies in the part of an index."""
    for corner in T:
        kind, _ = name_point(index, corner, tolerance, cells_io)
        if kind == IN:
            return True
    return False


@inner_kernel
def _list_near(index, tree_a, tree_b, X, tolerance, work, near_out):
    """Triangles of B, which stands at X in the frame of A, within the tolerance of A's; returns how many.

    It is -1 where there is no room for all, or where a corner of one lies in A.
    """
    (stack, cells), (_, p) = work, X
    slack = tolerance + 1e-12 * (abs(p[0]) + abs(p[1]) + abs(p[2]))  # poses are rounded
    top, n = _push(0, 0, 0, stack), 0
    while top > 0:
        top -= 1
        a, b = np.int64(stack[top, 0]), np.int64(stack[top, 1])
        if tree_a.child[a] >= 0 or tree_b.child[b] >= 0:
            top = _divide(tree_a, a, tree_b, b, X, slack, stack, top)
            continue
        j = -1 - tree_b.child[b]
        if _is_listed(near_out, n, j):
            continue
        T = moved_triangle(tree_b.corners, j, X)
        gap2, _ = triangle_gap2(load_triangle(tree_a.corners, -1 - tree_a.child[a]), T, slack * slack)
        if gap2 <= slack * slack:
            if n == near_out.shape[0] or _reaches_in(index, T, tolerance, cells):
                return -1
            near_out[n] = j
            n += 1
    return n


@kernel
def few_near(index, tree_a, tree_b, points, poses, tolerance, depth, near_out):
    """Triangles of part B, by their places in its tree, within the tolerance of part A's surface; returns how many.

    It is -1 where they are more than there is room for, or where more than they may be in part A, whose index is given.
    `points` (n, 3) are one of each of B's shells; `poses` are rows of A and B.
    """
    index, tree_a, tree_b = BrepIndex(*index), TreeTables(*tree_a), TreeTables(*tree_b)
    X, stack = pose_relative(load_pose_row(poses[0]), load_pose_row(poses[1])), np.empty((depth, 2), np.int32)
    cells = np.empty(index.depth + 2, np.int32)
    n = _list_near(index, tree_a, tree_b, X, tolerance, (stack, cells), near_out)
    for k in range(points.shape[0] if n >= 0 else 0):
        kind, _ = name_point(index, pose_apply(X, row(points, k)), tolerance, cells)
        if kind == IN:
            return -1
    return n
