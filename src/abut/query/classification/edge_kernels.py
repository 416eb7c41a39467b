"""Which edges of a part come near another one, or lie in it? Boxes of its hierarchy in the other's index."""

import numpy as np

from ..._jit import inner_kernel, kernel
from ...math.pose_kernels import load_pose_row, pose_apply, pose_relative
from ...math.vec_kernels import mat_vec, put_row, row
from ..volumes.obb_kernels import box_axes, box_centre, box_half
from .brep_index_kernels import CELL
from .brep_index_tables import BrepIndex


@inner_kernel
def _moved_box(boxes, i, X, tolerance):
    """Ends of the box along the axes around oriented box `i` in another frame, and `tolerance` more."""
    R, c, axes, h = X.R, pose_apply(X, box_centre(boxes, i)), box_axes(boxes, i), box_half(boxes, i)
    x = mat_vec(axes, (R[0], R[1], R[2]))
    y = mat_vec(axes, (R[3], R[4], R[5]))
    z = mat_vec(axes, (R[6], R[7], R[8]))
    a = abs(x[0]) * h[0] + abs(x[1]) * h[1] + abs(x[2]) * h[2] + tolerance
    b = abs(y[0]) * h[0] + abs(y[1]) * h[1] + abs(y[2]) * h[2] + tolerance
    e = abs(z[0]) * h[0] + abs(z[1]) * h[1] + abs(z[2]) * h[2] + tolerance
    return (c[0] - a, c[1] - b, c[2] - e), (c[0] + a, c[1] + b, c[2] + e)


@inner_kernel
def _is_out(index, low, high, stack_io):
    """Whether all cells that a box reaches are out, and nothing is filed in them."""
    for k in range(3):
        if low[k] > index.box[1, k] or high[k] < index.box[0, k]:
            return True
    stack_io[0], top = 0, 1
    while top > 0:
        top -= 1
        node = np.int64(stack_io[top])
        if index.quiet[node] == 1:
            continue
        axis, under, cut = index.axis[node], np.int64(index.child[node]), index.cut[node]
        if axis == CELL:
            return False
        if low[axis] <= cut:
            stack_io[top] = under
            top += 1
        if high[axis] >= cut:
            stack_io[top] = under + 1
            top += 1
    return True


@kernel
def edges_not_out(index, tree, edges, poses, tolerance, depth, found_out, points_out):
    """Edges of another part that may not be out, by their places in the list of sharp ones; returns how many.

    `tree` is child, boxes and order of the other part's hierarchy; `edges` its edges of triangles, the place of each
    edge in the list (-1: flat), the ends of those in the list, and its vertices; `poses` are rows. The ends of the i-th
    edge that is found are points 2 i and 2 i + 1, in the frame of the index.
    """
    index = BrepIndex(*index)
    child, boxes, order = tree
    X, size = pose_relative(load_pose_row(poses[0]), load_pose_row(poses[1])), found_out.shape[0]
    seen, stack, cells = np.zeros(size, np.bool_), np.zeros(depth, np.int32), np.empty(index.depth + 2, np.int32)
    n, top = 0, 1
    while top > 0:
        top -= 1
        node = np.int64(stack[top])
        low, high = _moved_box(boxes, node, X, tolerance)
        if _is_out(index, low, high, cells):
            continue
        under = np.int64(child[node])
        if under >= 0:
            stack[top], stack[top + 1] = under, under + 1
            top += 2
            continue
        n = _add_edges(index, edges, order[-1 - under], X, tolerance, n, (seen, cells), (found_out, points_out))
    return n


@kernel
def edges_of_triangles(index, edges, triangles, poses, tolerance, found_out, points_out):
    """Those of a few triangles alone, as `edges_not_out` finds them; there is room for three of each."""
    index, (_, _, ends, _) = BrepIndex(*index), edges
    X, seen = pose_relative(load_pose_row(poses[0]), load_pose_row(poses[1])), np.zeros(ends.shape[0], np.bool_)
    n, cells = 0, np.empty(index.depth + 2, np.int32)
    for triangle in triangles:
        n = _add_edges(index, edges, triangle, X, tolerance, n, (seen, cells), (found_out, points_out))
    return n


@inner_kernel
def _add_edges(index, edges, triangle, X, tolerance, n, work, near_out):
    """Append edges of a triangle, and their ends, that are new and may not be out; returns how many there are."""
    seen, stack = work
    found, points = near_out
    of_triangle, place, ends, vertices = edges
    for k in range(3):
        e = np.int64(place[of_triangle[triangle, k]])
        if e < 0 or seen[e]:
            continue
        seen[e] = True
        p, q = pose_apply(X, row(vertices, ends[e, 0])), pose_apply(X, row(vertices, ends[e, 1]))
        low = (min(p[0], q[0]) - tolerance, min(p[1], q[1]) - tolerance, min(p[2], q[2]) - tolerance)
        high = (max(p[0], q[0]) + tolerance, max(p[1], q[1]) + tolerance, max(p[2], q[2]) + tolerance)
        if not _is_out(index, low, high, stack):
            put_row(p, 2 * n, points)
            put_row(q, 2 * n + 1, points)
            found[n] = e
            n += 1
    return n
