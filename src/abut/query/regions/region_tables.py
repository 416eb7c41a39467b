"""What the search for contact regions works with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._jit import Layout
from ...arrays import Floats, Ints
from ...math.frame_tables import Frame

Longs = NDArray[np.int64]
Vector = tuple[float, float, float]
Triangle = tuple[Vector, Vector, Vector]


class RegionPart(NamedTuple):
    """A shape, with its triangles in the order of its tree, in its own frame.

    A half-space is one triangle, placed for each question. Of a ball or capsule it is the core: one corner, or two and
    the side between them; it has no face.
    """

    corners: Floats
    """(n_triangle, 9) [m]."""
    child: Ints
    """(n_node,) of the tree, see `Tree`."""
    boxes: Floats
    """(n_node, 16) oriented boxes."""
    vertex: Ints
    """(n_triangle, 3) numbers of the corners, -1 for those of a half-space."""
    side: Ints
    """(n_triangle, 3) the convex edge from each corner to the next, -1 where it is flat or a groove."""
    duty: Ints
    """(n_triangle,) what this triangle answers for, so that nothing is looked at twice: bit k for corner k, bit 3 + k
    for side k. Six bits higher, all that can be touched of it: convex edges, and corners with one."""
    face: Ints
    """(n_triangle,) -1 for none."""
    normal: Floats
    """(n_face, 3) out of the material."""
    offset: Floats
    """(n_face,) [m] of their planes."""
    triangle_start: Ints
    """(n_face + 1,) where each face's triangles begin in `triangle_item`."""
    triangle_item: Ints
    """Triangles of the faces."""
    face_box: Floats
    """(n_face, 6) [m] lowest and highest coordinates of each; of a half-space without end."""
    triangle_box: Floats
    """(n_triangle, 6) [m] those of triangles."""
    edge_face: Ints
    """(n_edge, 2) faces on both sides, the one that runs from the first end to the second before the other."""
    edge_end: Ints
    """(n_edge, 2) vertices."""
    edge_normal: Floats
    """(n_edge, 3) mean of its faces."""
    point: Floats
    """(n_vertex, 3) [m]."""
    face_start: Ints
    """(n_vertex + 1,) where each vertex's faces begin in `face_item`."""
    face_item: Ints
    """Faces around the vertices."""
    edge_start: Ints
    """(n_vertex + 1,) where each vertex's edges begin in `edge_item`."""
    edge_item: Ints
    """Convex edges that end in the vertices."""
    fan_start: Ints
    """(n_vertex + 1,) where each vertex's fans begin in `fan_normal`."""
    fan_normal: Floats
    """(n_fan, 3) mean of the faces of each manifold component."""


class Memory(NamedTuple):
    """Regions that were there before, by rising keys.

    A world carries labels of points elsewhere, and has none here.
    """

    key: Longs
    """(n,) see `key_of`."""
    normal: Floats
    """(n, 3) from A to B, in the frame of B."""
    start: Ints
    """(n + 1,) where the points of each begin."""
    code: Longs
    """(n_point,) what each point is, see `clip_kernels`."""
    place: Floats
    """(n_point, 3) [m] on A, in the frame of A."""
    label: Longs
    """(n_point,)."""
    witness: Ints
    """(n, 2) of a surface, triangles of A and B that lay on each other; of a line, the triangle on which its edge lay;
    -1 for none."""


class Settings(NamedTuple):
    """What a search is to find."""

    tolerance: float
    """[m] how far apart features that touch may be; twice as far if they touched before."""
    margin_a: float
    """[m] how far A reaches beyond its core."""
    margin_b: float
    """[m] how far B does."""
    checking: bool
    """Whether signs of overlap are looked for."""


class Search(NamedTuple):
    """Two parts and what is looked for; everything is in the frame of A."""

    part_a: RegionPart
    part_b: RegionPart
    X_a: Frame
    """Pose of A in the world."""
    X: Frame
    """Pose of B in A."""
    settings: Settings
    memory: Memory


class Facet(NamedTuple):
    """A triangle of one part, beside one of the other."""

    part: RegionPart
    i: int
    """Its number."""
    corner: Triangle
    """[m] in the frame of A."""
    normal: Vector
    """Out of the material; (0, 0, 0) for the core of a ball or capsule."""
    height: Vector
    """[m] of its corners above the plane of the other triangle."""
    duty: int
    """What of it is looked at: bit k for corner k, bit 3 + k for side k."""


