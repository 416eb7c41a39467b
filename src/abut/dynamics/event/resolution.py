"""What happens at an event, in the published order: collisions until no velocity is negative, then the active points.

All is done at one moment: positions stay, velocities change by impulses, and contacts become hinges or cease to be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...errors import StoppedError
from ..contacts.pair_laws import PairLaws
from ..events import Event
from .complementarity import completed, eliminate, solve_unilateral
from .motion_tables import Hinges
from .points import ACTIVE, AT_REST, DEAD, INACTIVE, Points
from .search_kernels import gap_rates
from .system import System

SHORTEST_FLIGHT = 1e-6
"""[s] of flight between two bounces below which the infinite sequence that follows counts as over."""
MOST_BLOWS = 10_000
"""That follow each other at one moment."""
AT_TARGET = 1e-6
"""Share of the contact gap by which a point may be farther away and take part in a collision."""
LIGHT = 1e-8
"""Accelerations below this share of the largest are none."""


class Resolution:
    """Gives points of contact their velocities and states at an event."""

    def __init__(self, system: System, points: Points, laws: PairLaws, gap: float, in_turn: bool) -> None:
        self._system, self._points, self._laws, self._gap, self._in_turn = system, points, laws, gap, in_turn
        self.blows = np.zeros(0)
        """[N s] of each contact in the last event."""
        self._last = 0.0
        """[s] time of the world in the last event."""

    def resolve(self, time: float, pulled: Ints | None = None) -> list[Event]:
        """Collisions, then hinges; returns what happened. `time` [s] is that of the world.

        `pulled` are points that would have begun to pull; they are no hinges unless they have to push.
        """
        self.blows, self._last = np.zeros(self._points.n), time
        if self._points.n == 0:
            self.hold_active()
            return []
        events = self._collide(time)
        return events + self._choose(time, np.zeros(0, np.int32) if pulled is None else pulled)

    def let_rise(self) -> list[Event]:
        """Points that rested and bore nothing, and rise now, are dead; they began to with the last event."""
        points = self._points
        rising = (points.status == INACTIVE) & (self.rates()[1] > AT_REST)
        parting = np.flatnonzero(rising & points.touching).tolist()
        points.status[rising], points.touching[rising] = DEAD, False
        return [points.event(k, "break", self._last) for k in parting]

    def rates(self) -> tuple[Floats, Floats]:
        """Gaps of all points [m], and their rates [m/s]."""
        n = self._points.n
        gap, rate = np.zeros(n), np.zeros(n)
        gap_rates(n, self._system.tables, self._system.y, gap, rate)
        return gap, rate

    def hold_active(self) -> None:
        """Let the joints and the active points be hinges, wherever their rows stand now."""
        self._system.hold(self._hinges(np.flatnonzero(self._points.status == ACTIVE).astype(np.int32)))

    def _hinges(self, chosen: Ints) -> Hinges:
        """Hinges of the joints and of the normals of some points."""
        none = np.zeros(0, np.int32)
        smooth = (self._points.target[chosen], np.zeros(len(chosen)), np.zeros((len(chosen), 3)))
        return self._system.hinges_of(chosen, *smooth, none, np.zeros((0, 3)))

    def _at_target(self) -> Ints:
        gap, _ = self.rates()
        return np.flatnonzero(gap <= self._points.target + AT_TARGET * self._gap).astype(np.int32)

    def _collide(self, time: float) -> list[Event]:
        """Collisions, until no point at its target approaches."""
        near, events = self._at_target(), list[Event]()
        restitution = self._laws.restitution_of(self._points.contacts.name, self._points.n)
        for _ in range(MOST_BLOWS):
            rate = self.rates()[1][near]
            if not (rate < -AT_REST).any():
                return events
            chosen = near[rate.argmin() : rate.argmin() + 1] if self._in_turn else near
            events += self._blow(chosen, restitution[chosen], time)
        k = int(near[self.rates()[1][near].argmin()])
        fault = f"{MOST_BLOWS} blows follow each other at one moment"
        raise StoppedError(fault, time, self._points.names(k), "take impacts='newton' or a smaller restitution")

    def _blow(self, chosen: Ints, restitution: Floats, time: float) -> list[Event]:
        """One collision of some points, all of them at once; returns the impacts."""
        hinges = self._hinges(chosen)
        found, m = self._system.measure(hinges), len(hinges.kind) - len(chosen)
        before = found.rate[m:]
        wanted = found.rate.copy()
        wanted[m:] += restitution * np.minimum(before, 0.0)
        W, q, back = eliminate(found.W, wanted, m)
        push = solve_unilateral(W, q)
        if push is None:
            fault = "no impulses keep the bodies apart"
            raise StoppedError(fault, time, self._points.names(int(chosen[0])), "take method='ncp'")
        self._system.add_impulses(hinges, np.concatenate((back @ np.append(push, 1.0), push)))
        self.blows[chosen] += push
        normal = self._system.slips(chosen, self._system.y)[1]
        return [
            self._points.event(int(k), "impact", time, tuple((push[i] * normal[i]).tolist()))
            for i, k in enumerate(chosen)
            if push[i] > 0.0 and before[i] < -AT_REST
        ]

    def _choose(self, time: float, pulled: Ints) -> list[Event]:
        """Which points rest, and which of these push; others are dead. Bounces that are too short are over."""
        points, delay = self._points, np.zeros(self._points.n)
        near = self._at_target()
        settling = np.zeros(points.n, np.bool_)
        while True:
            rate = self.rates()[1]
            rests = near[(rate[near] <= AT_REST) | settling[near]]
            force, acceleration, free, W = self._forces(near, rests, time)
            short = self._short_flights(near, rests, rate, acceleration)
            if not len(short):
                break
            settling[short], delay[short] = True, self._rest_of_bounces(short, rate, acceleration, near)
            self._stop(np.flatnonzero(settling).astype(np.int32), rests)
        points.status = np.full(points.n, DEAD, np.int8)
        points.status[rests] = INACTIVE
        still = np.isin(near, rests) & (acceleration <= LIGHT * free) & ~np.isin(near, pulled)
        points.status[near[completed(W, force > 0.0, still)]] = ACTIVE
        events = self._note(near, force, acceleration > LIGHT * free, delay, time)
        self.hold_active()
        self._system.project()
        return events

    def _forces(self, near: Ints, rests: Ints, time: float) -> tuple[Floats, Floats, float, Floats]:
        """Of points that are near: forces of those that rest, accelerations, the largest without forces, and W."""
        hinges = self._hinges(near)
        found, m = self._system.measure(hinges), len(hinges.kind) - len(near)
        W, q, _ = eliminate(found.W, found.acceleration, m)
        part, force = np.isin(near, rests), np.zeros(len(near))
        if part.any():
            push = solve_unilateral(W[np.ix_(part, part)], q[part])
            if push is None:
                fault = "no forces of the contacts and joints keep the bodies apart"
                raise StoppedError(fault, time, self._points.names(int(rests[0])), "take method='ncp'")
            force[part] = push
        return force, W @ force + q, float(np.abs(q).max(initial=0.0)), W

    def _short_flights(self, near: Ints, rests: Ints, rate: Floats, acceleration: Floats) -> Ints:
        """Points that move apart, but will be back so soon that they had better rest."""
        flies = ~np.isin(near, rests)
        falls = np.minimum(acceleration, -1e-300)
        return near[flies & (2.0 * rate[near] / -falls < SHORTEST_FLIGHT)]

    def _rest_of_bounces(self, short: Ints, rate: Floats, acceleration: Floats, near: Ints) -> Floats:
        """[s] that the infinite sequence of bounces takes that is left out."""
        e = self._laws.restitution_of(self._points.contacts.name, self._points.n)[short]
        flight = 2.0 * rate[short] / -acceleration[np.isin(near, short)]
        return np.where(e < 1.0, flight / np.maximum(1.0 - e, 1e-300), 0.0)

    def _stop(self, settling: Ints, rests: Ints) -> None:
        """Take away velocities of separation."""
        chosen = np.union1d(settling, rests).astype(np.int32)
        hinges = self._hinges(chosen)
        found = self._system.measure(hinges)
        impulse = np.linalg.lstsq(found.W, -found.rate, rcond=1e-12)[0].astype(np.float64)
        self._system.add_impulses(hinges, impulse)

    def _note(self, near: Ints, force: Floats, rises: NDArray[np.bool_], delay: Floats, time: float) -> list[Event]:
        """Points that touch from now on, and those that part: they bear nothing and rise."""
        points, parting = self._points, np.zeros(self._points.n, np.bool_)
        parting[near[(force == 0.0) & rises]] = True
        stays = (points.status != DEAD) & ~parting
        come, go = np.flatnonzero(stays & ~points.touching).tolist(), np.flatnonzero(~stays & points.touching).tolist()
        points.touching = stays
        events = [points.event(k, "touch", time + float(delay[k])) for k in come]
        return events + [points.event(k, "break", time) for k in go]
