"""The index of a B-rep, and the tables that segments are classified by."""

from __future__ import annotations

from typing import NamedTuple

from numpy import int8
from numpy.typing import NDArray

from ...arrays import Floats, Ints

VERTEX, EDGE, FACE, IN, OUT, OPEN = 0, 1, 2, 3, 4, 5
"""What a point can lie on or in, the first that applies; OPEN is in or out, not yet decided."""


class BrepIndex(NamedTuple):
    """Space divided into cells by planes across the axes, and in each cell the planes of the part's own triangles."""

    box: Floats
    """(2, 3) [m] the root's cell: the part's bounds and a little more."""
    axis: NDArray[int8]
    """(n_node,) axis across which the node's plane lies; 3 for a cell."""
    cut: Floats
    """(n_node,) [m] where the plane meets that axis."""
    child: Ints
    """(n_node,) the first of two children side by side, below the plane and above it; the number of a cell."""
    quiet: NDArray[int8]
    """(n_node,) 1 where all cells below are out and nothing is filed in them."""
    first: Ints
    """(n_cell + 1,) where the triangles of each cell begin in `filed`."""
    filed: Ints
    """(n_filed,) triangles that have points in each cell."""
    reference: Floats
    """(n_cell, 3) [m] a point of each cell that is not on the surface."""
    winding: Ints
    """(n_cell,) how often the surface winds around that point; UNKNOWN where no such point was found."""
    corners: Floats
    """(n_triangle, 9) [m]."""
    planes: Floats
    """(n_triangle, 16) normal and offset of the triangle's plane, then of the planes across it through its sides, with
    normals inwards; all zero for a triangle of no area."""
    vertices: Ints
    """(n_triangle, 3)."""
    edges: Ints
    """(n_triangle, 3) edge from each corner to the next."""
    faces: Ints
    """(n_triangle,)."""
    owned: NDArray[int8]
    """(n_triangle,) which of its edges (bits 0 to 2) and vertices (bits 3 to 5) are left to it and to no other."""
    edge_name: Ints
    """(n_edge, 2) EDGE and its number; FACE and the number of the face that the edge lies inside."""
    vertex_name: Ints
    """(n_vertex, 2) VERTEX and its number; FACE and the number of the face that the vertex lies inside."""
    normals: Floats
    """(n_face, 3) of the faces."""
    slack: float
    """[m] what rounding may do to a coordinate."""
    depth: int
    """Nodes on the longest way from the root to a cell."""


class TreeTables(NamedTuple):
    """The hierarchy of a part, see `Tree`."""

    child: Ints
    """(n_node,)."""
    boxes: Floats
    """(n_node, 16) oriented boxes."""
    corners: Floats
    """(n_triangle, 9) [m] in the order of the leaves."""


class Name(NamedTuple):
    """What a point may lie on."""

    kind: int
    """VERTEX, EDGE or FACE; OUT if nothing was found."""
    number: int
    """Of the vertex, edge or face; -1 for none."""
    d2: float
    """[m^2] squared distance of the point from it."""


class Walk(NamedTuple):
    """Room for the way of a segment through an index."""

    seen: Ints
    """(n_triangle,) by which mark each triangle was found last."""
    stack: Ints
    """(depth,) nodes that wait."""
    parts: Floats
    """(depth, 2) the part of the segment in each of them."""
    found: Ints
    """(n_triangle,) triangles that were found."""


class Spans(NamedTuple):
    """Where segments run within the tolerance of vertices, edges and faces."""

    kind: NDArray[int8]
    """(n,) VERTEX, EDGE or FACE."""
    number: Ints
    """(n,) which one."""
    part: Floats
    """(n, 2) first and last parameter; 0 at the start of the segment, 1 at its end."""
    rank: Floats
    """(n,) lower is preferred among equal kinds: the sine of the angle to an edge or a face, the distance from a vertex
    in tolerances."""


class Items(NamedTuple):
    """Sequences of points and stretches, in turn."""

    first: Ints
    """(n_segment + 1,) where the sequence of each segment begins."""
    kind: NDArray[int8]
    """(n_item,) VERTEX, EDGE, FACE, IN or OUT."""
    number: Ints
    """(n_item,) number of the vertex, edge or face; -1 for in and out."""
    part: Floats
    """(n_item, 2) first and last parameter on the segment."""


UNKNOWN = -(2**31)
"""A winding number that is not known."""
