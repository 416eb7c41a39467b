"""Do two triangles meet? Decided by exact signs only, so that touching and coplanar triangles are never guessed.

Triangles are closed sets: a common corner, edge or coplanar patch counts as meeting. The answer is
APART (no common point), TOUCH (common points, but neither passes through the other: a corner or edge on a face or
edge, coplanar triangles with a common border), OVERLAP (coplanar, with a common area) or CROSS (the triangles pass
through each other along a segment). Triangles of no area act as the segment or point that they are, and only TOUCH.
"""

from ..._jit import kernel
from ...math.vec_kernels import cross, sub
from .exact_kernels import orient2d, orient3d

APART, TOUCH, OVERLAP, CROSS = 0, 1, 2, 3


@kernel
def _boxes_apart(a0, a1, a2, b0, b1, b2):
    for k in range(3):
        if min(a0[k], a1[k], a2[k]) > max(b0[k], b1[k], b2[k]):
            return True
        if min(b0[k], b1[k], b2[k]) > max(a0[k], a1[k], a2[k]):
            return True
    return False


@kernel
def _lone(s0, s1, s2):
    """The corner that lies on one closed side of a plane while the two others lie on the other one, and its side.

    The signs are neither all zero nor all of one strict sign. A corner in the plane with the two others on one side is
    lone on the side away from them.
    """
    for side in (1, -1):
        if side * s0 > 0 and side * s1 <= 0 and side * s2 <= 0:
            return 0, side
        if side * s1 > 0 and side * s2 <= 0 and side * s0 <= 0:
            return 1, side
        if side * s2 > 0 and side * s0 <= 0 and side * s1 <= 0:
            return 2, side
    if s0 == 0:
        return 0, -s1
    if s1 == 0:
        return 1, -s2
    return 2, -s0


@kernel
def _rotated(t0, t1, t2, k):
    """The triangle from corner k on."""
    if k == 0:
        return t0, t1, t2
    if k == 1:
        return t1, t2, t0
    return t2, t0, t1


@kernel
def _one_side(s0, s1, s2):
    return (s0 > 0 and s1 > 0 and s2 > 0) or (s0 < 0 and s1 < 0 and s2 < 0)


@kernel
def _straddles(s0, s1, s2):
    return max(s0, s1, s2) > 0 and min(s0, s1, s2) < 0


@kernel
def _separated_by_edges(a0, a1, a2, b0, b1, b2, u, v):
    """How an edge of triangle a parts a from b in the plane of u and v: 2 strictly, 1 with touching, 0 not at all."""
    best = 0
    for k in range(3):
        p, q, r = _rotated(a0, a1, a2, k)
        own = orient2d(p, q, r, u, v)
        s0, s1, s2 = orient2d(p, q, b0, u, v), orient2d(p, q, b1, u, v), orient2d(p, q, b2, u, v)
        low, high = min(s0, s1, s2), max(s0, s1, s2)
        if (own >= 0 and high < 0) or (own <= 0 and low > 0):
            return 2
        if (own >= 0 and high <= 0) or (own <= 0 and low >= 0):
            best = 1
    return best


@kernel
def _relation_in_plane(a0, a1, a2, b0, b1, b2, u, v):
    """APART, TOUCH or OVERLAP of two triangles in the coordinates u and v: the separating axis theorem."""
    first = _separated_by_edges(a0, a1, a2, b0, b1, b2, u, v)
    if first == 2:
        return APART
    second = _separated_by_edges(b0, b1, b2, a0, a1, a2, u, v)
    if second == 2:
        return APART
    return TOUCH if first == 1 or second == 1 else OVERLAP


@kernel
def _dominant_axis(n):
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    if x >= y and x >= z:
        return 0
    return 1 if y >= z else 2


@kernel
def _has_area(a0, a1, a2):
    """Whether the corners do not lie in a line, exactly."""
    return orient2d(a0, a1, a2, 0, 1) != 0 or orient2d(a0, a1, a2, 1, 2) != 0 or orient2d(a0, a1, a2, 2, 0) != 0


@kernel
def _relation_coplanar(a0, a1, a2, b0, b1, b2):
    n = cross(sub(a1, a0), sub(a2, a0))
    if not _has_area(a0, a1, a2):
        if not _has_area(b0, b1, b2):
            return _relation_of_segments(a0, a1, a2, b0, b1, b2)
        n = cross(sub(b1, b0), sub(b2, b0))
    axis = _dominant_axis(n)
    return _relation_in_plane(a0, a1, a2, b0, b1, b2, (axis + 1) % 3, (axis + 2) % 3)


