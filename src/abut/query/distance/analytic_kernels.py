"""A point or a segment against the triangles of a part: what balls and capsules need."""

from math import sqrt

import numpy as np

from ..._jit import kernel
from ...geometry.triangles.triangle_kernels import closest_point_triangle
from ...math.vec_kernels import distance2, row
from ..search.search_tables import UNLIMITED
from .point_kernels import closest_point_part
from .triangle_pair_kernels import closest_points, load_triangle


@kernel
def closest_to_point(point, corners, child, rows, boxes, depth):
    """Closest point of the surface, its distance, its triangle (in the order of the leaves) and its region there."""
    stack, key = np.empty(depth + 2, np.int32), np.empty(depth + 2)
    part = (corners, child, rows, boxes)
    d2, q, where = closest_point_part(point, part, stack, key, np.int64(UNLIMITED))
    A = load_triangle(corners, where)
    _, region = closest_point_triangle(point, A[0], A[1], A[2])
    return q, sqrt(d2), where, region


@kernel
def triangles_within(p, q, radius, vertices, triangles, hit_out):
    """Which triangles come within `radius` of the segment from p to q, which may be a point."""
    for t in range(triangles.shape[0]):
        a, b, c = row(vertices, triangles[t, 0]), row(vertices, triangles[t, 1]), row(vertices, triangles[t, 2])
        x, y, _, _ = closest_points((a, b, c), (p, q, q))
        hit_out[t] = distance2(x, y) <= radius * radius
