"""Bodies fly freely between impacts, which follow each other in the order of time (Mirtich 1996; SiLVIA).

fly       every body on its parabola, to the next event of the heap of times of impact
strike    two bodies that touch part by an impulse, with friction in the cone
rest      what lies on something hops on it, by less than the contact gap: a train of small blows

A step is a time at which somebody looks. What happens does not depend on its length, but for rounding.
Ways of bodies with hands, torques, joints, damping or locks have no closed forms: worlds with such are integrated by
the equations of the event method, and their blows follow each other as here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...contact.contact_kernels import BODY_A, BODY_B, GAP, KIND, LABEL, VERTEX_VERTEX, refresh_contacts
from ...errors import StoppedError
from ...query.motion.motion_candidate_kernels import FACE_VERTEX, VERTEX_FACE
from ..accounts.account_kernels import WRENCHES
from ..bodies.body_kernels import FIXED, FROZEN, KINEMATIC
from ..bodies.hold_kernels import LET_GO
from ..contacts.contact_set import ContactSet
from ..event.event_stepper import EventStepper
from ..events import Event
from ..methods.registry import Recipe
from ..moment import NOBODY, Moment, check_sizes
from ..report import StepReport, Stopwatch
from ..state import State
from ..stepping.guard import Guard
from ..stepping.kinematic_watch import KinematicWatch
from .flight import Flight
from .flight_kernels import PLANE
from .naming import Struck, name_of
from .train_kernels import BLOWS, DONE, IMPACT, LOOKS, NOW, WORN, put_frames

PARTED = 2.0
"""Contact gaps up to which a pair that struck each other is still a contact."""


class ImpulseStepper:
    """Makes the next moment of a world from the last one."""

    def __init__(self, recipe: Recipe) -> None:
        now = recipe.now
        self._model, self.setup, self.contact_gap = recipe.model, now.setup, recipe.contact_gap
        self._guard = Guard(recipe.model, recipe.contact_gap, recipe.threads)
        self.watch = KinematicWatch(recipe.model, now.setup.specs, recipe.contact_gap, "dynamic")
        self._flight = Flight(recipe.model, now.setup.specs, now.setup.laws, recipe.contact_gap)
        self._ignored: list[tuple[int, int]] | None = None
        self._recipe = recipe
        self._bound: EventStepper | None = None
        """Of worlds whose bodies do not fly freely."""

    def near_pairs(self, now: Moment) -> Ints:
        """Pairs of bodies whose boxes are within the contact gap of each other where they stand."""
        self._meet(now)
        return self._guard.near_pairs(now.state.pose)

    def step(self, now: Moment, dt: float, gravity: Floats) -> Moment:
        """What comes `dt` after `now`; raises StoppedError, with the moment reached, in a storm of impacts."""
        check_sizes(self._model, now, None)
        if not self._flies_freely(now):
            return self._step_bound(now, dt, gravity)
        self._meet(now)
        report = StepReport()
        watch = Stopwatch(report)
        before, now = now.state, now._replace(state=_frozen_where_broken(now.state))
        report.frozen = tuple(np.flatnonzero((now.state.kind == FROZEN) & (before.kind != FROZEN)).tolist())
        bodies, status = self._flight.go(now.state, dt, gravity)
        watch.lap("fly")
        passed = dt if status == DONE else float(self._flight.clock.now[NOW])
        then = self._end(now, bodies, passed, dt, gravity, report)
        watch.lap("note")
        if status != DONE:
            self._stop(then, passed, status)
        return then

    def _meet(self, now: Moment) -> None:
        ignored = sorted(now.ignored)
        if ignored != self._ignored:
            self._ignored = ignored
            self._guard.ignore(ignored)
            self.watch.ignore(ignored)
            self._flight.ignore(ignored)

    def _flies_freely(self, now: Moment) -> bool:
        """Whether nothing but weights and applied forces acts on bodies in flight, so that ways have closed forms.

        Under a torque, only what is round turns in closed form.
        """
        model, state = self._model, now.state
        turns = (state.kind == KINEMATIC) & np.isinf(model.reach) & state.twist[:, 3:].any(axis=1)
        drawn = (state.hold[:, 0] > LET_GO) | (state.wrench[:, 3:].any(axis=1) & ~self._flight.is_round)
        return not (now.joints.n or model.drag.any() or model.locked.any() or turns.any() or drawn.any())

    def _step_bound(self, now: Moment, dt: float, gravity: Floats) -> Moment:
        """The same where ways have no closed form: these are integrated, and blows go one by one."""
        if self._bound is None:
            self._bound = EventStepper(self._recipe._replace(impacts="sequential"))
        return self._bound.step(now, dt, gravity)

    def _stop(self, moment: Moment, passed: float, status: int) -> None:
        clock = self._flight.clock
        pair = sorted({int(i) for i in clock.pair})
        names, blows = tuple(self.setup.specs[i].name for i in pair if len(pair) == 2), int(clock.count[BLOWS])
        fault = f"a storm of {blows} blows in {passed:.3g} s"
        if status == WORN:
            fault = f"{blows} blows and {int(clock.count[LOOKS])} looks in {passed:.3g} s are too much work for a step"
        stopped = StoppedError(fault, moment.time, names, "take a larger contact_gap, or method='ncp'")
        stopped.moment = moment
        raise stopped

    def _end(self, now: Moment, bodies: Any, passed: float, dt: float, gravity: Floats, report: StepReport) -> Moment:
        contacts = self._contacts(now, bodies, dt)
        clock, twist = self._flight.clock, np.concatenate((bodies.velocity, bodies.turn), axis=1)
        report.parts, report.rounds = 1, 1 + int(clock.count[BLOWS])
        report.iterations, report.contacts = int(clock.count[LOOKS]), contacts.n
        report.smallest_gap = contacts.smallest_gap
        held = (now.state.hold, now.state.target)
        state = State(now.state.kind, bodies.pose, twist, np.zeros_like(twist), *held, *self._loads(now))
        state.gravity = gravity.copy()
        events = now.events.with_events(self._events(now, contacts, passed))
        return Moment(now.setup, state, contacts, now.joints, NOBODY, now.time + passed, report, events, now.soft)

    def _loads(self, now: Moment) -> tuple[Floats, Floats]:
        """Wrenches that were applied, and those of hands, joints, damping and locks: none."""
        return now.state.wrench, np.zeros((len(now.state.kind), WRENCHES, 6))

    def _contacts(self, now: Moment, bodies: Any, dt: float) -> ContactSet:
        """Pairs that struck each other, or still touch since an earlier step, one contact each."""
        contacts, book, n = ContactSet(), self._flight.book, int(self._flight.book.size[0])
        contacts.become(now.contacts)
        contacts.make_room(contacts.n + n)
        row, is_new = _rows_of(contacts, book.pair[:n], len(now.state.kind))
        n_new = int(is_new.sum())
        contacts.name[row[is_new], LABEL] = contacts.next_label + np.arange(n_new)
        contacts.force[row[is_new]] = 0.0
        contacts.n, contacts.next_label = contacts.n + n_new, contacts.next_label + n_new
        contacts.name[row, :LABEL] = self._names(book.pair[:n], bodies.pose)
        contacts.acted[row], train = book.acted[:n] / dt, book.train[:n] / dt
        contacts.force[row] = np.where(train > 0.0, train, contacts.force[row])
        contacts.friction[row], contacts.extra[row] = 0.0, 0.0
        self._place(contacts, bodies.pose)
        return contacts.handed_over()

    def _names(self, pair: Ints, pose: Floats) -> Ints:
        """(n, 6) names of contacts of pairs, without labels."""
        core, names = self._flight.core, np.zeros((len(pair), LABEL), np.int32)
        names[:, [BODY_A, BODY_B]], plane = pair, core[pair] == PLANE
        names[:, KIND] = np.where(plane[:, 0], FACE_VERTEX, np.where(plane[:, 1], VERTEX_FACE, VERTEX_VERTEX))
        for k, (a, b) in enumerate(pair.tolist() if self._flight.struck else ()):
            if (a, b) in self._flight.struck:
                names[k] = name_of(self._model, self.setup.specs, pose, (a, b), self._flight.struck[a, b])
        return names

    def _place(self, contacts: ContactSet, pose: Floats) -> None:
        """Place contacts where the bodies have come to, and let go of those that parted."""
        if self._flight.any_looks:
            contacts.find_facets(self._model)
        alive, ends = np.zeros(contacts.n, np.bool_), np.zeros((len(pose), 12))
        put_frames(pose, ends)
        tables = (self._model.table.arrays, self._model.surfaces, self._model.shape_of)
        rows = (contacts.name, contacts.place, contacts.extra)
        refresh_contacts(rows, contacts.n, *tables, ends, 3.0 * self.contact_gap, alive)
        alive &= contacts.place[: contacts.n, GAP] < PARTED * self.contact_gap
        contacts.let_go(alive, PARTED * self.contact_gap)

    def _events(self, now: Moment, contacts: ContactSet, passed: float) -> list[Event]:
        """Impacts, pairs that came to rest on each other, and those that parted."""
        book, start, specs = self._flight.book, now.time, self.setup.specs
        rested = _resting(now.contacts)
        found: list[Event] = []
        n = int(book.size[1])
        for (time, *impulse, _), (k, what) in zip(book.event[:n].tolist(), book.event_pair[:n].tolist(), strict=True):
            a, b = book.pair[k].tolist()
            if what != IMPACT and (a, b) in rested:
                continue
            kind, features = (
                ("impact" if what == IMPACT else "touch"),
                self._flight.struck.get((a, b), Struck()).features,
            )
            found.append(Event(start + time, kind, specs[a].name, specs[b].name, *features, tuple(impulse)))
        last = {
            (a, b): t
            for (a, b), t in zip(book.pair[: book.size[0]].tolist(), book.last[: book.size[0]].tolist(), strict=True)
        }
        still = _resting(contacts)
        for a, b in sorted(rested - still):
            features = self._flight.struck.get((a, b), Struck()).features
            found.append(Event(start + last.get((a, b), passed), "break", specs[a].name, specs[b].name, *features))
        return sorted(found, key=lambda event: event.time)


def _frozen_where_broken(state: State) -> State:
    """The state with bodies stopped whose velocities or loads are no longer finite: their flights lead nowhere."""
    fine = np.isfinite(state.twist).all(axis=1) & np.isfinite(state.wrench).all(axis=1)
    broken = ~fine & (state.kind != FIXED)
    if not broken.any():
        return state
    kind = np.where(broken, FROZEN, state.kind).astype(np.int32)
    return state.with_tables(kind=kind, twist=np.where(broken[:, None], 0.0, state.twist))


def _rows_of(contacts: ContactSet, pair: Ints, n_body: int) -> tuple[Ints, NDArray[np.bool_]]:
    """Rows for the contacts of pairs: those they have, or new ones behind them; which are new."""
    known = contacts.name[: contacts.n, BODY_A].astype(np.int64) * n_body + contacts.name[: contacts.n, BODY_B]
    wanted = pair[:, 0].astype(np.int64) * n_body + pair[:, 1]
    order = np.argsort(known, kind="stable")
    at = np.searchsorted(known[order], wanted)
    row = order[np.minimum(at, len(order) - 1)] if len(order) else np.zeros(len(wanted), np.int64)
    is_new = known[row] != wanted if len(order) else np.ones(len(wanted), np.bool_)
    return np.where(is_new, contacts.n + np.cumsum(is_new) - 1, row), is_new


def _resting(contacts: ContactSet) -> set[tuple[int, int]]:
    """Pairs of bodies that trains of blows keep apart."""
    rows = contacts.name[: contacts.n][contacts.force[: contacts.n] > 0.0]
    return {(a, b) for a, b in rows[:, [BODY_A, BODY_B]].tolist()}


def make_stepper(recipe: Recipe) -> ImpulseStepper:
    """A stepper of the method "impulse"."""
    return ImpulseStepper(recipe)
