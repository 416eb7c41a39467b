"""STL: triangles with corners of their own, as text or as bytes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from ...arrays import Floats
from ...errors import FileError
from .raw_mesh import RawFile, checked, is_point, shortened

_HEADER, _MARGIN = 84, 512
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")
_FACET = re.compile(rb"\bfacet\b")
_END = re.compile(rb"\bendfacet\b")


def read_stl(path: Path, content: bytes) -> RawFile:
    """An STL file, binary or text, whose length must be what it announces; several solids in it are one surface."""
    announced = int.from_bytes(content[80:_HEADER], "little") if len(content) >= _HEADER else -1
    expected = _HEADER + announced * _TRIANGLE.itemsize
    if announced > 0 and expected < len(content) <= expected + _MARGIN:
        content = content[:expected]  # some programs leave a note behind the triangles
    if len(content) == expected:
        corners = np.frombuffer(content, _TRIANGLE, announced, _HEADER)["corners"].astype(np.float64)
    else:
        corners = _text_corners(path, _checked_text(path, content, announced))
    triangles = np.arange(3 * len(corners)).reshape(-1, 3)
    return RawFile([checked(path, path.stem, corners.reshape(-1, 3), triangles)])


def _checked_text(path: Path, content: bytes, announced: int) -> bytes:
    """The text in lower case; refused is what is neither a whole text file nor, by its length, a binary one."""
    text = content[:1024].lstrip().lower().startswith(b"solid") and (b"facet" in content or b"endsolid" in content)
    if not text and announced >= 0 and b"\0" in content[:_HEADER]:
        there = (len(content) - _HEADER) // _TRIANGLE.itemsize
        raise FileError(
            f"{path}: announces {announced} triangles but has the bytes of {there}; "
            "it is truncated or damaged, export the part again"
        )
    if not text:
        raise FileError(
            f"{path}: is no STL file although its name says so, it is neither text from 'solid' to 'endsolid' "
            "nor as long as its header announces; export the part again"
        )
    lower = content.lower()
    opened, ended = len(_FACET.findall(lower)), len(_END.findall(lower))
    if opened != ended or not re.search(rb"\bendsolid\b", lower):
        raise FileError(
            f"{path}: breaks off after {ended} of at least {opened} facets; it is truncated, export the part again"
        )
    return lower


def _text_corners(path: Path, text: bytes) -> Floats:
    """(n, 3, 3) corners of the facets of a text."""
    facets = len(_END.findall(text))
    words = _VERTEX.findall(text)
    if len(words) != 3 * facets:
        raise FileError(
            f"{path}: has {len(words)} lines 'vertex x y z' in {facets} facets, expected three in each; "
            "the file is damaged, export the part again"
        )
    try:
        return np.array(words, "S").astype(np.float64).reshape(-1, 3, 3)
    except ValueError:
        bad = next(row for row in words if not is_point(row))
    found = shortened(b" ".join(bad).decode("ascii", errors="replace"))
    raise FileError(f"{path}: a vertex is {found!r}, expected three numbers; export the part again")
