"""What a step took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from .._jit.progress import seconds_compiled
from ..geometry.units import length_text
from .solver.problem_kernels import ACCELERATED, DIRECT, MULTIPLIERS, NEARBY, PATIENT, SOLVERS
from .stepping.overlap import SHOWN, MovedApart, Overlap, deepest

QUICKEST_COMPILATION = 1e-3
"""[s] No kernel is compiled in less; to ask whether one was takes longer than most phases of small worlds."""
SOLVER_NAMES = {
    NEARBY: "nearby",
    DIRECT: "direct",
    ACCELERATED: "accelerated",
    MULTIPLIERS: "multipliers",
    PATIENT: "patient",
}


@dataclass(slots=True)
class StepReport:
    """What one step took."""

    rounds: int = 0
    """How often contacts were solved and the motion checked; 0 if all bodies sleep."""
    parts: int = 0
    """How many motions were tried, shorter ones where one was not free to its end; as a rule 1, asleep 0."""
    energy_refusals: int = 0
    """How many motions were free, but would have given bodies much energy that nothing gave them; half of each was
    tried."""
    energy_taken: float = 0.0
    """[J] what bodies gained in motions that were made, but nothing gave them, and was taken from them again."""
    contacts: int = 0
    """After the step; `World.contacts` lists those that pushed in it and let go at its end, too."""
    pairs: int = 0
    """Pairs of bodies near enough to be checked."""
    iterations: int = 0
    """Newton steps and sweeps of all solves."""
    work: float = 0.0
    """What the budget of a step counts, in units of about 10 ns (docs/step.md); the same for any number of threads."""
    solvers: dict[str, int] = field(default_factory=dict)
    """How often each solver ran on an island (docs/step.md); those that never did are left out."""
    residual: float = 0.0
    """[m] largest violation of the laws of contacts and joints that a solve of the last motion left."""
    friction_residual: float = 0.0
    """[m] the same for friction."""
    unsolved: int = 0
    """Islands that did not converge, in the worst solve of the last motion."""
    smallest_gap: float = np.inf
    """[m] of the contacts."""
    time_given_up: float = 0.0
    """[s] of the step that bodies in each other's way could not use without overlap; all others do."""
    gave_up: str = ""
    """Why time was given up: "no way" if none was found however short a motion, "work" if looking for one took as much
    work as a step may take (docs/step.md); empty if no time was given up."""
    stuck: tuple[int, ...] = ()
    """Bodies for which time was given up, as far as they were told apart."""
    frozen: tuple[int, ...] = ()
    """Bodies stopped in this step because their state was no longer finite."""
    kinematic_overlaps: tuple[Overlap, ...] = ()
    """Kinematic bodies that overlap fixed or other kinematic ones in the step, and how deep; touching is none."""
    moved_apart: tuple[MovedApart, ...] = ()
    """Bodies that touched others where they were put and were moved apart before this step."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Spent in each phase."""

    def __str__(self) -> str:
        return f"a step: {_told(self)}"

    def count_solvers(self, found: Sequence[float]) -> None:
        """Add the runs of solvers that a solution reports, see problem_kernels.settle_island."""
        runs = found[SOLVERS:]
        for code, name in SOLVER_NAMES.items():
            if runs[code]:
                self.solvers[name] = self.solvers.get(name, 0) + int(runs[code])


@dataclass(slots=True)
class RunSummary:
    """What the steps of a run took, all together."""

    steps: int = 0
    time: float = 0.0
    """[s] that the steps were meant to take."""
    time_given_up: float = 0.0
    """[s] of that which bodies in each other's way could not use."""
    steps_given_up: int = 0
    """Steps of which some time was given up."""
    rounds: int = 0
    parts: int = 0
    iterations: int = 0
    solvers: dict[str, int] = field(default_factory=dict)
    """Sums over the steps, see `StepReport`."""
    contacts: int = 0
    pairs: int = 0
    unsolved: int = 0
    """The most of any step."""
    residual: float = 0.0
    friction_residual: float = 0.0
    """[m] the largest of any step."""
    smallest_gap: float = np.inf
    """[m] of the contacts, in any step."""
    frozen: tuple[int, ...] = ()
    """Bodies stopped because their state was no longer finite."""
    kinematic_overlaps: tuple[Overlap, ...] = ()
    """Of each pair that overlapped in any step, where it was deepest."""
    moved_apart: tuple[MovedApart, ...] = ()
    """Bodies that touched others where they were put and were moved apart before a step."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Spent in each phase."""

    def add(self, report: StepReport, dt: float) -> None:
        """One more step, of length dt [s]."""
        self.steps, self.time = self.steps + 1, self.time + dt
        self.time_given_up += report.time_given_up
        self.steps_given_up += report.time_given_up > 0.0
        for name in ("rounds", "parts", "iterations", "frozen", "moved_apart"):
            setattr(self, name, getattr(self, name) + getattr(report, name))
        for name in ("contacts", "pairs", "unsolved", "residual", "friction_residual"):
            setattr(self, name, max(getattr(self, name), getattr(report, name)))
        self.smallest_gap = min(self.smallest_gap, report.smallest_gap)
        self.kinematic_overlaps = deepest((*self.kinematic_overlaps, *report.kinematic_overlaps))
        for solver, runs in report.solvers.items():
            self.solvers[solver] = self.solvers.get(solver, 0) + runs
        for phase, seconds in report.seconds.items():
            self.seconds[phase] = self.seconds.get(phase, 0.0) + seconds

    def __str__(self) -> str:
        return f"{self.steps:,} steps, {self.time:.6g} s: {_told(self)}"

    def complaint(self) -> str:
        """What a user should know, in a sentence; empty if all is well."""
        faults = []
        if self.time_given_up > 0.0:
            faults.append(
                f"{self.time_given_up:.3g} s of {self.time:.3g} s were given up in {self.steps_given_up} of "
                f"{self.steps} steps, as bodies in each other's way could not move without overlap"
            )
        if self.frozen:
            faults.append(f"{len(self.frozen)} bodies were frozen, as their state was no longer finite")
        if self.kinematic_overlaps:
            pairs = ", ".join(map(str, self.kinematic_overlaps[:SHOWN]))
            faults.append(f"kinematic bodies went where others stand: {pairs}")
        return "; ".join(faults)


def _told(what: StepReport | RunSummary) -> str:
    """What most people want to know, in a few words."""
    most = " at most" if isinstance(what, RunSummary) else ""
    words = [f"{what.contacts} contact{'' if what.contacts == 1 else 's'}{most}"]
    if np.isfinite(what.smallest_gap):
        words.append(f"smallest gap {length_text(what.smallest_gap)}")
    words.append(f"{what.time_given_up:.3g} s given up" if what.time_given_up else "no time given up")
    if what.unsolved:
        words.append(f"{what.unsolved} islands unsolved{most}")
    return ", ".join([*words, f"{sum(what.seconds.values()):.3g} s of computing"])


class Stopwatch:
    """Adds the time since it was last looked at to a phase of the report."""

    __slots__ = ("_compiled", "_last", "_seconds")

    def __init__(self, report: StepReport) -> None:
        self._seconds, self._compiled, self._last = report.seconds, seconds_compiled(), perf_counter()

    def lap(self, phase: str) -> None:
        """The phase is over; what compiling took in it does not count."""
        now, seconds = perf_counter(), self._seconds
        taken, self._last = now - self._last, now
        if taken > QUICKEST_COMPILATION:
            before, self._compiled = self._compiled, seconds_compiled()
            taken -= self._compiled - before
        seconds[phase] = seconds[phase] + taken if phase in seconds else taken
