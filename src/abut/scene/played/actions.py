"""What a hand can do to a world between two steps.

Each action is a row of a hand's track. Those that hold a body are done again before every step until the hand does
something else; the others are done once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dynamics import Deformable, World
from ...dynamics.bodies.refit import fix_body, free_body
from ...math import Pose
from .things import thing_of

Vector = tuple[float, float, float]
Row = tuple[float, float, float, float, float, float, float]
"""x y z qw qx qy qz."""
Tensor = tuple[Vector, Vector, Vector]


@dataclass(frozen=True, slots=True)
class HoldPoint:
    """Draw a point of a body to a place."""

    body: str
    point: Vector
    """[m] in the part's frame; of a soft body, at rest."""
    target: Vector
    """[m]."""
    stiffness: float
    """[N/m]."""
    max_force: float
    """[N]."""

    def hold(self, world: World) -> None:
        """Let the hand pull in the next step."""
        grip = {"stiffness": self.stiffness, "max_force": self.max_force}
        thing_of(world, self.body).grab_point(self.point, self.target, **grip)


@dataclass(frozen=True, slots=True)
class HoldPose:
    """Draw a body to a pose."""

    body: str
    pose: Row
    stiffness: float
    """[N/m]."""
    angular_stiffness: float
    """[N m/rad]."""
    max_force: float
    """[N]."""
    max_torque: float
    """[N m]."""

    def hold(self, world: World) -> None:
        """Let the hand pull in the next step."""
        words = ("stiffness", "angular_stiffness", "max_force", "max_torque")
        world.body(self.body).grab(pose_of_row(self.pose), **{word: getattr(self, word) for word in words})


@dataclass(frozen=True, slots=True)
class Release:
    """Let go of a body."""

    body: str
    stop: bool
    """Whether it stops at once."""

    def act(self, world: World) -> None:
        """Do it."""
        body = thing_of(world, self.body)
        body.release()
        if not self.stop:
            return
        if isinstance(body, Deformable):
            body.velocities = 0.0 * body.velocities
        else:
            body.velocity, body.angular_velocity = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ReleaseAll:
    """Let go of all bodies, also of those that the scene's own hands hold."""

    def act(self, world: World) -> None:
        """Do it."""
        for body in world.bodies:
            if np.isfinite(body.mass):
                body.release()
        for soft in world.deformables:
            soft.release()


@dataclass(frozen=True, slots=True)
class Place:
    """Put a body somewhere else."""

    body: str
    pose: Row

    def act(self, world: World) -> None:
        """Do it."""
        world.body(self.body).pose = pose_of_row(self.pose)


@dataclass(frozen=True, slots=True)
class SetGravity:
    """Another gravity [m/s^2]."""

    value: Vector

    def act(self, world: World) -> None:
        """Do it."""
        world.gravity = self.value


@dataclass(frozen=True, slots=True)
class SetFriction:
    """Another coefficient where bodies and pairs say nothing."""

    value: float

    def act(self, world: World) -> None:
        """Do it."""
        world.friction = self.value


@dataclass(frozen=True, slots=True)
class SetMethod:
    """Another way to find forces."""

    name: str

    def act(self, world: World) -> None:
        """Do it."""
        world.method = self.name


@dataclass(frozen=True, slots=True)
class Fix:
    """Fix a body where it is."""

    body: str

    def act(self, world: World) -> None:
        """Do it."""
        fix_body(world.body(self.body))


@dataclass(frozen=True, slots=True)
class Free:
    """Let a body move that was fixed."""

    body: str
    mass: float
    """[kg]."""
    inertia: Tensor
    """[kg m^2] about the centre of mass."""

    def act(self, world: World) -> None:
        """Do it."""
        free_body(world.body(self.body), self.mass, self.inertia)


@dataclass(frozen=True, slots=True)
class SetDriven:
    """Whether the scene's own hands and forces act from now on."""

    on: bool

    def act(self, world: World) -> None:
        """Nothing at once."""


Hold = HoldPoint | HoldPose
Deed = Release | ReleaseAll | Place | SetGravity | SetFriction | SetMethod | Fix | Free | SetDriven
Action = Hold | Deed
KINDS: dict[str, type[Any]] = {
    "hold_point": HoldPoint,
    "hold_pose": HoldPose,
    "release": Release,
    "release_all": ReleaseAll,
    "place": Place,
    "gravity": SetGravity,
    "friction": SetFriction,
    "method": SetMethod,
    "fix": Fix,
    "free": Free,
    "drive": SetDriven,
}
"""Actions by the words of track files."""


def held_after(held: Hold | None, action: Action) -> Hold | None:
    """What the hand holds after it did something."""
    if isinstance(action, HoldPoint | HoldPose):
        return action
    if isinstance(action, ReleaseAll) or (isinstance(action, Release | Fix) and held and held.body == action.body):
        return None
    return held


def pose_of_row(row: Row) -> Pose:
    """A pose from its seven numbers."""
    return Pose(row[:3], quat_wxyz=row[3:])
