"""The tables of a step: what is known and found of bodies, contacts and joints, as kernels take them.

Kernels that every step calls take the packet of all tables; others take tuples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._jit import Packet
from ...arrays import Floats
from ...math.motion_tables import MOTION_WIDTH
from ..bodies.body_tables import Prediction, RigidBodies
from ..bodies.hold_kernels import ERROR_WIDTH
from ..contacts.contact_set import ContactSet
from ..contacts.pair_laws import PairLaws
from ..joints.joint_set import JointSet
from ..solver.problem_kernels import N_REPORT
from ..solver.problem_tables import Rows
from ..solver.row_kernels import FRAME_WIDTH
from ..state import Model, State
from .packet_tables import LAYOUT, Finding, Marked, Sides
from .predict_kernels import take_hands


class StepTables:
    """One row a body, the last one for the world itself, at rest; and the rows of contacts and joints."""

    def __init__(self, model: Model, state: State, contact_gap: float, mixes: bool, inert: bool) -> None:
        """For steps that begin with states as the given one.

        `mixes` if motions are not made with the velocities of their end alone, `inert` if bodies have no inertia.
        """
        n = len(model.mass)
        self._model, self._gap, self._inert = model, contact_gap, inert
        self.middle, error, grip = np.zeros((n, 3, 3)), np.zeros((n, ERROR_WIDTH)), np.zeros((n, 2))
        self.weight, response = np.zeros((n + 1, 6, 6)), np.zeros((n + 1, 6, 6))
        self.free, self.twist, self.shift, wrench, others = (np.zeros((n + 1, 6)) for _ in range(5))
        """Velocities without contacts and at the start, ways beyond those of `free`."""
        self.before = np.zeros((n + 1, 6)) if mixes else self.twist
        self.motion, end = np.zeros((n + 1, MOTION_WIDTH)), np.zeros((n + 1, 12))
        self.motion[n, :9] = np.eye(3).ravel()
        self.movable = np.append(model.dynamic, False)
        moved = (self.twist, self.before, self.free, self.motion, self.movable, self.weight, response)
        self.prediction = (self.middle, error, grip, *moved)
        """The fields of body_tables.Prediction."""
        self.any_held, self.scale = False, 1.0
        """Whether hands hold any body; [kg] the smallest mass."""
        self.due, self.begun, self.coarse = (np.zeros(n + 1, np.bool_) for _ in range(3))
        self.spin, self.left = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
        """See problem_tables.Status; `due` belongs to the search for a motion."""
        locked = np.concatenate((model.locked, np.ones((1, 6), np.bool_)))
        self._held = (locked, self.movable, self.spin)
        self.status = (locked, self.movable, self.due, self.begun, self.coarse, self.spin, self.left)
        """The fields of Status."""
        self.awake = np.ones(n + 1, np.bool_)
        """(n_body + 1,) who does not sleep."""
        marked = (locked, self.due, self.begun, self.coarse, self.spin, self.left, self.awake)
        self.radius = model.radius
        scratch = (wrench, others, *(np.zeros((n + 1, 6)) for _ in range(3)))
        self.report = np.zeros(N_REPORT)
        """Of the last solve."""
        self._moving = (self.motion, self.free, response, self.weight)
        self._found = (np.append(model.reach, 0.0), self.shift, end, wrench, self.twist, *scratch[1:])
        self._drag, self._load = model.drag, None
        if inert:
            self._drag, self._load = np.zeros((n, 2)), np.zeros((n, 6))
        self._known_hold = self._known_target = self.before
        """The tables of hands that kernels know."""
        self._room = (-1, -1)
        self.mu, self.smooth, self.alive = np.zeros(0), np.zeros(0), np.zeros(0, np.bool_)
        """(capacity,) friction of contacts, none, and which have features that face each other."""
        self._target, self.reference = np.zeros(0), np.zeros(0)
        """(n_joint,) [m] what is asked of the coordinates of joints."""
        self.packet = Packet(LAYOUT)
        self.words = self.packet.words
        """All tables of the step, as kernels take them."""
        self.packet.put(Prediction, self.prediction)
        self.packet.put(Finding, (*self._found[:3], *scratch, self.report))
        self.packet.put(Marked, marked)
        self.packet.put(RigidBodies, self.rigid(state))
        none = np.zeros(0)
        items, wide = np.zeros((0, 2), np.int32), (np.zeros((0, 12)), np.zeros((0, 12)))
        rows = (items, *wide, none, none, none, none, np.zeros((0, FRAME_WIDTH)), none, none, none)
        self._set_rows(Rows(*rows))
        self._put_sides()

    def take_hands(self, state: State) -> None:
        """Let kernels find the tables of hands, if they are others than in the step before."""
        if state.hold is not self._known_hold or state.target is not self._known_target:
            take_hands(state.hold, state.target, self.words)
            self._known_hold, self._known_target = state.hold, state.target

    def rigid(self, state: State) -> tuple[Any, ...]:
        """The fields of body_tables.RigidBodies, of a state in a step."""
        model, load = self._model, state.wrench if self._load is None else self._load
        moving = (state.pose, state.twist, load, state.hold, state.target)
        return (state.kind, model.mass, model.inertia, self._drag, model.locked, *moving)

    def touching(self, contacts: ContactSet, mu: Floats) -> tuple[Any, ...]:
        """The contacts as kernels take them."""
        return (contacts.n, contacts.name, contacts.place, self.radius, contacts.extra, mu, self._target, self._gap)

    def bodies(self, h: float) -> tuple[Any, ...]:
        """The bodies as kernels take them."""
        return (*self._moving, h, *self._found)

    def held(self, pose: Floats) -> tuple[Any, ...]:
        """What an impact knows of the bodies."""
        return (*self._held, pose)

    def limit(self, compliance: Floats, lower: Floats, upper: Floats) -> None:
        """Let the rows of joints have these compliances and bounds, in lengths."""
        self._set_rows(Rows(*self.rows[:-3], compliance, lower, upper))

    def _set_rows(self, rows: Rows) -> None:
        self.rows = rows
        """Of the last problem; those of bodies that were not due then are older."""
        self.row_tables = tuple(rows)
        """The same as kernels take them."""
        self.packet.put(Rows, self.row_tables)

    def _put_sides(self) -> None:
        self.packet.put(Sides, (self.mu, self._target, self.alive, self.reference))

    def make_room(self, contacts: ContactSet, m: int) -> None:
        """Let the rows of the contacts and m rows of joints fit; what was found of them before stays."""
        if m != len(self.rows.lower):
            self.reference = np.zeros(m)
            self.limit(*np.zeros((3, m)))
            self._put_sides()
        if contacts.n <= self._room[0] and m <= self._room[1]:
            return
        n = len(contacts.force)
        rows, long = self.rows, 3 * n + m
        self._target = _longer(self._target, n)
        self.mu, self.smooth, self.alive = np.zeros(n), np.zeros(n), np.zeros(n, np.bool_)
        longer = rows._replace(
            body=_longer(rows.body, n + m),
            push=_longer(rows.push, long),
            slope=_longer(rows.slope, long),
            w=_longer(rows.w, long),
            x=_longer(rows.x, long),
            y=_longer(rows.y, long),
            rho=_longer(rows.rho, long),
            frame=_longer(rows.frame, n),
        )
        self._set_rows(longer)
        self._put_sides()
        self._room = (n, m)


class Workbench(NamedTuple):
    """What the parts of a step work on, each in its turn; the same objects in every step."""

    model: Model
    state: State
    contacts: ContactSet
    joints: JointSet
    laws: PairLaws
    tables: StepTables


def _longer(table: NDArray[Any], n: int) -> NDArray[Any]:
    """A table with n rows, of which the first are the given ones."""
    longer = np.zeros((n, *table.shape[1:]), table.dtype)
    longer[: len(table)] = table[:n]
    return longer
