"""Scenes that a file cannot describe: bodies in two nested rows, and a start that needs a body's inertia."""

from __future__ import annotations

from math import cos, radians, sin, sqrt

import numpy as np

from ...dynamics import Body, World
from ...geometry import HalfSpace, Solid
from ...math import Pose
from ..parts.mechanisms import top
from .scene import Scene, View

LIFT = 1e-5
"""[m] by which things start above what they will rest on."""
STEEL = 7850.0
"""[kg/m^3]."""


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


def spinning_top(*, spin: float = 200.0, lean: float = radians(25.0), dt: float = 1e-3) -> Scene:
    """A spinning top leans on its tip and goes round without falling.

    `spin` about its own axis [rad/s], `lean` off the vertical [rad]; it starts in steady precession.
    """
    world = World(dt=dt)
    part = top(0.04, 0.06)
    stand = world.add_body(Solid.cone(0.02, 0.05).translated((0.0, 0.0, -0.025)), "stand", fixed=True)
    body = world.add_body(part, "top", pose=Pose.from_rotvec((0.0, 0.0, 0.0), (0.0, lean, 0.0)), density=STEEL)
    rate = steady_precession(body, spin, lean)
    axis = np.array([sin(lean), 0.0, cos(lean)])
    # The spin is the angular velocity's whole share along the axis.
    body.angular_velocity = rate * np.array((0.0, 0.0, 1.0)) + (spin - rate * cos(lean)) * axis
    body.velocity = np.cross(body.angular_velocity, body._centre_pose.position)
    world.add_joint("ball", body, stand, name="tip", anchor=(0, 0, 0))
    return Scene(world, 2.0, None, View(azimuth=20.0, elevation=12.0))


def steady_precession(body: Body, spin: float, lean: float) -> float:
    """Rate [rad/s] of slow steady precession: I cos(lean) p^2 - I_3 spin p + m g l = 0 (Goldstein, section 5.7)."""
    spec, l = body.spec, float(np.linalg.norm(body.spec.centre))
    I_3, I = spec.inertia[2, 2], spec.inertia[0, 0] + spec.mass * l * l
    b, c = I_3 * spin, spec.mass * 9.81 * l
    return float(2.0 * c / (b + sqrt(b * b - 4.0 * I * cos(lean) * c)))
