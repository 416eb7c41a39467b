"""Watches over the motions of a step: which features come too close on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._jit import Packet
from ...arrays import Floats, Ints
from ...contact import SweepAndPrune
from ...contact.boxes_kernels import boxes_over_motions
from ...query.motion.feature_table import PairMemory
from ...query.motion.feature_tables import Features, Hulls
from ..state import Model
from .budget import Budget
from .guard_kernels import (
    GOES_TOO_FAR,
    IS_LONG,
    TAKES_TOO_MUCH,
    choose_pairs_to_check,
    find_unyielding,
    follow,
    look_at_motions,
    mark_bodies,
    mark_costly,
    sort_hits,
    take_found,
    take_pairs,
)
from .packet_tables import LAYOUT
from .step_tables import Paths

HIT_GAP, HIT_DOUBT = 0.5, 0.01
"""In contact gaps: features that come nearer than the first are hits; those up to the second beyond it may be."""
HIT_SHARE = 0.5
"""Features that begin nearer than that are hits once this share of their distance is left."""
WINDOW = 0.25
"""The share of the motion after a first touch in which others of the same pair count."""
TOO_LONG, OUT_OF_WORK = -1, -2
"""What a check answers to motions that it does not follow, and where the budget of the step does not suffice."""
LONGEST_WAY, LONGEST_TURN = 1e11, 100.0
"""In contact gaps and [rad]: rounding of a longer way is no longer small beside the gap, and turns take their time."""


class Guard:
    """Culls pairs of bodies, checks the motions of those that are left, and remembers what it has proven."""

    def __init__(self, model: Model, contact_gap: float, threads: int, packet: Packet | None = None) -> None:
        """`packet` is that of the step whose motions are checked."""
        self._model, self.contact_gap = model, contact_gap
        n = len(model.mass)
        self._memory, self._threads = PairMemory(model.table, model.shape_of, threads), threads
        self._culling = SweepAndPrune(group=model.group, fixed=~model.dynamic)
        self._rooms = (np.full((n, 3), np.inf), np.full((n, 3), -np.inf))
        """The boxes among which pairs were culled last, wider than those around the motions."""
        self.ends = np.zeros((n, 12))
        """Poses to which the motions lead."""
        shape, boxes = (model.low, model.high, model.reach), (np.zeros((n, 3)), np.zeros((n, 3)))
        paths = (*shape, *boxes, np.zeros((n, 6)), np.zeros(n), self.ends, *self._rooms)
        packet = Packet(LAYOUT) if packet is None else packet
        self._words, self._known = packet.words, self._memory.known
        packet.put(Paths, paths)
        packet.put(Features, model.table.arrays)
        packet.put(Hulls, model.table.hulls)
        self._put_pairs()
        self._options = (HIT_GAP * contact_gap, HIT_DOUBT * contact_gap, HIT_SHARE, WINDOW)
        """The fields of CheckOptions but for the effort."""
        self._longest = (LONGEST_WAY * contact_gap, LONGEST_TURN)

    def _put_pairs(self) -> None:
        """Let kernels find the pairs that are checked, and what is remembered and found of them."""
        memory = self._memory
        watched, memories = self._known = memory.known
        self._looked = (*np.zeros((3, len(memory.pairs)), np.bool_), np.zeros(len(self.ends) + 1, np.bool_))
        """The fields of Looked."""
        take_pairs(watched, memories, memory.found, self._looked, self._words)

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
        model, low, high = self._model, *np.empty((2, len(pose), 3))
        ways = np.zeros((len(pose), 6))
        boxes_over_motions(model.low, model.high, model.reach, pose, ways, self.contact_gap, low, high)
        return self._culling.pairs(low, high).copy()

    def begin(self) -> None:
        """What is checked from now on are motions from where bodies stand now."""
        self._memory.begin()

    def nobody_yields(self, n_hit: int, movable: NDArray[np.bool_], due_out: NDArray[np.bool_]) -> bool:
        """Whether bodies of which neither can give way are among the hits; they alone are due then."""
        return bool(find_unyielding(self._memory.pairs, self._memory.pair, n_hit, movable, due_out))

    def check(self, motion: Floats, due_io: NDArray[np.bool_], budget: Budget) -> int:
        """Number of feature pairs that come within half the contact gap on the way of those due, as `look`."""
        return self.look(follow(self._words, self.contact_gap), motion, due_io, budget)

    def look(self, left_rooms: bool, motion: Floats, due_io: NDArray[np.bool_], budget: Budget) -> int:
        """The same of motions that were followed; whether their boxes have left their rooms.

        Bodies of hits, and no others, are due then.

        TOO_LONG if bodies that are near others move too far to be followed; these are due then. OUT_OF_WORK if the
        check takes more than the budget has left, or than one may take: those it is about are due then, or those that
        took so much. Long motions are checked afresh, and count what that takes; others count what they take at most.
        Pairs of bodies that are not due, or move almost as they did when last checked, were found free, in this part of
        the step or asleep, and stay so. Those whose boxes around their motions do not meet are free as well.
        """
        memory = self._memory
        if left_rooms:
            memory.set_pairs(self._culling.pairs(*self._rooms))
            if memory.known is not self._known:
                self._put_pairs()
        if len(memory.pairs) == 0:
            due_io[:] = False
            return 0
        goes_on, n = self._look_in_threads(motion, due_io, budget) if self._threads > 1 else self._look(budget)
        if goes_on == GOES_TOO_FAR:
            return TOO_LONG
        if goes_on == TAKES_TOO_MUCH or (goes_on == IS_LONG and self._took_too_much(n, due_io, budget)):
            return OUT_OF_WORK
        return n

    def _look(self, budget: Budget) -> tuple[int, int]:
        """How the check went on, and the number of hits."""
        counted = budget.of_check(*self._longest, again=False)
        goes_on, work, n = look_at_motions(self._words, self._options, counted)
        budget.note(work)
        while n > len(self._memory.hits):
            self._memory.make_room_for_hits(2 * n)
            take_found(self._memory.found, self._words)
            _, _, n = look_at_motions(self._words, self._options, budget.of_check(*self._longest, again=True))
        return goes_on, n

    def _look_in_threads(self, motion: Floats, due_io: NDArray[np.bool_], budget: Budget) -> tuple[int, int]:
        """The same by several threads."""
        memory, (chosen, _, afresh, _) = self._memory, self._looked
        goes_on, work = choose_pairs_to_check(self._words, budget.of_check(*self._longest, again=False))
        budget.note(work)
        if goes_on > IS_LONG:
            return goes_on, 0
        gap, tolerance, share, window = self._options
        limits = (window, self.ends, afresh, budget.most_of_a_check)
        n = memory.check(chosen, motion, (gap, tolerance, share), *limits)
        mark_bodies(memory.pairs, memory.pair, n, due_io)
        sort_hits(n, memory.times, memory.hits, memory.pair)
        return goes_on, n

    def _took_too_much(self, n: int, due_io: NDArray[np.bool_], budget: Budget) -> bool:
        """Whether long motions took more than the check of one pair may take, or all that was left."""
        memory, most = self._memory, budget.most_of_a_check
        budget.note(float(memory.effort.sum()))
        if mark_costly(memory.pairs, memory.effort, due_io) > most or budget.spent:
            return True
        mark_bodies(memory.pairs, memory.pair, n, due_io)
        return False
