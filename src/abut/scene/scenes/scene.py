"""A scene: a world ready to run, with what drives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...arrays import number
from ...dynamics import StepReport, World

Drive = Callable[[World, float], None]
"""Called before each step with the world and its time [s]: pushes, twists, moves targets."""


@dataclass(frozen=True)
class View:
    """How a scene is best looked at."""

    azimuth: float = 30.0
    """[degrees], as for a camera."""
    elevation: float = 20.0
    """[degrees] above the horizon."""
    shown: tuple[str, ...] = ()
    """Bodies that must be in the picture; empty: all."""
    cut: tuple[str, ...] = ()
    """Bodies cut open, so that one sees what happens inside."""
    clear: tuple[str, ...] = ()
    """Bodies drawn translucent."""
    around: tuple[float, float, float, float] | None = None
    """Middle and height of the picture [m], where not everything is to be shown."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A world, how long to run it, and what drives it."""

    world: World
    duration: float
    """[s] after which everything worth seeing has happened."""
    drive: Drive | None = None
    view: View = field(default_factory=View)
    measures: dict[str, Any] = field(default_factory=dict)
    """Numbers that a run is asked for, by name (scene/files/measures.py)."""

    def __repr__(self) -> str:
        beside = ["driven"] if self.drive is not None else []
        beside += [f"measures {', '.join(self.measures)}"] if self.measures else []
        return f"Scene({', '.join([repr(self.world), f'{self.duration:g} s', *beside])})"

    def step(self) -> StepReport:
        """Drive the world and advance it by one step."""
        if self.drive is not None:
            self.drive(self.world, self.world.time)
        return self.world.step()

    def run(self, duration: float | None = None) -> Iterator[StepReport]:
        """Take the steps of `duration` [s] (or the scene's own), rounded to whole ones, and give each step's report."""
        wanted = self.duration if duration is None else number("duration", duration, least=0.0)
        return (self.step() for _ in range(round(wanted / self.world.dt)))
