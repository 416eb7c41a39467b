"""Where a skin comes too near itself.

Pairs of triangles that might are listed once, with room for how the skin may move and bend from then on. The list
serves until a vertex or a normal leaves that room; for a compact body it is empty as a rule.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints
from ...fem.skin_check_kernels import leaves_ways
from ...fem.skin_kernels import (
    largest_changes,
    own_triangle_pairs,
    put_centre,
    refit_boxes,
    refit_normals,
    sweep_vertices,
    to_frame,
)
from .skin_watch import Hits, NearList
from .skins import Surface

ROOM_OF_SIZE = 0.015
"""Room for vertices, in sizes of the skin."""
ROOM_OF_NORMALS = 0.1
"""Room for each component of unit normals."""
SAME_PLACE = 1e-6
"""In rooms: a skin that begins so near to where it ended the last motion has not been put elsewhere."""


NOTHING = Hits(np.zeros((0, 5), np.int32), np.zeros((0, 9)), False)


class OwnWatch:
    """Checks the skin of one soft body against itself, motion after motion."""

    def __init__(self, surface: Surface, n_vertex: int) -> None:
        self._surface, self._swept = surface, np.empty((n_vertex, 6))
        skin = surface.skin
        self._room = ROOM_OF_SIZE * float(np.linalg.norm(np.ptp(np.asarray(skin.vertices), axis=0)))
        self._local: Ints = skin.triangles
        self._list, self._pairs, self._count = NearList(), np.empty((256, 2), np.int32), -1
        self._then, self._normals = np.empty_like(skin.vertices), np.empty((len(skin.triangles), 3))
        """Where vertices and normals were when the list was made, in the frame of the body then."""
        self._last = np.empty_like(skin.vertices)
        """Where the last motion that was looked at ended."""

    def check(self, ways: tuple[Floats, Floats], turned: Floats, refused: float) -> Hits:
        """What comes too near on the way of a body that has turned as the matrix `turned` says."""
        mine = slice(self._surface.first, self._surface.last)
        start, end = ways[0][mine], ways[1][mine]
        frames = np.empty((4, 3)), np.empty((4, 3))
        for frame, vertices in zip(frames, (start, end), strict=True):
            put_centre(vertices, frame)
            frame[1:] = turned
        begins = self._count >= 0 and leaves_ways(self._last, self._last, start, SAME_PLACE * self._room)
        if self._count < 0 or (begins and self._leaves(start, frames[0])) or self._leaves(end, frames[1]):
            self._make_list(start, end, frames)
        self._last[:] = end
        self._list.clear()
        if self._count == 0:
            return NOTHING
        self._list.take(self._pairs)
        sweep_vertices(*ways, self._swept)
        self._list.add(self._swept, self._surface, self._surface, self._count, refused)
        return self._list.check(ways, (refused, refused, 0.0))

    def _leaves(self, vertices: Floats, frame: Floats) -> bool:
        way, turn = largest_changes(vertices, self._local, frame, self._then, self._normals)
        return bool(way > self._room or turn > ROOM_OF_NORMALS)

    def _make_list(self, start: Floats, end: Floats, frames: tuple[Floats, Floats]) -> None:
        skin, surface = self._surface.skin, self._surface
        begin = np.empty_like(self._then)
        to_frame(end, frames[1], self._then)
        to_frame(start, frames[0], begin)
        refit_boxes(begin, self._then, self._local, skin.child, 2.0 * self._room + surface.margin, skin.boxes)
        refit_normals(begin, self._then, self._local, skin.child, skin.normals, self._normals)
        tables = (skin.child, skin.boxes, skin.normals, ROOM_OF_NORMALS)
        while (count := own_triangle_pairs(*tables, self._pairs)) > len(self._pairs):
            self._pairs = np.empty((2 * count, 2), np.int32)
        self._count = int(count)
