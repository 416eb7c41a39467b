"""Mechanisms: bodies held together by joints, driven by motors or by gravity, with answers in closed form."""

from __future__ import annotations

from math import atan2, cos, hypot, pi, radians, sin, sqrt

import numpy as np

from ...arrays import Floats
from ...dynamics import Body, Motor, Spring, World
from ...geometry import Solid
from ...math import Pose
from .fits import STEEL
from .mechanism_shapes import bar, ring, shaft, top, wheel
from .scene import Scene, View

WIDTH, THICKNESS = 0.016, 0.006
"""[m] of bars."""
LAYER = np.array([0.0, 1.05 * THICKNESS, 0.0])
"""From one bar to the next beside it."""
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
FRONT = View(azimuth=15.0, elevation=15.0)


def _add_bar(world: World, name: str, start: Floats, end: Floats, layer: int, *, fixed: bool = False) -> Body:
    """A bar between two points of the plane y = 0, moved out of the way of others by its layer."""
    d = end - start
    pose = Pose.from_rotvec(start + layer * LAYER, (0.0, -atan2(d[2], d[0]), 0.0))
    return world.add_body(bar(hypot(d[0], d[2]), WIDTH, THICKNESS), name, pose=pose, density=STEEL, fixed=fixed)


def slider_crank(*, crank: float = 0.04, rod: float = 0.12, speed: float = 2.0 * pi, dt: float = 1e-3) -> Scene:
    """A motor turns a crank, whose rod pushes a piston to and fro in its guide.

    Lengths of `crank` and `rod` [m], `speed` of the motor [rad/s].
    """
    world = World(dt=dt)
    pin, far = np.array([crank, 0.0, 0.0]), np.array([crank + rod, 0.0, 0.0])
    turned = _add_bar(world, "crank", np.zeros(3), pin, -4)
    pushed = _add_bar(world, "rod", pin, far, -3)
    piston = world.add_body(Solid.box((0.03, 0.03, 0.03)), "piston", pose=Pose((*far[:2], 0.0)), density=STEEL)
    guide = world.add_body(_guide(2.0 * crank + 0.04), "guide", pose=Pose((rod, 0.0, 0.0)), fixed=True)
    world.add_joint("hinge", turned, name="bearing", anchor=(0, 0, 0), axis=Y, motor=Motor(velocity=-speed))
    world.add_joint("hinge", pushed, turned, name="crank pin", anchor=pin, axis=Y)
    world.add_joint("hinge", pushed, piston, name="piston pin", anchor=far, axis=Y)
    world.add_joint("slider", piston, guide, name="guide", anchor=far, axis=X)
    return Scene(world, 2.0 * pi / speed, None, FRONT)


def _guide(length: float) -> Solid:
    """Two rails above and below a piston of 30 mm."""
    rail = Solid.box((length, 0.03, 0.006))
    return rail.translated((0.0, 0.0, 0.0181)) | rail.translated((0.0, 0.0, -0.0181))


def four_bar(*, speed: float = 2.0 * pi, dt: float = 1e-3) -> Scene:
    """A crank turns round and round and swings a rocker to and fro: four bars, joined by hinges in a ring.

    Crank 40 mm, coupler 120 mm, rocker 80 mm, frame 120 mm; `speed` of the crank [rad/s].
    """
    world = World(dt=dt)
    ground, far = np.zeros(3), np.array([0.12, 0.0, 0.0])
    pin = np.array([0.0, 0.0, 0.04])
    end = _meet(pin, 0.12, far, 0.08)
    frame = _add_bar(world, "frame", ground, far, 0, fixed=True)
    crank = _add_bar(world, "crank", ground, pin, 1)
    coupler = _add_bar(world, "coupler", pin, end, 2)
    rocker = _add_bar(world, "rocker", far, end, 1)
    world.add_joint("hinge", crank, frame, name="motor", anchor=ground, axis=Y, motor=Motor(velocity=-speed))
    world.add_joint("hinge", coupler, crank, name="crank pin", anchor=pin, axis=Y)
    world.add_joint("hinge", coupler, rocker, name="rocker pin", anchor=end, axis=Y)
    world.add_joint("hinge", rocker, frame, name="pivot", anchor=far, axis=Y)
    return Scene(world, 2.0 * pi / speed, None, FRONT)


