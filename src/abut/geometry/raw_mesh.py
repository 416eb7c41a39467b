"""What a reader hands over: numbers as they stand in the file, before units, repair and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arrays import Floats
from ..errors import FileError
from .chord_error import ChordError


@dataclass(frozen=True, eq=False)
class RawMesh:
    """One mesh of a file."""

    name: str
    vertices: Floats
    """(n, 3) in the file's unit."""
    faces: Any
    """(m, 3) array, or a list of polygons; indices are inside the table of vertices."""
    matrix: Floats = field(default_factory=lambda: np.eye(4))
    """(4, 4) where the file puts the mesh, in the file's unit; may scale and mirror."""
    part: str = ""
    """Name of the shape, where it differs from `name`, that of this occurrence of it."""


@dataclass(frozen=True, eq=False)
class RawFile:
    """Everything a file holds."""

    meshes: list[RawMesh]
    unit: str | None = None
    """The unit the file states, None where it states none."""
    chord_error: ChordError | None = None
    """STEP only: the measured error of the triangles."""


def checked(
    path: Any, name: str, vertices: Floats, faces: Any, matrix: Floats | None = None, part: str = ""
) -> RawMesh:
    """A mesh whose vertices are finite and whose faces name existing vertices, or a sentence."""
    if len(vertices) == 0 or len(faces) == 0:
        raise FileError(f"{path}: holds no faces, so there is no part in it; export the part again as a mesh")
    bad = ~np.isfinite(vertices).all(axis=1)
    if bad.any():
        i = int(bad.argmax())
        where = ", ".join(f"{x:g}" for x in vertices[i])
        raise FileError(f"{path}: vertex {i} is not finite ({where}); export the part again")
    check_indices(path, faces, len(vertices))
    return RawMesh(name, vertices, faces, np.eye(4) if matrix is None else matrix, part or name)


def check_indices(path: Any, faces: Any, below: int) -> None:
    """Refuse a face that names a vertex which the file does not have."""
    flat, lengths = flattened(faces)
    outside = (flat < 0) | (flat >= below)
    if outside.any():
        position = int(outside.argmax())
        face = int(np.searchsorted(np.cumsum(lengths), position, side="right"))
        raise FileError(
            f"{path}: face {face} refers to vertex {int(flat[position])} (counted from 0), but the file has {below} "
            "vertices; the file is damaged, export the part again"
        )


def flattened(faces: Any) -> tuple[np.ndarray[Any, np.dtype[np.int64]], np.ndarray[Any, np.dtype[np.int64]]]:
    """All corners of all faces in a row, and the number of corners of each face."""
    if isinstance(faces, np.ndarray):
        return faces.astype(np.int64).ravel(), np.full(len(faces), faces.shape[1], np.int64)
    lengths = np.fromiter(map(len, faces), np.int64, len(faces))
    return np.fromiter((i for face in faces for i in face), np.int64, int(lengths.sum())), lengths


def as_array_if_triangles(faces: Sequence[Sequence[int]]) -> Any:
    """The faces as (m, 3) where all are triangles, else as they are."""
    return np.array(faces, np.int64) if faces and all(len(face) == 3 for face in faces) else faces
