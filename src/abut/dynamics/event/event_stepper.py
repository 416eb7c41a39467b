"""`World(method="event")`: bodies move smoothly, with error control, from event to event (docs/events.md).

integrate   Newton-Euler equations with joints and active contacts as hinges, one step of high order
search      the first event on its way: a touch, a return, a support that is left, a force that ceases to push
arrive      at the event, or at the end of the step, with hinges that hold to rounding
resolve     what left its support, what is new, what collides, and which points hold from then on

This is the order of Bouma & Vanecek, section 7.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...contact.admit_kernels import admit_hits
from ...contact.contact_kernels import EDGE_VERTEX, FEATURE_A, FEATURE_B, KIND, LABEL, VERTEX_EDGE, VERTEX_VERTEX
from ...errors import InputError, StoppedError
from ...query.motion.motion_candidate_kernels import FACE_VERTEX, VERTEX_FACE
from ..accounts.account_kernels import WRENCHES, note_contacts, note_joints
from ..contacts.contact_set import ContactSet
from ..events import Event
from ..joints.joint_kernels import EQUAL, SPRING
from ..joints.joint_set import JointSet
from ..methods.registry import Recipe
from ..moment import NOBODY, Moment, check_sizes
from ..report import StepReport
from ..state import State
from ..stepping.kinematic_watch import KinematicWatch
from .candidates import Candidates, Hits
from .dop853_kernels import dense_state
from .dop853_tables import STAGES
from .motion_tables import JOINT, NORMAL, SPEED, TANGENT
from .points import ACTIVE, DEAD, INACTIVE, SLIPS, Points
from .resolution import Resolution
from .rubbing import AT_THE_LIMIT
from .search_kernels import (
    ARMED,
    find_touching,
    first_leaving,
    first_return,
    first_touch,
    leave_out_held,
    place_all,
    put_bounds,
    put_motions,
    turn_normals,
)
from .system import System

MOST_EVENTS = 20_000
"""In one step."""
MOST_AT_ONCE, AT_ONCE = 200, 1e-12
"""Events that may follow each other while time does not go on by more than this share of the step."""
BORDER, BEYOND = 0.01, 1.5
"""Contact gaps by which a point may lie beyond the border of its face: as a rule, and where nothing else holds it."""
SINKING = 1e-3
"""Share of the contact gap by which a point that rests and bears nothing may come nearer unnoticed."""
NEW_POINTS = 16
"""That a pair of bodies may gain in one event."""
SIMPSON = ((0.0, 1.0 / 6.0), (0.5, 4.0 / 6.0), (1.0, 1.0 / 6.0))
"""Moments of a way at which forces are looked at, and their weights in the mean."""
MOST_REFINEMENTS = 60
NOT_A_PULL = 1e-10
"""Share of the largest force below which one is rounding."""
SAME_DIRECTION = 1.0 - 1e-6
"""Cosine above which two normals are one."""
HOLD_VERTEX_A = [int(VERTEX_FACE), VERTEX_EDGE, VERTEX_VERTEX]
HOLD_VERTEX_B = [int(FACE_VERTEX), EDGE_VERTEX, VERTEX_VERTEX]
"""Kinds of contacts with a vertex of A, and of B."""


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
        in_turn = recipe.impacts == "sequential"
        self._resolution = Resolution(self._system, self._points, self.setup.laws, self.contact_gap, in_turn)
        self._shapes = (model.table.arrays, model.surfaces, model.shape_of)
        self._bounds, self._motion = np.zeros((len(model.mass) + 1, 3)), np.zeros((len(model.mass) + 1, 18))
        self._joints, self._acted = JointSet(), np.zeros((0, WRENCHES, 6))
        self._hits, self._events, self._report = (
            Hits(0, *(np.zeros((0, 3), np.int32),) * 3),
            list[Event](),
            StepReport(),
        )
        self._pulled = set[int]()
        """Labels of points that would have begun to pull at this moment."""
        self._gripped = set[int]()
        """Labels of points whose slip ended at this moment."""
        self._start, self._t, self._dt, self._at_once = 0.0, 0.0, 1.0, 0
        """[s] time of the world when the step began, since then, its length; events since time last went on."""

    def near_pairs(self, now: Moment) -> Ints:
        """Pairs of bodies whose boxes are within the contact gap of each other where they stand."""
        self._candidates.ignore(sorted(now.ignored))
        y = np.zeros((len(now.state.kind) + 1, SPEED))
        y[:-1] = now.state.pose
        return self._candidates.near_pairs(y, y, self.contact_gap).copy()

    def step(self, now: Moment, dt: float, gravity: Floats) -> Moment:
        """What comes `dt` after `now`."""
        check_sizes(self._model, now, None)
        _refuse_what_is_missing(now)
        self._begin(now, dt, gravity)
        try:
            self._go(dt, bool(now.suspects))
        except StoppedError as stopped:
            stopped.moment = self._end(now, self._t, gravity)
            raise
        return self._end(now, dt, gravity)

    def _begin(self, now: Moment, dt: float, gravity: Floats) -> None:
        ignored = sorted(now.ignored)
        self._candidates.ignore(ignored)
        self.watch.ignore(ignored)
        contacts = ContactSet()
        contacts.become(now.contacts)
        contacts.find_facets(self._model)
        contacts.force[:], contacts.friction[:] = 0.0, 0.0
        self._joints = now.joints.copy()
        self._joints.force[:], self._joints.acted[:], self._joints.wrench[:] = 0.0, 0.0, 0.0
        self._system.begin(now.state, contacts, self._joints, gravity)
        self._acted = np.zeros((len(now.state.kind), WRENCHES, 6))
        self._events, self._report = [], StepReport()
        self._start, self._t, self._dt, self._at_once = now.time, 0.0, dt, 0
        self._pulled.clear()
        self._gripped.clear()
        self._points.contacts = contacts
        self._place()
        self._points.begin(contacts, *self._resolution.rates(), BORDER * self.contact_gap)
        self._resolution.recall_modes()
        if np.isnan(self._system.y).any():
            self._stop("a velocity or a place is not a number", (), "look at the forces that act")

    def _end(self, now: Moment, passed: float, gravity: Floats) -> Moment:
        n, contacts, y = len(now.state.kind), self._points.contacts, self._system.y
        report = self._report
        gap = self._gaps()
        report.contacts, report.smallest_gap = contacts.n, float(gap.min(initial=inf))
        contacts.smallest_gap = report.smallest_gap
        state = now.state.with_tables(pose=y[:n, :SPEED].copy(), twist=y[:n, SPEED:].copy())
        state = State(*state.handed_over().__dict__.values())
        state.acted, state.gravity = self._acted, gravity.copy()
        events = now.events.with_events(sorted(self._events, key=lambda event: event.time))
        parts = (state, contacts.handed_over(), self._joints)
        return Moment(now.setup, *parts, NOBODY, now.time + passed, report, events, now.soft)

    def _go(self, dt: float, look: bool) -> None:
        """Advance by dt, from event to event."""
        if look:
            self._hits = self._candidates.find(self._system.y, self._system.y, 2.0 * self.contact_gap)
            self._admit()
        self._events += self._resolution.resolve(self._start)
        h = dt
        while self._t < dt:
            longest = dt - self._t
            if (self._points.mode == SLIPS).any():
                self._resolution.hold_active()
            used, h = self._system.advance(h, longest)
            self._report.parts += 1
            if used == 0.0:
                self._stop("no step, however short, is accurate", (), "look for forces that grow without bound")
            share, what = self._first_event(used)
            self._arrive(used, share, ends=share >= 1.0 and used == longest)
            if what and what != "pause":
                self._handle(what)

    def _stop(self, fault: str, names: tuple[str, ...], remedy: str) -> NoReturn:
        raise StoppedError(fault, self._start + self._t, names, remedy)

    # The search for the first event.

    def _first_event(self, used: float) -> tuple[float, str]:
        """Share of the way at which the first event happens (1 if none does), and what it is."""
        system = self._system
        put_bounds(system.y, system.new, used, system.stages, STAGES + 1, self._bounds)
        way = (system.y, system.dense, used, self._bounds)
        pieces = self._candidates.chords(self._bounds, used)
        ends = [np.empty_like(system.y), np.empty_like(system.y)]
        dense_state(system.y, system.dense, 0.0, ends[0])
        for piece in range(pieces):
            first, last = piece / pieces, (piece + 1) / pieces
            dense_state(system.y, system.dense, last, ends[1])
            reach = self.contact_gap * (1.0 + 2.0 * ARMED) + self._candidates.bend(self._bounds, used / pieces)
            hits = self._hits = self._candidates.find(ends[0], ends[1], reach)
            self._report.pairs = max(self._report.pairs, len(hits.pairs))
            share, what = last, ""
            if hits.n:
                x, k = self._first_touch(hits, way, first, last)
                share, what = (x, "touch" if k >= 0 else "pause") if x < last else (last, "")
            if self._points.n:
                share, what = self._first_of_points(way, first, share, what)
            if what:
                return share, what
            ends[0], ends[1] = ends[1], ends[0]
        return 1.0, ""

    def _first_touch(
        self, hits: Hits, way: tuple[Floats, Floats, float, Floats], first: float, last: float
    ) -> tuple[float, int]:
        """Share of the way at which the first of the candidates touch that no contact holds, and which these are."""
        n, contacts, chosen, pair = hits.n, self._points.contacts, hits.hits, hits.pair
        if contacts.n:
            chosen, pair = np.empty((n, 3), np.int32), np.empty(n, np.int32)
            known = (contacts.name, contacts.n)
            n = leave_out_held(hits.hits, hits.pair, n, hits.pairs, self._shapes, *known, chosen, pair)
        found: tuple[float, int] = first_touch(
            chosen, pair, n, hits.pairs, self._shapes, way, self.contact_gap, first, last
        )
        return found

    def _first_of_points(
        self, way: tuple[Floats, Floats, float, Floats], first: float, share: float, what: str
    ) -> tuple[float, str]:
        """The first event of points of contact before `share`, else what was known."""
        points = self._points
        status, tables = points.status, self._system.tables
        loose = np.flatnonzero(status != ACTIVE).astype(np.int32)
        if len(loose):
            sinks = np.where(status[loose] == INACTIVE, SINKING * self.contact_gap, 0.0)
            x, i = first_return(loose, points.target[loose] - sinks, tables, way, first, share)
            if x < share:
                share, what = x, "return" if i >= 0 else "pause"
        resting = np.flatnonzero(status != DEAD).astype(np.int32)
        if len(resting):
            place = (points.contacts.name, points.contacts.place)
            x, _ = first_leaving(resting, self._shapes, way, first, share, points.slack[resting], *place)
            if x < share:
                share, what = x, "leave"
        if (status == ACTIVE).any():
            x = self._first_pull(first, share)
            if x < share:
                share, what = x, "pull"
            if points.mode.any():
                share, what = self._first_of_friction(first, share, what)
        return share, what

    def _first_of_friction(self, first: float, share: float, what: str) -> tuple[float, str]:
        """The first moment before `share` at which a slip ends or begins, else what was known."""
        for name, over in (("stop", self._any_slip_over), ("creep", self._any_creeps)):
            low = first
            for i in range(1, 5):
                high = first + (share - first) * i / 4
                if over(high):
                    share, what = self._bisected(over, low, high), name
                    break
                low = high
        return share, what

    def _bisected(self, over: Callable[[float], bool], low: float, high: float) -> float:
        """Share of the way at which something is over; it is at the second, not at the first."""
        for _ in range(MOST_REFINEMENTS):
            middle = 0.5 * (low + high)
            if not low < middle < high or high - low < 1e-13:
                break
            low, high = (low, middle) if over(middle) else (middle, high)
        return high

    def _state_at(self, x: float) -> Floats:
        y = np.empty_like(self._system.y)
        dense_state(self._system.y, self._system.dense, x, y)
        return y

    def _any_slip_over(self, x: float) -> bool:
        """Whether a point that slips goes back at a share of the way."""
        return len(self._reversed(self._state_at(x))) > 0

    def _reversed(self, y: Floats) -> Ints:
        """Points that slip and go back in a state."""
        points = self._points
        slipping = np.flatnonzero((points.status == ACTIVE) & (points.mode == SLIPS)).astype(np.int32)
        slip = self._system.slips(slipping, y)[0]
        back: NDArray[np.bool_] = (slip * points.direction[slipping]).sum(axis=1) < 0.0
        return np.asarray(slipping[back], np.int32)

    def _any_creeps(self, x: float) -> bool:
        """Whether a point that sticks no longer can at a share of the way, however forces are shared out."""
        y = self._state_at(x)
        if self._all_within_cones(y):
            return False
        return self._resolution.creeps(y, self._among(self._gripped))

    def _all_within_cones(self, y: Floats) -> bool:
        """Whether the forces of all points that stick are within their cones."""
        hinges, force = self._system.hinges, self._system.forces_at(y)
        normals, tangents = hinges.kind == NORMAL, hinges.kind == TANGENT
        if not tangents.any():
            return True
        n = self._points.n
        push, rub = _only(force[normals], hinges.index[normals], n), np.zeros((n, 3))
        np.add.at(rub, hinges.index[tangents], force[tangents, None] * hinges.direction[tangents])
        limit = self._resolution.friction() * push
        return bool((np.linalg.norm(rub, axis=1) <= limit * (1.0 + AT_THE_LIMIT)).all())

    def _least_push(self, x: float) -> float:
        """The smallest force of the active points at a share of the way, up to rounding."""
        y = np.empty_like(self._system.y)
        dense_state(self._system.y, self._system.dense, x, y)
        force = self._system.forces_at(y)[self._system.hinges.kind == NORMAL]
        return float(force.min() + NOT_A_PULL * np.abs(force).max())

    def _first_pull(self, first: float, last: float) -> float:
        """Share of the way at which an active point would begin to pull; inf if none does."""
        low, f_low = first, self._least_push(first)
        for i in range(1, 5):
            high = first + (last - first) * i / 4
            f_high = self._least_push(high)
            if f_high < 0.0:
                return self._root(low, high, f_low, f_high) if f_low > 0.0 else low
            low, f_low = high, f_high
        return inf

    def _root(self, low: float, high: float, f_low: float, f_high: float) -> float:
        """Where the smallest force vanishes (Illinois' variant of regula falsi); just beyond it."""
        for _ in range(MOST_REFINEMENTS):
            x = (low * f_high - high * f_low) / (f_high - f_low)
            if not low < x < high or high - low < 1e-14:
                break
            f = self._least_push(x)
            if f < 0.0:
                high, f_high, f_low = x, f, 0.5 * f_low
            elif f > 0.0:
                low, f_low, f_high = x, f, 0.5 * f_high
            else:
                return x
        return high

    # Arrival and what happens there.

    def _arrive(self, used: float, share: float, *, ends: bool) -> None:
        """Go to a share of the way, where hinges hold to rounding."""
        system = self._system
        self._note_forces(used, share)
        before = system.y.copy()
        if share >= 1.0:
            system.y[:] = system.new
            system.y[:, 3:SPEED] /= np.linalg.norm(system.y[:, 3:SPEED], axis=1)[:, None]
        else:
            dense_state(before, system.dense, share, system.y)
        if not np.isfinite(system.y).all():
            system.y[:] = before
            self._stop("velocities are no longer finite", (), "look at the forces that act")
        system.project()
        if len(self._joints.law):
            put_motions(before, system.y, self._motion)
            self._joints.advance(self._motion)
        passed = share * used
        if passed > AT_ONCE * self._dt:
            self._at_once = 0
            self._pulled.clear()
            self._gripped.clear()
        self._at_once += 1
        self._t = self._dt if ends else self._t + passed
        if self._points.n:
            alive = self._place()
            self._events += self._resolution.let_rise()
            far = self._gaps() > self.contact_gap * (1.0 + ARMED)
            if self._points.keep(~((self._points.status == DEAD) & (far | ~alive))):
                self._resolution.hold_active()

    def _handle(self, what: str) -> None:
        """Resolve an event."""
        points, now = self._points, self._start + self._t
        self._report.rounds += 1
        if self._report.rounds > MOST_EVENTS or self._at_once > MOST_AT_ONCE:
            self._stop_in_a_storm()
        if what == "leave":
            left = (points.status != DEAD) & ~self._faces()
            self._events += [points.event(int(i), "slide_off", now) for i in np.flatnonzero(left & points.touching)]
            points.keep(~left)
        if what in ("touch", "leave"):
            self._admit()
        if what == "pull":
            self._note_pulled()
        if what == "stop":
            self._gripped.update(self._labels(self._reversed(self._system.y)))
        self._events += self._resolution.resolve(now, self._among(self._pulled), self._among(self._gripped))
        if self._resolution.blows.any():
            self._note_blows(self._resolution.blows, self._resolution.rubs)

    def _labels(self, rows: Ints) -> list[int]:
        labels: list[int] = self._points.contacts.name[rows, LABEL].tolist()
        return labels

    def _among(self, labels: set[int]) -> Ints:
        """Points with these labels."""
        mine = self._points.contacts.name[: self._points.n, LABEL]
        return np.flatnonzero(np.isin(mine, list(labels))).astype(np.int32)

    def _note_pulled(self) -> None:
        """Remember the active points that bear nothing any more, until time goes on."""
        hinges, force = self._system.hinges, self._system.forces_at(self._system.y)
        normals = hinges.kind == NORMAL
        bear_nothing = normals & (force <= NOT_A_PULL * np.abs(force[normals]).max())
        self._pulled.update(self._labels(hinges.index[bear_nothing]))

    def _stop_in_a_storm(self) -> NoReturn:
        points = self._points
        k = int(np.argmin(self._gaps() - points.target)) if points.n else -1
        names = points.names(k) if k >= 0 else ()
        fault = f"more than {MOST_EVENTS if self._at_once <= MOST_AT_ONCE else MOST_AT_ONCE} events follow each other"
        self._stop(fault, names, "take a smaller dt, another restitution, or method='ncp' for a while")

    def _place(self) -> np.ndarray:
        """Place contacts where the bodies are; which of them have features that face each other."""
        contacts = self._points.contacts
        alive = np.zeros(contacts.n, np.bool_)
        place_all(contacts.n, self._shapes, self._system.y, inf, contacts.name, contacts.place, alive)
        return alive

    def _faces(self) -> np.ndarray:
        """Which contacts are within their slack of the border of their faces."""
        contacts, points = self._points.contacts, self._points
        faces = np.zeros(contacts.n, np.bool_)
        for k in range(contacts.n):
            name, place = contacts.name[k : k + 1].copy(), contacts.place[k : k + 1].copy()
            place_all(1, self._shapes, self._system.y, float(points.slack[k]), name, place, faces[k : k + 1])
        return faces

    def _gaps(self) -> Floats:
        return self._resolution.rates()[0]

    def _admit(self) -> None:
        """Make contacts of the candidates that touch."""
        hits, points, gap = self._hits, self._points, self.contact_gap
        if hits.n == 0:
            return
        found = np.zeros((hits.n, 3), np.int32), np.zeros(hits.n + 1), np.zeros(hits.n, np.int32)
        limit = gap * (1.0 + 2.0 * ARMED)
        given = (hits.hits, hits.pair, hits.n, hits.pairs, self._shapes, self._system.y, self._bounds, limit)
        n = find_touching(*given, *found)
        put_motions(self._system.y, self._system.y, self._motion)
        before = points.n
        for slack in (BORDER * gap, BEYOND * gap):
            self._admit_within(slack, n, (found[1], found[0], found[2]), hits.pairs)
            points.grow(self._gaps(), slack)
            self._drop_repeated(before)
            if points.n > before:
                return

    def _drop_repeated(self, first: int) -> None:
        """Leave out new points that hold a vertex in the direction in which a point that rests holds it already.

        A vertex that comes from a face to its border has one normal there and goes on with it: that of the border is
        not well determined, and would be a blow against the motion (Bouma & Vanecek, section 8).
        """
        points = self._points
        n, name = points.n, points.contacts.name
        if n == first:
            return
        normal = self._system.slips(np.arange(n, dtype=np.int32), self._system.y)[1]
        rests, kept = np.flatnonzero(points.status[:first] != DEAD), np.ones(n, np.bool_)
        for k in range(first, n):
            same = (name[rests, :2] == name[k, :2]).all(axis=1) & (normal[rests] @ normal[k] > SAME_DIRECTION)
            by_a = np.isin(name[rests, KIND], HOLD_VERTEX_A) & (name[rests, FEATURE_A] == name[k, FEATURE_A])
            by_b = np.isin(name[rests, KIND], HOLD_VERTEX_B) & (name[rests, FEATURE_B] == name[k, FEATURE_B])
            by_a, by_b = by_a & (name[k, KIND] in HOLD_VERTEX_A), by_b & (name[k, KIND] in HOLD_VERTEX_B)
            kept[k] = not (same & (by_a | by_b)).any()
        points.keep(kept)

    def _admit_within(self, slack: float, n_hit: int, found: tuple[Floats, Ints, Ints], pairs: Ints) -> None:
        model, contacts = self._model, self._points.contacts
        contacts.make_room(contacts.n + 3 * n_hit)
        chains = (np.empty(len(model.mass), np.int32), np.empty(contacts.n, np.int32))
        n, _, contacts.next_label = admit_hits(
            (*found, n_hit),
            (pairs, model.shape_of, self._motion),
            model.table.arrays,
            model.surfaces,
            (slack, self.contact_gap, 1.0, NEW_POINTS),
            (contacts.n, contacts.next_label),
            chains,
            (contacts.name, contacts.place, contacts.extra),
        )
        for table in (contacts.force, contacts.friction, contacts.acted):
            table[contacts.n : n] = 0.0
        turn_normals(contacts.n, n, self._shapes, self._system.y, contacts.name, contacts.place)
        contacts.n = n

    # What acted.

    def _note_forces(self, used: float, share: float) -> None:
        """Add the mean forces of the hinges on a way that is about to be made."""
        system, hinges = self._system, self._system.hinges
        if len(hinges.kind) == 0:
            return
        y, mean = np.empty_like(system.y), np.zeros(len(hinges.kind))
        for x, weight in SIMPSON:
            dense_state(system.y, system.dense, x * share, y)
            mean += weight * system.forces_at(y)
        put_motions(system.y, system.y, self._motion)
        part = used * share / self._dt
        normals = hinges.kind == NORMAL
        contacts = self._points.contacts
        if normals.any():
            push, rub = _only(mean[normals], hinges.index[normals], contacts.n), np.zeros((contacts.n, 3))
            np.add.at(rub, hinges.index[normals], -(hinges.mu * mean)[normals, None] * hinges.direction[normals])
            tangents = hinges.kind == TANGENT
            np.add.at(rub, hinges.index[tangents], mean[tangents, None] * hinges.direction[tangents])
            contacts.force[: contacts.n], contacts.friction[: contacts.n] = push, rub
            self._note_contacts(push, rub, part)
        joints = self._joints
        if joints.n:
            held = hinges.kind == JOINT
            joints.force[:] = 0.0
            joints.force[hinges.index[held]] = mean[held]
            rows = (joints.n, joints.name, joints.place, joints.last, self._motion)
            note_joints(*rows, joints.force[: joints.n], part, self._acted, joints.acted, joints.wrench)

    def _note_contacts(self, force: Floats, friction: Floats, part: float) -> None:
        contacts, radius = self._points.contacts, np.append(self._model.radius, 0.0)
        spin = np.zeros((len(radius), 6))
        given = (contacts.n, contacts.name, contacts.place, radius, self._motion, spin, 0.0)
        note_contacts(*given, force, friction, part, contacts.acted)

    def _note_blows(self, blows: Floats, rubs: Floats) -> None:
        """Add impulses [N s] of contacts, along normals and of friction."""
        put_motions(self._system.y, self._system.y, self._motion)
        self._note_contacts(blows / self._dt, rubs / self._dt, 1.0)


def _only(values: Floats, rows: Ints, n: int) -> Floats:
    """Values of some of n rows; others are 0."""
    result = np.zeros(n)
    result[rows] = values
    return result


def _refuse_what_is_missing(now: Moment) -> None:
    """Say what this method does not know, rather than leave it out."""
    remedy = "take another method, as 'ncp', for this world"
    if now.soft.specs:
        raise InputError(f"deformable '{now.soft.specs[0].name}': method 'event' knows no soft bodies; {remedy}")
    if (now.state.hold[:, 0] > 0.0).any():
        name = now.setup.specs[int((now.state.hold[:, 0] > 0.0).argmax())].name
        raise InputError(f"body '{name}': method 'event' knows no hands; release it, or {remedy}")
    laws = now.joints.law[: now.joints.n]
    others = (laws != EQUAL) & (laws != SPRING)
    if others.any():
        spec = now.joints.specs[int(now.joints.name[int(others.argmax()), 3])]
        raise InputError(f"joint '{spec.name}': method 'event' knows no limits and motors of joints; {remedy}")
