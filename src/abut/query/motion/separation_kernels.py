"""How far does a feature that moves on a parabola stay from a triangle or an edge? Lower bounds.

A path runs from y0 to y1 and is off its chord by 4 t (1 - t) times its bow at time t, never by more than the bow.
"""

from ..._jit import inner_kernel, lean_kernel
from ...geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from ...math.vec_kernels import cross, dot, norm, scale, sub

# Of a volume (u x w) . z, beside the product of the sums of the absolute coordinates of the three.
_ROUNDING = 2.0**-50


@lean_kernel
def plane_separation(plane, j, y0, y1):
    """How far the chord from y0 to y1 stays on one side of the plane of triangle j; 0 or less if it does not."""
    n = (plane[j, 0], plane[j, 1], plane[j, 2])
    s0, s1 = dot(n, y0) - plane[j, 3], dot(n, y1) - plane[j, 3]
    return max(min(s0, s1), -max(s0, s1))


@lean_kernel
def _separation_along(y0, q, y1, bow):
    """How far the path from y0 to y1 stays from a triangle along the direction from its closest point `q` to y0."""
    n = sub(y0, q)
    d = norm(n)
    return min(d, dot(n, sub(y1, q)) / d) + min(dot(n, bow) / d, 0.0) if d > 0.0 else 0.0


@lean_kernel
def separation_from_triangle(y0, y1, bow, triangle, enough):
    """Lower bound of the distance of a path and a triangle; a second direction is tried if the first is not enough."""
    a, b, c = triangle
    q, _ = closest_point_triangle(y0, a, b, c)
    apart = _separation_along(y0, q, y1, bow)
    if apart > enough:
        return apart
    q, _ = closest_point_triangle(y1, a, b, c)
    return max(apart, _separation_along(y1, q, y0, bow))


@inner_kernel
def _separation_of_segments(n, e0, e1, bows, f):
    """How far a segment that moves from e0 to e1, with bows of its ends, stays from f along a unit vector n."""
    wall = max(dot(n, f[0]), dot(n, f[1]))
    low = min(dot(n, e0[0]), dot(n, e0[1]), dot(n, e1[0]), dot(n, e1[1]))
    return low + min(dot(n, bows[0]), dot(n, bows[1]), 0.0) - wall


@lean_kernel
def _direction_between(e, f):
    """Unit vector between the closest points of two segments; zero if they meet."""
    p, q, _, _ = closest_segment_segment(e[0], e[1], f[0], f[1])
    n = sub(p, q)
    d = norm(n)
    return scale(1.0 / d, n) if d > 0.0 else n


@inner_kernel
def _extent(v):
    return abs(v[0]) + abs(v[1]) + abs(v[2])


@lean_kernel
def _separation_of_lines(e0, e1, bows, f):
    """How far the lines through a segment that moves from e0 to e1 and through f stay apart; 0 or less if they may not.

    At any time it is the volume (u x w) . z over |u x w|, u and w along the lines and z between them. But for the bows,
    u and z are linear in time, and a quadratic function is not below the least of its coefficients of Bernstein.
    This tells edges that slide past each other while they turn, where no one direction separates the two for long.
    Of lines that are nearly parallel, a small volume is divided by a small area: its rounding is taken off first.
    Returns the direction of u x w at e0, too.
    """
    w = sub(f[1], f[0])
    u0, u1 = sub(e0[1], e0[0]), sub(e1[1], e1[0])
    m0, m1 = cross(u0, w), cross(u1, w)
    z0, z1 = sub(e0[0], f[0]), sub(e1[0], f[0])
    first, middle, last = dot(m0, z0), 0.5 * (dot(m0, z1) + dot(m1, z0)), dot(m1, z1)
    side = 1.0 if first > 0.0 else -1.0
    least = min(side * first, side * middle, side * last)
    if not least > 0.0:
        return 0.0, (0.0, 0.0, 0.0)
    least -= _ROUNDING * _extent(w) * max(_extent(u0), _extent(u1)) * max(_extent(z0), _extent(z1))
    if not least > 0.0:
        return 0.0, (0.0, 0.0, 0.0)
    # What bows add, of z along u x w, of u, and of both.
    k, b = cross(sub(bows[1], bows[0]), w), bows[0]
    least += min(side * dot(m0, b), side * dot(m1, b), 0.0) + min(side * dot(k, z0), side * dot(k, z1), 0.0)
    turned, length = norm(k), norm(m0)
    return (least - turned * norm(b)) / (max(length, norm(m1)) + turned), scale(side / length, m0)


@lean_kernel
def separation_from_segment(e0, e1, bows, f, enough):
    """Lower bound of the distance of a moving segment, with bows of its ends, and a segment, likewise.

    Returns a direction along which they are apart, too: a unit vector, or zero.
    """
    apart, n = _separation_of_lines(e0, e1, bows, f)
    if apart > enough:
        return apart, n
    for e in (e0, e1):
        m = _direction_between(e, f)
        along = _separation_of_segments(m, e0, e1, bows, f)
        if along > apart:
            apart, n = along, m
        if apart > enough:
            break
    return apart, n
