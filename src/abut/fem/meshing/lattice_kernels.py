"""How far lattice points are from a surface."""

from math import sqrt

import numpy as np

from ..._jit import kernel
from ...math.vec_kernels import row
from ...query.distance.point_kernels import closest_point_part


@kernel
def surface_distances(points, corners, child, volumes, boxes, depth, distance_out):
    """Distance of each of (n, 3) points from a surface in a hierarchy of boxes [m]."""
    stack, key = np.empty(depth + 2, np.int32), np.empty(depth + 2)
    part = (corners, child, volumes, boxes)
    for i in range(points.shape[0]):
        d2, _, _ = closest_point_part(row(points, i), part, stack, key, np.int64(2**62))
        distance_out[i] = sqrt(d2)
