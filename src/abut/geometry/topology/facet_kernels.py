"""On which side of a triangle's plane its neighbour lies, exactly."""

from ..._jit import kernel
from ...math.vec_kernels import row
from ..triangles.exact_kernels import orient3d


@kernel
def _opposite(triangles, t, ends, e):
    """The corner of triangle t that is no end of edge e."""
    for k in range(2):
        v = triangles[t, k]
        if v != ends[e, 0] and v != ends[e, 1]:
            return v
    return triangles[t, 2]


@kernel
def convex_by_sign(vertices, triangles, ends, sides, chosen, convex_out):
    """Whether the second triangle of each chosen edge lies below the plane of the first, by the exact sign."""
    for k in range(chosen.shape[0]):
        e = chosen[k]
        c, d = _opposite(triangles, sides[e, 0], ends, e), _opposite(triangles, sides[e, 1], ends, e)
        a, b = row(vertices, ends[e, 0]), row(vertices, ends[e, 1])
        convex_out[k] = orient3d(a, b, row(vertices, c), row(vertices, d)) == 1
