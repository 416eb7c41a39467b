"""Runs: what recording costs a step and how long it stops one, how long reading, reporting and starting take."""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.table import Table

BODIES, STEPS, RATE = 20, 2000, 1000
SIDE_STEPS, REPEATS = 60, 5
READ_SECONDS = 60.0
"""Simulated, of the run that is read back and reported."""


def run(console: Any) -> None:
    table = Table("what", "measured", "wanted")
    with tempfile.TemporaryDirectory() as folder:
        for row in (*_recording(Path(folder)), *_reading(Path(folder)), *_side_by_side(), _starting()):
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
    with abut.recording(world, folder / "first") as recorder:  # compiles kernels, or loads them
        for _ in range(100):
            recorder.step()
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
    each = sum(recorded) / len(recorded)
    cost = f"{1e6 * median(recorded):.0f} µs, mean {1e6 * each:.0f} µs: {100 * each * RATE:.1f} % at {RATE:,} steps/s"
    longest = (1e3 * np.partition(times, -2)[-2] for times in (recorded, plain))
    return [
        ("step of 20 bodies", f"{1e6 * median(plain):.0f} µs, {world.report.contacts} contacts", ""),
        ("recording a step", cost, "< 5 %"),
        ("longest stall, longest step", " ms, ".join(f"{ms:.2f}" for ms in longest) + " ms", "< 2 ms"),
    ]


def _reading(folder: Path) -> list[tuple[str, str, str]]:
    import abut
    from abut.app.reports import write_report

    world = _world()
    with abut.recording(world, folder / "read") as recorder:
        while world.time < READ_SECONDS:
            recorder.step()
    read = [_read(folder / "read") for _ in range(3)][-1]  # the first loads kernels
    start = time.perf_counter()
    write_report(abut.Run(folder / "read"), folder / "report.html")
    report = time.perf_counter() - start
    return [
        (f"reading {READ_SECONDS:g} s", f"{read[0]:.2f} s for {read[1]:,} states of {BODIES} bodies", "< 1 s"),
        ("and all contacts", f"{read[2]:.2f} s for {read[3]:,}", ""),
        (f"report of {READ_SECONDS:g} s", f"{report:.2f} s", "< 10 s"),
    ]


def _read(folder: Path) -> tuple[float, int, float, int]:
    """Seconds for states and their number, for contacts and theirs."""
    import abut

    run, start = abut.Run(folder), time.perf_counter()
    states = len(run.all_poses) + 0 * len(run.all_velocities)
    middle = time.perf_counter()
    contacts = len(run.contacts)
    return middle - start, states, time.perf_counter() - middle, contacts


def _side_by_side() -> list[tuple[str, str, str]]:
    """How much faster two threads step two worlds than one thread steps both."""
    rows = []
    for n in (20, 100, 300):
        ratios, step = zip(*(_ratio(n) for _ in range(REPEATS)), strict=True)
        told = f"{median(ratios):.2f} times as fast (from {min(ratios):.2f} to {max(ratios):.2f})"
        what = f"two threads, {n} boxes, steps of {1e3 * median(step):.2g} ms"
        rows.append((what, told, f"{len(os.sched_getaffinity(0))} processors"))
    return rows


def _sliding(n: int) -> Any:
    """Boxes that slide side by side without friction, and so never sleep."""
    import abut

    world = abut.World()
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    for k in range(n):
        pose = abut.Pose((0.13 * (k % 20), 0.13 * (k // 20), 0.0501))
        world.add_body(abut.Solid.box(0.1), pose=pose, velocity=(0.05, 0.02, 0.0))
    return world


def _ratio(n: int) -> tuple[float, float]:
    """Of wall clocks, for the same steps one world after the other and side by side; and [s] of a step."""
    worlds = [_sliding(n) for _ in range(2)]
    for world in worlds:
        _steps(world)
    saved, seconds = [world.save() for world in worlds], []
    for threads in (1, 2):
        for world, blob in zip(worlds, saved, strict=True):
            world.load(blob)
            world.step()
        start = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(_steps, worlds))
        seconds.append(time.perf_counter() - start)
    return seconds[0] / seconds[1], seconds[0] / (2 * SIDE_STEPS)


def _steps(world: Any) -> None:
    for _ in range(SIDE_STEPS):
        world.step()


def _starting() -> tuple[str, str, str]:
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "abut", "--help"], check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
    return ("abut --help", f"{min(seconds):.2f} s", "< 0.3 s")
