"""Bounding volumes for distance: the comparison of SiLVIA section 2.4, with both strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

import abut

from .query_cases import DATA, cases, geometric_mean, part, seconds

VOLUMES = ("sphere", "aabb", "dop14", "dop18", "dop26", "rss", "obb")


def run(console: Any) -> None:
    if not DATA.exists():
        console.print("The parts of this benchmark are not beside this checkout; nothing to measure.")
        return
    wanted = {"torus2k", "bumpy5k", "nut", "driver"}
    chosen = [c for c in cases(2) if c.a in wanted and c.name in ("near", "5 %", "50 %")]
    table = Table("volume", "strategy", "volumes tested", "triangles tested", "µs", "ratio to obb, depth")
    table.title = f"Distance by kind of bounding volume: geometric means over {2 * len(chosen)} queries"
    found = {(v, s): _measure(chosen, v, s) for v in VOLUMES for s in ("depth", "best")}
    reference = found["obb", "depth"][2]
    for (volume, strategy), (volumes, triangles, time) in found.items():
        numbers = (f"{volumes:.0f}", f"{triangles:.0f}", f"{1e6 * time:.0f}", f"{time / reference:.2f}")
        table.add_row(volume, strategy, *numbers)
    console.print(table)


def _measure(chosen: list[Any], volume: str, strategy: str) -> tuple[float, float, float]:
    tested, times = [], []
    for case in chosen:
        a, b = part(case.a), part(case.b)
        for X_a, X_b in case.poses:

            def ask(a: Any = a, b: Any = b, X_a: Any = X_a, X_b: Any = X_b) -> Any:
                return abut.distance(a, b, X_a, X_b, volume=volume, strategy=strategy)

            tested.append(ask().tested)
            times.append(seconds(ask, 2, 0.001))
    return *(geometric_mean(list(t)) for t in np.array(tested, float).T), geometric_mean(times)
