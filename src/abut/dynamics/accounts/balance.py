"""The balance of energy: motions in which bodies gain by much what nothing gave them are refused, the rest is taken."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ..stepping.workspace import Workbench
from .account import Account
from .balance_kernels import BOOK_WIDTH, note_springs
from .surplus_kernels import settle_energy

MOST_FROM_NOWHERE = 1e-4
"""Share of the energy of bodies that push each other, and of the work on them, that a step may add. In a step of 10 ms,
the energy of a pendulum goes up and down by about as much: to take less than that would be to brake it."""
MOST_GAIN = 1e-2
"""The same of a motion, beyond which it is not to be believed, and half of it is tried; below, what is too much is
taken from the bodies."""


class _Refused(NamedTuple):
    """A motion that was refused."""

    gain: float
    """[J]."""
    length: float
    """[s]."""


_NONE_REFUSED = _Refused(inf, 0.0)


class EnergyBalance:
    """Draws the balance of every motion of a step."""

    def __init__(self, bench: Workbench, account: Account) -> None:
        self._model, self._state, self._contacts, self._joints, laws, self._tables = bench
        self._account, self._gamma, self._dt = account, laws.share_at_end, 1.0
        self._last = 1.0
        """[s] length of the last motion of the step, or of the step before the first one."""
        model = bench.model
        self._past, self._any_past = np.zeros((len(model.mass), 2)), False
        """(n_body, 2) [J] what bodies gained in earlier motions of the step, by two measures; whether there is any."""
        self._any_locked = bool((model.locked[:, 3:].sum(axis=1) == 1).any())
        """Whether bodies lose turns about a locked axis after their motion, and turn about two others. About a single
        axis of the world, a body's inertia stays the same, and so does its energy."""
        self._any_drag = bool(model.drag[:, 1].any())
        """Whether bodies turn less far than their momenta would have them."""
        self._middles = np.zeros((2, 0))
        self._spring_middle, self._next_middle = self._middles
        """(n_joint,) [m] where springs were in the middle of the last motion of the step, nan in the first one; where
        they are in the motion that was drawn last."""
        self._bound = model.locked.any(axis=1) | model.drag.any(axis=1)
        self._refused, self._whole, self._is_torn = _NONE_REFUSED, 0.0, False
        """The motion of which half is tried; the length of one to be tried again, as half of
        it gains more, else 0; whether that was so, since the last motion that was made."""
        self._room = self._books = np.zeros((0, BOOK_WIDTH))
        self._n_item, self._gain = 0, 0.0
        """What islands gain and lose in the motion that was drawn last, in a table with room for more, how many
        contacts and rows of joints there are, and the largest gain, as a share."""

    def begin(self, dt: float) -> None:
        """A step of dt begins."""
        self._dt = self._last = dt
        self._refused, self._whole, self._is_torn = _NONE_REFUSED, 0.0, False
        m = self._joints.n
        if m != len(self._spring_middle):
            self._middles = np.empty((2, m))
            self._spring_middle, self._next_middle = self._middles
        if m:
            self._middles.fill(np.nan)
        if self._any_past:
            self._past[:], self._any_past = 0.0, False

    def scheme(self, correct: bool) -> tuple[Any, ...]:
        """How a motion is made, as it is judged by: the fields of Scheme."""
        return (self._gamma, self._state.gravity, self._dt, self._tables.scale, self._last, correct)

    @property
    def spring_middle(self) -> Floats:
        """(n_joint,) [m] where springs were in the middle of the last motion of the step, nan in the first one."""
        return self._spring_middle

    def books(self, wanted: bool) -> Floats:
        """(n_row, BOOK_WIDTH) rows for the balance of the motion in the tables, to be written to; none if unwanted."""
        n_row = self._n_item = self._contacts.n + self._joints.n if wanted else 0
        if wanted and (self._tables.any_held or self._any_locked or self._any_drag):
            n_row += len(self._model.mass)
        if n_row > len(self._room):
            self._room = np.zeros((2 * n_row, BOOK_WIDTH))
        self._books = self._room[:n_row]
        return self._books

    def refuses(self, h: float, mu: Floats, gain: float, joules: float, may_halve: bool) -> bool:
        """Whether bodies gain so much from nowhere in the motion in the tables that half of it should be tried.

        `gain` and `joules` are what draw_balance returns. If half of it gains more than the whole, the whole should be
        made: joints that were torn apart are closed the faster, the shorter a motion is.
        """
        self._gain = gain
        if self._joints.n and h < self._dt:
            note_springs(self.tables(mu), self._next_middle)
        too_much = may_halve and gain > MOST_GAIN and not self._is_torn
        if too_much and joules >= self._refused.gain:
            self._whole, self._is_torn = self._refused.length, True
        self._refused = _Refused(joules, h) if too_much else _NONE_REFUSED
        return too_much

    def shorter(self, h: float) -> float:
        """[s] length of the motion to be tried where one of length h failed."""
        whole, self._whole = self._whole, 0.0
        return whole or 0.5 * h

    @property
    def drawn(self) -> Floats:
        """(n_row, BOOK_WIDTH) [J] the books of the motion: first of islands, as they are found by find_islands."""
        return self._books

    def settle(self, h: float, mu: Floats, given: Floats | None) -> float:
        """Take what bodies have gained from nowhere by the motion that was made; returns how much [J].

        `given` (n_island,) [J] what bodies that move as they were told to gave in a bounce, if there was one.
        """
        self._last, self._refused, self._whole, self._is_torn = h, _NONE_REFUSED, 0.0, False
        if h == self._dt and given is None and self._gain <= MOST_FROM_NOWHERE and not self._any_locked:
            return 0.0
        n_item, state = self._n_item, self._state
        self._any_past = True
        self._spring_middle[:] = self._next_middle
        bound = self._bound | (state.hold[:, 0] > 0.0)
        given = np.zeros(n_item) if given is None else given
        moved = (state.pose, state.twist, self._past, self._account.wrenches())
        return float(settle_energy(n_item, self.tables(mu), self._books, given, MOST_FROM_NOWHERE, bound, moved))

    def tables(self, mu: Floats) -> tuple[Any, ...]:
        """The motion in the tables, as kernels take it: the fields of Balance."""
        model, tables, joints, state = self._model, self._tables, self._joints, self._state
        rows, m = tables.rows, joints.n
        moving = (tables.movable, tables.motion, tables.free, tables.twist, tables.weight, model.locked, tables.before)
        of_bodies = (model.mass, model.inertia, tables.middle, *moving)
        of_step = (self._gamma, state.gravity, state.wrench, self._dt)
        of_joints = (joints.law[:m], joints.name, joints.place, joints.last, joints.force, joints.value)
        return (*of_bodies, *of_step, rows.body, rows.push, rows.x, mu, *of_joints, self._spring_middle)
