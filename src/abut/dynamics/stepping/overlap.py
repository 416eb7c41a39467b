"""Parts that overlap where they should not: which, and how deep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...geometry import Shape
from ...geometry.units import length_text
from ...math import Pose
from ...query import intersect
from ...query.depth.depth import PIECES, depth_of
from ...query.intersection.overlap import in_one_place

SHOWN = 5
"""How many pairs an error lists."""


@dataclass(frozen=True)
class Overlap:
    """Two bodies that overlap or touch."""

    a: str
    b: str
    depth: float
    """[m] how far surface points of one lie under the other's surface, how far to part them for a shape without
    faces; 0 where they only touch, nan where it is not known, which is so for surfaces that are not closed."""
    same_place: bool = False
    """Whether they share material although no surface point of one lies under the other's surface: copies of a part."""

    def __str__(self) -> str:
        if np.isnan(self.depth):
            return f"'{self.a}' and '{self.b}'"
        how = f"{length_text(self.depth)} deep" if self.depth > 0.0 else "touching"
        return f"'{self.a}' and '{self.b}' ({'at the same place' if self.same_place else how})"


@dataclass(frozen=True)
class MovedApart:
    """A body that was moved before a step, as it touched another one."""

    body: str
    way: tuple[float, float, float]
    """[m] by which it was moved, in the world."""

    @property
    def distance(self) -> float:
        """[m]."""
        return float(np.linalg.norm(self.way))


REMEDIES = (
    ", use abut.loosen if they are drawn touching, put them in one group=, or let them pass through each "
    "other with world.set_pair(a, b, 'ignore'), or [[pairs]] in a scene file"
)
REMEDY_OF_SOFT = ", or attach nodes of a soft body to the rigid one that it reaches into, with soft.attach(nodes, body)"
"""Soft bodies have no groups, and no rules for pairs."""


class OverlapError(InputError):
    """A world that starts with overlapping bodies."""

    def __init__(self, overlaps: list[Overlap], contact_gap: float, remedies: str = REMEDIES) -> None:
        self.overlaps = overlaps
        super().__init__(
            f"bodies overlap or touch at the start: {_listed(overlaps)}; move them at least {length_text(contact_gap)} "
            f"apart{remedies}"
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


class Placed(NamedTuple):
    """A body where it stands."""

    name: str
    shape: Shape
    pose: Pose


def find_overlaps(pairs: Iterable[tuple[tuple[str, Shape, Pose], tuple[str, Shape, Pose]]]) -> list[Overlap]:
    """Those of the given pairs of Placed, or of plain (name, shape, pose), whose shapes have points in common."""
    return [
        overlap_between((a, b), (shape_a, shape_b), X_a, X_b)
        for (a, shape_a, X_a), (b, shape_b, X_b) in pairs
        if intersect(shape_a, shape_b, X_a, X_b)
    ]


def overlap_between(
    names: tuple[str, str], shapes: tuple[Shape, Shape], X_a: Pose, X_b: Pose, *, pieces: int = PIECES
) -> Overlap:
    """What there is to say of two shapes that have points in common."""
    depth = depth_of(*shapes, X_a, X_b, pieces=pieces)
    if depth.nothing:
        return Overlap(*names, 0.0, in_one_place(*shapes, X_a, X_b))
    return Overlap(*names, depth.lower)
