"""What holds nodes and points of soft bodies: fixed nodes, rigid bodies to which they are attached, and hands."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...fem import ElasticBody
from ...math import Pose
from ...math.pose_kernels import place_points
from ..accounts.account_kernels import JOINTS
from ..bodies.body_kernels import DYNAMIC
from ..moment import Moment
from .skins import Skins
from .soft_spec import Attachment, SoftSpec
from .touch_kernels import LINK, NODE
from .touch_set import TouchSet


class Holds:
    """Who holds what in a motion."""

    def __init__(self, specs: Sequence[SoftSpec], bodies: Sequence[ElasticBody], skins: Skins) -> None:
        self._specs, self._bodies, self._skins = specs, bodies, skins
        self.nodes: list[Ints] = [np.zeros(0, np.int32) for _ in specs]
        """Nodes of each body whose motion is known."""
        self.held = np.zeros(skins.node_first[-1], np.int32)
        """(n,) 1 for these, else 0."""
        self.free = np.concatenate([body.masses for body in bodies])
        """(n,) masses of the nodes, 0 of those that are held [kg]."""
        self._seen: list[tuple[tuple[Attachment, ...], tuple[bool, ...]] | None] = [None] * len(specs)
        """Who held nodes of each body when that was looked at last."""
        self._links: list[tuple[Attachment, NDArray[np.int64]]] = []
        """Attachments to bodies that give way, and their rows."""

    def begin(self, now: Moment) -> None:
        """Another motion: see which nodes are held in it."""
        self._links = []
        for k, links in enumerate(now.soft.attached):
            giving, seen = tuple(bool(now.state.kind[link.body] == DYNAMIC) for link in links), self._seen[k]
            if seen is None or seen[0] is not links or seen[1] != giving:
                self._seen[k] = links, giving
                self._hold(now, k)

    def _hold(self, now: Moment, k: int) -> None:
        """See which nodes of body k are held."""
        body, held, first = self._bodies[k], self._known_nodes(now, k), int(self._skins.node_first[k])
        self.nodes[k] = held
        if not np.array_equal(body.fixed_nodes, held):
            body.fixed_nodes = held
        mine = slice(first, first + len(body.masses))
        self.held[mine], self.free[mine] = 0, body.masses
        self.held[mine][held], self.free[mine][held] = 1, 0.0

    @property
    def any_linked(self) -> bool:
        """Whether nodes are attached to bodies that give way."""
        return bool(self._links)

    def _known_nodes(self, now: Moment, k: int) -> Ints:
        """Fixed nodes of body k, and those attached to bodies that do not give way."""
        links = [link.nodes for link in now.soft.attached[k] if now.state.kind[link.body] != DYNAMIC]
        fixed = self._specs[k].fixed_nodes
        return np.unique(np.concatenate((fixed, *links))).astype(np.int32) if links else fixed

    def targets(self, now: Moment, end: Floats, k: int, h: float) -> Floats:
        """(n, 3) velocities of the nodes of body k that are held; rigid bodies come to the poses `end`."""
        nodes = now.soft.states[k].nodes
        targets = np.zeros_like(nodes)
        for link in now.soft.attached[k]:
            places = np.empty_like(link.places)
            place_points(link.places, end[link.body], places)
            targets[link.nodes] = (places - nodes[link.nodes]) / h
        return targets

    def add_rows(self, now: Moment, contacts: TouchSet, h: float) -> None:
        """Rows of points that are held: by hands, and by rigid bodies that give way."""
        for k, hand in enumerate(now.soft.hands):
            if hand is not None:
                first, x = self._skins.surfaces[k].first, self._skins.vertices.start
                drag = 2.0 * sqrt(hand.stiffness * float(self._bodies[k].masses.sum())) / h
                place = hand.shares @ x[first + hand.vertices]
                name = (LINK, *(first + hand.vertices).tolist(), -1)
                answer = 1.0 / (h * (hand.stiffness + drag))
                row = contacts.hold(name, (*hand.shares, 0.0), answer, hand.max_force * h)
                contacts.links.aim[row] = (hand.stiffness * hand.target + drag * place) / (hand.stiffness + drag)
        for k, links in enumerate(now.soft.attached):
            for link in links:
                if now.state.kind[link.body] == DYNAMIC:
                    first = int(self._skins.node_first[k])
                    names = [(NODE, first + int(i), link.body, -1, -1) for i in link.nodes]
                    rows = [contacts.hold(name, (0.0, 0.0, 0.0, 0.0), 0.0, np.inf) for name in names]
                    self._links.append((link, np.array(rows)))

    def put_arms(self, contacts: TouchSet, nodes: Floats, centre: Floats) -> None:
        """Arms of rigid bodies to the nodes (n, 3) that are attached to them; `centre` (n_body, 3) of these."""
        for link, rows in self._links:
            contacts.spread.arm[rows, 0] = nodes[contacts.touches.name[rows, 1]] - centre[link.body]

    def aim(self, contacts: TouchSet, end: Floats) -> None:
        """Where nodes should be that are attached to bodies which come to the poses `end`."""
        for link, rows in self._links:
            contacts.links.aim[rows] = Pose.of_row(end[link.body]).apply(link.places)

    def with_reactions(self, acted: Floats, contacts: TouchSet, force: Floats) -> Floats:
        """(n_body, WRENCHES, 6) the same with what attached nodes exert on bodies that give way; `force` of rows."""
        acted = acted.copy() if self._links else acted
        for link, rows in self._links:
            push, arm = -force[rows], contacts.spread.arm[rows, 0]
            acted[link.body, JOINTS] += np.concatenate((push.sum(axis=0), np.cross(arm, push).sum(axis=0)))
        return acted
