"""Do two parts meet? Traversal of two hierarchies, one pair of triangles or all of them.

Poses are rows [x y z qw qx qy qz].
"""

import numpy as np

from ..._jit import kernel, lean_kernel
from ...geometry.triangles.intersect_kernels import triangles_intersect
from ...math.pose_kernels import load_pose_row, pose_apply, pose_inverse, pose_relative
from ..distance.point_kernels import point_box2
from ..distance.triangle_pair_kernels import load_triangle, moved_triangle
from ..volumes.hierarchy_tables import Pair, Part
from ..volumes.obb_kernels import CENTRE, SIZE
from ..volumes.obb_kernels import overlap as boxes_overlap
from ..volumes.volume_kernels import OBB, prepare, volume_size, volumes_overlap_split

_ROUNDING = 2e-15
"""Of all coordinates that a point is a sum of."""


@lean_kernel
def _slack(boxes_a, boxes_b, X):
    """How far rounding may have carried a point of either part: all coordinates that a point of it is a sum of."""
    size = abs(X.p[0]) + abs(X.p[1]) + abs(X.p[2])
    for k in range(CENTRE, SIZE):
        size += abs(boxes_a[0, k]) + abs(boxes_b[0, k])
    return _ROUNDING * size


@lean_kernel
def _triangles_meet(corners_a, a, corners_b, b, X):
    (a0, a1, a2), (b0, b1, b2) = load_triangle(corners_a, a), moved_triangle(corners_b, b, X)
    return triangles_intersect(a0, a1, a2, b0, b1, b2)


@lean_kernel
def _in_root(corners, boxes, X):
    """Whether a corner of one part, carried by X, lies in the box around the whole of the other."""
    root = np.int64(0)
    p = pose_apply(X, load_triangle(corners, root)[0])
    return point_box2(p, boxes, root) == 0.0


@lean_kernel
def _split_meeting(pair, a, b, slack, top, stack_out):
    """Push the pairs of children that may meet; returns the new height of the stack."""
    kind, table = pair.kind, pair.table
    under_a, under_b = np.int64(pair.a.child[a]), np.int64(pair.b.child[b])
    split_a = under_b < 0 or (
        under_a >= 0 and volume_size(kind, pair.a.rows, a, table) > volume_size(kind, pair.b.rows, b, table)
    )
    a_0, b_0 = (under_a, b) if split_a else (a, under_b)
    first, second = volumes_overlap_split(pair, a_0, b_0, split_a, table, slack)
    if first:
        stack_out[top, 0], stack_out[top, 1] = a_0, b_0
        top += 1
    if second:
        stack_out[top, 0], stack_out[top, 1] = (a_0 + 1, b_0) if split_a else (a_0, b_0 + 1)
        top += 1
    return top


@kernel
def roots_meet(boxes_a, boxes_b, pose_a, pose_b):
    """Whether the boxes around the parts meet."""
    X, root = pose_relative(load_pose_row(pose_a), load_pose_row(pose_b)), np.int64(0)
    return boxes_overlap(boxes_a, root, boxes_b, root, X, _slack(boxes_a, boxes_b, X))


@kernel
def find_meeting(part_a, part_b, pose_a, pose_b, depth):
    """The first pair of triangles found to meet, by oriented boxes; a part is (corners, child, boxes), see Part.

    Returns (a, b, False), or, where there is none, (-1, -1, n): whether a part of one piece may lie inside the other.
    """
    (corners_a, child_a, boxes_a), (corners_b, child_b, boxes_b) = part_a, part_b
    X = pose_relative(load_pose_row(pose_a), load_pose_row(pose_b))
    pair = Pair(Part(corners_a, child_a, boxes_a, boxes_a), Part(corners_b, child_b, boxes_b, boxes_b), X, OBB, None)
    slack = _slack(boxes_a, boxes_b, X)
    stack = np.empty((depth, 2), np.int32)
    stack[0, 0] = stack[0, 1] = 0
    top = 1
    while top > 0:
        top -= 1
        a, b = np.int64(stack[top, 0]), np.int64(stack[top, 1])
        if child_a[a] >= 0 or child_b[b] >= 0:
            top = _split_meeting(pair, a, b, slack, top, stack)
        elif _triangles_meet(corners_a, np.int64(-1 - child_a[a]), corners_b, np.int64(-1 - child_b[b]), X):
            return -1 - child_a[a], -1 - child_b[b], False
    return -1, -1, _in_root(corners_b, boxes_a, X) or _in_root(corners_a, boxes_b, pose_inverse(X))


@kernel
def meet(parts_io, poses, top, stack_io, hits_out):
    """Fill `hits_out` with pairs of triangles that meet; returns how many, and how many pairs of nodes are left open.

    parts = (kind of volume, its table, part A, part B). Begin with top = 0; where pairs are left open, come again with
    that number and the same stack.
    """
    (kind, table, part_a, part_b), (pose_a, pose_b) = parts_io, poses
    X = pose_relative(load_pose_row(pose_a), load_pose_row(pose_b))
    prepare(kind, X, table)
    pair = Pair(Part(*part_a), Part(*part_b), X, kind, table)
    (corners_a, child_a, _, boxes_a), (corners_b, child_b, _, boxes_b) = pair.a, pair.b
    slack = _slack(boxes_a, boxes_b, pair.X)
    if top == 0:
        stack_io[0, 0] = stack_io[0, 1] = 0
        top = 1
    n = 0
    while top > 0 and n < hits_out.shape[0]:
        top -= 1
        a, b = np.int64(stack_io[top, 0]), np.int64(stack_io[top, 1])
        if child_a[a] >= 0 or child_b[b] >= 0:
            top = _split_meeting(pair, a, b, slack, top, stack_io)
        elif _triangles_meet(corners_a, np.int64(-1 - child_a[a]), corners_b, np.int64(-1 - child_b[b]), pair.X):
            hits_out[n, 0], hits_out[n, 1] = -1 - child_a[a], -1 - child_b[b]
            n += 1
    return n, top
