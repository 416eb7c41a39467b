"""The equations of motion of a moment, as kernels take them: bodies, loads, joints, motors, and hinges."""

from __future__ import annotations

from math import inf
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ..bodies.body_kernels import DYNAMIC, FIXED
from ..bodies.hold_kernels import HOLD_WIDTH
from ..bodies.lock_kernels import drop_locked_turns
from ..contacts.contact_set import ContactSet
from ..joints.joint_kernels import AT_LEAST, AT_MOST, EQUAL, HIGH, JOINT_A, JOINT_B, LOW, POSITION, SPRING, VELOCITY
from ..joints.joint_set import JointSet
from ..state import Model, State
from .dop853_tables import ALL_STAGES
from .mean_kernels import MEANS
from .motion_tables import JOINT, SPEED, WIDTH, Bodies, Hinges, Springs
from .search_tables import KEEPS, Limits, Means, Motors, Step

TOP_SPEED, RESPONSE = 1, 2
"""Columns of the numbers of a motor with a position, behind that."""


class System:
    """Bodies between two events; `y` (n + 1, 13) is their state, the last row the world's."""

    def __init__(self, model: Model) -> None:
        n = len(model.mass)
        self.n = n
        self._model = model
        mass, inertia = np.append(model.mass, 1.0), np.concatenate((model.inertia, np.eye(3)[None]))
        self._fixed = (mass, inertia, _with_world(model.drag), _with_world(model.locked))
        self._kind, self._answer = np.zeros(0, np.int32), (np.zeros(0, np.bool_), np.zeros((0, 12)))
        """Kinds of bodies, and how these answer to forces."""
        self._inverse_inertia = np.array([_inverse(each) for each in inertia]).reshape(-1, 9)
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
        self._asked: tuple[Any, ...] = (None,) * 5
        """Tables of the joints from which the following were made."""
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
    def load(self) -> Floats:
        """(n + 1, 6) [N, N m] weights, and forces and torques applied."""
        return np.asarray(Bodies(*self.bodies).load)

    @property
    def step(self) -> tuple[Any, ...]:
        """Tables of a step of the integration."""
        return tuple(Step(self.y, *self._step, self.forces, *self._rest))

    def begin(self, state: State, contacts: ContactSet, joints: JointSet, gravity: Floats) -> None:
        """Take what a step begins with."""
        n = self.n
        self.y[:n, :SPEED], self.y[:n, SPEED:], self.y[n] = state.pose, state.twist, 0.0
        self.y[n, 3] = 1.0
        if self._model.locked.any():
            self._stop_locked(state)
        load = np.zeros((n + 1, 6))
        load[:n] = state.wrench
        load[:n, :3] += self._model.mass[:, None] * gravity
        load[:n][state.kind != DYNAMIC] = 0.0
        kind = np.append(state.kind, np.int32(FIXED)).astype(np.int32)
        hold, aim = np.zeros((n + 1, HOLD_WIDTH)), np.zeros((n + 1, SPEED))
        hold[:n], aim[:n] = state.hold, state.target
        if not np.array_equal(kind, self._kind):
            self._kind, self._answer = kind, self._answers(kind)
        self.bodies = tuple(Bodies(kind, *self._fixed, *self._answer, load, hold, aim))
        self.contacts, self._joints = contacts, joints
        asked = (joints.name, joints.law, joints.value, joints.lower, joints.upper)
        # Motors have changed what they do; whatever is asked anew stands in other tables.
        if len(self.motors.index) or not all(map(is_, asked, self._asked)):
            self._asked = asked
            self._take_joints(joints)
        self.make_room(len(self.held) + len(self.motors.index) + len(self.limits.index) + 3 * contacts.n + 12)

    def _stop_locked(self, state: State) -> None:
        """Take away velocities along and about locked axes."""
        locked = self._model.locked & (state.kind == DYNAMIC)[:, None]
        twist = np.where(np.repeat((True, False), 3) & locked, 0.0, state.twist)
        drop_locked_turns(state.kind, self._model.inertia, locked, state.pose, twist)
        self.y[: self.n, SPEED:] = twist

    def _answers(self, kind: Ints) -> tuple[NDArray[np.bool_], Floats]:
        """Which bodies turn as they like, and the inverse masses and inertias of those that give way."""
        gives_way, locked = kind == DYNAMIC, self._fixed[3]
        inverse = np.zeros((self.n + 1, 12))
        inverse[gives_way, :3] = np.where(locked[gives_way, :3], 0.0, 1.0 / self._fixed[0][gives_way, None])
        inverse[gives_way, 3:] = self._inverse_inertia[gives_way]
        return gives_way & ~locked[:, 3:].any(axis=1), inverse

    def _take_joints(self, joints: JointSet) -> None:
        laws = joints.law[: joints.n]
        self.held, springs = (np.flatnonzero(laws == law).astype(np.int32) for law in (EQUAL, SPRING))
        motors = np.flatnonzero((laws == VELOCITY) | (laws == POSITION)).astype(np.int32)
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
        goes, asked = laws[motors] == POSITION, joints.value[motors]
        self.motors = Motors(
            motors,
            self._joined(motors),
            np.where(goes, asked[:, TOP_SPEED], asked[:, 0]),
            np.clip(asked[:, 0], *ends),
            np.where(goes, asked[:, RESPONSE], 0.0),
            *bounds,
            mode,
            place,
            *ends,
            *np.zeros((3, len(motors))),
        )
        m = len(self.held)
        self.make_room(m)
        hinges = self.hinges
        hinges.kind[:m], hinges.index[:m], hinges.body[:m] = JOINT, self.held, self._joined(self.held)
        hinges.mu[:m], hinges.target[:m] = 0.0, joints.value[self.held, 0]

    def make_room(self, m: int) -> None:
        """Let m hinges fit."""
        if m <= len(self.hinges.kind):
            return
        rows = self._rows(2 * m)
        for new, old in zip(rows[:-2], self.hinges[:-2], strict=True):
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
        return Hinges(*kinds, np.zeros(m), np.zeros(m), np.zeros((m, 3)), np.zeros(m), inf, False)

    def _make_room(self, m: int) -> tuple[Any, ...]:
        rows: tuple[Floats, ...] = (*np.zeros((3, m, 12)), *np.zeros((2, m, m)), np.zeros(m))
        frames = (np.zeros((self.n + 1, 12)), np.zeros((self.n + 1, 12)))
        return (*frames, *rows, np.zeros(m), np.zeros(m, np.int32), np.zeros(m), np.zeros((2, 12)), np.zeros((3, 3)))


def _with_world(table: NDArray[Any]) -> NDArray[Any]:
    """A table of bodies with one more row, of zeros."""
    return np.concatenate((table, np.zeros((1, *table.shape[1:]), table.dtype)))


def _inverse(inertia: Floats) -> Floats:
    """Of an inertia; zeros for that of a body that cannot give way."""
    return np.asarray(np.linalg.inv(inertia) if np.linalg.det(inertia) > 0.0 else np.zeros((3, 3)), np.float64)


def _no_limits() -> Limits:
    return Limits(np.zeros(0, np.int32), np.zeros((0, 2), np.int32), np.zeros(0), np.zeros(0))


def _no_motors() -> Motors:
    numbers, none = np.zeros(0), np.zeros(0, np.int32)
    return Motors(none, np.zeros((0, 2), np.int32), *(numbers,) * 5, none, none, *(numbers,) * 5)
