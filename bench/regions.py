"""Contact regions: of pairs of parts, and what those of a world take of its steps.

Times are medians of warm calls, on one core. Shares are processor time of `world.regions`, asked for after every step,
over that of the steps themselves, in one run.
"""

import time
from math import cos, radians
from statistics import median
from typing import Any

from rich.table import Table

LIMIT_SHARE = 0.20
"""Of a step: what regions may take."""
LIMIT_DRIVER = 1e-3
"""[s] for the regions of a driver seated in its screw."""
SCENES = ("peg_in_hole", "nut_on_bolt", "screwdriver", "chain", "stack", "arch", "gears", "radio", "assembly")
STEPS = 250


def run(console: Any) -> None:
    """Print both tables."""
    console.print(_pairs())
    console.print(_worlds())


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

    table = Table("scene", "step [µs]", "regions [µs]", "share", "regions at most")
    for name in SCENES:
        step, regions, most = measure(scenes.make(name))
        table.add_row(name, f"{1e6 * step:,.0f}", f"{1e6 * regions:,.0f}", f"{regions / step:.0%}", str(most))
    return table


def measure(scene: Any, steps: int = STEPS) -> tuple[float, float, int]:
    """Mean processor time [s] of a step and of its regions, and the largest number of these."""
    world, most, taken = scene.world, 0, [0.0, 0.0]
    scene.step()
    len(world.regions)
    for _ in range(steps):
        start = time.process_time()
        scene.step()
        middle = time.process_time()
        most = max(most, len(world.regions))
        taken = [taken[0] + middle - start, taken[1] + time.process_time() - middle]
    return taken[0] / steps, taken[1] / steps, most
