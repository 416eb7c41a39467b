"""Tables of an elastic body from its mesh and material."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Floats
from ..meshing.shape import shape_gradients
from ..meshing.tet_mesh import TetMesh
from .elastic_tables import Elements, Matrix, Pattern
from .pattern import elimination_order, make_pattern, sorted_corners


class Moduli(NamedTuple):
    """Lamé's moduli of each tetrahedron, times its volume and fill."""

    bulk: Floats
    """(m,) λ V [J]."""
    shear: Floats
    """(m,) μ V [J]."""


def make_tables(mesh: TetMesh, moduli: Moduli, direct: bool) -> tuple[Elements, Pattern]:
    """Elements with corners in the order of elimination, and the pattern of their matrix."""
    tetrahedra = np.array(mesh.tetrahedra)
    order = elimination_order(tetrahedra, len(mesh.nodes), direct)
    corner = sorted_corners(tetrahedra, order)
    elements = Elements(corner, shape_gradients(np.array(mesh.nodes), corner), moduli.shear, moduli.bulk)
    return elements, make_pattern(corner, order, direct)


def empty_matrix(pattern: Pattern) -> Matrix:
    """Room for the matrix of a step and its factor."""
    n, n_block, n_factor = len(pattern.order), len(pattern.row), len(pattern.factor_row)
    return Matrix(
        np.empty((n_block, 3, 3)),
        np.empty((n_factor, 3, 3)),
        np.empty((n, 3, 3)),
        np.empty((5, n, 3)),
        np.empty((4, n), np.int32),
    )
