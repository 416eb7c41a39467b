"""A surface with fewer triangles, to look at: corners that lie in one cell of a grid become one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ..draw.item import Facets

WIDER = 1.3
"""By which cells grow until few enough triangles are left."""


@dataclass(frozen=True, eq=False)
class Shown:
    """What a page draws of a part."""

    corners: Floats
    """(m, 3, 3) [m] of the triangles."""
    triangles: Ints
    """(m,) numbers of the part's triangles that they were."""
    edges: Floats
    """(k, 2, 3) [m] ends of the sharp edges."""
    coarse: bool
    """Whether that is less than the part has."""


def shown(found: Facets, most: int) -> Shown:
    """A surface as it is, or with no more than `most` triangles."""
    n = len(found.triangles)
    if n <= most:
        return Shown(found.vertices[found.triangles], np.arange(n, dtype=np.int32), found.vertices[found.sharp], False)
    cell = np.sqrt(2.0 * _area(found) / most)  # a surface has about two triangles a cell
    while True:
        result = _clustered(found, float(cell))
        if len(result.triangles) <= most:
            return result
        cell *= WIDER


def _area(found: Facets) -> float:
    a, b, c = (found.vertices[found.triangles[:, k]] for k in range(3))
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def _clustered(found: Facets, cell: float) -> Shown:
    low = found.vertices.min(axis=0)
    place = np.floor((found.vertices - low) / cell).astype(np.int64)
    size = place.max(axis=0) + 1
    _, of = np.unique((place[:, 0] * size[1] + place[:, 1]) * size[2] + place[:, 2], return_inverse=True)
    count = np.bincount(of)
    middle = np.stack([np.bincount(of, found.vertices[:, k]) / count for k in range(3)], axis=1)
    triangles, edges = of[found.triangles], of[found.sharp]
    a, b, c = triangles.T
    left = np.flatnonzero((a != b) & (b != c) & (c != a))
    lines = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    return Shown(middle[triangles[left]], left.astype(np.int32), middle[lines], True)