def _meet(a: Floats, r_a: float, b: Floats, r_b: float) -> Floats:
    """The upper of the two points of the plane y = 0 at these distances of a and b."""
    d = float(np.linalg.norm(b - a))
    x = 0.5 * (d + (r_a * r_a - r_b * r_b) / d)
    along = (b - a) / d
    return np.asarray(a + x * along + sqrt(r_a * r_a - x * x) * np.array([-along[2], 0.0, along[0]]))


def pendulum(*, n: int = 10, length: float = 0.1, joint: str = "hinge", dt: float = 1e-3) -> Scene:
    """A pendulum of ten links is let go while it is held straight out.

    `n` links of `length` [m], joined by "hinge" or "ball".
    """
    world = World(dt=dt)
    before: Body | None = None
    part = bar(length, 0.3 * length, 0.1 * length)
    for i in range(n):
        start = np.array([i * length, 0.0, 0.0])
        link = world.add_body(
            part,
            f"link {i}",
            pose=Pose(start + 0.105 * length * (i % 2) * np.array(Y)),
            density=STEEL,
            group=0,
        )
        world.add_joint(joint, link, before, anchor=start, axis=Y if joint == "hinge" else None)
        before = link
    return Scene(world, 1.0, None, View(azimuth=0.0, elevation=5.0))


def gimbal(*, spin: float = 300.0, tilt: float = 0.6, dt: float = 1e-3) -> Scene:
    """A wheel spins in two rings; its stand is tilted to and fro, and the wheel keeps pointing where it did.

    `spin` of the wheel [rad/s]; the stand tilts by `tilt` [rad] about an axis between those of its rings.
    """
    world = World(dt=dt)
    # One inside the other about a common centre: they cannot meet, and one group saves asking in every step.
    stand = world.add_body(ring(0.115, 0.02, 0.008), "stand", kinematic=True, group=0)
    outer = world.add_body(ring(0.1, 0.012, 0.008), "outer ring", density=STEEL, group=0)
    upright = Pose.from_rotvec((0.0, 0.0, 0.0), (0.5 * pi, 0.0, 0.0))
    inner = world.add_body(ring(0.085, 0.012, 0.008), "inner ring", pose=upright, density=STEEL, group=0)
    rotor = world.add_body(wheel(0.06, 0.02, 0.006, 0.16), "wheel", density=STEEL, group=0)
    world.add_joint("hinge", outer, stand, name="outer", anchor=(0, 0, 0), axis=X)
    world.add_joint("hinge", inner, outer, name="inner", anchor=(0, 0, 0), axis=Y)
    world.add_joint("hinge", rotor, inner, name="axle", anchor=(0, 0, 0), axis=Z)
    rotor.angular_velocity = (0.0, 0.0, spin)

    def drive(world: World, t: float) -> None:
        rate = tilt * pi * sin(2.0 * pi * t)  # by tilt to one side and back in a second
        stand.angular_velocity = rate * np.array([0.6, 0.8, 0.0])

    return Scene(world, 1.0, drive, View(azimuth=35.0, elevation=25.0))


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
    body.angular_velocity = rate * np.array(Z) + (spin - rate * cos(lean)) * axis
    body.velocity = np.cross(body.angular_velocity, body._centre_pose.position)
    world.add_joint("ball", body, stand, name="tip", anchor=(0, 0, 0))
    return Scene(world, 2.0, None, View(azimuth=20.0, elevation=12.0))


def steady_precession(body: Body, spin: float, lean: float) -> float:
    """Rate [rad/s] of slow steady precession: I cos(lean) p^2 - I_3 spin p + m g l = 0 (Goldstein, section 5.7)."""
    spec, l = body.spec, float(np.linalg.norm(body.spec.centre))
    I_3, I = spec.inertia[2, 2], spec.inertia[0, 0] + spec.mass * l * l
    b, c = I_3 * spin, spec.mass * 9.81 * l
    return float(2.0 * c / (b + sqrt(b * b - 4.0 * I * cos(lean) * c)))


