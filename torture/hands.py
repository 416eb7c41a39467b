"""What hands and torques do in a step, added up by the judge: along the way that a copy goes in short steps.

A hand is a spring with a damper: its force is k (aim - place) - c speed, or less where there is a limit, and its torque
the same of turns. Between the events that a step tells of all is smooth, and a rule of Gauss gives the work and the
impulse to many digits. A second rule says how well they are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, inf

import numpy as np

import abut
from abut.dynamics.bodies.hold_kernels import HOLDS_POINT, LET_GO

from .place_kernels import rotations
from .reading import Actor, Floats, Snapshot, look, turn_between

MANY, FEW = 10, 7
"""Moments at which the two rules look at a piece of the way."""
LOOKS = sorted(
    (float(x), rule, float(weight))
    for rule, n in enumerate((MANY, FEW))
    for x, weight in np.transpose(np.polynomial.legendre.leggauss(n))
)
"""Moments from -1 to 1, the rule that looks at each of them, and its weight."""
RELATIVE, ABSOLUTE = 1e-11, 1e-12
"""Errors that method "event" allows itself: of the lengths of places, turns and velocities, and in [m], [rad], [m/s],
[rad/s]."""
PIECE = 1.0
"""Length of a piece, in times that hands take to answer and bodies to turn by 1 rad."""
AT_ONE_TIME = 1e-10
"""Share of a step by which events are apart at least that are not at one moment."""
MOST_PIECES = 64
"""Of a step, at first."""
AGREE, HALVINGS = 5e-10, 16
"""Of the largest force and torque on a body so far, by which the two rules may differ on a piece; and how often a piece
is halved on which they differ more."""
LARGEST_WEIGHT = float(np.polynomial.legendre.leggauss(MANY)[1].max())
"""Of the first rule."""


@dataclass(frozen=True)
class Drawn:
    """What hands and applied torques did."""

    work: float
    """[J]."""
    unknown: float
    """[J] that this may err."""
    impulse: Floats
    """(n, 6) of hands on bodies [N s] and [N m s] about centres of mass."""
    unknown_impulse: Floats
    """(n, 6) that this may err."""

    def __add__(self, other: Drawn) -> Drawn:
        impulse, unknown = self.impulse + other.impulse, self.unknown_impulse + other.unknown_impulse
        return Drawn(self.work + other.work, self.unknown + other.unknown, impulse, unknown)


def nothing_drawn(n: int) -> Drawn:
    """Of n bodies that no hand holds."""
    return Drawn(0.0, 0.0, np.zeros((n, 6)), np.zeros((n, 6)))


class Hands:
    """The hands and the applied torques of a world before a step."""

    def __init__(self, world: abut.World, cast: list[Actor]) -> None:
        state = world._state
        self._cast, self._saved, self._applied = cast, world.save(), state.wrench.copy()
        self._hold, self._aim = state.hold.copy(), state.target.copy()
        self._turned, self._at = rotations(self._aim[:, 3:]), 0.0
        self._largest = np.zeros((len(cast), 2))
        """Of the forces and torques so far."""
        self._last = np.zeros((len(cast), 7))
        """What acted at the last look."""
        self._reach = np.array([min(actor.reach, 1e300) for actor in cast])
        jump = np.minimum(np.pi * self._hold[:, 4], self._hold[:, 6])
        self._jump = np.where(jump > 0.0, jump, np.inf)
        """Half of that by which torques change where bodies are half a turn away from their aims."""
        self._end = look(world)
        """Where the copy came to."""

    @staticmethod
    def act(world: abut.World) -> bool:
        """Whether there are any."""
        return bool((world._state.hold[:, 0] > LET_GO).any() or world._state.wrench[:, 3:].any())

    def draw(self, dt: float, events: list[float]) -> Drawn:
        """What they do in a step of length dt, in which something happens at these times since its start."""
        total, ends = nothing_drawn(len(self._cast)), [0.0]
        for time in sorted((*events, dt)):
            if ends[-1] + AT_ONE_TIME * dt < time <= dt:
                ends.append(time)
        ends[-1] = dt
        copy = abut.World.restore(self._saved)
        self._at, self._largest[:], self._last = 0.0, 0.0, self._act_on(look(copy))
        pieces = min(MOST_PIECES, max(1, ceil(dt / (PIECE * self._shortest_time(look(copy))))))
        for start, end in pairwise(ends):
            k = ceil(pieces * (end - start) / dt)
            for first, last in pairwise(np.linspace(start, end, k + 1).tolist()):
                total += self._draw_piece(copy, first, last)
        self._go(copy, dt)
        self._end = look(copy)
        return total

    def _shortest_time(self, now: Snapshot) -> float:
        """[s] in which a hand answers, or a body turns by 1 rad."""
        fastest = float(np.linalg.norm(now.spin, axis=1).max(initial=0.0))
        for i, actor in enumerate(self._cast):
            if self._hold[i, 0] > LET_GO:
                least = float(np.linalg.eigvalsh(actor.inertia)[0])
                rates = (self._hold[i, 1] / actor.mass, self._hold[i, 4] / least)
                dampers = (self._hold[i, 2] / actor.mass, self._hold[i, 5] / least)
                fastest = max(fastest, *np.sqrt(rates).tolist(), *dampers)
        return 1.0 / fastest if fastest > 0.0 else inf

    def largest(self, i: int) -> tuple[float, float]:
        """Of the forces [N] and torques [N m] of body i in the last step that was added up."""
        force, torque = self._largest[i].tolist()
        return force, torque

    def integrated(self, i: int, now: Snapshot, struck: bool) -> Floats:
        """(2,) [N] and [N m] by which errors of the integration change the force and the torque of a hand.

        Blow after blow multiplies them: in steps with blows they are also how far apart the copy has come.
        """
        _, stiff, damp, _, turn_stiff, turn_damp, *_ = self._hold[i]
        reach, speed, spin = self._cast[i].reach, np.linalg.norm(now.velocity[i]), np.linalg.norm(now.spin[i])
        far, end = float(np.linalg.norm(now.position[i])) + reach, self._end if struck else now
        place = ABSOLUTE + RELATIVE * far + float(np.linalg.norm(now.position[i] - end.position[i]))
        turn = RELATIVE + float(np.linalg.norm(turn_between(end.rotation[i], now.rotation[i])))
        spin = ABSOLUTE + RELATIVE * spin + float(np.linalg.norm(now.spin[i] - end.spin[i]))
        speed = ABSOLUTE + RELATIVE * speed + float(np.linalg.norm(now.velocity[i] - end.velocity[i])) + spin * reach
        force = stiff * place + damp * speed
        return np.array((force, turn_stiff * turn + turn_damp * spin + force * reach))

    def _draw_piece(self, copy: abut.World, start: float, end: float, halvings: int = 0) -> Drawn:
        """The same on a piece of the way. The copy does not stop at its ends, where something may happen.

        Where the two rules do not agree, that they differ by little proves nothing: the piece is halved. What is left
        errs at most by the largest weight times all that forces change by (Chebyshev, Markov, Stieltjes: the weights up
        to a moment and those before it are at both sides of its place, so that a rule errs on a jump by one weight).
        """
        begin, half = (copy._now, self._at, self._last), 0.5 * (end - start)
        looks, sums = [self._last], np.zeros((2, len(self._cast), 7))
        for x, rule, weight in LOOKS:
            self._go(copy, start + half * (1.0 + x))
            looks.append(self._act_on(look(copy)))
            sums[rule] += half * weight * looks[-1]
        off, changes = np.abs(sums[0] - sums[1]), np.abs(np.diff(np.array(looks), axis=0))
        self._last = looks[-1]
        if not self._agree(changes, off, end - start):
            if halvings < HALVINGS:
                (copy._now, self._at, self._last), middle = begin, start + half
                first = self._draw_piece(copy, start, middle, halvings + 1)
                return first + self._draw_piece(copy, middle, end, halvings + 1)
            off = (
                half * LARGEST_WEIGHT * changes[1:].sum(axis=0)
                + (start + half * (1.0 + LOOKS[0][0]) - begin[1]) * changes[0]
            )
        return Drawn(float(sums[0, :, 6].sum()), float(off[:, 6].sum()), sums[0, :, :6], off[:, :6])

    def _agree(self, changes: Floats, off: Floats, length: float) -> bool:
        """Whether impulses of a piece are known well enough, beside the largest forces so far, and nothing jumps.

        What jumps before the first look, or behind the last one, is not seen by any rule.
        """
        if (np.linalg.norm(changes[:, :, 3:6], axis=2) > self._jump).any():
            return False
        self._largest = np.maximum(self._largest, np.linalg.norm(self._last[:, :6].reshape(-1, 2, 3), axis=2))
        room = self._largest.copy()
        room[:, 1] += room[:, 0] * self._reach
        return bool((np.linalg.norm(off[:, :6].reshape(-1, 2, 3), axis=2) <= AGREE * length * room).all())

    def _go(self, copy: abut.World, time: float) -> None:
        """Step to a time since the start with the same loads."""
        copy._state.wrench[:] = self._applied
        copy.dt, self._at = time - self._at, time
        copy.step()

    def _act_on(self, now: Snapshot) -> Floats:
        """(n, 7) wrenches of hands, and the power of hands and applied torques."""
        act = np.zeros((len(self._cast), 7))
        for i, actor in enumerate(self._cast):
            if actor.kind != "dynamic":
                continue
            act[i, 6] = float(self._applied[i, 3:] @ now.spin[i])
            if self._hold[i, 0] > LET_GO:
                act[i, :6], power = self._hand(i, now)
                act[i, 6] += power
        return act

    def _hand(self, i: int, now: Snapshot) -> tuple[Floats, float]:
        """Wrench of the hand that holds body i, and its power."""
        _, stiff, damp, most, turn_stiff, turn_damp, most_torque, *arm = self._hold[i]
        R, holds_point = now.rotation[i], self._hold[i, 0] == HOLDS_POINT
        reach = R @ np.array(arm) if holds_point else np.zeros(3)
        turn = np.zeros(3) if holds_point else turn_between(R, self._turned[i])
        speed = now.velocity[i] + np.cross(now.spin[i], reach)
        force = _at_most(stiff * (self._aim[i, :3] - now.position[i] - reach) - damp * speed, most)
        torque = _at_most(turn_stiff * turn - turn_damp * now.spin[i], most_torque)
        wrench = np.concatenate((force, torque + np.cross(reach, force)))
        return wrench, float(force @ speed + torque @ now.spin[i])


def _at_most(v: Floats, most: float) -> Floats:
    """A vector, shortened to a length."""
    length = float(np.linalg.norm(v))
    return v * (most / length) if length > most else v
