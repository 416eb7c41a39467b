"""The joints of a world: rows of coordinates with what is asked of them, kept with their forces from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...math.motion_tables import MOTION_WIDTH
from ..block_kernels import ACTED, FORCE, FORCE_BEFORE, JOINT_COLUMNS, LAST, WRENCH
from ..blocks import table_of_joints
from .joint_kernels import (
    AT_LEAST,
    AT_MOST,
    EQUAL,
    FACTOR,
    HIGH,
    JOINT,
    JOINT_A,
    JOINT_B,
    LOW,
    POSITION,
    SPRING,
    VELOCITY,
    joint_advance,
    measure_joints,
)

WORLD = -1
"""In the place of a body: the world itself. Tables of bodies that kernels get have one more row, at rest, for it."""
WATCHED = -1
"""Law of a row that is only looked at: the coordinates of joints, whose turns are counted."""
FREE = (-np.inf, np.inf)
NAMES, PLACES, VALUES = JOINT + 1, FACTOR + 1, HIGH + 1
"""How many columns the tables `name`, `place` and `value` have."""
ASKED = ("name", "place", "law", "value", "slot", "lower", "upper")
_IN_BLOCK = {
    "last": (LAST, 1), "force": (FORCE, 1), "force_before": (FORCE_BEFORE, 1), "acted": (ACTED, 1),
    "wrench": (WRENCH, 6),
}  # fmt: skip
"""Tables that change in steps: where they begin in a block, and their widths."""
_OF_STEPS = frozenset((*_IN_BLOCK, "_now", "_before"))
FORCES = ("force_before", "force")
COLUMNS = (*ASKED, *_IN_BLOCK)
"""Tables of a JointSet: one row for each of its rows."""


@dataclass(frozen=True, eq=False)
class Row:
    """One coordinate of two bodies, as joint_kernels take it, and what is asked of it."""

    kind: int
    body_a: int
    body_b: int
    place: Floats
    """(PLACES,)"""
    law: int = EQUAL
    value: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """What the law needs to know: a limit, a speed, a target, a spring."""
    bounds: tuple[float, float] = FREE
    """[N] of its force."""
    slot: int = 0
    """0: holds the joint together; i + 1: acts along the joint's coordinate i."""


@dataclass(frozen=True, eq=False)
class JointSpec:
    """What a joint is, fixed when it is made."""

    type: str
    name: str
    body: int
    other: int
    """A body, or WORLD."""
    reach: float
    """[m] by which its angles become lengths."""
    coordinates: tuple[str, ...]
    """Names of what the joint leaves free and one can drive: "angle", "travel", ..."""
    per_unit: tuple[float, ...]
    """q [m] per unit of each coordinate."""
    contact: bool
    """Whether its two bodies still touch each other."""


