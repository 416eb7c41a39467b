"""Shapes that are a formula against everything: closed forms, and a hierarchy on the side of the polyhedron.

A ball or a capsule is a point or a segment, its core, with a radius. Against a polyhedron it is a ball at the point of
its core that decides: the one that is nearest to the surface, or, of how deep it is, the deepest one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...geometry import MESH, PLANE, POINT, SEGMENT, HalfSpace, Rounded, Solid
from ...geometry.triangles.triangle_kernels import closest_segment_segment
from ...math.pose import Pose
from ..containment.containment import places_of
from ..containment.containment_kernels import OUTSIDE
from ..depth import depth_kernels
from ..features import INSIDE, SURFACE, Feature, feature_of
from ..intersection.intersect import Intersection
from ..volumes.hierarchy import hierarchy_of
from . import analytic_kernels as kernels
from .distance import Distance, distance

Found = tuple[float, Floats, Floats, Feature, Feature]
"""Signed gap, the points of A and B in the world and their features; a negative gap is an overlap."""

_UP = np.array((0.0, 0.0, 1.0))
_SHARE, _FRACTION = 1e-6, 1e-13
"""To what share of itself, and of the part's size, the depth of a core is found."""
_FLAT = 1e-13
"""Of the part's size: heights above a plane that are less are rounding."""
_EFFORT = (2000, 400_000)
"""Pieces of a core that are divided to find its deepest point, and nodes that are looked at for them, at most."""


def analytic_distance(a: Any, b: Any, X_WA: Pose, X_WB: Pose) -> Distance:
    """Distance of two shapes of which at least one is not a polyhedron."""
    gap, point_a, point_b, feature_a, feature_b = _closest(a, b, X_WA, X_WB)
    gap = max(0.0, gap)
    found = Distance((a, b), gap, gap, (point_a, point_b))
    found._features = feature_a, feature_b
    return found


def signed_gap(a: Any, b: Any, X_WA: Pose, X_WB: Pose) -> float:
    """Distance of such shapes [m]; less than 0 where they overlap, by how far they would have to be moved at least."""
    return float(_closest(a, b, X_WA, X_WB)[0])


def depth_bounds(a: Any, b: Any, X_WA: Pose, X_WB: Pose) -> tuple[float, float]:
    """Lower and upper bound [m] of how deep such shapes are in each other, 0 where they are apart."""
    depth = max(0.0, -signed_gap(a, b, X_WA, X_WB))
    if depth == 0.0 or {a.core, b.core} != {MESH, SEGMENT}:
        return depth, depth
    low, high = _deepest(a, b, X_WA, X_WB) if a.polyhedral else _deepest(b, a, X_WB, X_WA)
    return max(depth, low), max(depth, high)


def analytic_intersection(a: Any, b: Any, X_WA: Pose, X_WB: Pose, every: bool) -> Intersection:
    """Whether two shapes meet of which at least one is not a polyhedron; the other's triangle is given as 0."""
    gap, _, _, feature_a, feature_b = _closest(a, b, X_WA, X_WB)
    if gap > 0.0:
        return Intersection(())
    if INSIDE in (feature_a, feature_b):
        return Intersection((), None, "b" if feature_a == INSIDE else "a")
    pairs = _touched(a, b, X_WA, X_WB)
    return Intersection(pairs if every else pairs[:1])


def _closest(a: Any, b: Any, X_WA: Pose, X_WB: Pose) -> Found:
    if (a.core, b.core) in _PAIRS:
        return _PAIRS[a.core, b.core](a, b, X_WA, X_WB)
    gap, point_b, point_a, feature_b, feature_a = _PAIRS[b.core, a.core](b, a, X_WB, X_WA)
    return gap, point_a, point_b, feature_a, feature_b


def _plane(space: HalfSpace, X: Pose) -> tuple[Floats, float]:
    """Normal and offset in the world."""
    normal = X.rotation @ space.normal
    return normal, space.offset + float(normal @ X.position)


