"""Parts that are put together: driver and screw, peg and hole, nut and bolt, bolt and plate, radio and console."""

from __future__ import annotations

from math import atan2, pi, radians

from ...dynamics import World
from ...math import Pose
from .. import parts
from .scene import Scene, View

STEEL = 7850.0
"""[kg/m^3]."""


def driver(*, press: float = 5.0, twist: float = 1e-3, angle: float = radians(8.0), dt: float = 1e-3) -> Scene:
    """A cross-head driver, pressed and twisted from 8 degrees off, finds the recess of its screw and seats.

    `press` [N] along the axis, `twist` [N m] clockwise about it; the driver slides and turns in a straight guide.
    """
    world = World(dt=dt, gravity=(0.0, 0.0, 0.0))
    world.add_body(parts.cross_recess_screw(), "screw", fixed=True)
    tool = world.add_body(
        parts.cross_recess_driver(),
        "driver",
        pose=Pose.from_rotvec((0.0, 0.0, 3e-3), (0.0, 0.0, angle)),
        mass=0.1,  # with its handle
        locked=("x", "y", "rx", "ry"),
    )

    def drive(_world: World, _time: float) -> None:
        tool.apply_force((0.0, 0.0, -press))
        tool.apply_torque((0.0, 0.0, -twist))

    view = View(azimuth=20.0, elevation=25.0, cut=("screw",), clear=("driver",), around=(0.0, 0.0, 1e-3, 0.016))
    return Scene(world, 0.04, drive, view)


def screwdriver(
    *, press: float = 5.0, twist: float = 1e-2, angle: float = radians(8.0), brake: float = 3e4, dt: float = 1e-3
) -> Scene:
    """A hand presses and twists a driver, which finds the recess of a screw in its block and turns the screw.

    `press` [N] down and `twist` [N m] clockwise from `angle` [rad] off; driver and screw are free to move and tilt. The
    screw's turning is braked by `brake` [1/s], in place of a thread.
    """
    world = World(dt=dt, contact_gap=2e-6)
    world.add_body(parts.screw_block(), "block", fixed=True)
    world.add_body(parts.cross_recess_screw(), "screw", density=STEEL, angular_damping=brake)
    tool = world.add_body(
        parts.cross_recess_driver(),
        "driver",
        pose=Pose.from_rotvec((1e-4, 5e-5, 3e-3), (0.02, 0.01, angle)),
        density=STEEL,
    )
    stiffness, angular_stiffness = 2000.0, 0.5

    def drive(_world: World, _time: float) -> None:
        # A hand that holds the driver upright over the hole and stays ahead of it by as much as it pushes.
        held = tool.pose
        z, heading = held.position[2], held.apply((1.0, 0.0, 0.0)) - held.position
        turn = atan2(heading[1], heading[0]) - twist / angular_stiffness
        ahead = Pose.from_rotvec((0.0, 0.0, z - press / stiffness), (0.0, 0.0, turn))
        tool.grab(ahead, stiffness=stiffness, angular_stiffness=angular_stiffness)

    view = View(azimuth=20.0, elevation=25.0, cut=("block", "screw"), around=(0.0, 0.0, 0.0, 0.024))
    return Scene(world, 0.3, drive, view)


def peg_in_hole(*, tilt: float = radians(1.0), speed: float = 0.1, segments: int = 64, dt: float = 1e-3) -> Scene:
    """A hand pushes a 50 mm peg, tilted by 1 degree, into a hole with 50 µm (0.1 %) of clearance.

    `speed` [m/s] of the hand, `tilt` [rad] and an offset of 0.3 mm at the start.
    """
    world = World(dt=dt)
    world.add_body(parts.hole_plate(segments=segments), "plate", fixed=True)
    top, length = 0.08, 0.1
    peg = world.add_body(
        parts.peg(length=length, segments=segments),
        "peg",
        pose=Pose.from_rotvec((3e-4, 2e-4, top + 1.5e-3), (tilt, 0.0, 0.02)),
        density=STEEL,
    )

    def drive(_world: World, time: float) -> None:
        z = max(top + 1.5e-3 - speed * time, 0.01)
        # Soft along the way, as a hand that feels its way, and stiff against turning: where one corner stands on the
        # rim, a push F tilts the peg by F r / stiffness; by 25 µm at its foot, and it would stand there for good.
        peg.grab(Pose((0.0, 0.0, z)), stiffness=2000.0, angular_stiffness=8000.0, max_force=30.0)

    return Scene(world, top / speed + 0.2, drive, View(azimuth=25.0, elevation=20.0, cut=("plate",)))


