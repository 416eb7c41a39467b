"""When do a vertex and a face, or two edges, whose vertices move straight, first come within a gap of each other?

Both questions are one: the differences of the points of the two features fill a polygon - a triangle for a vertex
and a face, a parallelogram for two edges - whose corners move straight, and the features touch when the polygon
reaches the origin. The polygon misses the origin while there is a direction n along which all of its corners are
positive. Such a direction is a certificate that needs no trust in how it was found, so the search for directions may
round as it likes, and only the few products of n and the corners are bounded with their rounding errors.

Conservative advancement with certificates: at time t take the direction of the point closest to the origin, find how
long it stays separating, and go there. Where the features turn while they slide along each other a fixed direction
lasts only briefly; there the direction follows the normal of the face or of the edge as a polynomial of time, and the
polynomials n . corner are bounded by their Bernstein coefficients.

Conventions: `corners` are four tuples; a triangle repeats its last one and has `count` 3. Lengths are scaled so that no
entry of a corner exceeds 1. Certificates end at a time `end`: strictly before it the polygon is farther than `gap`.
"""

from math import frexp, inf, ldexp

from ..._jit import kernel
from ...geometry.triangles.triangle_kernels import FACE, closest_point_triangle, closest_segment_segment
from ...math.vec_kernels import add, add_scaled, cross, dot, lerp, neg, norm, norm2, row, scale, sub

ORIGIN = (0.0, 0.0, 0.0)
EPSILON = 2.0**-52
NO_CERTIFICATE = -1.0
# After so many steps the time reached is returned, which is early at worst.
MAX_CERTIFICATES = 2000
# Steps granted to fixed directions, which resolve finer distances than turning ones but slowly, closer than NEAR.
PATIENCE = 8
NEAR = 1e-14

# A time computed from certified bounds by one division and two differences, moved to the safe side.
_EARLIER = 1.0 - 4.0 * EPSILON
_LATER = 1.0 + 4.0 * EPSILON
# A time computed from Bernstein coefficients, eight roundings away.
_MUCH_EARLIER = 1.0 - 8.0 * EPSILON
# Squared sine of the angle below which two sides of a polygon are parallel to rounding.
_PARALLEL2 = 1e-28
# Products that underflow lose less than this.
_TINY = 1e-300
_MUCH_SHORTER = 0.2
"""Of the step before: one that is shorter closes in on a touch."""
_ROUNDING = 7.0
"""[eps] of a product of a normal and a corner within 1; half as many units as `_margins` counts."""


@kernel
def vertex_face_corners(v, a, b, c):
    """Corners of the triangle that reaches the origin when `v` reaches the face `abc`."""
    last = sub(c, v)
    return sub(a, v), sub(b, v), last, last


@kernel
def edge_edge_corners(a0, a1, b0, b1):
    """Corners, in order around, of the parallelogram that reaches the origin when the edges touch."""
    return sub(a0, b0), sub(a1, b0), sub(a1, b1), sub(a0, b1)


@kernel
def corners_at(first, last, t):
    """The corners at time `t`."""
    return (
        lerp(first[0], last[0], t),
        lerp(first[1], last[1], t),
        lerp(first[2], last[2], t),
        lerp(first[3], last[3], t),
    )


@kernel
def _scaled(corners, factor):
    return (
        scale(factor, corners[0]),
        scale(factor, corners[1]),
        scale(factor, corners[2]),
        scale(factor, corners[3]),
    )


@kernel
def _largest(corners):
    """Largest absolute entry."""
    largest = 0.0
    for i in range(4):
        c = corners[i]
        largest = max(largest, abs(c[0]), abs(c[1]), abs(c[2]))
    return largest


@kernel
def closest_feature(corners, count):
    """Closest point of the polygon to the origin, and the corners `(i, j)` of the feature it lies on.

    i = j is a corner, otherwise an edge; (-1, -1) is the inside.
    """
    if count == 3:
        q, region = closest_point_triangle(ORIGIN, corners[0], corners[1], corners[2])
        if region == FACE:
            return q, -1, -1
        return q, region % 3, region if region < 3 else (region - 2) % 3
    # The parallelogram is the segment c0 c1 minus the segment from 0 to c1 - c2.
    p_a, p_b, s, t = closest_segment_segment(corners[0], corners[1], ORIGIN, sub(corners[1], corners[2]))
    q = sub(p_a, p_b)
    s_end = 0 if s == 0.0 else (1 if s == 1.0 else -1)
    t_end = 0 if t == 0.0 else (1 if t == 1.0 else -1)
    if s_end < 0 and t_end < 0:
        return q, -1, -1
    i = (3 if t_end == 1 else 0) if s_end < 1 else (2 if t_end == 1 else 1)
    if s_end < 0:
        return q, i, (2 if t_end == 1 else 1)
    if t_end < 0:
        return q, i, (3 if s_end == 0 else 2)
    return q, i, i


