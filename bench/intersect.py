"""Do two parts meet? Beside coal and python-fcl."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

import abut

from .distance import _environment
from .query_cases import DATA, Case, cases, geometric_mean, part, peers, seconds


def run(console: Any) -> None:
    if not DATA.exists():
        console.print("The parts of this benchmark are not beside this checkout; nothing to measure.")
        return
    others = peers(console)
    table = Table("pair", "pose", "abut µs", *(f"{p.name} µs" for p in others), "ratio")
    table.title = "Boolean intersection (ratio: abut / the faster peer)"
    ratios: dict[str, list[float]] = {}
    for case in [*cases(), *_environment()]:
        mine, theirs = _time_case(case, others)
        cells = [f"{case.a}-{case.b}", case.name, f"{1e6 * mine:.1f}", *(f"{1e6 * t:.1f}" for t in theirs)]
        if theirs:
            ratios.setdefault(case.name, []).append(mine / min(theirs))
            cells.append(f"{ratios[case.name][-1]:.2f}")
        table.add_row(*cells)
    console.print(table)
    if others:
        total = [r for values in ratios.values() for r in values]
        parts = ", ".join(f"{name} {geometric_mean(values):.2f}" for name, values in ratios.items())
        console.print(f"geometric mean {geometric_mean(total):.2f} (wanted 1.0); {parts}")


def _time_case(case: Case, others: list[Any]) -> tuple[float, list[float]]:
    a, b = part(case.a), part(case.b)
    mine, theirs = [], []
    for X_a, X_b in case.poses:
        mine.append(seconds(lambda X_a=X_a, X_b=X_b: abut.intersect(a, b, X_a, X_b)))
        theirs.append([seconds(p.intersect(case.a, case.b, X_a, X_b)) for p in others])
    return geometric_mean(mine), [geometric_mean(list(t)) for t in np.array(theirs).T]
