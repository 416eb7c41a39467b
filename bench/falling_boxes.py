"""Boxes falling into a bin and piling up, abut beside MuJoCo: time of a step, and how it grows with their number.

Cubes of 100 mm, turned at random, fall from a lattice into a bin of five half-spaces, without friction, dt 1 ms.
ABUT_BOXES="100 300" chooses the numbers, ABUT_BUDGET the processor seconds after which a run is broken off.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from .worlds import markdown

SIZE, PITCH, DT = 0.1, 0.18, 1e-3
NUMBERS = (100, 300, 1000, 3000)
PHASES = {"falling": (0, 100), "piling up": (200, 300), "piled": (900, 1000), "the whole run": (0, 1000)}
"""Steps over which the mean is taken; nothing touches before step 60, and of 300 boxes, all have landed by step 900."""
LAST = max(end for _, end in PHASES.values())
BUDGET, TURN = 120.0, 20
"""[s] of a run, and steps that an engine makes before it is the next one's turn."""


@dataclass
class Times:
    """Mean seconds of a step in each phase that was reached."""

    phases: dict[str, float] = field(default_factory=dict)
    steps: int = 0
    contacts: int = 0
    note: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    """Of abut's phases of a step, in the mean of all steps."""


def start(n: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Places (n, 3), quaternions (n, 4) and the distance of the walls from the middle."""
    rng = np.random.default_rng(0)
    side = round(n ** (1 / 3))
    i = np.arange(n)
    cell = np.stack((i % side, (i // side) % side, i // side**2), axis=1)
    place = PITCH * (cell - [0.5 * (side - 1), 0.5 * (side - 1), -0.6])
    quat = rng.normal(size=(n, 4))
    return place, quat / np.linalg.norm(quat, axis=1, keepdims=True), 0.5 * side * PITCH + 0.02


WALLS = ((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0))


def abut_world(n: int) -> Any:
    """The bin and n boxes in abut."""
    from abut import HalfSpace, Pose, Solid, World

    place, quat, half = start(n)
    world, box = World(dt=DT), Solid.box(SIZE)
    world.add_body(HalfSpace(), "floor", fixed=True)
    for k, normal in enumerate(WALLS):
        world.add_body(HalfSpace(normal=normal, offset=-half), f"wall {k}", fixed=True)
    for k in range(n):
        world.add_body(box, f"box {k}", pose=Pose(place[k], quat_wxyz=quat[k]))
    return world


def mujoco_model(n: int, stiff: bool) -> Any:
    """The same in MuJoCo; `stiff` contacts have a time constant of two steps instead of MuJoCo's default, 20 ms.

    The solver is CG: Newton, the default, needs seconds a step from 300 boxes on.
    """
    import mujoco

    place, quat, half = start(n)
    walls = "".join(
        f'<geom type="plane" size="0 0 1" pos="{_text(-half * np.array(w))}" zaxis="{_text(w)}"/>' for w in WALLS
    )
    geom = f'<geom type="box" size="{_text([0.5 * SIZE] * 3)}" density="1000"/>'
    boxes = "".join(
        f'<body pos="{_text(p)}" quat="{_text(q)}"><freejoint/>{geom}</body>' for p, q in zip(place, quat, strict=True)
    )
    softness = f'solref="{2 * DT} 1"' if stiff else ""
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{DT}" solver="CG"/><default><geom condim="1" {softness}/></default>'
        f'<size memory="4G"/><worldbody><geom type="plane" size="0 0 1"/>{walls}{boxes}</worldbody></mujoco>'
    )


class Run:
    """One engine and its steps, each timed by the processor's clock."""

    def __init__(self, step: Callable[[], object], contacts: Callable[[], int], note: Callable[[], str]) -> None:
        self._step, self._contacts, self._note = step, contacts, note
        self._times: list[float] = []
        self.seconds: Counter[str] = Counter()

    def go(self, steps: int, budget: float) -> bool:
        """Make so many steps; False if there are none left, or no time."""
        for _ in range(steps):
            if len(self._times) == LAST or sum(self._times) > budget:
                return False
            begin = time.process_time()
            self._step()
            self._times.append(time.process_time() - begin)
        return True

    def found(self) -> Times:
        """What was measured."""
        steps = len(self._times)
        phases = {name: float(np.mean(self._times[low:high])) for name, (low, high) in PHASES.items() if steps >= high}
        note = f"{steps} steps" + (" (broken off)" if steps < LAST else "") + self._note()
        return Times(phases, steps, self._contacts(), note, {a: b / steps for a, b in self.seconds.items()})


def abut_run(n: int) -> Run:
    """Steps of abut."""
    world, total = abut_world(n), Counter[str]()
    world.step()  # sets up tables

    def step() -> None:
        report = world.step()
        run.seconds.update(report.seconds)
        total.update(steps=1, rounds=report.rounds, parts=report.parts, given_up=report.time_given_up)

    def note() -> str:
        mean = {name: value / total["steps"] for name, value in total.items()}
        said = f"; {mean['rounds']:.1f} rounds, {mean['parts']:.1f} parts a step"
        return said + f", {1e3 * total['given_up']:.2g} ms given up"

    run = Run(step, lambda: world.report.contacts, note)
    return run


def mujoco_run(n: int, stiff: bool) -> Run:
    """Steps of MuJoCo; its own deepest contact goes into the note."""
    import mujoco

    model = mujoco_model(n, stiff)
    data = mujoco.MjData(model)
    deepest = [0.0]

    def step() -> None:
        mujoco.mj_step(model, data)
        if data.ncon:
            deepest[0] = min(deepest[0], float(data.contact.dist.min()))

    return Run(step, lambda: data.ncon, lambda: f"; contacts {-1e3 * deepest[0]:.1f} mm deep at most")


def race(runs: dict[tuple[str, int], Run], budget: float) -> dict[tuple[str, int], Times]:
    """Let engines and numbers of boxes go by turns: a machine that becomes slower does so for all of them."""
    going = dict(runs)
    while going:
        going = {name: run for name, run in going.items() if run.go(TURN, budget)}
    return {name: run.found() for name, run in runs.items()}


def run(console: Any) -> None:
    """Print the times and the exponents, and leave them in out/peers/falling_boxes.md."""
    budget = float(os.environ.get("ABUT_BUDGET", BUDGET))
    numbers = [int(n) for n in os.environ.get("ABUT_BOXES", " ".join(map(str, NUMBERS))).split()]
    _warm_up()
    rivals: dict[str, Callable[[int], Run]] = {"abut": abut_run}
    if find_spec("mujoco") is None:
        console.print("mujoco is not installed: no rows for MuJoCo")
    else:
        rivals["MuJoCo"] = lambda n: mujoco_run(n, False)
        rivals["MuJoCo, stiff"] = lambda n: mujoco_run(n, True)
    found: dict[str, dict[int, Times]] = {name: {} for name in rivals}
    runs = {(name, n): begin(n) for n in numbers for name, begin in rivals.items()}
    for (name, n), times in race(runs, budget).items():
        found[name][n] = times
        console.print(f"{n} boxes, {name}: {_said(times)}", highlight=False)
    headings, rows = _table(found, numbers)
    table = Table(*headings)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    file = Path("out/peers/falling_boxes.md")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(markdown(headings, rows))


def _warm_up() -> None:
    """Let every kernel be compiled before the clock starts."""
    for n, steps in ((8, 300), (100, 400)):  # culling goes another way where there are many, and so do forces
        world = abut_world(n)
        for _ in range(steps):
            world.step()


def _said(t: Times) -> str:
    phases = ", ".join(f"{name} {1e3 * seconds:.2f} ms" for name, seconds in t.phases.items())
    split = ", ".join(f"{name} {1e3 * seconds:.2f}" for name, seconds in t.seconds.items())
    return f"{phases}; {t.contacts} contacts at the end; {t.note}" + (f"; its phases [ms]: {split}" if split else "")


def _table(found: dict[str, dict[int, Times]], numbers: list[int]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Milliseconds a step by engine and phase, and the exponent with which they grow with the number of boxes."""
    rows = []
    for phase in PHASES:
        for name, by_number in found.items():
            times = {n: by_number[n].phases[phase] for n in numbers if phase in by_number[n].phases}
            cells = [f"{1e3 * times[n]:.3g}" if n in times else "-" for n in numbers]
            rows.append((phase, name, *cells, f"{_exponent(times):.2f}" if len(times) > 1 else "-"))
        rows += [_ratios(phase, found["abut"], name, found[name], numbers) for name in list(found)[1:]]
    return ("steps", "engine, ms/step", *(f"{n:,} boxes" for n in numbers), "exponent"), rows


def _ratios(
    phase: str, ours: dict[int, Times], name: str, theirs: dict[int, Times], numbers: list[int]
) -> tuple[str, ...]:
    """The time of abut by that of another engine."""
    pairs = [(ours[n].phases.get(phase), theirs[n].phases.get(phase)) for n in numbers]
    return (phase, f"abut / {name}", *(f"{a / b:.2f}" if a and b else "-" for a, b in pairs), "")


def _exponent(times: dict[int, float]) -> float:
    return float(np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0])


def _text(values: Any) -> str:
    return " ".join(f"{float(v):.17g}" for v in values)
