"""Where skins come too near each other in a step: every answer is that of an exact check of straight ways.

Features that may come near are listed once for a motion, with room for what impulses change about it; the list is made
anew where a vertex leaves its room.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...fem.skin_check_kernels import check_near, farthest, leaves_ways, near_features
from ...fem.skin_kernels import refit_swept, sweep_vertices, triangle_pairs
from ...fem.skin_tables import Hit, Near, Reach
from .skins import Skins, Surface

ROOM_OF_EDGES = 0.08
"""Room for changes of a motion, in lengths of edges."""


class Hits(NamedTuple):
    """What comes too near on the way, the earliest first."""

    names: Ints
    """(k, 5) kind and four vertices."""
    values: Floats
    """(k, 9) time, shares of the vertices, normal, and the time of what must not be."""
    stuck: bool
    """Whether some begin so near that their motion cannot be told from an overlap."""

    @property
    def refused(self) -> NDArray[np.int64]:
        """Rows of what must not be."""
        return np.asarray(np.flatnonzero(self.values[:, 8] <= 1.0), np.int64)

    @property
    def free(self) -> bool:
        """Whether the motion may be made."""
        return not self.stuck and not (self.values[:, 8] <= 1.0).any()


class NearList:
    """Features of pairs of skins that may come near each other, in tables that grow."""

    def __init__(self) -> None:
        self.near = Near(np.empty((4096, 5), np.int32), np.empty(4096, np.int32), np.empty(4096))
        self.hit = Hit(np.empty((1024, 5), np.int32), np.empty((1024, 9)))
        self._pairs = np.empty((4096, 2), np.int32)
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self.n, self.hopeless = 0, 0
        """How many there are; how many pairs of skins are near that move in no straight way."""
        self.spare: list[float] = []
        self.margin: list[float] = []

    def meet(self, a: Surface, b: Surface) -> int:
        """Pairs of triangles whose boxes meet."""
        trees = (a.skin.child, a.skin.boxes), (b.skin.child, b.skin.boxes)
        while (count := triangle_pairs(*trees, self._pairs)) > len(self._pairs):
            self._pairs = np.empty((2 * count, 2), np.int32)
        return int(count)

    def take(self, pairs: Ints) -> None:
        """Pairs of triangles that somebody else found."""
        self._pairs = pairs

    def add(self, swept: Floats, a: Surface, b: Surface, count: int, room: float) -> None:
        """Add features of the pairs of triangles that were found last; `room` is beyond what they must keep.

        `swept` (n, 6) are boxes around the ways of all vertices.
        """
        if count == 0:
            return
        spare, margin = a.spare + b.spare, a.margin + b.margin
        if not np.isfinite(spare):
            self.hopeless += 1
            return
        sides, number = (tuple(a.sides), tuple(b.sides)), len(self.spare)
        while True:
            n = near_features(swept, sides, room + spare + margin, self._pairs, count, self.n, tuple(self.near))
            if n <= len(self.near.pair):
                break
            self._grow(2 * n)
        self.near.pair[self.n : n] = number
        self.n = int(n)
        self.spare.append(spare)
        self.margin.append(margin)

    def _grow(self, room: int) -> None:
        old, self.near = self.near, Near(np.empty((room, 5), np.int32), np.empty(room, np.int32), np.empty(room))
        for table, before in zip(self.near, old, strict=True):
            table[: self.n] = before[: self.n]

    def check(
        self, ways: tuple[Floats, Floats], reach: tuple[float, float, float], *, edges: bool = True, way: float = 0.0
    ) -> Hits:
        """What comes near, sorted by time; `way` [m] is how far vertices have moved in all since the list was made."""
        tables = tuple(Reach(*reach, np.array(self.spare), np.array(self.margin)))
        while True:
            n, stuck = check_near(ways, tuple(self.near), self.n, tables, way, edges, tuple(self.hit))
            if n <= len(self.hit.name):
                break
            self.hit = Hit(np.empty((2 * n, 5), np.int32), np.empty((2 * n, 9)))
        names, values = self.hit.name[:n], self.hit.value[:n]
        order = np.argsort(values[:, 0], kind="stable")
        return Hits(names[order], values[order], stuck + self.hopeless > 0)


class SkinWatch:
    """Checks the motions of one step after the other."""

    def __init__(self, skins: Skins) -> None:
        self._skins = skins
        self._list, self._valid = NearList(), False
        self._spare: list[float] = []
        self._thought = np.zeros_like(skins.vertices.end)
        """Where vertices ended when the list was made."""
        self._swept = np.empty((len(self._thought), 6))
        """Boxes around their ways then."""
        self._last, self._way = np.zeros_like(self._thought), 0.0
        """Where they ended when last looked at, and how far they have moved in all since the list was made."""
        soft = [surface for surface in skins.surfaces if surface.number >= 0]
        self._room = ROOM_OF_EDGES * min((_edge_length(surface) for surface in soft), default=0.0)

    def begin(self) -> None:
        """Another motion begins."""
        self._valid = False

    def check(self, ignored: set[tuple[int, int]], reach: tuple[float, float, float], edges: bool) -> Hits:
        """Features of different bodies that come near, as the first numbers of `Reach` say; edges only if asked for."""
        v = self._skins.vertices
        spare = [surface.spare for surface in self._skins.surfaces]
        if not self._valid or spare != self._spare or leaves_ways(v.start, self._thought, v.end, self._room):
            self._spare = spare
            self._make_list(ignored, max(reach[0], reach[2]))
        else:
            self._way += farthest(self._last, v.end)
        self._last[:] = v.end
        return self._list.check((v.start, v.end), reach, edges=edges, way=self._way)

    def _make_list(self, ignored: set[tuple[int, int]], noted: float) -> None:
        v, surfaces = self._skins.vertices, self._skins.surfaces
        self._list.clear()
        sweep_vertices(v.start, v.end, self._swept)
        low, high = self._boxes(noted)
        fitted: set[int] = set()
        for i, a in enumerate(surfaces):
            if a.number < 0:
                break
            for j in range(i + 1, len(surfaces)):
                b = surfaces[j]
                if (low[i] > high[j]).any() or (low[j] > high[i]).any() or (a.number, b.body) in ignored:
                    continue
                for k in {i, j} - fitted:
                    self._refit(surfaces[k], noted)
                    fitted.add(k)
                self._list.add(self._swept, a, b, self._list.meet(a, b), noted + 2.0 * self._room)
        self._thought[:] = v.end
        self._valid, self._way = True, 0.0

    def _pad(self, surface: Surface, noted: float) -> float:
        return 0.5 * noted + self._room + surface.margin + (surface.spare if np.isfinite(surface.spare) else 0.0)

    def _refit(self, surface: Surface, noted: float) -> None:
        skin = surface.skin
        refit_swept(self._swept, surface.triangles, skin.child, self._pad(surface, noted), skin.boxes)

    def _boxes(self, noted: float) -> tuple[Floats, Floats]:
        """Boxes around the ways of all skins."""
        first = [surface.first for surface in self._skins.surfaces]
        pad = np.array([self._pad(surface, noted) for surface in self._skins.surfaces])[:, None]
        low, high = np.minimum.reduceat(self._swept[:, :3], first), np.maximum.reduceat(self._swept[:, 3:], first)
        return low - pad, high + pad


def _edge_length(surface: Surface) -> float:
    """Mean length of the edges of a skin at rest [m]."""
    skin = surface.skin
    ends = np.asarray(skin.vertices)[skin.edges]
    return float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean())
