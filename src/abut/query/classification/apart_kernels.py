"""Whether two parts are apart everywhere, so that no edge needs a closer look: both hierarchies at once."""

import numpy as np

from ..._jit import inner_kernel, kernel
from ...math.pose_kernels import load_pose_row, pose_apply, pose_relative
from ...math.vec_kernels import row
from ..distance.triangle_pair_kernels import load_triangle, moved_triangle, triangle_gap2
from ..volumes.obb_kernels import overlaps_split_a, overlaps_split_b
from .brep_index_tables import OUT, BrepIndex, TreeTables
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
def _surfaces_apart(tree_a, tree_b, X, tolerance, stack_io):
    """Whether no triangle of A is within the tolerance of one of B, which stands at X in the frame of A."""
    _, p = X
    slack = tolerance + 1e-12 * (abs(p[0]) + abs(p[1]) + abs(p[2]))  # poses are rounded
    top = _push(0, 0, 0, stack_io)
    while top > 0:
        top -= 1
        a, b = np.int64(stack_io[top, 0]), np.int64(stack_io[top, 1])
        if tree_a.child[a] >= 0 or tree_b.child[b] >= 0:
            top = _divide(tree_a, a, tree_b, b, X, slack, stack_io, top)
            continue
        A = load_triangle(tree_a.corners, -1 - tree_a.child[a])
        gap2, _ = triangle_gap2(A, moved_triangle(tree_b.corners, -1 - tree_b.child[b], X), slack * slack)
        if gap2 <= slack * slack:
            return False
    return True


@kernel
def all_out(index, tree_a, tree_b, points, poses, tolerance, depth):
    """Whether all of part B is out of part A, whose index is given, and farther than the tolerance from its surface.

    `points` (n, 3) are one of each of B's shells; `poses` are rows of A and B.
    """
    index, tree_a, tree_b = BrepIndex(*index), TreeTables(*tree_a), TreeTables(*tree_b)
    X, stack = pose_relative(load_pose_row(poses[0]), load_pose_row(poses[1])), np.empty((depth, 2), np.int32)
    if not _surfaces_apart(tree_a, tree_b, X, tolerance, stack):
        return False
    cells = np.empty(index.depth + 2, np.int32)
    for k in range(points.shape[0]):
        kind, _ = name_point(index, pose_apply(X, row(points, k)), tolerance, cells)
        if kind != OUT:
            return False
    return True
