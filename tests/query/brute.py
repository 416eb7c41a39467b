"""Slow and obvious answers to compare with: every vertex with every triangle, every edge with every edge."""

import numpy as np

from abut._jit import kernel
from abut.geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from abut.math.vec_kernels import distance2, row


@kernel
def _least(a, triangles_a, b, triangles_b):
    best = np.inf
    for t in range(triangles_b.shape[0]):
        corners = row(b, triangles_b[t, 0]), row(b, triangles_b[t, 1]), row(b, triangles_b[t, 2])
        for v in range(a.shape[0]):
            q, _ = closest_point_triangle(row(a, v), corners[0], corners[1], corners[2])
            best = min(best, distance2(row(a, v), q))
    for s in range(triangles_a.shape[0]):
        corners = row(a, triangles_a[s, 0]), row(a, triangles_a[s, 1]), row(a, triangles_a[s, 2])
        for v in range(b.shape[0]):
            q, _ = closest_point_triangle(row(b, v), corners[0], corners[1], corners[2])
            best = min(best, distance2(row(b, v), q))
        for t in range(triangles_b.shape[0]):
            for i in range(3):
                e0, e1 = row(a, triangles_a[s, i]), row(a, triangles_a[s, (i + 1) % 3])
                for j in range(3):
                    f0, f1 = row(b, triangles_b[t, j]), row(b, triangles_b[t, (j + 1) % 3])
                    p, q, _, _ = closest_segment_segment(e0, e1, f0, f1)
                    best = min(best, distance2(p, q))
    return best**0.5


def surface_distance(a, b, X_a, X_b):
    """Distance between two surfaces that do not cross."""
    return _least(X_a.apply(a.vertices), a.triangles.copy(), X_b.apply(b.vertices), b.triangles.copy())
