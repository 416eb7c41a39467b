"""The arrays of a world: what changes from step to step, and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints
from ..contact import BodyBounds
from ..contact.surface import Surface, stack_surfaces
from ..geometry import Shape, size_of
from ..query.motion.exposed import ExposedFeatures, exposed_features_about
from ..query.motion.feature_table import FeatureTable
from .accounts.account_kernels import WRENCHES
from .block_kernels import KIND, LOAD, POSE, TWIST
from .blocks import block_of_bodies, row_of_body, size_of_bodies, table_of_bodies
from .bodies.body import BodySpec
from .bodies.body_kernels import DYNAMIC
from .bodies.hold_kernels import HOLD_WIDTH
from .contacts.contact_tables import PartNumbers


@dataclass(eq=False)
class State:
    """What changes: one row per body. Steps replace it; between them, rows of twists and wrenches may be written to.

    A state that a step has made keeps its first four tables in one block of memory (`block_kernels`), and makes arrays
    of them when somebody asks. One that was made by hand has arrays.
    """

    kind: Ints
    """(n,) dynamic, fixed, kinematic or frozen."""
    pose: Floats
    """(n, 7) of the centre-of-mass frames: x, y, z [m], unit quaternion w, x, y, z."""
    twist: Floats
    """(n, 6) velocity of the centre of mass [m/s], angular velocity [rad/s], in the world's axes."""
    wrench: Floats
    """(n, 6) force [N] and torque about the centre of mass [N m] applied during the next step."""
    hold: Floats
    """(n, 10) what is held, then stiffness, damping and limit for translation [N/m, N s/m, N] and for rotation
    [N m/rad, N m s/rad, N m], then the held point [m] in the body's centre-of-mass frame; see hold_kernels."""
    target: Floats
    """(n, 7) pose, as above, to which a held body's centre-of-mass frame is drawn, or its held point."""
    applied: Floats
    """(n, 6) force [N] and torque [N m] applied during the last step."""
    acted: Floats
    """(n, 4, 6) wrenches [N, N m] of the last step by kind, as account_kernels name them."""
    gravity: Floats = field(default_factory=lambda: np.zeros(3))
    """(3,) [m/s^2] in the last step."""

    @classmethod
    def empty(cls) -> State:
        """No bodies."""
        shapes: tuple[tuple[int, ...], ...] = (
            (0, 7),
            (0, 6),
            (0, 6),
            (0, HOLD_WIDTH),
            (0, 7),
            (0, 6),
            (0, WRENCHES, 6),
        )
        return cls(np.zeros(0, np.int32), *(np.zeros(shape) for shape in shapes))

    def appended(self, kind: int, pose: Floats, twist: Floats) -> State:
        """The state with one more body."""
        rows = (pose, twist, np.zeros(6), np.zeros(HOLD_WIDTH), pose, np.zeros(6), np.zeros((WRENCHES, 6)))
        tables = (self.pose, self.twist, self.wrench, self.hold, self.target, self.applied, self.acted)
        grown = (np.concatenate((table, row[None])) for table, row in zip(tables, rows, strict=True))
        state = State(np.append(self.kind, np.int32(kind)).astype(np.int32), *grown)
        state.gravity = self.gravity
        return state

    def with_rows(self, body: int, **rows: ArrayLike) -> State:
        """The state with other rows for a body, in the named tables."""
        tables = {name: getattr(self, name).copy() for name in rows}
        for name, row in rows.items():
            tables[name][body] = row
        return self.with_tables(**tables)

    def with_tables(self, **tables: Any) -> State:
        """The state with other tables for all bodies."""
        twin = object.__new__(State)  # hands may move in every step, and dataclasses.replace takes as long as a solve
        if not BESIDE.issuperset(tables):
            twin.__dict__.update({name: getattr(self, name) for name in TABLES})
        else:
            twin.__dict__.update(self.__dict__)
        twin.__dict__.update(tables)
        return twin

    def __getattr__(self, name: str) -> Any:
        """A table that stands in a block, as an array."""
        block, place = _BLOCKS.get(name, ("", -1))
        if block not in self.__dict__:
            raise AttributeError(f"'State' object has no attribute {name!r}")
        table = table_of_bodies(self.__dict__[block], len(self.hold), place)
        self.__dict__[name] = table
        return table

    def kind_of(self, body: int) -> int:
        """The kind of one body."""
        block = self.__dict__.get("_now")
        if block is None:
            return int(self.kind[body])
        return int(block.view(np.int32).item(2 * KIND * len(self.hold) + body))

    def row(self, name: str, body: int) -> Floats:
        """The row of one body in a table, to be written to: less than half the time of an array of all."""
        block, place = _BLOCKS[name]
        if block not in self.__dict__:
            return np.asarray(getattr(self, name)[body])
        return row_of_body(self.__dict__[block], len(self.hold), place, body)

    def fits(self, n: int) -> bool:
        """Whether all tables have rows for n bodies."""
        mine = self.__dict__
        if not len(self.hold) == len(self.target) == len(self.acted) == n:
            return False
        if "_now" in mine:
            return len(mine["_now"]) == len(mine["_loads"]) == len(mine["_before"]) == size_of_bodies(n)
        return all(len(getattr(self, name)) == n for name in _BLOCKS)

    def block(self) -> Floats:
        """The first four tables as block_kernels keep them; a copy where they are arrays."""
        if "_now" in self.__dict__:
            return np.asarray(self.__dict__["_now"])
        n = len(self.hold)
        block = block_of_bodies(n)
        for name, place in (("kind", KIND), ("pose", POSE), ("twist", TWIST), ("wrench", LOAD)):
            table_of_bodies(block, n, place)[...] = getattr(self, name)
        return block

    def become(self, other: State) -> None:
        """Go on from another state, which stays as it is; poses, twists and kinds are there once a motion has begun.

        `wrench` is what is applied in the step.
        """
        then = other.block()
        self.__dict__ = {
            "_now": np.empty(len(then)), "_loads": then, "_before": then, "hold": other.hold, "target": other.target,
            "acted": other.acted, "gravity": other.gravity,
        }  # fmt: skip

    @property
    def blocks(self) -> tuple[Floats, Floats]:
        """Of the state in which a step began, and of this one."""
        return self.__dict__["_before"], self.__dict__["_now"]

    def handed_over(self) -> State:
        """What a step has made of the state, as an object of its own, and no forces applied any more."""
        twin, mine = object.__new__(State), self.__dict__
        twin.__dict__ = {
            "_now": mine["_now"], "_loads": mine["_now"], "_before": mine["_before"], "hold": mine["hold"],
            "target": mine["target"], "acted": mine["acted"], "gravity": mine["gravity"],
        }  # fmt: skip
        return twin


