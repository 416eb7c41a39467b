"""The library of scenes: steps per second and real-time factor of each, in processor time of one core."""

import time
from typing import Any

from rich.table import Table

LONGEST = 1.0
"""Simulated seconds of each scene."""


def run(console: Any) -> None:
    from abut.scene import scenes

    table = Table("scene", "steps/s", "x real time", "rounds", "contacts", "given up [ms]", "smallest gap [µm]")
    for name in scenes.catalogue():
        for _ in scenes.make(name).run(LONGEST / 4):
            pass  # compiled before the clock starts
        table.add_row(name, *_measure(scenes.make(name)))
    console.print(table)


def _measure(scene: Any) -> list[str]:
    scene.step()
    steps, rounds, contacts, given_up, gap = 0, 0, 0, 0.0, float("inf")
    start = time.process_time()
    for report in scene.run(min(scene.duration, LONGEST)):
        steps, rounds = steps + 1, rounds + report.rounds
        contacts, given_up = max(contacts, report.contacts), given_up + report.time_given_up
        gap = min(gap, report.smallest_gap)
    rate = steps / (time.process_time() - start)
    figures = (f"{rate:,.0f}", f"{rate * scene.world.dt:.2f}", f"{rounds / steps:.2f}", str(contacts))
    return [*figures, f"{1e3 * given_up:.2g}", f"{1e6 * gap:.3g}" if contacts else "-"]
