"""What a triangle soup loses: edges with their kind, planar faces with loops, fans around vertices, shells.

Everything is a table of arrays; relations between tables are arrays where each item has a fixed number of
neighbours (-1 = none) and `Csr` lists where it has not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from .. import mass_kernels
from . import edge_kernels, face_kernels, fan_kernels, shell_kernels
from .csr import Csr

Bools = NDArray[np.bool_]


class EdgeKind(IntEnum):
    """How the two faces at an edge lie to each other."""

    FLAT = 0
    """Inside a planar face: a triangle's diagonal, or a ridge or groove below the tolerance of faces."""
    CONVEX = 1
    """Material on the inner side of both faces: can touch another part."""
    CONCAVE = 2
    """A groove: its faces or their other edges touch first."""
    BOUNDARY = 3
    """Only one triangle: the surface is open here."""
    NON_MANIFOLD = 4
    """Triangles that cannot be paired across material: oriented against each other, or too many."""


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges between triangles, one per wedge of material.

    Where more than two triangles meet on two vertices, each manifold component has an edge of its own.
    """

    vertices: Ints
    """(n_edge, 2) the end with the smaller index first."""
    triangles: Ints
    """(n_edge, 2) the triangle that runs from the first end to the second, and the one that runs back; -1 = none."""
    faces: Ints
    """(n_edge, 2) faces of these triangles; -1 = none."""
    dihedral: Floats
    """(n_edge,) [rad] angle between the faces' normals: > 0 convex, < 0 concave, 0 flat or not paired."""
    kind: NDArray[np.int8]
    """(n_edge,) an `EdgeKind`."""
    normal: Floats
    """(n_edge, 3) area-averaged unit normal of the two faces; the edge's normal cone spans |dihedral| about it."""
    crowd: Ints
    """(n_edge,) how many triangles meet on the edge's two vertices: 2 on a manifold."""
    of_triangle: Ints
    """(n_triangle, 3) edge on the side from corner k to corner k + 1."""
    of_vertex: Csr
    """Edges that end in each vertex."""

    def __len__(self) -> int:
        return len(self.vertices)

    def count(self, kind: EdgeKind) -> int:
        """How many edges are of this kind."""
        return int((self.kind == kind).sum())


@dataclass(frozen=True, eq=False)
class Faces:
    """Maximal connected coplanar patches of triangles, the largest triangle's first."""

    normal: Floats
    """(n_face, 3) outward unit normal."""
    offset: Floats
    """(n_face,) [m] the plane is { x : normal . x = offset }."""
    area: Floats
    """(n_face,) [m^2]."""
    of_triangle: Ints
    """(n_triangle,) the face each triangle belongs to."""
    triangles: Csr
    """Triangles of each face."""
    loops: Csr
    """Loops of each face, its outer one first: counter-clockwise seen from outside, holes clockwise."""
    loop_vertices: Csr
    """Vertices of each loop, in order."""
    loop_edges: Csr
    """Edges of each loop; edge i leads from vertex i to the next."""
    edges: Csr
    """Border edges of each face."""
    of_vertex: Csr
    """Faces that meet in each vertex."""

    def __len__(self) -> int:
        return len(self.offset)

    def polygons(self, face: int) -> list[Ints]:
        """Vertex loops of one face: the outer one, then its holes."""
        return [self.loop_vertices[loop] for loop in self.loops[face]]


@dataclass(frozen=True, eq=False)
class Fans:
    """Triangles around each vertex in counter-clockwise order, one fan per manifold component."""

    triangles: Csr
    """Triangles of each fan."""
    closed: Bools
    """(n_fan,) whether the fan goes all the way round."""
    normal: Floats
    """(n_fan, 3) area-averaged unit normal of the faces."""
    cosine: Floats
    """(n_fan,) every face's normal n has n . normal >= cosine: a cone around the vertex's normal cone."""
    of_vertex: Csr
    """Fans of each vertex; a vertex with two or more is non-manifold."""

    def __len__(self) -> int:
        return len(self.closed)


@dataclass(frozen=True, eq=False)
class Shells:
    """Connected surfaces. A closed one with volume > 0 bounds material, one with volume < 0 a cavity."""

    of_triangle: Ints
    """(n_triangle,)."""
    triangles: Csr
    """Triangles of each shell."""
    volume: Floats
    """(n_shell,) [m^3] enclosed, signed by orientation; without meaning for an open shell."""
    closed: Bools
    """(n_shell,)."""
    genus: Ints
    """(n_shell,) number of handles of a closed shell, -1 for an open one."""
    depth: Ints
    """(n_shell,) how many other closed shells lie around it: material at even, cavities at odd depth."""

    def __len__(self) -> int:
        return len(self.volume)


@dataclass(frozen=True, eq=False)
class Topology:
    """Everything that follows from vertices and triangles."""

    edges: Edges
    faces: Faces
    fans: Fans
    shells: Shells


