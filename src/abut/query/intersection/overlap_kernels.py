"""Do two parts meet? Traversal of two hierarchies, one pair of triangles or all of them.

Poses are rows [x y z qw qx qy qz].
"""

import numpy as np

from ..._jit import kernel
from ...geometry.triangles.intersect_kernels import triangles_intersect
from ...math.pose_kernels import pose_apply, pose_inverse, pose_relative
from ..distance.point_kernels import point_box2
from ..distance.triangle_pair_kernels import load_triangle, moved_triangle
from ..search.search_kernels import load_pose_row
from ..volumes.hierarchy_tables import Pair, Part
from ..volumes.obb_kernels import CENTRE, SIZE
from ..volumes.volume_kernels import OBB, prepare, volume_size, volumes_overlap, volumes_overlap_split


@kernel
def _slack(boxes_a, boxes_b, X):
    """How far rounding may have carried a point of either part: all coordinates that a point of it is a sum of."""
    _, (x, y, z) = X
    size = abs(x) + abs(y) + abs(z)
    for k in range(CENTRE, SIZE):
        size += abs(boxes_a[0, k]) + abs(boxes_b[0, k])
    return 2e-15 * size


@kernel
def _triangles_meet(corners_a, a, corners_b, b, X):
    R, p = X
    (a0, a1, a2), (b0, b1, b2) = load_triangle(corners_a, a), moved_triangle(corners_b, b, R, p)
    return triangles_intersect(a0, a1, a2, b0, b1, b2)


@kernel
def _in_root(corners, boxes, X):
    """Whether a corner of one part, carried by X, lies in the box around the whole of the other."""
    root = np.int64(0)
    p = pose_apply(X, load_triangle(corners, root)[0])
    return point_box2(p, boxes, root) == 0.0


@kernel
def _split_meeting(pair, a, b, slack, top, stack_out):
    """Push the pairs of children that may meet; returns the new height of the stack."""
    (_, child_a, rows_a, _), (_, child_b, rows_b, _), X, kind, table = pair
    under_a, under_b = np.int64(child_a[a]), np.int64(child_b[b])
    split_a = under_b < 0 or (
        under_a >= 0 and volume_size(kind, rows_a, a, table) > volume_size(kind, rows_b, b, table)
    )
    a_0, b_0 = (under_a, b) if split_a else (a, under_b)
    first, second = volumes_overlap_split(kind, rows_a, a_0, rows_b, b_0, split_a, X, table, slack)
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
    return volumes_overlap(OBB, boxes_a, root, boxes_b, root, X, None, _slack(boxes_a, boxes_b, X))


@kernel
def find_meeting(corners_a, child_a, boxes_a, corners_b, child_b, boxes_b, pose_a, pose_b, depth):
    """The first pair of triangles found to meet, by oriented boxes; tables come one by one, as Python is sooner done.

    Returns (a, b, False), or, where there is none, (-1, -1, n): whether a part of one piece may lie inside the other.
    """
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
    R, p = pose_relative(load_pose_row(pose_a), load_pose_row(pose_b))
    prepare(kind, R, p, table)
    pair = Pair(Part(*part_a), Part(*part_b), (R, p), kind, table)
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
