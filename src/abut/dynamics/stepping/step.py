"""One step that never penetrates, read from top to bottom in `Stepper.step` (docs/step.md).

predict   motion without contacts
solve     forces so that every contact's gap is at least its target at the end of the step
check     the whole motion, for features that come too close on the way
admit     what was found as new contacts, and solve again
advance   if the motion is free to its end, else half of it is tried; what touched hard bounces
"""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...contact.admit_kernels import admit_hits
from ...contact.contact_kernels import refresh_contacts
from ..accounts.account import Account
from ..accounts.balance import EnergyBalance
from ..bodies.body_kernels import advance_bodies, set_motions
from ..bodies.lock_kernels import drop_locked_turns
from ..contacts.contact_set import ContactSet
from ..impacts.bounce import Bouncer
from ..joints.joint_set import JointSet, JointSpec
from ..methods.method import ForceSolver
from ..moment import NOBODY, Moment, check_sizes
from ..report import StepReport, Stopwatch
from ..rest.sleep import Sleepers
from ..solver.accelerated_kernels import HASTE
from ..solver.force_kernels import mark_violated
from ..solver.law_kernels import COULOMB, SLIDING
from ..solver.problem_kernels import HARD, ITERATIONS, N_REPORT, WORK
from ..solver.row_kernels import find_astray
from ..state import Model, State
from .budget import ROUND, Budget
from .guard import OUT_OF_WORK, TOO_LONG, WINDOW, Guard
from .jam import Jam
from .kinematic_watch import KinematicWatch
from .levels import shorten
from .predict import predict
from .solution_kernels import read_solution
from .workspace import StepTables

MAX_ROUNDS = 30
"""How often contacts may be added to a motion, and once more for every body: a push goes from body to body."""
MAX_FAILURES = 64
"""How many motions of a step may fail; where one is not free to its end, half of it is tried."""
SHORTEST_PART = 2.0**-12
"""The shortest motion that is tried, as a share of the step."""
FAILURES_BY_SPIN = 24
"""After how many failures motions are no longer halved because forces turn a body far in them, or give it energy. What
bodies gain from nowhere is then taken from them, however much it is."""
MAX_CORRECTIONS = 6
"""How often forces are found again because bodies turn in another way than thought."""
NEW_CONTACTS = 4
"""How many contacts a pair of bodies may gain in one round."""
FORCE_TOLERANCE = 1e-4
"""To which share of the contact gap forces are right."""
STILL, LEAST_STILL = 0.02, 1e-3
"""In tolerances: the largest motion in a step that counts as none, and the least one that is worth the search."""
ACCELERATION_AT_REST = 1e-6
"""Accelerations below this share of gravity's are the error of forces; a slope of as many radians gives such."""


