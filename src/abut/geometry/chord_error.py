"""How far the triangles of a STEP part lie from its true surface, measured where that surface is a formula.

cascadio writes beside the triangles of a GLB which of them belong to which face of the B-rep, and for planes,
cylinders, cones, spheres and tori their parameters. The error is largest in the middle of triangles and of their sides.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats

_TYPES = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}


@dataclass(frozen=True)
class ChordError:
    """Measured error of a tessellation."""

    largest: float | None
    """[m] over the faces that could be measured; None where there are none."""
    measured_faces: int
    other_faces: int
    """Free-form faces, whose error is not known."""


def measure_chord_error(glb: bytes) -> ChordError:
    """Largest distance between triangles and the analytic faces they stand for."""
    size = int.from_bytes(glb[12:16], "little")
    header, data = json.loads(glb[20 : 20 + size]), glb[28 + size :]
    largest, measured, other = 0.0, 0, 0
    for face, corners in _faces(header, data):
        if face is None:
            other += 1
        elif len(corners):
            measured += 1
            largest = max(largest, float(_distance(face, _middles(corners)).max()))
    return ChordError(largest if measured else None, measured, other)


def _faces(header: Any, data: bytes) -> Iterator[tuple[Any, Floats]]:
    """Every face of every mesh with its triangles (n, 3, 3)."""
    for mesh in header["meshes"]:
        for primitive in mesh["primitives"]:
            brep = primitive.get("extensions", {}).get("TM_brep_faces")
            if brep is None:
                continue
            points = _accessor(header, data, primitive["attributes"]["POSITION"]).astype(np.float64)
            triangles = points[_accessor(header, data, primitive["indices"]).reshape(-1, 3)]
            owner = _accessor(header, data, brep["faceIndices"]).ravel()
            for i, face in enumerate(brep["faces"]):
                yield face, triangles[owner == i]


def _accessor(header: Any, data: bytes, index: int) -> Any:
    accessor = header["accessors"][index]
    view = header["bufferViews"][accessor["bufferView"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    width = _WIDTHS[accessor["type"]]
    numbers = np.frombuffer(data, _TYPES[accessor["componentType"]], accessor["count"] * width, start)
    return numbers.reshape(-1, width)


def _middles(corners: Floats) -> Floats:
    sides = 0.5 * (corners + np.roll(corners, 1, axis=1))
    return np.concatenate((sides.reshape(-1, 3), corners.mean(axis=1)))


def _distance(face: Any, points: Floats) -> Floats:
    """Distance of points from the surface of a face."""
    return np.asarray(np.abs(_signed_distance(face, points)))


def _signed_distance(face: Any, points: Floats) -> Any:
    kind = face["type"]
    if kind == "sphere":
        return np.linalg.norm(points - face["center"], axis=1) - face["radius"]
    if kind == "plane":
        return (points - face["origin"]) @ face["normal"]
    origin = face[{"cylinder": "origin", "cone": "apex", "torus": "center"}[kind]]
    along = (points - origin) @ face["axis"]
    around = np.linalg.norm(points - origin - np.outer(along, face["axis"]), axis=1)
    if kind == "cylinder":
        return around - face["radius"]
    if kind == "cone":
        return around * np.cos(face["semi_angle"]) - np.abs(along) * np.sin(abs(face["semi_angle"]))
    return np.hypot(around - face["major_radius"], along) - face["minor_radius"]
