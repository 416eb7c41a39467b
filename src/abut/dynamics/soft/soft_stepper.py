"""A step of a world with deformable bodies, read from top to bottom in `SoftStepper.step` (docs/soft.md).

predict   soft bodies move under the forces of the last step, rigid ones take a step of their own under the same
solve     impulses so that every contact's distance is at least its target at the end
check     the whole motion of all skins, exactly: vertices move straight
admit     what comes too near as contacts, and solve again
advance   if the motion is free to its end, else half of it is tried
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...geometry import Shape, Solid
from ...math import Pose
from ..moment import Moment
from ..report import StepReport
from ..stepping.overlap import REMEDY_OF_SOFT, OverlapError, find_overlaps
from ..stepping.step import MAX_FAILURES, SHORTEST_PART
from .soft_bench import SoftBench
from .soft_motion import SoftMotion
from .soft_spec import THETA
from .step_totals import StepTotals

DAMPING_THETA = 1.0
"""Where in a motion forces are taken that would gain energy otherwise: at its end, which damps."""
SAME_LENGTH = 1e-9
"""Share by which lengths of motions may differ by rounding: answers are known for one of them."""

Placed = tuple[str, Shape, Pose]


class SoftStepper:
    """Makes the next moment of a world that has deformable bodies."""

    def __init__(self, now: Moment, gap: float) -> None:
        soft = now.soft
        self.specs, self.rigid_specs, self.laws, self.gap = soft.specs, now.setup.specs, now.setup.laws, gap
        self._motion = SoftMotion(SoftBench(soft.specs, now.setup.specs, now.setup.laws, gap), gap)
        self._dt = 0.0
        """Length of the step."""
        self._still: tuple[Moment | None, float, bytes] = (None, 0.0, b"")
        """The moment after a step that moved nothing, and its length and gravity."""

    def fits(self, now: Moment, gap: float) -> bool:
        """Whether it was made for the bodies of a moment."""
        known = (now.soft.specs, now.setup.specs, now.setup.laws)
        return self.gap == gap and all(
            a is b for a, b in zip(known, (self.specs, self.rigid_specs, self.laws), strict=True)
        )

    def refuse_overlaps(self, now: Moment) -> None:
        """Raise an error that names bodies which overlap where something was put."""
        ignored, placed = _ignored(now), []
        for spec, state in zip(self.specs, now.soft.states, strict=True):
            placed.append((spec.name, Solid(spec.embedding.positions(state.nodes), spec.triangles), Pose()))
        pairs: list[tuple[Placed, Placed]] = [(a, b) for i, a in enumerate(placed) for b in placed[i + 1 :]]
        for b, body in enumerate(self.rigid_specs):
            if not body.absent:
                other = (body.name, body.shape, Pose.of_row(now.state.pose[b]) @ Pose(-body.centre))
                pairs += [(mine, other) for k, mine in enumerate(placed) if (k, b) not in ignored]
        if overlaps := find_overlaps(pairs):
            raise OverlapError(overlaps, self.gap, REMEDY_OF_SOFT)

    def step(self, stepper: Any, now: Moment, dt: float, gravity: Floats) -> Moment:
        """What comes `dt` after `now`, as far as that is possible without overlap; `stepper` is of rigid bodies."""
        if now is self._still[0] and self._still[1:] == (dt, gravity.tobytes()):
            return self._sleep(now, dt, gravity)
        self._dt = dt
        before, report, begin, loads = now, StepReport(), now.time, now.state.wrench
        left = h = dt
        failures, totals = 0, StepTotals(dt)
        while left > 0.0:
            report.parts += 1
            h = h if h < left * (1.0 + SAME_LENGTH) else left
            then = None if self._motion.crushed(now) else self._part(stepper, now, h, gravity, report, THETA)
            then = then or self._part(stepper, now, h, gravity, report, DAMPING_THETA)
            if then is not None:
                left = left - h if left - h > 1e-9 * dt else 0.0
                now = then._replace(state=then.state.with_tables(wrench=loads))
                note_rigid(report, then.report)
                totals.add(then, h)
                h *= 2.0
                continue
            failures += 1
            if failures >= MAX_FAILURES or h <= SHORTEST_PART * dt:
                report.time_given_up, report.gave_up = max(report.time_given_up, left), "no way"
                break
            h *= 0.5
        now, touches = totals.tell(now), now.soft.touches
        report.contacts = now.contacts.n + len(touches.name)
        rigid = now.contacts.smallest_gap if now.contacts.n else np.inf
        report.smallest_gap = min(float(touches.gap.min(initial=np.inf)), rigid)
        loaded = now.state.with_tables(wrench=np.zeros_like(loads), applied=loads)
        then = now._replace(state=loaded, time=begin + dt, report=report)
        if not report.time_given_up and stands_still(before, then):
            self._still = then, dt, gravity.tobytes()
        return then

    def _sleep(self, now: Moment, dt: float, gravity: Floats) -> Moment:
        """A step of a world that stands still, and that nobody has touched since."""
        report = StepReport(contacts=now.report.contacts, smallest_gap=now.report.smallest_gap)
        then = now._replace(time=now.time + dt, report=report)
        self._still = then, dt, gravity.tobytes()
        return then

    def _part(
        self, stepper: Any, now: Moment, h: float, gravity: Floats, report: StepReport, theta: float
    ) -> Moment | None:
        """Advance by `h`; None if no motion was found that is free to its end and gains no energy from nowhere."""
        return self._motion.make(stepper, now, (h, self._dt, theta), gravity, report)


def note_rigid(report: StepReport, rigid: StepReport) -> None:
    """Add to the report of a step what rigid bodies took in a motion of it."""
    report.parts += max(rigid.parts - 1, 0)
    report.time_given_up += rigid.time_given_up
    report.gave_up = report.gave_up or rigid.gave_up
    report.energy_taken += rigid.energy_taken
    report.stuck = tuple(sorted({*report.stuck, *rigid.stuck}))
    report.frozen = tuple(sorted({*report.frozen, *rigid.frozen}))


def stands_still(before: Moment, then: Moment) -> bool:
    """Whether a step has moved nothing, so that the next one would not either."""
    pairs = zip(before.soft.states, then.soft.states, strict=True)
    soft = all(a.nodes is b.nodes and not b.velocities.any() and not a.velocities.any() for a, b in pairs)
    return soft and np.array_equal(before.state.pose, then.state.pose) and not then.state.twist.any()


def _ignored(now: Moment) -> set[tuple[int, int]]:
    """Pairs of soft and rigid bodies that do not see each other: those that are attached."""
    return {(k, link.body) for k, links in enumerate(now.soft.attached) for link in links}
