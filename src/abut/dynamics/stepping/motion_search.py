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
from ..bodies.body_kernels import FROZEN
from ..contacts.contact_set import ContactForces, ContactSet
from ..methods.method import ForceSolver
from ..report import StepReport, Stopwatch
from ..rest.sleep import Sleepers
from ..solver.accelerated_kernels import COARSENESS
from ..solver.force_kernels import mark_violated, solve_forces
from ..solver.law_kernels import COULOMB, SLIDING
from ..solver.problem_kernels import ITERATIONS, WORK
from ..state import State
from .budget import ROUND, Budget
from .guard import OUT_OF_WORK, TOO_LONG, WINDOW, Guard
from .judge_kernels import judge_motion
from .packet_tables import Rubbing
from .predict_kernels import begin_motion, take_contacts, take_joints
from .solution_kernels import (
    LEFT_ROOM,
    NO_WORK_LEFT,
    SPUN,
    VIOLATED,
    ask_of_motion,
    move_freely,
    read_motions,
    solve_motion,
)
from .workspace import Workbench

MAX_ROUNDS = 30
"""How often contacts may be added to a motion, and once more for every body: a push goes from body to body."""
MAX_CORRECTIONS = 6
"""How often forces are found again because bodies turn in another way than thought."""
NEW_CONTACTS = 4
"""How many contacts a pair of bodies may gain in one round."""
FORCE_TOLERANCE = 1e-4
"""To which share of the contact gap forces are right."""
WORST = 0.1
"""In contact gaps: the largest violation that a motion as long as the step is made with."""
OVERHANG = 3.0
"""In contact gaps: how far a vertex may lie beyond the border of its face before their contact no longer holds."""
STILL, LEAST_STILL = 0.02, 1e-3
"""In tolerances: the largest motion in a step that counts as none, and the least one that is worth the search."""
ACCELERATION_AT_REST = 1e-6
"""Accelerations below this share of gravity's are the error of forces; a slope of as many radians gives such."""

