"""The impulse method beside stepping: 200 balls that bounce in a box, and a box that comes to rest.

Balls that bounce without loss: the error is that of places beside those of the impulse method after a time in which
most balls were struck once or twice. The impulse method is asked with steps of another length, which changes its
rounding alone. Both run in one process, in turn; times are of the processor.
"""

import time
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

import abut

COUNT, SIZE, RADIUS, DURATION, REPEATS = 200, 1.0, 0.03, 0.5, 3
"""Balls, edge of the box [m], radius [m], seconds of motion, and how often each is run."""
EARLY = 0.1
"""[s] after which places are compared: later, errors have grown by as much with any method."""
WAYS = (("impulse", 1e-2), ("impulse", 1e-3), ("ncp", 2e-3), ("ncp", 1e-3), ("ncp", 5e-4))


def run(console: Any) -> None:
    exact = _places(balls("impulse", EARLY / 3.0))
    seconds: dict[tuple[str, float], list[float]] = {way: [] for way in WAYS}
    energy: dict[tuple[str, float], float] = {}
    for _ in range(REPEATS):
        for way in WAYS:
            world = balls(*way)
            world.step()
            before, clock = world.energy, time.process_time()
            world.run(DURATION)
            seconds[way].append(time.process_time() - clock)
            energy[way] = world.energy / before - 1.0
    table = Table("method", "dt, ms", "processor s / s", "beside the first", "error, mm", "energy gained")
    first = median(seconds[WAYS[0]])
    for way in WAYS:
        error = np.abs(_places(balls(*way)) - exact).max()
        taken = median(seconds[way])
        figures = (f"{taken / DURATION:.3f}", f"{taken / first:.1f}", f"{1e3 * error:.2g}", f"{energy[way]:.1g}")
        table.add_row(way[0], f"{1e3 * way[1]:g}", *figures)
    console.print(table)
    resting(console)


def resting(console: Any) -> None:
    """A box that rests is carried by a train of blows."""
    table = Table("a box at rest on the floor", "processor s / s", "blows / s")
    for method in ("impulse", "ncp"):
        world = abut.World(method=method, dt=1e-2 if method == "impulse" else 1e-3, restitution=0.3)
        world.add_body(abut.HalfSpace(), "floor", fixed=True)
        world.add_body(abut.Solid.box(0.1), "box", pose=abut.Pose((0.0, 0.0, 0.051)), velocity=(0.1, 0.0, 0.0))
        world.run(0.3)
        clock, blows = time.process_time(), 0
        for _ in range(round(0.3 / world.dt)):
            blows += world.step().rounds - 1
        taken = (time.process_time() - clock) / 0.3
        table.add_row(method, f"{taken:.3f}", f"{blows / 0.3:,.0f}" if method == "impulse" else "")
    console.print(table)


def balls(method: str, dt: float) -> abut.World:
    """Balls on a grid in a box of six half-spaces, with random velocities."""
    world, rng = abut.World(method=method, dt=dt, restitution=1.0), np.random.default_rng(1)
    for axis in range(3):
        for side in (1.0, -1.0):
            world.add_body(abut.HalfSpace(side * np.eye(3)[axis], -0.5 * SIZE), f"wall {axis} {side}", fixed=True)
    n = int(np.ceil(COUNT ** (1.0 / 3.0)))
    line = np.linspace(-0.5 * SIZE + 0.07, 0.5 * SIZE - 0.07, n)
    for i in range(COUNT):
        place = abut.Pose((line[i % n], line[i // n % n], line[i // n // n]))
        world.add_body(abut.Sphere(RADIUS), f"ball {i}", pose=place, velocity=rng.normal(size=3))
    return world


def _places(world: abut.World) -> Any:
    world.run(EARLY)
    return np.array([body.pose.position for body in world.bodies])
