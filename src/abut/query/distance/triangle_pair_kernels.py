"""Distance of two triangles, and the points and features between which it is taken.

Triangles are (n, 9) rows of corner coordinates or tuples (a, b, c) of vectors. Triangles of no area act as the
segments or points they are. Regions are those of `geometry.triangle_kernels`.

Rounding. The distance is the least of those of nine pairs of sides and six corners over faces, each of which comes out
right to a few units in the last place of the triangles' size, also where sides are parallel and triangles coplanar;
normals of slivers are computed with care. What ends the search early is a separation, and any direction separates what
it separates: all six corners are measured along it, because a gap that is small beside the triangles gives a direction
to few places. Whether triangles meet is decided by exact signs.
"""

from math import inf

from ..._jit import kernel
from ...geometry.triangles.intersect_kernels import segment_meets_triangle, triangles_intersect
from ...geometry.triangles.triangle_kernels import (
    EDGE_AB,
    FACE,
    closest_point_sliver,
    closest_segment_segment,
    is_thin,
    sliver_normal,
)
from ...math.vec_kernels import add, add_scaled, cross, distance2, dot, lerp, mat_vec, neg, norm2, scale, sub

# Heights above a plane smaller than this fraction of the distance along it may have the wrong sign.
_DOUBT2 = 1e-26
# A separation below this fraction of the gap of two edges may be rounding, and any may be whose square is below the
# second fraction of theirs.
_CERTAIN, _NARROW2 = 1e-6, 1e-8
# Square, as a fraction of that of the edges: a separation that falls short of their gap by no more is as large.
_EQUAL2 = 2.5e-27
# Square of what is too close to be told, as a fraction of that of the triangles; and of the least that is not zero.
_UNSEEN2, _LEAST2 = 1e-33, 1e-300


@kernel
def load_triangle(corners, i):
    """Row `i` of an (n, 9) table as three vectors."""
    return (
        (corners[i, 0], corners[i, 1], corners[i, 2]),
        (corners[i, 3], corners[i, 4], corners[i, 5]),
        (corners[i, 6], corners[i, 7], corners[i, 8]),
    )


@kernel
def moved_triangle(corners, i, X):
    """Row `i` of an (n, 9) table, carried by the pose X."""
    a, b, c = load_triangle(corners, i)
    return add(mat_vec(X.R, a), X.p), add(mat_vec(X.R, b), X.p), add(mat_vec(X.R, c), X.p)


@kernel
def _clamp(x):
    return min(1.0, max(0.0, x))


@kernel
def _edge_gap(a, u, uu, b, v, vv):
    """Vector from the closest point of the segment a + s u to that of b + t v, and s."""
    w = sub(b, a)
    n = cross(u, v)
    nn = norm2(n)
    s = _clamp(dot(cross(w, v), n) / nn) if nn > 0.0 else 0.0
    wu, wv, uv = dot(w, u), dot(w, v), dot(u, v)
    t = _clamp((s * uv - wv) / vv) if vv > 0.0 else 0.0
    s = _clamp((t * uv + wu) / uu) if uu > 0.0 else 0.0
    # From differences: rounding is that of the triangles' size then, not of their coordinates.
    return sub(add_scaled(w, t, v), scale(s, u)), s


@kernel
def _edges2(A, B, best2):
    """Squared distance of the sides of A and B, or a lower bound of the triangles' beyond `best2`.

    Also: the gap between the sides; 2 where the triangles are no closer, 1 where they are apart along a gap, else 0.
    Along the gap of two edges the triangles have a separation; where it equals the gap, no other points are closer
    (Larsen, Gottschalk, Lin, Manocha 1999), and where it exceeds the best known, none matters.
    """
    least2, least, apart = inf, (0.0, 0.0, 0.0), 0
    for i in range(3):
        a = A[i]
        u = sub(A[(i + 1) % 3], a)
        uu = norm2(u)
        for j in range(3):
            b = B[j]
            v = sub(B[(j + 1) % 3], b)
            vv = norm2(v)
            gap, s = _edge_gap(a, u, uu, b, v, vv)
            d2 = norm2(gap)
            if d2 < least2:
                least2, least = d2, gap
                p = add_scaled(a, s, u)
                behind = dot(sub(A[(i + 2) % 3], p), gap)
                beyond = dot(sub(B[(j + 2) % 3], p), gap) - d2
                between, size2 = d2 - max(0.0, behind) + min(0.0, beyond), uu + vv
                if between > _CERTAIN * d2 and d2 > _NARROW2 * size2:
                    apart = 1
                if between >= d2 or between * between > best2 * d2:
                    between = _separation(A, B, p, gap) if d2 < size2 else between
                    if d2 > 0.0 and (between >= d2 or (d2 - between) * (d2 - between) <= _EQUAL2 * size2 * d2):
                        return d2, gap, 2
                    if between > 0.0 and between * between > best2 * d2:
                        return between * between / d2, gap, 2
    return least2, least, apart


@kernel
def _separation(A, B, p, n):
    """How far B begins beyond the end of A along `n`, times the length of n; p is a point near both."""
    far = max(dot(sub(A[0], p), n), dot(sub(A[1], p), n), dot(sub(A[2], p), n))
    return min(dot(sub(B[0], p), n), dot(sub(B[1], p), n), dot(sub(B[2], p), n)) - far


