"""Scenes of the rigid-ipc collection at their own step and full length, and the M16 nut of Factory."""

import json
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
EVERY = 20
"""Steps between two looks for overlap."""


def run(console: Any) -> None:
    from abut.scene.importers import factory_nut, rigid_ipc

    folder = DATA / "rigid-ipc"
    if not folder.exists():
        console.print("The rigid-ipc collection is not beside this checkout.")
        return
    table = Table(
        "scene", "T [s]", "steps/s", "x real time", "rounds", "contacts", "given up [ms]", "energy rise", "overlaps"
    )
    summary = json.loads((folder / "scene-summary.json").read_text())
    for name in summary:
        table.add_row(name.removeprefix("unit-tests/"), *measure(rigid_ipc(folder, name)))
    factory = DATA / "factory-assembly"
    if factory.exists():
        for fit in ("loose", "tight"):
            table.add_row(f"factory nut M16 {fit}", *measure(factory_nut(factory, fit), 0.2))
    console.print(table)
    console.print("Energy rise: above its lowest value so far, as a share of the largest kinetic energy;")
    console.print("not asked for with kinematic bodies; in the compactor and the torque test, forces add energy.")


def measure(scene: Any, duration: float | None = None) -> list[str]:
    """Figures of one scene, as text."""
    world, seconds, given_up, rounds, contacts, found = scene.world, 0.0, 0.0, 0, 0, 0
    watch = _Energy(world)
    steps = round((duration or scene.duration) / world.dt)
    for k in range(steps):
        clock = time.process_time()
        report = scene.step()
        seconds += time.process_time() - clock
        rounds, contacts = rounds + report.rounds, max(contacts, report.contacts)
        given_up += report.time_given_up
        watch.step()
        found += overlaps(world) if k % EVERY == 0 else 0
    rate = steps / seconds
    return [
        f"{steps * world.dt:g}",
        f"{rate:,.0f}",
        f"{rate * world.dt:.2f}",
        f"{rounds / steps:.2f}",
        str(contacts),
        f"{1e3 * given_up:.2g}",
        watch.text(),
        str(found),
    ]


def overlaps(world: Any) -> int:
    """How many pairs of bodies meet; pairs that may, of one group or both at rest, are left out."""
    from abut import Solid, intersect

    solids = [body for body in world.bodies if isinstance(body.shape, Solid)]
    pairs = [
        (a, b)
        for a, b in combinations(solids, 2)
        if (np.isfinite(a.mass) or np.isfinite(b.mass)) and not (a.spec.group == b.spec.group >= 0)
    ]
    return sum(bool(intersect(a.shape, b.shape, a.pose, b.pose)) for a, b in pairs)


class _Energy:
    """Rise of the energy in the middle of steps (kinetic, and the mean of potential), which only contacts change."""

    def __init__(self, world: Any) -> None:
        self.world, self.potential = world, world.energy - world.kinetic_energy
        self.lowest, self.rise, self.largest = world.energy, 0.0, world.kinetic_energy
        self.driven = any(body.spec.kind == 2 for body in world.bodies)

    def step(self) -> None:
        kinetic = self.world.kinetic_energy
        potential = self.world.energy - kinetic
        energy, self.potential = kinetic + 0.5 * (self.potential + potential), potential
        self.lowest, self.largest = min(self.lowest, energy), max(self.largest, kinetic)
        self.rise = max(self.rise, energy - self.lowest)

    def text(self) -> str:
        share = self.rise / self.largest if self.largest > 0.0 else 0.0
        return "-" if self.driven else f"{share:.1g}"