BESIDE = frozenset(("hold", "target", "acted", "gravity"))
TABLES = tuple(field.name for field in fields(State))
_BLOCKS = {
    "kind": ("_now", KIND), "pose": ("_now", POSE), "twist": ("_now", TWIST), "wrench": ("_loads", LOAD),
    "applied": ("_before", LOAD),
}  # fmt: skip
"""In which block a table stands, and where."""


@dataclass(frozen=True, eq=False)
class Model:
    """What does not change while bodies stay the same."""

    dynamic: NDArray[np.bool_]
    """(n_body,) which bodies are meant to give way; one that was frozen is still among them."""
    mass: Floats
    """(n_body,) [kg]."""
    inertia: Floats
    """(n_body, 3, 3) [kg m^2] about the centre of mass, along the body's axes."""
    drag: Floats
    """(n_body, 2) [1/s] damping of velocities and of angular velocities."""
    locked: NDArray[np.bool_]
    """(n_body, 6) directions of the world along and about which a body does not move."""
    group: Ints
    """(n_body,) bodies of one group, from 0 on, do not touch each other."""
    shape_of: Ints
    """(n_body,) index of each body's shape in the tables; equal parts share one."""
    reach: Floats
    """(n_body,) [m] radius of the ball about the centre of mass that holds the body."""
    low: Floats
    high: Floats
    """(n_body, 3) [m] ends of the box that holds the body, from its centre of mass along its axes."""
    table: FeatureTable
    surfaces: tuple[Any, ...]
    faces: tuple[Ints, ...]
    """Of each shape, the face of each triangle of its surface."""

    @classmethod
    def of(cls, specs: Sequence[BodySpec], contact_gap: float) -> Model:
        """Tables of the given bodies, for contacts with this gap [m]."""
        shape_of, shapes = _distinct_shapes(specs)
        features = [exposed_features_about(shape, centre) for shape, centre in shapes]
        surfaces = [Surface.of(s, f, c, contact_gap) for (s, c), f in zip(shapes, features, strict=True)]
        reach = [_reach(shape, f) for (shape, _), f in zip(shapes, features, strict=True)]
        bounds = BodyBounds.of([spec.shape for spec in specs])
        centre = np.array([spec.centre for spec in specs]).reshape(-1, 3)
        return cls(
            dynamic=np.array([spec.kind == DYNAMIC for spec in specs], np.bool_),
            mass=np.array([spec.mass for spec in specs]),
            inertia=np.array([spec.inertia for spec in specs]).reshape(-1, 3, 3),
            drag=np.array([spec.drag for spec in specs]).reshape(-1, 2),
            locked=np.array([spec.locked for spec in specs], np.bool_).reshape(-1, 6),
            group=np.array([spec.group for spec in specs], np.int32),
            shape_of=shape_of,
            reach=np.array(reach)[shape_of] if len(specs) else np.zeros(0),
            low=bounds.low - centre,
            high=bounds.high - centre,
            table=FeatureTable.of(features),
            surfaces=stack_surfaces(surfaces),
            faces=tuple(surface.face for surface in surfaces),
        )

    @cached_property
    def radius(self) -> Floats:
        """(n_body,) [m] how far bodies reach beyond their points and edges: the radius of a ball or capsule, else 0."""
        return np.array([shape.radius for shape in self.table.shapes], np.float64)[self.shape_of]

    @cached_property
    def numbers(self) -> PartNumbers:
        """How features of the tables are numbered in their parts."""
        shapes = self.table.shapes
        of_kind = ([s.point_id for s in shapes], [s.segment_id for s in shapes], list(self.faces))
        tables = [np.asarray(table, np.int32) for tables in of_kind for table in tables]
        first = np.cumsum([0, *map(len, tables)])[:-1].reshape(len(of_kind), -1)
        return PartNumbers(np.concatenate(tables), first.astype(np.int32))


def smallest_size(specs: Sequence[BodySpec]) -> float:
    """Diagonal [m] of the smallest dynamic part."""
    return min((size_of(spec.shape) for spec in specs if spec.kind == DYNAMIC), default=1.0)


def _distinct_shapes(specs: Sequence[BodySpec]) -> tuple[Ints, list[tuple[Shape, Floats]]]:
    number: dict[tuple[int, bytes], int] = {}
    shapes: list[tuple[Shape, Floats]] = []
    shape_of = np.empty(len(specs), np.int32)
    for i, spec in enumerate(specs):
        key = (id(spec.shape), spec.centre.tobytes())
        if key not in number:
            number[key] = len(shapes)
            shapes.append((spec.shape, spec.centre))
        shape_of[i] = number[key]
    return shape_of, shapes


def _reach(shape: Shape, features: ExposedFeatures) -> float:
    if not shape.bounded:
        return np.inf
    return float(np.linalg.norm(features.point, axis=1).max()) + shape.margin
