"""How far does a feature that moves straight stay from a triangle or an edge? Lower bounds by separating directions."""

from .._jit import kernel
from ..geometry.triangle_kernels import closest_point_triangle, closest_segment_segment
from ..math.vec_kernels import dot, norm, sub


@kernel
def plane_separation(plane, j, y0, y1):
    """How far the path from y0 to y1 stays on one side of the plane of triangle j; 0 or less if it does not."""
    n = (plane[j, 0], plane[j, 1], plane[j, 2])
    s0, s1 = dot(n, y0) - plane[j, 3], dot(n, y1) - plane[j, 3]
    return max(min(s0, s1), -max(s0, s1))


@kernel
def _separation_along(y0, q, y1):
    """How far the path from y0 to y1 stays from a triangle along the direction from its closest point `q` to y0."""
    n = sub(y0, q)
    d = norm(n)
    return min(d, dot(n, sub(y1, q)) / d) if d > 0.0 else 0.0


@kernel
def separation_from_triangle(y0, y1, triangle, enough):
    """Lower bound of the distance of a path and a triangle; a second direction is tried if the first is not enough."""
    a, b, c = triangle
    q, _ = closest_point_triangle(y0, a, b, c)
    apart = _separation_along(y0, q, y1)
    if apart > enough:
        return apart
    q, _ = closest_point_triangle(y1, a, b, c)
    return max(apart, _separation_along(y1, q, y0))


@kernel
def _separation_of_segments(e0, e1, f):
    """How far a segment that moves from e0 to e1 stays from f along the direction between closest points at e0."""
    p, q, _, _ = closest_segment_segment(e0[0], e0[1], f[0], f[1])
    n = sub(p, q)
    d = norm(n)
    if d == 0.0:
        return 0.0
    wall = max(dot(n, f[0]), dot(n, f[1]))
    return (min(dot(n, e0[0]), dot(n, e0[1]), dot(n, e1[0]), dot(n, e1[1])) - wall) / d


@kernel
def separation_from_segment(e0, e1, f, enough):
    """Lower bound of the distance of a moving segment and a segment, likewise."""
    apart = _separation_of_segments(e0, e1, f)
    return apart if apart > enough else max(apart, _separation_of_segments(e1, e0, f))
