"""Where skins come too near each other in a step: every answer is that of an exact check of straight ways.

Features that may come near are listed once for a motion, with room for what impulses change about it; the list is made
anew where a vertex leaves its room. A skin is looked at beside itself once a motion is free otherwise: boxes around its
triangles and cones around their normals say which parts of it may meet, mostly none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._jit import Packet, stacked
from ...fem.skin_normal_kernels import CONE
from ...fem.skin_tables import Clusters, Hit, Near, SkinParts
from .look_kernels import FULL_OF_FEATURES, FULL_OF_PAIRS, MUST_LIST, list_near, look_at_own, look_at_ways
from .skin_packet_tables import LAYOUT, Found, NearPairs, Surfaces, WatchedWays
from .skins import Skins, Surface
from .soft_tables import Vertices

ROOM_OF_EDGES = 0.08
"""Room for changes of a motion, in lengths of edges."""
FIRST_PAIRS, FIRST_FEATURES, FIRST_HITS = 4096, 4096, 1024
"""For how many of them there is room at first."""


class Hits(NamedTuple):
    """What comes too near on the way, the earliest first, in the first rows of the table of hits."""

    n: int
    refused: int
    """How many of them must not be."""
    stuck: bool
    """Whether some begin so near that their motion cannot be told from an overlap."""

    @property
    def free(self) -> bool:
        """Whether the motion may be made."""
        return not self.stuck and not self.refused


class SkinWatch:
    """Checks the motions of one step after the other."""

    def __init__(self, skins: Skins, packet: Packet) -> None:
        self._skins, self._packet, n = skins, packet, len(skins.vertices.end)
        self._spare = b""
        """Of skins when features were listed."""
        self._way = 0.0
        """[m] how far vertices have moved in all since then."""
        self._listed, self._hopeless = 0, 0
        """How many features there are, and how many pairs of skins are near that move in no straight way."""
        self._parts = [_parts_of(surface) for surface in skins.surfaces]
        self._words = stacked(self._parts)
        packet.put(Vertices, skins.vertices)
        packet.put(Surfaces, skins.table)
        packet.put(WatchedWays, (np.zeros((n, 3)), np.zeros((n, 3)), np.empty((n, 6))))
        most = len(skins.surfaces) ** 2
        packet.put(NearPairs, (np.zeros(most), np.zeros(most)))
        self._make_pairs(FIRST_PAIRS)
        self._make_features(FIRST_FEATURES)
        self._make_hits(FIRST_HITS)
        soft = [surface for surface in skins.surfaces if surface.number >= 0]
        self._room = ROOM_OF_EDGES * min((_edge_length(surface) for surface in soft), default=0.0)

    def _make_pairs(self, room: int) -> None:
        self._packet.put(Found, (np.empty((room, 2), np.int32),))

    def _make_features(self, room: int) -> None:
        self._packet.put(Near, (np.empty((room, 5), np.int32), np.empty(room, np.int32), np.empty(room)))

    def _make_hits(self, room: int) -> None:
        self._most_hits = room
        self._packet.put(Hit, (np.empty((room, 5), np.int32), np.empty((room, 9))))

    def begin(self) -> None:
        """Another motion begins."""
        self._spare = b""

    def check(self, reach: tuple[float, float, float], *, edges: bool) -> Hits:
        """Features of different bodies that come near, as the first numbers of `Reach` say; edges only if asked for."""
        new = self._spare != self._skins.table.spare.tobytes()
        while True:
            if new:
                self._list((max(reach[0], reach[2]), reach[0]))
            listed = self._listed, new, self._room
            n, refused, stuck, way = look_at_ways(self._packet.words, reach, listed, self._way, edges)
            new = n == MUST_LIST
            if not new:
                self._way = way
                if n <= self._most_hits:
                    return Hits(n, refused, stuck + self._hopeless > 0)
                self._make_hits(2 * n)

    def _list(self, noted: tuple[float, float]) -> None:
        self._way, self._spare = 0.0, self._skins.table.spare.tobytes()
        while True:
            what, n, hopeless = list_near(self._packet.words, self._words, noted, self._room)
            if what == FULL_OF_PAIRS:
                self._make_pairs(2 * n)
            elif what == FULL_OF_FEATURES:
                self._make_features(2 * n)
            else:
                self._listed, self._hopeless = n, hopeless
                return

    def check_own(self, near: float) -> Hits:
        """What of a skin comes nearer to the same skin than `near` [m]."""
        while True:
            n, refused, stuck = look_at_own(self._packet.words, self._words, near)
            if n < 0:
                self._make_pairs(2 * refused)
            elif n > self._most_hits:
                self._make_hits(2 * n)
            else:
                return Hits(n, refused, stuck > 0)


def _parts_of(surface: Surface) -> Packet:
    """The packet of a skin."""
    skin, packet = surface.skin, Packet(LAYOUT)
    of_triangle = np.empty((len(skin.triangles) if surface.number >= 0 else 0, CONE))
    boxes = skin.boxes, skin.normals, of_triangle
    packet.put(SkinParts, (surface.triangles, skin.triangles, surface.owned, skin.child, *boxes))
    packet.put(Clusters, skin.clusters)
    return packet


def _edge_length(surface: Surface) -> float:
    """Mean length of the edges of a skin at rest [m]."""
    skin = surface.skin
    ends = np.asarray(skin.vertices)[skin.edges]
    return float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean())
