"""From the faces of a CAD model and their triangles to the table of surfaces of a part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from .chord_error import ChordError
from .known_surfaces import measured
from .surfaces import FLAT, HOLE, OTHER, PLANE, SHAFT, SPHERE, TORUS, Surface, Surfaces

_SAME_LENGTH, _SAME_ANGLE = 1e-9, 1e-9  # [m], [rad] within which two faces lie on one surface


@dataclass(frozen=True, eq=False)
class BrepFaces:
    """What a CAD model says of the faces of a part."""

    faces: list[Surface]
    """One for each face; on which side the material lies is left to the triangles."""
    of_triangle: Ints
    """(m,) the face of each triangle, -1 for none."""
    recognised: int = 0
    """How many of the faces the file stores as free forms, although they are none."""

    def moved(self, rotation: Floats, shift: Floats) -> BrepFaces:
        """The faces turned (or mirrored), then shifted."""
        return replace(self, faces=[face.moved(rotation, shift) for face in self.faces])


def faces_from_facts(facts: list[dict[str, Any]], of_triangle: Ints) -> BrepFaces:
    """The faces as `abut._cad` describes them."""
    recognised = sum(bool(fact.get("recognised")) for fact in facts)
    return BrepFaces([_face(fact) for fact in facts], of_triangle, recognised)


def joined(parts: list[BrepFaces]) -> BrepFaces:
    """The faces of several parts that become one."""
    starts = np.cumsum([0, *(len(part.faces) for part in parts)])
    owners = [np.where(p.of_triangle < 0, -1, p.of_triangle + start) for p, start in zip(parts, starts, strict=False)]
    faces = [face for part in parts for face in part.faces]
    return BrepFaces(faces, np.concatenate(owners).astype(np.int32), sum(part.recognised for part in parts))


def chord_error(brep: BrepFaces, surfaces: Surfaces) -> ChordError:
    """The error of all triangles."""
    other = sum(face.kind == OTHER for face in brep.faces)
    return ChordError(surfaces.chord_error, len(brep.faces), brep.recognised, other)


def surfaces_of(vertices: Floats, triangles: Ints, brep: BrepFaces) -> Surfaces:
    """The table: faces that lie beside each other on one surface are one."""
    corners = vertices[triangles]
    faces = [_oriented(face, corners[brep.of_triangle == i]) for i, face in enumerate(brep.faces)]
    row, n = _merged(faces, _neighbours(triangles, brep.of_triangle))
    ids = np.append(row, -1)[brep.of_triangle].astype(np.int32)
    table = [_whole([faces[k] for k in np.flatnonzero(row == i)], corners[ids == i]) for i in range(n)]
    return Surfaces(tuple(table), ids)


def _face(fact: dict[str, Any]) -> Surface:
    values: dict[str, Any] = {key: fact[key] for key in ("radius", "minor_radius", "half_angle") if key in fact}
    values |= {key: tuple(fact[key]) for key in ("point", "axis", "deviation") if key in fact}
    return Surface(fact["kind"], name=fact["name"], **values)


def _oriented(surface: Surface, corners: Floats) -> Surface:
    """The surface of a face, with the side of the material that its triangles tell."""
    if surface.kind == OTHER or len(corners) == 0:
        return surface
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward = float((surface.normal(corners.mean(axis=1)) * normals).sum()) >= 0.0
    if surface.kind == PLANE:
        x, y, z = surface.axis
        return surface if outward else replace(surface, axis=(-x, -y, -z))
    return replace(surface, sense=SHAFT if outward else HOLE)


def _neighbours(triangles: Ints, owner: Ints) -> Ints:
    """(k, 2) pairs of faces with a common edge, the smaller first."""
    ends = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    face = np.repeat(owner, 3)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends, face = ends[order], face[order]
    beside = (ends[1:] == ends[:-1]).all(axis=1) & (face[1:] != face[:-1]) & (face[1:] >= 0) & (face[:-1] >= 0)
    pairs = np.sort(np.stack((face[:-1][beside], face[1:][beside]), axis=1), axis=1)
    return np.unique(pairs, axis=0)


def _merged(faces: list[Surface], neighbours: Ints) -> tuple[Ints, int]:
    """For each face the row of its surface in the table, and the number of rows."""
    root = np.arange(len(faces))
    for i, j in neighbours.tolist():
        if root[i] != root[j] and _same(faces[i], faces[j]):
            root[root == max(root[i], root[j])] = min(root[i], root[j])
    first, row = np.unique(root, return_inverse=True)
    return row.astype(np.int32), len(first)


def _same(a: Surface, b: Surface) -> bool:
    """Whether two faces lie on one surface, with the material on the same side."""
    if a.kind != b.kind or a.kind == OTHER or a.sense != b.sense:
        return False
    if abs(a.radius - b.radius) > _SAME_LENGTH or abs(a.minor_radius - b.minor_radius) > _SAME_LENGTH:
        return False
    along = float(np.dot(a.axis, b.axis))
    turned = 1.0 - (along if a.sense == FLAT else abs(along)) if a.kind != SPHERE else 0.0
    if turned > 0.5 * _SAME_ANGLE**2 + 1e-15 or abs(a.half_angle - b.half_angle) > _SAME_ANGLE:
        return False
    apart = np.subtract(b.point, a.point)
    if a.kind == PLANE:
        return bool(abs(apart @ a.axis) <= _SAME_LENGTH)
    if a.kind not in (SPHERE, TORUS) and a.half_angle == 0.0:
        apart = apart - (apart @ a.axis) * np.asarray(a.axis)
    return bool(np.linalg.norm(apart) <= _SAME_LENGTH)


def _whole(faces: list[Surface], corners: Floats) -> Surface:
    """One surface for several faces, measured over all their triangles."""
    name = next((face.name for face in faces if face.name), "")
    surface = replace(faces[0], name=name)
    return surface if surface.kind == OTHER or len(corners) == 0 else measured(surface, corners)


def inherited(old: tuple[Floats, Ints], owner: Ints, new: tuple[Floats, Ints]) -> Ints:
    """The face of each triangle after healing: triangles with the same corners keep theirs, others have none (-1)."""
    keys, wanted = (_sorted_corners(*mesh) for mesh in (old, new))
    _, where = np.unique(np.concatenate((keys, wanted)), axis=0, return_inverse=True)
    where = where.ravel()
    face = np.full(int(where.max()) + 1 if len(where) else 0, -1, np.int32)
    face[where[: len(keys)]] = owner
    return np.asarray(face[where[len(keys) :]])


def _sorted_corners(vertices: Floats, triangles: Ints) -> Floats:
    """(m, 9) the corners of each triangle in an order that does not depend on how it is written."""
    corners = vertices[triangles] + 0.0
    order = np.lexsort((corners[:, :, 2], corners[:, :, 1], corners[:, :, 0]), axis=1)
    return np.take_along_axis(corners, order[:, :, None], axis=1).reshape(-1, 9)
