"""Where a skin comes too near itself: boxes around its triangles and their normals say which may, mostly none."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...fem.skin_kernels import refit_swept, sweep_vertices
from ...fem.skin_normal_kernels import BOX, own_triangle_pairs, refit_normals
from .skin_watch import Hits, NearList
from .skins import Surface

NOTHING = Hits(np.zeros((0, 5), np.int32), np.zeros((0, 9)), False)


class OwnWatch:
    """Checks the skin of one soft body against itself, motion after motion."""

    def __init__(self, surface: Surface, n_vertex: int) -> None:
        self._surface, self._swept = surface, np.empty((n_vertex, 6))
        self._list, self._pairs = NearList(), np.empty((256, 2), np.int32)
        skin = surface.skin
        self._work = np.empty((len(skin.triangles), BOX)), np.empty((len(skin.vertices), BOX))

    def check(self, ways: tuple[Floats, Floats], refused: float) -> Hits:
        """What comes too near on the ways of all vertices."""
        count = self._find_pairs(ways, refused)
        self._list.clear()
        if count == 0:
            return NOTHING
        self._list.take(self._pairs)
        self._list.add(self._swept, self._surface, self._surface, count, refused)
        return self._list.check(ways, (refused, refused, 0.0))

    def _find_pairs(self, ways: tuple[Floats, Floats], refused: float) -> int:
        """How many pairs of triangles may come too near each other."""
        skin, surface = self._surface.skin, self._surface
        start, end, swept = (table[surface.first : surface.last] for table in (*ways, self._swept))
        sweep_vertices(start, end, swept)
        refit_swept(self._swept, surface.triangles, skin.child, 0.5 * refused + surface.margin, skin.boxes)
        refit_normals(start, end, skin.triangles, skin.child, self._work, skin.normals)
        while (count := own_triangle_pairs(skin.child, skin.boxes, skin.normals, self._pairs)) > len(self._pairs):
            self._pairs = np.empty((2 * count, 2), np.int32)
        return int(count)
