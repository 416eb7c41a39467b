"""Reference points, by which the triangles of a part are divided.

SiLVIA section 2.2 divides faces; the halves of a flat quadrangle count as one face here, so that they part last: each
has the mean of both centroids as its reference point. Two triangles are halves where they share an edge that is the
longest of either, and are nearly in one plane.
"""

import numpy as np

from ..._jit import kernel
from ...math.vec_kernels import add, cross, distance2, dot, norm2, scale, sub
from ..distance.triangle_pair_kernels import load_triangle

# Cosine of the angle of two triangles that are nearly in one plane.
_FLAT = 0.999
# Sides that are longer by less than this are as long.
_LONGER = 1.0 + 1e-9


@kernel
def put_references(corners, triangles, n_vertex, points_out):
    """Reference points (n, 3) of triangles, given by their corners (n, 9) and by their vertices (n, 3)."""
    n = triangles.shape[0]
    for i in range(n):
        a, b, c = load_triangle(corners, i)
        _put(scale(1.0 / 3.0, add(a, add(b, c))), points_out[i])
    # Triangles by the lower vertex of their longest edges, as linked lists.
    first, following = np.full(n_vertex, -1, np.int32), np.empty(n, np.int32)
    for i in range(n):
        u, v = _longest_edge(corners, triangles, i)
        j = np.int64(first[u])
        while j >= 0 and not _halves(corners, triangles, i, j, u, v):
            j = np.int64(following[j])
        if j >= 0:
            _join(points_out[i], points_out[j])
        following[i], first[u] = first[u], i


@kernel
def _put(p, point_out):
    point_out[0], point_out[1], point_out[2] = p


@kernel
def _join(p_io, q_io):
    """Replace two points by their mean."""
    for k in range(3):
        p_io[k] = q_io[k] = 0.5 * (p_io[k] + q_io[k])


@kernel
def _longest_edge(corners, triangles, i):
    """The vertices of the longest edge, the lower one first."""
    a, b, c = load_triangle(corners, i)
    ab, bc, ca = distance2(a, b), distance2(b, c), distance2(c, a)
    k, longest = 0, ab
    if bc > longest * _LONGER:
        k, longest = 1, bc
    if ca > longest * _LONGER:
        k = 2
    u, v = triangles[i, k], triangles[i, (k + 1) % 3]
    return min(u, v), max(u, v)


@kernel
def _halves(corners, triangles, i, j, u, v):
    """Whether triangle `j`, whose longest edge begins at `u` too, makes a flat quadrangle with `i` across (u, v)."""
    if _longest_edge(corners, triangles, j) != (u, v):
        return False
    n, m = _normal(corners, i), _normal(corners, j)
    return dot(n, m) > 0.0 and dot(n, m) ** 2 >= _FLAT * _FLAT * norm2(n) * norm2(m)


@kernel
def _normal(corners, i):
    a, b, c = load_triangle(corners, i)
    return cross(sub(b, a), sub(c, a))
