"""Tables of an elastic body from its mesh and material."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._jit import QUAD
from ...arrays import Floats
from ..meshing.shape import shape_gradients
from ..meshing.tet_mesh import TetMesh
from .elastic_tables import Elements, Matrix, Pattern
from .factor_kernels import factorise
from .panels import no_panels
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


MOST_SHIFTS = 20
FIRST_SHIFT, FIRST_SHIFT_OF_COMPLETE = 1e-3, 1e-9
SHIFT_OF_INCOMPRESSIBLE = 0.064
"""What incomplete factors need where a material hardly changes its volume: found by trying."""
INCOMPRESSIBLE = 16.0
"""λ over μ above which that is so: a Poisson ratio of 0.47."""


def factorise_shifted(pattern: tuple[Any, ...], matrix: tuple[Any, ...], shift: float = 0.0) -> bool:
    """Factor of a matrix, its diagonal larger by the share `shift` and more, until all pivots are positive.

    False where they never are.

    An incomplete factor of a positive definite matrix need not be positive definite. A larger diagonal makes it so, and
    a slightly worse preconditioner.
    """
    named = Pattern(*pattern)
    for _ in range(MOST_SHIFTS):
        if factorise(pattern, shift, matrix):
            return True
        first = FIRST_SHIFT_OF_COMPLETE if len(named.factor_row) > len(named.row) else FIRST_SHIFT
        shift = max(first, 4.0 * shift)
    return False


def usual_shift(moduli: Moduli, direct: bool) -> float:
    """The shift that a material's matrices need as a rule."""
    stiff = float((moduli.bulk / moduli.shear).max()) > INCOMPRESSIBLE
    return SHIFT_OF_INCOMPRESSIBLE if stiff and not direct else 0.0


def empty_matrix(pattern: Pattern) -> Matrix:
    """Room for the matrix of a step and its factor."""
    n, n_block, n_factor = len(pattern.order), len(pattern.row), len(pattern.factor_row)
    return Matrix(
        np.zeros((n_block + 1, 3, 3))[:-1],
        np.zeros((n_factor + 1, 3, 3))[:-1],
        np.empty((n, 3, 3)),
        np.tile(np.eye(3), (n, 1, 1)),
        np.zeros((6, n, QUAD)),
        np.empty((4, n), np.int32),
        *no_panels(),
    )
