"""`World(method="event")`: bodies move smoothly, with error control, from event to event (docs/events.md).

integrate   Newton-Euler equations with joints and active contacts as hinges, one step of high order
search      the first event on its way: a touch, a return, a support that is left, a force that ceases to push
arrive      at the event, or at the end of the step, with hinges that hold to rounding
resolve     what left its support, what is new, what collides, and which points hold from then on

This is the order of Bouma & Vanecek, section 7. The loop is that of drive_kernels; here is what it needs Python for.
"""

from __future__ import annotations

from math import inf
from typing import NoReturn

import numpy as np

from ...arrays import Floats, Ints
from ...errors import InputError, StoppedError
from ...math import Pose
from ..accounts.account_kernels import LOCKS, WRENCHES
from ..bodies.body_kernels import DYNAMIC
from ..contacts.contact_set import ContactSet
from ..events import Event
from ..joints.joint_kernels import JOINT, POSITION
from ..joints.joint_set import JointSet
from ..methods.registry import Recipe
from ..moment import NOBODY, Moment, check_sizes
from ..report import StepReport
from ..state import Model, State
from ..stepping.kinematic_watch import KinematicWatch
from .candidates import Candidates
from .drive_kernels import begin, drive, gaps, state_at
from .event_scene import EventScene
from .motion_tables import SPEED
from .points import Points
from .resolve_kernels import MOST_BLOWS
from .search_tables import (
    ADMIT,
    AT_ONCE,
    BY_HITS,
    CONTRADICTED,
    DONE,
    EVENTS,
    FAULT,
    HAMMERED,
    NEED_HITS,
    NEED_NOTES,
    NEED_ROOM,
    NO_FORCES,
    NO_IMPULSES,
    NO_MOTORS,
    NO_STEP,
    NOT_FINITE,
    PARTS,
    PHASE,
    PIECE,
    PIECES,
    RESOLVE,
    STORM,
    TOUCHING,
    USED,
    WORK,
    WORN,
    Options,
)
from .system import RESPONSE, System
from .touch_kernels import ARMED

MOST_EVENTS = 20_000
"""In one step."""
MOST_AT_ONCE = 200
"""Events that may follow each other while time does not go on."""
MOST_POINTS = 2_000
"""That may become contacts at one moment: equations of so many fit, and are solved in seconds."""
MOST_WORK, LONG_STEP = 1e8, 0.1
"""Of a step, in units of about 10 ns: a second; a step that is longer than this [s] may take as much more."""
SPARE_WORK = 0.5
"""Share of that which a shorter step may take beyond it: with dozens of points that stick and slip, some need it."""
WORK_IN_PYTHON = {NEED_HITS: 30_000, NEED_ROOM: 10_000}
"""Of what the loop needs Python for."""
FAULTS = {
    NO_STEP: (
        "no step, however short, is accurate",
        "look for forces that grow without bound, and joints that bodies cannot obey",
    ),
    NOT_FINITE: ("velocities are no longer finite", "look at the forces that act"),
    HAMMERED: (f"{MOST_BLOWS} blows follow each other at one moment", "take impacts='newton' or a smaller restitution"),
    NO_IMPULSES: ("no impulses keep the bodies apart", "take less friction or method='ncp'"),
    NO_FORCES: (
        "no forces were found that obey the laws of contact and friction (as in Painlevé's paradox)",
        "take less friction or method='ncp'",
    ),
    NO_MOTORS: ("no forces of motors fit those of contacts", "take another max_force, or method='ncp'"),
}
"""Why the loop cannot go on, and what helps."""


def make_stepper(recipe: Recipe) -> EventStepper:
    """The stepper of method "event"."""
    return EventStepper(recipe)


