"""The point of a part closest to a given point, by branch and bound over oriented boxes."""

from math import inf

import numpy as np

from ..._jit import lean_kernel
from ...geometry.triangles.triangle_kernels import closest_point_triangle
from ...math.vec_kernels import distance2, mat_vec, sub
from ..volumes.obb_kernels import box_axes, box_centre, box_half
from .triangle_pair_kernels import load_triangle


@lean_kernel
def point_box2(point, rows, i):
    """Squared distance of a point from box `i`; 0 inside."""
    v = mat_vec(box_axes(rows, i), sub(point, box_centre(rows, i)))
    h = box_half(rows, i)
    x, y, z = max(0.0, abs(v[0]) - h[0]), max(0.0, abs(v[1]) - h[1]), max(0.0, abs(v[2]) - h[2])
    return x * x + y * y + z * z


@lean_kernel
def _second_is_nearer(point, rows, first):
    """Whether the centre of box `first + 1` is nearer than that of `first`."""
    return distance2(point, box_centre(rows, first + 1)) < distance2(point, box_centre(rows, first))


@lean_kernel
def closest_point_part(point, part, stack_io, key_io, limit):
    """Closest point found within `limit` nodes, its squared distance and its triangle, by nearest box first."""
    return closest_point_from(point, part, stack_io, key_io, limit, inf, point, np.int64(-1))


@lean_kernel
def closest_point_from(point, part, stack_io, key_io, limit, best2, best, where):
    """`closest_point_part` where one is known: `best` at squared distance `best2`, on triangle `where`."""
    corners, child, _, rows = part
    stack_io[0], key_io[0], top = 0, 0.0, 1
    while top > 0:
        top -= 1
        if key_io[top] >= best2:
            continue
        first = np.int64(child[stack_io[top]])
        if first < 0:
            A = load_triangle(corners, -1 - first)
            q, _ = closest_point_triangle(point, A[0], A[1], A[2])
            d2 = distance2(point, q)
            if d2 < best2:
                best2, best, where = d2, q, -1 - first
            continue
        limit -= 1
        if limit < 0 and where >= 0:
            break
        k0, k1 = point_box2(point, rows, first), point_box2(point, rows, first + 1)
        near = 1 if k1 < k0 or (k1 == k0 and _second_is_nearer(point, rows, first)) else 0
        stack_io[top], key_io[top] = first + 1 - near, max(k0, k1)
        stack_io[top + 1], key_io[top + 1] = first + near, min(k0, k1)
        top += 2
    return best2, best, where
