"""The point of a skin that is nearest to a place."""

import numpy as np

from .._jit import kernel
from ..math.vec_kernels import row
from .skin_check_kernels import nearest_vertex_face


@kernel
def nearest_triangle(point, vertices, triangles, shares_out):
    """Number of the triangle nearest to a point, and the shares (3,) of its corners at the nearest point of it."""
    best, found = np.inf, -1
    for t in range(len(triangles)):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        shares, _, distance = nearest_vertex_face(row(point, 0), row(vertices, i), row(vertices, j), row(vertices, k))
        if distance < best:
            best, found = distance, t
            shares_out[0], shares_out[1], shares_out[2] = shares[1], shares[2], shares[3]
    return found