def universal_shaft(*, bend: float = radians(30.0), speed: float = 2.0 * pi, dt: float = 1e-3) -> Scene:
    """A shaft drives another one, beside and parallel to it, through two universal joints.

    `bend` in each joint [rad], `speed` of the motor [rad/s]; a brake holds against it at the far end.
    """
    world = World(dt=dt)
    radius, length = 0.008, 0.12
    y, z = np.array(Y), np.array(Z)
    first = np.array([length, 0.0, 0.0])
    second = first + length * np.array([cos(bend), 0.0, sin(bend)])
    slope = Pose.from_rotvec(first, (0.0, -bend, 0.0))
    driving = world.add_body(shaft(length, radius, (None, z)), "driving shaft", density=STEEL)
    middle = world.add_body(shaft(length, radius, (y, y)), "middle shaft", pose=slope, density=STEEL)
    driven = world.add_body(shaft(length, radius, (z, None)), "driven shaft", pose=Pose(second), density=STEEL)
    world.add_joint("hinge", driving, name="motor", anchor=(0, 0, 0), axis=X, motor=Motor(velocity=speed))
    world.add_joint("universal", middle, driving, name="first", anchor=first, axis=Y, axis_other=Z)
    world.add_joint("universal", driven, middle, name="second", anchor=second, axis=Z, axis_other=Y)
    brake = {"angle": Spring(0.0, damping=0.02)}
    world.add_joint("cylindrical", driven, name="brake", anchor=second, axis=X, spring=brake)
    return Scene(world, 2.0 * pi / speed, None, View(azimuth=-60.0, elevation=20.0))


def screw_press(*, torque: float = 0.2, pitch: float = 4e-3, dt: float = 1e-3) -> Scene:
    """A motor turns a screw, which lowers a platen on a block and presses until the motor stalls.

    `torque` of the motor at most [N m], `pitch` of the screw [m].
    """
    world = World(dt=dt)
    frame = world.add_body(_portal(), "frame", fixed=True)
    world.add_body(Solid.box(0.05), "block", pose=Pose((0.0, 0.0, 0.02501)), density=STEEL)
    platen = world.add_body(Solid.box((0.08, 0.06, 0.01)), "platen", pose=Pose((0.0, 0.0, 0.057)), density=STEEL)
    spindle = world.add_body(_spindle(), "screw", pose=Pose((0.0, 0.0, 0.062)), density=STEEL)
    motor = Motor(velocity=-2.0 * pi, max_force=torque)
    world.add_joint(
        "screw", spindle, frame, name="screw", anchor=(0, 0, 0.11), axis=Z, pitch=pitch, motor={"angle": motor}
    )
    world.add_joint("slider", platen, frame, name="guide", anchor=(0, 0, 0.057), axis=Z)
    world.add_joint("point_on_plane", spindle, platen, name="thrust", anchor=(0, 0, 0.062), axis=Z)
    return Scene(world, 0.8, None, View(azimuth=30.0, elevation=15.0, clear=("frame",)))


def _portal() -> Solid:
    base = Solid.box((0.16, 0.08, 0.02)).translated((0.0, 0.0, -0.01))
    beam = Solid.box((0.16, 0.05, 0.03)).translated((0.0, 0.0, 0.115))
    posts = [Solid.box((0.02, 0.05, 0.11)).translated((side * 0.07, 0.0, 0.05)) for side in (-1.0, 1.0)]
    return base | beam | posts[0] | posts[1]


def _spindle() -> Solid:
    """A screw along z from its tip, with a handle at its upper end."""
    rod = Solid.cylinder(0.008, 0.11, segments=32).translated((0.0, 0.0, 0.055))
    handle = Solid.cylinder(0.004, 0.12, segments=16).transformed(Pose.from_rotvec((0, 0, 0.1), (0, 0.5 * pi, 0)))
    return rod | handle