def _plane_solid(a: HalfSpace, b: Solid, X_WA: Pose, X_WB: Pose) -> Found:
    normal, offset = _plane(a, X_WA)
    used = np.unique(b.mesh.triangles)
    heights = b.mesh.vertices[used] @ (X_WB.rotation.T @ normal)
    lowest = int(used[int(heights.argmin())])
    return _above(normal, offset, X_WB.apply(b.mesh.vertices[lowest]), Feature("vertex", lowest))


def _plane_ball(a: HalfSpace, b: Rounded, X_WA: Pose, X_WB: Pose) -> Found:
    normal, offset = _plane(a, X_WA)
    return _above(normal, offset, X_WB.position - b.radius * normal, SURFACE)


def _plane_rounded(a: HalfSpace, b: Rounded, X_WA: Pose, X_WB: Pose) -> Found:
    normal, offset = _plane(a, X_WA)
    ends = X_WB.apply(b.ends)
    lowest = ends[int((ends @ normal).argmin())]
    return _above(normal, offset, lowest - b.radius * normal, SURFACE)


def _above(normal: Floats, offset: float, point: Floats, feature: Feature) -> Found:
    """The lowest point of a shape over a plane."""
    gap = float(normal @ point) - offset
    return gap, point - gap * normal, point, SURFACE, feature


def _two_planes(first: HalfSpace, second: HalfSpace, X_WA: Pose, X_WB: Pose) -> Found:
    """Half-spaces are apart only where they face each other."""
    (n, a), (m, b) = _plane(first, X_WA), _plane(second, X_WB)
    if not np.allclose(n, -m, rtol=0.0, atol=1e-15):
        # Two planes that are not parallel cross: take the point of both that is closest to the origin.
        point = np.linalg.lstsq(np.stack((n, m)), np.array((a, b)), rcond=None)[0]
        return -np.inf, point, point, SURFACE, SURFACE
    return -b - a, a * n, -b * n, SURFACE, SURFACE


def _two_balls(a: Rounded, b: Rounded, X_WA: Pose, X_WB: Pose) -> Found:
    return _between(a, b, X_WA.position, X_WB.position, _UP)


def _two_rounded(a: Rounded, b: Rounded, X_WA: Pose, X_WB: Pose) -> Found:
    ends_a, ends_b = X_WA.apply(a.ends), X_WB.apply(b.ends)
    p, q, _, _ = closest_segment_segment(*(tuple(end.tolist()) for end in (*ends_a, *ends_b)))
    aside = _across(ends_a[1] - ends_a[0], ends_b[1] - ends_b[0]) if p == q else _UP
    return _between(a, b, np.array(p), np.array(q), aside)


def _between(a: Rounded, b: Rounded, x_a: Floats, x_b: Floats, aside: Floats) -> Found:
    """Two balls about the points of two cores that are nearest; `aside` is where to move them if that is one point."""
    offset = x_b - x_a
    length = float(np.linalg.norm(offset))
    n = offset / length if length > 0.0 else aside
    gap = length - a.radius - b.radius
    return gap, x_a + a.radius * n, x_b - b.radius * n, SURFACE, SURFACE


def _across(u: Floats, v: Floats) -> Floats:
    """A unit vector across two vectors, either of which may be zero."""
    longer = u if u @ u >= v @ v else v
    for n in (np.cross(u, v), np.cross(longer, np.eye(3)[int(np.abs(longer).argmin())])):
        length = float(np.linalg.norm(n))
        if length > 1e-9 * float(np.linalg.norm(longer)):
            return np.asarray(n / length)
    return _UP


def _solid_ball(a: Solid, b: Rounded, X_WA: Pose, X_WB: Pose) -> Found:
    """The closest point of the surface to the centre; a centre inside the material is an overlap in any case."""
    centre = X_WA.inverse().apply(X_WB.position)
    inside = _is_inside(a, centre)
    length, found = _surface_and_ball(a, b.radius, X_WA, X_WB.position, centre, inside)
    return _as_inner(found) if inside and length > b.radius else found


def _solid_capsule(a: Solid, b: Rounded, X_WA: Pose, X_WB: Pose) -> Found:
    """A ball where the axis is nearest to the surface."""
    near = distance(a, _axis(b.half_length), X_WA, X_WB)
    centre = X_WA.inverse().apply(near.point_b)
    inside = _is_inside(a, centre)
    _, found = _surface_and_ball(a, b.radius, X_WA, near.point_b, centre, inside)
    return _as_inner(found) if inside and near.distance > b.radius else found


