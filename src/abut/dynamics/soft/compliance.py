"""How the nodes of a soft body answer to impulses at rest, node by node as they are asked for."""

from __future__ import annotations

from weakref import WeakValueDictionary

import numpy as np

from ...arrays import Floats, Ints
from ...fem import ElasticBody
from .soft_spec import SoftSpec

MOST_DIRECT = 4000
"""Nodes up to which the matrix at rest is factored completely; beyond, conjugate gradients are faster."""


_known: WeakValueDictionary[tuple[bytes, ...], Compliance] = WeakValueDictionary()


def compliance_of(spec: SoftSpec, held: Ints, h: float, theta: float) -> Compliance:
    """The answers of a body at rest; bodies that do not differ share theirs."""
    numbers = np.array([spec.poisson, *spec.damping, h, theta])
    mesh = (spec.mesh.nodes, spec.mesh.tetrahedra, spec.mesh.fill)
    key = tuple(np.asarray(table).tobytes() for table in (*mesh, spec.young, spec.density, numbers, held))
    found = _known.get(key)
    if found is None:
        found = _known[key] = Compliance(spec, held, h, theta)
    return found


class Compliance:
    """Velocities of all nodes for unit impulses on some, in a step of one length from the shape at rest."""

    def __init__(self, spec: SoftSpec, held: Ints, h: float, theta: float) -> None:
        n = len(spec.mesh.nodes)
        self._body: ElasticBody = spec.new_body("direct" if n <= MOST_DIRECT else "cg")
        self._body.fixed_nodes = held
        self._body.predict(h, theta=theta)
        self.slot = np.full(n, -1, np.int32)
        """(n,) row of each node in `columns`, -1 for none."""
        self.columns = np.empty((64, n, 3, 3))
        """(n_slot, n, 3, 3) velocities of all nodes for impulses along x, y, z (last axis) on one."""
        self._count = 0

    def need(self, nodes: Ints) -> None:
        """Find the answers to impulses on these nodes that are not known yet."""
        for node in nodes[self.slot[nodes] < 0].tolist():
            if self._count == len(self.columns):
                self.columns = np.concatenate((self.columns, np.empty_like(self.columns)))
            self.columns[self._count] = self._answers(node)
            self.slot[node] = self._count
            self._count += 1

    def _answers(self, node: int) -> Floats:
        impulses = np.zeros((3, len(self.slot), 3))
        for axis in range(3):
            impulses[axis, node, axis] = 1.0
        return np.ascontiguousarray(np.moveaxis(self._body.respond(impulses), 0, 2))
