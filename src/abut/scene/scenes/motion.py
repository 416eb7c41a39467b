"""Scenes of parts that hang, fall, fly and land: chain, brackets, aircraft, bullets and blades."""

from __future__ import annotations

from math import cos, pi, radians, sin

from ...dynamics import World
from ...geometry import Solid
from ...math import Pose
from .. import parts
from .fits import STEEL
from .scene import Scene, View


def chain(*, n: int = 10, segments: int = 32, sides: int = 12, swing: float = 0.5, dt: float = 1e-3) -> Scene:
    """Ten rings hang in each other and swing, the first one fixed.

    `n` rings of `segments` x `sides`, the lowest moving sideways with `swing` [m/s].
    """
    world = World(dt=dt)
    ring = parts.ring(segments=segments, sides=sides)
    for i in range(n):
        turn = (0.5 * pi, 0.0, 0.0) if i % 2 == 0 else (0.0, 0.5 * pi, 0.0)
        world.add_body(
            ring,
            f"ring {i}",
            pose=Pose.from_rotvec((0.0, 0.0, -0.08 * i), turn),
            velocity=(swing * i / max(n - 1, 1), 0.0, 0.0),
            density=STEEL,
            fixed=i == 0,
        )
    return Scene(world, 1.0, None, View(azimuth=35.0, elevation=10.0))


def brackets(*, dt: float = 1e-3) -> Scene:
    """An angle bracket falls into the hollow of another one and comes to rest in it: concave in concave."""
    world = World(dt=dt)
    bracket = parts.l_bracket(segments=12)
    valley = (0.0, -0.25 * pi, 0.0)
    world.add_body(bracket, "lower", pose=Pose.from_rotvec((0.0, 0.0, 0.0), valley), fixed=True)
    world.add_body(
        bracket,
        "upper",
        pose=Pose.from_rotvec((0.001, 0.002, 0.02), (0.0, radians(-40.0), 0.05)),
        density=STEEL,
        damping=2.0,
        angular_damping=2.0,
    )
    return Scene(world, 0.4, None, View(azimuth=15.0, elevation=20.0))


def aircraft(*, sink: float = 0.5, pitch: float = radians(1.5), dt: float = 5e-3) -> Scene:
    """An airliner is set down on its runway, main wheels first.

    `sink` [m/s] at touch-down, nose up by `pitch` [rad].
    """
    world = World(dt=dt)
    world.add_body(parts.runway(), "runway", fixed=True)
    world.add_body(
        parts.aircraft(),
        "aircraft",
        pose=Pose.from_rotvec((18.0, 0.0, 0.05 + 18.4 * sin(pitch)), (0.0, -pitch, 0.0)),
        mass=60e3,
        velocity=(0.0, 0.0, -sink),
        damping=0.1,
        angular_damping=0.5,
    )
    return Scene(world, 1.5, None, View(azimuth=40.0, elevation=15.0, shown=("aircraft",)))


def bullet(*, speed: float = 1000.0, tilt: float = 0.0, dt: float = 1e-3) -> Scene:
    """A cube at 1000 m/s, fifty times its size a step, meets a plate of half a millimetre and does not pass.

    `speed` [m/s], `tilt` [rad] of the cube.
    """
    world = World(dt=dt, gravity=(0.0, 0.0, 0.0))
    world.add_body(parts.thin_plate(), "plate", fixed=True)
    world.add_body(
        Solid.box(0.02),
        "cube",
        pose=Pose.from_rotvec((0.01, 0.0, 2.5), (tilt, 0.5 * tilt, 0.0)),
        velocity=(0.0, 0.0, -speed),
        density=STEEL,
    )
    return Scene(world, 0.02, None, View(shown=("plate",)))


def blade(*, speed: float = 600.0, dt: float = 1e-3) -> Scene:
    """A blade that makes 95 turns a second strikes the edge of a thin plate and never passes through it.

    `speed` [rad/s]; the blade turns on a pin.
    """
    world = _plate_alone(dt)
    world.add_body(
        _BLADE,
        "blade",
        pose=Pose((0.0, 0.0, 0.03)),
        angular_velocity=(0.0, speed, 0.0),
        density=STEEL,
        locked=("x", "y", "z", "rx", "rz"),
    )
    return Scene(world, 0.05, None, View(azimuth=10.0, elevation=25.0))


def thrown_blade(*, throw: float = 100.0, speed: float = 600.0, dt: float = 1e-3) -> Scene:
    """A blade, thrown at 100 m/s and 95 turns a second, strikes a thin plate with its tip, tumbles and never passes.

    `throw` [m/s] towards the plate, `speed` [rad/s] about the blade's flat sides.
    """
    world = _plate_alone(dt)
    world.add_body(
        _BLADE,
        "blade",
        pose=Pose.from_rotvec((0.15, 0.0, 0.5), (0.5 * pi - 0.1, 0.0, 0.0)),
        velocity=(0.0, 0.0, -throw),
        angular_velocity=(0.0, -speed * cos(0.1), speed * sin(0.1)),
        density=STEEL,
    )
    return Scene(world, 0.05, None, View(azimuth=10.0, elevation=25.0))


_BLADE = Solid.box((0.16, 0.02, 0.002))


def _plate_alone(dt: float) -> World:
    world = World(dt=dt, gravity=(0.0, 0.0, 0.0))
    world.add_body(parts.thin_plate(), "plate", pose=Pose((0.15, 0.0, 0.0)), fixed=True)
    return world