class EventStepper:
    """Makes the next moment of a world from the last one, with all events inside; what it remembers changes nothing."""

    def __init__(self, recipe: Recipe) -> None:
        model = self._model = recipe.model
        self.setup, self.contact_gap = recipe.now.setup, recipe.contact_gap
        self.watch = KinematicWatch(model, self.setup.specs, self.contact_gap, recipe.level)
        self._candidates = Candidates(model, self.contact_gap, recipe.threads)
        self._system, self._points = System(model), Points(model, self.setup)
        self._in_turn = recipe.impacts == "sequential"
        self._scene = EventScene(model, self._system, self._points, self._candidates)
        self._contacts, self._joints, self._events, self._report = ContactSet(), JointSet(), list[Event](), StepReport()
        self._known: Moment | None = None
        """The last moment that was made, whose tables fit."""
        self._ignored: list[tuple[int, int]] | None = None
        self._start = 0.0
        """[s] time of the world when the step began."""
        self._work_left = 0.0
        """That the step may take beyond what the loop was given."""

    def near_pairs(self, now: Moment) -> Ints:
        """Pairs of bodies whose boxes are within the contact gap of each other where they stand."""
        self._candidates.ignore(sorted(now.ignored))
        y = np.zeros((len(now.state.kind) + 1, SPEED))
        y[:-1] = now.state.pose
        return self._candidates.near_pairs(y, y, self.contact_gap).copy()

    def step(self, now: Moment, dt: float, gravity: Floats) -> Moment:
        """What comes `dt` after `now`."""
        check_sizes(self._model, now, self._known)
        _refuse_what_is_missing(now)
        self._begin(now, dt, gravity)
        try:
            self._go(bool(now.suspects))
        except StoppedError as stopped:
            stopped.moment = self._end(now, self._scene.now, gravity)
            raise
        return self._end(now, dt, gravity)

    def _begin(self, now: Moment, dt: float, gravity: Floats) -> None:
        ignored = sorted(now.ignored)
        self._candidates.ignore(ignored)
        if ignored != self._ignored:
            self._ignored = ignored
            self.watch.ignore(ignored)
        contacts, joints = self._contacts, now.joints
        contacts.become(now.contacts)
        if contacts.n:
            contacts.find_facets(self._model)
        nothing = {name: np.zeros_like(getattr(joints, name)) for name in ("force", "acted", "wrench")}
        joints = self._joints = joints.with_columns(
            last=joints.last.copy(), force_before=joints.force_before.copy(), **nothing
        )
        self._events, self._report, self._start = [], StepReport(), now.time
        laws, acted = self.setup.laws, np.zeros((len(now.state.kind), WRENCHES, 6))
        self._system.begin(now.state, contacts, joints, gravity)
        self._points.begin(contacts, joints, self._system.limits, laws)
        contacts.force[:], contacts.friction[:] = 0.0, 0.0
        self._work_left = MOST_WORK * max(SPARE_WORK, dt / LONG_STEP - 1.0)
        options = Options(self.contact_gap, dt, MOST_EVENTS, MOST_AT_ONCE, int(MOST_WORK), self._in_turn)
        self._scene.begin(joints, laws, options, acted)
        if np.isnan(self._system.y).any():
            self._stop("a velocity or a place is not a number", (), "look at the forces that act")
        if self._points.n:
            begin(self._scene.held)
            self._scene.write_back()

    def _end(self, now: Moment, passed: float, gravity: Floats) -> Moment:
        n, y, report, scene = len(now.state.kind), self._system.y, self._report, self._scene
        scene.write_back()
        self._take_notes()
        contacts = self._points.contacts
        self._points.remember(self.contact_gap)
        gap = self._contact_gaps()
        report.parts, report.rounds = int(scene.count[PARTS]), int(scene.count[EVENTS])
        report.contacts, report.smallest_gap = contacts.n, float(gap.min(initial=inf))
        contacts.smallest_gap = report.smallest_gap
        moved = {"pose": y[:n, :SPEED].copy(), "twist": y[:n, SPEED:].copy()}
        loads = {"wrench": np.zeros(now.state.wrench.shape), "applied": now.state.wrench}
        state = now.state.with_tables(**moved, **loads, acted=scene.acted, gravity=gravity.copy())
        if self._model.locked.any():
            self._note_locks(now.state, state, passed)
        events = now.events.with_events(sorted(self._events, key=lambda event: event.time))
        parts = (state, contacts.handed_over(), self._joints)
        self._known = Moment(now.setup, *parts, NOBODY, now.time + passed, report, events, now.soft)
        return self._known

    def _note_locks(self, before: State, after: State, passed: float) -> None:
        """What kept bodies from moving along locked axes: what is missing from the change of momentum."""
        model, acted, dt = self._model, after.acted, self._scene.options.dt
        told = self._points.contacts.wrenches(len(acted)) + acted[:, :LOCKS].sum(axis=1)
        for i in np.flatnonzero(model.locked.any(axis=1) & model.dynamic).tolist():
            change = _momentum(after, i, model) - _momentum(before, i, model)
            missing = (change - passed * self._system.load[i]) / dt - told[i]
            acted[i, LOCKS] = np.where(model.locked[i], missing, 0.0)

    def _contact_gaps(self) -> Floats:
        """[m] of the contacts, without the limits of joints."""
        points = self._points
        if points.contacts.n == 0:
            return np.zeros(0)
        return self._gaps()[points.n - points.contacts.n :]

    def _gaps(self) -> Floats:
        """[m] of all points."""
        gap, rate = np.zeros(self._points.n), np.zeros(self._points.n)
        gaps(self._scene.held, gap, rate)
        return gap

    def _go(self, look: bool) -> None:
        """Advance by the step, from event to event."""
        scene = self._scene
        scene.count[PHASE] = ADMIT if look else RESOLVE
        if look and not (self._candidates.plain_pairs and self._candidates.all_pairs[1].all()):
            self._find(self._system.y, self._system.y, 2.0 * self.contact_gap)
            scene.count[BY_HITS] = max(scene.count[BY_HITS], 1)
        while (why := drive(scene.held)) != DONE:
            scene.write_back()
            self._take_notes()
            scene.count[WORK] += WORK_IN_PYTHON.get(why, 0)
            if why == WORN and self._work_left > 0.0:
                # A long step comes back here about once a second, so that it can be interrupted.
                again = min(self._work_left, MOST_WORK)
                self._work_left, scene.count[WORK] = self._work_left - again, scene.count[WORK] - int(again)
                continue
            self._help(why)

    def _help(self, why: int) -> None:
        """Do what the loop needs."""
        if why == NEED_HITS:
            self._find_candidates()
        elif why == NEED_ROOM:
            self._make_room()
        elif why == WORN:
            spent = f"more than {max(1.0 + SPARE_WORK, self._scene.options.dt / LONG_STEP):.3g} s of work is in a step"
            self._stop(spent, self._nearest(), "take a smaller dt, softer springs, or method='ncp' for a while")
        elif why == CONTRADICTED:
            r, names = int(self._scene.count[FAULT]), self._points.names_of
            fault = "joints and motors contradict each other: no motion obeys all of them"
            self._stop(fault, names(*self._system.hinges.body[r].tolist()), "remove one, or give motors a max_force")
        elif why == STORM:
            self._stop_in_a_storm()
        elif why != NEED_NOTES:  # these have been taken
            fault, remedy = FAULTS[why]
            p = int(self._scene.count[FAULT])
            self._stop(fault, self._nearest() if why in (NO_STEP, NOT_FINITE) else self._points.names(p), remedy)

    def _make_room(self) -> None:
        wanted = self._scene.wanted
        try:
            if wanted > MOST_POINTS:
                raise MemoryError
            self._scene.make_room()
        except MemoryError:
            fault = f"{int(self._scene.count[TOUCHING])} pairs of features touch at one moment"
            self._stop(
                fault, self._points.names_of(*self._scene.touching), "take parts with fewer facets, or method='ncp'"
            )

    def _take_notes(self) -> None:
        if n := self._scene.take_notes():
            self._events += self._points.events(n, self._start)

    def _find_candidates(self) -> None:
        """Candidates of a piece of the way, along its chord."""
        system, candidates, count = self._system, self._candidates, self._scene.count
        used = float(self._scene.clock[USED])
        if count[PIECE] == 0:
            count[PIECES] = candidates.chords(system.bounds, used)
        pieces = int(count[PIECES])
        reach = self.contact_gap * (1.0 + 2.0 * ARMED) + candidates.bend(system.bounds, used / pieces)
        first, last = (self._state_at((int(count[PIECE]) + side) / pieces) for side in range(2))
        self._find(first, last, reach)

    def _state_at(self, x: float) -> Floats:
        """State at a share of the way."""
        y = np.empty_like(self._system.y)
        state_at(self._scene.held, x, y)
        return y

    def _find(self, y: Floats, end: Floats, reach: float) -> None:
        hits = self._scene.hits = self._candidates.find(y, end, reach)
        self._report.pairs = max(self._report.pairs, len(hits.pairs))
        self._scene.renew()

    def _stop(self, fault: str, names: tuple[str, ...], remedy: str) -> NoReturn:
        raise StoppedError(fault, self._start + self._scene.now, names, remedy)

    def _stop_in_a_storm(self) -> NoReturn:
        at_once = self._scene.count[AT_ONCE] > MOST_AT_ONCE
        fault = f"more than {MOST_AT_ONCE if at_once else MOST_EVENTS} events follow each other"
        self._stop(fault, self._nearest(), "take a smaller dt, another restitution, or method='ncp' for a while")

    def _nearest(self) -> tuple[str, ...]:
        """The bodies of the point that is deepest below the gap at which it is held; of none, all bodies that move."""
        points = self._points
        if not points.n:
            return tuple(spec.name for spec in self.setup.specs if spec.kind == DYNAMIC)[:2]
        return points.names(int(np.argmin(self._gaps() - points.target)))


def _momentum(state: State, i: int, model: Model) -> Floats:
    """(6,) momentum and spin of body i."""
    v, w, R = state.twist[i, :3], state.twist[i, 3:], Pose.of_row(state.pose[i]).rotation
    return np.concatenate((model.mass[i] * v, R @ model.inertia[i] @ R.T @ w))


def _refuse_what_is_missing(now: Moment) -> None:
    """Say what this method does not know, rather than leave it out."""
    remedy = "take another method, as 'ncp', for this world"
    joints, n = now.joints, now.joints.n
    at_once = (joints.law[:n] == POSITION) & (joints.value[:n, RESPONSE] == 0.0)
    if at_once.any():
        spec = joints.specs[int(joints.name[int(at_once.argmax()), JOINT])]
        raise InputError(
            f"joint '{spec.name}': method 'event' moves a motor to its position in time; give it response=, or {remedy}"
        )
