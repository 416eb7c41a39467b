"""How a world goes on: one step, or many."""

from __future__ import annotations

import warnings
from pathlib import Path

from ..arrays import number
from ..errors import InputError, RunWarning, StoppedError
from ..hooks import provider
from .methods.registry import Recipe, Stepper, make_stepper
from .moment import Moment
from .report import RunSummary, StepReport
from .soft.soft_stepper import SoftStepper
from .stepping.overlap import KinematicOverlapError, MovedApart, Overlap, find_overlaps
from .stepping.parting import move_apart
from .world_contents import WorldContents

_CHANGED = (
    "the world was stepped or changed by another thread during a step, which is left out; "
    "let one thread at a time work on a world"
)


class WorldSteps(WorldContents):
    """A world as far as time passes in it."""

    def step(self) -> StepReport:
        """Advance by `dt`; the report says what it took.

        A step that is interrupted, by Ctrl-C or by anything else, leaves the world as it was before. From other threads
        the world is seen as it was after the last step, until the next one is done.
        """
        before = self._now
        if before.soft.specs:
            return self._soft_step(before)
        stepper = self._take_stepper(before)
        now, moved = self._checked(stepper, before) if before.suspects else (before, ())
        overlaps = stepper.watch.expect(now.state, self._dt)
        if overlaps and self._kinematic_overlaps == "error":
            raise KinematicOverlapError(overlaps)
        try:
            then = stepper.step(now, self._dt, self._gravity)
        except StoppedError as stopped:
            if self._now is not before:
                raise InputError(_CHANGED) from stopped
            if isinstance(stopped.moment, Moment):
                self._now = stopped.moment
            raise
        if self._now is not before:
            raise InputError(_CHANGED)
        if overlaps or moved:
            self._tell(stepper, then, overlaps, moved)
        self._now = then
        self._steppers.append(stepper)
        return then.report

    def _soft_step(self, before: Moment) -> StepReport:
        """A step with deformable bodies, in which rigid ones take their own as often as forces between them change."""
        now, stepper = before, None
        moved: tuple[MovedApart, ...] = ()
        overlaps: tuple[Overlap, ...] = ()
        if before.setup.specs:
            stepper = self._take_stepper(before)
            now, moved = self._checked(stepper, before) if before.suspects else (before, ())
            overlaps = stepper.watch.expect(now.state, self._dt)
        if overlaps and self._kinematic_overlaps == "error":
            raise KinematicOverlapError(overlaps)
        soft = self._take_soft_stepper(now)
        then = soft.step(stepper, now, self._dt, self._gravity)
        if self._now is not before:
            raise InputError(_CHANGED)
        if stepper is not None:
            self._tell(stepper, then, overlaps, moved)
            self._steppers.append(stepper)
        self._now = then
        self._soft_steppers.append(soft)
        return then.report

    def _tell(
        self, stepper: Stepper, then: Moment, overlaps: tuple[Overlap, ...], moved: tuple[MovedApart, ...]
    ) -> None:
        """Note in the report of a step which kinematic bodies overlap others, and which bodies were moved apart."""
        if overlaps:
            then.report.kinematic_overlaps = stepper.watch.confirm(overlaps, then)
        if moved:
            then.report.moved_apart = self._started_apart = moved

    def run(self, duration: float, *, record: str | Path | None = None) -> RunSummary:
        """Step for `duration` [s], rounded to whole steps; warns once if time was given up or another problem came up.

        `record` names a folder, which is created, for a record of the run that `abut.Run` reads.
        """
        summary, steps = RunSummary(), round(number("duration", duration, least=0.0) / self.dt)
        if record is None:
            for _ in range(steps):
                summary.add(self.step(), self.dt)
        else:
            with provider("record")(self, record) as recorder:
                summary = recorder.summary
                for _ in range(steps):
                    recorder.step()
        if complaint := summary.complaint():
            warnings.warn(f"run: {complaint}", RunWarning, stacklevel=2)
        return summary

    @property
    def report(self) -> StepReport:
        """What the last step took."""
        return self._now.report

    @property
    def started_apart(self) -> tuple[MovedApart, ...]:
        """Bodies that touched others when they were added or moved, and how far the next step moved them apart first.

        None is moved by more than a contact gap along an axis for each layer of bodies that touch. The list is kept
        until other bodies are moved apart.
        """
        return self._started_apart

    def _take_stepper(self, now: Moment) -> Stepper:
        """A stepper for a moment, which nobody else has."""
        try:
            stepper = self._steppers.pop()
        except IndexError:
            return self._new_stepper(now)
        return stepper if stepper.setup is now.setup else self._new_stepper(now)

    def _take_soft_stepper(self, now: Moment) -> SoftStepper:
        """Likewise for deformable bodies, after a look whether they overlap others."""
        gap = self._gap_of(now.setup)
        try:
            soft = self._soft_steppers.pop()
        except IndexError:
            soft = SoftStepper(now, gap)
        if not soft.fits(now, gap):
            soft = SoftStepper(now, gap)
        if now.suspects or now.soft.suspect:
            soft.refuse_overlaps(now)
        return soft

    def _new_stepper(self, now: Moment) -> Stepper:
        how = (*self._method, self._level, self._threads, self._impacts)
        return make_stepper(Recipe(self._model_of(now.setup), now, self._gap_of(now.setup), *how))

    def _checked(self, stepper: Stepper, now: Moment) -> tuple[Moment, tuple[MovedApart, ...]]:
        """The moment with bodies moved apart that only touch, and which these are.

        Bodies to which something was done must not overlap others, nor joints be torn.
        """
        self._check_joints()
        pairs = [(a, b) for a, b in stepper.near_pairs(now).tolist() if not now.suspects.isdisjoint((a, b))]
        found = {(a, b): find_overlaps([(self._placed(a), self._placed(b))]) for a, b in pairs}
        touching = {pair: overlaps[0] for pair, overlaps in found.items() if overlaps}
        if not touching:
            return now, ()
        placed = [self._placed(i) for i in range(len(now.setup.specs))]
        return move_apart(now, placed, touching, stepper.contact_gap, stepper.near_pairs)

    def _check_joints(self) -> None:
        """Refuse joints that were torn by moving a body by hand."""
        torn = self._joints.torn(self._state.pose)
        if torn is not None:
            name, distance = torn
            raise InputError(
                f"joint '{name}': its bodies were moved {distance:.6g} m out of the joint; "
                "move both, or remove the joint and make it anew"
            )
