"""OBJ and OFF: vertices and polygons as text. Polygons stay polygons, so that concave ones are cut correctly."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...arrays import Floats
from ...errors import FileError
from .raw_mesh import RawFile, checked, is_point, quoted


def read_obj(path: Path, content: bytes) -> RawFile:
    """A Wavefront OBJ: one surface, whatever objects and groups it is sorted into."""
    vertices: list[list[str]] = []
    faces: list[list[int]] = []
    text = content.decode("utf-8", errors="replace").replace("\\\n", " ").replace("\\\r\n", " ")
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append(words[1:4])
        elif words[0] == "f":
            faces.append(_obj_face(path, number, words[1:], len(vertices)))
    if not vertices and not faces:
        raise FileError(
            f"{path}: is no OBJ file although its name says so, it has no line 'v x y z'; export the part again"
        )
    return RawFile([checked(path, path.stem, _numbers(path, "vertex", vertices), faces)])


def _obj_face(path: Path, line: int, words: list[str], n_vertex: int) -> list[int]:
    """Corners counted from 0; the file counts from 1, or with negative numbers back from the last vertex."""
    try:
        corners = [int(word.split("/", 1)[0]) for word in words]
    except ValueError:
        raise FileError(f"{path}: line {line} is not a face ({quoted(['f', *words])}); export the part again") from None
    if 0 in corners:
        raise FileError(f"{path}: line {line} refers to vertex 0, but OBJ counts from 1; export the part again")
    return [i - 1 if i > 0 else n_vertex + i for i in corners]


def read_off(path: Path, content: bytes) -> RawFile:
    """An OFF file; colours and texture coordinates behind the corners are passed over."""
    lines = [line.split("#", 1)[0].split() for line in content.decode("utf-8", errors="replace").splitlines()]
    lines = [words for words in lines if words]
    head = lines[0][1:]  # the counts may stand beside the word OFF
    body = lines[1:]
    if not head:
        if not body:
            raise FileError(f"{path}: breaks off after its first line; export the part again")
        head, body = body[0], body[1:]
    n_vertex, n_face = _off_counts(path, head)
    if len(body) < n_vertex + n_face:
        raise FileError(
            f"{path}: announces {n_vertex} vertices and {n_face} faces but has only {len(body)} lines of them; "
            "it is truncated, export the part again"
        )
    vertices = _numbers(path, "vertex", [words[:3] for words in body[:n_vertex]])
    faces = [_off_face(path, i, body[n_vertex + i]) for i in range(n_face)]
    return RawFile([checked(path, path.stem, vertices, faces)])


def _off_counts(path: Path, words: list[str]) -> tuple[int, int]:
    try:
        counts = int(words[0]), int(words[1])
    except (ValueError, IndexError):
        counts = -1, -1
    if min(counts) < 0:
        raise FileError(f"{path}: expected the numbers of vertices and faces, found {quoted(words)}")
    return counts


def _off_face(path: Path, i: int, words: list[str]) -> list[int]:
    try:
        announced = int(words[0])
        corners = [int(word) for word in words[1 : 1 + max(0, announced)]]
    except ValueError:
        raise FileError(f"{path}: face {i} is {quoted(words)}, expected whole numbers") from None
    if len(corners) != announced:
        raise FileError(
            f"{path}: face {i} announces {quoted(words[:1])} corners but has {len(corners)}; export the part again"
        )
    return corners


def _numbers(path: Path, what: str, rows: list[list[str]]) -> Floats:
    try:
        return np.array(rows, np.float64).reshape(len(rows), 3)
    except ValueError:
        bad = next(i for i, row in enumerate(rows) if not is_point(row))
    raise FileError(f"{path}: {what} {bad} is {quoted(rows[bad])}, expected three numbers; export the part again")
