"""A world that is played with, the hand's track through it, and undo and redo.

All that is done to the world is an action of `abut.scene.played`, and recorded.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...dynamics import Body, Deformable, OverlapError, StepReport, World
from ...dynamics.snapshots.snapshot import write_world
from ...errors import AbutError
from ...scene.played.actions import Action, Hold, ReleaseAll, SetDriven, held_after
from ...scene.played.played_drive import before_step, do
from .keep import Keeper
from .measuring import Measuring
from .recorded import Mark, Recorded
from .scene_message import extent
from .sources import Source

MOST_UNDO = 60
"""Snapshots that are kept."""
FORGET = 0.95
"""Share of the time of phases, and of that given up, that is kept, step by step."""
LEAST_GIVEN_UP = 1e-3
"""Share of the time that is worth a word."""
MOST_NAMED = 3
"""Bodies."""
FLIES = 1.0
"""[1/s] of a speed over the size of the scene: what is faster is soon out of sight."""
STANDS_STILL = "time stands still, since parts fly here from the start; space lets it run"
EARTH = (0.0, 0.0, -9.81)
"""[m/s^2] where the scene has no gravity of its own."""


@dataclass(frozen=True)
class Saved:
    """A world to which one may come back, and what the hand had done until then."""

    blob: bytes
    mark: Mark


class SessionState:
    """A world in the hands of a page, as far as it is stepped, recorded and taken back."""

    def __init__(self, source: Source, keeper: Keeper | None = None) -> None:
        self.source, self.world, self.drive = source, source.scene.world, source.drive
        self.paused, self.speed, self.hand = not self.populated, 1.0, "normal"
        self.held: Hold | None = None
        self.problem, self.said = "", ""
        """What cannot be done, and what was done, in sentences for the page."""
        if self.drive is None and _flies(self.world):
            self.paused, self.said = True, STANDS_STILL
        self.overlapping: tuple[str, ...] = ()
        self.number = 0
        """Of the next frame."""
        self._keeper = keeper
        self._scene_gravity = np.array(self.world.gravity)
        self._gravity = self._scene_gravity if self._scene_gravity.any() else np.array(EARTH)
        if self.drive is None and source.scene.drive is not None:
            self.world.gravity = np.zeros(3)  # what the scene's own hands would hold must not fall away
        self._start, self._begin = self._saved(), self.world.time
        self._recorded = self._first_track()
        self._undo: list[Saved] = []
        self._redo: list[Saved] = []
        self._masses: dict[str, tuple[float, Any]] = {}
        """Mass [kg] and inertia [kg m^2] of bodies that were free and are fixed now."""
        self.ready = True
        """Whether all that steps need is there; before, frames tell only what is found at once."""
        self._energy = 0.0
        self._heard = 0.0
        """[s] on the machine's clock, when the hand last did something; tells how late its commands come."""
        self._nudged = -np.inf
        """[s] when a key last pushed a part."""
        self._given_up = 0.0
        """Share of the time of the last steps that was given up."""
        self._stuck: tuple[str, ...] = ()
        """Bodies for which it was."""
        self._place = extent(self.world)
        """Middle and size [m] of the scene, as pages know it."""
        self._measuring = Measuring()
        self._regions = False
        """Whether a page asked for contact regions."""
        self._seconds: dict[str, float] = {}
        """Spent in each phase of the last steps."""
        self.structure_changed = False
        """Whether pages must be told anew what bodies there are."""

    @property
    def bodies(self) -> int:
        """How many there are, rigid and soft."""
        return len(self.world.bodies) + len(self.world.deformables)

    @property
    def populated(self) -> bool:
        """Whether there is anything."""
        return self.bodies > 0

    @property
    def steps(self) -> int:
        """Taken since the start of the hand's track."""
        return self._recorded.step

    def act(self, action: Action) -> None:
        """Do something to the world, and write it down."""
        do(action, self.world)
        self._recorded.add(action)
        self.held, self._heard = held_after(self.held, action), time.monotonic()

    def step(self) -> StepReport | None:
        """Drive and hold the bodies and take a step; None where the world cannot be stepped."""
        try:
            before_step(self.world, self.drive, self.held)
            report = self.world.step()
        except AbutError as error:
            self._stop_at(error)
            return None
        if self.overlapping:
            self.problem, self.overlapping = "", ()
        self._recorded.step += 1
        if self._recorded.full:
            self._record_anew()
        self._note_given_up(report)
        for phase, seconds in report.seconds.items():
            self._seconds[phase] = FORGET * self._seconds.get(phase, 0.0) + seconds
        return report

    def _note_given_up(self, report: StepReport) -> None:
        share = FORGET * self._given_up + (1.0 - FORGET) * report.time_given_up / self.world.dt
        self._given_up = share if share > LEAST_GIVEN_UP else 0.0
        if report.stuck:
            self._stuck = tuple(self.world.bodies[i].name for i in report.stuck[:MOST_NAMED])

    def _stop_at(self, error: AbutError) -> None:
        """Tell why there is no step; forces that were meant for it are not added to those of the next try."""
        self.problem, self.paused = _told(error), True
        self.world._now.state.wrench[:] = 0.0
        if isinstance(error, OverlapError):
            self.overlapping = tuple({name: 0 for overlap in error.overlaps for name in (overlap.a, overlap.b)})

    def _record_anew(self) -> None:
        """Let the hand's track begin here."""
        self._recorded = Recorded(self._saved(), self.world.time, self.drive is not None)
        if self.held is not None:
            self._recorded.add(self.held)

    def _first_track(self) -> Recorded:
        """A track that begins at the start."""
        return Recorded(self._start, self._begin, self.drive is not None)

    def remember(self) -> None:
        """Keep the world as it is, for undo."""
        self._keep_for_undo(None)

    def _keep_for_undo(self, kept: int | None) -> None:
        saved = Saved(self._saved(), self._recorded.mark(kept))
        self._undo = [*self._undo[-MOST_UNDO + 1 :], saved]
        self._redo.clear()

    def _swap(self, saved: Saved, other: list[Saved]) -> None:
        """Go to a saved world, and keep the one of now in the other list."""
        kept = saved.mark.kept if self._recorded.holds(saved.mark) else None
        other.append(Saved(self._saved(), self._recorded.mark(kept)))
        self._load(saved)

    def _saved(self) -> bytes:
        return write_world(self.world, parts=False)

    def _load(self, saved: Saved) -> None:
        """Go to a saved world; a hand that held something then does not hold it now."""
        then = [is_free(body) for body in self.world.bodies]
        self.world.load(saved.blob)
        self._recorded = self._track_of(saved)
        self.problem, self.overlapping = "", ()
        self.act(ReleaseAll())
        self.act(SetDriven(self.drive is not None))
        self.structure_changed |= then != [is_free(body) for body in self.world.bodies]

    def _track_of(self, saved: Saved) -> Recorded:
        """What the hand had done then, where that is known; otherwise a track that begins there."""
        mark, known = saved.mark, self._recorded
        if mark.start is self._start and not known.holds(mark) and mark.kept == 0:
            known = self._first_track()
        if not known.holds(mark):
            return Recorded(saved.blob, self.world.time, self.drive is not None)
        known.go_to(mark)
        return known


def _told(error: AbutError) -> str:
    """What a page says of it."""
    if not isinstance(error, OverlapError):
        return str(error)
    listed = ", ".join(map(str, error.overlaps[:MOST_NAMED])) + (", ..." if len(error.overlaps) > MOST_NAMED else "")
    return f"bodies overlap or touch at the start: {listed}; move them apart here, or drag the red ones"


def _flies(world: World) -> bool:
    """Whether a part leaves the place where it begins, unless something stops it."""
    speeds = [body.velocity for body in world.bodies if is_free(body)]
    speeds += [soft._body.masses @ state.velocities / soft.mass for soft, state in _soft(world)]
    fastest = float(np.linalg.norm(np.reshape(speeds, (-1, 3)), axis=1).max(initial=0.0))
    return fastest > FLIES * extent(world)[1]


def _soft(world: World) -> list[tuple[Deformable, Any]]:
    return list(zip(world.deformables, world._now.soft.states, strict=True)) if world.deformables else []


def is_free(body: Body) -> bool:
    """Whether a hand can move it."""
    return bool(np.isfinite(body.mass))
