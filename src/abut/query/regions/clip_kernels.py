"""Where two triangles lie on each other: the part of one that is above the other and not too far from it.

A polygon is cut by one half-plane after the other. Each of its sides knows where it comes from, so that each corner
can be named: a corner of A above B, one of B below A, or the place where two sides cross. The name stays the same while
parts slide on each other.
"""

from ..._jit import inner_kernel, lean_kernel
from ...math.vec_kernels import add_scaled, cross, dot, norm, row, scale, sub
from .group_kernels import CORNERS, EDGE, FACE, FULL, VERTEX, add_element, key_of

ABOVE, BELOW = 6, 7
"""Sides of a polygon that the tolerance cut; 0 to 2 are sides of A's triangle, 3 to 5 of B's."""


@inner_kernel
def _copy_corner(scratch_io, source, k, border, n):
    target = 1 - source
    for c in range(4):
        scratch_io.polygon[target, n, c] = scratch_io.polygon[source, k, c]
    scratch_io.border[target, n] = border
    return n + 1


@inner_kernel
def _put_between(scratch_io, source, k, after, t, border, n):
    target, polygon = 1 - source, scratch_io.polygon
    for c in range(4):
        polygon[target, n, c] = polygon[source, k, c] + t * (polygon[source, after, c] - polygon[source, k, c])
    scratch_io.border[target, n] = border
    return n + 1


@inner_kernel
def _corner(polygon, which, k):
    return polygon[which, k, 0], polygon[which, k, 1], polygon[which, k, 2]


@lean_kernel
def _cut(scratch_io, source, n, inward, origin, rise, offset, label):
    """Keep what has inward . (x - origin) + rise height + offset >= 0; returns the number of corners."""
    polygon, border = scratch_io.polygon, scratch_io.border
    kept = 0
    for k in range(n):
        after = k + 1 if k + 1 < n else 0
        here = dot(inward, sub(_corner(polygon, source, k), origin)) + rise * polygon[source, k, 3] + offset
        there = dot(inward, sub(_corner(polygon, source, after), origin)) + rise * polygon[source, after, 3] + offset
        if here >= 0.0:
            kept = _copy_corner(scratch_io, source, k, border[source, k], kept)
            if there < 0.0:
                kept = _put_between(scratch_io, source, k, after, here / (here - there), label, kept)
        elif there >= 0.0:
            kept = _put_between(scratch_io, source, k, after, here / (here - there), border[source, k], kept)
    return kept


@lean_kernel
def clip_triangles(A, B, normal, heights, limit, scratch_io):
    """The part of A over B that is no farther from it than `limit`, cut along the normal of B.

    `heights` are those of A's corners. Returns which of the two polygons of the scratch it is and its corners.
    """
    for k in range(3):
        for c in range(3):
            scratch_io.polygon[0, k, c] = A[k][c]
        scratch_io.polygon[0, k, 3] = heights[k]
        scratch_io.border[0, k] = k
    n, source = 3, 0
    for k in range(3):
        inward = cross(normal, sub(B[(k + 1) % 3], B[k]))
        n = _cut(scratch_io, source, n, inward, B[k], 0.0, 0.0, 3 + k)
        source = 1 - source
        if n < 3:
            return source, 0
    nothing = (0.0, 0.0, 0.0)
    if max(heights[0], heights[1], heights[2]) > limit:
        n = _cut(scratch_io, source, n, nothing, nothing, -1.0, limit, ABOVE)
        source = 1 - source
    if n > 2 and min(heights[0], heights[1], heights[2]) < -limit:
        n = _cut(scratch_io, source, n, nothing, nothing, 1.0, limit, BELOW)
        source = 1 - source
    return source, n if n > 2 else 0


@lean_kernel
def polygon_area(polygon, which, n, normal):
    """Area [m^2] seen along the normal, and the length of the border [m]."""
    origin, doubled, length = _corner(polygon, which, 0), 0.0, 0.0
    before = _corner(polygon, which, n - 1)
    for k in range(n):
        here = _corner(polygon, which, k)
        doubled += dot(cross(sub(before, origin), sub(here, origin)), normal)
        length += norm(sub(here, before))
        before = here
    return 0.5 * abs(doubled), length


@inner_kernel
def _shared(first, second):
    """The corner that two sides of a triangle have in common."""
    return second if second == (first + 1) % 3 else first


@inner_kernel
def code_of_corner(before, after, facet_a, facet_b):
    """Name of the corner between two sides of a polygon of two triangles."""
    part_a, i, part_b, j = facet_a.part, facet_a.i, facet_b.part, facet_b.i
    if before < 3 and after < 3:
        return key_of(VERTEX, part_a.vertex[i, _shared(before, after)] + 1, FACE, 0)
    if before > 2 and after > 2 and before < ABOVE and after < ABOVE:
        return key_of(FACE, 0, VERTEX, part_b.vertex[j, _shared(before - 3, after - 3)] + 1)
    low, high = min(before, after), max(before, after)
    if low < 3 and high < ABOVE:
        return key_of(EDGE, 3 * i + low, EDGE, 3 * j + high - 3)
    if low < 3:
        return key_of(EDGE, 3 * i + low, FACE, high)
    return key_of(FACE, high, EDGE, 3 * j + low - 3 if low < ABOVE else 0)


@inner_kernel
def add_piece(groups_io, group, facet_a, facet_b, scratch, which, n):
    """Append a polygon to a group."""
    first = groups_io.counts[CORNERS]
    if first + n > groups_io.corner.shape[0]:
        groups_io.counts[FULL] = 1
        return
    add_element(groups_io, group, first, n)
    groups_io.counts[CORNERS] = first + n
    before = scratch.border[which, n - 1]
    for k in range(n):
        for c in range(4):
            groups_io.corner[first + k, c] = scratch.polygon[which, k, c]
        after = scratch.border[which, k]
        groups_io.code[first + k] = code_of_corner(before, after, facet_a, facet_b)
        before = after


@inner_kernel
def piece_corner(groups, i):
    """Place of a corner on A."""
    return row(groups.corner, i)


@lean_kernel
def piece_holds(corner, first, n, p, normal, limit):
    """Whether a point, seen along the normal, lies in a polygon of n corners, or within `limit` of it."""
    before, low, high = row(corner, first + n - 1), 1e300, -1e300
    for k in range(first, first + n):
        here = row(corner, k)
        side = sub(here, before)
        length = norm(side)
        if length > 0.0:
            beside = dot(scale(1.0 / length, cross(normal, side)), sub(p, before))
            low, high = min(low, beside), max(high, beside)
        before = here
    return low >= -limit or high <= limit


@inner_kernel
def onto_plane(p, height, normal):
    """The point below p."""
    return add_scaled(p, -height, normal)
