"""What linear tetrahedra are made of: volumes, gradients of their shape functions, faces."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints

FACES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))
"""Corners of the face opposite to each corner, counter-clockwise seen from outside."""
EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def edge_matrices(nodes: Floats, tetrahedra: Ints) -> Floats:
    """(n, 3, 3) [m], columns: the edges from corner 0 to corners 1, 2 and 3."""
    corners = nodes[tetrahedra]
    return np.ascontiguousarray((corners[:, 1:] - corners[:, :1]).transpose(0, 2, 1))


def signed_volumes(nodes: Floats, tetrahedra: Ints) -> Floats:
    """(n,) [m³], negative where the corners are numbered the wrong way round."""
    a, b, c = edge_matrices(nodes, tetrahedra).transpose(2, 0, 1)
    return np.asarray(np.einsum("ij,ij->i", np.cross(a, b), c) / 6.0)


def shape_gradients(nodes: Floats, tetrahedra: Ints) -> Floats:
    """(n, 4, 3) [1/m]: how the share of each corner grows along x, y and z."""
    inverse = np.linalg.inv(edge_matrices(nodes, tetrahedra))
    return np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)


def oriented_faces(tetrahedra: Ints) -> Ints:
    """(4 n, 3) faces of all tetrahedra, counter-clockwise from outside; face k of all of them, then face k + 1."""
    return np.vstack([tetrahedra[:, face] for face in FACES])
