"""Scenes that friction decides: what sticks, slides, rolls, jams and stands up."""

from __future__ import annotations

from math import cos, pi, radians, sin, tan

import numpy as np

from ...arrays import Floats
from ...dynamics import World
from ...geometry import HalfSpace, Solid
from ...math import Pose
from .. import parts
from .fits import STEEL
from .scene import Scene, View

LIFT = 1e-5
"""[m] by which things start above what they will rest on."""
STONE = 2500.0
"""[kg/m^3]."""


def rough_incline(*, slope: float = radians(20.0), margin: float = 0.05, dt: float = 1e-3) -> Scene:
    """Of two boxes on a ramp, one with a little more friction than tan(slope) stays; one with a little less slides.

    `slope` [rad]; `margin`: by which part their friction is more and less.
    """
    world = World(dt=dt)
    turn = (0.0, slope, 0.0)
    ramp = Solid.box((1.0, 0.4, 0.02)).translated((0.0, 0.0, -0.01))
    world.add_body(ramp, "ramp", pose=Pose.from_rotvec((0.0, 0.0, 0.0), turn), fixed=True)
    for name, y, mu in (("stays", 0.08, (1.0 + margin) * tan(slope)), ("slides", -0.08, (1.0 - margin) * tan(slope))):
        start = np.array([-0.4 * cos(slope), y, 0.4 * sin(slope)]) + LIFT * np.array([sin(slope), 0.0, cos(slope)])
        box = parts.stack_box((0.06, 0.06, 0.04))
        world.add_body(box, name, pose=Pose.from_rotvec(start, turn), friction=mu)
    return Scene(world, 1.0, None, View(azimuth=35.0, elevation=20.0))


def stopping(*, speed: float = 1.0, friction: float = 0.3, dt: float = 1e-3) -> Scene:
    """A box slides over the floor and stops after speed^2 / (2 mu g).

    `speed` [m/s] at the start.
    """
    world = World(dt=dt, friction=friction)
    world.add_body(HalfSpace(), "floor", fixed=True)
    box = parts.stack_box((0.1, 0.1, 0.03))
    world.add_body(box, "box", pose=Pose((0.0, 0.0, LIFT)), velocity=(speed, 0.0, 0.0))
    return Scene(world, 0.5, None, View(azimuth=60.0, elevation=20.0, shown=("box",)))


def diagonal_push(
    *, direction: float = 0.25 * pi, share: float = 1.1, friction: float = 0.5, dt: float = 1e-3
) -> Scene:
    """A box pushed along the diagonal with a little more than its friction slides, along the push.

    `direction` [rad] of the push in the plane, which is `share` times the largest friction mu m g.
    """
    world = World(dt=dt, friction=friction)
    world.add_body(HalfSpace(), "floor", fixed=True)
    box = world.add_body(parts.stack_box((0.1, 0.1, 0.02)), "box", pose=Pose((0.0, 0.0, LIFT)))
    size = share * friction * box.mass * 9.81
    push = (size * cos(direction), size * sin(direction), 0.0)

    def drive(_world: World, _time: float) -> None:
        # At the height of the floor, so that it does not tip the box.
        box.apply_force(push, box.pose.position)

    return Scene(world, 0.5, drive, View(azimuth=30.0, elevation=35.0, shown=("box",)))


def rolling_coin(*, speed: float = 0.6, tilt: float = radians(10.0), segments: int = 96, dt: float = 1e-3) -> Scene:
    """A coin rolls on its edge and, a little inclined, turns in a circle instead of falling over.

    `speed` [m/s] of its middle, `tilt` [rad] from upright; the coin is a polygon of so many `segments`.
    """
    coin, radius = _coin(segments)
    # Steady rolling of a thin disk in a large circle: the turning that gravity asks for at this tilt.
    turning = 9.81 * tan(tilt) * 2.0 / (3.0 * speed)
    middle = np.array([0.0, 0.0, radius * cos(tilt) + 0.5 * _THICKNESS * sin(tilt) + LIFT])
    axle = np.array([0.0, cos(tilt), sin(tilt)])
    return _coin_scene(
        coin, middle, tilt, np.array([speed, 0.0, 0.0]), speed / radius * axle + np.array([0.0, 0.0, -turning]), dt
    )


def spinning_coin(*, spin: float = 60.0, tilt: float = radians(25.0), segments: int = 96, dt: float = 1e-3) -> Scene:
    """A coin spun about the vertical whirls on its edge and sinks as it goes (Euler's disk).

    `spin` [rad/s]; its plane is inclined by `tilt` [rad] from upright.
    """
    coin, radius = _coin(segments)
    middle = np.array([0.0, 0.0, radius * cos(tilt) + 0.5 * _THICKNESS * sin(tilt) + LIFT])
    return _coin_scene(coin, middle, tilt, np.zeros(3), np.array([0.0, 0.0, spin]), dt)


_THICKNESS = 2.3e-3


