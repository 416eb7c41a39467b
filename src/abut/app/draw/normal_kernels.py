"""Normals for shading: smooth where a surface was meant to be round, sharp at its creases."""

from math import acos

from ..._jit import kernel
from ...math.vec_kernels import add_scaled, cross, dot, put_row, row, sub, unit


@kernel
def _corner_angle(vertices, triangles, t, k):
    apex = row(vertices, triangles[t, k])
    a = unit(sub(row(vertices, triangles[t, (k + 1) % 3]), apex))
    b = unit(sub(row(vertices, triangles[t, (k + 2) % 3]), apex))
    return acos(min(1.0, max(-1.0, dot(a, b))))


@kernel
def triangle_normals(vertices, triangles, normal_out):
    """Unit normal of each triangle, zero for one without area."""
    for t in range(triangles.shape[0]):
        a = row(vertices, triangles[t, 0])
        ab = sub(row(vertices, triangles[t, 1]), a)
        ac = sub(row(vertices, triangles[t, 2]), a)
        put_row(unit(cross(ab, ac)), t, normal_out)


@kernel
def corner_normals(vertices, triangles, normal, weight, corner_start, corner_items, cosine, normal_out):
    """Normal at each corner, (3 n_triangle, 3): the mean over the triangles around it that bend less than a crease.

    Weighted by the angle at the corner and by `weight`; with the area of the planar face as weight, large plane
    faces stay plane beside small roundings.
    """
    for v in range(corner_start.shape[0] - 1):
        for i in range(corner_start[v], corner_start[v + 1]):
            own = row(normal, corner_items[i] // 3)
            total = (0.0, 0.0, 0.0)
            for j in range(corner_start[v], corner_start[v + 1]):
                t = corner_items[j] // 3
                n = row(normal, t)
                if dot(own, n) >= cosine:
                    total = add_scaled(total, weight[t] * _corner_angle(vertices, triangles, t, corner_items[j] % 3), n)
            total = unit(total)
            put_row(total if dot(total, total) > 0.0 else own, corner_items[i], normal_out)
