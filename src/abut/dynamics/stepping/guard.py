"""Watches over the motions of a step: which features come too close on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...contact import SweepAndPrune
from ...contact.boxes_kernels import boxes_over_motions
from ...query.motion.feature_table import PairMemory
from ..state import Model
from .budget import LONG, WORK_OF_FEATURE, Budget
from .guard_kernels import (
    find_long,
    find_unyielding,
    follow_motions,
    mark_bodies,
    mark_costly,
    sort_hits,
    work_of_check,
)

WINDOW = 0.25
"""The share of the motion after a first touch in which others of the same pair count."""
TOO_LONG, OUT_OF_WORK = -1, -2
"""What a check answers to motions that it does not follow, and where the budget of the step does not suffice."""
LONGEST_WAY, LONGEST_TURN = 1e11, 100.0
"""In contact gaps and [rad]: rounding of a longer way is no longer small beside the gap, and turns take their time."""


class Guard:
    """Culls pairs of bodies, checks the motions of those that are left, and remembers what it has proven."""

    def __init__(self, model: Model, contact_gap: float, threads: int) -> None:
        self._model, self.contact_gap = model, contact_gap
        n = len(model.mass)
        self._memory = PairMemory(model.table, model.shape_of, threads)
        self._culling = SweepAndPrune(group=model.group, fixed=~model.dynamic)
        self._boxes = (np.zeros((n, 3)), np.zeros((n, 3)))
        self._rooms = (np.full((n, 3), np.inf), np.full((n, 3), -np.inf))
        """Boxes around the motions, and the wider ones among which pairs were culled last."""
        self._last, self._change = np.zeros((n, 6)), np.zeros(n)
        """Motions at the last check, and how far others since then take any point of a body from there."""
        self.ends = np.zeros((n, 12))
        """Poses to which the motions lead."""

    @property
    def pairs(self) -> Ints:
        """(m, 2) bodies that were near enough to be checked."""
        return self._memory.pairs

    @property
    def hits(self) -> tuple[Any, ...]:
        """Times (from the second one on), features and pair of each hit."""
        return self._memory.times, self._memory.hits, self._memory.pair

    def ignore(self, pairs: list[tuple[int, int]]) -> None:
        """Pairs of bodies that may overlap."""
        model = self._model
        self._culling.set_filter(group=model.group, fixed=~model.dynamic, ignored=pairs or None)
        self._rooms[0][:], self._rooms[1][:] = np.inf, -np.inf

    def near_pairs(self, pose: Floats) -> Ints:
        """Pairs of bodies that are within the contact gap of each other at these poses."""
        model, (low, high) = self._model, map(np.empty_like, self._boxes)
        ways = np.zeros((len(low), 6))
        boxes_over_motions(model.low, model.high, model.reach, pose, ways, self.contact_gap, low, high)
        return self._culling.pairs(low, high).copy()

    def begin(self) -> None:
        """What is checked from now on are motions from where bodies stand now."""
        self._memory.begin()

    def nobody_yields(self, n_hit: int, movable: NDArray[np.bool_], due_out: NDArray[np.bool_]) -> bool:
        """Whether bodies of which neither can give way are among the hits; they alone are due then."""
        return bool(find_unyielding(self._memory.pairs, self._memory.pair, n_hit, movable, due_out))

    def check(self, motion: Floats, due_io: NDArray[np.bool_], budget: Budget) -> int:
        """Number of feature pairs that come within half the contact gap on the way of bodies that are due.

        Their bodies, and no others, are due then.

        TOO_LONG if bodies that are near others move too far to be followed; these are due then. OUT_OF_WORK if the
        check takes more than the budget has left, or than one may take: those it is about are due then, or those that
        took so much. Long motions are checked afresh, and count what that takes; others count what they take at most.
        Pairs of bodies that are not due, or move almost as they did when last checked, were found free, in this part of
        the step or asleep, and stay so. Those whose boxes around their motions do not meet are free as well.
        """
        memory, model = self._memory, self._model
        shape = (model.low, model.high, model.reach)
        ways = (self._last, self._change, self.ends)
        if follow_motions(shape, motion, self.contact_gap, due_io, self._boxes, *ways, *self._rooms):
            memory.set_pairs(self._culling.pairs(*self._rooms))
        if len(memory.pairs) == 0:
            due_io[:] = False
            return 0
        long = np.zeros(len(due_io), np.bool_)
        if find_long(memory.pairs, due_io, motion, (LONGEST_WAY * self.contact_gap, LONGEST_TURN), long):
            due_io[:] = long
            return TOO_LONG
        looked_at, (apart, afresh) = np.zeros(len(due_io), np.bool_), np.zeros((2, len(memory.pairs)), np.bool_)
        body = (budget.features, budget.size, WORK_OF_FEATURE, LONG)
        work, any_long = work_of_check(memory.pairs, due_io, motion, self._boxes, *body, looked_at, apart, afresh)
        budget.note(work)
        if budget.spent:
            due_io[:] = looked_at
            return OUT_OF_WORK
        chosen = memory.choose(due_io, self._change, apart, afresh)
        options = (0.5 * self.contact_gap, 0.01 * self.contact_gap, 0.5)
        most = budget.most_of_a_check
        n = memory.check(chosen, motion, options, WINDOW, self.ends, afresh, most)
        if any_long:
            budget.note(float(memory.effort.sum()))
            if mark_costly(memory.pairs, memory.effort, due_io) > most or budget.spent:
                return OUT_OF_WORK
        if n == 0:
            due_io[:] = False
            return 0
        mark_bodies(memory.pairs, memory.pair, n, due_io)
        sort_hits(n, memory.times, memory.hits, memory.pair)
        return n
