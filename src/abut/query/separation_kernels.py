"""How far does a feature that moves straight stay from a triangle or an edge? Lower bounds by separating directions."""

from .._jit import lean_kernel
from ..geometry.triangle_kernels import closest_point_triangle, closest_segment_segment
from ..math.vec_kernels import cross, dot, norm, sub


@lean_kernel
def plane_separation(plane, j, y0, y1):
    """How far the path from y0 to y1 stays on one side of the plane of triangle j; 0 or less if it does not."""
    n = (plane[j, 0], plane[j, 1], plane[j, 2])
    s0, s1 = dot(n, y0) - plane[j, 3], dot(n, y1) - plane[j, 3]
    return max(min(s0, s1), -max(s0, s1))


@lean_kernel
def _separation_along(y0, q, y1):
    """How far the path from y0 to y1 stays from a triangle along the direction from its closest point `q` to y0."""
    n = sub(y0, q)
    d = norm(n)
    return min(d, dot(n, sub(y1, q)) / d) if d > 0.0 else 0.0


@lean_kernel
def separation_from_triangle(y0, y1, triangle, enough):
    """Lower bound of the distance of a path and a triangle; a second direction is tried if the first is not enough."""
    a, b, c = triangle
    q, _ = closest_point_triangle(y0, a, b, c)
    apart = _separation_along(y0, q, y1)
    if apart > enough:
        return apart
    q, _ = closest_point_triangle(y1, a, b, c)
    return max(apart, _separation_along(y1, q, y0))


@lean_kernel
def _separation_of_segments(e0, e1, f):
    """How far a segment that moves from e0 to e1 stays from f along the direction between closest points at e0."""
    p, q, _, _ = closest_segment_segment(e0[0], e0[1], f[0], f[1])
    n = sub(p, q)
    d = norm(n)
    if d == 0.0:
        return 0.0
    wall = max(dot(n, f[0]), dot(n, f[1]))
    return (min(dot(n, e0[0]), dot(n, e0[1]), dot(n, e1[0]), dot(n, e1[1])) - wall) / d


@lean_kernel
def _separation_across(e0, e1, f):
    """How far a segment that moves from e0 to e1 stays from f along the direction across both at e0.

    Edges that lie in nearly the same plane and slide past each other are nowhere apart in another direction.
    """
    n = cross(sub(e0[1], e0[0]), sub(f[1], f[0]))
    d = norm(n)
    if d == 0.0:
        return 0.0
    h0, h1, h2, h3 = dot(n, e0[0]), dot(n, e0[1]), dot(n, e1[0]), dot(n, e1[1])
    g0, g1 = dot(n, f[0]), dot(n, f[1])
    above, below = min(h0, h1, h2, h3) - max(g0, g1), min(g0, g1) - max(h0, h1, h2, h3)
    return max(above, below) / d


@lean_kernel
def separation_from_segment(e0, e1, f, enough):
    """Lower bound of the distance of a moving segment and a segment, likewise."""
    apart = _separation_across(e0, e1, f)
    if apart > enough:
        return apart
    apart = max(apart, _separation_of_segments(e0, e1, f))
    return apart if apart > enough else max(apart, _separation_of_segments(e1, e0, f))
