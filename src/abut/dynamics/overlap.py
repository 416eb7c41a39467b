"""Parts that overlap where they should not: which, and how deep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..geometry import HalfSpace, Solid
from ..math import Pose
from ..query import intersect
from ..query.exposed import Shape


@dataclass(frozen=True)
class Overlap:
    """Two bodies that overlap or touch."""

    a: str
    b: str
    depth: float
    """[m] thickness of what they share; 0 where they only touch, nan where it is not known."""

    def __str__(self) -> str:
        depth = "" if np.isnan(self.depth) else f" ({1e3 * self.depth:.3g} mm deep)"
        return f"'{self.a}' and '{self.b}'{depth}"


class OverlapError(InputError):
    """A world that starts with overlapping bodies."""

    def __init__(self, overlaps: list[Overlap], contact_gap: float) -> None:
        self.overlaps = overlaps
        shown = ", ".join(map(str, overlaps[:5])) + (
            f" and {len(overlaps) - 5} more pairs" if len(overlaps) > 5 else ""
        )
        super().__init__(
            f"bodies overlap or touch at the start: {shown}; move them at least {1e6 * contact_gap:.3g} µm apart, put "
            "them in one group=, or declare the pair with world.set_pair(a, b, 'ignore' or 'interference')"
        )


def find_overlaps(pairs: Iterable[tuple[tuple[str, Shape, Pose], tuple[str, Shape, Pose]]]) -> list[Overlap]:
    """Those of the given pairs of (name, shape, pose) whose shapes have points in common."""
    return [
        Overlap(a, b, _depth(shape_a, shape_b, X_a, X_b))
        for (a, shape_a, X_a), (b, shape_b, X_b) in pairs
        if intersect(shape_a, shape_b, X_a, X_b)
    ]


def _depth(a: Shape, b: Shape, X_a: Pose, X_b: Pose) -> float:
    if isinstance(a, HalfSpace):
        a, b, X_a, X_b = b, a, X_b, X_a
    if isinstance(a, Solid) and isinstance(b, HalfSpace):
        points = (X_b.inverse() @ X_a).apply(a.vertices)
        return float(max(0.0, b.offset - (points @ b.normal).min()))
    if not (isinstance(a, Solid) and isinstance(b, Solid) and a.closed and b.closed):
        return np.nan
    try:
        shared = a.transformed(X_a) & b.transformed(X_b)
    except InputError:  # nothing is left of two parts that only touch
        return 0.0
    return float(shared.extents.min())
