"""Faces as users give them, as triangles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..arrays import Floats, Ints, indices
from ..errors import InputError


def as_triangles(vertices: Floats, faces: Any) -> Ints:
    """(m, 3) indices from triangles, from polygons of one length, or from a list of polygons of any."""
    if isinstance(faces, np.ndarray) or all(_length(i, face) == 3 for i, face in enumerate(_listed(faces))):
        array = np.asarray(faces)
        if array.ndim == 2 and array.shape[1] > 3:
            return _from_polygons(vertices, array)
        triangles = indices("faces", array, 3, below=len(vertices))
    else:
        return _from_polygons(vertices, faces)
    if len(triangles) == 0:
        raise InputError("faces: expected at least one, got none")
    repeated = (triangles == np.roll(triangles, 1, axis=1)).any(axis=1)
    if repeated.any():
        row = int(repeated.argmax())
        raise InputError(f"faces: row {row} is {triangles[row].tolist()}, which has fewer than three distinct corners")
    return triangles.copy() if triangles is faces else triangles


def _listed(faces: Any) -> Any:
    if not isinstance(faces, Iterable) or isinstance(faces, str | bytes):
        raise InputError(f"faces: expected (m, 3) indices or a list of polygons, got {type(faces).__name__}")
    return faces


def _length(row: int, face: Any) -> int:
    if isinstance(face, str | bytes) or not hasattr(face, "__len__"):
        raise InputError(f"faces: row {row} is {face!r}, expected a sequence of vertex indices")
    return len(face)


def _from_polygons(vertices: Floats, polygons: Any) -> Ints:
    from .making.triangulate import triangulate_polygons

    return triangulate_polygons(vertices, polygons)
