"""Four demonstrations of deformable bodies: what they are made of, how they are driven, and when to look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import abut


@dataclass
class Demo:
    """A world, what moves it, and at which times [s] it is looked at."""

    world: abut.World
    times: tuple[float, ...]
    drive: Callable[[float], None] = lambda time: None
    azimuth: float = -60.0
    elevation: float = 20.0
    clear: tuple[str, ...] = ()
    """Rigid bodies that are drawn translucent."""

    def moments(self) -> Iterator[float]:
        """Run, and stop at each time."""
        for time in self.times:
            while self.world.time < time - 1e-9:
                self.drive(self.world.time)
                report = self.world.step()
                assert report.time_given_up == 0.0, report
            yield time


def finer(part: abut.Solid, times: int) -> abut.Solid:
    """The same part with every triangle divided into four, some times over."""
    vertices, triangles = np.asarray(part.vertices), np.asarray(part.triangles)
    for _ in range(times):
        sides = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        edges, number = np.unique(sides, axis=0, return_inverse=True)
        middle = len(vertices) + number.reshape(-1, 3)
        vertices = np.concatenate((vertices, vertices[edges].mean(axis=1)))
        (a, b, c), (ab, bc, ca) = triangles.T, middle.T
        triangles = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return abut.Solid(vertices, triangles)


def spheres() -> Demo:
    """Two soft spheres at 2 m/s."""
    part = abut.Solid.sphere(0.1, segments=72)
    mesh = abut.fem.TetMesh.from_solid(part, 0.03)
    world = abut.World(gravity=(0, 0, 0), dt=5e-3)
    for name, side in (("left", -1), ("right", 1)):
        pose = abut.Pose((side * 0.102, side * 0.005, 0))
        material = {"young": 1e5, "poisson": 0.4, "density": 1000.0}
        world.add_deformable(mesh, name, surface=part, pose=pose, velocity=(-side, 0, 0), **material)
    return Demo(world, (0.005, 0.03, 0.055, 0.1))


def clip() -> Demo:
    """A snap-fit clip of soft plastic, led by its root over a rigid edge."""
    outline = [(0, 0), (0.003, 0), (0.003, 0.034), (0.0065, 0.034), (0.003, 0.042), (0, 0.042)]
    part = abut.Solid.extrude(outline, 0.008).transformed(abut.Pose.from_rotvec((0, 0, 0), (np.pi / 2, 0, 0)))
    part = finer(part, 3)
    mesh = abut.fem.TetMesh.from_solid(part, 0.0016, fit="cage")
    world = abut.World(gravity=(0, 0, 0), dt=2e-3, friction=0.2)
    low, high = part.bounds
    material = {"young": 2e7, "poisson": 0.4, "density": 1100.0, "damping": (0.0, 1e-3)}
    soft = world.add_deformable(mesh, "clip", surface=part, pose=abut.Pose((0, 0, 0.04)), **material)
    edge = abut.Solid.box((0.01, 0.02, 0.006))
    world.add_body(edge, "edge", pose=abut.Pose((0.0032 + 0.005, 0.5 * (low[1] + high[1]), 0.0875)), fixed=True)
    root = world.add_body(
        abut.Solid.box((0.012, 0.012, 0.006)),
        "hand",
        pose=abut.Pose((0.0015, 0.5 * (low[1] + high[1]), 0.037)),
        kinematic=True,
    )
    soft.attach(np.flatnonzero(np.asarray(mesh.nodes)[:, 2] < low[2] + 0.003), root)
    root.velocity = (0, 0, 0.05)
    return Demo(world, (0.04, 0.11, 0.19, 0.34), azimuth=-75.0)


def seal() -> Demo:
    """A rubber ring pressed into a groove by a plate."""
    ring = abut.Solid.torus(0.02, 0.003, segments=28)
    mesh = abut.fem.TetMesh.from_solid(ring, 0.0024)
    profile = [
        (0.014, -0.008),
        (0.026, -0.008),
        (0.026, 0.0),
        (0.0236, 0.0),
        (0.0236, -0.0046),
        (0.0164, -0.0046),
        (0.0164, 0.0),
        (0.014, 0.0),
    ]
    groove = abut.Solid.revolve(profile, segments=28)
    world = abut.World(gravity=(0, 0, 0), dt=4e-3)
    world.add_body(groove, "groove", fixed=True)
    plate = world.add_body(abut.Solid.cylinder(0.028, 0.003), "plate", pose=abut.Pose((0, 0, 0.0032)), kinematic=True)
    material = {"young": 5e6, "poisson": 0.45, "density": 1200.0, "damping": (0.0, 1e-3)}
    world.add_deformable(mesh, "seal", surface=ring, pose=abut.Pose((0, 0, -0.0015)), **material)
    plate.velocity = (0, 0, -0.02)
    return Demo(world, (0.004, 0.04, 0.072), clear=("plate",), elevation=35.0)


def gripper() -> Demo:
    """Two soft fingers close on a rigid gear and lift it."""
    gear = abut.parts.gear()
    low, high = gear.bounds
    size = high - low
    world = abut.World(dt=4e-3, friction=0.8)
    world.add_body(abut.HalfSpace((0, 0, 1)), "table", fixed=True)
    world.add_body(gear, "gear", pose=abut.Pose((0, 0, -low[2] + 2e-5)), density=3000.0)
    thick, tall = 0.35 * size[0], 1.5 * size[2]
    pad = abut.Solid.box((thick, 0.7 * size[1], tall))
    mesh = abut.fem.TetMesh.from_solid(pad, 0.4 * min(thick, tall))
    jaws = []
    for side in (-1, 1):
        x = side * (0.5 * size[0] + 0.5 * thick + 0.02 * size[0])
        place = abut.Pose((x, 0, 0.5 * tall + 0.1 * size[2]))
        material = {"young": 3e5, "poisson": 0.4, "density": 1000.0, "damping": (0.0, 2e-3)}
        finger = world.add_deformable(mesh, f"finger {side}", surface=pad, pose=place, **material)
        block = abut.Solid.box((0.3 * thick, 0.8 * size[1], 1.1 * tall))
        jaw = world.add_body(
            block, f"jaw {side}", pose=abut.Pose((x + side * 0.65 * thick, 0, place.position[2])), kinematic=True
        )
        outer = np.flatnonzero(side * np.asarray(mesh.nodes)[:, 0] > 0.45 * thick)
        finger.attach(outer, jaw)
        jaws.append((side, jaw))
    squeeze, rise = 0.12 * thick + 0.02 * size[0], 1.2 * size[2]

    def drive(time: float) -> None:
        for side, jaw in jaws:
            jaw.velocity = (-side * squeeze / 0.1, 0, 0) if time < 0.1 else (0, 0, rise / 0.3 if time < 0.42 else 0.0)

    return Demo(world, (0.004, 0.1, 0.25, 0.44), drive)


DEMOS = {"spheres": spheres, "clip": clip, "seal": seal, "gripper": gripper}
