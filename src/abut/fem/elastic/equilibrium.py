"""The shape in which a material carries its loads: Newton's method on the energy, with a line search.

The derivative of the force includes how elements turn with their corners. Where it is not positive definite,
less of that is taken, so that every step leads downhill.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats
from . import settle_kernels
from .assembly_kernels import assemble_tangent
from .elastic_tables import NodeData
from .factor_kernels import factorise
from .outcome import Settled
from .tables import empty_matrix, factorise_shifted, make_tables

if TYPE_CHECKING:
    from .elastic_body import ElasticBody

SHARES_OF_TURNING = (1.0, 0.5, 0.25, 0.0)
"""How much of what strain changes about the stiffness is taken; with none of it, no direction leads uphill."""
ROUNDING_OF_FORCES = 1e-14
SHORTEST_SEARCH = 1e-6
"""Share of a Newton step below which none leads downhill."""
DOWNHILL_SHARE = 1e-4
"""A step counts if energy falls by this share of what its slope promises."""


class Equilibrium:
    """The forces of a body under loads that stay, and Newton's steps towards their balance."""

    def __init__(self, body: ElasticBody) -> None:
        self._body = body
        self._data = NodeData(body.masses, body._held, body.loads + body.masses[:, None] * body.gravity)
        if body.direct:
            self._elements, self._pattern, self._matrix = body.elements, body.pattern, body.matrix
        else:
            self._elements, self._pattern = make_tables(body.mesh, body.moduli, direct=True)
            self._matrix = empty_matrix(self._pattern)
        self.nodes = body.state.nodes.copy()
        self._rotations = body.state.rotations.copy()
        self._start = self.nodes.copy()
        self._left, self._step = np.empty_like(self.nodes), np.empty_like(self.nodes)
        self._scale = sqrt(float((self._data.load**2).sum(axis=1).max()))
        self._lost = ROUNDING_OF_FORCES * float(np.abs(self.nodes).max()) * self._stiffest()

    def _stiffest(self) -> float:
        """Largest stiffness of a corner of an element [N/m]."""
        elements = self._elements
        moduli = 2.0 * elements.shear + elements.bulk
        return float((moduli[:, None] * (elements.gradient**2).sum(axis=2)).max())

    def residual(self) -> float:
        """Largest force left on a node over the largest at play; 0 where rounding of the nodes makes as much."""
        tables = tuple(self._elements), tuple(self._data)
        left2, material2 = settle_kernels.force_left(self.nodes, *tables, self._rotations, self._left)
        self._scale = max(self._scale, sqrt(material2))
        left = sqrt(left2)
        return left / self._scale if left > self._lost else 0.0

    def improve(self) -> bool:
        """Make a Newton step; False where none leads downhill."""
        self._factor_tangent()
        settle_kernels.solve_once(tuple(self._pattern), self._left, tuple(self._matrix), self._step)
        slope, before, share = float((self._left * self._step).sum()), self._energy(self.nodes), 1.0
        rounding = 1e-13 * (abs(before) + slope)
        while share > SHORTEST_SEARCH:
            there = self.nodes + share * self._step
            if self._energy(there) <= before - DOWNHILL_SHARE * share * slope + rounding:
                self.nodes = there
                return True
            share *= 0.5
        return False

    def _factor_tangent(self) -> None:
        """Factor of the derivative of the force, or of as much of it as is positive definite."""
        elements, pattern, matrix = tuple(self._elements), tuple(self._pattern), tuple(self._matrix)
        for share in SHARES_OF_TURNING:
            assemble_tangent(
                self.nodes, elements, self._rotations, pattern, tuple(self._data), share, self._matrix.block
            )
            if factorise(pattern, 0.0, matrix):
                return
        # Without them it has no negative eigenvalue, but those of rigid motions may be 0.
        factorise_shifted(pattern, matrix)

    def _energy(self, nodes: Floats) -> float:
        """Strain energy less the work of the loads [J]."""
        work = float((self._data.load * (nodes - self._start)).sum())
        return self._body.strain_energy_at(nodes) - work


def find_equilibrium(body: ElasticBody, tolerance: float, max_rounds: int) -> Settled:
    """Newton steps until forces balance; the body then rests where they led."""
    problem, residual, rounds = Equilibrium(body), inf, 0
    for rounds in range(max_rounds + 1):
        residual = problem.residual()
        if residual <= tolerance or rounds == max_rounds or not problem.improve():
            break
    body.nodes, body.velocities = problem.nodes, np.zeros_like(problem.nodes)
    return Settled(residual <= tolerance, residual, rounds)
