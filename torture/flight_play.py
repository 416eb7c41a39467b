"""Play worlds of the methods that go from event to event: their laws hold to many more digits."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

import abut
from abut.dynamics.events import EVENT_KINDS

from .clock import working_time
from .facts import Facts
from .finding import Case, Finding, Verdict
from .hands import ABSOLUTE, RELATIVE, Drawn, Hands, nothing_drawn
from .judge import overlaps
from .laws import FORCES_AGREE, finite, forces, silent_loss, sum_of_energy, work_along
from .play import Game, play_once
from .reading import Snapshot, look

PATIENCE = 15.0
"""[s] of processor time for which a world is followed: bodies that come to rest take many events a step."""
SHORTER = 7
"""A copy goes through the step once more, in so many shorter ones, and is judged after each."""
EVERY = 4
"""How often that is done: once in so many steps."""
ENERGY_SHARE = {"event": 1e-8, "impulse": 1e-9}
"""Of the kinetic energy and of the work in a step, that bodies may gain from nowhere."""
SHARE_OF_TURN = 1e-11
"""The same for every radian of the fastest turn in the step: directions are integrated as well as that."""
PLACED = 4e-16
"""Of coordinates, and of a radian, to which bodies are placed: what pulls at them does work on the way."""


def play_flight(case: Case) -> Verdict:
    """Judge such a world; blows in turn are a law of the stepping method."""
    return play_once(case, Flight if "method" in case["world"] else Game)


class TooLong(Exception):
    """Raised in a step when patience is over."""


@contextmanager
def patience(end: float) -> Iterator[None]:
    """Break off what goes on after this working time; never while kernels are compiled, when it stands still."""

    def ring_at_end() -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, max(end - working_time(), 0.01))

    def over(number: int, frame: Any) -> None:
        if working_time() >= end:
            raise TooLong
        ring_at_end()

    old = signal.signal(signal.SIGVTALRM, over)
    ring_at_end()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, old)


class Flight(Game):
    """A world of method "event" or "impulse"."""

    breaks = (TooLong,)

    def __init__(self, case: Case, threads: int | None = None) -> None:
        super().__init__(case, threads)
        self.method = case["world"]["method"]
        self.end = working_time() + PATIENCE
        self.told = 0
        """How many events were looked at."""
        self.hands: Hands | None = None
        """Of the step, if there are any."""
        self.unfollowed = 0
        """Steps whose hands could not be followed."""

    def turn(self, k: int, verdict: Verdict, judged: bool = True) -> bool:
        """The same, as long as there is patience; a step that is broken off leaves the world as it was."""
        if not judged:
            return super().turn(k, verdict, judged)
        unfollowed = self.unfollowed
        try:
            with patience(self.end):
                return super().turn(k, verdict, judged)
        except TooLong:
            verdict.count("steps broken off")
            return False
        finally:
            if self.unfollowed > unfollowed:
                verdict.count("steps with hands not followed")

    def _slow(self, seconds: float) -> list[Finding]:
        return []

    def _has_enough(self) -> bool:
        return working_time() > self.end

    def _after_refusal(self, error: abut.AbutError, k: int) -> list[Finding]:
        """A world that stopped stands where nothing overlaps, and can be saved."""
        if not isinstance(error, abut.StoppedError):
            return []
        try:
            abut.World.restore(self.world.save())
        except abut.AbutError as wrong:
            return [Finding("stopped", f"a world that stopped cannot be restored: {wrong}"[:300], k)]
        return [self._overlap_finding("overlap", o, "where it stopped") for o in overlaps(*self._standing())]

    def _standing(self) -> tuple[Any, Snapshot, Any]:
        return self.stage, look(self.world), self.pairs

    def _on_the_way(self, before: Snapshot, after: Snapshot, h: float, verdict: Verdict) -> list[Finding]:
        return []

    def _events(self, k: int, judged: bool) -> list[Finding]:
        found = super()._events(k, judged)
        self.hands = Hands(self.world, self.cast) if judged and Hands.act(self.world) else None
        return found + self._between(k) if judged and k % EVERY == 0 else found

    def _between(self, k: int) -> list[Finding]:
        """A copy that goes in shorter steps, which change rounding alone, overlaps nowhere."""
        copy = abut.World.restore(self.world.save())
        copy.dt = self.world.dt / SHORTER
        for i in range(SHORTER):
            copy.step()
            met = overlaps(self.stage, look(copy), self.pairs)
            if met:
                when = f"at {i + 1}/{SHORTER} of the step"
                return [self._overlap_finding("overlap on the way", o, when) for o in met]
        return []

    def _law_findings(self, before: Snapshot, after: Snapshot, facts: Facts) -> list[Finding]:
        found = [*finite(self.cast, before, after, facts), *silent_loss(self.cast, before, after, facts)]
        found += forces(self.cast, before, after, facts)
        drawn = self._drawn(before, facts)
        if drawn is not None:
            found += self._energy(before, after, facts, drawn)
            found += self._told_hands(after, facts, drawn)
        return [*found, *self._told_events(before, after)]

    def _drawn(self, before: Snapshot, facts: Facts) -> Drawn | None:
        """What hands and applied torques did in the step; None where a copy that goes in short steps stops."""
        if self.hands is None:
            return nothing_drawn(len(self.cast))
        try:
            return self.hands.draw(facts.dt, [event.time - before.time for event in self.world.events[self.told :]])
        except abut.StoppedError:
            self.unfollowed += 1
            return None

    def _told_hands(self, after: Snapshot, facts: Facts, drawn: Drawn) -> Iterator[Finding]:
        """What hands are told to exert is what springs with dampers do."""
        if self.hands is None:
            return
        _, size = facts.total()
        struck = any(event.kind == "impact" for event in self.world.events[self.told :])
        for i, actor in enumerate(self.cast):
            if actor.kind != "dynamic":
                continue
            off = np.linalg.norm((facts.wrenches["hand"][i] - drawn.impulse[i] / facts.dt).reshape(2, 3), axis=1)
            known = np.linalg.norm(drawn.unknown_impulse[i].reshape(2, 3), axis=1) / facts.dt
            arm = np.array((0.0, size[i, 0] * actor.reach))
            room = FORCES_AGREE * (size[i] + arm) + known + self.hands.integrated(i, after, struck)
            if not (off <= room).all():
                yield Finding("forces", f"the hand of '{actor.name}' is told to exert other forces, by {off} N, N m")

    def _energy(self, before: Snapshot, after: Snapshot, facts: Facts, drawn: Drawn) -> Iterator[Finding]:
        """Kinetic energy grows by no more than what works on the bodies, and weights times contact gap."""
        start, end = sum_of_energy(self.cast, before), sum_of_energy(self.cast, after)
        work = work_along(self.cast, before, after, facts) + drawn.work
        hop = sum(a.mass for a in self.cast if a.kind == "dynamic") * float(np.linalg.norm(facts.gravity))
        pulls = sum(np.abs(facts.wrenches[source]) for source in ("weight", "applied", "hand"))
        placed = PLACED * float(pulls[:, :3].sum(axis=1) @ np.linalg.norm(after.position, axis=1))
        placed += PLACED * float(pulls[:, 3:].sum())
        turned = facts.dt * float(np.linalg.norm((before.spin, after.spin), axis=2).max())
        share = max(ENERGY_SHARE[self.method], SHARE_OF_TURN * turned)
        room = share * (max(start, end) + abs(work)) + hop * facts.contact_gap
        room += placed + drawn.unknown + self._integrated(before, after, facts) + self._mistimed(after)
        if not end - start - work <= room:
            gain = end - start - work
            text = f"kinetic energy {start:.9g} to {end:.9g} J: {gain:.3g} J too much, {room:.3g} J allowed"
            yield Finding("energy", text, size=gain / max(start, end, 1e-300))

    def _integrated(self, before: Snapshot, after: Snapshot, facts: Facts) -> float:
        """[J] by which kinetic energy differs as velocities err by what each step of the integration may."""
        if self.method == "impulse" and self.hands is None:
            return 0.0
        speeds = np.linalg.norm((before.velocity, after.velocity), axis=2).max(axis=0).tolist()
        spins = np.linalg.norm((before.spin, after.spin), axis=2).max(axis=0).tolist()
        room = 0.0
        for actor, v, w in zip(self.cast, speeds, spins, strict=True):
            if actor.kind == "dynamic":
                room += actor.mass * v * (ABSOLUTE + RELATIVE * v)
                room += float(np.trace(actor.inertia)) * w * (ABSOLUTE + RELATIVE * w)
        return facts.report.parts * room

    def _mistimed(self, after: Snapshot) -> float:
        """[J] by which the work of hands is not known as blows of the copy come a little earlier or later.

        Places err by e, so that a blow comes e / v earlier or later for bodies that approach at v. The power of a force
        F jumps by F J / m there, with J <= 2 m v. So its work errs by 2 F e; that of a torque likewise.
        """
        if self.hands is None:
            return 0.0
        room, struck = 0.0, [event for event in self.world.events[self.told :] if event.kind == "impact"]
        for i, actor in enumerate(self.cast):
            if actor.kind != "dynamic":
                continue
            force, torque = self.hands.largest(i)
            blows = sum(actor.name in (event.body_a, event.body_b) for event in struck)
            lever = actor.mass * actor.reach / float(np.linalg.eigvalsh(actor.inertia)[0])
            error = ABSOLUTE + RELATIVE * (float(np.linalg.norm(after.position[i])) + actor.reach)
            room += 2.0 * blows * (force + torque * lever) * error
        return room

    def _told_events(self, before: Snapshot, after: Snapshot) -> Iterator[Finding]:
        """Events are in the order of time and within their step, and name bodies and kinds that there are."""
        names = {actor.name for actor in self.cast}
        told = self.world.events[self.told :]
        self.told += len(told)
        times = [before.time, *(event.time for event in told), after.time]
        late = 1e-12 * after.time
        if any(b < a - late for a, b in pairwise(times)):
            yield Finding("events", f"events at {times[1:-1][:5]} s are not in order, or not within their step")
        for event in told:
            if {event.body_a, event.body_b} - names or event.kind not in EVENT_KINDS:
                yield Finding("events", f"an event tells of {event.kind} of '{event.body_a}' and '{event.body_b}'")
