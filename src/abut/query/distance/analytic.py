"""Spheres and half-spaces against everything: closed forms, and a hierarchy on the side of the polyhedron."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...geometry import HalfSpace, Solid, Sphere
from ...math.pose import Pose
from ..containment.containment import places_of
from ..containment.containment_kernels import OUTSIDE
from ..features import INSIDE, SURFACE, Feature, feature_of
from ..intersection.intersect import Intersection
from ..volumes.hierarchy import hierarchy_of
from . import analytic_kernels as kernels
from .distance import Distance

Found = tuple[float, Floats, Floats, Feature, Feature]
"""Signed gap, the points of A and B in the world and their features; a negative gap is an overlap."""


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
    if isinstance(a, HalfSpace):
        return _below_plane(b, X_WB, _plane(a, X_WA))
    if isinstance(b, HalfSpace) or (isinstance(a, Sphere) and isinstance(b, Solid)):
        gap, point_b, point_a, feature_b, feature_a = _closest(b, a, X_WB, X_WA)
        return gap, point_a, point_b, feature_a, feature_b
    if isinstance(a, Sphere):
        return _two_spheres(a, b, X_WA, X_WB)
    return _solid_sphere(a, b, X_WA, X_WB)


def _plane(space: HalfSpace, X: Pose) -> tuple[Floats, float]:
    """Normal and offset in the world."""
    normal = X.rotation @ space.normal
    return normal, space.offset + float(normal @ X.position)


def _below_plane(b: Any, X_WB: Pose, plane: tuple[Floats, float]) -> Found:
    """The lowest point of `b` over a half-space."""
    normal, offset = plane
    if isinstance(b, HalfSpace):
        return _two_half_spaces(plane, _plane(b, X_WB))
    if isinstance(b, Sphere):
        point, feature = X_WB.position - b.radius * normal, SURFACE
    else:
        used = np.unique(b.mesh.triangles)
        heights = b.mesh.vertices[used] @ (X_WB.rotation.T @ normal)
        lowest = int(used[int(heights.argmin())])
        point, feature = X_WB.apply(b.mesh.vertices[lowest]), Feature("vertex", lowest)
    gap = float(normal @ point) - offset
    return gap, point - gap * normal, point, SURFACE, feature


def _two_half_spaces(plane_a: tuple[Floats, float], plane_b: tuple[Floats, float]) -> Found:
    """Half-spaces are apart only where they face each other."""
    (n, a), (m, b) = plane_a, plane_b
    if not np.allclose(n, -m, rtol=0.0, atol=1e-15):
        # Two planes that are not parallel cross: take the point of both that is closest to the origin.
        point = np.linalg.lstsq(np.stack((n, m)), np.array((a, b)), rcond=None)[0]
        return -np.inf, point, point, SURFACE, SURFACE
    return -b - a, a * n, -b * n, SURFACE, SURFACE


def _two_spheres(a: Sphere, b: Sphere, X_WA: Pose, X_WB: Pose) -> Found:
    offset = X_WB.position - X_WA.position
    length = float(np.linalg.norm(offset))
    n = offset / length if length > 0.0 else np.array((0.0, 0.0, 1.0))
    gap = length - a.radius - b.radius
    return gap, X_WA.position + a.radius * n, X_WB.position - b.radius * n, SURFACE, SURFACE


def _solid_sphere(a: Solid, b: Sphere, X_WA: Pose, X_WB: Pose) -> Found:
    """The closest point of the surface to the centre; a centre inside the material is an overlap in any case."""
    tree = hierarchy_of(a).tree
    centre = X_WA.inverse().apply(X_WB.position)
    row = np.empty(6)
    kernels.closest_to_point(
        (float(centre[0]), float(centre[1]), float(centre[2])), *hierarchy_of(a).tables, tree.depth, row
    )
    near, length = X_WA.apply(row[:3]), float(row[3])
    feature = feature_of(a, int(tree.order[int(row[4])]), int(row[5]))
    n = (near - X_WB.position) / length if length > 0.0 else np.array((0.0, 0.0, 1.0))
    point_b = X_WB.position + b.radius * n
    inside = a.closed and places_of(a, centre[None])[0] != OUTSIDE
    if inside and length > b.radius:
        return -length - b.radius, point_b, point_b, INSIDE, SURFACE
    return (-length if inside else length) - b.radius, near, point_b, feature, SURFACE


def _touched(a: Any, b: Any, X_WA: Pose, X_WB: Pose) -> Ints:
    """Triangles of the polyhedron that reach the other shape; a pair (0, 0) where there is no polyhedron."""
    if isinstance(b, Solid):
        return np.ascontiguousarray(_touched(b, a, X_WB, X_WA)[:, ::-1])
    if not isinstance(a, Solid):
        return np.zeros((1, 2), np.int32)
    if isinstance(b, HalfSpace):
        normal, offset = _plane(b, X_WB)
        under = X_WA.apply(a.mesh.vertices) @ normal <= offset
        hit = under[a.mesh.triangles].any(axis=1)
    else:
        hit = np.empty(len(a.mesh.triangles), np.bool_)
        centre = X_WA.inverse().apply(X_WB.position)
        kernels.triangles_within(
            (float(centre[0]), float(centre[1]), float(centre[2])), b.radius, a.mesh.vertices, a.mesh.triangles, hit
        )
    found = np.flatnonzero(hit).astype(np.int32)
    return np.column_stack((found, np.zeros_like(found)))
