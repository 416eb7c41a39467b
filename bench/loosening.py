"""Loosening an assembly of 18 solids that is drawn touching, and stepping it; wanted: under 2 s."""

from __future__ import annotations

import time
from typing import Any

import abut
from abut.scene.scenes.library import FOLDER

from .timing import medians

WANTED = 2.0


def run(console: Any) -> None:
    parts = abut.load_assembly(FOLDER / "assembly.step")
    free = abut.loosen(parts)
    seconds = medians({"loosen": lambda: abut.loosen(parts)}, 5)["loosen"]
    console.print(f"{free}; {1e6 * free.gap:.2f} µm are left; {seconds:.3f} s (wanted {WANTED:g} s)")
    for name, options in {"default gap": {}, "a twentieth of it": {"gap": 0.05 * free.gap}}.items():
        console.print(f"{name}: {_steps(abut.loosen(parts, **options))}")


def _steps(free: Any, n: int = 200) -> str:
    world = abut.World()
    world.add_assembly(free, fixed="plate", density=7850.0)
    world.step()
    begin = time.process_time()
    for _ in range(n):
        world.step()
    rate = n / (time.process_time() - begin)
    return f"{rate:,.0f} steps/s with {world.report.contacts} contacts at a gap of {1e6 * world.contact_gap:.2f} µm"
