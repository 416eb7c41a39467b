"""Which pair of parts may touch first, and until when does none of them touch?

Each pair has a lower bound of its time of impact, from its distance and from bounds of the speeds: two parts that are
d apart and approach at no more than v cannot touch before d / v (SiLVIA, section 2.4; Mirtich, Impulse-based Dynamic
Simulation, 1996, section 2.3). The pair with the earliest bound is the only one that has to be looked at; its bound
ends an interval in which the whole scene moves freely.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterator
from math import inf

from ...arrays import number
from ...errors import InputError

Bound = Callable[[Hashable, float], float]
"""Given a pair and a time, the time until which the pair is certain not to touch, or the same time if it touches."""


def impact_bound(distance: float, speed: float, acceleration: float = 0.0) -> float:
    """How long [s] two parts that are `distance` [m] apart cannot touch.

    `speed` [m/s] bounds the speed at which any two of their points approach each other now, `acceleration` [m/s^2] how
    much faster that becomes: the answer is the time after which speed t + acceleration t^2 / 2 is the distance.
    """
    distance, speed = number("distance", distance, least=0.0), number("speed", speed, least=0.0)
    acceleration = number("acceleration", acceleration, least=0.0)
    denominator = speed + (speed * speed + 2.0 * acceleration * distance) ** 0.5
    return 2.0 * distance / denominator if denominator > 0.0 else inf


class Schedule:
    """Pairs in the order of their lower bounds on the time of impact.

    A pair whose bound changes is entered anew and its old entry is skipped when it comes up, so that every operation
    costs the logarithm of the number of pairs. Equal bounds come up in the order in which they were entered.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, Hashable]] = []
        self._entry: dict[Hashable, tuple[float, int]] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._entry)

    def __contains__(self, pair: Hashable) -> bool:
        return pair in self._entry

    def put(self, pair: Hashable, time: float) -> None:
        """Enter a pair that is certain not to touch before `time`, or change its bound; inf for never."""
        if time != time:
            raise InputError(f"time: the bound of pair {pair!r} is not a number")
        self._count += 1
        self._entry[pair] = (float(time), self._count)
        heapq.heappush(self._heap, (float(time), self._count, pair))
        if len(self._heap) > 64 + 4 * len(self._entry):
            self._heap = [(when, count, key) for key, (when, count) in self._entry.items()]
            heapq.heapify(self._heap)

    def remove(self, pair: Hashable) -> None:
        """Forget a pair, as when one of its parts leaves the scene."""
        if pair not in self._entry:
            raise InputError(f"pair: {pair!r} is not in the schedule")
        del self._entry[pair]

    def bound(self, pair: Hashable) -> float:
        """The bound with which a pair was entered."""
        if pair not in self._entry:
            raise InputError(f"pair: {pair!r} is not in the schedule")
        return self._entry[pair][0]

    @property
    def first(self) -> tuple[Hashable, float] | None:
        """The pair with the earliest bound, and that bound; None without pairs. Nothing touches before it."""
        while self._heap:
            time, count, pair = self._heap[0]
            if self._entry.get(pair) == (time, count):
                return pair, time
            heapq.heappop(self._heap)
        return None

    def free_intervals(self, start: float, end: float, bound: Bound) -> Iterator[tuple[float, float, Hashable | None]]:
        """Walk from `start` to `end` in intervals in which no pair touches.

        Yields (begin, end of the interval, pair that touches at its end or None). `bound(pair, time)` is asked for a
        new bound when the old one is reached. The walk ends with a touch: what happens then is for the caller to say,
        who enters new bounds and begins again.
        """
        start, end = number("start", start), number("end", end, least=start)
        begin = start
        while True:
            first = self.first
            if first is None or first[1] >= end:
                if end > begin:
                    yield begin, end, None
                return
            pair, time = first
            now = max(begin, time)
            later = bound(pair, now)
            touches = not later > now
            if now > begin or touches:
                yield begin, now, pair if touches else None
                begin = now
            if touches:
                return
            self.put(pair, later)
