"""The body-centred lattice: corners of cells, their centres, and the tetrahedra between them.

Each face between two cells is the middle of four tetrahedra: two centres and an edge of the face. All of them are alike
where cells are cubes; no angle between faces is smaller than 60°.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from .shape import signed_volumes


class Lattice(NamedTuple):
    """A body-centred lattice over a box."""

    points: Floats
    """(n, 3) corners of the cells, then their centres [m]."""
    tetrahedra: Ints
    """(m, 4) of positive volume."""
    n_corner: int
    """How many of the points are corners of cells."""
    cell: Floats
    """(3,) size of a cell [m]."""


def body_centred_lattice(bounds: Floats, cell: float) -> Lattice:
    """Over `bounds` and one layer of cells around; a whole number of cells of about `cell` fits into the bounds."""
    extents = bounds[1] - bounds[0]
    inner = np.maximum(1, np.rint(extents / cell)).astype(np.int64)
    size, n = extents / inner, inner + 2
    low = bounds[0] - size
    corners, centres = _grid(n + 1), _grid(n)
    points = low + size * np.vstack([corners, centres + 0.5])
    tetrahedra = np.vstack([_across(n, axis, len(corners)) for axis in range(3)]).astype(np.int32)
    turned = signed_volumes(points, tetrahedra) < 0.0
    tetrahedra[turned] = tetrahedra[turned][:, [0, 1, 3, 2]]
    return Lattice(points, tetrahedra, len(corners), size)


def _grid(n: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.stack(np.meshgrid(*(np.arange(k) for k in n), indexing="ij"), axis=-1).reshape(-1, 3)


def _number(place: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray((place[:, 0] * n[1] + place[:, 1]) * n[2] + place[:, 2])


def _across(n: NDArray[np.int64], axis: int, n_corner: int) -> NDArray[np.int64]:
    """Tetrahedra around the faces between cells that follow each other along an axis."""
    along, u, v = np.roll(np.eye(3, dtype=np.int64), -axis, axis=0)
    cells = _grid(n - along)
    pair = n_corner + _number(cells, n), n_corner + _number(cells + along, n)
    ring = [_number(cells + along + step, n + 1) for step in (0 * u, u, u + v, v)]
    return np.vstack([np.stack([*pair, ring[k], ring[(k + 1) % 4]], axis=1) for k in range(4)])
