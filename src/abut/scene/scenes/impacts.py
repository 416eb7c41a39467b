"""Scenes of impacts with restitution: what is struck flies off, alone, in a row or held by joints."""

from __future__ import annotations

from math import cos, radians, sin

from ...dynamics import Body, World
from ...geometry import HalfSpace, Solid, Sphere
from ...math import Pose
from .fits import STEEL
from .scene import Scene, View


def bounces(*, height: float = 0.3, dt: float = 1e-3) -> Scene:
    """Three balls fall on the floor: one stays, one bounces to a quarter of its height, one to all of it.

    `height` [m] of the fall; their restitution is 0, 0.5 and 1.
    """
    world, radius = World(dt=dt), 0.03
    world.add_body(HalfSpace(), "floor", fixed=True)
    for i, e in enumerate((0.0, 0.5, 1.0)):
        start = Pose((0.1 * (i - 1), 0.0, radius + height))
        world.add_body(Sphere(radius), f"e = {e:g}", pose=start, density=STEEL, restitution=e)
    return Scene(world, 0.75, None, View(azimuth=0.0, elevation=8.0, shown=tuple(b.name for b in world.bodies[1:])))


def cradle(*, raised: int = 1, lift: float = radians(30.0), apart: float = 5e-4, dt: float = 1e-3) -> Scene:
    """Newton's cradle: as many balls as swing against the row on one side fly off on the other.

    `raised` balls of five, by `lift` [rad]; `apart` [m] when they hang. An impact takes no time: balls that are nearer
    than the way of a step are all struck at once, and share what one of them should get.
    """
    world, radius, length = World(dt=dt, restitution=1.0), 0.02, 0.2
    for i in range(5):
        x, angle = i * (2.0 * radius + apart), lift if i < raised else 0.0
        start = Pose((x - length * sin(angle), 0.0, -length * cos(angle)))
        ball = world.add_body(Sphere(radius), f"ball {i}", pose=start, density=STEEL)
        world.add_joint("hinge", ball, anchor=(x, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return Scene(world, 1.0, None, View(azimuth=0.0, elevation=10.0))


def struck_stick(*, restitution: float = 0.8, off: float = 0.19, speed: float = 1.0, dt: float = 1e-3) -> Scene:
    """A ball strikes a stick beside its middle, which flies off turning.

    `off` [m] from the middle of the stick, which is 0.4 m long; `speed` [m/s] of the ball.
    """
    world = World(gravity=(0.0, 0.0, 0.0), dt=dt, restitution=restitution)
    world.add_body(Solid.box((0.4, 0.02, 0.02)), "stick", mass=1.0)
    start = Pose((off, -0.05, 0.0))
    world.add_body(Sphere(0.02), "ball", mass=0.5, pose=start, velocity=(0.0, speed, 0.0))
    return Scene(world, 0.4, None, View(azimuth=0.0, elevation=80.0))


def struck_pendulum(
    *, links: int = 4, restitution: float = 0.5, speed: float = 3.0, height: float = 0.02, dt: float = 1e-3
) -> Scene:
    """A ball strikes the lowest link of a hanging chain; the blow goes up through its joints at once.

    `speed` [m/s] of the ball, which strikes `height` [m] above the lower end of the last of the `links`.
    """
    world, length, width = World(dt=dt, restitution=restitution), 0.1, 0.02
    above: Body | None = None
    for i in range(links):
        link = world.add_body(
            Solid.box((width, width, length)), f"link {i}", pose=Pose((0.0, 0.0, -length * (i + 0.5))), density=STEEL
        )
        world.add_joint("hinge", link, above, anchor=(0.0, 0.0, -length * i), axis=(0.0, 1.0, 0.0))
        above = link
    radius = 0.02
    start = Pose((-0.5 * width - radius - 0.005, 0.0, height - length * links))
    world.add_body(Sphere(radius), "ball", pose=start, velocity=(speed, 0.0, 0.0), density=STEEL)
    return Scene(world, 0.15, None, View(azimuth=0.0, elevation=8.0))