def _is_inside(a: Solid, point: Floats) -> bool:
    """Whether a point, in the frame of the part, is not outside."""
    return bool(a.closed and places_of(a, point[None])[0] != OUTSIDE)


def _as_inner(found: Found) -> Found:
    """The other shape lies in the part, and surfaces do not meet."""
    gap, _, point, _, feature = found
    return gap, point, point, INSIDE, feature


def _surface_and_ball(
    a: Solid, radius: float, X_WA: Pose, x: Floats, centre: Floats, inside: bool
) -> tuple[float, Found]:
    """How far x, which is `centre` in the frame of a solid, is from its surface, and the solid and a ball about x."""
    tree = hierarchy_of(a).tree
    point, length, leaf, region = kernels.closest_to_point(_tuple(centre), *hierarchy_of(a).tables, tree.depth)
    near, feature = X_WA.apply(np.array(point)), feature_of(a, int(tree.order[leaf]), region)
    n = (near - x) / length if length > 0.0 else _UP
    gap = (-length if inside else length) - radius
    return length, (gap, near, x + radius * n, feature, SURFACE)


@lru_cache(maxsize=1024)
def _axis(half_length: float) -> Solid:
    """A segment of the z axis as a triangle without area, which a hierarchy can hold."""
    return Solid([(0.0, 0.0, -half_length), *[(0.0, 0.0, half_length)] * 2], [(0, 1, 2)], tolerance=0.0)


def _deepest(a: Solid, b: Rounded, X_WA: Pose, X_WB: Pose) -> tuple[float, float]:
    """Bounds of the depth of a ball at the point of a capsule's axis that lies deepest in a solid; 0 if none does."""
    if not a.closed:
        return 0.0, 0.0
    into, row = hierarchy_of(a), np.empty(depth_kernels.ANSWER)
    triangle = np.ascontiguousarray(X_WA.inverse().apply(X_WB.apply(b.ends))[[0, 1, 1]].reshape(1, 9))
    wanted = into.tables, _FLAT * into.extent, (_SHARE, _FRACTION * into.extent)
    depth_kernels.reach_of_triangles(triangle, wanted, _EFFORT, 0.0, into.depth, row)
    low, high = float(row[depth_kernels.LOWER]), float(row[depth_kernels.UPPER])
    return (low + b.radius, high + b.radius) if low > 0.0 else (0.0, 0.0)


_PAIRS: dict[tuple[str, str], Callable[[Any, Any, Pose, Pose], Found]] = {
    (PLANE, PLANE): _two_planes,
    (PLANE, MESH): _plane_solid,
    (PLANE, POINT): _plane_ball,
    (PLANE, SEGMENT): _plane_rounded,
    (MESH, POINT): _solid_ball,
    (MESH, SEGMENT): _solid_capsule,
    (POINT, POINT): _two_balls,
    (POINT, SEGMENT): _two_rounded,
    (SEGMENT, SEGMENT): _two_rounded,
}
"""By the cores of two shapes, in one of their two orders."""


def _touched(a: Any, b: Any, X_WA: Pose, X_WB: Pose) -> Ints:
    """Triangles of the polyhedron that reach the other shape; a pair (0, 0) where there is no polyhedron."""
    if b.polyhedral:
        return np.ascontiguousarray(_touched(b, a, X_WB, X_WA)[:, ::-1])
    if not a.polyhedral:
        return np.zeros((1, 2), np.int32)
    if not b.bounded:
        normal, offset = _plane(b, X_WB)
        under = X_WA.apply(a.mesh.vertices) @ normal <= offset
        hit = under[a.mesh.triangles].any(axis=1)
    else:
        hit = np.empty(len(a.mesh.triangles), np.bool_)
        p, q = X_WA.inverse().apply(X_WB.apply(b.ends))
        kernels.triangles_within(_tuple(p), _tuple(q), b.radius, a.mesh.vertices, a.mesh.triangles, hit)
    found = np.flatnonzero(hit).astype(np.int32)
    return np.column_stack((found, np.zeros_like(found)))


def _tuple(v: Floats) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