@kernel
def _without(v, along):
    """`v` less its component along another vector."""
    length2 = norm2(along)
    return add_scaled(v, -dot(v, along) / length2, along) if length2 > 0.0 else v


@kernel
def _without_sides(v, corners):
    """`v` less its components along two sides, which are nearly parallel."""
    return _without(_without(v, sub(corners[1], corners[0])), sub(corners[2], corners[1]))


@kernel
def plane_normal(corners):
    """Normal of the polygon's plane, pointing away from the origin; zero where its sides are parallel."""
    e1, e2 = sub(corners[1], corners[0]), sub(corners[2], corners[0])
    n = cross(e1, e2)
    if norm2(n) <= _PARALLEL2 * norm2(e1) * norm2(e2):
        return ORIGIN
    # Perpendicular to both sides even where they are nearly parallel and their product has lost digits.
    across = _without(_without(e2, e1), e1)
    n = _without(_without(_without(n, e1), across), e1)
    return neg(n) if dot(n, corners[0]) < 0.0 else n


@kernel
def separating_direction(corners, q, i, j):
    """Direction from the origin to the closest feature, perpendicular to that feature to the last bit.

    The difference q itself is noise where it is shorter than the rounding of the corners.
    """
    if i == j and i >= 0:
        return q
    if i >= 0:
        return _without(q, sub(corners[j], corners[i]))
    n = plane_normal(corners)
    return n if norm2(n) > 0.0 else _without_sides(q, corners)


@kernel
def _rounding(n, c):
    """Bound of the error of n . c, with c one rounding away from exact."""
    return 3.0 * EPSILON * (abs(n[0] * c[0]) + abs(n[1] * c[1]) + abs(n[2] * c[2])) + _TINY


@kernel
def fixed_certificate(n, first, last, count, gap, t):
    """Until when, from `t` on, the fixed direction `n` keeps the corners farther than `gap`; inf for ever."""
    reach = gap * norm(n) * _LATER
    end = inf
    for i in range(count):
        at_0 = dot(n, first[i]) - _rounding(n, first[i]) - reach
        at_1 = dot(n, last[i]) - _rounding(n, last[i]) - reach
        if at_0 > 0.0:
            if not at_1 > 0.0:
                end = min(end, at_0 / (at_0 - at_1) * _EARLIER)
        elif not (at_1 > 0.0 and at_0 / (at_0 - at_1) * _LATER < t):
            return NO_CERTIFICATE
    return end if end > t else NO_CERTIFICATE


@kernel
def first_root_bound(b):
    """Lower bound in (0, 1] of the first root of a cubic in Bernstein form with b[0] > 0, by its convex hull."""
    bound = 1.0
    for j in range(1, 4):
        if not b[j] > 0.0:
            for i in range(j):
                if b[i] > 0.0:
                    bound = min(bound, (i + (j - i) * (b[i] / (b[i] - b[j]))) / 3.0)
    return bound


@kernel
def _corner_polynomial(normals, c_0, c_1, margins):
    """Bernstein coefficients of n(s) . c(s) for quadratic n and linear c, less the margins."""
    n0, n1, n2 = normals
    return (
        dot(n0, c_0) - margins[0],
        (dot(n0, c_1) + 2.0 * dot(n1, c_0)) / 3.0 - margins[1],
        (2.0 * dot(n1, c_1) + dot(n2, c_0)) / 3.0 - margins[2],
        dot(n2, c_1) - margins[3],
    )


@kernel
def _sum_abs(v):
    return abs(v[0]) + abs(v[1]) + abs(v[2])


@kernel
def _margins(normals, gap):
    """What n(s) . c(s) must exceed: the gap times a bound of |n(s)|, and rounding, for corners within 1.

    In units of eps / 2: corners as differences 1, moved along 5, products 3, their means 3, the margins 1.
    """
    l0, l1, l2 = norm(normals[0]), norm(normals[1]), norm(normals[2])
    a0, a1, a2 = _sum_abs(normals[0]), _sum_abs(normals[1]), _sum_abs(normals[2])
    reach = gap * _LATER
    rounding = _ROUNDING * EPSILON
    return (
        reach * l0 + rounding * a0 + _TINY,
        (reach * (l0 + 2.0 * l1) + rounding * (a0 + 2.0 * a1)) / 3.0 + _TINY,
        (reach * (2.0 * l1 + l2) + rounding * (2.0 * a1 + a2)) / 3.0 + _TINY,
        reach * l2 + rounding * a2 + _TINY,
    )


@kernel
def _turning_normals(n, c_0, c_1, i, j):
    """Bernstein coefficients of a direction that starts along `n` and stays perpendicular to the closest feature."""
    if i < 0:
        e1, e2 = sub(c_0[1], c_0[0]), sub(c_0[2], c_0[0])
        f1, f2 = sub(c_1[1], c_1[0]), sub(c_1[2], c_1[0])
        n0, n1, n2 = cross(e1, e2), scale(0.5, add(cross(e1, f2), cross(f1, e2))), cross(f1, f2)
        return (n0, n1, n2) if dot(n0, n) > 0.0 else (neg(n0), neg(n1), neg(n2))
    e, f = sub(c_0[j], c_0[i]), sub(c_1[j], c_1[i])
    # The plane through the edge and the origin keeps its direction k, the edge turns in it.
    k = cross(e, scale(1.0 / norm(n), n))
    n0, n2 = cross(k, e), cross(k, f)
    return n0, scale(0.5, add(n0, n2)), n2


