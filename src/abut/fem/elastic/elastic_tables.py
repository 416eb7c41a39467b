"""Tables of an elastic body, by name.

Nodes have two orders. Tables that users see are in the order of the mesh; the matrix of a step, its factor and the
vectors of the solver are in the order of elimination. `Pattern.place` and `Pattern.order` lead from one to the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints


class Elements(NamedTuple):
    """What does not change about n_e linear tetrahedra."""

    corner: Ints
    """(n_e, 4) nodes of each, sorted by their place in the order of elimination."""
    gradient: Floats
    """(n_e, 4, 3) gradients of the shape functions of these corners at rest [1/m]."""
    shear: Floats
    """(n_e,) shear modulus μ times volume times fill [J]."""
    bulk: Floats
    """(n_e,) Lamé's λ times volume times fill [J]."""


class Pattern(NamedTuple):
    """Where the 3 x 3 blocks of the lower half of the step's matrix stand, column by column."""

    order: Ints
    """(n,) node at each place of the order of elimination."""
    place: Ints
    """(n,) place of each node."""
    start: Ints
    """(n + 1,) first block of each column: the one on the diagonal; those below follow."""
    row: Ints
    """(n_block,) row of each block, ascending within a column."""
    slot: Ints
    """(n_e, 10) where the blocks of an element go: corners (0, 0), (1, 0), (2, 0), (3, 0), (1, 1), ... (3, 3)."""
    factor_start: Ints
    """(n + 1,) first block of each column of the factor."""
    factor_row: Ints
    """(n_factor,) row of each block of the factor."""
    factor_slot: Ints
    """(n_block,) where each block of the matrix stands in the factor."""


class Matrix(NamedTuple):
    """The matrix of a step, M (1 + θhα) + (θhβ + θ²h²) K, and its factor, which is incomplete unless asked for."""

    block: Floats
    """(n_block, 3, 3) [kg], each column by column; there is room for one more block, and in the factor."""
    factor: Floats
    """(n_factor, 3, 3) L of L D Lᵀ, each block column by column; the blocks of D stand on the diagonal [kg]."""
    pivot: Floats
    """(n, 3, 3) inverses of the blocks of D [1/kg]."""
    turn: Floats
    """(n, 3, 3) rotations of the nodes since the shape that the factor is of, in the order of elimination."""
    vectors: Floats
    """(6, n, 4) scratch of the solver, in the order of elimination; the last is what is left of a step's equation.

    The fourth number of a row means nothing."""
    columns: Ints
    """(4, n) scratch of the factorisation."""
    panel_first: Ints
    panel_start: NDArray[np.int64]
    panel_height: Ints
    panel_data: NDArray[np.float32]
    panel_work: Floats
    """`Panels` of the factor; none where the factor itself is used."""


class Panels(NamedTuple):
    """Neighbouring columns of a complete factor with the same rows, side by side, as far as these are many."""

    first: Ints
    """(p + 1,) first column of each panel; all columns are in one."""
    start: NDArray[np.int64]
    """(p,) where it begins in `data`."""
    height: Ints
    """(p,) numbers in a column, a multiple of eight; 0 where columns are taken block by block."""
    data: NDArray[np.float32]
    """Columns, one after the other."""
    work: Floats
    """Scratch, as long as the longest column."""


class Round(NamedTuple):
    """What one round of a prediction finds, and scratch."""

    point: Floats
    """(n, 3) [m] where forces are taken."""
    left: Floats
    """(n, 3) what is left of the step's equation [N s]."""
    change: Floats
    """(n, 3) by how much velocities change [m/s]."""
    turns: Floats
    """(n, 4) mean rotation of the elements around each node, by unit quaternions."""
    frames: Floats
    """(n, 3, 3) the same as matrices, in the order of elimination."""


class NodeData(NamedTuple):
    """What acts on each of n nodes during a step, in the order of the mesh."""

    mass: Floats
    """(n,) lumped mass [kg]."""
    held: Ints
    """(n,) 1 where the motion of a node is prescribed, else 0."""
    load: Floats
    """(n, 3) outside force, weight included [N]."""


class State(NamedTuple):
    """What changes about an elastic body from step to step: all that a snapshot has to keep."""

    nodes: Floats
    """(n, 3) [m]."""
    velocities: Floats
    """(n, 3) [m/s]."""
    rotations: Floats
    """(n_e, 4) unit quaternions (w, x, y, z) of the elements; start values of the next step's rotations."""


class StepSettings(NamedTuple):
    """Numbers of a step."""

    dt: float
    """Length of the step h [s]."""
    theta: float
    """Where in the step forces are taken: 0.5 in the middle, which keeps energy, 1 at the end, which damps most."""
    mass_damping: float
    """Rayleigh's α [1/s]."""
    stiffness_damping: float
    """Rayleigh's β [s]."""
    tolerance: float
    """Residual of the linear solver over that of its start at which it ends."""
    max_iterations: int
    """Conjugate gradients end after so many."""
    free: bool
    """Whether no node is held: momentum is then kept to rounding, whatever the residual."""


class Measures(NamedTuple):
    """What elements suffer."""

    energy: Floats
    """(n_e,) strain energy [J]."""
    stress: Floats
    """(n_e,) von Mises stress [Pa]."""
    volume: Floats
    """(n_e,) volume over that at rest; 0 and less where an element is inverted."""
