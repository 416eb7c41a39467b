"""The search for a motion of a step: forces with which it keeps every contact, and is free to its end.

predict   motion without contacts
solve     forces so that every contact's gap is at least its target at the end of the motion
check     the whole motion, for features that come too close on the way
admit     what was found as new contacts, and solve again: one round of the search
"""

from __future__ import annotations

from enum import Enum
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...contact.admit_kernels import admit_hits
from ..accounts.balance import EnergyBalance
from ..contacts.contact_set import ContactForces
from ..methods.method import ForceSolver
from ..report import StepReport, Stopwatch
from ..rest.sleep import Sleepers
from ..solver.accelerated_kernels import HASTE
from ..solver.force_kernels import mark_violated
from ..solver.law_kernels import COULOMB, SLIDING
from ..solver.problem_kernels import HARD, ITERATIONS, N_REPORT, WORK
from ..solver.row_kernels import find_astray
from .budget import ROUND, Budget
from .guard import OUT_OF_WORK, TOO_LONG, WINDOW, Guard
from .predict import predict
from .solution_kernels import read_solution
from .workspace import Workbench

MAX_ROUNDS = 30
"""How often contacts may be added to a motion, and once more for every body: a push goes from body to body."""
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


class Round(Enum):
    """How a round of the search ends."""

    FREE = "the motion is free to its end"
    AGAIN = "contacts were added, or forces can be better"
    HOPELESS = "no motion of this length"


