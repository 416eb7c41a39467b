"""Triangles of a shape in double precision, and how far they lie from the true surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.BRepTools import BRepTools
from OCP.GeomAbs import GeomAbs_SurfaceType
from OCP.TopAbs import TopAbs_Orientation
from OCP.TopLoc import TopLoc_Location

from .document import MM, faces_of

# Open CASCADE aims at its deflection, and was measured to miss it by up to a factor of 3.3 on the tested parts. A fine
# angle keeps small holes round, whose chord error is below any deflection but whose volume is not.
DEFLECTION, ANGLE, TRIES, WORTHWHILE = 0.25, 0.2, 3, 0.8

# Where the true surface is looked at, as weights of a triangle's corners: the middle and those of the sides.
_SAMPLES = np.array([(1 / 3, 1 / 3, 1 / 3), (0.5, 0.5, 0.0), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5)])

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FaceMesh:
    """The triangles of one face, counter-clockwise seen from outside."""

    points: Floats
    """(n, 3) [mm]."""
    uv: Floats
    """(n, 2) parameters of the surface at these points."""
    triangles: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ShapeMesh:
    """The triangles of a shape, face by face, and their measured error."""

    faces: list[FaceMesh]
    deviation: list[tuple[float, float]]
    """[m] of each face: least and largest height of its triangles over the true surface, out of the material."""

    @property
    def error(self) -> float:
        """[m] the largest of all."""
        return max((max(-low, high) for low, high in self.deviation), default=0.0)


def cut_shape(shape: Any, tolerance: float) -> ShapeMesh:
    """Triangles whose measured chord error is at most `tolerance` [m], or the best of several tries."""
    deflection = DEFLECTION * tolerance / MM
    best = _cut(shape, deflection)
    for _ in range(TRIES):
        if best.error <= tolerance:
            break
        deflection *= 0.5
        finer = _cut(shape, deflection)
        if finer.error > WORTHWHILE * best.error:
            break  # Open CASCADE does not get nearer to this surface, only to more triangles
        best = finer
    return best


def _cut(shape: Any, deflection: float) -> ShapeMesh:
    BRepTools.Clean_s(shape, True)
    BRepMesh_IncrementalMesh(shape, deflection, False, ANGLE, False)
    faces = faces_of(shape)
    meshes = [_face_mesh(face) for face in faces]
    return ShapeMesh(meshes, [_deviation(face, mesh) for face, mesh in zip(faces, meshes, strict=True)])


def _face_mesh(face: Any) -> FaceMesh:
    location = TopLoc_Location()
    mesh = BRep_Tool.Triangulation_s(face, location)
    if mesh is None:
        return FaceMesh(np.zeros((0, 3)), np.zeros((0, 2)), np.zeros((0, 3), np.int64))
    placed = location.Transformation()
    nodes = [mesh.Node(i).Transformed(placed) for i in range(1, mesh.NbNodes() + 1)]
    points = np.array([(p.X(), p.Y(), p.Z()) for p in nodes]).reshape(-1, 3)
    pairs = [mesh.UVNode(i) for i in range(1, mesh.NbNodes() + 1)] if mesh.HasUVNodes() else []
    uv = np.array([(p.X(), p.Y()) for p in pairs]).reshape(-1, 2)
    triangles = np.array([mesh.Triangle(i).Get() for i in range(1, mesh.NbTriangles() + 1)], np.int64).reshape(-1, 3)
    if face.Orientation() == TopAbs_Orientation.TopAbs_REVERSED:
        triangles = triangles[:, ::-1]
    return FaceMesh(points, uv, triangles - 1)


def _deviation(face: Any, mesh: FaceMesh) -> tuple[float, float]:
    """How far the triangles lie from the true surface, which is looked at in the middle of each and of its sides."""
    surface = BRepAdaptor_Surface(face)
    if len(mesh.triangles) == 0 or len(mesh.uv) == 0 or surface.GetType() == GeomAbs_SurfaceType.GeomAbs_Plane:
        return 0.0, 0.0
    corners, uv = mesh.points[mesh.triangles], mesh.uv[mesh.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    low, high = 0.0, 0.0
    for weights in _SAMPLES:
        at = np.einsum("k,nkj->nj", weights, uv)
        true = np.array([_evaluated(surface, u, v) for u, v in at.tolist()])
        height = -np.einsum("ij,ij->i", true - corners[:, 0], normal)
        low, high = min(low, float(height.min())), max(high, float(height.max()))
    return low * MM, high * MM


def _evaluated(surface: Any, u: float, v: float) -> tuple[float, float, float]:
    point = surface.Value(u, v)
    return point.X(), point.Y(), point.Z()
