"""What happens at an event with friction, or where the kernels of resolve_kernels find nothing, in the published order:
collisions until no velocity is negative, then the active points.

All is done at one moment: positions stay, velocities change by impulses, and contacts become hinges or cease to be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...errors import StoppedError
from ..events import Event
from .complementarity import basic, completed, eliminate, solve_unilateral
from .drive_kernels import gaps, hold, start, strike
from .event_scene import EventScene
from .motion_tables import Hinges
from .points import Points
from .resolve_kernels import AT_REST, AT_TARGET, LIGHT, MOST_BLOWS, MOST_SWITCHES, NO_SLIP, SHORTEST_FLIGHT
from .rubbing import AT_THE_LIMIT, Rubbed, Rubbing
from .search_tables import ACTIVE, DEAD, INACTIVE, SLIPS, SMOOTH, STICKS
from .system import System

HALVINGS = 30
"""How often a share of restitution is narrowed down."""
NOT_A_PUSH = 1e-7
"""Share of the largest force, or acceleration, below which one with friction is an error of its solver."""


class Resolution:
    """Gives points of contact their velocities and states at an event."""

    def __init__(self, system: System, points: Points, scene: EventScene, gap: float, in_turn: bool) -> None:
        self._system, self._points, self._scene, self._gap, self._in_turn = system, points, scene, gap, in_turn
        self._rubbing = Rubbing(system, points)
        self._rubbed: Rubbed | None = None
        """Forces with friction when modes were last chosen."""

    def resolve(self, begun: float) -> list[Event]:
        """Collisions, then hinges; returns what happened. `begun` [s] is the time of the world when the step began."""
        time = begun + self._scene.now
        if start(self._scene.held):
            self._blow(np.zeros(0, np.int32), np.zeros(0), time)
        events = self._collide(time)
        start(self._scene.held)
        return events + self._choose(time)

    def rates(self) -> tuple[Floats, Floats]:
        """Gaps of all points [m], and their rates [m/s]."""
        n = self._points.n
        gap, rate = np.zeros(n), np.zeros(n)
        gaps(self._scene.held, gap, rate)
        return gap, rate

    def _strike(self, hinges: Hinges, impulse: Floats) -> None:
        m = self._system.load_hinges(hinges)
        self._scene.renew()
        strike(self._scene.held, m, impulse)

    def friction(self) -> Floats:
        """(n,) coefficients of the points."""
        friction: Floats = self._points.friction
        return friction

    def _hinges(self, chosen: Ints, *, struck: bool = False) -> Hinges:
        """Hinges of the joints and motors, and of the normals of some points."""
        none = np.zeros(0, np.int32)
        smooth = (self._points.target[chosen], np.zeros(len(chosen)), np.zeros((len(chosen), 3)))
        return self._system.hinges_of(chosen, *smooth, none, np.zeros((0, 3)), struck=struck)

    def _at_target(self) -> Ints:
        gap, _ = self.rates()
        return np.flatnonzero(gap <= self._points.target + AT_TARGET * self._gap).astype(np.int32)

    def _collide(self, time: float) -> list[Event]:
        """Collisions, until no point at its target approaches."""
        near, events = self._at_target(), list[Event]()
        restitution = self._points.restitution
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
        mu = self.friction()[chosen]
        if mu.any():
            return self._rough_blow(chosen, restitution, mu, time)
        hinges = self._hinges(chosen, struck=True)
        found, m = self._system.measure(hinges), len(hinges.kind) - len(chosen)
        before = found.rate[m:]
        wanted = found.rate.copy()
        wanted[m:] += restitution * np.minimum(before, 0.0)
        W, q, back = eliminate(found.W, wanted, m)
        push = solve_unilateral(W, q)
        if push is None:
            fault = "no impulses keep the bodies apart"
            raise StoppedError(fault, time, self._points.names(int(chosen[0])), "take method='ncp'")
        self._strike(hinges, np.concatenate((back @ np.append(push, 1.0), push)))
        normal = self._system.slips(chosen, self._system.y)[1]
        return [
            self._points.event(int(k), "impact", time, tuple((push[i] * normal[i]).tolist()))
            for i, k in enumerate(chosen)
            if push[i] > 0.0 and before[i] < -AT_REST
        ]

    def _rough_blow(self, chosen: Ints, restitution: Floats, mu: Floats, time: float) -> list[Event]:
        """The same with friction: points grip while they are struck, as far as Coulomb's law lets them."""
        before = self.rates()[1][chosen]
        back = restitution * np.minimum(before, 0.0)
        found = self._grip(chosen, mu, back)
        if found is None:
            fault = "no impulses with friction keep the bodies apart"
            raise StoppedError(fault, time, self._points.names(int(chosen[0])), "take less friction or method='ncp'")
        self._strike(found.hinges, found.forces)
        normal = self._system.slips(chosen, self._system.y)[1]
        impulse = found.normal[:, None] * normal + found.rub
        return [
            self._points.event(int(k), "impact", time, tuple(impulse[i].tolist()))
            for i, k in enumerate(chosen)
            if found.normal[i] > 0.0 and before[i] < -AT_REST
        ]

    def _grip(self, chosen: Ints, mu: Floats, back: Floats) -> Rubbed | None:
        """Impulses after which points part with the rates `back`; with a share of these if they would add energy.

        Newton's law of restitution may give back more than was lost where friction turns bodies (Kane's paradox).
        Without restitution nothing is gained.
        """
        slips = np.zeros(len(chosen), np.bool_)
        found = self._rubbing.solve(chosen, mu, slips, back)
        if found is None or found.gained <= 0.0:
            return found
        found, share = self._rubbing.solve(chosen, mu, slips, 0.0 * back), 0.0
        for k in range(1, HALVINGS + 1):
            more = self._rubbing.solve(chosen, mu, slips, (share + 0.5**k) * back)
            if more is not None and more.gained <= 0.0:
                found, share = more, share + 0.5**k
        return found

    def _choose(self, time: float) -> list[Event]:
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
        points.status[:] = DEAD
        points.status[rests] = INACTIVE
        still = np.isin(near, rests) & (acceleration <= LIGHT * free) & ~points.pulled[near]
        points.status[near[completed(W, force > 0.0, still)]] = ACTIVE
        rubs = self._choose_modes(near, time)
        events = self._note(near, force, acceleration > LIGHT * free, delay, time)
        hold(self._scene.held)
        return events + rubs

    def _forces(self, near: Ints, rests: Ints, time: float) -> tuple[Floats, Floats, float, Floats]:
        """Of points that are near: forces of those that rest, accelerations, the largest without forces, and W."""
        for _ in range(MOST_SWITCHES):
            found, firm = self._forces_now(near, rests, time)
            if not self._system.switch_motors(firm, LIGHT):
                return found
        fault, names = "no forces of motors fit those of contacts", self._points.names(int(near[0]) if len(near) else 0)
        raise StoppedError(fault, time, names, "take another max_force, or method='ncp'")

    def _forces_now(self, near: Ints, rests: Ints, time: float) -> tuple[tuple[Floats, Floats, float, Floats], Floats]:
        """The same while motors do as they do, and the forces of joints and of motors that keep to their speeds."""
        mu = self.friction()[near]
        self._rubbed = None
        if len(rests) and mu[np.isin(near, rests)].any():
            return self._rough_forces(near, rests, mu, time)
        hinges = self._hinges(near)
        found, m = self._system.measure(hinges), len(hinges.kind) - len(near)
        W, q, back = eliminate(found.W, found.acceleration, m)
        part, force = np.isin(near, rests), np.zeros(len(near))
        if part.any():
            push = solve_unilateral(W[np.ix_(part, part)], q[part])
            if push is None:
                fault = "no forces of the contacts and joints keep the bodies apart"
                raise StoppedError(fault, time, self._points.names(int(rests[0])), "take method='ncp'")
            force[part] = push
        return (force, W @ force + q, float(np.abs(q).max(initial=0.0)), W), back @ np.append(force, 1.0)

    def _rough_forces(
        self, near: Ints, rests: Ints, mu: Floats, time: float
    ) -> tuple[tuple[Floats, Floats, float, Floats], Floats]:
        """The same with friction."""
        found = self.rub(rests, mu[np.isin(near, rests)])
        if found is None:
            fault = "no forces obey the laws of contact and friction (Painlevé's paradox)"
            raise StoppedError(fault, time, self._points.names(int(rests[0])), "take less friction or method='ncp'")
        self._rubbed = found
        part = np.isin(near, rests)
        force, acceleration, W = np.zeros(len(near)), np.full(len(near), -1e-300), np.eye(len(near))
        push = np.where(found.normal > NOT_A_PUSH * found.normal.max(initial=0.0), found.normal, 0.0)
        force[part], acceleration[part] = basic(found.W, push), found.after
        W[np.ix_(part, part)] = found.W
        if not part.all():
            acceleration[~part] = self._accelerations(near[~part], found)
        acceleration = np.where(np.abs(acceleration) <= NOT_A_PUSH * found.free, 0.0, acceleration)
        return (force, acceleration, found.free, W), found.forces[: len(found.hinges.kind) - found.n]

    def _accelerations(self, others: Ints, found: Rubbed) -> Floats:
        """Of points that do not rest, while others push: between them nothing is known of normals but by motion."""
        hinges = self._hinges(others)
        measured = self._system.measure_moving(hinges, found.hinges, found.forces)
        return measured[len(hinges.kind) - len(others) :]

    def rub(self, rests: Ints, mu: Floats) -> Rubbed | None:
        """Forces with friction of points that rest."""
        slip, _ = self._system.slips(rests, self._system.y)
        return self._rubbing.solve(rests, mu, (np.linalg.norm(slip, axis=1) > NO_SLIP) & (mu > 0.0), None)

    def recall_modes(self) -> None:
        """At the start of a step: points that rest and do not slip have stuck before."""
        points = self._points
        mu = self.friction()
        if not mu.any():
            return
        slip = self._system.slips(np.arange(points.n, dtype=np.int32), self._system.y)[0]
        slips = np.linalg.norm(slip, axis=1) > NO_SLIP
        points.mode[:] = np.where(points.touching & (mu > 0.0), np.where(slips, SLIPS, STICKS), SMOOTH)

    def creeps(self, y: Floats) -> bool:
        """Whether points that stick would begin to slip in another state, whatever forces they share."""
        system, points = self._system, self._points
        here = system.y.copy()
        system.y[:] = y
        rests = np.flatnonzero(points.status != DEAD).astype(np.int32)
        found = self.rub(rests, self.friction()[rests])
        system.y[:] = here
        sticks = (points.mode[rests] == STICKS) & ~points.gripped[rests]
        return found is None or bool((found.creep[sticks] > AT_THE_LIMIT * found.free).any())

    def _choose_modes(self, near: Ints, time: float) -> list[Event]:
        """Which active points stick and which slip; returns those of which that is new."""
        points, found = self._points, self._rubbed
        before = points.mode.copy()
        points.mode[:] = SMOOTH
        if found is None:
            return []
        rests = np.flatnonzero(points.status != DEAD)
        chosen = np.intersect1d(near, rests)
        mu, slip = self.friction(), self._system.slips(chosen.astype(np.int32), self._system.y)[0]
        events = list[Event]()
        for i, k in enumerate(chosen.tolist()):
            if mu[k] == 0.0 or points.status[k] != ACTIVE:
                continue
            limit, size = mu[k] * found.normal[i], float(np.linalg.norm(found.rub[i]))
            slips = np.linalg.norm(slip[i]) > NO_SLIP
            creeps = (
                not slips
                and not points.gripped[k]
                and size >= (1.0 - AT_THE_LIMIT) * limit
                and found.creep[i] > AT_THE_LIMIT * found.free
            )
            points.mode[k] = SLIPS if slips or creeps else STICKS
            if creeps:
                points.direction[k] = -found.rub[i] / max(size, 1e-300)
            if before[k] != SMOOTH and before[k] != points.mode[k]:
                events.append(points.event(k, "slip" if points.mode[k] == SLIPS else "stick", time))
        return events

    def _short_flights(self, near: Ints, rests: Ints, rate: Floats, acceleration: Floats) -> Ints:
        """Points that move apart, but will be back so soon that they had better rest."""
        flies = ~np.isin(near, rests)
        falls = np.minimum(acceleration, -1e-300)
        return near[flies & (2.0 * rate[near] / -falls < SHORTEST_FLIGHT)]

    def _rest_of_bounces(self, short: Ints, rate: Floats, acceleration: Floats, near: Ints) -> Floats:
        """[s] that the infinite sequence of bounces takes that is left out."""
        e = self._points.restitution[short]
        flight = 2.0 * rate[short] / -acceleration[np.isin(near, short)]
        return np.where(e < 1.0, flight / np.maximum(1.0 - e, 1e-300), 0.0)

    def _stop(self, settling: Ints, rests: Ints) -> None:
        """Take away velocities of separation."""
        chosen = np.union1d(settling, rests).astype(np.int32)
        hinges = self._hinges(chosen, struck=True)
        found = self._system.measure(hinges)
        impulse = np.linalg.lstsq(found.W, -found.rate, rcond=1e-12)[0].astype(np.float64)
        self._strike(hinges, impulse)

    def _note(self, near: Ints, force: Floats, rises: NDArray[np.bool_], delay: Floats, time: float) -> list[Event]:
        """Points that touch from now on, and those that part: they bear nothing and rise."""
        points, parting = self._points, np.zeros(self._points.n, np.bool_)
        parting[near[(force == 0.0) & rises]] = True
        stays = (points.status != DEAD) & ~parting
        come, go = np.flatnonzero(stays & ~points.touching).tolist(), np.flatnonzero(~stays & points.touching).tolist()
        points.touching[:] = stays
        events = [points.event(k, "touch", time + float(delay[k])) for k in come]
        return events + [points.event(k, "break", time) for k in go]
