"""A world at one moment: what it was told, where everything is, and how it got there.

A world has one moment and replaces it in one assignment. A step, or a change by hand, makes the next moment and leaves
the one before as it was. After an interrupt on the way the world is as before, and another thread that looks at it
never sees half of a change.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..errors import AbutError
from .bodies.body import BodySpec
from .bodies.body_kernels import FIXED
from .contacts.contact_set import ContactSet
from .contacts.pair_laws import PairLaws
from .events import EventLog
from .joints.joint_set import COLUMNS, JointSet
from .report import StepReport
from .soft.soft_spec import NO_SOFT, SoftMoment
from .state import Model, State

NOBODY: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Setup:
    """The bodies of a world and what holds between them; replaced as a whole, so that a stepper knows its own."""

    laws: PairLaws
    specs: tuple[BodySpec, ...] = ()
    numbers: dict[str, int] = field(default_factory=dict)
    """Bodies by name."""
    rules: dict[tuple[int, int], str] = field(default_factory=dict)
    """"ignore" or "interference", by pairs of bodies, the smaller number first."""

    def says_the_same(self, other: Setup) -> bool:
        """Whether two setups differ in nothing, so that what was made for one serves the other."""
        return (
            len(self.specs) == len(other.specs)
            and all(map(BodySpec.says_the_same, self.specs, other.specs))
            and self.rules == other.rules
            and self.laws.says_the_same(other.laws)
        )

    def with_body(self, spec: BodySpec, friction: float | None, restitution: float | None) -> Setup:
        """One more body."""
        numbers = {**self.numbers, spec.name: len(self.specs)}
        return Setup(self.laws.with_body(friction, restitution), (*self.specs, spec), numbers, self.rules)

    def without_body(self, number: int) -> Setup:
        """One body less; the others keep their numbers."""
        specs = tuple(spec.removed(i) if i == number else spec for i, spec in enumerate(self.specs))
        numbers = {name: i for name, i in self.numbers.items() if i != number}
        rules = {pair: rule for pair, rule in self.rules.items() if number not in pair}
        return replace(self, specs=specs, numbers=numbers, rules=rules)

    def with_spec(self, number: int, spec: BodySpec) -> Setup:
        """Another kind of body in the place of one."""
        return replace(self, specs=(*self.specs[:number], spec, *self.specs[number + 1 :]))

    def with_pair(self, pair: tuple[int, int], rule: str, friction: float | None, restitution: float | None) -> Setup:
        """Another rule and other laws for two bodies, the smaller number first."""
        rules = {known: kept for known, kept in self.rules.items() if known != pair}
        if rule != "contact":
            rules[pair] = rule
        return replace(self, laws=self.laws.with_pair(*pair, friction, restitution), rules=rules)


class Moment(NamedTuple):
    """All of a world that steps and commands change.

    Only rows of twists and wrenches are written to in place, and only between steps.
    """

    setup: Setup
    state: State
    contacts: ContactSet
    joints: JointSet
    suspects: frozenset[int]
    """Bodies that may overlap others: what was done to them was not yet checked."""
    time: float
    """[s]."""
    report: StepReport
    """Of the last step."""
    events: EventLog
    soft: SoftMoment = NO_SOFT
    """Deformable bodies."""

    @property
    def ignored(self) -> set[tuple[int, int]]:
        """Pairs of bodies that may overlap, the smaller number first."""
        return {*self.setup.rules, *self.joints.ignored_pairs()}

    def with_body(self, setup: Setup, state: State) -> Moment:
        """One more body, the last one."""
        return self._replace(setup=setup, state=state, suspects=self.suspects | {len(setup.specs) - 1})

    def without_body(self, number: int, joints: JointSet) -> Moment:
        """One body less, and its contacts; `joints` are those that are left."""
        state = self.state.with_rows(number, kind=FIXED, twist=0.0, wrench=0.0, hold=0.0, applied=0.0, acted=0.0)
        changed = (self.setup.without_body(number), state, self.contacts.without_bodies([number]), joints)
        return Moment(
            *changed, self.suspects - {number}, self.time, self.report, self.events, self.soft.without_rigid(number)
        )

    def with_spec(self, number: int, spec: BodySpec, pose: Floats) -> Moment:
        """Another kind of body in the place of one, at rest at this row of poses."""
        rest = {"twist": 0.0, "wrench": 0.0, "hold": 0.0, "applied": 0.0, "acted": 0.0}
        state = self.state.with_rows(number, kind=spec.kind, **rest)
        return self._replace(setup=self.setup.with_spec(number, spec), state=state).with_pose(number, pose)

    def with_pairs(self, bodies: set[int], **changed: Any) -> Moment:
        """Other rules or joints between some bodies; contacts of pairs that do not see each other are let go."""
        moment = self._replace(**changed, suspects=self.suspects | bodies)
        return moment._replace(contacts=moment.contacts.without(moment.ignored))

    def with_pose(self, body: int, pose: Floats) -> Moment:
        """A body put somewhere else, by its row of poses: its contacts say nothing there, and it may overlap others."""
        state = self.state.with_rows(body, pose=pose)
        changed = (state, self.contacts.without_bodies([body]), self.joints.settled(state.pose))
        return Moment(
            self.setup, *changed, self.suspects | {body}, self.time, self.report, self.events, self.soft.suspected()
        )

    def with_ways(self, ways: Floats) -> Moment:
        """Bodies moved by (n, 3) ways [m]; contacts of those that were say nothing there."""
        pose, contacts = self.state.pose.copy(), self.contacts.without_bodies(np.flatnonzero(ways.any(axis=1)))
        pose[:, :3] += ways
        state = self.state.with_tables(pose=pose)
        return self._replace(state=state, contacts=contacts, joints=self.joints.settled(pose))

    def after_sleep(self, dt: float) -> Moment:
        """The same a step later, if all bodies sleep."""
        before = self.report
        report = StepReport(contacts=before.contacts, pairs=before.pairs, smallest_gap=before.smallest_gap)
        contacts = self.contacts if self.contacts.gone is None else self.contacts.without_gone()
        parts = (self.state, contacts, self.joints)
        return Moment(self.setup, *parts, NOBODY, self.time + dt, report, self.events, self.soft)


def check_sizes(model: Model, now: Moment, known: Moment | None) -> None:
    """Refuse tables that do not fit each other, as kernels would write beyond them; those of `known` do."""
    state, contacts, joints = now.state, now.contacts, now.joints
    n = len(model.mass)
    fits = state.fits(n) and len(now.setup.laws.of_body) == n
    if known is None or contacts is not known.contacts:
        room = len(contacts.force)
        fits = fits and all(len(table) == room >= contacts.n for table in contacts.tables())
    if known is None or joints is not known.joints:
        rows = len(joints.law)
        fits = fits and all(len(getattr(joints, column)) == rows >= joints.n for column in COLUMNS)
    if not fits:
        raise AbutError(
            "the tables of this world do not fit each other; restore it from what was saved, or make it anew"
        )
