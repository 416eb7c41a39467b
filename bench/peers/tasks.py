"""The five scenes of the comparison, and what counts as success in each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, radians, sin
from typing import Any

import numpy as np

from abut import Pose, World
from abut.geometry.making.thread import coarse_pitch
from abut.scene import parts, scenes
from abut.scene.scenes import Scene

from .snapshot import PeerBody

Verdict = tuple[bool, str]
Judge = Callable[[list[PeerBody], list[Pose], float], Verdict]
"""Bodies at their start, poses at the end, turn of the last body about z: success, and a figure that tells of it."""


@dataclass(frozen=True)
class Task:
    """A scene with an end that can be judged."""

    title: str
    make: Callable[[float], Scene]
    """For a time step [s]."""
    duration: float
    judge: Judge
    every: int
    """Steps of 1 ms from one measurement of overlap to the next."""
    bullet: dict[str, Any]
    """The best settings found for PyBullet."""


def pushed_peg(dt: float) -> Scene:
    """A 50 mm peg with 50 µm of clearance, 1 degree askew and 10 µm off, pushed by 20 N alone: nothing aligns it."""
    world, tilt = World(dt=dt), radians(1.0)
    world.add_body(parts.hole_plate(), "plate", fixed=True)
    above = Pose.from_rotvec((1e-5, 0.0, 0.08 + 0.025 * sin(tilt) + 5e-4), (0.0, tilt, 0.0))
    peg = world.add_body(parts.peg(), "peg", pose=above, density=7850.0)

    def drive(_world: World, _time: float) -> None:
        peg.apply_force((0.0, 0.0, -20.0))

    return Scene(world, 0.1, drive)


def _in_hole(_bodies: list[PeerBody], poses: list[Pose], _turn: float) -> Verdict:
    """At least 40 mm deep, and in the hole."""
    x, y, z = poses[1].position
    return bool(z < 0.04 and np.hypot(x, y) < 1e-3), f"{1e3 * (0.08 - z):.1f} mm deep"


def _ran_down(bodies: list[PeerBody], poses: list[Pose], turn: float) -> Verdict:
    """Advanced as its pitch says, within the axial play of the flanks, by as much as a frictionless nut must."""
    nut, pitch = bodies[1], coarse_pitch(0.02)
    lead, time = pitch / (2.0 * pi), NUT_TIME
    inertia = nut.inertia[2, 2] + nut.mass * lead**2
    wanted = 0.5 * (2e-3 + nut.mass * 9.81 * lead) / inertia * time**2
    sunk = nut.pose.position[2] - poses[1].position[2]
    fits = abs(sunk + lead * turn) < 2.1e-4 and abs(-turn / wanted - 1.0) < 0.1
    return bool(
        fits
    ), f"{-turn / (2 * pi):.3f} turns, {1e3 * sunk:.3f} mm (ideal {wanted / (2 * pi):.3f}, {1e3 * lead * wanted:.3f})"


def _seated(_bodies: list[PeerBody], poses: list[Pose], _turn: float) -> Verdict:
    """Where the geometry says: 30 µm / cos 28 degrees below the pose in which it was drawn."""
    z = float(poses[1].position[2])
    return abs(z + 30e-6 / cos(radians(28.0))) < 2e-5, f"at {1e6 * z:.0f} µm (ideal -34)"


def _hangs(_bodies: list[PeerBody], poses: list[Pose], _turn: float) -> Verdict:
    """No ring farther from the next than two linked rings can be."""
    places = np.array([pose.position for pose in poses])
    apart = np.linalg.norm(np.diff(places, axis=0), axis=1)
    return bool(apart.max() < 2.0 * (0.05 - 0.008) + 1e-3 and apart.min() > 0.016), f"{1e3 * apart.max():.2f} mm apart"


def _stands(_bodies: list[PeerBody], poses: list[Pose], _turn: float) -> Verdict:
    """Every box within a millimetre of its place."""
    places = np.array([pose.position for pose in poses[1:]])
    off = np.abs(places - places[0] - [[0.0, 0.0, 0.1 * i] for i in range(len(places))]).max()
    return bool(off < 1e-3), f"{1e3 * off:.3f} mm off"


NUT_TIME = 0.3
TIGHT = {"contactBreakingThreshold": 5e-5}
"""[m] at which Bullet drops a contact; its default of 20 mm keeps contacts that jam a fit of 0.05 mm."""
STIFF = {"contactBreakingThreshold": 0.02, "erp": 0.8, "contactERP": 0.8}
"""Penetration is taken out fast, contacts are kept: a stack stands. (The threshold is one for all clients.)"""

TASKS = {
    "peg": Task("peg in hole, pushed", pushed_peg, 0.1, _in_hole, 1, TIGHT),
    "hand": Task("peg in hole, by hand", lambda dt: scenes.peg_in_hole(dt=dt), 1.0, _in_hole, 10, TIGHT),
    "nut": Task("nut on bolt", lambda dt: scenes.nut_on_bolt(dt=dt), NUT_TIME, _ran_down, 10, TIGHT),
    "driver": Task("driver in recess", lambda dt: scenes.driver(dt=dt), 0.1, _seated, 2, TIGHT),
    "chain": Task("chain of ten rings", lambda dt: scenes.chain(dt=dt), 1.0, _hangs, 10, STIFF),
    "stack": Task("stack of ten", lambda dt: scenes.stack(dt=dt), 1.0, _stands, 10, STIFF),
}
