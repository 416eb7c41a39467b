"""Runs: what recording costs a step and how long it stops one, how long reading, reporting and starting take."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

BODIES, STEPS = 20, 2000
READ_SECONDS = 60.0
"""Simulated, of the run that is read back and reported."""


def run(console: Any) -> None:
    table = Table("what", "measured", "wanted")
    with tempfile.TemporaryDirectory() as folder:
        for row in (*_recording(Path(folder)), *_reading(Path(folder)), _starting()):
            table.add_row(*row)
    console.print(table)


def _world() -> Any:
    """Nineteen boxes side by side, pushed so that none of them sleeps."""
    import abut

    world = abut.World(friction=0.3)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    for k in range(BODIES - 1):
        pose = abut.Pose((0.15 * (k % 5), 0.15 * (k // 5), 0.0501))
        world.add_body(abut.Solid.box(0.1), f"box {k}", pose=pose, velocity=(0.05, 0.0, 0.0))
    return world


def _recording(folder: Path) -> list[tuple[str, str, str]]:
    import abut

    world, plain, recorded = _world(), [], []
    for _ in range(100):
        world.step()
    with abut.recording(world, folder / "cost") as recorder:
        step = world.step
        for _ in range(STEPS):
            for body in world.bodies[1:]:
                body.velocity = (0.05, 0.0, 0.0)
            begin = time.perf_counter()
            recorder.before_step()
            before = time.perf_counter()
            report = step()
            after = time.perf_counter()
            recorder.after_step(report)
            plain.append(after - before)
            recorded.append(time.perf_counter() - after + before - begin)
    share = sum(recorded) / sum(plain)
    return [
        ("step of 20 bodies", f"{1e6 * median(plain):.0f} µs, {world.report.contacts} contacts", ""),
        ("recording", f"{1e6 * median(recorded):.0f} µs a step, {100 * share:.1f} % in all", "< 5 %"),
        ("longest stall", f"{1e3 * np.partition(recorded, -2)[-2]:.2f} ms", "< 2 ms"),
    ]


def _reading(folder: Path) -> list[tuple[str, str, str]]:
    import abut
    from abut.app.reports import write_report

    world = _world()
    with abut.recording(world, folder / "read") as recorder:
        while world.time < READ_SECONDS:
            recorder.step()
    start = time.perf_counter()
    run = abut.Run(folder / "read")
    shape = (run.all_poses.shape, run.all_velocities.shape)
    read = time.perf_counter() - start
    start = time.perf_counter()
    write_report(abut.Run(folder / "read"), folder / "report.html")
    report = time.perf_counter() - start
    return [
        (f"reading {READ_SECONDS:g} s", f"{read:.2f} s for {shape[0][0]:,} states of {BODIES} bodies", "< 1 s"),
        (f"report of {READ_SECONDS:g} s", f"{report:.2f} s", "< 10 s"),
    ]


def _starting() -> tuple[str, str, str]:
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "abut", "--help"], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
    return ("abut --help", f"{min(seconds):.2f} s", "< 0.3 s")