@dataclass(eq=False)
class JointSet:
    """Rows of all joints: the first `n` are constraints, the rest are the joints' coordinates, watched."""

    n: int = 0
    revision: int = 0
    """Counts how often rows came or went."""
    next_id: int = 0
    specs: dict[int, JointSpec] = field(default_factory=dict)
    """Replaced when joints come or go, so that a stepper knows those it was made for."""
    name: Ints = field(default_factory=lambda: np.zeros((0, NAMES), np.int32))
    place: Floats = field(default_factory=lambda: np.zeros((0, PLACES)))
    law: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    value: Floats = field(default_factory=lambda: np.zeros((0, VALUES)))
    """(n, 5) numbers of the law, and the limits that a motor keeps to."""
    slot: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    lower: Floats = field(default_factory=lambda: np.zeros(0))
    upper: Floats = field(default_factory=lambda: np.zeros(0))
    """[N] bounds of the force."""
    last: Floats = field(default_factory=lambda: np.zeros(0))
    """[rad] angle after the last step, with all turns."""
    force: Floats = field(default_factory=lambda: np.zeros(0))
    """[N] of the last motion; a torque divided by the row's factor where q is an angle."""
    force_before: Floats = field(default_factory=lambda: np.zeros(0))
    """[N] of the motion before that."""
    acted: Floats = field(default_factory=lambda: np.zeros(0))
    """[N] as `force`, the mean over the last step, with what was struck in it."""
    wrench: Floats = field(default_factory=lambda: np.zeros((0, 6)))
    """Force and torque about B's point on body B, the mean over the last step."""

    def __getattr__(self, name: str) -> Any:
        """A table that stands in a block, as an array; others may follow, so that it is not kept."""
        if name not in _IN_BLOCK or "_now" not in self.__dict__:
            raise AttributeError(f"'JointSet' object has no attribute {name!r}")
        return table_of_joints(self.__dict__["_now"], len(self.law), *_IN_BLOCK[name])

    def with_columns(self, **columns: Any) -> JointSet:
        """The joints as an object of their own, with other tables in place of some, and arrays of all."""
        other = JointSet.__new__(JointSet)
        other.__dict__ = self._told() | {name: getattr(self, name) for name in _IN_BLOCK} | columns
        return other

    def _told(self) -> dict[str, Any]:
        """All but what changes in steps."""
        return {name: value for name, value in self.__dict__.items() if name not in _OF_STEPS}

    def copy(self) -> JointSet:
        """The same in tables of its own."""
        return self.with_columns(**{column: getattr(self, column).copy() for column in COLUMNS})

    def block(self) -> Floats:
        """What changes in steps as block_kernels keep it; a copy where there are arrays."""
        if "_now" in self.__dict__:
            return np.asarray(self.__dict__["_now"])
        n = len(self.law)
        block = np.empty(JOINT_COLUMNS * n)
        for name, place in _IN_BLOCK.items():
            table_of_joints(block, n, *place)[...] = getattr(self, name)
        return block

    def become(self, other: JointSet) -> None:
        """Go on from other joints, which stay as they are; tables are there once a motion has begun."""
        then = other.block()
        self.__dict__ = dict(other.__dict__) if "_now" in other.__dict__ else other._told()
        self.__dict__["_now"], self.__dict__["_before"] = np.empty(len(then)), then

    @property
    def blocks(self) -> tuple[Floats, Floats]:
        """Of the joints with which a step began, and of these."""
        return self.__dict__["_before"], self.__dict__["_now"]

    def handed_over(self) -> JointSet:
        """The joints as an object of their own, with the same tables."""
        if "force" in self.__dict__:  # of a step of several motions
            before, force = self.__dict__.pop("force_before"), self.__dict__.pop("force")
            self.force_before[:] = before
            self.force[:] = force
        other = JointSet.__new__(JointSet)
        other.__dict__ = mine = self.__dict__.copy()
        mine.pop("_before", None)
        return other

    def settled(self, pose: Floats) -> JointSet:
        """The joints after bodies were moved by hand to these poses: angles near the last ones."""
        if not len(self.law):
            return self
        other = self.with_columns(last=self.last.copy())
        other.advance(_standing(np.append(np.arange(len(pose)), WORLD), pose))
        return other

    def add(self, spec: JointSpec, rows: Sequence[Row], watched: Sequence[Row]) -> int:
        """Add a joint: the rows that hold it and its coordinates. Returns its number."""
        joint = self.next_id
        self.next_id += 1
        self.specs = {**self.specs, joint: spec}
        for row in rows:
            self._insert(joint, row, self.n, 0.0)
            self.n += 1
        for row in watched:
            self._insert(joint, row, len(self.law), 0.0)
        return joint

    def remove(self, joint: int) -> None:
        """Take a joint away."""
        self.specs = {number: spec for number, spec in self.specs.items() if number != joint}
        self._keep(self.name[:, JOINT] != joint)

    def watched(self, joint: int, slot: int) -> int:
        """The row that watches a coordinate of a joint."""
        found = (self.name[:, JOINT] == joint) & (self.slot == slot) & (self.law == WATCHED)
        return int(found.argmax())

    def ask(
        self,
        joint: int,
        slot: int,
        laws: Sequence[int],
        law: int,
        value: tuple[float, float, float],
        bounds: tuple[float, float],
    ) -> None:
        """Ask something of a joint's coordinate; takes the place of what was asked by any of `laws`."""
        found = self._asked(joint, slot, laws)
        if found.any():
            k = int(found.argmax())
        else:
            k, w = self.n, self.watched(joint, slot)
            kind, a, b, _ = (int(i) for i in self.name[w])
            self._insert(joint, Row(kind, a, b, self.place[w].copy(), slot=slot), k, float(self.last[w]))
            self.n += 1
        self.law[k], self.value[k, :3] = law, value
        self.lower[k], self.upper[k] = bounds
        self._tell_motor(joint, slot)

    def stop_asking(self, joint: int, slot: int, laws: Sequence[int]) -> None:
        """Remove what was asked of a coordinate by any of `laws`."""
        self._keep(~self._asked(joint, slot, laws))
        self._tell_motor(joint, slot)

    def _tell_motor(self, joint: int, slot: int) -> None:
        """Let the motor of a coordinate know its limits."""
        motor = self._asked(joint, slot, (VELOCITY, POSITION))
        for law, column, none in ((AT_LEAST, LOW, -np.inf), (AT_MOST, HIGH, np.inf)):
            limit = self._asked(joint, slot, (law,))
            self.value[motor, column] = self.value[limit, 0][0] if limit.any() else none

    def _asked(self, joint: int, slot: int, laws: Sequence[int]) -> np.ndarray:
        found = (self.name[:, JOINT] == joint) & (self.slot == slot) & np.isin(self.law, laws)
        return np.asarray(found)

    def guess(self) -> tuple[Floats, Floats]:
        """Make room for forces that go on changing as they did (`expect_forces`) in a motion of a step that is not its
        first one; returns what they were.
        """
        before = self.force_before, self.force
        if self.n:
            self.force_before, self.force = self.force, self.force.copy()
        return before

    def go_back(self, before: tuple[Floats, Floats] | None) -> None:
        """Undo a guess, or that with which a step began."""
        if before is None:
            told = (table_of_joints(self.blocks[0], len(self.law), *_IN_BLOCK[name]) for name in FORCES)
            before = (next(told), next(told))
        self.force_before, self.force = before

    def advance(self, motion: Floats) -> None:
        """After a motion (n_body + 1, 18; last the world's) was made: count turns."""
        joint_advance(self.name, self.place, len(self.law), motion, self.last)

    def measure(self, chosen: np.ndarray, pose: Floats, twist: Floats) -> tuple[Floats, Floats, Floats]:
        """Coordinates q [m], their rates [m/s] and derivatives (m, 12) of the chosen rows."""
        rows = np.flatnonzero(chosen)
        bodies, index = np.unique(self.name[rows, JOINT_A : JOINT_B + 1], return_inverse=True)
        name = self.name[rows].copy()
        name[:, JOINT_A : JOINT_B + 1] = index.reshape(-1, 2)
        motion, u = _standing(bodies, pose), _with_world(bodies, twist)
        q, rate, row = np.zeros(len(rows)), np.zeros(len(rows)), np.zeros((len(rows), 12))
        measure_joints((name, self.place[rows], self.last[rows]), motion, u, q, rate, row)
        return q, rate, row

    def energy(self, pose: Floats) -> float:
        """[J] stored in springs."""
        springs = np.flatnonzero(self.law[: self.n] == SPRING)
        if len(springs) == 0:
            return 0.0
        q, _, _ = self.measure(self._mask(springs), pose, np.zeros((len(pose), 6)))
        return float(0.5 * self.value[springs, 0] @ (q - self.value[springs, 2]) ** 2)

    def errors(self, pose: Floats) -> Floats:
        """[m] by how much each bilateral row is violated; 0 for all others."""
        result = np.zeros(self.n)
        holding = np.flatnonzero(self.law[: self.n] == EQUAL)
        if len(holding):
            q, _, _ = self.measure(self._mask(holding), pose, np.zeros((len(pose), 6)))
            result[holding] = q - self.value[holding, 0]
        return result

    def torn(self, pose: Floats) -> tuple[str, float] | None:
        """The first joint whose bodies are farther apart than half the smaller one's size, and how far [m]."""
        for error, joint in zip(np.abs(self.errors(pose)), self.name[: self.n, JOINT], strict=True):
            spec = self.specs[int(joint)]
            if error > spec.reach:
                return spec.name, float(error)
        return None

    def redundancy(self, pose: Floats, movable: np.ndarray) -> int:
        """How many of the bilateral rows follow from the others where the bodies stand.

        `movable` (n_body, 6) says which directions of each body can move at all.
        """
        holding = np.flatnonzero(self.law[: self.n] == EQUAL)
        if len(holding) == 0:
            return 0
        _, _, row = self.measure(self._mask(holding), pose, np.zeros((len(pose), 6)))
        free = np.concatenate((movable, np.zeros((1, 6), bool)))
        bodies = self.name[holding, JOINT_A : JOINT_B + 1]
        row = row * free[bodies].reshape(-1, 12)
        islands = _islands(bodies, np.asarray(free.any(axis=1)))
        return sum(int(_dependent(row[rows], bodies[rows])) for rows in islands)

    def ignored_pairs(self) -> set[tuple[int, int]]:
        """Pairs of bodies that do not touch because a joint holds them."""
        return {
            (min(spec.body, spec.other), max(spec.body, spec.other))
            for spec in self.specs.values()
            if spec.other != WORLD and not spec.contact
        }

    def _mask(self, rows: np.ndarray) -> np.ndarray:
        mask = np.zeros(len(self.law), bool)
        mask[rows] = True
        return mask

    def _insert(self, joint: int, row: Row, at: int, last: float) -> None:
        self.revision += 1
        new: dict[str, ArrayLike] = {
            "name": (row.kind, row.body_a, row.body_b, joint),
            "place": row.place,
            "law": row.law,
            "value": (*row.value, -np.inf, np.inf),
            "slot": row.slot,
            "lower": row.bounds[0],
            "upper": row.bounds[1],
            "last": last,
            "force": 0.0,
            "force_before": 0.0,
            "acted": 0.0,
            "wrench": np.zeros(6),
        }
        for column, entry in new.items():
            setattr(self, column, np.insert(getattr(self, column), at, np.asarray(entry), axis=0))

    def _keep(self, chosen: np.ndarray) -> None:
        if chosen.all():
            return
        self.revision += 1
        self.n = int(chosen[: self.n].sum())
        for column in COLUMNS:
            setattr(self, column, np.ascontiguousarray(getattr(self, column)[chosen]))


