"""Drives: what pushes, turns, leads and holds bodies while a scene runs.

A drive is a small object that is told of every step before it is taken. It remembers nothing, so that a run that goes
on from a snapshot is driven as the one that was never stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import atan2, inf
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats
from ...dynamics import Body, Deformable, World
from ...dynamics.bodies.body_kernels import FIXED, KINEMATIC
from ...errors import InputError
from ...math import Pose
from ..played.things import thing_of
from .expressions import TIME, Expression, is_expression, parse, together
from .place import pose_of
from .tracks import Track, read_track, track_of_rows

if TYPE_CHECKING:
    from pathlib import Path

    from .model import DriveTable, HandTable, Push, VectorOverTime
    from .model import Track as TrackTable

VectorAt = Callable[[float], Floats]


@dataclass(frozen=True)
class Constant:
    """The same vector at all times."""

    value: tuple[float, float, float]

    def __call__(self, time: float) -> Floats:
        """The vector at a time [s]."""
        return np.array(self.value)


@dataclass(frozen=True)
class Formula:
    """A vector whose numbers are expressions over the time."""

    numbers: tuple[float | Expression, ...]
    values: Mapping[str, float]
    """Of parameters."""

    def __call__(self, time: float) -> Floats:
        """The vector at a time [s]."""
        return np.array(self._all({**self.values, TIME: time}), np.float64)

    @cached_property
    def _all(self) -> Callable[[Mapping[str, float]], Sequence[float]]:
        return together(self.numbers)


@dataclass(frozen=True, eq=False)
class Rows:
    """A vector that changes evenly between given times, and is the first or last one before and after."""

    times: Floats
    vectors: Floats

    def __call__(self, time: float) -> Floats:
        """The vector at a time [s]."""
        return np.array([np.interp(time, self.times, self.vectors[:, k]) for k in range(3)])


@dataclass(frozen=True)
class PushDrive:
    """A force and a torque."""

    body: str
    force: VectorAt | None
    torque: VectorAt | None
    point: tuple[float, float, float] | None
    """In the part's frame; None: the centre of mass."""

    def __call__(self, world: World, time: float) -> None:
        """Push for the step that begins at `time`."""
        body = world.body(self.body)
        if self.force is not None:
            body.apply_force(self.force(time), None if self.point is None else body.pose.apply(self.point))
        if self.torque is not None:
            body.apply_torque(self.torque(time))


@dataclass(frozen=True)
class VelocityDrive:
    """Velocities of a kinematic body."""

    body: str
    velocity: VectorAt | None
    angular_velocity: VectorAt | None

    def __call__(self, world: World, time: float) -> None:
        """Set the velocities of the step that begins at `time`."""
        body = world.body(self.body)
        if self.velocity is not None:
            body.velocity = self.velocity(time)
        if self.angular_velocity is not None:
            body.angular_velocity = self.angular_velocity(time)


@dataclass(frozen=True)
class TrackDrive:
    """A kinematic body that goes along a track."""

    body: str
    track: Track

    def __call__(self, world: World, time: float) -> None:
        """Set the velocities that lead to where the track is after the step."""
        body, goal = world.body(self.body), self.track.at(time + world.dt)
        here = body.pose
        turn = (goal @ here.inverse()).rotvec
        body.velocity = (goal.position - here.position) / world.dt
        body.angular_velocity = turn / world.dt


@dataclass(frozen=True)
class HandDrive:
    """A hand that holds a body at a place or leads it along a track."""

    body: str
    target: Pose | Track
    grip: Mapping[str, float]
    """Stiffness and largest force, as `Body.grab` takes them."""
    ahead: Mapping[str, float]
    """[m, rad] along these axes, the target stays that far ahead of the body."""
    point: tuple[float, float, float] | None = None
    """In the part's frame, if only this point of it is held."""

    def __call__(self, world: World, time: float) -> None:
        """Move the hand."""
        body = world.body(self.body)
        target = self.target.at(time) if isinstance(self.target, Track) else self.target
        if self.point is not None:
            body.grab_point(self.point, target.position, **self.grip)
            return
        body.grab(self._ahead_of(body, target) if self.ahead else target, **self.grip)

    def _ahead_of(self, body: Body, target: Pose) -> Pose:
        here = body.pose
        position = target.position.copy()
        for k, axis in enumerate("xyz"):
            if axis in self.ahead:
                position[k] = here.position[k] + self.ahead[axis]
        if "rz" not in self.ahead:
            return Pose(position, quat_wxyz=target.quat_wxyz)
        heading = here.apply((1.0, 0.0, 0.0)) - here.position
        return Pose.from_rotvec(position, (0.0, 0.0, atan2(heading[1], heading[0]) + self.ahead["rz"]))