class MotionSearch:
    """Finds the motions of a step, one after the other, and says who is to blame where there is none.

    What it finds stands in the tables. It owns what belongs to the motion that it looks for.
    """

    def __init__(
        self,
        bench: Workbench,
        balance: EnergyBalance,
        sleepers: Sleepers,
        budget: Budget,
        guard: Guard,
        solve_forces: ForceSolver,
        level: str,
    ) -> None:
        self._model, self._state, self._contacts, self._joints, self._laws, self._tables = bench
        self._balance, self._sleepers, self._budget, self._guard = balance, sleepers, budget, guard
        self._solve_forces, self._level, self._gap = solve_forces, level, guard.contact_gap
        self._dt, self._gravity = 1.0, np.zeros(3)
        """Of the step."""
        self._everyone = np.ones(len(bench.model.mass), np.bool_)
        self.stuck = self._everyone
        """(n_body,) bodies that were in the way of the last motion that was not free; all of them if nobody knows."""
        self.due = np.zeros(len(bench.model.mass) + 1, np.bool_)
        """(n_body + 1,) bodies that do not move as they did in the last check, or to which something happened there:
        their islands are solved and their pairs are checked in the next round. The last one is the world."""
        self.mu = np.zeros(0)
        """(n_contact,) coefficients of friction in the last solve."""
        self._haste, self._corrections = HASTE, 0
        """How much wider than in the end the tolerance of forces is, and how often they were found for other turns."""
        self._any_hasty, self._any_spun = False, False
        """Whether the last solve left forces that were found in haste, or that turn a body too far to be believed."""
        self._found = np.zeros(N_REPORT)
        """What the last solve reports."""

    def begin(self, dt: float, gravity: Floats) -> None:
        """A step begins."""
        self._dt, self._gravity, self.stuck = dt, gravity, self._everyone
        self._budget.begin()

    def find(self, h: float, may_halve: bool, before: ContactForces, report: StepReport) -> bool:
        """Whether there is a motion of length h [s] that is free to its end; if not, contacts and joints are as before.

        `may_halve` is whether a free motion may be refused for what forces make of it, `before` what those of contacts
        were when it began.
        """
        watch = Stopwatch(report)
        self.predict(h, self._gravity, report)
        joint_forces = self._joints.guess(self._tables.movable)
        watch.lap("predict")
        self._begin_motion(h)
        ended = Round.AGAIN
        for _ in range(MAX_ROUNDS + len(self._everyone) + MAX_CORRECTIONS + 1):
            ended = self._round(h, may_halve, report, watch)
            if ended is not Round.AGAIN:
                break
        if ended is Round.FREE:
            return True
        self._contacts.go_back(before)
        self._joints.go_back(joint_forces)
        return False

    def predict(self, h: float, gravity: Floats, report: StepReport) -> None:
        """How bodies would move without contacts."""
        still_for = self._dt if self._level != "dynamic" else None
        report.frozen += predict(self._model, self._state, self._tables, h, gravity, self._laws.gamma, still_for)

    def options(self, h: float) -> tuple[Any, ...]:
        """Tolerance [m], forces to lengths, share of the step, friction law, motion [m] that counts as none, haste."""
        law = SLIDING if self._laws.sliding else COULOMB
        tolerance = FORCE_TOLERANCE * self._gap
        still = min(STILL * tolerance, ACCELERATION_AT_REST * hypot(*self._gravity) * h * h)
        # What the solver cannot reach is not worth its while.
        still = still if still > LEAST_STILL * tolerance else 0.0
        return (tolerance, h * h / self._tables.scale, h / self._dt, law, still, self._haste)

    def _begin_motion(self, h: float) -> None:
        """Nothing is known of a motion yet."""
        self._contacts.extra[:] = 0.0
        if h != self._dt:  # in a shorter motion, forces that held for a whole one give other ways
            self._sleepers.wake()
        self._guard.begin()
        self.due[:] = self._sleepers.awake
        self._haste, self._corrections = HASTE, 0
        self._tables.begin()

    def _round(self, h: float, may_halve: bool, report: StepReport, watch: Stopwatch) -> Round:
        """Solve, check, and admit what is found."""
        report.rounds += 1
        self._budget.note(ROUND)
        solved = self._solve(h, report)
        watch.lap("solve")
        if self._budget.spent:
            return Round.HOPELESS
        if not solved:
            self.stuck = self._violated(h)
            return Round.HOPELESS
        if self._any_spun and self._contacts.n and self._level == "dynamic" and may_halve:
            return Round.HOPELESS  # forces turn bodies too far to be believed
        n_hit = self._guard.check(self._tables.motion, self.due, self._budget)
        ended = self._judge_free(h, may_halve, report) if n_hit == 0 else Round.AGAIN
        watch.lap("check")
        if n_hit == 0:
            return ended
        if n_hit == OUT_OF_WORK and not self.stuck.all():
            return Round.HOPELESS  # it is known who was in the way before
        hopeless = n_hit in (OUT_OF_WORK, TOO_LONG) or self._guard.nobody_yields(n_hit, self._tables.movable, self.due)
        self.stuck = self.due[:-1].copy()
        admitted = not hopeless and self._admit(n_hit)
        watch.lap("admit")
        return Round.AGAIN if admitted else Round.HOPELESS

    def _judge_free(self, h: float, may_halve: bool, report: StepReport) -> Round:
        """Whether a motion that is free may be made as it is."""
        if self._can_be_better(h):
            return Round.AGAIN
        if self._level == "dynamic" and self._balance.refuses(h, self._gap, self.mu, may_halve):
            report.energy_refusals += 1
            return Round.HOPELESS
        return Round.FREE

    def _can_be_better(self, h: float) -> bool:
        """Whether forces of a free motion were found in haste, or for other turns, and are to be found again."""
        tables, contacts = self._tables, self._contacts
        if self._haste > 1.0 and self._any_hasty:
            self._haste = 1.0
            return True
        if self._corrections == MAX_CORRECTIONS or contacts.n == 0:
            return False
        self._corrections += 1
        turned = (tables.motion, tables.movable, h, tables.spin)
        return bool(find_astray(contacts.n, contacts.name, contacts.force, *turned, self.due))

    def _solve(self, h: float, report: StepReport) -> bool:
        """Forces and motions; False if they break the laws of contacts or joints by too much to mean anything."""
        tables, n_item = self._tables, self._contacts.n + self._joints.n
        if n_item == 0:
            tables.shift[:] = 0.0
            self._found[:] = 0.0
        else:
            self._find_forces(h)
        # Islands that are not solved again keep what an earlier round left of them.
        moving = (tables.free, tables.shift, h, self.due, tables.motion)
        *left, self._any_hasty, self._any_spun = read_solution(tables.left, tables.hasty, *moving)
        report.residual, report.friction_residual, report.unsolved = left
        if n_item:
            report.iterations += int(self._found[ITERATIONS])
            report.count_solvers(self._found)
            self._budget.note(float(self._found[WORK]))
        return bool(self._found[HARD] <= self._worst(h))

    def _find_forces(self, h: float) -> None:
        """Forces of the islands that are due, and the ways that bodies go by them."""
        tables, contacts, joints, m = self._tables, self._contacts, self._joints, self._joints.n
        tables.make_room(contacts, m)
        to_length = h * h / tables.scale
        self.mu = self._laws.friction_of(contacts.name, contacts.n)
        reference, compliance = joints.references(tables.motion, tables.twist, h)
        if m or len(tables.rows.lower):
            tables.limit(compliance / to_length, joints.lower[:m] * to_length, joints.upper[:m] * to_length)
        self._solve_forces(
            tables.touching(contacts, self.mu, self._gap),
            (joints.name, joints.place, joints.last, reference),
            tables.bodies(h),
            tables.status(self.due),
            tuple(tables.rows),
            self.options(h),
            (contacts.force, contacts.friction, joints.force[:m]),
            self._found,
        )

    def _worst(self, h: float) -> float:
        """[m] the largest violation of contacts and joints with which a motion of length h still means anything."""
        return max(0.1 * h / self._dt, FORCE_TOLERANCE) * self._gap

    def _violated(self, h: float) -> NDArray[np.bool_]:
        """Which bodies have contacts or joints that the last solve left violated."""
        violated = np.zeros(len(self.due), np.bool_)
        mark_violated(self._contacts.n, tuple(self._tables.rows), self.due, self._worst(h), violated)
        return violated[:-1]

    def _admit(self, n_hit: int) -> bool:
        """Turn hits into contacts; False if nothing could be added or raised."""
        model, contacts, guard, tables = self._model, self._contacts, self._guard, self._tables
        self.due &= tables.movable  # whatever touches the others, they go on as before
        contacts.make_room(contacts.n + 3 * n_hit)  # two edges: where they cross, and both ends of what they share
        options = (3.0 * self._gap, self._gap, WINDOW, NEW_CONTACTS)
        chains = (np.empty(len(self._everyone), np.int32), np.empty(contacts.n, np.int32))
        n, n_raised, contacts.next_label = admit_hits(
            (*guard.hits, n_hit),
            (guard.pairs, model.shape_of, tables.motion),
            model.table.arrays,
            model.surfaces,
            options,
            (contacts.n, contacts.next_label),
            chains,
            (contacts.name, contacts.place, contacts.extra),
        )
        grown = n > contacts.n
        for table in (contacts.force, contacts.friction, contacts.acted):
            table[contacts.n : n] = 0.0
        contacts.n = n
        return bool(grown or n_raised > 0)