def _coin(segments: int) -> tuple[Solid, float]:
    """A coin with its axis along y, standing on a side of its polygon when upright, and the height of its middle."""
    radius = 12.9e-3
    disk = Solid.cylinder(radius, _THICKNESS, segments=segments)
    turn = Pose.from_rotvec((0.0, 0.0, 0.0), (-0.5 * pi, 0.0, 0.0)) @ Pose.from_rotvec(
        (0.0, 0.0, 0.0), (0.0, 0.0, pi / segments)
    )
    coin = disk.transformed(turn)
    return coin, float(-coin.vertices[:, 2].min())


def _coin_scene(coin: Solid, middle: Floats, tilt: float, velocity: Floats, spin: Floats, dt: float) -> Scene:
    world = World(dt=dt, friction=0.5)
    world.add_body(HalfSpace(), "floor", fixed=True)
    pose = Pose.from_rotvec(middle, (tilt, 0.0, 0.0))
    world.add_body(coin, "coin", pose=pose, density=8900.0, velocity=velocity, angular_velocity=spin)
    return Scene(world, 0.5, None, View(azimuth=30.0, elevation=25.0, shown=("coin",)))


def arch(*, n: int = 25, friction: float = 0.6, dt: float = 5e-3) -> Scene:
    """Stones of an arch, let go all at once, hold each other up by nothing but their shape and friction.

    `n` stones.
    """
    world = World(dt=dt, friction=friction)
    world.add_body(HalfSpace(), "floor", fixed=True)
    for i in range(n):
        stone = parts.voussoir(n, i, joint=LIFT)
        world.add_body(stone, f"stone {i}", pose=Pose((0.0, 0.0, 0.5 * LIFT)), density=STONE)
    return Scene(world, 1.0, None, View(azimuth=20.0, elevation=15.0, shown=tuple(f"stone {i}" for i in range(n))))


def card_house(*, stories: int = 2, friction: float = 0.6, lean: float = radians(25.0), dt: float = 2e-3) -> Scene:
    """A house of cards stands by friction.

    `stories` of cards that `lean` [rad] on each other, with a card across their tops.
    """
    world = World(dt=dt, friction=friction)
    world.add_body(HalfSpace(), "floor", fixed=True)
    height, width, thick, apart = 0.09, 0.06, 5e-4, 0.08
    foot = 0.5 * (height * cos(lean) + thick * sin(lean))
    base, card = LIFT, Solid.box((thick, width, height))
    for story in range(stories):
        tents = stories - story
        for k in range(tents):
            top = apart * (k - 0.5 * (tents - 1))
            for side in (-1.0, 1.0):
                x = top + side * 0.5 * (thick * cos(lean) + height * sin(lean) + LIFT)
                pose = Pose.from_rotvec((x, 0.0, base + foot), (0.0, -side * lean, 0.0))
                world.add_body(card, f"card {story} {k} {'left' if side < 0 else 'right'}", pose=pose, density=900.0)
        base += 2.0 * foot + LIFT
        if tents > 1:
            roof = Solid.box((apart * (tents - 1) + 0.02, width, thick))
            world.add_body(roof, f"roof {story}", pose=Pose((0.0, 0.0, base + 0.5 * thick)), density=900.0)
            base += thick + LIFT
    names = tuple(body.name for body in world.bodies[1:])
    return Scene(world, 1.0, None, View(azimuth=65.0, elevation=15.0, shown=names))


def held_nut(*, friction: float = 0.5, segments: int = 48, dt: float = 1e-3) -> Scene:
    """An M16 nut, left alone on the thread of an upright bolt, is held by friction; without, it runs down.

    It runs where `friction` is 0, and where the thread has enough `segments` for its corners not to hold it.
    """
    world = World(dt=dt, friction=friction)
    world.add_body(parts.hex_bolt("M16", segments=segments), "bolt", fixed=True)
    nut = parts.hex_nut("M16", segments=segments)
    world.add_body(nut, "nut", pose=parts.on_thread("M16", 0.03), density=STEEL)
    return Scene(world, 0.2, None, View(azimuth=25.0, elevation=20.0, cut=("nut",)))


def jamming_peg(
    *, friction: float = 0.4, depth: float = 0.03, off: float = 0.08, push: float = 20.0, dt: float = 1e-3
) -> Scene:
    """A peg pushed beside its axis jams in its hole, as a drawer pulled at one handle does.

    Pushed with `push` [N] at `off` [m] from the axis when it is `depth` [m] in the hole, it jams if the friction is
    more than depth / (2 off): two contacts, depth apart, carry the torque of the push.
    """
    world = World(dt=dt, gravity=(0.0, 0.0, 0.0), friction=friction)
    plate = parts.hole_plate(clearance=1e-4, segments=32)
    world.add_body(plate, "plate", fixed=True)
    top = 0.08
    peg = world.add_body(parts.peg(segments=32), "peg", pose=Pose((0.0, 0.0, top - depth)), density=STEEL)

    def drive(_world: World, _time: float) -> None:
        peg.apply_force((0.0, 0.0, -push), peg.pose.apply((off, 0.0, 0.1)))

    return Scene(world, 0.15, drive, View(azimuth=10.0, elevation=15.0, cut=("plate",)))
