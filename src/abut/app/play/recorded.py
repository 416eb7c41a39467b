"""What the hand has done since the start, as it can be repeated: undo takes it back, a new start begins it anew."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...scene.played import Action, HandTrack
from ...scene.played.actions import HoldPoint, HoldPose

MOST_ROWS = 50_000
"""Of a track, about ten minutes with a part in the hand; then it begins anew where the world is."""


class Row(NamedTuple):
    """What was done."""

    step: int
    """Steps taken before it."""
    action: Action


@dataclass(frozen=True)
class Mark:
    """A moment of a track to which one may come back."""

    start: bytes
    """Of the track that it belongs to."""
    step: int
    kept: int
    """Rows that are the same whatever is done between."""
    tail: tuple[Row, ...]
    """Rows behind them."""


class Recorded:
    """A hand's track as it grows."""

    def __init__(self, start: bytes, begin: float, driven: bool) -> None:
        self.start, self.begin, self.driven = start, begin, driven
        """Snapshot of the world, its time [s] and whether its scene drives it, before the first step."""
        self.step = 0
        """Steps taken."""
        self.rows: list[Row] = []

    @property
    def full(self) -> bool:
        """Whether it should begin anew."""
        return len(self.rows) >= MOST_ROWS

    def add(self, action: Action) -> None:
        """Write down what was done before the next step; of places the hand went through meanwhile, the last counts."""
        held = isinstance(action, HoldPoint | HoldPose)
        last = self.rows[-1] if self.rows else None
        if held and last and last.step == self.step and isinstance(last.action, HoldPoint | HoldPose):
            self.rows.pop()
        self.rows.append(Row(self.step, action))

    def mark(self, kept: int | None = None) -> Mark:
        """The moment of now; if one will go back to where there were `kept` rows, with those behind them."""
        n = len(self.rows) if kept is None else kept
        return Mark(self.start, self.step, n, tuple(self.rows[n:]))

    def holds(self, mark: Mark) -> bool:
        """Whether a mark belongs to this track."""
        return mark.start is self.start

    def go_to(self, mark: Mark) -> None:
        """Take back what was done since, or do it again."""
        del self.rows[mark.kept :]
        self.rows.extend(mark.tail)
        self.step = mark.step

    def track(self) -> HandTrack:
        """What was done until now."""
        return HandTrack(self.begin, self.driven, tuple(self.rows))
