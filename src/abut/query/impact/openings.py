"""Along which directions must two shapes be moved apart that touch, and how far?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...geometry import EdgeKind, Solid
from ...geometry.making.fit import mean_normals
from ...math.pose import Pose
from ..depth.depth import Depth, depth_of
from ..distance.distance import Distance, distance, distance_within
from ..distance.nearest import nearest_to_point
from ..features import are_polyhedra
from ..intersection.intersect import intersect
from .touching import touch_of_shapes, touch_of_triangles

_ALIKE = 1e-6
"""Directions that differ by less are one."""
_LEAST_SINE_ACROSS = 1e-6
"""Of the angle between two edges that give a direction."""
_THICKER, _BESIDE = 2.0, 4.0
"""How far a surface is moved outwards to find what touches it, and how far corners may be off a plane, in touches."""


class Opening(NamedTuple):
    """A direction in which two shapes are near each other."""

    normal: Floats
    """(3,) unit vector from A to B."""
    gap: float
    """[m] along it; less than 0 where they overlap."""


def are_nearer(a: Any, b: Any, X_a: Pose, X_b: Pose, reach: float) -> bool:
    """Whether shapes are less than `reach` [m] apart."""
    found = _nearest(a, b, X_a, X_b, reach)
    return found is not None and found.distance < reach


def openings(a: Any, b: Any, X_a: Pose, X_b: Pose, reach: float, touch: float) -> list[Opening]:
    """Directions in which shapes are nearer than `reach` [m].

    Where they are within `touch` [m] of touching, or in each other by no more, these are all directions of faces that
    touch. Else it is that of the nearest points, or the way out for the deepest one. None are known of surfaces that
    cross each other and are not closed.
    """
    found = _nearest(a, b, X_a, X_b, reach)
    if found is None or found.distance >= reach:
        return []
    if found.distance > touch:
        return [Opening(_normal(a, b, X_a, X_b, found), found.distance)]
    depth = Depth(0.0, 0.0, found.point_a, "a") if found.upper > 0.0 else depth_of(a, b, X_a, X_b)
    if np.isnan(depth.lower):
        return []
    if depth.lower <= touch:
        return [Opening(normal, 0.0) for normal in _normals_of_touch(a, b, X_a, X_b, touch, found)]
    return [_way_out(a, b, X_a, X_b, depth)]


def _nearest(a: Any, b: Any, X_a: Pose, X_b: Pose, reach: float) -> Distance | None:
    if are_polyhedra(a, b):
        return distance_within(a, b, X_a, X_b, reach)
    return distance(a, b, X_a, X_b)


def _normal(a: Any, b: Any, X_a: Pose, X_b: Pose, found: Distance) -> Floats:
    if are_polyhedra(a, b):
        return touch_of_triangles(a, b, X_a, X_b, *found.triangles).normal
    return touch_of_shapes(a, b, X_a, X_b).normal


def _normals_of_touch(a: Any, b: Any, X_a: Pose, X_b: Pose, touch: float, found: Distance) -> list[Floats]:
    """Unit vectors from A to B: of faces that touch, else of edges that cross, else between the nearest features."""
    if not are_polyhedra(a, b):
        return [touch_of_shapes(a, b, X_a, X_b, indistinct=2.0 * touch).normal]
    pairs = intersect(a, _thicker(b, _THICKER * touch), X_a, X_b, every=True).pairs
    near = _Triangles(a, X_a, pairs[:, 0]), _Triangles(b, X_b, pairs[:, 1])
    for normals in (_of_faces(*near), _of_edges(*near)):
        parting = normals[_part(*near, normals, _BESIDE * touch)]
        if len(parting):
            _, first = np.unique(np.round(parting / _ALIKE), axis=0, return_index=True)
            return list(parting[np.sort(first)])
    return [_normal(a, b, X_a, X_b, found)]


def _thicker(solid: Solid, way: float) -> Solid:
    """The part with its surface moved outwards by about `way` [m]."""
    vertices, triangles = solid.mesh.vertices, solid.mesh.triangles
    return Solid(vertices + way * mean_normals(vertices, triangles), triangles)


class _Triangles:
    """Some triangles of a part where it stands."""

    def __init__(self, solid: Solid, X: Pose, chosen: Ints) -> None:
        self.corners = X.apply(solid.vertices)[solid.triangles[chosen]]
        self.normal = solid.faces.normal[solid.faces.of_triangle[chosen]] @ X.rotation.T
        self.edges = np.roll(self.corners, -1, axis=1) - self.corners
        self.sharp = solid.edges.kind[solid.edges.of_triangle[chosen]] != EdgeKind.FLAT


def _of_faces(A: _Triangles, B: _Triangles) -> Floats:
    """(2, m, 3) normals of the triangles, out of A and into B."""
    return np.stack((A.normal, -B.normal))


def _of_edges(A: _Triangles, B: _Triangles) -> Floats:
    """(18, m, 3) directions across an edge of A and one of B, both ways; 0 where there is none."""
    across = np.cross(A.edges[:, :, None], B.edges[:, None]).reshape(len(A.edges), 9, 3)
    length = np.linalg.norm(across, axis=2, keepdims=True)
    scale = (np.linalg.norm(A.edges, axis=2)[:, :, None] * np.linalg.norm(B.edges, axis=2)[:, None]).reshape(-1, 9, 1)
    real = (A.sharp[:, :, None] & B.sharp[:, None]).reshape(-1, 9, 1) & (length > _LEAST_SINE_ACROSS * scale)
    unit = np.where(real, across / np.where(real, length, 1.0), 0.0).swapaxes(0, 1)
    return np.concatenate((unit, -unit))


def _part(A: _Triangles, B: _Triangles, normals: Floats, beside: float) -> NDArray[np.bool_]:
    """(k, m) whether planes across the normals part the triangles, with the material behind each on its side."""
    below = np.einsum("mci,kmi->kmc", A.corners, normals)
    above = np.einsum("mci,kmi->kmc", B.corners, normals)
    parted = above.min(axis=2) - below.max(axis=2) >= -beside
    lies = above.max(axis=2) - below.max(axis=2) <= beside, above.min(axis=2) - below.min(axis=2) <= beside
    facing = np.einsum("mi,kmi->km", B.normal, normals) < -0.5
    backing = np.einsum("mi,kmi->km", A.normal, normals) > 0.5
    return np.asarray(parted & (~lies[0] | facing) & (~lies[1] | backing) & normals.any(axis=2))


def _way_out(a: Any, b: Any, X_a: Pose, X_b: Pose, depth: Depth) -> Opening:
    if not are_polyhedra(a, b):
        return Opening(touch_of_shapes(a, b, X_a, X_b, indistinct=2.0 * depth.upper).normal, -depth.upper)
    # The deepest point of one lies in the other, and comes out of it at the nearest point of its surface.
    into, X, sign = (b, X_b, -1.0) if depth.of == "a" else (a, X_a, 1.0)
    triangle = nearest_to_point(into, X, depth.point).triangle
    return Opening(sign * (X.rotation @ into.faces.normal[into.faces.of_triangle[triangle]]), -depth.upper)
