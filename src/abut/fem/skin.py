"""The skin of a deformable body: triangles whose vertices move, in a tree of axis-aligned boxes that is refitted."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints, indices, read_only, rows
from ..errors import InputError, ShapeError
from ..geometry import Shape, is_polyhedron
from . import skin_kernels as kernels
from .skin_normal_kernels import BOX


class Skin:
    """A triangulated surface that deforms, with the hierarchy of boxes of Marinković's detection.

    The tree is made once, of the vertices that the skin begins with; `move` refits its boxes in one pass.
    """

    def __init__(self, vertices: ArrayLike, triangles: ArrayLike) -> None:
        self._vertices = rows("vertices", vertices, 3).copy()
        self.triangles: Ints = indices("triangles", triangles, 3, len(self._vertices))
        """(m, 3) numbers of vertices, counter-clockwise from outside."""
        if len(self.triangles) == 0:
            raise InputError("triangles: a skin needs at least one triangle, got none")
        self.child = np.empty(2 * len(self.triangles) - 1, np.int32)
        """(2 m - 1,) first child of each box, or -1 - triangle."""
        order = np.empty(len(self.triangles), np.int64)
        kernels.build_boxes(self._vertices, self.triangles, order, self.child)
        self.boxes = np.empty((len(self.child), 6))
        """(2 m - 1, 6) low and high ends of the boxes [m]."""
        self.normals = np.empty((len(self.child), BOX))
        """(2 m - 1, 8) boxes around unit normals under each box, of whoever refits them; see skin_normal_kernels."""
        self._refit()

    @classmethod
    def of(cls, what: Any) -> Skin:
        """A skin as it is, or the surface of a Solid."""
        if isinstance(what, Skin):
            return what
        if isinstance(what, Shape) and is_polyhedron(what):
            return cls(what.vertices, what.triangles)
        raise InputError(f"skin: expected a Skin or a Solid, got {type(what).__name__}")

    @property
    def vertices(self) -> Floats:
        """(n, 3) [m] where the vertices are now; `move` puts them elsewhere."""
        return read_only(self._vertices)

    def move(self, vertices: ArrayLike) -> None:
        """Put the vertices elsewhere and refit the boxes."""
        table = rows("vertices", vertices, 3)
        if table.shape != self._vertices.shape:
            raise ShapeError(f"vertices: expected {self._vertices.shape} as before, got {table.shape}")
        self._vertices = table.copy()
        self._refit()

    @property
    def box(self) -> Floats:
        """(6,) low and high ends of the box around all of it [m]."""
        return np.asarray(self.boxes[0].copy())

    @cached_property
    def edges(self) -> Ints:
        """(k, 2) the edges, each once, in the order in which the triangles name them first."""
        sides = self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        pairs, first = np.unique(np.sort(sides, axis=1), axis=0, return_index=True)
        return np.ascontiguousarray(pairs[np.argsort(first)], np.int32)

    @cached_property
    def owned(self) -> NDArray[np.bool_]:
        """(m, 6) which corners and sides each triangle answers for: those that it is the first to name.

        Sides of no length, as those of points and segments that stand in for triangles, are nobody's.
        """
        corner = self.triangles.astype(np.int64)
        sides = np.stack((corner, np.roll(corner, -1, axis=1)), axis=2)
        key = sides.min(axis=2) * len(self._vertices) + sides.max(axis=2)
        owned = np.zeros((len(corner), 6), np.bool_)
        for first, table in ((0, corner), (3, key)):
            places = np.unique(table.ravel(), return_index=True)[1]
            owned[places // 3, first + places % 3] = True
        owned[:, 3:] &= sides[:, :, 0] != sides[:, :, 1]
        return owned

    def _refit(self) -> None:
        kernels.refit_boxes(self._vertices, self._vertices, self.triangles, self.child, 0.0, self.boxes)