NO_GRAVITY = np.zeros(3)
"""Below the dynamic level."""


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
        self._solve_forces, self._dynamic, self._gap = solve_forces, level == "dynamic", guard.contact_gap
        self._dt, self._gravity, self._pull = 1.0, np.zeros(3), 0.0
        """Of the step; [m/s^2] how large gravity is."""
        self._begins = True
        """Whether the next motion is the first one of a step."""
        self.pace = (1.0, 1.0, 0.0, 0.0)
        """How the motion is made that is looked for: the fields of Pace."""
        self._then = bench.state
        """The state in which the step began."""
        self._everyone = np.ones(len(bench.model.mass), np.bool_)
        self.stuck = self._everyone
        """(n_body,) bodies that were in the way of the last motion that was not free; all of them if nobody knows."""
        self.due = bench.tables.due
        """(n_body + 1,) bodies that do not move as they did in the last check, or to which something happened there:
        their islands are solved and their pairs are checked in the next round. The last one is the world."""
        self._coarseness, self._corrections = COARSENESS, 0
        """How much wider than in the end the tolerance of forces is, and how often they were found for other turns."""
        self._any_coarse = False
        """Whether the last solve left coarse forces."""
        self._words, self._found = bench.tables.words, bench.tables.report
        """All tables as kernels take them, and what the last solve reports."""
        self._known = (np.zeros(0), np.zeros(0), np.zeros(0))
        """Forces of contacts whose tables kernels know, places of joints and where their springs were: other ones come
        with other tables."""
        of_body, self._friction, *of_pairs = self._laws.of_friction
        bench.tables.packet.put(Rubbing, (of_body, *of_pairs))

    def begin(self, then: State, dt: float, gravity: Floats) -> None:
        """A step begins from the state `then`."""
        if gravity is not self._gravity:
            self._gravity, self._pull = gravity, hypot(*gravity)
        self._dt, self._then, self.stuck, self._begins = dt, then, self._everyone, True
        self._budget.begin()

    def find(self, h: float, may_halve: bool, before: ContactForces | ContactSet, report: StepReport) -> bool:
        """Whether there is a motion of length h [s] that is free to its end; if not, contacts and joints are as before.

        `may_halve` is whether a free motion may be refused for what forces make of it, `before` what those of contacts
        were when it began.
        """
        watch = Stopwatch(report)
        joint_forces = None if self._begins else self._joints.guess()
        if h != self._dt:  # in a shorter motion, forces that held for a whole one give other ways
            self._sleepers.wake()
        self.predict(h, report, joint_forces)
        watch.lap("predict")
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

    def predict(self, h: float, report: StepReport, joint_forces: tuple[Floats, ...] | None = None) -> None:
        """How bodies would move without contacts; nothing is known of their motion yet.

        `joint_forces` [N] are those before the last motion of this step and after it; None if this is its first one.
        """
        self._guard.begin()
        self._coarseness, self._corrections = COARSENESS, 0
        self.pace = (h, h / self._dt, self._laws.gamma or 0.0, 0.0 if self._dynamic else self._dt)
        self._tables.make_room(self._contacts, self._joints.n)
        self._hand_over(joint_forces)
        begins, self._begins = self._begins, False
        gravity, blocks = self._gravity if self._dynamic else NO_GRAVITY, (self._state.blocks, self._joints.blocks)
        self._note_prediction(begin_motion(begins, *blocks, gravity, self.pace, self._words), report)

    def _hand_over(self, joint_forces: tuple[Floats, ...] | None) -> None:
        """Let kernels find the tables of contacts and joints, if they are others than in the motion before."""
        force, place, middle = self._contacts.force, self._joints.place, self._balance.spring_middle
        known_force, known_place, known_middle = self._known
        if force is not known_force:
            take_contacts(self._contacts.tables(), self._words)
        if joint_forces is not None or place is not known_place or middle is not known_middle:
            before = self._joints.force_before if joint_forces is None else joint_forces[0]
            take_joints(self._joint_tables(before), self._words)
        self._known = (force, place, middle)

    def _joint_tables(self, before: Floats) -> tuple[Any, ...]:
        """The fields of JointTables."""
        joints = self._joints
        asked = (joints.name, joints.place, joints.last, joints.law, joints.value, joints.lower, joints.upper)
        return (*asked, before, joints.force, joints.acted, joints.wrench, self._balance.spring_middle)

    def plan(self, h: float) -> tuple[Any, ...]:
        """What a motion is solved, judged and made for: the fields of Plan."""
        return (self._contacts.n, self._joints.n, h, self._gap)

    def _note_prediction(self, found: tuple[int, float, bool], report: StepReport) -> None:
        broken, self._tables.scale, self._tables.any_held = found
        if broken:
            frozen = np.flatnonzero((self._state.kind == FROZEN) & (self._then.kind != FROZEN)).tolist()
            report.frozen += tuple(i for i in frozen if i not in report.frozen)

    def options(self, h: float) -> tuple[Any, ...]:
        """Tolerance [m], forces to lengths, share of the step, friction law, motion [m] that is none, coarseness."""
        law = SLIDING if self._laws.sliding else COULOMB
        tolerance = FORCE_TOLERANCE * self._gap
        still = min(STILL * tolerance, ACCELERATION_AT_REST * self._pull * h * h)
        # What the solver cannot reach is not worth its while.
        still = still if still > LEAST_STILL * tolerance else 0.0
        return (tolerance, h * h / self._tables.scale, h / self._dt, law, still, self._coarseness)

    def _round(self, h: float, may_halve: bool, report: StepReport, watch: Stopwatch) -> Round:
        """Solve, check, and admit what is found."""
        report.rounds += 1
        self._budget.note(ROUND)
        outcome = self._solve(h, may_halve, report)
        watch.lap("solve")
        if outcome == VIOLATED:
            self.stuck = self._violated(h)
        if outcome in (NO_WORK_LEFT, VIOLATED, SPUN):
            return Round.HOPELESS
        n_hit = self._guard.look(outcome == LEFT_ROOM, self._tables.motion, self.due, self._budget)
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
        """Whether a motion that is free may be made as it is, or its forces are to be found again.

        They are if they are coarse, or were found for other turns.
        """
        if self._coarseness > 1.0 and self._any_coarse:
            self._coarseness = 1.0
            return Round.AGAIN
        correct, tables, balance = (
            self._contacts.n > 0 and self._corrections < MAX_CORRECTIONS,
            self._tables,
            self._balance,
        )
        self._corrections += correct
        books, gain, joules = balance.books(self._dynamic), 0.0, 0.0
        if correct or len(books):
            astray, gain, joules = judge_motion(self._words, self.plan(h), balance.scheme(correct), books)
            if astray:
                return Round.AGAIN
        if self._dynamic and balance.refuses(h, tables.mu, gain, joules, may_halve):
            report.energy_refusals += 1
            return Round.HOPELESS
        return Round.FREE

    def _solve(self, h: float, may_halve: bool, report: StepReport) -> int:
        """Forces and motions; what became of them, as solution_kernels name it."""
        n_item, plan = self._contacts.n + self._joints.n, self.plan(h)
        spun = not (may_halve and self._dynamic and self._contacts.n)
        bounds = (self._worst(h), self._budget.left, spun)
        if n_item == 0:
            outcome, *left, self._any_coarse = move_freely(self._words, plan, bounds)
        elif self._solve_forces is solve_forces:
            solved = solve_motion(self._words, plan, self.options(h), self._friction, bounds)
            outcome, *left, self._any_coarse = solved
        else:
            outcome, *left, self._any_coarse = self._solve_in_another_way(h, plan, bounds)
        if n_item:
            found = self._found.tolist()
            report.iterations += int(found[ITERATIONS])
            report.count_solvers(found)
            self._budget.note(found[WORK])
        # Islands that are not solved again keep what an earlier round left of them.
        report.residual, report.friction_residual, report.unsolved = left
        return int(outcome)

    def _solve_in_another_way(self, h: float, plan: tuple[Any, ...], bounds: tuple[Any, ...]) -> tuple[Any, ...]:
        """The same by another method; returns what read_motions does."""
        tables, contacts, joints, options = self._tables, self._contacts, self._joints, self.options(h)
        ask_of_motion(self._words, plan, self._friction, h * h / tables.scale)
        asked = (joints.name, joints.place, joints.last, tables.reference)
        problem = (tables.touching(contacts, tables.mu), asked, tables.bodies(h), tables.status, tables.row_tables)
        forces = (contacts.force, contacts.friction, joints.force[: joints.n])
        self._solve_forces(*problem, options, forces, self._found)
        found: tuple[Any, ...] = read_motions(self._words, plan, bounds)
        return found

    def _worst(self, h: float) -> float:
        """[m] the largest violation of contacts and joints with which a motion of length h still means anything."""
        return max(WORST * h / self._dt, FORCE_TOLERANCE) * self._gap

    def _violated(self, h: float) -> NDArray[np.bool_]:
        """Which bodies have contacts or joints that the last solve left violated."""
        violated = np.zeros(len(self.due), np.bool_)
        mark_violated(self._contacts.n, self._tables.row_tables, self.due, self._worst(h), violated)
        return violated[:-1]

    def _admit(self, n_hit: int) -> bool:
        """Turn hits into contacts; False if nothing could be added or raised."""
        model, contacts, guard, tables = self._model, self._contacts, self._guard, self._tables
        self.due &= tables.movable  # whatever touches the others, they go on as before
        # Two edges make three contacts: where they cross, and both ends of what they share.
        if contacts.make_room(contacts.n + 3 * n_hit):
            take_contacts(contacts.tables(), self._words)
            self._known = (contacts.force, *self._known[1:])
        options = (OVERHANG * self._gap, self._gap, WINDOW, NEW_CONTACTS)
        chains = (np.empty(len(self._everyone), np.int32), np.empty(contacts.n, np.int32))
        n, n_raised, next_label = admit_hits(
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
        contacts.take_rows(n, next_label)
        tables.make_room(contacts, self._joints.n)
        return bool(grown or n_raised > 0)
