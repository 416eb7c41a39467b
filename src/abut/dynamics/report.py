"""What a step took."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np


@dataclass(slots=True)
class StepReport:
    """What one step took."""

    rounds: int = 0
    """How often contacts were solved and the motion checked; 0 if all bodies sleep."""
    parts: int = 0
    """How many motions were tried, shorter ones where one was not free to its end; as a rule 1, asleep 0."""
    contacts: int = 0
    """After the step; `World.contacts` lists those that pushed in it and let go at its end, too."""
    pairs: int = 0
    """Pairs of bodies near enough to be checked."""
    iterations: int = 0
    """Newton steps and sweeps of all solves."""
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
    frozen: tuple[int, ...] = ()
    """Bodies stopped in this step because their state was no longer finite."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Spent in each phase."""


class Stopwatch:
    """Adds the time since it was last looked at to a phase of the report."""

    __slots__ = ("_last", "_seconds")

    def __init__(self, report: StepReport) -> None:
        self._seconds, self._last = report.seconds, time.perf_counter()

    def lap(self, phase: str) -> None:
        """The phase is over."""
        now = time.perf_counter()
        self._seconds[phase] = self._seconds.get(phase, 0.0) + now - self._last
        self._last = now