@kernel
def _corners2(A, B, least2):
    """Smaller of `least2` and the squared distances of corners of B from the inside of A.

    Also: A's normal towards the corner that is closer, or zero; whether B may cut the plane of A.
    """
    a, b, c = A[0], A[1], A[2]
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    n = cross(ab, bc)
    if is_thin(norm2(n), ab, bc):
        n = sliver_normal(a, b, c)
    nn = norm2(n)
    u, v, w = sub(B[0], a), sub(B[1], a), sub(B[2], a)
    h = (dot(u, n), dot(v, n), dot(w, n))
    doubt2 = _DOUBT2 * nn * max(norm2(u), norm2(v), norm2(w))
    clear = h[0] * h[0] > doubt2 and h[1] * h[1] > doubt2 and h[2] * h[2] > doubt2
    cuts = not clear or not (h[0] > 0.0) == (h[1] > 0.0) == (h[2] > 0.0)
    towards = (0.0, 0.0, 0.0)
    if nn > 0.0:
        for k in range(3):
            if h[k] * h[k] < least2 * nn and _above(B[k], a, b, c, ab, bc, ca, n):
                least2 = h[k] * h[k] / nn
                towards = n if h[k] > 0.0 else neg(n)
    return least2, towards, cuts


@kernel
def _above(p, a, b, c, ab, bc, ca, n):
    """Whether `p` projects into the triangle abc with sides ab, bc, ca and normal n."""
    return (
        dot(cross(ab, sub(p, a)), n) >= 0.0
        and dot(cross(bc, sub(p, b)), n) >= 0.0
        and dot(cross(ca, sub(p, c)), n) >= 0.0
    )


@kernel
def plane_gap2(A, B):
    """Squared distance of B from the plane of A, where it lies on one side, else 0; and A's normal to that side."""
    n = cross(sub(A[1], A[0]), sub(A[2], A[0]))
    nn = norm2(n)
    h_0, h_1, h_2 = dot(n, sub(B[0], A[0])), dot(n, sub(B[1], A[0])), dot(n, sub(B[2], A[0]))
    low, high = min(h_0, h_1, h_2), max(h_0, h_1, h_2)
    if low > 0.0 and nn > 0.0:
        return low * low / nn, n
    return high * high / nn if high < 0.0 and nn > 0.0 else 0.0, neg(n)


@kernel
def is_sliver(A, n):
    """Whether rounding may have turned the normal of A so far that A is not flat along it."""
    return is_thin(norm2(n), sub(A[1], A[0]), sub(A[2], A[0]))


@kernel
def triangle_gap2(A, B, best2):
    """Squared distance of two triangles, 0 where they meet; or, beyond `best2`, a lower bound of it.

    And the direction from A to B along which they are that far apart, of any length; zero where they meet.
    """
    # Half of the pairs that are looked at are too far apart along one of their normals, which is soon found out.
    bound2, towards = plane_gap2(A, B)
    if bound2 > best2 and not is_sliver(A, towards):
        return bound2, towards
    bound2, towards = plane_gap2(B, A)
    if bound2 > best2 and not is_sliver(B, towards):
        return bound2, neg(towards)
    least2, gap, apart = _edges2(A, B, best2)
    if apart == 2:
        return least2, gap
    least2, towards, cuts_a = _corners2(A, B, least2)
    if norm2(towards) > 0.0:
        gap = towards
    least2, towards, cuts_b = _corners2(B, A, least2)
    if norm2(towards) > 0.0:
        gap = neg(towards)
    if apart == 0 and cuts_a and cuts_b and triangles_intersect(A[0], A[1], A[2], B[0], B[1], B[2]):
        return 0.0, (0.0, 0.0, 0.0)
    return least2 if least2 > 0.0 else _rounding2(A, B), gap


@kernel
def _rounding2(A, B):
    """Squared distance of triangles that do not meet, but are closer than their coordinates can tell."""
    size2 = max(distance2(A[0], A[1]), distance2(A[1], A[2]), distance2(B[0], B[1]), distance2(B[1], B[2]))
    return max(_UNSEEN2 * size2, _LEAST2)


@kernel
def _segment_region(k, s):
    """Region of the point at parameter `s` of side `k`."""
    return k if s == 0.0 else ((k + 1) % 3 if s == 1.0 else EDGE_AB + k)


@kernel
def _common_point(A, B):
    """Where a side of A meets B: the point, the side's region, and whether there is one."""
    n = cross(sub(B[1], B[0]), sub(B[2], B[0]))
    for k in range(3):
        p, q = A[k], A[(k + 1) % 3]
        if norm2(n) > 0.0 and segment_meets_triangle(p, q, B[0], B[1], B[2]):
            h, drop = dot(sub(p, B[0]), n), dot(sub(p, q), n)
            return lerp(p, q, _clamp(h / drop) if drop != 0.0 else 0.0), EDGE_AB + k, True
    return A[0], 0, False


@kernel
def closest_points(A, B):
    """Closest points and their regions, `(p_a, p_b, region_a, region_b)`; a common point where triangles meet."""
    if triangles_intersect(A[0], A[1], A[2], B[0], B[1], B[2]):
        p, region, found = _common_point(A, B)
        if found:
            return p, p, region, FACE
        p, region, found = _common_point(B, A)
        if found:
            return p, p, FACE, region
    best2, best = inf, (A[0], B[0], 0, 0)
    for i in range(3):
        q, region = closest_point_sliver(B[i], A[0], A[1], A[2])
        if distance2(q, B[i]) < best2:
            best2, best = distance2(q, B[i]), (q, B[i], region, i)
        q, region = closest_point_sliver(A[i], B[0], B[1], B[2])
        if distance2(q, A[i]) < best2:
            best2, best = distance2(q, A[i]), (A[i], q, i, region)
    for i in range(3):
        for j in range(3):
            p, q, s, t = closest_segment_segment(A[i], A[(i + 1) % 3], B[j], B[(j + 1) % 3])
            if distance2(p, q) < best2:
                best2, best = distance2(p, q), (p, q, _segment_region(i, s), _segment_region(j, t))
    return best