@kernel
def turning_certificate(n, first, last, feature, count, gap, t, horizon):
    """Until when, from `t` on and at most until `horizon`, a direction that turns with the feature separates."""
    c_0, c_1 = corners_at(first, last, t), corners_at(first, last, horizon)
    normals = _turning_normals(n, c_0, c_1, feature[0], feature[1])
    margins = _margins(normals, gap)
    bound = 1.0
    for i in range(count):
        b = _corner_polynomial(normals, c_0[i], c_1[i], margins)
        if not b[0] > 0.0:
            return NO_CERTIFICATE
        bound = min(bound, first_root_bound(b))
    return horizon if bound == 1.0 else (t + bound * (horizon - t)) * _MUCH_EARLIER


@kernel
def _closest_certificate(corners, first, last, count, gap, t):
    """The closest feature, its direction and the end of that direction's certificate."""
    q, i, j = closest_feature(corners, count)
    n = separating_direction(corners, q, i, j)
    end = fixed_certificate(n, first, last, count, gap, t)
    if end < t and i != j:
        # Rounding takes points inside for points of a side when the polygon is about to collapse.
        i, j, n = -1, -1, plane_normal(corners)
        end = fixed_certificate(n, first, last, count, gap, t)
    if end < t:
        end = fixed_certificate(_without_sides(q, corners), first, last, count, gap, t)
    if end < t:
        end = fixed_certificate(q, first, last, count, gap, t)
    return norm(q), n, i, j, end


@kernel
def _advance(first, last, count, gap):
    """First time at which the scaled polygon may be within `gap` of the origin; inf where it never is."""
    t, step, span, patience = 0.0, 1.0, 1.0, PATIENCE
    for _ in range(MAX_CERTIFICATES):
        corners = corners_at(first, last, t)
        distance, n, i, j, end = _closest_certificate(corners, first, last, count, gap, t)
        # A step much shorter than the one before closes in on a touch; steps that stay short are a slide.
        sliding = end - t > _MUCH_SHORTER * step or end < t
        if sliding and end < t + 0.25 * (1.0 - t) and not (i == j and i >= 0):
            # Bernstein bounds are loose over long spans: look ahead a few times as far as the last step went.
            horizon = min(1.0, t + max(span, 8.0 * (end - t)))
            turned = turning_certificate(n, first, last, (i, j), count, gap, t, horizon)
            span = max(4.0 * (turned - t), EPSILON)
            patience -= 1 if turned < t and distance < gap + NEAR else 0
            end = max(end, turned if turned < 1.0 else inf)
        if end > 1.0:
            return inf
        if end <= t or patience == 0:
            return t
        t, step = end, end - t
    return t


@kernel
def impact_polygon(first, last, count, gap):
    """First time in [0, 1] at which a polygon with straight moving corners is within `gap` of the origin, or inf.

    Never late. At the time returned the distance exceeds the gap by at most 1e-14 of the largest corner entry; by
    up to 1e-10 where the polygon collapses to a line just as it arrives and its normal is lost.
    """
    size = max(_largest(first), _largest(last))
    if size == 0.0:
        return 0.0
    # Powers of two change no digit; the polygon is then within [-1, 1].
    factor = ldexp(1.0, -max(frexp(size)[1], -1000))
    gap = gap * factor
    if gap > 4.0:
        return 0.0
    return _advance(_scaled(first, factor), _scaled(last, factor), count, gap)


@kernel
def impact_vertices_faces(v_t0, f_t0, v_t1, f_t1, gap, time_out):
    """Row by row for (n, 3) vertices and (n, 3, 3) faces."""
    for i in range(v_t0.shape[0]):
        f, g = f_t0[i], f_t1[i]
        first = vertex_face_corners(row(v_t0, i), row(f, 0), row(f, 1), row(f, 2))
        last = vertex_face_corners(row(v_t1, i), row(g, 0), row(g, 1), row(g, 2))
        time_out[i] = impact_polygon(first, last, 3, gap)


@kernel
def impact_edges_edges(a_t0, b_t0, a_t1, b_t1, gap, time_out):
    """Row by row for (n, 2, 3) edges."""
    for i in range(a_t0.shape[0]):
        first = edge_edge_corners(row(a_t0[i], 0), row(a_t0[i], 1), row(b_t0[i], 0), row(b_t0[i], 1))
        last = edge_edge_corners(row(a_t1[i], 0), row(a_t1[i], 1), row(b_t1[i], 0), row(b_t1[i], 1))
        time_out[i] = impact_polygon(first, last, 4, gap)
