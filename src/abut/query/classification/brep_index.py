"""The index of a part's B-rep: built when a question first needs it, and kept with the part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...geometry import EdgeKind, Solid
from ..containment.containment import require_closed
from . import brep_index_kernels as kernels
from . import place_kernels
from .brep_index_tables import EDGE, FACE, VERTEX, BrepIndex

# Of the largest coordinate: what rounding may do to a height above a plane.
_SLACK = 1e-14
# Of the part's size: how far the root's cell reaches beyond the part, so that no face lies in its walls.
_BEYOND = 1e-3


def brep_index_of(solid: Solid) -> BrepIndex:
    """The index of a closed part, built at the first call."""
    try:
        index: BrepIndex = solid.__dict__["_brep_index"]
    except KeyError:
        require_closed(solid)
        index = solid.__dict__["_brep_index"] = build_brep_index(solid)
    return index


def build_brep_index(solid: Solid) -> BrepIndex:
    """Divide space around a closed part, and say of every cell whether it is in the part."""
    n = len(solid.mesh.triangles)
    corners = np.ascontiguousarray(solid.mesh.vertices[solid.mesh.triangles].reshape(n, 9))
    planes, boxes = np.empty((n, 16)), np.empty((n, 6))
    kernels.measure_triangles(corners, planes, boxes)
    beyond = _BEYOND * float(np.linalg.norm(solid.extents))
    box = solid.bounds + np.array([[-beyond], [beyond]])
    slack = _SLACK * float(np.abs(box).max())
    tree, filed, cells, depth = kernels.divide(corners, boxes, box, _most_depth(n), slack)
    quiet, reference = np.empty(len(tree[0]), np.int8), np.empty((len(cells), 3))
    winding = np.empty(len(cells), np.int32)
    cells_of_it = (*filed, reference, winding)
    index = BrepIndex._make((box, *tree, quiet, *cells_of_it, corners, planes, *_names(solid), slack, int(depth)))
    place_kernels.label_cells(tuple(index), cells, reference, winding)
    kernels.find_quiet(index.axis, index.child, index.first, winding, quiet)
    return index


def _most_depth(n: int) -> int:
    """Levels enough to part n triangles and some empty space from them."""
    return 8 + int(1.3 * np.log2(n))


def _names(solid: Solid) -> tuple[Ints, Ints, Ints, NDArray[np.int8], Ints, Ints, Floats]:
    """Vertices, edges and face of each triangle, what is left to it, what edges and vertices are called, normals."""
    triangles, edges, faces = solid.mesh.triangles, solid.edges, solid.faces
    flat = edges.kind == EdgeKind.FLAT
    edge_name = np.empty((len(edges), 2), np.int32)
    edge_name[:, 0] = np.where(flat, FACE, EDGE)
    edge_name[:, 1] = np.where(flat, edges.faces[:, 0], np.arange(len(edges)))
    # A vertex at which only flat edges end lies inside their face.
    vertex_name = np.full((len(solid.mesh.vertices), 2), FACE, np.int32)
    vertex_name[triangles, 1] = faces.of_triangle[:, None]
    corners = np.unique(edges.vertices[~flat])
    vertex_name[corners, 0], vertex_name[corners, 1] = VERTEX, corners
    owned = _first_of_each(edges.of_triangle) | _first_of_each(triangles) << 3
    return triangles, edges.of_triangle, faces.of_triangle, owned.astype(np.int8), edge_name, vertex_name, faces.normal


def _first_of_each(table: Ints) -> NDArray[np.int64]:
    """(n,) bits of the places in (n, 3) rows at which a number stands for the first time."""
    _, first = np.unique(table, return_index=True)
    is_first = np.zeros(table.size, np.int64)
    is_first[first] = 1
    return np.asarray(is_first.reshape(-1, 3) @ np.array([1, 2, 4]))
