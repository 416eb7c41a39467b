"""What contacts need of a shape beyond its exposed features: to which feature a point of a triangle belongs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..geometry import EdgeKind, Solid, Sphere
from ..query.exposed import ExposedFeatures, Shape

ON_FACE, ON_EDGE, ON_VERTEX = 0, 1, 2
"""What the regions of a triangle belong to."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles in the order of a shape's exposed features, with the B-rep features they belong to."""

    region: Ints
    """(n_triangle, 14) for each region (three corners, three sides, inside) what it belongs to and its index.

    Faces by their number in the solid, edges and vertices by their place among the exposed features. A side inside a
    planar face or in a groove, and a corner without a convex edge, belong to the face."""
    neighbour: Ints
    """(n_triangle, 3) triangle across each side if it lies in the same face, else -1."""
    face_plane: Floats
    """(n_face, 4) unit normal and offset."""

    @classmethod
    def of(cls, shape: Shape, features: ExposedFeatures, origin: Floats) -> Surface:
        """Surface of a shape whose features are given about `origin`."""
        if isinstance(shape, Solid):
            return _of_solid(shape, features, origin)
        if isinstance(shape, Sphere):
            # All of the ball's one triangle is its centre.
            return cls(
                np.tile(np.array([ON_VERTEX, 0], np.int32), (1, 7)), np.full((1, 3), -1, np.int32), np.zeros((0, 4))
            )
        return cls(np.zeros((1, 14), np.int32), np.full((1, 3), -1, np.int32), features.half_space)


def _of_solid(solid: Solid, features: ExposedFeatures, origin: Floats) -> Surface:
    faces, edges = solid.faces, solid.edges
    order = features.triangle_id
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    sides = edges.of_triangle[order]
    inside = edges.kind[sides] == EdgeKind.FLAT
    across = np.where(edges.triangles[sides, 0] == order[:, None], edges.triangles[sides, 1], edges.triangles[sides, 0])
    face = faces.of_triangle[order]
    region = np.empty((len(order), 7, 2), np.int32)
    region[:, :3] = _belongs(solid.mesh.triangles[order], features.point_id, len(solid.mesh.vertices), ON_VERTEX, face)
    region[:, 3:6] = _belongs(sides, features.segment_id, len(edges), ON_EDGE, face)
    region[:, 6, 0], region[:, 6, 1] = ON_FACE, face
    return Surface(
        region=region.reshape(-1, 14),
        neighbour=np.where(inside, place[across], -1).astype(np.int32),
        face_plane=np.column_stack((faces.normal, faces.offset - faces.normal @ origin)),
    )


def _belongs(name: Ints, exposed: Ints, n: int, kind: int, face: Ints) -> Ints:
    """(m, 3, 2) kind and index of the features `name` (m, 3): the exposed feature if it is one, else the face."""
    place = np.full(n, -1, np.int32)
    place[exposed] = np.arange(len(exposed), dtype=np.int32)
    found = place[name]
    own = np.where(found >= 0, kind, ON_FACE)
    return np.stack((own, np.where(found >= 0, found, face[:, None])), axis=-1).astype(np.int32)


def stack_surfaces(surfaces: Sequence[Surface]) -> tuple[Any, ...]:
    """Surfaces of many shapes in flat tables, as contact_kernels take them: starts, regions, neighbours, planes."""
    counts = [(len(s.region), len(s.face_plane)) for s in surfaces]
    start = np.concatenate(([[0, 0]], np.cumsum(np.array(counts).reshape(-1, 2), axis=0))).astype(np.int32)
    return (
        start,
        np.concatenate([np.zeros((0, 14), np.int32), *(s.region for s in surfaces)]),
        np.concatenate([np.zeros((0, 3), np.int32), *(s.neighbour for s in surfaces)]),
        np.concatenate([np.zeros((0, 4)), *(s.face_plane for s in surfaces)]),
    )
