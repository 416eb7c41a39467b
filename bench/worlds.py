"""Five scenes side by side: abut, MuJoCo with hulls, CoACD pieces and distance fields, and PyBullet.

Same parts, masses, forces and dt. Times are processor seconds of the step alone; overlaps are measured on the true
shapes (bench/peers/overlap.py); what counts as success is in bench/peers/tasks.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.table import Table

from .peers.tasks import TASKS, Task

HEADINGS = ("scene", "engine", "dt [ms]", "ms/step", "x real time", "largest overlap [µm]", "works", "end")
PLAN: dict[str, tuple[tuple[str, float], ...]] = {
    "peg": (
        ("abut", 1e-3), ("MuJoCo hull", 1e-3), ("MuJoCo CoACD", 1e-3), ("MuJoCo SDF", 1e-3), ("MuJoCo SDF", 5e-4),
        ("PyBullet", 1e-3), ("PyBullet", 2e-4),
    ),
    "hand": (("abut", 1e-3), ("MuJoCo SDF", 1e-3), ("PyBullet", 1e-3)),
    "nut": (
        ("abut", 1e-3), ("MuJoCo hull", 1e-3), ("MuJoCo CoACD", 1e-3), ("MuJoCo SDF", 1e-3), ("MuJoCo SDF", 5e-4),
        ("PyBullet", 1e-3),
    ),
    "driver": (
        ("abut", 1e-3), ("MuJoCo hull", 1e-3), ("MuJoCo CoACD", 1e-3), ("MuJoCo SDF", 1e-3), ("MuJoCo SDF", 5e-4),
        ("PyBullet", 1e-3),
    ),
    "chain": (("abut", 1e-3), ("MuJoCo hull", 1e-3), ("MuJoCo CoACD", 1e-3), ("MuJoCo SDF", 1e-3), ("PyBullet", 1e-3)),
    "stack": (("abut", 1e-3), ("MuJoCo hull", 1e-3), ("PyBullet", 1e-3)),
}  # fmt: skip
"""Who runs what, with which dt; a second dt where a peer does better with it. A box is a box in every peer."""
SHORT = 2.0
"""A run that took less than so many seconds is repeated, and the faster one counts."""


@dataclass(frozen=True)
class Run:
    """What came of one run."""

    seconds_per_step: float
    real_time_factor: float
    overlap: float
    works: bool
    end: str
    pieces: int


def run(console: Any) -> None:
    """Print the table and leave it in out/peers/worlds.md; ABUT_TASKS="peg nut" chooses scenes."""
    rows = []
    for key in os.environ.get("ABUT_TASKS", " ".join(PLAN)).split():
        for engine, dt in PLAN[key]:
            missing = _missing(engine)
            if missing:
                console.print(f"{missing} is not installed: no row for {engine} in '{TASKS[key].title}'")
                continue
            rows.append(_row(TASKS[key], engine, dt, measure(TASKS[key], engine, dt)))
            console.print(" | ".join(rows[-1]), highlight=False)
    table = Table(*HEADINGS)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    file = Path("out/peers/worlds.md")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(markdown(HEADINGS, rows))
    console.print(f"also in {file}")


def measure(task: Task, engine: str, dt: float) -> Run:
    """Run a task once, or twice where that is quick, so that neither compilers nor neighbours count."""
    first = _run(task, engine, dt)
    if engine != "abut" and first.seconds_per_step * task.duration / dt > SHORT:
        return first
    second = _run(task, engine, dt)
    return min(first, second, key=lambda found: found.seconds_per_step)


def _run(task: Task, engine: str, dt: float) -> Run:
    from .peers.overlap import deepest_overlap
    from .peers.snapshot import bodies_of

    scene = task.make(dt)
    bodies = bodies_of(scene)
    world = _makers(task)[engine](scene)
    overlap, turn, before = 0.0, 0.0, world.poses[-1]
    every = max(1, round(task.every * 1e-3 / dt))
    for k in range(round(task.duration / dt)):
        world.step()
        now = world.poses[-1]
        turn, before = turn + float((now @ before.inverse()).rotvec[2]), now
        if k % every == every - 1:
            overlap = max(overlap, deepest_overlap(bodies, world.poses))
    works, end = task.judge(bodies, world.poses, turn)
    seconds = world.seconds / world.steps
    return Run(seconds, dt / seconds, overlap, works, end, getattr(world, "pieces", 0))


def _makers(task: Task) -> dict[str, Callable[[Any], Any]]:
    from .peers.bullet_engine import BulletEngine
    from .peers.engine import AbutEngine
    from .peers.mujoco_engine import CUTS, MujocoEngine

    mujoco = {f"MuJoCo {cut}": lambda scene, cut=cut: MujocoEngine(scene, cut) for cut in CUTS}
    return {"abut": AbutEngine, "PyBullet": lambda scene: BulletEngine(scene, task.bullet), **mujoco}


def _missing(engine: str) -> str:
    """The package that an engine needs and that is not there."""
    needed = {"MuJoCo": ["mujoco"], "PyBullet": ["pybullet", "coacd"]}.get(engine.split()[0], [])
    needed += ["coacd"] if "CoACD" in engine else []
    return next((name for name in needed if find_spec(name) is None), "")


def _row(task: Task, engine: str, dt: float, found: Run) -> tuple[str, ...]:
    pieces = f" ({found.pieces} pieces)" if "CoACD" in engine else ""
    overlap = "none" if found.overlap == 0.0 else f"{1e6 * found.overlap:.3g}"
    return (
        task.title,
        engine + pieces,
        f"{1e3 * dt:g}",
        f"{1e3 * found.seconds_per_step:.3g}",
        f"{found.real_time_factor:.2g}",
        overlap,
        "yes" if found.works else "no",
        found.end,
    )


def markdown(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table for a page."""
    lines = ["| " + " | ".join(row) + " |" for row in (headings, ["---"] * len(headings), *rows)]
    return "\n".join(lines) + "\n"