@dataclass(frozen=True)
class SkinHandDrive:
    """A hand that holds a point of a soft body's skin, and draws it to a place or along a track."""

    body: str
    target: Pose | Track
    grip: Mapping[str, float]
    """Stiffness and largest force, as `Deformable.grab_point` takes them."""
    point: tuple[float, float, float]
    """In the part's frame at rest."""

    def __call__(self, world: World, time: float) -> None:
        """Move the hand."""
        target = self.target.at(time) if isinstance(self.target, Track) else self.target
        world.deformable(self.body).grab_point(self.point, target.position, **self.grip)


Action = PushDrive | VelocityDrive | TrackDrive | HandDrive | SkinHandDrive


@dataclass(frozen=True)
class Drives:
    """All drives of a scene, each within its time."""

    actions: tuple[tuple[float, float, Action], ...]
    """Start, end [s] and what is done between them."""

    def __call__(self, world: World, time: float) -> None:
        """Drive the step that begins at `time`; hands let go at their end."""
        for start, end, action in self.actions:
            if start <= time < end:
                action(world, time)
            elif isinstance(action, HandDrive | SkinHandDrive) and end <= time < end + world.dt:
                thing_of(world, action.body).release()


def timed_action(
    table: DriveTable, values: Mapping[str, float], folder: Path, world: World
) -> tuple[float, float, Action]:
    """A drive as `Drives` takes it; file names are relative to the folder."""
    action = _action(table, values, folder, thing_of(world, table.body))
    return table.start, inf if table.end is None else table.end, action


def _action(table: DriveTable, values: Mapping[str, float], folder: Path, body: Body | Deformable) -> Action:
    if isinstance(body, Deformable):
        return _skin_hand(table, folder)
    if table.hand is not None:
        _check_gives_way(body, "held by a hand")
        return _hand(table.body, table.hand, folder)
    if table.track is not None:
        track = _track(table.track, folder)
        return TrackDrive(table.body, track) if body.spec.kind == KINEMATIC else HandDrive(table.body, track, {}, {})
    if table.velocity is not None or table.angular_velocity is not None:
        return VelocityDrive(table.body, _vector_at(table.velocity, values), _vector_at(table.angular_velocity, values))
    _check_gives_way(body, "pushed")
    return PushDrive(table.body, _vector_at(table.force, values), _vector_at(table.torque, values), table.point)


def _check_gives_way(body: Body, done: str) -> None:
    """Refuse what would be done to a body that does not give way."""
    if body.spec.kind == KINEMATIC:
        raise InputError(f"'{body.name}' is kinematic and cannot be {done}; give it a velocity or a track")
    if body.spec.kind == FIXED:
        raise InputError(f"'{body.name}' is fixed and cannot be {done}; leave out fixed = true, or name another body")


def _skin_hand(table: DriveTable, folder: Path) -> SkinHandDrive:
    hand = table.hand
    if hand is None or hand.point is None:
        raise InputError(
            f"'{table.body}' is soft: it is moved by a hand at a point of its skin, hand = {{ point = ... }}"
        )
    led = _hand(table.body, hand, folder)
    return SkinHandDrive(table.body, led.target, led.grip, hand.point)


def _hand(body: str, table: HandTable, folder: Path) -> HandDrive:
    words = ("stiffness", "angular_stiffness", "max_force", "max_torque")
    grip = {word: getattr(table, word) for word in words if getattr(table, word) is not None}
    target = _track(table.track, folder) if table.track is not None else pose_of(table)
    return HandDrive(body, target, grip, {str(axis): value for axis, value in table.ahead.items()}, table.point)


def _track(given: TrackTable, folder: Path) -> Track:
    return read_track(folder / given) if isinstance(given, str) else track_of_rows(given)


def _vector_at(given: Push | VectorOverTime | None, values: Mapping[str, float]) -> VectorAt | None:
    if given is None:
        return None
    if isinstance(given, list):
        return Rows(np.array([row.time for row in given]), np.array([row.value for row in given]))
    if any(is_expression(number) for number in given):
        return Formula(tuple(parse(n) if isinstance(n, str) else n for n in given), values)
    return Constant(_numbers(given))


def _numbers(given: Sequence[float | str]) -> tuple[float, float, float]:
    x, y, z = (float(number) for number in given)
    return x, y, z
