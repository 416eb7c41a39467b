"""Long runs: drift, energy, memory and speed of a resting stack and a swinging chain over 100,000 steps each."""

import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

STEPS, SETTLE = 100_000, 2_000
"""Steps in all, and before the first look."""


def run(console: Any) -> None:
    from abut.scene import scenes

    table = Table(
        "scene", "steps/s early", "late", "sideways [gaps]", "height [gaps]", "turned [rad]", "kinetic energy [J]",
        "energy rise / J", "contacts", "given up [ms]", "resident [MB]", "Python [kB]",
    )  # fmt: skip
    for name, scene in (("stack of ten", scenes.stack()), ("chain of ten", scenes.chain())):
        table.add_row(name, *measure(scene, STEPS, SETTLE))
    console.print(table)
    console.print(
        "Sideways, height, turned: since step 2,000, of the body that moved most; energy and memory likewise."
    )


def measure(scene: Any, steps: int, settle: int) -> list[str]:
    """Figures of a long run, as text."""
    world = scene.world
    early = _advance(scene, settle)
    start, energy, resident = _places(world), world.energy, _resident()
    highest, given_up = -np.inf, 0.0
    for _ in range(steps - 2 * settle):
        given_up += scene.step().time_given_up
        highest = max(highest, world.energy)
    late = _advance(scene, settle)
    moved, gap = _places(world) - start, world.contact_gap
    return [
        f"{settle / early:,.0f}",
        f"{settle / late:,.0f}",
        f"{np.abs(moved[:, :2]).max() / gap:.2g}",
        f"{np.abs(moved[:, 2]).max() / gap:.2g}",
        f"{np.abs(moved[:, 3:]).max():.2g}",
        f"{world.kinetic_energy:.2g}",
        f"{highest - energy:.2g}",
        str(world.report.contacts),
        f"{1e3 * given_up:.2g}",
        f"{_resident() - resident:+.1f}",
        f"{grown(scene, settle) / 1024:+.1f}",
    ]


def grown(scene: Any, steps: int) -> int:
    """By how many bytes what Python holds grows over so many steps."""
    tracemalloc.start()
    _advance(scene, 100)  # what the first steps allocate for good counts before
    before, _ = tracemalloc.get_traced_memory()
    _advance(scene, steps)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return after - before


def _advance(scene: Any, steps: int) -> float:
    clock = time.process_time()
    for _ in range(steps):
        scene.step()
    return time.process_time() - clock


def _places(world: Any) -> np.ndarray:
    """(n, 6) positions and rotation vectors of the dynamic bodies."""
    return np.array([[*b.pose.position, *b.pose.rotvec] for b in world.bodies if np.isfinite(b.mass)])


def _resident() -> float:
    """Resident memory of this process [MB], 0 where the system does not say."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((float(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)
