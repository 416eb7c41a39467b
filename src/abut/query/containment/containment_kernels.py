"""Is a point inside a closed surface? The winding number by rays, with exact signs.

A ray that passes exactly through an edge or a corner, or lies in a plane, is given up for another direction; so
every crossing counted is certain, and so is the sum.
"""

from math import sqrt

import numpy as np

from ..._jit import kernel
from ...geometry.triangles.exact_kernels import orient3d
from ...geometry.triangles.intersect_kernels import triangles_intersect
from ...math.pose_kernels import load_pose_row, pose_apply, pose_apply_inverse
from ...math.union_kernels import find_root
from ...math.vec_kernels import add_scaled, mat_vec, norm, sub
from ..distance.triangle_pair_kernels import load_triangle
from ..volumes.obb_kernels import box_axes, box_centre, box_half

OUTSIDE, INSIDE, ON_SURFACE, UNDECIDED = 0, 1, 2, 3

DIRECTIONS = 32
# [rad] between directions that follow each other; and of the first, so that rays run along no axis.
_GOLDEN_ANGLE, _OFF_AXES = 2.39996322972865332, 0.1234
_ROUNDING = 1e-14
"""Of the lengths that go into a test of a box."""


@kernel
def ray_direction(k):
    """Direction number `k` of a spiral around the sphere."""
    z = 1.0 - (2.0 * k + 1.0) / DIRECTIONS
    r, angle = sqrt(1.0 - z * z), _GOLDEN_ANGLE * k + _OFF_AXES
    return r * np.cos(angle), r * np.sin(angle), z


@kernel
def _segment_misses_box(p, d, rows, i):
    """Whether the segment from `p` along `d` certainly misses box `i`: axes of the box, and across the segment."""
    axes, h = box_axes(rows, i), box_half(rows, i)
    half = mat_vec(axes, (0.5 * d[0], 0.5 * d[1], 0.5 * d[2]))
    m = mat_vec(axes, sub(add_scaled(p, 0.5, d), box_centre(rows, i)))
    x, y, z = abs(half[0]), abs(half[1]), abs(half[2])
    slack = _ROUNDING * (x + y + z + abs(m[0]) + abs(m[1]) + abs(m[2]))
    if abs(m[0]) > h[0] + x + slack or abs(m[1]) > h[1] + y + slack or abs(m[2]) > h[2] + z + slack:
        return True
    reach = slack * (x + y + z + h[0] + h[1] + h[2])
    return (
        abs(m[1] * half[2] - m[2] * half[1]) > h[1] * z + h[2] * y + reach
        or abs(m[2] * half[0] - m[0] * half[2]) > h[0] * z + h[2] * x + reach
        or abs(m[0] * half[1] - m[1] * half[0]) > h[0] * y + h[1] * x + reach
    )


@kernel
def crossing_of_triangle(p, q, T):
    """Crossing of the segment pq with a triangle: -1, 0 or 1; 2 where p is on the triangle, 3 where it is in doubt."""
    a, b, c = T[0], T[1], T[2]
    side_p = orient3d(a, b, c, p)
    if side_p == 0:
        if triangles_intersect(p, p, p, a, b, c):
            return 2
        return 3 if orient3d(a, b, c, q) == 0 else 0
    side_q = orient3d(a, b, c, q)
    if side_q == side_p:
        return 0
    s0, s1, s2 = orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)
    if max(s0, s1, s2) > 0 and min(s0, s1, s2) < 0:
        return 0
    return side_p if side_q != 0 and s0 * s1 * s2 != 0 else 3


@kernel
def _shoot(p, d, corners, child, boxes, stack_io):
    """Winding number of `p` by the ray along `d`, and ON_SURFACE or UNDECIDED where it has none (else 0)."""
    q = add_scaled(p, 1.0, d)
    winding, top = 0, 1
    stack_io[0] = 0
    while top > 0:
        top -= 1
        node = np.int64(stack_io[top])
        if _segment_misses_box(p, d, boxes, node):
            continue
        under = np.int64(child[node])
        if under >= 0:
            stack_io[top], stack_io[top + 1] = under, under + 1
            top += 2
            continue
        crossing = crossing_of_triangle(p, q, load_triangle(corners, -1 - under))
        if crossing >= 2:
            return 0, crossing
        winding += crossing
    return winding, 0


@kernel
def locate_point(p, corners, child, boxes, stack_io):
    """OUTSIDE, INSIDE, ON_SURFACE, or UNDECIDED where every ray met an edge."""
    root = np.int64(0)
    length = 2.0 * (norm(sub(p, box_centre(boxes, root))) + 2.0 * norm(box_half(boxes, root)))
    for k in range(DIRECTIONS):
        n = ray_direction(k)
        winding, trouble = _shoot(p, (length * n[0], length * n[1], length * n[2]), corners, child, boxes, stack_io)
        if trouble == ON_SURFACE:
            return ON_SURFACE
        if trouble == 0:
            return INSIDE if winding != 0 else OUTSIDE
    return UNDECIDED


@kernel
def locate_points(points, corners, child, boxes, depth, place_out):
    """Place of each of (n, 3) points."""
    stack = np.empty(depth + 2, np.int32)
    for i in range(points.shape[0]):
        place_out[i] = locate_point((points[i, 0], points[i, 1], points[i, 2]), corners, child, boxes, stack)


@kernel
def connect(triangles, root_out):
    """For each vertex the smallest one that triangles connect it with."""
    for i in range(root_out.shape[0]):
        root_out[i] = i
    for t in range(triangles.shape[0]):
        for k in range(2):
            i, j = find_root(root_out, triangles[t, k]), find_root(root_out, triangles[t, k + 1])
            root_out[max(i, j)] = min(i, j)
    for i in range(root_out.shape[0]):
        root_out[i] = root_out[root_out[i]]


@kernel
def _any_within(points, bounds, X_from, X_to):
    for i in range(points.shape[0]):
        p = pose_apply_inverse(X_to, pose_apply(X_from, (points[i, 0], points[i, 1], points[i, 2])))
        if (
            bounds[0, 0] <= p[0] <= bounds[1, 0]
            and bounds[0, 1] <= p[1] <= bounds[1, 1]
            and bounds[0, 2] <= p[2] <= bounds[1, 2]
        ):
            return True
    return False


@kernel
def may_nest(points_a, bounds_a, points_b, bounds_b, pose_a, pose_b):
    """1 where a point of A lies within the bounds of B, plus 2 where one of B lies within those of A."""
    X_a, X_b = load_pose_row(pose_a), load_pose_row(pose_b)
    inside = 1 if _any_within(points_a, bounds_b, X_a, X_b) else 0
    return inside + (2 if _any_within(points_b, bounds_a, X_b, X_a) else 0)
