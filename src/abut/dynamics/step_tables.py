"""The tables of a step: what is known and found of bodies, contacts and joints, as kernels take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .accelerated_kernels import WIDTH
from .body_kernels import DYNAMIC
from .contact_set import ContactSet
from .state import Model, State


class StepTables:
    """One row a body, the last one for the world itself, at rest; and the rows of contacts and joints."""

    def __init__(self, model: Model, state: State) -> None:
        n = len(state.kind)
        self.middle, self.error = np.zeros((n, 3, 3)), np.zeros((n, 6))
        """Inertias in the middle of the step, and how far hands are from their targets."""
        self.weight, self.response = np.zeros((n + 1, 6, 6)), np.zeros((n + 1, 6, 6))
        self.free, self.twist, self.shift, self._wrench, self._others = (np.zeros((n + 1, 6)) for _ in range(5))
        """Velocities without contacts and at the start, ways beyond those of `free`."""
        self.motion, self._end = np.zeros((n + 1, 18)), np.zeros((n + 1, 12))
        self.motion[n, :9] = np.eye(3).ravel()
        self.locked = np.concatenate((model.locked, np.ones((1, 6), np.bool_)))
        self.movable = np.append(state.kind == DYNAMIC, False)
        self._reach = np.append(model.reach, 0.0)
        self._radius = np.array([shape.radius for shape in model.table.shapes])[model.shape_of]
        self.begun, self.hasty = np.zeros(n + 1, np.bool_), np.zeros(n + 1, np.bool_)
        self.spin, self.left = np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
        """See force_kernels.solve_forces."""
        self.scratch: tuple[Any, ...] = (*(np.zeros((n + 1, 6)) for _ in range(3)), np.zeros((0, WIDTH)))
        self.scale = 1.0
        """[kg] the smallest mass."""
        self._room = (-1, -1)
        self.rows: tuple[Any, ...] = (
            np.zeros((0, 2), np.int32),
            *(np.zeros((0, 12)), np.zeros((0, 12))),
            *(np.zeros(0) for _ in range(4)),
            np.zeros((0, 14)),
        )
        self._target = np.zeros(0)

    def begin(self) -> None:
        """Nothing is known of a motion yet."""
        self.left[:], self.begun[:], self.hasty[:] = 0.0, False, False
        self.spin[:] = self.twist[:, 3:]

    def touching(self, contacts: ContactSet, mu: Floats, gap: float) -> tuple[Any, ...]:
        """The contacts as kernels take them."""
        return (contacts.name, contacts.place, self._radius, contacts.extra, mu, self._target, gap)

    def bodies(self, h: float) -> tuple[Any, ...]:
        """The bodies as kernels take them."""
        moving = (self.motion, self.free, self.response, self.weight, h, self._reach, self.shift, self._end)
        return (*moving, self._wrench, self.twist, self._others)

    def status(self, due: NDArray[np.bool_]) -> tuple[Any, ...]:
        """What solve_forces knows and notes of the bodies."""
        return (self.locked, self.movable, due, self.begun, self.hasty, self.spin, self.left)

    def make_room(self, contacts: ContactSet, m: int) -> None:
        """Let the rows of the contacts and m rows of joints fit; what was found of them before stays."""
        if contacts.n <= self._room[0] and m <= self._room[1]:
            return
        n, m = self._room = (len(contacts.force), m)
        body, push, slope, w, x, y, rho, frame = self.rows
        r = 3 * n + m
        wide, narrow, old = [(r, 12)] * 2, [(r, 1)] * 4, (push, slope, w, x, y, rho, frame)
        *tables, for_sweeps = _in_one_block(*wide, *narrow, (n, 14), (r, WIDTH))
        found = [_with(before, table) for before, table in zip(old, tables, strict=True)]
        self.rows = (_with(body, np.zeros((n + m, 2), np.int32)), *found)
        self.scratch = (*self.scratch[:3], for_sweeps)
        self._target = _with(self._target, np.zeros(n))


def _with(before: NDArray[Any], table: NDArray[Any]) -> NDArray[Any]:
    """A new table with the rows of the one before, as far as there are."""
    table = table.reshape(-1, *before.shape[1:])
    n = min(len(before), len(table))
    table[:n] = before[:n]
    return table


def _in_one_block(*shapes: tuple[int, int]) -> list[Floats]:
    """Tables of these shapes behind each other: a system gives large pages to large blocks only."""
    ends = np.cumsum([0, *(rows * columns for rows, columns in shapes)])
    block = np.zeros(ends[-1])
    return [block[a:b].reshape(shape) for a, b, shape in zip(ends[:-1], ends[1:], shapes, strict=True)]
