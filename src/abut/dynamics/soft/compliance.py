"""How the nodes of a soft body answer to impulses at rest, node by node as they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from weakref import WeakValueDictionary

import numpy as np

from ...arrays import Floats, Ints
from ...fem import ElasticBody
from .soft_spec import MOST_COMPLETE, SoftSpec

MOST_PREPARED = 1_000_000
"""Pairs of nodes up to which answers are found before they are needed: 72 MB, a second or two."""

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


class Answers:
    """Velocities of all nodes of a body for unit impulses on some, found as they are asked for."""

    def __init__(self, n: int, find: Callable[[Ints], Floats]) -> None:
        self._find_columns = find
        self.slot = np.full(n, -1, np.int32)
        """(n,) row of each node in `columns`, -1 for none."""
        self.columns = np.empty((64, n, 3, 3))
        """(n_slot, n, 3, 3) velocities of all nodes for impulses along x, y, z (last axis) on one."""
        self._count = 0
        self._lock = RLock()
        """Worlds with bodies that do not differ share this, and may step in threads of their own."""

    def need(self, nodes: Ints) -> None:
        """Find the answers to impulses on these nodes that are not known yet."""
        if (self.slot[nodes] < 0).any():
            with self._lock:
                self._find(nodes[self.slot[nodes] < 0])

    def _find(self, new: Ints) -> None:
        """Take in nodes. Their slots come last: what is broken off or looked at meanwhile is as before."""
        begin, count = self._count, self._count + len(new)
        if count > len(self.columns):
            self.columns = np.concatenate((self.columns, np.empty((count, *self.columns.shape[1:]))))
        self.columns[begin:count] = self._find_columns(np.ascontiguousarray(new))
        self._count = count
        self.slot[new] = np.arange(begin, count)


class Compliance(Answers):
    """Answers in a step of one length from the shape at rest."""

    def __init__(self, spec: SoftSpec, held: Ints, h: float, theta: float) -> None:
        n = len(spec.mesh.nodes)
        self._body: ElasticBody = spec.new_body("direct" if n <= MOST_COMPLETE else "cg")
        self._body.fixed_nodes = held
        self._body.predict(h, theta=theta)
        super().__init__(n, lambda nodes: self._body.answers_of(nodes))

    def prepare(self, nodes: Ints) -> None:
        """Find the answers of all these nodes, unless they are so many that few will ever be asked for."""
        chosen = np.unique(nodes).astype(np.int32)
        if len(self.slot) <= MOST_COMPLETE and len(chosen) * len(self.slot) <= MOST_PREPARED:
            self.need(chosen)