class SeedSide(NamedTuple):
    """The feature of one part at a place where two are known to touch."""

    part: RegionPart
    kind: int
    id: int
    X: Frame
    """Pose of the part in the frame of A."""


class Groups(NamedTuple):
    """Pairs of features that are close to each other, with the pieces, intervals and points where they are."""

    counts: Ints
    """(5,) see the columns of group_kernels."""
    slots: Ints
    """(4 room,) places of a hash table: number of a group + 1, or 0."""
    key: Longs
    """(room,) see `key_of`."""
    name: Ints
    """(room, 5) kind and number of A's feature and of B's, and the slot."""
    state: Ints
    """(room, 2) what became of it, and its last element (-1 for none)."""
    near: Floats
    """(room, 7) gap [m] of its points where it is least, on A and on B [m] in the frame of A."""
    element: Ints
    """(room, 3) the element before it in its group (-1 for none); of a piece its first corner and how many it has, of
    an interval the triangle over which it lies (-1 for none)."""
    span: Floats
    """(room, 4) of an interval, from where to where on the edge, 0 to 1: of the edge of A if there is one, else of B;
    then the same on the edge of B where both are edges."""
    corner: Floats
    """(room, 4) of a piece: place on A in its frame [m], height above B [m]."""
    code: Longs
    """(room,) what each corner is."""


class Scratch(NamedTuple):
    """Room for one polygon, one hull and the search."""

    stack: Ints
    """(depth, 2) pairs of nodes that wait."""
    pair: Ints
    """(room, 4) pairs of triangles that are looked at, and what is looked at of each, see `Facet.duty`; bit 6 of the
    first says that their faces are, too."""
    seed: Ints
    """(room, 4) kinds and numbers of features around which is looked."""
    seed_point: Floats
    """(room, 3) [m] where, in the frame of A."""
    polygon: Floats
    """(2, 12, 4) before and after a cut."""
    border: Ints
    """(2, 12) of each side of the polygon: 0 to 2 a side of A's triangle, 3 to 5 of B's, 6 and 7 the tolerance."""
    flat: Floats
    """(room, 2) corners in the plane, or intervals."""
    order: Ints
    """(room,) corners by their first coordinate."""
    hull: Ints
    """(2 room,) corners of the hull."""


REGIONS, POINTS, NEXT_LABEL = 0, 1, 2
"""Columns of Found.counts: how many there are, and the next label of points."""


class Found(NamedTuple):
    """Regions, in the world."""

    counts: Ints
    """(3,) see its columns."""
    name: Ints
    """(room, 4) kind and number of A's feature and of B's."""
    key: Longs
    """(room,)."""
    dim: Ints
    """(room,)."""
    number: Floats
    """(room, 9) see the columns of region_kernels."""
    normal_b: Floats
    """(room, 3) normals in the frame of B."""
    start: Ints
    """(room + 1,) where the points of each region begin."""
    point: Floats
    """(room, 6) on A and on B [m]."""
    place: Floats
    """(room, 3) on A, in the frame of A [m]."""
    code: Longs
    """(room,)."""
    label: Longs
    """(room,) of points."""
    group: Ints
    """(room,) the group that each region was; in a world, 1 where it was known before, else 0."""
    witness: Ints
    """(room, 2) in a world, see `Memory.witness`."""


class Work(NamedTuple):
    """What a search writes to."""

    scratch: Scratch
    groups: Groups
    found: Found


FOUND = "i1 i2 l1 i1 f2 f2 i1 f2 f2 l1 l1 i1 i2"
"""Tables of `Found`, as layouts of packets name them."""
GROUPS = "i1 i1 l1 i2 i2 f2 i2 f2 f2 l1"
SCRATCH = "i2 i2 i2 f2 f3 i2 f2 i1 i1"

PART, ROOM = Layout(), Layout()
part_of, _ = PART.section(RegionPart, "f2 i1 f2 i2 i2 i1 i1 f2 f1 i1 i1 f2 f2 i2 i2 f2 f2 i1 i1 i1 i1 i1 f2")
scratch_of, _ = ROOM.section(Scratch, SCRATCH)
groups_of, _ = ROOM.section(Groups, GROUPS)
found_of, _ = ROOM.section(Found, FOUND)
