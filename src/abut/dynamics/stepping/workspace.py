"""The tables of a step: what is known and found of bodies, contacts and joints, as kernels take them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...math.motion_tables import MOTION_WIDTH
from ..bodies.hold_kernels import ERROR_WIDTH
from ..contacts.contact_set import ContactSet
from ..contacts.pair_laws import PairLaws
from ..joints.joint_set import JointSet
from ..solver.problem_tables import Rows
from ..solver.row_kernels import FRAME_WIDTH
from ..state import Model, State


class StepTables:
    """One row a body, the last one for the world itself, at rest; and the rows of contacts and joints."""

    def __init__(self, model: Model) -> None:
        n = len(model.mass)
        self.middle, self.error, self.grip = np.zeros((n, 3, 3)), np.zeros((n, ERROR_WIDTH)), np.zeros((n, 2))
        """Inertias in the middle of the step, how far hands are from their targets, and how much of their force and of
        their torque is within their limits."""
        self.any_held = False
        """Whether hands hold any body."""
        self.weight, self.response = np.zeros((n + 1, 6, 6)), np.zeros((n + 1, 6, 6))
        self.free, self.twist, self.shift, self._wrench, self._others = (np.zeros((n + 1, 6)) for _ in range(5))
        """Velocities without contacts and at the start, ways beyond those of `free`."""
        self.before = self.twist
        """Velocities at the start as body_kernels.find_before gives them, where a motion is not made with those of its
        end; else those at the start."""
        self.motion, self._end = np.zeros((n + 1, MOTION_WIDTH)), np.zeros((n + 1, 12))
        self.motion[n, :9] = np.eye(3).ravel()
        self.locked = np.concatenate((model.locked, np.ones((1, 6), np.bool_)))
        self.movable = np.append(model.dynamic, False)
        self._reach = np.append(model.reach, 0.0)
        self.radius = model.radius
        self.begun, self.hasty = np.zeros(n + 1, np.bool_), np.zeros(n + 1, np.bool_)
        self.spin, self.left = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
        """See problem_tables.Status."""
        self._scratch = (np.zeros((n + 1, 6)), np.zeros((n + 1, 6)), np.zeros((n + 1, 6)))
        self.scale = 1.0
        """[kg] the smallest mass."""
        self._room = (-1, -1)
        none = np.zeros(0)
        items, wide = np.zeros((0, 2), np.int32), (np.zeros((0, 12)), np.zeros((0, 12)))
        self.rows = Rows(items, *wide, none, none, none, none, np.zeros((0, FRAME_WIDTH)), none, none, none)
        """Of the last problem; those of bodies that were not due then are older."""
        self._target = np.zeros(0)

    def begin(self) -> None:
        """Nothing is known of a motion yet."""
        self.left[:], self.begun[:], self.hasty[:] = 0.0, False, False
        self.spin[:] = self.twist[:, 3:]

    def touching(self, contacts: ContactSet, mu: Floats, gap: float) -> tuple[Any, ...]:
        """The contacts as kernels take them."""
        return (contacts.n, contacts.name, contacts.place, self.radius, contacts.extra, mu, self._target, gap)

    def bodies(self, h: float) -> tuple[Any, ...]:
        """The bodies as kernels take them."""
        moving = (self.motion, self.free, self.response, self.weight, h, self._reach, self.shift, self._end)
        return (*moving, self._wrench, self.twist, self._others, *self._scratch)

    def status(self, due: NDArray[np.bool_]) -> tuple[Any, ...]:
        """What solve_forces knows and notes of the bodies."""
        return (self.locked, self.movable, due, self.begun, self.hasty, self.spin, self.left)

    def held(self) -> tuple[Any, ...]:
        """What an impact knows of the bodies."""
        return (self.locked, self.movable, self.spin)

    def limit(self, compliance: Floats, lower: Floats, upper: Floats) -> None:
        """Let the rows of joints have these compliances and bounds, in lengths."""
        self.rows = Rows(*self.rows[:-3], compliance, lower, upper)

    def make_room(self, contacts: ContactSet, m: int) -> None:
        """Let the rows of the contacts and m rows of joints fit; what was found of them before stays."""
        if contacts.n <= self._room[0] and m <= self._room[1]:
            return
        n = len(contacts.force)
        rows, long = self.rows, 3 * n + m
        self._target = _longer(self._target, n)
        self.rows = rows._replace(
            body=_longer(rows.body, n + m),
            push=_longer(rows.push, long),
            slope=_longer(rows.slope, long),
            w=_longer(rows.w, long),
            x=_longer(rows.x, long),
            y=_longer(rows.y, long),
            rho=_longer(rows.rho, long),
            frame=_longer(rows.frame, n),
        )
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
