"""Joints: what holds two bodies together. A `Joint` is a handle; its numbers stand in its world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from ...arrays import Floats, is_one_of
from ...errors import InputError
from ..bodies.body import Body
from ..handle import Handle
from .joint_coordinate import JointCoordinate, Limits
from .joint_kernels import JOINT, JOINT_B
from .joint_set import WATCHED, WORLD, JointSet, JointSpec
from .motors import Motor, Spring

if TYPE_CHECKING:
    from ..world_contents import WorldContents

Setting = TypeVar("Setting")
PerCoordinate: TypeAlias = Setting | Mapping[str, Setting] | None
"""What can be said of a joint with one coordinate, or by name for a joint with several."""


class Joint(Handle):
    """What holds two bodies together."""

    def __init__(self, world: WorldContents, number: int) -> None:
        self._world, self._id = world, number

    @property
    def _set(self) -> JointSet:
        return self._world._joints

    @property
    def _present_set(self) -> JointSet:
        """The joints of the world, if this one is still among them."""
        if self._id not in self._set.specs:
            raise InputError("this joint was removed from its world; make a new one")
        return self._set

    @property
    def _spec(self) -> JointSpec:
        return self._present_set.specs[self._id]

    @property
    def name(self) -> str:
        """Its name, unique in its world."""
        return self._spec.name

    @property
    def type(self) -> str:
        """As it was made: "hinge", "slider", ..."""
        return self._spec.type

    @property
    def body(self) -> Body:
        """Its first body."""
        return Body(self._world, self._spec.body)

    @property
    def other(self) -> Body | None:
        """Its other body; None: the world."""
        return None if self._spec.other == WORLD else Body(self._world, self._spec.other)

    @property
    def contact(self) -> bool:
        """Whether its two bodies touch each other all the same."""
        return self._spec.contact

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of what it leaves free and one can read and drive; see `joint["angle"]`."""
        return self._spec.coordinates

    def __getitem__(self, name: str) -> JointCoordinate:
        if not is_one_of(name, self.coordinates):
            known = ", ".join(self.coordinates) or "none"
            raise InputError(f"joint '{self.name}': a {self.type} joint has no coordinate {name!r}; it has {known}")
        return JointCoordinate(self, name)

    @property
    def coordinate(self) -> float:
        """Angle [rad] or travel [m] of a joint that has one of them; can be set, see `JointCoordinate.value`."""
        return self._only().value

    @coordinate.setter
    def coordinate(self, value: float) -> None:
        self._only().value = value

    def apply_force(self, force: float) -> None:
        """Push along its coordinate during the next step, with a force [N] or a torque [N m]."""
        self._only().apply_force(force)

    @property
    def speed(self) -> float:
        """[rad/s] or [m/s]."""
        return self._only().speed

    @property
    def limits(self) -> Limits | None:
        """Of its coordinate; can be set at any time."""
        return self._only().limits

    @limits.setter
    def limits(self, limits: Limits | None) -> None:
        self._only().limits = limits

    @property
    def motor(self) -> Motor | None:
        """Of its coordinate; can be set at any time."""
        return self._only().motor

    @motor.setter
    def motor(self, motor: Motor | None) -> None:
        self._only().motor = motor

    @property
    def spring(self) -> Spring | None:
        """Of its coordinate; can be set at any time."""
        return self._only().spring

    @spring.setter
    def spring(self, spring: Spring | None) -> None:
        self._only().spring = spring

    @property
    def reaction(self) -> tuple[Floats, Floats]:
        """Force [N] and torque about its anchor [N m] on its first body, along the world's axes.

        The mean over the last step, blows included, as they acted where its motions began; limits, motors and springs
        are part of them.
        """
        table, spec = self._set, self._spec
        mine = np.flatnonzero((table.name[:, JOINT] == self._id) & (table.law != WATCHED))
        # Rows in which the bodies have changed roles hold torques only, the opposite for the first body.
        sign = np.where(table.name[mine, JOINT_B] == spec.body, 1.0, -1.0)
        wrench = sign @ table.wrench[mine]
        return wrench[:3], wrench[3:]

    @property
    def error(self) -> float:
        """[m] by how much the joint is violated at most; an angle counts by half the smaller body's size."""
        table = self._present_set
        errors = table.errors(self._world._state.pose)[table.name[: table.n, JOINT] == self._id]
        return float(np.abs(errors).max(initial=0.0))

    def remove(self) -> None:
        """Take the joint away; its bodies go on with the velocities they have."""
        _ = self._spec  # refuses to be removed twice
        self._world._remove_joint(self._id)

    def _only(self) -> JointCoordinate:
        names = self.coordinates
        if len(names) != 1:
            how = (
                "no coordinate" if not names else "several coordinates: " + " and ".join(f'joint["{n}"]' for n in names)
            )
            raise InputError(f"joint '{self.name}': a {self.type} joint has {how}")
        return JointCoordinate(self, names[0])

    def _set_up(
        self, limits: PerCoordinate[Limits], motor: PerCoordinate[Motor], spring: PerCoordinate[Spring]
    ) -> None:
        """Apply what was said when the joint was made."""
        for coordinate, value in self._by_name("limits", limits):
            coordinate.limits = value
        for coordinate, motor_value in self._by_name("motor", motor):
            coordinate.motor = motor_value
        for coordinate, spring_value in self._by_name("spring", spring):
            coordinate.spring = spring_value

    def _by_name(self, word: str, given: PerCoordinate[Setting]) -> list[tuple[JointCoordinate, Setting]]:
        if given is None:
            return []
        if isinstance(given, Mapping):
            return [(self[name], value) for name, value in given.items()]
        if len(self.coordinates) > 1:
            names = ", ".join(f'"{name}": ...' for name in self.coordinates)
            raise InputError(f"joint '{self.name}': say which coordinate: {word}={{{names}}}")
        return [(self._only(), given)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Joint) and other._world is self._world and other._id == self._id

    def __hash__(self) -> int:
        return hash((id(self._world), self._id))

    def __repr__(self) -> str:
        if self._id not in self._set.specs:
            return "Joint(removed)"
        other = "the world" if self.other is None else f"'{self.other.name}'"
        return f"Joint('{self.name}', {self.type} of '{self.body.name}' and {other})"