def nut_on_bolt(*, torque: float = 2e-3, segments: int = 32, dt: float = 1e-3) -> Scene:
    """An M20 nut, twisted lightly, runs down the thread of its bolt without friction.

    `torque` [N m] about the axis, besides the nut's weight.
    """
    world = World(dt=dt)
    world.add_body(parts.hex_bolt(segments=segments), "bolt", fixed=True)
    nut = world.add_body(parts.hex_nut(segments=segments), "nut", pose=parts.on_thread("M20", 0.03), density=STEEL)

    def drive(_world: World, _time: float) -> None:
        nut.apply_torque((0.0, 0.0, -torque))

    return Scene(world, 0.3, drive, View(azimuth=25.0, elevation=20.0, cut=("nut",)))


def countersunk(*, lift: float = 5e-3, segments: int = 24, dt: float = 1e-3) -> Scene:
    """An M8 bolt, let go a little askew in its countersunk hole, slides down to its seat.

    `lift` [m] is the height above the seat from which it starts.
    """
    world = World(dt=dt)
    world.add_body(parts.countersunk_plate(segments=segments), "plate", fixed=True)
    world.add_body(
        parts.countersunk_bolt(segments=segments),
        "bolt",
        pose=Pose.from_rotvec((1e-5, 0.0, lift), (2e-3, 1e-3, 0.3)),
        density=STEEL,
        angular_damping=5.0,
        damping=1.0,
    )
    return Scene(world, 0.3, None, View(azimuth=25.0, elevation=20.0, cut=("plate",)))


def radio(*, speed: float = 0.2, tilt: float = radians(1.0), dt: float = 1e-3) -> Scene:
    """A hand slides a car radio, held a little askew, into its console along the guide rails.

    `speed` [m/s] of the hand, `tilt` [rad] and an offset of 1 mm at the start.
    """
    world = World(dt=dt)
    world.add_body(parts.radio_console(), "console", fixed=True)
    start = -0.18
    box = world.add_body(
        parts.car_radio(),
        "radio",
        pose=Pose.from_rotvec((1e-3, start, -5e-4), (tilt, 0.0, tilt)),
        mass=1.5,
    )

    def drive(_world: World, time: float) -> None:
        box.grab(Pose((0.0, min(start + speed * time, 0.0), 0.0)), max_force=60.0, max_torque=5.0)

    return Scene(world, -start / speed + 0.2, drive, View(azimuth=-40.0, elevation=30.0, cut=("console",)))


def gears(*, speed: float = 2.0 * pi, torque: float = 1e-2, dt: float = 1e-3) -> Scene:
    """A gear turned by a motor drives its twin by the contact of their teeth, against a braking torque.

    `speed` [rad/s] of the motor, `torque` [N m] of the brake.
    """
    world = World(dt=dt, gravity=(0.0, 0.0, 0.0))
    wheel = parts.gear()
    world.add_body(wheel, "motor", kinematic=True, angular_velocity=(0.0, 0.0, speed))
    driven = world.add_body(
        wheel,
        "driven",
        pose=parts.meshing(20, 20, 0.002),
        density=STEEL,
        angular_velocity=(0.0, 0.0, -speed),
        locked=("x", "y", "z", "rx", "ry"),
    )

    def drive(_world: World, _time: float) -> None:
        driven.apply_torque((0.0, 0.0, torque))

    return Scene(world, 0.9, drive, View(azimuth=10.0, elevation=55.0))