def build_topology(vertices: Floats, triangles: Ints, tolerance: float) -> Topology:
    """All tables; triangles whose corners lie within `tolerance` [m] of a common plane form one face."""
    half = _HalfEdges.of(vertices, triangles)
    faces = _build_faces(vertices, triangles, half, tolerance)
    edges = _build_edges(vertices, triangles, half, faces)
    fans = _build_fans(len(vertices), triangles, half, faces)
    return Topology(edges, faces, fans, _build_shells(vertices, triangles, half, fans))


@dataclass(frozen=True, eq=False)
class _HalfEdges:
    """Half-edges 3 t + k paired to edges, and each one's twin across material."""

    ends: Ints
    pair: Ints
    crowd: Ints
    edge: Ints
    twin: Ints

    @classmethod
    def of(cls, vertices: Floats, triangles: Ints) -> _HalfEdges:
        n = 3 * len(triangles)
        order, edge, twin = (np.empty(n, np.int32) for _ in range(3))
        ends, pair, crowd = np.empty((n, 2), np.int32), np.empty((n, 2), np.int32), np.empty(n, np.int32)
        edge_kernels.sort_half_edges(triangles, len(vertices), order)
        n_edge = edge_kernels.pair_half_edges(vertices, triangles, order, ends, pair, crowd, edge)
        ends, pair, crowd = ends[:n_edge].copy(), pair[:n_edge].copy(), crowd[:n_edge].copy()
        edge_kernels.twins_of_half_edges(pair, twin)
        return cls(ends, pair, crowd, edge, twin)


