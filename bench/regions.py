"""Contact regions: of pairs of parts, and what those of a world take of its steps.

Times are medians of warm calls, on one core. Shares are what `world.regions`, asked for after every step, adds to the
processor time of a run: medians of runs that ask and runs that do not, by turns. Python's collector of garbage waits
until a run is done.
"""

import gc
import time
from collections.abc import Callable
from math import cos, radians
from statistics import median
from typing import Any

from rich.table import Table

ENGINES = ("peg", "hand", "nut", "driver", "chain", "stack")
"""Scenes of the comparison with other engines, from beginning to end."""
SCENES = ("screwdriver", "arch", "gears", "radio", "assembly")
"""Others, for so many steps."""
STEPS = 250
RUNS = 9
"""Of each kind and scene."""
CORNERS = (4, 16, 64, 256)
"""Of discs that slide."""
TURN = 25
"""Steps of each of them, before it is another's turn."""


def run(console: Any) -> None:
    """Print all tables."""
    console.print(_pairs())
    console.print(_worlds())
    console.print(_discs())


def _pairs() -> Table:
    import abut

    table = Table("pair", "triangles", "regions", "all of them [µs]", "all pairs that meet [µs]", "outlines [µs]")
    for name, a, b, X_a, X_b in _cases():
        found = abut.contact_regions(a, b, X_a, X_b)
        taken = _timed(lambda a=a, b=b, X_a=X_a, X_b=X_b: abut.contact_regions(a, b, X_a, X_b))
        beside = _timed(lambda a=a, b=b, X_a=X_a, X_b=X_b: abut.intersect(a, b, X_a, X_b, every=True))
        outlines = _timed(lambda found=found: [region.loops for region in found])
        sizes = f"{len(a.triangles)} / {len(b.triangles)}"
        table.add_row(name, sizes, str(found), *(f"{1e6 * t:,.0f}" for t in (taken, beside, outlines)))
    return table


def _cases() -> list[tuple[Any, ...]]:
    import abut

    Pose, Solid = abut.Pose, abut.Solid
    box, dowel = Solid.box(0.1), Solid.cylinder(0.01, 0.05, segments=256)
    hub = Solid.revolve([(0.005, -0.01), (0.02, -0.01), (0.02, 0.01), (0.005, 0.01)], segments=64)
    driver, screw = abut.parts.cross_recess_driver(), abut.parts.cross_recess_screw()
    return [
        ("two boxes", box, box, Pose(), Pose((0.03, 0.02, 0.1))),
        ("256-gon on a plate", Solid.box((0.1, 0.1, 0.01)), dowel, Pose(), Pose((0, 0, 0.03))),
        ("shaft in its bore, 64 facets", hub, Solid.cylinder(0.005, 0.04, segments=64), Pose(), Pose()),
        ("driver in its screw", driver, screw, Pose((0, 0, -30e-6 / cos(radians(28)))), Pose()),
    ]


def _timed(call: Any, least: int = 30) -> float:
    call()
    times = []
    for _ in range(least):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return median(times)


def _worlds() -> Table:
    from abut.scene import scenes

    from .peers.tasks import TASKS

    table = Table("scene", "steps", "step [µs]", "with regions [µs]", "share", "half of the runs", "regions at most")
    cases: list[tuple[str, Callable[[], Any], int]] = [
        (task.title, lambda task=task: task.make(1e-3), round(1e3 * task.duration))
        for task in (TASKS[name] for name in ENGINES)
    ]
    cases += [(name, lambda name=name: scenes.make(name), STEPS) for name in SCENES]
    for title, make, steps in cases:
        alone, asked, most = measure(make, steps)
        shares = sorted(more / median(alone) - 1.0 for more in asked)
        table.add_row(
            title, str(steps), f"{1e6 * median(alone):,.0f}", f"{1e6 * median(asked):,.0f}", f"{median(shares):.0%}",
            f"{shares[RUNS // 4]:.0%} to {shares[-1 - RUNS // 4]:.0%}", str(most),
        )  # fmt: skip
    return table


def measure(make: Callable[[], Any], steps: int, runs: int = RUNS) -> tuple[list[float], list[float], int]:
    """Processor times [s] of a step in runs that do not ask and in runs that do, and how many regions there are."""
    times: tuple[list[float], list[float]] = ([], [])
    most = 0
    for run in range(runs):
        for asking in (run % 2 == 0, run % 2 == 1):
            taken, found = _time_run(make(), steps, asking)
            times[asking].append(taken)
            most = max(most, found)
    return *times, most


def _time_run(scene: Any, steps: int, asking: bool) -> tuple[float, int]:
    """Processor time of a step [s], and how many regions there were at most; the first step is not counted."""
    world, most = scene.world, 0
    scene.step()
    if asking:
        len(world.regions)
    gc.collect()
    gc.disable()
    start = time.process_time()
    for _ in range(steps):
        scene.step()
        if asking:
            most = max(most, len(world.regions))
    taken = time.process_time() - start
    gc.enable()
    return taken / steps, most


def _discs() -> Table:
    """What corners of a face cost: contacts are reduced to a few, whatever their number. All slide by turns."""
    table = Table("sliding", "step on a plane [µs]", "on a plate [µs]", "contacts at most", "tilt at most [µrad]")
    shapes = ["box", *CORNERS]
    told = {ground: _slide(shapes, ground) for ground in ("plane", "plate")}
    for shape in shapes:
        on = [told[ground][shape] for ground in told]
        name = shape if shape == "box" else f"disc of {shape} corners"
        most, tilt = max(row[1] for row in on), max(row[2] for row in on)
        table.add_row(name, *(f"{1e6 * row[0]:.0f}" for row in on), str(most), f"{1e6 * tilt:.2g}")
    return table


def _slide(shapes: list[Any], ground: str) -> dict[Any, tuple[float, int, float]]:
    """Processor time of a step [s], contacts at most, and tilt at most [rad] of each shape."""
    worlds = {shape: _sliding(shape, ground) for shape in shapes}
    times: dict[Any, list[float]] = {shape: [] for shape in shapes}
    most, tilt = dict.fromkeys(shapes, 0), dict.fromkeys(shapes, 0.0)
    for turn in range(12):
        for shape, (world, body) in worlds.items():
            start = time.process_time()
            for _ in range(TURN):
                world.step()
            if turn > 1:
                times[shape].append((time.process_time() - start) / TURN)
                most[shape] = max(most[shape], len(world.contacts))
                tilt[shape] = max(tilt[shape], float(abs(body.pose.rotvec[:2]).max()))
    return {shape: (median(times[shape]), most[shape], tilt[shape]) for shape in shapes}


def _sliding(shape: Any, ground: str) -> tuple[Any, Any]:
    import abut

    world = abut.World(friction=0.1)
    floor = abut.HalfSpace() if ground == "plane" else abut.Solid.box((2.0, 2.0, 0.02)).translated((0, 0, -0.01))
    world.add_body(floor, ground, fixed=True)
    part = abut.Solid.box((0.09, 0.09, 0.04)) if shape == "box" else abut.Solid.cylinder(0.05, 0.04, segments=shape)
    return world, world.add_body(part, "part", pose=abut.Pose((0, 0, 0.02001)), mass=1.0, velocity=(1.0, 0.2, 0))
