"""The equations of motion of a moment, as kernels take them: bodies, loads, joints, motors, and hinges."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...contact.contact_kernels import BODY_A, BODY_B
from ..bodies.body_kernels import DYNAMIC, FIXED
from ..bodies.hold_kernels import HOLD_WIDTH
from ..contacts.contact_set import ContactSet
from ..joints.joint_kernels import AT_LEAST, AT_MOST, EQUAL, HIGH, JOINT_A, JOINT_B, LOW, SPRING, VELOCITY
from ..joints.joint_set import JointSet
from ..state import Model, State
from .dop853_tables import ALL_STAGES
from .mean_kernels import MEANS
from .measure_kernels import accelerations, measure, slips
from .motion_tables import JOINT, LIMIT, NORMAL, SPEED, TANGENT, WIDTH, Bodies, Hinges, Room, Springs
from .search_tables import KEEPS, Limits, Means, Motors, Step


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
        self.y, self._spare = np.zeros((n + 1, WIDTH)), np.zeros((n + 1, WIDTH))
        self._step = (np.zeros((n + 1, WIDTH)), np.zeros((ALL_STAGES, n + 1, WIDTH)))
        self._rest = (np.zeros((7, n + 1, WIDTH)), np.zeros((n + 1, WIDTH)), np.zeros((n + 1, 3)))
        self.bodies: tuple[Any, ...] = ()
        self.springs: tuple[Any, ...] = ()
        self.limits, self.motors = _no_limits(), _no_motors()
        self.held = np.zeros(0, np.int32)
        """Rows of joints that hold."""
        self.contacts, self._joints = ContactSet(), JointSet()
        self.hinges, self.room, self.forces = self._rows(0), self._make_room(0), np.zeros((ALL_STAGES, 0))

    @property
    def new(self) -> Floats:
        """(n + 1, 13) the state at the end of a step of the integration."""
        return self._step[0]

    @property
    def dense(self) -> Floats:
        """(7, n + 1, 13) its dense output."""
        return self._rest[0]

    @property
    def bounds(self) -> Floats:
        """(n + 1, 3) its largest accelerations."""
        return self._rest[2]

    @property
    def step(self) -> tuple[Any, ...]:
        """Tables of a step of the integration."""
        return tuple(Step(self.y, *self._step, self.forces, *self._rest))

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
        hold, aim = np.zeros((n + 1, HOLD_WIDTH)), np.zeros((n + 1, SPEED))
        hold[:n], aim[:n] = state.hold, state.target
        self.bodies = tuple(Bodies(kind, *self._fixed, load, hold, aim))
        self.contacts, self._joints = contacts, joints
        if joints.n or len(self.held) or len(self.springs) == 0 or len(self.springs[0]) or len(self.limits.index):
            self._take_joints(joints)
        self.make_room(len(self.held) + len(self.motors.index) + len(self.limits.index) + 3 * contacts.n + 12)
        self.hinges.kind[: len(self.held)], self.hinges.index[: len(self.held)] = JOINT, self.held
        self.hinges.body[: len(self.held)], self.hinges.mu[: len(self.held)] = self._joined(self.held), 0.0
        self.hinges.target[: len(self.held)] = joints.value[self.held, 0]

    def _take_joints(self, joints: JointSet) -> None:
        laws = joints.law[: joints.n]
        self.held, springs, motors = (np.flatnonzero(laws == law).astype(np.int32) for law in (EQUAL, SPRING, VELOCITY))
        limits = np.flatnonzero((laws == AT_LEAST) | (laws == AT_MOST)).astype(np.int32)
        pulling = np.concatenate((springs, motors)).astype(np.int32)
        value = np.zeros((len(pulling), 4))
        value[: len(springs), :3] = joints.value[springs, :3]
        self.springs = tuple(Springs(pulling, self._joined(pulling), value))
        sign = np.where(laws[limits] == AT_LEAST, 1.0, -1.0)
        self.limits = Limits(limits, self._joined(limits), sign, joints.value[limits, 0])
        bounds, mode = (joints.lower[motors], joints.upper[motors]), np.full(len(motors), KEEPS, np.int32)
        place = np.arange(len(springs), len(pulling), dtype=np.int32)
        ends = (joints.value[motors, LOW], joints.value[motors, HIGH])
        self.motors = Motors(
            motors,
            self._joined(motors),
            joints.value[motors, 0],
            *bounds,
            mode,
            place,
            *ends,
            *np.zeros((2, len(motors))),
        )

    def make_room(self, m: int) -> None:
        """Let m hinges fit."""
        if m <= len(self.hinges.kind):
            return
        rows = self._rows(2 * m)
        for new, old in zip(rows[:-1], self.hinges[:-1], strict=True):
            new[: len(old)] = old
        self.hinges, self.room, self.forces = rows, self._make_room(2 * m), np.zeros((ALL_STAGES, 2 * m))

    @property
    def tables(self) -> tuple[Any, ...]:
        """Joints and contacts as kernels take them."""
        joints, contacts = self._joints, self.contacts
        return (joints.name, joints.place, joints.last, contacts.name, contacts.place, self._radius)

    @property
    def equations(self) -> tuple[Any, ...]:
        """All of it, with room for hinges."""
        return (self.bodies, self.springs, tuple(self.hinges), self.tables, self.room)

    def means(self) -> tuple[Any, ...]:
        """Room for means of what acts."""
        m, s = len(self.hinges.kind), len(self.springs[0])
        return tuple(Means(np.zeros((m, MEANS)), np.zeros((s, MEANS)), np.zeros((self.n + 1, 12))))

    def _joined(self, rows: Ints) -> Ints:
        body = np.ascontiguousarray(self._joints.name[rows, JOINT_A : JOINT_B + 1])
        body[body < 0] = self.n
        return body

    def _rows(self, m: int) -> Hinges:
        kinds = (np.zeros(m, np.int32), np.zeros(m, np.int32), np.zeros((m, 2), np.int32))
        return Hinges(*kinds, np.zeros(m), np.zeros(m), np.zeros((m, 3)), inf)

    def hinges_of(
        self, points: Ints, target: Floats, mu: Floats, slip: Floats, tangents: Ints, direction: Floats
    ) -> Hinges:
        """Hinges of all joints, of some points with what they slip against, and of tangents of others."""
        joints, held, limits = self._joints, self.held, self.limits
        first = len(limits.index)
        m, t = len(held), len(tangents)
        stops, normals, tangents = points[points < first], points[points >= first] - first, tangents - first
        touching = self.contacts.name[np.concatenate((normals, tangents)), BODY_A : BODY_B + 1]
        kind = np.repeat((JOINT, LIMIT, NORMAL, TANGENT), (m, len(stops), len(normals), t)).astype(np.int32)
        mu, target = mu.copy(), target.copy()
        mu[points < first] = limits.sign[stops]
        target[points < first] = limits.sign[stops] * limits.value[stops]
        return Hinges(
            kind,
            np.concatenate((held, limits.index[stops], normals, tangents)).astype(np.int32),
            np.concatenate((self._joined(held), limits.body[stops], touching)).astype(np.int32),
            np.concatenate((joints.value[held, 0], target, np.zeros(t))),
            np.concatenate((np.zeros(m), mu, np.zeros(t))),
            np.concatenate((np.zeros((m, 3)), slip, direction)),
            self._curvature(touching),
        )

    def load_hinges(self, hinges: Hinges) -> int:
        """Put hinges into the rows that kernels take; how many they are."""
        m = len(hinges.kind)
        self.make_room(m)
        for mine, given in zip(self.hinges[:-1], hinges[:-1], strict=True):
            mine[:m] = given
        return m

    def _curvature(self, touching: Ints) -> float:
        """Least radius of what is held: of balls that touch."""
        radii = self._radius[touching].sum(axis=1)
        return float(radii[radii > 0.0].min(initial=inf))

    def _make_room(self, m: int) -> tuple[Any, ...]:
        rows: tuple[Floats, ...] = (*np.zeros((3, m, 12)), *np.zeros((2, m, m)), np.zeros(m))
        frames = (np.zeros((self.n + 1, 12)), np.zeros((self.n + 1, 9)), np.zeros((self.n + 1, 12)))
        return (*frames, *rows, np.zeros(m, np.int32), np.zeros(m), np.zeros((2, 12)), np.zeros((3, 3)))

    def _system(self, hinges: Hinges) -> tuple[Any, ...]:
        return (self.bodies, self.springs, tuple(hinges), self.tables, self._make_room(len(hinges.kind)))

    def measure(self, hinges: Hinges) -> Measured:
        """Of hinges that need not hold, in the state as it is."""
        system, rate = self._system(hinges), np.zeros(len(hinges.kind))
        measure(self.y, system, np.zeros_like(self.y), rate)
        named = Room(*system[4])
        return Measured(named.matrix, named.right, rate)

    def measure_moving(self, hinges: Hinges, pushing: Hinges, force: Floats) -> Floats:
        """(m,) accelerations of hinges that bear nothing, while others push with these forces."""
        acceleration, changes = np.zeros(len(hinges.kind)), (np.zeros_like(self.y), np.zeros_like(self.y))
        accelerations(self.y, self._system(hinges), self._system(pushing), force, *changes, acceleration)
        return acceleration

    def slips(self, points: Ints, y: Floats) -> tuple[Floats, Floats]:
        """(k, 3) velocities of B's surface along A's at contacts, and their normals; 0 of limits of joints."""
        slip, normal, first = np.zeros((len(points), 3)), np.zeros((len(points), 3)), len(self.limits.index)
        chosen = points >= first
        found = np.zeros((int(chosen.sum()), 3)), np.zeros((int(chosen.sum()), 3))
        slips((points[chosen] - first).astype(np.int32), self.tables, y, *found)
        slip[chosen], normal[chosen] = found
        return slip, normal


def _with_world(table: NDArray[Any]) -> NDArray[Any]:
    """A table of bodies with one more row, of zeros."""
    return np.concatenate((table, np.zeros((1, *table.shape[1:]), table.dtype)))


def _no_limits() -> Limits:
    return Limits(np.zeros(0, np.int32), np.zeros((0, 2), np.int32), np.zeros(0), np.zeros(0))


def _no_motors() -> Motors:
    numbers, none = np.zeros(0), np.zeros(0, np.int32)
    return Motors(none, np.zeros((0, 2), np.int32), *(numbers,) * 3, none, none, *(numbers,) * 4)
