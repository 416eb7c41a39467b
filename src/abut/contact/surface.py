"""What contacts need of a shape beyond its exposed features: to which feature a point of a triangle belongs.

A vertex is held above the plane of a facet, part of a face that is flat beside the contact gap. Ridges in it are too
low to tell, and a vertex that slides over them stays in one contact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..geometry import MESH, PLANE, POINT, SEGMENT, Facets, Shape, Solid
from ..query.motion.exposed import ExposedFeatures
from .contact_kernels import FIRST_TRIANGLE

ON_FACE, ON_EDGE, ON_VERTEX = 0, 1, 2
"""What the regions of a triangle belong to."""
N_REGION = 7
"""Of a triangle: its three corners, its three sides and its inside."""

UNEVENNESS = 0.01
"""Of the contact gap: how far the corners of a facet may be from its plane."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles in the order of a shape's exposed features, with the features they belong to."""

    region: Ints
    """(n_triangle, 2 N_REGION) for each region of a triangle what it belongs to and its index.

    Facets by their number, edges and vertices by their place among the exposed features. A side inside a facet or in a
    groove, and a corner without another edge, belong to the facet."""
    neighbour: Ints
    """(n_triangle, 3) triangle across each side if it lies in the same facet, else -1."""
    face_plane: Floats
    """(n_facet, 4) unit normal and offset."""
    face: Ints
    """(n_triangle,) the face of the solid that each triangle belongs to."""

    @classmethod
    def of(cls, shape: Shape, features: ExposedFeatures, origin: Floats, contact_gap: float) -> Surface:
        """Surface of a shape whose features are given about `origin`, for contacts with this gap [m]."""
        return _MAKERS[shape.core](shape, features, origin, contact_gap)


def _of_core(features: ExposedFeatures, region: Sequence[tuple[int, int]]) -> Surface:
    """A single triangle, shrunk to the core of a shape, whose regions belong to what is left of them."""
    table = np.array(region, np.int32).reshape(1, 2 * N_REGION)
    return Surface(table, np.full((1, 3), -1, np.int32), features.half_space, np.zeros(1, np.int32))


def _of_point(_shape: Shape, features: ExposedFeatures, _origin: Floats, _contact_gap: float) -> Surface:
    """All of a ball's triangle is its centre."""
    return _of_core(features, [(ON_VERTEX, 0)] * N_REGION)


def _of_segment(_shape: Shape, features: ExposedFeatures, _origin: Floats, _contact_gap: float) -> Surface:
    """Of a capsule's triangle, the second and the third corner are the same end of its axis."""
    low, high = ((ON_VERTEX, int(np.flatnonzero(features.point_id == end)[0])) for end in (0, 1))
    axis = (ON_EDGE, 0)
    return _of_core(features, [low, high, high, axis, high, axis, axis])


def _of_plane(_shape: Shape, features: ExposedFeatures, _origin: Floats, _contact_gap: float) -> Surface:
    return _of_core(features, [(ON_FACE, 0)] * N_REGION)


def _of_solid(solid: Solid, features: ExposedFeatures, origin: Floats, contact_gap: float) -> Surface:
    facets = Facets.of(solid, UNEVENNESS * contact_gap)
    edges = solid.edges
    order = features.triangle_id
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    sides = edges.of_triangle[order]
    inside = facets.inner[sides]
    across = np.where(edges.triangles[sides, 0] == order[:, None], edges.triangles[sides, 1], edges.triangles[sides, 0])
    facet = facets.of_triangle[order]
    segments = np.where(facets.inner[features.segment_id], -1, features.segment_id)
    points = np.where(np.isin(features.point_id, edges.vertices[segments[segments >= 0]]), features.point_id, -1)
    region = np.empty((len(order), N_REGION, 2), np.int32)
    region[:, :3] = _belongs(solid.mesh.triangles[order], points, len(solid.mesh.vertices), ON_VERTEX, facet)
    region[:, 3:6] = _belongs(sides, segments, len(edges), ON_EDGE, facet)
    region[:, 6, 0], region[:, 6, 1] = ON_FACE, facet
    return Surface(
        region=region.reshape(-1, 2 * N_REGION),
        neighbour=np.where(inside, place[across], -1).astype(np.int32),
        face_plane=np.column_stack((facets.normal, facets.offset - facets.normal @ origin)),
        face=solid.faces.of_triangle[order],
    )


_MAKERS: dict[str, Callable[[Any, ExposedFeatures, Floats, float], Surface]] = {
    POINT: _of_point,
    SEGMENT: _of_segment,
    MESH: _of_solid,
    PLANE: _of_plane,
}
"""By the core of a shape."""


def _belongs(name: Ints, exposed: Ints, n: int, kind: int, facet: Ints) -> Ints:
    """(m, 3, 2) kind and index of the features `name` (m, 3): the exposed feature if it is one, else the facet.

    Of the n features, those that stand in `exposed` are, by their place there; -1 stands for none.
    """
    place = np.full(n + 1, -1, np.int32)
    place[exposed] = np.arange(len(exposed), dtype=np.int32)
    place[-1] = -1
    found = place[name]
    own = np.where(found >= 0, kind, ON_FACE)
    return np.stack((own, np.where(found >= 0, found, facet[:, None])), axis=-1).astype(np.int32)


def stack_surfaces(surfaces: Sequence[Surface]) -> tuple[Any, ...]:
    """Surfaces of many shapes in flat tables: Surfaces of contact_tables as a plain tuple."""
    counts = [(len(s.region), len(s.face_plane)) for s in surfaces]
    start = np.concatenate(([[0, 0]], np.cumsum(np.array(counts).reshape(-1, 2), axis=0))).astype(np.int32)
    return (
        start,
        np.concatenate([np.zeros((0, 2 * N_REGION), np.int32), *(s.region for s in surfaces)]),
        np.concatenate([np.zeros((0, 3), np.int32), *(s.neighbour for s in surfaces)]),
        np.concatenate([np.zeros((0, 4)), *(s.face_plane for s in surfaces)]),
    )


def facets_of(surfaces: tuple[Any, ...], shape: Ints, triangle: Ints) -> Ints:
    """The facet of each triangle of a shape, in stacked surfaces."""
    start, region, _, _ = surfaces
    return np.asarray(region[start[shape, FIRST_TRIANGLE] + triangle, -1])
