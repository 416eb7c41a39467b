"""Closest points of points, segments and triangles.

Conventions: vectors are tuples. The region of a triangle abc in which a closest point lies is 0, 1, 2 for the
vertices a, b, c; 3, 4, 5 for the edges ab, bc, ca; 6 for the face. Zero-length segments act as points and
triangles of no area as their three edges. Lengths from 1e-75 to 1e75 keep their squared products in range.
"""

from math import inf

from ..._jit import kernel
from ...math.vec_kernels import add_scaled, cross, distance2, dot, lerp, norm2, sub
from .exact_kernels import careful_cross

VERTEX_A, VERTEX_B, VERTEX_C, EDGE_AB, EDGE_BC, EDGE_CA, FACE = 0, 1, 2, 3, 4, 5, 6

# Squared sine of the angle at a corner below which the two sides are parallel to rounding.
_PARALLEL2 = 1e-28
# Squared tangent of the angle between two sides below which rounding turns their cross product noticeably, and squared
# ratio of width to length below which it decides its direction, taken with care.
_THIN2, _COLLAPSED2 = 1e-5, 1e-32


@kernel
def is_thin(nn, u, v):
    """Whether rounding turns the cross product of u and v, of squared length `nn`, by more than 4e-14 or so."""
    uv = dot(u, v)
    return nn < _THIN2 * uv * uv


@kernel
def sliver_normal(a, b, c):
    """(b - a) x (c - a), right in direction for slivers too; zero where a triangle is no wider than rounding."""
    n, length2 = careful_cross(a, b, c), max(distance2(a, b), distance2(a, c))
    return n if norm2(n) > _COLLAPSED2 * length2 * length2 else (0.0, 0.0, 0.0)


@kernel
def segment_parameter(p, a, b):
    """Parameter in [0, 1] of the point of segment `ab` closest to `p`."""
    ab = sub(b, a)
    length2 = norm2(ab)
    return min(1.0, max(0.0, dot(sub(p, a), ab) / length2)) if length2 > 0.0 else 0.0


@kernel
def segment_point(a, b, t):
    """The point at `t` of segment `ab`; the ends come out to the last bit."""
    return lerp(a, b, t) if t < 1.0 else b


@kernel
def closest_point_segment(p, a, b):
    """Closest point to `p` on segment `ab`, and its parameter `t` (0 at a, 1 at b)."""
    t = segment_parameter(p, a, b)
    return segment_point(a, b, t), t


@kernel
def closest_segment_segment(a0, a1, b0, b1):
    """Closest points of two segments and their parameters: `(p_a, p_b, s, t)`.

    The order of clamping is that of Ericson, Real-Time Collision Detection, 5.1.9, which is right for parallel
    segments whatever `s` it starts from. The start comes from cross products instead of a c - b^2, which cancels:
    its error, eps / sin(angle), costs a distance of eps only.
    """
    u, v = sub(a1, a0), sub(b1, b0)
    n = cross(u, v)
    n2 = norm2(n)
    s = min(1.0, max(0.0, dot(cross(sub(b0, a0), v), n) / n2)) if n2 > 0.0 else 0.0
    t = segment_parameter(add_scaled(a0, s, u), b0, b1)
    # Projecting back is needed where t was clamped, and takes the rounding out of s elsewhere.
    p_b = segment_point(b0, b1, t)
    s = segment_parameter(p_b, a0, a1)
    return segment_point(a0, a1, s), p_b, s, t


@kernel
def _edge_candidate(p, a, b, codes, best):
    """The better of `best` = (squared distance, point, region) and the closest point on edge `ab`."""
    q, t = closest_point_segment(p, a, b)
    d2 = distance2(p, q)
    if d2 >= best[0]:
        return best
    region = codes[0] if t == 0.0 else (codes[1] if t == 1.0 else codes[2])
    return d2, q, region


@kernel
def closest_point_triangle(p, a, b, c):
    """Closest point to `p` on triangle `abc` and the region it lies in."""
    return _closest_by_normal(p, a, b, c, cross(sub(b, a), sub(c, a)))


@kernel
def closest_point_sliver(p, a, b, c):
    """`closest_point_triangle` for triangles that may be so thin that rounding turns their normals."""
    return _closest_by_normal(p, a, b, c, sliver_normal(a, b, c))


@kernel
def _closest_by_normal(p, a, b, c, n):
    ab, ac, ap = sub(b, a), sub(c, a), sub(p, a)
    n2 = norm2(n)
    flat = n2 <= _PARALLEL2 * norm2(ab) * norm2(ac)
    # Barycentric coordinates of the projection, times n2. Where one is negative p lies beyond the edge opposite,
    # and the closest point lies on such an edge: a minimum under constraints that the free one violates.
    weight_c = dot(cross(ab, ap), n)
    weight_b = dot(cross(ap, ac), n)
    weight_a = dot(cross(sub(c, b), sub(p, b)), n)
    if weight_a >= 0.0 and weight_b >= 0.0 and weight_c >= 0.0 and not flat:
        return add_scaled(p, -dot(ap, n) / n2, n), FACE
    best = (inf, a, VERTEX_A)
    if weight_c < 0.0 or flat:
        best = _edge_candidate(p, a, b, (VERTEX_A, VERTEX_B, EDGE_AB), best)
    if weight_a < 0.0 or flat:
        best = _edge_candidate(p, b, c, (VERTEX_B, VERTEX_C, EDGE_BC), best)
    if weight_b < 0.0 or flat:
        best = _edge_candidate(p, c, a, (VERTEX_C, VERTEX_A, EDGE_CA), best)
    return best[1], best[2]
