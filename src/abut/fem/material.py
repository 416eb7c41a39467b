"""Linear isotropic material: stiffness and mass of linear tetrahedra, as sparse matrices.

With the gradients b_i of the shape functions, the block of nodes i and j of an element of volume V is

    K_ij = V (λ b_i b_jᵀ + μ b_j b_iᵀ + μ (b_i · b_j) I)

and the degree of freedom `3 node + axis` is its row. The consistent mass of two nodes of an element is ρ V / 20, twice
that for a node with itself; lumped, each node gets a quarter of the element.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints, indices, number, rows, values
from ..errors import InputError
from .meshing.shape import shape_gradients, signed_volumes


def stiffness(nodes: ArrayLike, tetrahedra: ArrayLike, young: ArrayLike, poisson: float) -> Any:
    """Stiffness [N/m] of linear tetrahedra at rest, a (3 n, 3 n) scipy.sparse matrix; row = 3 node + axis.

    `young` [Pa] is one number, or one for each tetrahedron.
    """
    nodes, tetrahedra = _checked(nodes, tetrahedra)
    bulk, shear = lame(young, poisson, len(tetrahedra))
    gradients, volumes = shape_gradients(nodes, tetrahedra), _volumes(nodes, tetrahedra)
    dyad = np.einsum("eik,ejl->eijkl", gradients, gradients)
    blocks = (bulk * volumes)[:, None, None, None, None] * dyad
    blocks += (shear * volumes)[:, None, None, None, None] * (
        dyad.transpose(0, 2, 1, 3, 4) + np.einsum("eijkk->eij", dyad)[..., None, None] * np.eye(3)
    )
    return _summed(tetrahedra, blocks, len(nodes))


def mass(nodes: ArrayLike, tetrahedra: ArrayLike, density: ArrayLike, lumped: bool = False) -> Any:
    """Mass [kg] of linear tetrahedra, a (3 n, 3 n) scipy.sparse matrix; degree of freedom = 3 node + axis.

    `density` [kg/m³] is one number, or one for each tetrahedron. A lumped mass is diagonal: each node gets a quarter of
    its tetrahedra.
    """
    nodes, tetrahedra = _checked(nodes, tetrahedra)
    weights = per_element("density", density, len(tetrahedra)) * _volumes(nodes, tetrahedra)
    shares = np.eye(4) / 4.0 if lumped else (np.ones((4, 4)) + np.eye(4)) / 20.0
    blocks = np.einsum("e,ij,kl->eijkl", weights, shares, np.eye(3))
    matrix = _summed(tetrahedra, blocks, len(nodes))
    matrix.eliminate_zeros()
    return matrix


def lame(young: ArrayLike, poisson: float, n: int) -> tuple[Floats, Floats]:
    """Lamé's λ and μ [Pa] of each of n elements."""
    modulus = per_element("young", young, n)
    ratio = checked_poisson(poisson)
    return modulus * (ratio / ((1.0 + ratio) * (1.0 - 2.0 * ratio))), modulus / (2.0 * (1.0 + ratio))


def checked_poisson(poisson: Any) -> float:
    """A Poisson ratio that a solid can have and tetrahedra can compute with."""
    ratio = number("poisson", poisson)
    if ratio >= 0.5:
        raise InputError(
            f"poisson: expected a number below 0.5, got {ratio:g}; a material that keeps its volume exactly has no "
            "finite stiffness against pressure, so use 0.49 or less (0.45 for rubber bends more freely)"
        )
    if ratio <= -1.0:
        raise InputError(f"poisson: expected a number between -1 and 0.5, got {ratio:g}")
    return ratio


def require_firm(young: ArrayLike, density: ArrayLike, extents: Floats, gravity: Floats) -> None:
    """Refuse a material that its own weight would crush: a column as high as the part would be half as high."""
    height = float(extents @ np.abs(gravity) / max(float(np.linalg.norm(gravity)), 1e-300))
    pressure = float(np.max(density)) * float(np.linalg.norm(gravity)) * height
    weakest = float(np.min(young))
    if pressure > weakest:
        raise InputError(
            f"young: {weakest:g} Pa is too soft: a part {height:.3g} m high of this density presses on its foot with "
            f"{pressure:.3g} Pa and collapses under its own weight; use at least {10.0 * pressure:.2g} Pa"
        )


def per_element(name: str, value: ArrayLike, n: int) -> Floats:
    """One positive number for each of n elements, from one number or n."""
    return np.broadcast_to(one_or_each(name, value, n), (n,)).copy()


def one_or_each(name: str, value: ArrayLike, n: int) -> Floats:
    """One positive number, or one for each of n elements, as it was given."""
    if np.ndim(value) == 0:
        return np.array(number(name, value, above=0.0))
    array = values(name, value, n)
    if (array <= 0.0).any():
        worst = int((array <= 0.0).argmax())
        raise InputError(f"{name}: expected numbers greater than 0, but entry {worst} is {array[worst]:g}")
    return array


def _checked(nodes: ArrayLike, tetrahedra: ArrayLike) -> tuple[Floats, Ints]:
    points = rows("nodes", nodes, 3)
    return points, indices("tetrahedra", tetrahedra, 4, len(points))


def _volumes(nodes: Floats, tetrahedra: Ints) -> Floats:
    volumes = signed_volumes(nodes, tetrahedra)
    if (volumes <= 0.0).any():
        worst = int((volumes <= 0.0).argmax())
        raise InputError(
            f"tetrahedra: row {worst} has the volume {volumes[worst]:.3g} m³, but it has to be greater than 0; "
            "TetMesh(nodes, tetrahedra, repair=True) turns tetrahedra the right way round and drops flat ones"
        )
    return volumes


def _summed(tetrahedra: Ints, blocks: Floats, n: int) -> Any:
    """Sum of the (n_element, 4, 4, 3, 3) blocks of all elements, in rows and columns of their nodes."""
    from scipy import sparse

    row = (3 * tetrahedra[:, :, None, None, None] + np.arange(3)[:, None]) + np.zeros_like(blocks, np.int32)
    column = (3 * tetrahedra[:, None, :, None, None] + np.arange(3)) + np.zeros_like(blocks, np.int32)
    return sparse.csr_array((blocks.ravel(), (row.ravel(), column.ravel())), shape=(3 * n, 3 * n))
