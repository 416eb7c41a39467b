"""One step that never penetrates, read from top to bottom in `Stepper.step` (docs/step.md).

search    a motion that keeps every contact and is free to its end (motion_search.py)
advance   along it; where there is none, half of it is tried; what touched hard bounces
hold      bodies for which there is none, so that all others can go on
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ...arrays import Floats, Ints
from ...contact.contact_tables import Surfaces
from ..accounts.account import Account
from ..accounts.balance import EnergyBalance
from ..bodies.body_kernels import set_motions
from ..contacts.contact_set import ContactForces, ContactSet
from ..impacts.bounce import Bouncer
from ..joints.joint_set import JointSet, JointSpec
from ..methods.method import ForceSolver
from ..moment import NOBODY, Moment, check_sizes
from ..report import StepReport, Stopwatch
from ..rest.sleep import Sleepers
from ..state import Model, State
from .advance_kernels import advance_motion, advance_touching, end_motion
from .budget import Budget
from .guard import OUT_OF_WORK, TOO_LONG, Guard
from .jam import Jam
from .kinematic_watch import KinematicWatch
from .levels import shorten
from .motion_search import OVERHANG, MotionSearch
from .packet_tables import Shapes
from .workspace import StepTables, Workbench

MAX_FAILURES = 64
"""How many motions of a step may fail; where one is not free to its end, half of it is tried."""
SHORTEST_PART = 2.0**-12
"""The shortest motion that is tried, as a share of the step."""
OPEN_GAP = 2.0
"""In contact gaps: a contact that does not push and is wider open than that ends."""
ROUNDING_OF_TIME = 1e-9
"""Of the step: what is left of it and shorter is rounding."""
MOST_REFUSALS = 24
"""After how many failures motions are no longer halved because forces turn a body far in them, or give it energy. What
bodies gain from nowhere is then taken from them, however much it is."""


class Stepper:
    """Makes the next moment of a world from the last one; holds what steps need beyond that.

    It works on copies, so that nothing is lost if it is thrown away in the middle of a step. What it remembers from
    step to step makes them fast, never different.
    """

    witness: ClassVar[Callable[[Any, float], None] | None] = None
    """Called with a stepper and the length [s] of every motion that it has made, if somebody judges motions."""

    def __init__(
        self,
        model: Model,
        now: Moment,
        contact_gap: float,
        solve_forces: ForceSolver,
        level: str = "dynamic",
        threads: int = 1,
    ) -> None:
        self.model, self.setup, self.pairs = model, now.setup, now.setup.laws
        self.state, self.contacts, self.joints = State.empty(), ContactSet(), JointSet()
        """What a step works on; `_begin` takes them from a moment."""
        self.joints.become(now.joints)
        self.contact_gap, self._level = contact_gap, level
        self._bouncy = self.pairs.bouncy and level == "dynamic"
        kind_of_motion = (contact_gap, self.pairs.gamma is not None, level != "dynamic")
        self._tables, self._budget = StepTables(model, now.state, *kind_of_motion), Budget(model)
        bench = Workbench(model, self.state, self.contacts, self.joints, self.pairs, self._tables)
        self._guard, self._sleepers = Guard(model, contact_gap, threads, self._tables.packet), Sleepers(bench)
        of_body = (model.shape_of, model.radius, self._budget.features, self._budget.size)
        self._tables.packet.put(Shapes, of_body)
        self._tables.packet.put(Surfaces, model.surfaces)
        self.watch = KinematicWatch(model, now.setup.specs, contact_gap, level)
        self._account = Account(bench)
        self._balance = EnergyBalance(bench, self._account)
        self._bouncer = Bouncer(bench, self._account, self._balance)
        kit = (self._balance, self._sleepers, self._budget, self._guard)
        self._search = MotionSearch(bench, *kit, solve_forces, level)
        self._jam, self._everyone = Jam(self.state), np.ones(len(model.mass), np.bool_)
        self._before: ContactForces | ContactSet = self.contacts
        self._dt = 1.0
        """What the contacts' forces were when a motion began; [s] of the step."""
        self._locked_turns = level == "dynamic" and bool(model.locked[:, 3:].any())
        self._words = self._tables.words
        self._joined: dict[int, JointSpec] | None = None
        self._known: Moment | None = None
        self._strange = True
        """The joints for which pairs were left out; the moment made last, and whether the next has other contacts."""

    def near_pairs(self, now: Moment) -> Ints:
        """Pairs of bodies whose boxes are within the contact gap of each other where they stand."""
        self._meet(now)
        return self._guard.near_pairs(now.state.pose)

    def step(self, now: Moment, dt: float, gravity: Floats) -> Moment:
        """What comes `dt` after `now`, or as far as that is possible without overlap."""
        if now is not self._known:
            self._meet(now)
        self._dt = dt
        if self._level != "geometric" and not self._sleepers.look_around(now.state, dt, gravity):
            self._known = now.after_sleep(dt)
            return self._known
        report = StepReport()
        self._begin(now)
        self._search.begin(now.state, dt, gravity)
        if self._level == "geometric":
            self._go_freely(dt, report)
        else:
            self._account.begin(dt, gravity)
            self._balance.begin(dt)
            self._go(dt, gravity, report)
            report.work = self._budget.done
            if self._jam.release():
                self._sleepers.wake()
            if self._level == "dynamic":
                self._account.settle()
        self._known = self._end(now, report)
        return self._known

    def _meet(self, now: Moment) -> None:
        """Get ready for a moment that was not made here."""
        check_sizes(self.model, now, self._known)
        self._strange = self._known is None or now.contacts is not self._known.contacts
        if now.suspects:
            self._sleepers.wake()  # their contacts may have gone
        if now.joints.specs is not self._joined:
            self._guard.ignore(sorted(now.ignored))
            self.watch.ignore(sorted(now.ignored))
            self._sleepers.wake()
            self._joined = now.joints.specs

    def _begin(self, now: Moment) -> None:
        """Take copies of what the step will change; those of bodies and joints are made with its first motion."""
        self.state.become(now.state)
        self._tables.take_hands(now.state)
        self.contacts.become(now.contacts)
        if self._strange:
            self.contacts.find_facets(self.model)
            self._strange = False
        if len(now.joints.law) or len(self.joints.law):
            self.joints.become(now.joints)
        self._before = now.contacts  # of a moment, so that they stay as they are

    def _end(self, now: Moment, report: StepReport) -> Moment:
        """Hand over what the step has made of them."""
        contacts = self.contacts
        report.contacts, report.pairs = contacts.n, len(self._guard.pairs)
        if contacts.n:
            report.smallest_gap = contacts.smallest_gap
        joints = self.joints.handed_over() if len(self.joints.law) else now.joints
        parts = (self.state.handed_over(), contacts.handed_over(), joints)
        return Moment(now.setup, *parts, NOBODY, now.time + self._dt, report, now.events, now.soft)

    def _go(self, dt: float, gravity: Floats, report: StepReport) -> None:
        """Advance by parts of `dt`; bodies that find no way are held for what is left of it."""
        left = h = dt
        failures = 0
        while left > 0.0:
            report.parts += 1
            h = min(h, left)
            long = h > SHORTEST_PART * dt
            if self._part(h, long and failures < MOST_REFUSALS, gravity, report):
                left = left - h if left - h > ROUNDING_OF_TIME * dt else 0.0
                h *= 2.0
                if left > 0.0:
                    self._before = self.contacts.copied_forces()
                continue
            failures += 1
            if failures < MAX_FAILURES and long and not self._budget.spent:
                h = self._balance.shorter(h)
                continue
            report.time_given_up = max(report.time_given_up, left)
            report.gave_up = report.gave_up or ("work" if self._budget.spent else "no way")
            report.stuck = tuple(sorted({*report.stuck, *self._jam.who(self._search.stuck).tolist()}))
            if not self._hold_stuck():
                break
            failures, h = 0, left

    def _hold_stuck(self) -> bool:
        """Let those stay who found no way, so that all others can go on; False if that helps nobody."""
        stuck = self._search.stuck
        if not self._jam.hold(stuck):
            self._account.note_staying(self._everyone)
            return False
        self._account.note_staying(stuck)
        self._sleepers.wake()
        self._budget.grant_reserve()
        return True

    def _go_freely(self, h: float, report: StepReport) -> None:
        """Move every body as it wants to, as far as nothing is in its way."""
        tables, due = self._tables, self._search.due
        self._search.predict(h, report)
        tables.shift[:], due[:] = 0.0, True
        set_motions(tables.free, tables.shift, h, due, tables.motion)
        share, report.parts = np.ones(len(self.state.kind)), 1
        while (n_hit := self._guard.check(tables.motion, due, self._budget)) != 0:
            shorten(tables.motion[:-1], share, due[:-1])
            if n_hit in (TOO_LONG, OUT_OF_WORK):  # nobody was looked at, or not at all of them
                due[:] = True
            report.rounds += 1
        self._advance(h, report)
        self._let_go(*self._end_motion())

    def _part(self, h: float, may_halve: bool, gravity: Floats, report: StepReport) -> bool:
        """Advance by `h`; False, and nothing changed, if no motion was found that is free to its end."""
        if not self._search.find(h, may_halve, self._before, report):
            return False
        watch = Stopwatch(report)
        given, (kept, smallest_gap, stood) = self._advance(h, report), self._end_motion()
        if self._level == "dynamic":
            report.energy_taken += self._balance.settle(h, self._tables.mu, given)
        if Stepper.witness is not None:
            Stepper.witness(self, h)
        self._sleepers.wake()
        if stood:
            self._sleepers.settle(self._tables, self._tables.alive, self._before, h, gravity)
        self._let_go(kept, smallest_gap, stood)
        watch.lap("advance")
        return True

    def _advance(self, h: float, report: StepReport) -> Floats | None:
        """Move to the end of the motion, and let bounce what was run into; returns what `Bouncer.bounce` does."""
        made, acts = (self._words, self._search.plan(h), self._search.pace), self._account.of_motion()
        if not self.contacts.n:
            self._account.note_marked(advance_motion(*made, *acts))
            return None
        self._account.note_marked(advance_touching(*made, OVERHANG * self.contact_gap, *acts))
        return self._bouncer.bounce(h, self._search.options(h), report) if self._bouncy else None

    def _end_motion(self) -> tuple[int, float, bool]:
        """How many contacts are kept, their smallest gap [m], and whether anyone stood still: all are kept then."""
        limit = OPEN_GAP * self.contact_gap
        ended: tuple[int, float, bool] = end_motion(self._words, self.contacts.n, limit, self._locked_turns)
        return ended

    def _let_go(self, kept: int, smallest_gap: float, stood: bool) -> None:
        """Let contacts go that are no more, as `_end_motion` says."""
        if stood:
            self.contacts.let_go(self._tables.alive, OPEN_GAP * self.contact_gap)
        else:
            self.contacts.cut_off(kept, smallest_gap)
