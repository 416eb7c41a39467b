"""Scenes with answers in closed form: falling, sliding, tumbling, stacking."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np

from ...dynamics import World
from ...geometry import HalfSpace, Solid
from ...math import Pose
from .. import parts
from .scene import Scene, View


def free_fall(*, height: float = 0.05, dt: float = 1e-3) -> Scene:
    """A box falls flat on the floor and stays there.

    `height` [m] of the fall.
    """
    world = World(dt=dt)
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(parts.stack_box(), "box", pose=Pose((0.0, 0.0, height)))
    return Scene(world, 0.2, None, View(elevation=15.0, shown=("box",)))


def incline(*, slope: float = radians(20.0), dt: float = 1e-3) -> Scene:
    """A box slides down an incline without friction, accelerated by g sin(slope).

    `slope` [rad].
    """
    world = World(dt=dt)
    turn = (0.0, slope, 0.0)
    world.add_body(Solid.box((1.0, 0.2, 0.02)).translated((0.0, 0.0, -0.01)), "ramp", fixed=True, pose=_turned(turn))
    start = (-0.4 * cos(slope), 0.0, 0.4 * sin(slope))
    lifted = 1e-5 * np.array([sin(slope), 0.0, cos(slope)])
    world.add_body(parts.stack_box((0.06, 0.06, 0.04)), "box", pose=Pose.from_rotvec(start + lifted, turn))
    return Scene(world, 0.6, None, View(azimuth=10.0, elevation=15.0))


def tumbling(*, dt: float = 1e-3) -> Scene:
    """A box spun about its middle axis tumbles in free flight, and keeps its momentum and its energy."""
    world = World(dt=dt, gravity=(0.0, 0.0, 0.0))
    world.add_body(Solid.box((0.1, 0.06, 0.02)), "box", velocity=(0.02, 0.0, 0.0), angular_velocity=(0.02, 8.0, 0.03))
    return Scene(world, 10.0)


def stack(*, n: int = 10, gap: float = 1e-4, dt: float = 1e-3) -> Scene:
    """Ten boxes, dropped on each other from 0.1 mm, come to rest in a stack.

    `n` boxes, `gap` [m] apart at the start.
    """
    world = World(dt=dt)
    world.add_body(HalfSpace(), "floor", fixed=True)
    box = parts.stack_box()
    for i in range(n):
        world.add_body(box, f"box {i}", pose=Pose((0.0, 0.0, gap + i * (0.1 + gap))))
    return Scene(world, 1.0, None, View(elevation=12.0, shown=tuple(f"box {i}" for i in range(n))))


def mass_ratio(*, ratio: float = 1000.0, dt: float = 1e-3) -> Scene:
    """A heavy block comes to rest on a light one of a thousandth of its mass.

    `ratio` of the two masses.
    """
    world = World(dt=dt)
    world.add_body(HalfSpace(), "floor", fixed=True)
    box = parts.stack_box()
    world.add_body(box, "light", pose=Pose((0.0, 0.0, 1e-3)), mass=1.0)
    world.add_body(box, "heavy", pose=Pose((0.0, 0.0, 0.102)), mass=ratio)
    return Scene(world, 0.2, None, View(elevation=12.0, shown=("light", "heavy")))


def between_walls(*, clearance: float = 1e-3, speed: float = 5.0, drift: float = 0.0, dt: float = 1e-3) -> Scene:
    """A cube slides between two walls, a millimetre away on either side, and loses no speed.

    `clearance` [m] on either side, `speed` [m/s] along the walls, `drift` [m/s] towards one of them.
    """
    world = World(dt=dt, gravity=(0.0, 0.0, 0.0))
    wall = Solid.box((2.0, 0.05, 0.2))
    middle = 0.05 + clearance + 0.025
    for side, name in ((-1.0, "right wall"), (1.0, "left wall")):
        world.add_body(wall, name, pose=Pose((0.0, side * middle, 0.0)), fixed=True)
    world.add_body(Solid.box(0.1), "cube", pose=Pose((-0.9, 0.0, 0.0)), velocity=(speed, drift, 0.0))
    return Scene(world, 1.8 / speed, None, View(azimuth=60.0, elevation=40.0))


def _turned(rotvec: tuple[float, float, float]) -> Pose:
    return Pose.from_rotvec((0.0, 0.0, 0.0), rotvec)
