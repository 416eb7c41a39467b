"""Faces divided until they are as flat as is asked, and which of their edges nothing can touch first.

The faces of a solid are named with a tolerance that suits people: what lies within a millionth of the part's size of
one plane has one name. Contacts with a gap that is not large beside that need truer planes, and a check that is to
hold for every gap needs to know each ridge. Facets are parts of faces; see `Facets.leading` for what is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ..solid import Solid
from . import edge_kernels, face_kernels, facet_kernels
from .csr import Csr
from .topology import Faces

PLANE_ROUNDING = 2.0**-46
"""Of a part's diagonal: what lies within that of a plane is in it but for rounding."""


@dataclass(frozen=True, eq=False)
class Facets:
    """Connected patches of triangles whose corners lie within a tolerance of a plane, each of them in one face."""

    of_triangle: Ints
    """(n_triangle,) the facet each triangle belongs to."""
    normal: Floats
    """(n_facet, 3) outward unit normal."""
    offset: Floats
    """(n_facet,) [m] the plane is { x : normal . x = offset }."""
    inner: NDArray[np.bool_]
    """(n_edge,) edges between two triangles of one facet."""

    @classmethod
    def of(cls, solid: Solid, tolerance: float) -> Facets:
        """Faces of a solid that are flat to `tolerance` [m], and facets of those that are not.

        The corners of a whole face lie within the tolerance of its plane; those of a part within the tolerance of the
        plane of its largest triangle, as faces themselves are found. No tolerance is below rounding.
        """
        tolerance = max(tolerance, PLANE_ROUNDING * float(np.linalg.norm(solid.extents)))
        patches = _Patches.of(solid)
        rough = patches.rough_faces(solid.faces, tolerance)
        if not rough.any():
            faces = solid.faces
            return cls(faces.of_triangle, faces.normal, faces.offset, _inner(solid, faces.of_triangle))
        of_triangle = patches.divided(solid, rough, tolerance)
        normal, offset = patches.planes(of_triangle)
        return cls(of_triangle, normal, offset + normal @ patches.origin, _inner(solid, of_triangle))

    def leading(self, solid: Solid) -> NDArray[np.bool_]:
        """(n_edge,) edges that can touch another part before anything beside them does.

        Left out are edges inside a facet and edges in a groove. Facets have to be flat but for rounding: then height
        above a facet is the same linear function of a point on all of it, and the part of another body above it is
        lowest at a corner of that body, or above the border of the facet. An edge in a groove is never nearest to
        anything: both of its sides rise beside it. It counts as one only if the planes of its facets say so, and the
        exact sign of its two triangles as well.
        """
        edges, vertices = solid.edges, solid.mesh.vertices
        half_edges, dihedral = 3 * edges.triangles, np.empty(len(edges))
        edge_kernels.dihedral_angles(vertices, edges.vertices, half_edges, self.of_triangle, self.normal, dihedral)
        leading = (edges.triangles < 0).any(axis=1) | (dihedral > 0.0)
        unsure = np.flatnonzero(~leading & ~self.inner)
        convex = np.empty(len(unsure), np.bool_)
        facet_kernels.convex_by_sign(vertices, solid.mesh.triangles, edges.vertices, edges.triangles, unsure, convex)
        leading[unsure] = convex
        return leading


@dataclass(frozen=True, eq=False)
class _Patches:
    """Triangles about the middle of their part: far from it, coordinates are rounded by more than facets deviate."""

    origin: Floats
    vertices: Floats
    triangles: Ints
    vector: Floats
    area: Floats

    @classmethod
    def of(cls, solid: Solid) -> _Patches:
        triangles, origin = solid.mesh.triangles, solid.bounds.mean(axis=0)
        vertices, vector, area = solid.mesh.vertices - origin, np.empty((len(triangles), 3)), np.empty(len(triangles))
        face_kernels.area_vectors(vertices, triangles, vector, area)
        return cls(origin, vertices, triangles, vector, area)

    def planes(self, of_triangle: Ints) -> tuple[Floats, Floats]:
        """Normal and offset of each patch."""
        n = int(of_triangle.max(initial=-1)) + 1
        members, normal, offset, area = Csr.inverse_of(of_triangle, n), np.empty((n, 3)), np.empty(n), np.empty(n)
        shape = (self.vertices, self.triangles, self.vector, self.area)
        face_kernels.face_planes(shape, members.start, members.items, normal, offset, area)
        return normal, offset

    def rough_faces(self, faces: Faces, tolerance: float) -> NDArray[np.bool_]:
        """(n_face,) faces with a corner that is farther than `tolerance` from their plane."""
        normal, offset = self.planes(faces.of_triangle)
        height = np.einsum("tkj,tj->tk", self.vertices[self.triangles], normal[faces.of_triangle])
        uneven = (np.abs(height - offset[faces.of_triangle][:, None]) > tolerance).any(axis=1)
        return np.bincount(faces.of_triangle[uneven], minlength=len(faces)) > 0

    def divided(self, solid: Solid, rough: NDArray[np.bool_], tolerance: float) -> Ints:
        """The facet of each triangle: first the parts of rough faces, then the other faces."""
        face, facet = solid.faces.of_triangle, np.empty(len(self.triangles), np.int32)
        seeds = np.argsort(-self.area, kind="stable").astype(np.int32)
        seeds, twin = seeds[rough[face[seeds]]], _neighbours_in_face(solid)
        shape = (self.vertices, self.triangles, self.vector, self.area)
        n = face_kernels.grow_faces(shape, twin, seeds, tolerance, facet)
        whole = n + np.cumsum(~rough) - 1
        return np.where(facet >= 0, facet, whole[face]).astype(np.int32)


def _inner(solid: Solid, of_triangle: Ints) -> NDArray[np.bool_]:
    sides = solid.edges.triangles
    return np.asarray((sides >= 0).all(axis=1) & (of_triangle[sides[:, 0]] == of_triangle[sides[:, 1]]))


def _neighbours_in_face(solid: Solid) -> Ints:
    """(3 n_triangle,) a half-edge of the triangle across each half-edge, -1 where that lies in another face."""
    edges, face = solid.edges, solid.faces.of_triangle
    of_edge = edges.triangles[edges.of_triangle]
    own = np.arange(len(face), dtype=np.int32)[:, None]
    across = np.where(of_edge[..., 0] == own, of_edge[..., 1], of_edge[..., 0])
    return np.where((across >= 0) & (face[across] == face[:, None]), 3 * across, -1).astype(np.int32).ravel()
