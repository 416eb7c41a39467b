"""How deep points lie under a surface: brute force over its triangles."""

from math import inf

from abut._jit import kernel
from abut.geometry.triangles.triangle_kernels import closest_point_triangle
from abut.math.vec_kernels import dot, row, sub


@kernel
def depths(points, a, b, c, depth_out):
    """Distance of each of (n, 3) points from the nearest of the triangles with corners a, b, c, (m, 3) each."""
    for i in range(points.shape[0]):
        p, least = row(points, i), inf
        for j in range(a.shape[0]):
            way = sub(p, closest_point_triangle(p, row(a, j), row(b, j), row(c, j))[0])
            least = min(least, dot(way, way))
        depth_out[i] = least**0.5
