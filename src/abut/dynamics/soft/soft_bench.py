"""What steps of soft bodies work on: bodies, skins, contacts, and the tables that kernels read, in one packet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..._jit import Packet, stacked
from ...arrays import Floats
from ...fem import ElasticBody
from ..bodies.body import BodySpec
from ..contacts.pair_laws import PairLaws
from .holds import Holds
from .impulse_problem import ImpulseProblem
from .skin_watch import SkinWatch
from .skins import Skins
from .soft_account import SoftAccount
from .soft_packet_tables import LAYOUT
from .soft_spec import SoftSpec
from .soft_tables import Fans, Felt, Laws, Masses, SoftNodes
from .touch_set import TouchSet

PREDICTED_TO = 1e-4
"""Residual of conjugate gradients over that of their start, for the motion under known forces."""


class SoftBench:
    """All of it for the bodies of one world."""

    def __init__(self, specs: Sequence[SoftSpec], rigid: Sequence[BodySpec], laws: PairLaws, gap: float) -> None:
        self.packet = Packet(LAYOUT)
        self.skins = Skins(specs, rigid, gap)
        self.watch = SkinWatch(self.skins, self.packet)
        self.laws = Laws(self.skins.surface, self.skins.table.margin, self.skins.frictions(laws))
        self.packet.put(Laws, self.laws)
        self.packet.put(Fans, self.skins.fans())
        self.bodies: list[ElasticBody] = [spec.new_body(spec.solver) for spec in specs]
        self.holds = Holds(specs, self.bodies, self.skins)
        self.contacts = TouchSet(self.packet)
        self.first = self.skins.node_first
        self.problem = ImpulseProblem(specs, self.first, self.packet)
        self.masses = self._weigh(specs)
        self.account = SoftAccount(self.bodies, self.masses)
        n, b = int(self.first[-1]), len(rigid)
        self.nodes = SoftNodes(*(np.zeros((n, 3)) for _ in SoftNodes._fields))
        self.packet.put(SoftNodes, self.nodes)
        moved = (np.zeros((b, 6)), np.zeros((b, 6)), np.zeros((b, 6)), np.zeros((b, 3)))
        self.felt = Felt(np.zeros(b), np.zeros((b, 3, 3)), *moved)
        self.packet.put(Felt, self.felt)
        for k, body in enumerate(self.bodies):
            body.tolerance = PREDICTED_TO
            mine = self.mine(k)
            body.state = body.state._replace(nodes=self.nodes.start[mine], velocities=self.nodes.before[mine])
        self.body_words = stacked([body.packet for body in self.bodies])
        self.velocity, self.pushed = (
            [self.of_body(k, table) for k in range(len(self.bodies))]
            for table in (self.nodes.velocity, self.nodes.pushed)
        )
        """Rows of each body in these tables."""

    def _weigh(self, specs: Sequence[SoftSpec]) -> Masses:
        mass, drag = np.concatenate([body.masses for body in self.bodies]), [spec.damping[0] for spec in specs]
        masses = Masses(mass, self.holds.held, self.first, np.array(drag, np.float64))
        self.packet.put(Masses, masses)
        return masses

    def mine(self, k: int) -> slice:
        """Nodes of body k among all."""
        return slice(int(self.first[k]), int(self.first[k + 1]))

    def of_body(self, k: int, table: Floats) -> Floats:
        """Rows of a table of nodes that are those of body k."""
        return np.asarray(table[self.mine(k)])