def _standing(bodies: np.ndarray, pose: Floats) -> Floats:
    """Motions of the given bodies (WORLD among them) that stay where they are."""
    rows = _with_world(bodies, pose)
    rows[bodies == WORLD, 3] = 1.0
    w, x, y, z = rows[:, 3:].T
    motion = np.zeros((len(bodies), MOTION_WIDTH))
    motion[:, 0], motion[:, 1], motion[:, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    motion[:, 3], motion[:, 4], motion[:, 5] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    motion[:, 6], motion[:, 7], motion[:, 8] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    motion[:, 9:12] = rows[:, :3]
    return motion


def _with_world(bodies: np.ndarray, table: Floats) -> Floats:
    """Rows of a table of bodies, zeros for the world."""
    extended = np.concatenate((table, np.zeros((1, table.shape[1]))))
    return np.asarray(extended[bodies])


def _islands(bodies: np.ndarray, moves: np.ndarray) -> list[np.ndarray]:
    """Rows grouped by the bodies they connect; what cannot move connects nothing."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(moves)
    bodies = bodies % n
    linked = bodies[moves[bodies].all(axis=1)]
    graph = coo_array((np.ones(len(linked)), (linked[:, 0], linked[:, 1])), shape=(n, n))
    island = connected_components(graph, directed=False)[1]
    mine = np.where(moves[bodies[:, 1]], island[bodies[:, 1]], island[bodies[:, 0]])
    order = np.argsort(mine, kind="stable")
    cuts = [0, *(np.flatnonzero(np.diff(mine[order])) + 1), len(order)]
    return [order[i:j] for i, j in pairwise(cuts)]


def _dependent(row: Floats, bodies: np.ndarray) -> int:
    """Rows (m, 12) less their rank."""
    number, index = np.unique(bodies, return_inverse=True)
    index = index.reshape(-1, 2)
    J = np.zeros((len(row), len(number), 6))
    k = np.arange(len(row))
    J[k, index[:, 0]] += row[:, :6]
    J[k, index[:, 1]] += row[:, 6:]
    matrix = J.reshape(len(row), -1)
    # Rows and columns of about one size, so that a rank can be told from rounding: angles against lengths.
    for axis in (0, 1, 0):
        size = np.abs(matrix).max(axis=axis, keepdims=True)
        matrix = matrix / np.where(size > 0.0, size, 1.0)
    return len(row) - int(np.linalg.matrix_rank(matrix, tol=1e-8))
