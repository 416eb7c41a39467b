"""Parts that overlap where they should not: which, and how deep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import InputError
from ..geometry import Solid
from ..math import Pose
from ..query import intersect
from ..query.distance.analytic import signed_gap
from ..query.motion.exposed import Shape

SHOWN = 5
"""How many pairs an error lists."""


@dataclass(frozen=True)
class Overlap:
    """Two bodies that overlap or touch."""

    a: str
    b: str
    depth: float
    """[m] thickness of what they share, how far to part them for a sphere or a half-space; 0 where they only touch,
    nan where it is not known, which is so for parts that are not closed."""

    def __str__(self) -> str:
        depth = "" if np.isnan(self.depth) else f" ({1e3 * self.depth:.3g} mm deep)"
        return f"'{self.a}' and '{self.b}'{depth}"


class OverlapError(InputError):
    """A world that starts with overlapping bodies."""

    def __init__(self, overlaps: list[Overlap], contact_gap: float) -> None:
        self.overlaps = overlaps
        super().__init__(
            f"bodies overlap or touch at the start: {_listed(overlaps)}; move them at least {1e6 * contact_gap:.3g} µm "
            "apart, put them in one group=, or declare the pair with world.set_pair(a, b, 'ignore' or 'interference')"
        )


class KinematicOverlapError(InputError):
    """Kinematic bodies that would go where fixed or other kinematic ones stand."""

    def __init__(self, overlaps: Sequence[Overlap]) -> None:
        self.overlaps = overlaps
        super().__init__(
            f"kinematic bodies go where others stand that do not give way: {_listed(overlaps)}; give them other "
            "velocities, put them in one group=, or declare the pair with world.set_pair(a, b, 'ignore')"
        )


def _listed(overlaps: Sequence[Overlap]) -> str:
    more = len(overlaps) - SHOWN
    shown = ", ".join(map(str, overlaps[:SHOWN]))
    return shown + (f" and {more} more pair{'s' if more > 1 else ''}" if more > 0 else "")


def deepest(overlaps: Iterable[Overlap]) -> tuple[Overlap, ...]:
    """Of overlaps of the same two bodies, the deepest one."""
    found: dict[tuple[str, str], Overlap] = {}
    for overlap in overlaps:
        known = found.get((overlap.a, overlap.b))
        if known is None or overlap.depth > known.depth:
            found[overlap.a, overlap.b] = overlap
    return tuple(found.values())


def find_overlaps(pairs: Iterable[tuple[tuple[str, Shape, Pose], tuple[str, Shape, Pose]]]) -> list[Overlap]:
    """Those of the given pairs of (name, shape, pose) whose shapes have points in common."""
    return [
        Overlap(a, b, overlap_depth(shape_a, shape_b, X_a, X_b))
        for (a, shape_a, X_a), (b, shape_b, X_b) in pairs
        if intersect(shape_a, shape_b, X_a, X_b)
    ]


def overlap_depth(a: Shape, b: Shape, X_a: Pose, X_b: Pose) -> float:
    """[m] how deep two shapes that have points in common overlap; see `Overlap`."""
    if not (isinstance(a, Solid) and isinstance(b, Solid)):
        return max(0.0, -signed_gap(a, b, X_a, X_b))
    if not (a.closed and b.closed):
        return np.nan
    try:
        shared = a.transformed(X_a) & b.transformed(X_b)
    except InputError:  # nothing is left of two parts that only touch
        return 0.0
    return float(shared.extents.min())