class Stepper:
    """Makes the next moment of a world from the last one; holds what steps need beyond that.

    It works on copies: whoever throws it away in the middle of a step loses nothing. What it remembers from step to
    step makes them fast, never different.
    """

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
        self.contact_gap = contact_gap
        self._solve_forces, self._level = solve_forces, level
        self._gamma = 1.0 if self.pairs.gamma is None else self.pairs.gamma
        self._bouncy = self.pairs.bouncy and level == "dynamic"
        parts = (self.state, self.contacts, self.joints)
        self._guard, self._sleepers = Guard(model, contact_gap, threads), Sleepers(len(model.mass), *parts)
        self._tables, self._budget = StepTables(model), Budget(model)
        self.watch = KinematicWatch(model, now.setup.specs, contact_gap, level)
        self._account = Account(model, *parts, self._tables)
        self._balance = EnergyBalance(model, *parts, self._tables, self._account, self._gamma)
        self._bouncer = Bouncer(model, *parts, self.pairs, self._tables, self._account, self._balance)
        self._everyone = np.ones(len(model.mass), np.bool_)
        self._jam, self._stuck = Jam(self.state), self._everyone
        self._found, self._forces = np.zeros(N_REPORT), self.contacts.forces()
        """What solves report; what the contacts' forces were when a motion began."""
        self._mu = np.zeros(0)
        self._dt, self._gravity, self._failed = 1.0, 0.0, 0
        self._haste, self._corrections, self._any_hasty, self._any_spun = HASTE, 0, False, False
        self._locked_turns = bool(model.locked[:, 3:].any())
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
        self._dt, self._gravity = dt, hypot(*gravity)
        if self._level != "geometric" and not self._sleepers.look_around(now.state, dt, gravity):
            self._known = now.after_sleep(dt)
            return self._known
        report = StepReport()
        self._begin(now)
        if self._level == "geometric":
            self._go_freely(dt, report)
        else:
            self._account.begin(now.state, dt, gravity)
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
        """Take copies of what the step will change."""
        self.state.become(now.state)
        self.contacts.become(now.contacts)
        if self._strange:
            self.contacts.find_facets(self.model)
            self._strange = False
        if len(now.joints.law) or len(self.joints.law):
            self.joints.become(now.joints)
        self._forces = now.contacts.forces()  # of a moment, so that they stay as they are

    def _end(self, now: Moment, report: StepReport) -> Moment:
        """Hand over what the step has made of them."""
        contacts = self.contacts
        report.contacts, report.pairs = contacts.n, len(self._guard.pairs)
        if contacts.n:
            report.smallest_gap = contacts.smallest_gap
        joints = self.joints.handed_over() if len(self.joints.law) else now.joints
        parts = (self.state.handed_over(), contacts.handed_over(), joints)
        return Moment(now.setup, *parts, NOBODY, now.time + self._dt, report, now.events)

    def _go(self, dt: float, gravity: Floats, report: StepReport) -> None:
        """Advance by parts of `dt`; bodies that find no way are held for what is left of it."""
        left = h = dt
        self._failed = 0
        self._stuck = self._everyone  # as long as nobody knows better
        self._budget.begin()
        while left > 0.0:
            report.parts += 1
            h = min(h, left)
            if self._part(h, gravity, report):
                left = left - h if left - h > 1e-9 * dt else 0.0
                h *= 2.0
                if left > 0.0:
                    self._forces = self.contacts.copied_forces()
                continue
            self._failed += 1
            if self._failed < MAX_FAILURES and h > SHORTEST_PART * dt and not self._budget.spent:
                h *= 0.5
                continue
            report.time_given_up = max(report.time_given_up, left)
            report.gave_up = report.gave_up or ("work" if self._budget.spent else "no way")
            if not self._jam.hold(self._stuck):
                self._account.note_staying(self._everyone)
                break
            self._account.note_staying(self._stuck)
            self._sleepers.wake()
            self._budget.grant_reserve()
            self._failed, h = 0, left

    def _go_freely(self, h: float, report: StepReport) -> None:
        """Move every body as it wants to, as far as nothing is in its way."""
        tables = self._tables
        self._predict(h, np.zeros(3), report)
        self._guard.begin()
        tables.shift[:], self._guard.due[:] = 0.0, True
        set_motions(tables.free, tables.shift, h, self._guard.due, tables.motion)
        share, report.parts = np.ones(len(self.state.kind)), 1
        self._budget.begin()
        while (n_hit := self._guard.check(tables.motion, self._budget)) != 0:
            shorten(tables.motion[:-1], share, self._guard.due[:-1])
            if n_hit in (TOO_LONG, OUT_OF_WORK):  # nobody was looked at, or not at all of them
                self._guard.due[:] = True
            report.rounds += 1
        self.contacts.let_go(self._advance(h, report), 2.0 * self.contact_gap)

    def _part(self, h: float, gravity: Floats, report: StepReport) -> bool:
        """Advance by `h`; False, and nothing changed, if no motion was found that is free to its end."""
        tables, watch, contact_forces = self._tables, Stopwatch(report), self._forces
        self._predict(h, gravity, report)
        joint_forces = self.joints.guess(tables.movable)
        watch.lap("predict")
        self.contacts.extra[:] = 0.0
        if h != self._dt:  # in a shorter motion, forces that held for a whole one give other ways
            self._sleepers.wake()
        self._guard.begin()
        self._guard.due[:] = self._sleepers.awake
        self._haste, self._corrections = HASTE, 0
        tables.begin()
        for _ in range(MAX_ROUNDS + len(self.state.kind) + MAX_CORRECTIONS + 1):
            report.rounds += 1
            self._budget.note(ROUND)
            solved = self._solve(h, report)
            watch.lap("solve")
            if self._budget.spent:
                break
            if not solved:
                self._stuck = self._violated(h)
                break
            if self._any_spun and self.contacts.n and self._level == "dynamic" and self._may_halve(h):
                break  # forces turn bodies too far to be believed
            n_hit = self._guard.check(tables.motion, self._budget)
            watch.lap("check")
            if n_hit == OUT_OF_WORK:
                if self._stuck.all():
                    self._stuck = self._guard.due[:-1].copy()
                break
            if n_hit == 0 and self._can_be_better(h):
                continue
            if n_hit == 0 and self._gains(h):
                report.energy_refusals += 1
                break
            if n_hit == 0:
                alive = self._advance(h, report)
                self._sleepers.settle(tables.motion, tables.twist, alive, contact_forces[2:], h, gravity)
                self.contacts.let_go(alive, 2.0 * self.contact_gap)
                watch.lap("advance")
                return True
            hopeless = n_hit == TOO_LONG or self._guard.nobody_yields(n_hit, tables.movable)
            self._stuck = self._guard.due[:-1].copy()
            admitted = not hopeless and self._admit(n_hit)
            watch.lap("admit")
            if not admitted:
                break
        self.contacts.go_back(contact_forces)
        self.joints.go_back(joint_forces)
        return False

    def _can_be_better(self, h: float) -> bool:
        """Whether forces of a free motion were found in haste, or for other turns, and are to be found again."""
        tables, contacts = self._tables, self.contacts
        if self._haste > 1.0 and self._any_hasty:
            self._haste = 1.0
            return True
        if self._corrections == MAX_CORRECTIONS:
            return False
        self._corrections += 1
        turned = (tables.motion, tables.movable, h, tables.spin)
        return bool(find_astray(contacts.n, contacts.name, contacts.force, *turned, self._guard.due))

    def _predict(self, h: float, gravity: Floats, report: StepReport) -> None:
        """How bodies would move without contacts."""
        still_for = self._dt if self._level != "dynamic" else None
        report.frozen += predict(self.model, self.state, self._tables, h, gravity, self.pairs.gamma, still_for)

    def _solve(self, h: float, report: StepReport) -> bool:
        """Forces and motions; False if they break the laws of contacts or joints by too much to mean anything."""
        tables, contacts, joints = self._tables, self.contacts, self.joints
        n, m = contacts.n, joints.n
        if n + m == 0:
            tables.shift[:] = 0.0
            self._found[:] = 0.0
        else:
            tables.make_room(contacts, m)
            to_length = h * h / tables.scale
            mu = self._mu = self.pairs.friction_of(contacts.name, n)
            reference, compliance = joints.references(tables.motion, tables.twist, h)
            if m or len(tables.rows.lower):
                tables.limit(compliance / to_length, joints.lower[:m] * to_length, joints.upper[:m] * to_length)
            self._solve_forces(
                tables.touching(contacts, mu, self.contact_gap),
                (joints.name, joints.place, joints.last, reference),
                tables.bodies(h),
                tables.status(self._guard.due),
                tuple(tables.rows),
                self._options(h),
                (contacts.force, contacts.friction, joints.force[:m]),
                self._found,
            )
        # Islands that are not solved again keep what an earlier round left of them.
        moving = (tables.free, tables.shift, h, self._guard.due, tables.motion)
        *left, self._any_hasty, self._any_spun = read_solution(tables.left, tables.hasty, *moving)
        report.residual, report.friction_residual, report.unsolved = left
        if n + m:
            report.iterations += int(self._found[ITERATIONS])
            report.count_solvers(self._found)
            self._budget.note(float(self._found[WORK]))
        return bool(self._found[HARD] <= self._worst(h))

    def _worst(self, h: float) -> float:
        """[m] the largest violation of contacts and joints with which a motion of length h still means anything."""
        return max(0.1 * h / self._dt, FORCE_TOLERANCE) * self.contact_gap

    def _may_halve(self, h: float) -> bool:
        """Whether a motion that is free may be refused for what forces make of it."""
        return self._failed < FAILURES_BY_SPIN and h > SHORTEST_PART * self._dt

    def _gains(self, h: float) -> bool:
        """Whether bodies would gain so much energy from nowhere that half of the motion is to be tried."""
        if self._level != "dynamic":
            return False
        return self._balance.refuses(h, self.contact_gap, self._mu, self._may_halve(h))

    def _violated(self, h: float) -> NDArray[np.bool_]:
        """Which bodies have contacts or joints that the last solve left violated."""
        stuck = np.zeros(len(self.state.kind) + 1, np.bool_)
        mark_violated(self.contacts.n, tuple(self._tables.rows), self._guard.due, self._worst(h), stuck)
        return stuck[:-1]

    def _options(self, h: float) -> tuple[Any, ...]:
        """Tolerance [m], forces to lengths, share of the step, friction law, motion [m] that counts as none, haste."""
        law = SLIDING if self.pairs.sliding else COULOMB
        tolerance = FORCE_TOLERANCE * self.contact_gap
        still = min(STILL * tolerance, ACCELERATION_AT_REST * self._gravity * h * h)
        # What the solver cannot reach is not worth its while.
        still = still if still > LEAST_STILL * tolerance else 0.0
        return (tolerance, h * h / self._tables.scale, h / self._dt, law, still, self._haste)

    def _admit(self, n_hit: int) -> bool:
        """Turn hits into contacts; False if nothing could be added or raised."""
        model, contacts, guard = self.model, self.contacts, self._guard
        guard.due &= self._tables.movable  # whatever touches the others, they go on as before
        contacts.make_room(contacts.n + 3 * n_hit)  # two edges: where they cross, and both ends of what they share
        options = (3.0 * self.contact_gap, self.contact_gap, WINDOW, NEW_CONTACTS)
        chains = (np.empty(len(self.state.kind), np.int32), np.empty(contacts.n, np.int32))
        n, n_raised, contacts.next_label = admit_hits(
            guard.hits,
            n_hit,
            guard.pairs,
            model.shape_of,
            self._tables.motion,
            model.table.arrays,
            model.surfaces,
            options,
            contacts.n,
            contacts.next_label,
            chains,
            contacts.name,
            contacts.place,
            contacts.extra,
        )
        grown = n > contacts.n
        for table in (contacts.force, contacts.friction, contacts.acted):
            table[contacts.n : n] = 0.0
        contacts.n = n
        return bool(grown or n_raised > 0)

    def _drop_locked_turns(self) -> None:
        """Leave bodies without angular velocities about locked axes."""
        if self._locked_turns:
            state, model = self.state, self.model
            drop_locked_turns(state.kind, model.inertia, model.locked, state.pose, state.twist)

    def _advance(self, h: float, report: StepReport) -> NDArray[np.bool_]:
        """Move to the end of the motion; which contacts have features there that face each other."""
        tables, state, contacts = self._tables, self.state, self.contacts
        self._note(h)
        bodies = (state.kind, self.model.inertia, tables.middle, tables.motion, h, tables.before, self._gamma)
        self._account.note_marked(advance_bodies(*bodies, state.pose, state.twist, self._account.stays))
        if self._level != "dynamic":
            moved = tables.movable[:-1]
            state.twist[moved] = tables.twist[:-1][moved]
        if self.joints.n:
            self._account.advance_joints(h)
        alive, given = np.zeros(contacts.n, np.bool_), None
        if contacts.n:
            self._refresh_contacts(alive)
            if self._bouncy:
                given = self._bouncer.bounce(h, self.contact_gap, self._options(h), report)
        if self._level == "dynamic":
            self._drop_locked_turns()
            report.energy_taken += self._balance.settle(h, self._mu, given)
        return alive

    def _refresh_contacts(self, alive: NDArray[np.bool_]) -> None:
        """Place contacts where the bodies have come to; which of them have features there that face each other."""
        contacts = self.contacts
        refresh_contacts(
            contacts.name,
            contacts.place,
            contacts.n,
            self.model.table.arrays,
            self.model.surfaces,
            self.model.shape_of,
            self._guard.ends,
            3.0 * self.contact_gap,
            alive,
        )

    def _note(self, h: float) -> None:
        """Note what acts in the motion that is about to be made."""
        self._account.note_forces(h)
        if self._account.resisted and self._level == "dynamic":
            self._account.note_motion(h, self._gamma)