@kernel
def _relation_of_segments(a0, a1, a2, b0, b1, b2):
    """Two collapsed triangles; collinear ones that do not meet have boxes apart and do not get here."""
    for i in range(3):
        p, q, _ = _rotated(a0, a1, a2, i)
        for j in range(3):
            r, s, _ = _rotated(b0, b1, b2, j)
            if orient3d(p, q, r, s) != 0:
                return APART  # skew
    # In one plane: its projection along some axis keeps them apart if they are.
    for axis in range(3):
        if _relation_in_plane(a0, a1, a2, b0, b1, b2, (axis + 1) % 3, (axis + 2) % 3) == APART:
            return APART
    return TOUCH


@kernel
def segment_meets_triangle(p, q, t0, t1, t2):
    """Whether the closed segment pq has a point of the closed triangle; the triangle must have an area."""
    side_p, side_q = orient3d(t0, t1, t2, p), orient3d(t0, t1, t2, q)
    if side_p * side_q > 0:
        return False
    if side_p == 0 and side_q == 0:
        return not _boxes_apart(p, q, q, t0, t1, t2) and _relation_coplanar(t0, t1, t2, p, q, q) != APART
    s0, s1, s2 = orient3d(p, q, t0, t1), orient3d(p, q, t1, t2), orient3d(p, q, t2, t0)
    return (s0 >= 0 and s1 >= 0 and s2 >= 0) or (s0 <= 0 and s1 <= 0 and s2 <= 0)


@kernel
def _relation_of_collapsed(s0, s1, s2, t0, t1, t2):
    """A collapsed triangle s, not in the plane of triangle t, against t."""
    meets = segment_meets_triangle(s0, s1, t0, t1, t2) or segment_meets_triangle(s1, s2, t0, t1, t2)
    return TOUCH if meets or segment_meets_triangle(s2, s0, t0, t1, t2) else APART


@kernel
def triangle_relation(a0, a1, a2, b0, b1, b2):
    """APART, TOUCH, OVERLAP or CROSS; see the head of this file."""
    if _boxes_apart(a0, a1, a2, b0, b1, b2):
        return APART
    a_0, a_1, a_2 = orient3d(b0, b1, b2, a0), orient3d(b0, b1, b2, a1), orient3d(b0, b1, b2, a2)
    if _one_side(a_0, a_1, a_2):
        return APART
    b_0, b_1, b_2 = orient3d(a0, a1, a2, b0), orient3d(a0, a1, a2, b1), orient3d(a0, a1, a2, b2)
    if _one_side(b_0, b_1, b_2):
        return APART
    a_flat, b_flat = a_0 == 0 and a_1 == 0 and a_2 == 0, b_0 == 0 and b_1 == 0 and b_2 == 0
    if a_flat and b_flat:
        return _relation_coplanar(a0, a1, a2, b0, b1, b2)
    if a_flat:  # every point is in the plane of b, so b has none: it is collapsed
        return _relation_of_collapsed(b0, b1, b2, a0, a1, a2)
    if b_flat:
        return _relation_of_collapsed(a0, a1, a2, b0, b1, b2)
    overlap = _interval_overlap(a0, a1, a2, b0, b1, b2, (a_0, a_1, a_2), (b_0, b_1, b_2))
    if overlap == 2:
        return CROSS if _straddles(a_0, a_1, a_2) and _straddles(b_0, b_1, b_2) else TOUCH
    return TOUCH if overlap == 1 else APART


@kernel
def _interval_overlap(a0, a1, a2, b0, b1, b2, side_a, side_b):
    """Overlap on the common line of the planes: 0 none, 1 a point, 2 a segment.

    Each triangle cuts the line in an interval between the two edges at its lone corner; which end comes first is
    the sign of a determinant (Guigue and Devillers, Fast and Robust Triangle-Triangle Overlap Test, 2003).
    """
    k, up_a = _lone(side_a[0], side_a[1], side_a[2])
    a0, a1, a2 = _rotated(a0, a1, a2, k)
    k, up_b = _lone(side_b[0], side_b[1], side_b[2])
    b0, b1, b2 = _rotated(b0, b1, b2, k)
    # Turn each triangle so that the other's lone corner lies on the side of its clockwise face.
    if up_a < 0:
        b1, b2 = b2, b1
    if up_b < 0:
        a1, a2 = a2, a1
    first = orient3d(a0, a1, b0, b1)
    if first > 0:
        return 0
    second = orient3d(a0, a2, b2, b0)
    if second > 0:
        return 0
    return 2 if first < 0 and second < 0 else 1


@kernel
def triangles_intersect(a0, a1, a2, b0, b1, b2):
    """Whether two closed triangles have a common point. Exact; touching counts."""
    return triangle_relation(a0, a1, a2, b0, b1, b2) != APART