def _build_faces(vertices: Floats, triangles: Ints, half: _HalfEdges, tolerance: float) -> Faces:
    n = len(triangles)
    vector, area, of_triangle = np.empty((n, 3)), np.empty(n), np.empty(n, np.int32)
    face_kernels.area_vectors(vertices, triangles, vector, area)
    seeds = np.argsort(-area, kind="stable").astype(np.int32)
    placed = (vertices, triangles, vector, area)
    n_face = face_kernels.grow_faces(placed, half.twin, seeds, tolerance, of_triangle)
    members = Csr.inverse_of(of_triangle, n_face)
    normal, offset, face_area = np.empty((n_face, 3)), np.empty(n_face), np.empty(n_face)
    face_kernels.face_planes(placed, members.start, members.items, normal, offset, face_area)
    loops, borders = _trace_loops(vertices, triangles, half, of_triangle, members, normal)
    corner = triangles[borders.items // 3, borders.items % 3]
    return Faces(
        normal=normal,
        offset=offset,
        area=face_area,
        of_triangle=of_triangle,
        triangles=members,
        loops=loops,
        loop_vertices=Csr(borders.start, corner),
        loop_edges=Csr(borders.start, half.edge[borders.items]),
        edges=Csr(borders.start[loops.start], half.edge[borders.items]),
        of_vertex=_faces_of_vertices(corner, of_triangle[borders.items // 3], len(vertices)),
    )


def _faces_of_vertices(corner: Ints, face: Ints, n_vertex: int) -> Csr:
    """Faces whose loops pass through each vertex."""
    passes = Csr.inverse_of(corner, n_vertex)
    return Csr(passes.start, face[passes.items]).without_repetition()


def _trace_loops(
    vertices: Floats, triangles: Ints, half: _HalfEdges, of_triangle: Ints, members: Csr, normal: Floats
) -> tuple[Csr, Csr]:
    """Loops of each face, and border half-edges of each loop, the outer loop of a face first."""
    n = 3 * len(triangles)
    loops_of_face = np.empty(len(members) + 1, np.int32)
    start, borders = np.empty(n + 1, np.int32), np.empty(n, np.int32)
    n_loop, n_border = face_kernels.trace_loops(
        triangles, half.twin, of_triangle, members.start, members.items, loops_of_face, start, borders
    )
    start, borders = start[: n_loop + 1].copy(), borders[:n_border].copy()
    area, order = np.empty(n_loop), np.empty(n_loop, np.int32)
    face_kernels.loop_areas(vertices, triangles, of_triangle, normal, start, borders, area)
    face_kernels.outer_loops_first(loops_of_face, area, order)
    if n_loop > len(members):
        lengths = np.diff(start)[order]
        moved = np.concatenate([borders[start[i] : start[i + 1]] for i in order])
        start = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        borders = np.ascontiguousarray(moved)
    return Csr(loops_of_face, np.arange(n_loop, dtype=np.int32)), Csr(start, borders)


def _build_edges(vertices: Floats, triangles: Ints, half: _HalfEdges, faces: Faces) -> Edges:
    sides = np.where(half.pair >= 0, half.pair // 3, -1).astype(np.int32)
    face = np.where(sides >= 0, faces.of_triangle[sides], -1).astype(np.int32)
    dihedral = np.empty(len(sides))
    edge_kernels.dihedral_angles(vertices, half.ends, half.pair, faces.of_triangle, faces.normal, dihedral)
    normal = np.empty((len(sides), 3))
    edge_kernels.edge_normals(face, faces.normal, faces.area, normal)
    ends = np.concatenate((half.ends[:, 0], half.ends[:, 1]))
    by_vertex = Csr.inverse_of(ends, len(vertices))
    return Edges(
        vertices=half.ends,
        triangles=sides,
        faces=face,
        dihedral=dihedral,
        kind=_edge_kinds(face, half.crowd, dihedral),
        normal=normal,
        crowd=half.crowd,
        of_triangle=half.edge.reshape(-1, 3),
        of_vertex=Csr(by_vertex.start, by_vertex.items % np.int32(len(half.ends))),
    )


def _edge_kinds(face: Ints, crowd: Ints, dihedral: Floats) -> NDArray[np.int8]:
    kind = np.where(dihedral > 0.0, EdgeKind.CONVEX, EdgeKind.CONCAVE).astype(np.int8)
    kind[face[:, 0] == face[:, 1]] = EdgeKind.FLAT
    single = (face < 0).any(axis=1)
    kind[single & (crowd == 1)] = EdgeKind.BOUNDARY
    kind[single & (crowd > 1)] = EdgeKind.NON_MANIFOLD
    return kind


def _build_fans(n_vertex: int, triangles: Ints, half: _HalfEdges, faces: Faces) -> Fans:
    corners = Csr.inverse_of(triangles.ravel(), n_vertex)
    n = len(corners.items)
    of_vertex, start = np.empty(n_vertex + 1, np.int32), np.empty(n + 1, np.int32)
    members, closed = np.empty(n, np.int32), np.empty(n, np.bool_)
    n_fan = fan_kernels.trace_fans(n_vertex, corners.start, corners.items, half.twin, of_vertex, start, members, closed)
    start = start[: n_fan + 1].copy()
    normal, cosine = np.empty((n_fan, 3)), np.empty(n_fan)
    fan_kernels.fan_normals(start, members, faces.of_triangle, faces.normal, faces.area, normal, cosine)
    return Fans(
        triangles=Csr(start, members),
        closed=closed[:n_fan].copy(),
        normal=normal,
        cosine=cosine,
        of_vertex=Csr(of_vertex, np.arange(n_fan, dtype=np.int32)),
    )


def _build_shells(vertices: Floats, triangles: Ints, half: _HalfEdges, fans: Fans) -> Shells:
    of_triangle = np.empty(len(triangles), np.int32)
    n_shell = shell_kernels.number_shells(half.twin, of_triangle)
    members = Csr.inverse_of(of_triangle, n_shell)
    volume = np.array([_signed_volume(vertices, triangles, members[i]) for i in range(n_shell)])
    closed = np.ones(n_shell, np.bool_)
    closed[of_triangle[np.flatnonzero(half.twin < 0) // 3]] = False
    n_vertex = np.bincount(of_triangle[fans.triangles.items[fans.triangles.start[:-1]]], minlength=n_shell)
    n_edge = np.bincount(of_triangle[half.pair.max(axis=1) // 3], minlength=n_shell)
    euler = n_vertex - n_edge + members.counts
    genus = np.where(closed, 1 - euler // 2, -1).astype(np.int32)
    return Shells(of_triangle, members, volume, closed, genus, _nesting_depths(vertices, triangles, members, closed))


def bounds_of_triangles(vertices: Floats, triangles: Ints) -> Floats:
    """(2, 3) lowest and highest coordinates of the triangles' corners."""
    bounds = np.empty((2, 3))
    face_kernels.bounds_of_triangles(vertices, triangles, bounds)
    return bounds


def _signed_volume(vertices: Floats, triangles: Ints, members: Ints) -> float:
    integrals = np.empty(10)
    origin = tuple(float(x) for x in vertices[triangles[members[0], 0]])
    mass_kernels.volume_integrals(vertices, triangles, members, origin, integrals)
    return float(integrals[0])


def _nesting_depths(vertices: Floats, triangles: Ints, members: Csr, closed: Bools) -> Ints:
    depth = np.zeros(len(members), np.int32)
    if len(members) == 1:
        return depth
    boxes = [bounds_of_triangles(vertices, triangles[members[i]]) for i in range(len(members))]
    for inner in range(len(members)):
        probe = tuple(float(x) for x in vertices[triangles[members[inner][0], 0]])
        for outer in np.flatnonzero(closed):
            low, high = boxes[outer]
            if outer != inner and (low <= boxes[inner][0]).all() and (boxes[inner][1] <= high).all():
                turns = shell_kernels.winding_number(probe, vertices, triangles, members[int(outer)])
                depth[inner] += abs(turns) > 0.5
    return depth
