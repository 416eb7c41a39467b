"""Edges along faces: how much of an edge lies over a triangle of a face."""

from ..._jit import inner_kernel, lean_kernel
from ...math.frame_tables import IDENTITY
from ...math.pose_kernels import pose_apply
from ...math.vec_kernels import cross, dot, mat_vec, norm, row, sub
from ..distance.triangle_pair_kernels import moved_triangle
from .group_kernels import EDGE, ID_A, ID_B, KIND_A, KIND_B
from .region_tables import Facet, SeedSide

_RIM = 0.01
"""Of the tolerance: how far beyond the convex rim of a face an edge may lie on it, for rounding."""


@inner_kernel
def _narrow(low, high, start, end):
    """The part of [low, high] where a value that goes from `start` to `end` over [0, 1] is not negative."""
    if start < 0.0 and end < 0.0:
        return 1.0, 0.0
    if start < 0.0:
        low = max(low, start / (start - end))
    elif end < 0.0:
        high = min(high, start / (start - end))
    return low, high


@inner_kernel
def _rim(side, limit):
    return limit if side < 0 else _RIM * limit


@lean_kernel
def _span_over(P, way, T, normal, beyond, low, high):
    """The part of [low, high] on P + s way that is over a triangle, or no farther beyond its sides than it may be."""
    for k in range(3):
        inward = cross(normal, sub(T[(k + 1) % 3], T[k]))
        size = norm(inward)
        if size > 0.0 and low < high:
            start = dot(inward, sub(P, T[k])) / size + beyond[k]
            low, high = _narrow(low, high, start, start + dot(inward, way) / size)
    return low, high


@inner_kernel
def _span_beside(P, way, T, limit, low, high):
    """The part of [low, high] that is no farther ahead or behind than a triangle reaches: a thin one has sides that
    meet far beyond its corner, if they are moved outwards.
    """
    length = norm(way)
    s_0, s_1, s_2 = dot(sub(T[0], P), way), dot(sub(T[1], P), way), dot(sub(T[2], P), way)
    first, last = min(s_0, s_1, s_2) - limit * length, max(s_0, s_1, s_2) + limit * length
    return max(low, first / length**2), min(high, last / length**2)


@inner_kernel
def edge_over_triangle(ends, h, facet, limit, margin):
    """From where to where, 0 to 1, an edge with its ends at heights h lies on a triangle, within `limit` of it."""
    P, way, side, i = ends[0], sub(ends[1], ends[0]), facet.part.side, facet.i
    # Beyond a convex edge, an edge lies along that or is apart.
    beyond = (_rim(side[i, 0], limit), _rim(side[i, 1], limit), _rim(side[i, 2], limit))
    low, high = _narrow(0.0, 1.0, limit - h[0] + margin, limit - h[1] + margin)
    low, high = _narrow(low, high, limit + h[0] - margin, limit + h[1] - margin)
    low, high = _span_beside(P, way, facet.corner, limit, low, high)
    return _span_over(P, way, facet.corner, facet.normal, beyond, low, high)


@inner_kernel
def line_sides(search, name):
    """Both sides of a line, that of the edge first."""
    side_a = SeedSide(search.part_a, name[KIND_A], name[ID_A], IDENTITY)
    side_b = SeedSide(search.part_b, name[KIND_B], name[ID_B], search.X)
    return (side_a, side_b) if name[KIND_A] == EDGE else (side_b, side_a)


@inner_kernel
def ends_of(side):
    """Ends of an edge, in the frame of A."""
    part = side.part
    first, second = row(part.point, part.edge_end[side.id, 0]), row(part.point, part.edge_end[side.id, 1])
    return pose_apply(side.X, first), pose_apply(side.X, second)


@inner_kernel
def outward_of(side):
    """Normal of a face, in the frame of A."""
    return mat_vec(side.X.R, row(side.part.normal, side.id))


@inner_kernel
def line_over_triangle(on_edge, on_face, i, limit, margin):
    """From where to where the edge of a line lies on the i-th triangle of the part of its face."""
    ends, normal = ends_of(on_edge), outward_of(on_face)
    T = moved_triangle(on_face.part.corners, i, on_face.X)
    h = (dot(sub(ends[0], T[0]), normal), dot(sub(ends[1], T[0]), normal))
    return edge_over_triangle(ends, h, Facet(on_face.part, i, T, normal, (0.0, 0.0, 0.0), 0), limit, margin)
