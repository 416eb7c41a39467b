"""What happened, and when: impacts, touches and partings of a world, in the order of time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..query import Feature

EVENT_KINDS = ("impact", "touch", "break", "slide_off", "stick", "slip")


class Event(NamedTuple):
    """Something that happened between two bodies at one moment."""

    time: float
    """[s] of the world."""
    kind: str
    """"impact": bodies that came together got other velocities; "touch": they stay together from now on; "break": they
    part; "slide_off": a point in contact left what supported it; "stick" and "slip": friction begins or ceases to hold
    them."""
    body_a: str
    body_b: str
    """Names of the bodies; "world" where a joint holds a body to it."""
    feature_a: Feature
    feature_b: Feature
    """What of each touches. At a stop of a joint, both are its "limit", numbered as joints are."""
    impulse: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """[N s] on body B; A gets the opposite. Zero where no impulse acts."""


class EventLog:
    """Events since a world began, or was told to forget them.

    Logs that follow from each other share one list, of which each sees the first `n`: a step adds to it at no cost, and
    an earlier log does not show what came later.
    """

    __slots__ = ("_list", "n")

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._list = list(events)
        self.n = len(self._list)

    def with_events(self, events: Iterable[Event]) -> EventLog:
        """The log with more events; this one stays as it is."""
        grown = EventLog()
        grown._list = self._list if self.n == len(self._list) else self._list[: self.n]
        grown._list.extend(events)
        grown.n = len(grown._list)
        return grown

    def events(self, first: int = 0) -> list[Event]:
        """Those from number `first` on."""
        return self._list[first : self.n]
