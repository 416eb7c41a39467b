"""The equations of motion of a moment, as kernels take them: bodies, loads, joints, and contacts that are hinges."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...contact.contact_kernels import BODY_A, BODY_B
from ..bodies.body_kernels import DYNAMIC, FIXED
from ..contacts.contact_set import ContactSet
from ..joints.joint_kernels import EQUAL, JOINT_A, JOINT_B, SPRING
from ..joints.joint_set import JointSet
from ..state import Model, State
from .dop853_kernels import advance
from .dop853_tables import ALL_STAGES
from .measure_kernels import accelerations, add_impulses, forces_at, measure, slips
from .motion_tables import JOINT, NORMAL, SPEED, TANGENT, WIDTH, Bodies, Hinges, Room, Springs
from .projection_kernels import project


class Measured(NamedTuple):
    """What hinges feel of each other, and how they move."""

    W: Floats
    """(m, m) accelerations by unit forces."""
    acceleration: Floats
    """(m,) without forces of hinges."""
    rate: Floats
    """(m,) [m/s]."""


class System:
    """Bodies between two events; `y` (n + 1, 13) is their state, the last row the world's."""

    def __init__(self, model: Model) -> None:
        n = len(model.mass)
        self.n = n
        self._model = model
        mass, inertia = np.append(model.mass, 1.0), np.concatenate((model.inertia, np.eye(3)[None]))
        self._fixed = (mass, inertia, _with_world(model.drag), _with_world(model.locked))
        self._radius = np.append(model.radius, 0.0)
        self.y = np.zeros((n + 1, WIDTH))
        self._stages, self.new = np.zeros((ALL_STAGES + 1, n + 1, WIDTH)), np.zeros((n + 1, WIDTH))
        self.dense, self._shift = np.zeros((7, n + 1, WIDTH)), np.zeros((n + 1, 6))
        self._bodies: tuple[Any, ...] = ()
        self._springs: tuple[Any, ...] = ()
        self._held = np.zeros(0, np.int32)
        """Rows of joints that hold."""
        self.contacts, self._joints = ContactSet(), JointSet()
        self.hinges = self._no_hinges()
        self._room = self._make_room(0)
        self.force = np.zeros(0)

    @property
    def stages(self) -> Floats:
        """(17, n + 1, 13) derivatives at the stages of the last step."""
        return self._stages

    def begin(self, state: State, contacts: ContactSet, joints: JointSet, gravity: Floats) -> None:
        """Take what a step begins with."""
        n = self.n
        self.y[:n, :SPEED], self.y[:n, SPEED:], self.y[n] = state.pose, state.twist, 0.0
        self.y[n, 3] = 1.0
        load = np.zeros((n + 1, 6))
        load[:n] = state.wrench
        load[:n, :3] += self._model.mass[:, None] * gravity
        load[:n][state.kind != DYNAMIC] = 0.0
        kind = np.append(state.kind, np.int32(FIXED)).astype(np.int32)
        self._bodies = tuple(Bodies(kind, *self._fixed, load))
        self.contacts, self._joints = contacts, joints
        laws = joints.law[: joints.n]
        self._held = np.flatnonzero(laws == EQUAL).astype(np.int32)
        springs = np.flatnonzero(laws == SPRING).astype(np.int32)
        value = np.ascontiguousarray(joints.value[springs, :3])
        self._springs = tuple(Springs(springs, self._joined(springs), value))

    @property
    def tables(self) -> tuple[Any, ...]:
        """Joints and contacts as kernels take them."""
        joints, contacts = self._joints, self.contacts
        return (joints.name, joints.place, joints.last, contacts.name, contacts.place, self._radius)

    def _joined(self, rows: Ints) -> Ints:
        body = np.ascontiguousarray(self._joints.name[rows, JOINT_A : JOINT_B + 1])
        body[body < 0] = self.n
        return body

    def _no_hinges(self) -> Hinges:
        none = np.zeros(0, np.int32)
        return Hinges(none, none, np.zeros((0, 2), np.int32), np.zeros(0), np.zeros(0), np.zeros((0, 3)), inf)

    def hinges_of(
        self, normals: Ints, target: Floats, mu: Floats, slip: Floats, tangents: Ints, direction: Floats
    ) -> Hinges:
        """Hinges of all joints, of the normals of contacts with what they slip against, and of tangents of others."""
        joints, held = self._joints, self._held
        m, n, t = len(held), len(normals), len(tangents)
        touching = self.contacts.name[np.concatenate((normals, tangents)), BODY_A : BODY_B + 1]
        kind = np.repeat((JOINT, NORMAL, TANGENT), (m, n, t)).astype(np.int32)
        return Hinges(
            kind,
            np.concatenate((held, normals, tangents)).astype(np.int32),
            np.concatenate((self._joined(held), touching)).astype(np.int32),
            np.concatenate((joints.value[held, 0], target, np.zeros(t))),
            np.concatenate((np.zeros(m), mu, np.zeros(t))),
            np.concatenate((np.zeros((m, 3)), slip, direction)),
            self._curvature(touching),
        )

    def _curvature(self, touching: Ints) -> float:
        """Least radius of what is held: of balls that touch."""
        radii = self._radius[touching].sum(axis=1)
        return float(radii[radii > 0.0].min(initial=inf))

    def _make_room(self, m: int) -> tuple[Any, ...]:
        rows = (np.zeros((m, 12)), np.zeros((m, 12)), np.zeros((m, 12)), np.zeros((m, m)), np.zeros(m))
        frames = (np.zeros((self.n + 1, 12)), np.zeros((self.n + 1, 12)))
        return tuple(Room(*frames, *rows, np.zeros(m, np.int32), np.zeros(m), np.zeros((2, 12)), np.zeros((3, 3))))

    def hold(self, hinges: Hinges) -> None:
        """Let these hinges hold from now on."""
        self.hinges = hinges
        if len(self.force) != len(hinges.kind):
            self._room, self.force = self._make_room(len(hinges.kind)), np.zeros(len(hinges.kind))

    def advance(self, h: float, longest: float) -> tuple[float, float]:
        """One step of the integration; its length [s], 0 if none is found, and what to try next. `y` stays."""
        equations = (self._bodies, self._springs, tuple(self.hinges), self.tables, self._room)
        return advance(self.y, h, longest, *equations, self._stages, self.new, self.force, self.dense)  # type: ignore[no-any-return]

    def project(self) -> None:
        """Let hinges hold to rounding."""
        if len(self.force):
            project(self._bodies, tuple(self.hinges), self.tables, self._room, self._shift, self.force, self.y)

    def measure(self, hinges: Hinges) -> Measured:
        """Of hinges that need not hold, in the state as it is."""
        m = len(hinges.kind)
        room, rate = self._make_room(m), np.zeros(m)
        system = (self._bodies, self._springs, tuple(hinges), self.tables, room)
        measure(self.y, *system, np.zeros_like(self.y), rate)
        named = Room(*room)
        return Measured(named.matrix, named.right, rate)

    def measure_moving(self, hinges: Hinges, pushing: Hinges, force: Floats) -> Floats:
        """(m,) accelerations of hinges that bear nothing, while others push with these forces."""
        m, room = len(hinges.kind), self._make_room(len(hinges.kind))
        system = (self._bodies, self._springs, tuple(hinges), self.tables, room)
        pushes = (tuple(pushing), self._make_room(len(pushing.kind)), force)
        acceleration = np.zeros(m)
        accelerations(self.y, *system, *pushes, np.zeros_like(self.y), acceleration)
        return acceleration

    def add_impulses(self, hinges: Hinges, impulse: Floats) -> None:
        """Change velocities by impulses at hinges."""
        room = self._make_room(len(hinges.kind))
        add_impulses(self._bodies, tuple(hinges), self.tables, room, impulse, self.y)

    def forces_at(self, y: Floats) -> Floats:
        """(m,) forces of the hinges that hold, in a state."""
        equations = (self._bodies, self._springs, tuple(self.hinges), self.tables, self._room)
        forces_at(np.ascontiguousarray(y), *equations, np.zeros_like(self.y), self.force)
        return self.force.copy()

    def slips(self, contacts: Ints, y: Floats) -> tuple[Floats, Floats]:
        """(k, 3) velocities of B's surface along A's at contacts, and their normals."""
        slip, normal = np.zeros((len(contacts), 3)), np.zeros((len(contacts), 3))
        slips(contacts.astype(np.int32), self.tables, y, slip, normal)
        return slip, normal


def _with_world(table: NDArray[Any]) -> NDArray[Any]:
    """A table of bodies with one more row, of zeros."""
    return np.concatenate((table, np.zeros((1, *table.shape[1:]), table.dtype)))
