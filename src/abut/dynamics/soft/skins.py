"""The skins of all bodies of a world, and where they come too near each other in a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import acos
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...fem import Skin
from ...fem.meshing.embedding_kernels import carry
from ...geometry import MESH, PLANE
from ...math import Pose
from ...math.pose_kernels import place_points
from ...math.quat_kernels import quat_to_mat
from ..bodies.body import BodySpec
from ..contacts.pair_laws import PairLaws
from .skin_packet_tables import Surfaces
from .soft_spec import SoftSpec
from .soft_tables import Fans, Vertices

FLOOR = 8.0
"""Size of the triangle that stands for a half-space, in sizes of what is above it."""


@dataclass(eq=False)
class Surface:
    """One skin among those of a world."""

    skin: Skin
    first: int
    """Number of its first vertex among all."""
    triangles: Ints
    """(m, 3) with these numbers."""
    owned: NDArray[np.bool_]
    faces: bool
    """Whether its triangles are faces; those of balls and capsules are not."""
    margin: float
    """[m] by which a round shape reaches beyond them."""
    body: int
    """Rigid body, or -1."""
    number: int
    """Of the soft body, or -1."""
    begin: bytes = b""
    last_pose: bytes = b""
    """Of a rigid body: from where to where its vertices are placed."""
    local: Floats | None = None
    """(n, 3) of a rigid body: its vertices in its centre-of-mass frame."""

    @property
    def last(self) -> int:
        """Number of the vertex after its last one."""
        return self.first + len(self.skin.vertices)

    def feature(self, ids: list[int]) -> int:
        """Number in the skin of the vertex, edge or triangle with these vertices."""
        local = sorted(i - self.first for i in ids)
        if len(local) == 1:
            return local[0]
        table = self.skin.edges if len(local) == 2 else np.sort(self.skin.triangles, axis=1)
        found = np.flatnonzero((table == local).all(axis=1))
        return int(found[0]) if len(found) else -1


class Skins:
    """Vertices of all skins in one table, soft bodies first."""

    def __init__(self, soft: Sequence[SoftSpec], rigid: Sequence[BodySpec], gap: float) -> None:
        self._soft, self._rigid, self._gap = soft, rigid, gap
        self.surfaces: list[Surface] = []
        first = 0
        for k, spec in enumerate(soft):
            first = self._add(spec.new_skin(), first, -1, k, True, 0.0)
        self.n_soft_vertex = first
        for b, body in enumerate(rigid):
            if not body.absent:
                first = self._add(_skin_of(body), first, b, -1, body.shape.margin == 0.0, body.shape.margin)
        shape = (first, 3)
        carrier, share = np.full((first, 4), -1, np.int32), np.zeros((first, 4))
        owner, margin = np.full(first, -1, np.int32), np.zeros(first)
        self.vertices = Vertices(np.zeros(shape), np.zeros(shape), carrier, share, owner, margin, np.zeros(shape))
        self.surface = np.concatenate([np.full(s.last - s.first, i) for i, s in enumerate(self.surfaces)]).astype(
            np.int32
        )
        """(n,) whose vertices they are."""
        self.table = self._table()
        self._ignored: set[tuple[int, int]] = set()
        self.node_first = np.cumsum([0, *(len(spec.mesh.nodes) for spec in soft)])
        for surface in self.surfaces:
            if surface.number >= 0:
                embedding = soft[surface.number].embedding
                carrier[surface.first : surface.last] = embedding.corner + self.node_first[surface.number]
                share[surface.first : surface.last] = embedding.weight
            self.vertices.body[surface.first : surface.last] = surface.body
            self.vertices.margin[surface.first : surface.last] = surface.margin

    def _table(self) -> Surfaces:
        """What kernels know of skins."""
        first = np.array([*(surface.first for surface in self.surfaces), len(self.surface)], np.int64)
        number = np.array([surface.number for surface in self.surfaces], np.int32)
        faces, n = np.array([surface.faces for surface in self.surfaces], np.bool_), len(number)
        margin = np.array([surface.margin for surface in self.surfaces], np.float64)
        return Surfaces(first, number, faces, margin, np.zeros(n), np.zeros((n, n), np.bool_))

    def fans(self) -> Fans:
        """The triangles around each vertex."""
        corners = np.concatenate([surface.triangles for surface in self.surfaces])
        order = np.argsort(corners.ravel(), kind="stable")
        first = np.searchsorted(corners.ravel()[order], np.arange(len(self.surface) + 1))
        return Fans(first.astype(np.int32), np.ascontiguousarray(corners[order // 3], np.int32))

    def ignore(self, pairs: set[tuple[int, int]]) -> None:
        """Pairs of soft and rigid bodies that do not see each other."""
        if pairs == self._ignored:
            return
        self._ignored = pairs
        for i, a in enumerate(self.surfaces):
            for j, b in enumerate(self.surfaces):
                self.table.ignored[i, j] = (a.number, b.body) in pairs

    def _add(self, skin: Skin, first: int, body: int, number: int, faces: bool, margin: float) -> int:
        owned = skin.owned
        if body >= 0 and self._rigid[body].shape.core == PLANE:
            owned = np.zeros_like(owned)
        triangles = np.ascontiguousarray(skin.triangles + first, np.int32)
        self.surfaces.append(Surface(skin, first, triangles, owned, faces, margin, body, number))
        return first + len(skin.vertices)

    def surface_of(self, vertex: int) -> Surface:
        """Whose vertex it is."""
        return self.surfaces[int(self.surface[vertex])]

    def frictions(self, laws: PairLaws) -> Floats:
        """(n_surface, n_surface) Coulomb's coefficients: geometric means, that of one, or the world's."""
        own = np.array([self._friction(surface, laws) for surface in self.surfaces])
        known = ~np.isnan(own)
        both = np.sqrt(np.outer(np.where(known, own, 0.0), np.where(known, own, 0.0)))
        one = np.where(known[:, None], own[:, None], np.where(known[None, :], own[None, :], laws.friction))
        return np.where(np.outer(known, known), both, one)

    def _friction(self, surface: Surface, laws: PairLaws) -> float:
        if surface.number < 0:
            return float(laws.of_body[surface.body, 0])
        own = self._soft[surface.number].friction
        return np.nan if own is None else own

    def place_soft(self, nodes: Floats) -> None:
        """Put the skins of soft bodies where their nodes (n, 3), of all of them, begin the step."""
        v, n = self.vertices, self.n_soft_vertex
        carry(v.carrier[:n], v.share[:n], nodes, v.start[:n])

    def move_rigid(self, start: Floats, end: Floats, reach: Floats, straight: NDArray[np.bool_]) -> None:
        """Where rigid bodies begin and end the step, by rows of poses of their centre-of-mass frames.

        `straight` (n,) says who makes one motion and turns little; others are anywhere near their ways.
        """
        spare = self.table.spare
        for i, surface in enumerate(self.surfaces[len(self._soft) :], len(self._soft)):
            b = surface.body
            if self._rigid[b].shape.core == PLANE:
                self._lay_floor(surface, start[b], end[b])
                continue
            begin, last = start[b].tobytes(), end[b].tobytes()
            if begin != surface.begin:
                self._place(surface, start[b], self.vertices.start)
            if (begin, last) != (surface.begin, surface.last_pose):
                surface.begin, surface.last_pose = begin, last
                self._place(surface, end[b], self.vertices.end)
                if surface.margin > 0.0:
                    roll = surface.margin * _turn(start[b], end[b])
                    self.vertices.roll[surface.first : surface.last] = roll
                sag = 0.0 if begin == last else _sag(start[b].tolist(), end[b].tolist(), float(reach[b]))
                spare[i] = sag if begin == last or straight[b] else np.inf

    def _place(self, surface: Surface, pose: Floats, table: Floats) -> None:
        if surface.local is None:
            surface.local = surface.skin.vertices - self._rigid[surface.body].centre
        place_points(surface.local, pose, table[surface.first : surface.last])

    def _lay_floor(self, surface: Surface, start: Floats, end: Floats) -> None:
        """A triangle of a half-space's plane under all soft bodies."""
        v, n = self.vertices, self.n_soft_vertex
        low, high = v.start[:n].min(axis=0), v.start[:n].max(axis=0)
        size = FLOOR * float(np.linalg.norm(high - low))
        shape: Any = self._rigid[surface.body].shape
        for table, pose in ((v.start, start), (v.end, end)):
            R = np.array(quat_to_mat(tuple(pose[3:]))).reshape(3, 3)
            normal = R @ shape.normal
            origin = pose[:3] + R @ (shape.offset * shape.normal - self._rigid[surface.body].centre)
            middle = 0.5 * (low + high)
            foot = middle - ((middle - origin) @ normal) * normal
            u = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
            u /= np.linalg.norm(u)
            w = np.cross(normal, u)
            angles = 2.0 * np.pi / 3.0 * np.arange(3)
            table[surface.first : surface.last] = foot + size * (
                np.cos(angles)[:, None] * u + np.sin(angles)[:, None] * w
            )


def _skin_of(body: BodySpec) -> Skin:
    """Triangles of a rigid body's surface; of round shapes those of their cores, which have no area."""
    shape: Any = body.shape
    if shape.core == MESH:
        return Skin(shape.vertices, shape.triangles)
    if shape.core == PLANE:
        return Skin(np.eye(3), [(0, 1, 2)])
    ends = shape.ends
    return Skin(ends[:1], [(0, 0, 0)]) if np.array_equal(ends[0], ends[1]) else Skin(ends, [(0, 1, 1)])


def _turn(start: Floats, end: Floats) -> Floats:
    """Rotation vector from one row of a pose to another [rad]."""
    back = Pose(quat_wxyz=start[3:]).inverse()
    return np.asarray((Pose(quat_wxyz=end[3:]) @ back).rotvec)


def _sag(start: Sequence[float], end: Sequence[float], reach: float) -> float:
    """How far a point of a turning body is from the straight way between the ends of its arc at most [m]."""
    half = acos(min(1.0, abs(sum(a * b for a, b in zip(start[3:], end[3:], strict=True)))))
    return 0.505 * reach * half * half
