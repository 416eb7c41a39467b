"""How the touched nodes of all soft bodies answer to impulses: one dense matrix for each body, kept together.

They answer as at rest, or, for the rest of a motion, as found otherwise (`replace`).

Nodes are taken in as they are touched, and stay from motion to motion. Answers do not depend on the order in which
nodes came.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..._jit import Packet
from ...arrays import Ints
from ...fem.elastic.exact_answers import StepAnswers
from .compliance import Compliance, compliance_of
from .response_kernels import fill_answers
from .soft_spec import SoftSpec
from .soft_tables import NodeAnswersTable

FIRST_ROOM = 64
"""Nodes of each body for which there is room at first."""
MOST_SPARE = 256
"""Nodes more than are taken in for which there is room, at most: matrices grow with their square."""
MOST_IDLE = 3
"""How many times as many nodes as a motion has touched are kept for the next one."""
MOST_BYTES_KEPT = 2**28
"""[bytes] that answers in motions of other lengths may take together and be kept for the next of these."""


class NodeAnswers:
    """Velocities of touched nodes for unit impulses on touched nodes, each in its own axes at rest."""

    def __init__(self, specs: Sequence[SoftSpec], node_first: NDArray[np.int64], packet: Packet) -> None:
        self._specs, self._first, self._packet = specs, node_first, packet
        self._compliance: dict[tuple[int, float, float, bytes], Compliance] = {}
        self._keys: list[tuple[int, float, float, bytes]] = [(k, 0.0, 0.0, b"") for k in range(len(specs))]
        self._replaced: dict[int, StepAnswers] = {}
        """Bodies that answer otherwise than at rest in this motion."""
        self._nodes = [np.zeros(0, np.int32) for _ in specs]
        """Touched nodes of each body, by place."""
        self._held: Sequence[Ints] = ()
        n = int(node_first[-1])
        body = np.repeat(np.arange(len(specs), dtype=np.int32), np.diff(node_first))
        self.used = np.zeros(n, np.bool_)
        """(n,) which nodes contacts of this motion hang on."""
        self.table = NodeAnswersTable(
            np.full(n, -1, np.int32),
            body,
            np.zeros(len(specs) + 1, np.int64),
            np.zeros(len(specs) + 1, np.int64),
            np.zeros(len(specs), np.int64),
            np.zeros(0),
        )
        self._lay_out([FIRST_ROOM] * len(specs))

    def begin(self, h: float, theta: float, held: Sequence[Ints]) -> None:
        """Another motion: forget what differs in it, and nodes that have not been touched for long."""
        self._held = held
        self._replaced.clear()
        for k, first in enumerate(self._first[:-1]):
            mine = slice(int(first), int(self._first[k + 1]))
            key, kept = (k, h, theta, held[k].tobytes()), len(self._nodes[k])
            if key != self._keys[k] or (
                kept > FIRST_ROOM and kept > MOST_IDLE * int(np.count_nonzero(self.used[mine]))
            ):
                self._forget(k, key)
        self.used[:] = False

    def replace(self, k: int, answers: StepAnswers) -> None:
        """Let body k answer so for the rest of the motion, in the axes of the world."""
        self._replaced[k] = answers
        self._forget(k, (k, 0.0, 0.0, b""))

    def _forget(self, k: int, key: tuple[int, float, float, bytes]) -> None:
        self._keys[k], self._nodes[k], self.table.count[k] = key, self._nodes[k][:0], 0
        self.table.dof[int(self._first[k]) : int(self._first[k + 1])] = -1

    def need(self, nodes: NDArray[np.int64]) -> None:
        """Take in nodes, by their numbers among those of all bodies, that are not known yet."""
        new = nodes[self.table.dof[nodes] < 0]
        for k in np.unique(self.table.body[new]):
            self._take(int(k), (new[self.table.body[new] == k] - self._first[k]).astype(np.int32))

    def _take(self, k: int, new: Ints) -> None:
        begin = len(self._nodes[k])
        nodes = self._nodes[k] = np.concatenate((self._nodes[k], new))
        rooms = (np.diff(self.table.first) // 3).tolist()
        if len(nodes) > rooms[k]:
            rooms[k] = len(nodes) + min(len(nodes), MOST_SPARE)
            self._lay_out(rooms)
        self.table.count[k] = 3 * len(nodes)
        self._number(k)
        if k in self._replaced:
            self._replaced[k].fill(nodes, begin, self._square(k))
            return
        known = self.compliance(k)
        known.need(new)
        fill_answers(known.columns, known.slot, nodes, begin, self._square(k))

    def _square(self, k: int) -> NDArray[np.float64]:
        """The matrix of body k, with room."""
        table = self.table
        size = int(table.first[k + 1] - table.first[k])
        return np.reshape(table.data[table.start[k] : table.start[k + 1]], (size, size))

    def _number(self, k: int) -> None:
        nodes = self._nodes[k]
        self.table.dof[self._first[k] + nodes] = self.table.first[k] + 3 * np.arange(len(nodes))

    def _lay_out(self, rooms: list[int]) -> None:
        """Make room for so many nodes of each body."""
        table = self.table
        old = [self._square(k)[: table.count[k], : table.count[k]].copy() for k in range(len(rooms))]
        sizes = 3 * np.array(rooms, np.int64)
        table.first[1:], table.start[1:] = np.cumsum(sizes), np.cumsum(sizes * sizes)
        self.table = table._replace(data=np.zeros(int(table.start[-1])))
        self._packet.put(NodeAnswersTable, self.table)
        for k, before in enumerate(old):
            self._square(k)[: len(before), : len(before)] = before
            self._number(k)

    def compliance(self, k: int) -> Compliance:
        """The answers of all nodes of body k, as in the motion that has begun."""
        key = self._keys[k]
        found = self._compliance.pop(key, None)
        if found is None:
            self._forget_oldest()
            found = compliance_of(self._specs[k], self._held[k], key[1], key[2])
        self._compliance[key] = found  # those that were used last come last
        return found

    def _forget_oldest(self) -> None:
        """Forget answers in motions of other lengths, those used longest ago first, where they take much memory."""
        others = {key: known.columns.nbytes for key, known in self._compliance.items() if key not in self._keys}
        total = sum(others.values())
        for key, size in others.items():
            if total <= MOST_BYTES_KEPT:
                break
            del self._compliance[key]
            total -= size

    def prepare(self, h: float, theta: float, held: Sequence[Ints]) -> None:
        """Find what bodies answer in steps of this length before it is needed, where that does not take long."""
        self.begin(h, theta, held)
        for k, spec in enumerate(self._specs):
            self.compliance(k).prepare(spec.embedding.corner)
