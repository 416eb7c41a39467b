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
from .skin_cluster_kernels import find_clusters
from .skin_normal_kernels import CONE, LANES
from .skin_tables import Clusters


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
        self.normals = np.empty((len(self.child), CONE))
        """(2 m - 1, 4) cones around normals under each box, of whoever refits them; see skin_normal_kernels."""
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

    @cached_property
    def clusters(self) -> Clusters:
        """Parts of the tree, for searches that fit boxes where they look."""
        n = len(self.child)
        size, cluster = np.empty(n, np.int32), np.empty(n, np.int32)
        count = find_clusters(self.child, size, cluster)
        node, of_node = np.unique(cluster, return_index=True)[1][-count:], np.full(n, -1, np.int32)
        of_node[node] = np.arange(count)
        top, leaves = np.flatnonzero(cluster < 0)[::-1], np.flatnonzero(self.child < 0)
        home = np.empty(len(self.triangles), np.int64)
        home[-1 - self.child[leaves]] = cluster[leaves]
        fan = _grouped(self.triangles.ravel(), np.repeat(np.arange(len(self.triangles)), 3), len(self._vertices))
        vertex = _grouped(np.repeat(home, 3), self.triangles.ravel(), count)
        owner, ring = _through(*fan, np.repeat(np.arange(count), np.diff(vertex[0])), vertex[1])
        rings = _grouped(owner, ring, count)
        around = _grouped(*_through(*fan, np.repeat(np.arange(len(home)), 3), self.triangles.ravel()), len(home))
        beside = _grouped(owner, home[ring], count)
        mine = _filled(home, count)
        tables = (of_node, node, 2 * size[node] - 2, top, *vertex, mine, *beside, *rings, *around)
        narrow = [np.ascontiguousarray(table, np.int32) for table in tables]
        return Clusters._make((*narrow, np.empty((count, CONE)), np.zeros(count, np.bool_)))

    def _refit(self) -> None:
        kernels.refit_boxes(self._vertices, self._vertices, self.triangles, self.child, 0.0, self.boxes)


def _grouped(group: NDArray[Any], item: NDArray[Any], n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Items of n groups, each once and in order: where each group begins, and all of them."""
    most = int(item.max()) + 1
    key = np.unique(group.astype(np.int64) * most + item)
    return np.searchsorted(key, most * np.arange(n + 1, dtype=np.int64)), key % most


def _through(
    first: NDArray[np.int64], item: NDArray[np.int64], owner: NDArray[Any], group: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Items of groups that have owners: the owner of each, and the item."""
    sizes = np.diff(first)[group]
    at = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first[group], sizes)
    return np.repeat(owner, sizes), item[at]


def _filled(group: NDArray[Any], n: int) -> NDArray[np.int64]:
    """(n, LANES) the items of each of n groups, the last one again and again."""
    sizes = np.bincount(group, minlength=n)[:, None]
    return np.asarray(
        np.argsort(group, kind="stable")[np.cumsum(sizes)[:, None] - sizes + np.minimum(np.arange(LANES), sizes - 1)]
    )
