"""What a reader hands over: numbers as they stand in the file, before units, repair and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...errors import FileError
from ..surfaces.brep_faces import BrepFaces

FARTHEST = 1e15
"""Largest coordinate, in the file's unit: beyond it lies no part but a damaged number, whose powers would overflow."""


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
    brep: BrepFaces | None = None
    """STEP only: the faces that the triangles stand for."""
    colour: tuple[float, float, float] | None = None
    """Red, green and blue from 0 to 1, where the file says so."""


@dataclass(frozen=True, eq=False)
class RawFile:
    """Everything a file holds."""

    meshes: list[RawMesh]
    unit: str | None = None
    """The unit the file states, None where it states none."""


def checked(
    path: Any, name: str, vertices: Floats, faces: Any, matrix: Floats | None = None, part: str = ""
) -> RawMesh:
    """A mesh whose vertices are finite and whose faces name existing vertices, or a sentence."""
    if len(vertices) == 0 or len(faces) == 0:
        raise FileError(f"{path}: holds no faces, so there is no part in it; export the part again as a mesh")
    check_numbers(path, "vertex", vertices)
    check_numbers(path, f"the matrix that places '{shortened(name)}', row", np.eye(4) if matrix is None else matrix)
    check_indices(path, faces, len(vertices))
    return RawMesh(name, vertices, _as_array_if_triangles(faces), np.eye(4) if matrix is None else matrix, part or name)


def check_numbers(path: Any, what: str, rows: Floats) -> None:
    """Refuse coordinates that are not finite, or so large that no part has them."""
    bad = ~(np.abs(rows) <= FARTHEST).all(axis=1)
    if not bad.any():
        return
    i = int(bad.argmax())
    where = ", ".join(f"{x:g}" for x in rows[i])
    fault = f"is beyond {FARTHEST:g}" if np.isfinite(rows[i]).all() else "is not finite"
    raise FileError(f"{path}: {what} {i} {fault} ({where}); the file is damaged, export the part again")


def check_indices(path: Any, faces: Any, below: int) -> None:
    """Refuse a face that names a vertex which the file does not have."""
    corners, lengths = flattened(faces)
    outside = ~((corners >= 0) & (corners < below) & (corners == np.floor(corners)))
    if outside.any():
        position = int(outside.argmax())
        face = int(np.searchsorted(np.cumsum(lengths), position, side="right"))
        raise FileError(
            f"{path}: face {face} refers to vertex {shortened(str(corners[position]))} (counted from 0), "
            f"but the file has {below} vertices; the file is damaged, export the part again"
        )


def flattened(faces: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """All corners of all faces in a row, and the number of corners of each face.

    Corners are whole numbers of 64 bits; from a damaged file also fractions, and objects where they are too large.
    """
    if isinstance(faces, np.ndarray):
        corners = faces.astype(np.int64) if faces.dtype.kind in "iu" else faces
        return corners.ravel(), np.full(len(faces), faces.shape[1], np.int64)
    lengths = np.fromiter(map(len, faces), np.int64, len(faces))
    flat = [i for face in faces for i in face]
    try:
        return np.array(flat, np.float64 if any(isinstance(i, float) for i in flat) else np.int64), lengths
    except OverflowError:
        return np.array(flat, object), lengths


def _as_array_if_triangles(faces: Any) -> Any:
    """The faces as (m, 3) where all are triangles, else as lists of whole numbers."""
    if isinstance(faces, np.ndarray):
        return faces.astype(np.int64)
    if all(len(face) == 3 for face in faces):
        return np.array(faces, np.int64)
    return [[int(i) for i in face] for face in faces]


def is_point(words: Sequence[str | bytes]) -> bool:
    """Whether words of a file are three numbers."""
    try:
        return len([float(word) for word in words]) == 3
    except ValueError:
        return False


def shortened(text: str, longest: int = 60) -> str:
    """What a sentence can quote of a text from a damaged file: one line, printable, not too long."""
    line = "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))
    return line if len(line) <= longest else f"{line[:longest]}..."


def quoted(words: Sequence[str]) -> str:
    """Words of a line in quotation marks, shortened."""
    return repr(shortened(" ".join(words)))
