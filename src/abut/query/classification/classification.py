"""What is said of points and segments: in, out, or on which vertex, edge or face."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ..features import Feature
from . import brep_index_tables as codes
from .brep_index_tables import Items


class Place(IntEnum):
    """Where a point lies; the first that applies within the tolerance."""

    VERTEX = codes.VERTEX
    EDGE = codes.EDGE
    FACE = codes.FACE
    IN = codes.IN
    OUT = codes.OUT


_WORDS = {place: place.name.lower() for place in Place}


def _named(place: int, index: int) -> Feature | str:
    word = _WORDS[Place(place)]
    return Feature(word, int(index)) if place < Place.IN else word


def _brief(what: Feature | str) -> str:
    """As it is written in sequences: `f12`, `in`."""
    return what if isinstance(what, str) else f"{what.kind[0]}{what.index}"


@dataclass(frozen=True, eq=False, repr=False)
class PointPlaces:
    """Where each of n points lies; `places[i]` is "in", "out" or the `Feature` that point i is on."""

    place: NDArray[np.int8]
    """(n,) a `Place`."""
    index: Ints
    """(n,) number of the vertex, edge or face; -1 for points that are in or out."""

    @property
    def inside(self) -> NDArray[np.bool_]:
        """(n,) in the material, farther than the tolerance from the surface."""
        return np.asarray(self.place == Place.IN)

    @property
    def outside(self) -> NDArray[np.bool_]:
        """(n,) out of the material, farther than the tolerance from the surface."""
        return np.asarray(self.place == Place.OUT)

    @property
    def on(self) -> NDArray[np.bool_]:
        """(n,) on a vertex, edge or face, within the tolerance."""
        return np.asarray(self.place < Place.IN)

    def __len__(self) -> int:
        return len(self.place)

    def __getitem__(self, i: int) -> Feature | str:
        return _named(int(self.place[i]), int(self.index[i]))

    def __repr__(self) -> str:
        return f"PointPlaces({self.inside.sum()} in, {self.outside.sum()} out, {self.on.sum()} on the surface)"


@dataclass(frozen=True)
class PointOfSegment:
    """A point at which what a segment runs through changes, or one of its ends."""

    what: Feature | str
    """What is met there: a `Feature`; "in" or "out" for an end that is on nothing."""
    point: Floats
    """(3,) [m] in the world."""
    t: float
    """Parameter: 0 at the segment's start, 1 at its end."""


@dataclass(frozen=True)
class Stretch:
    """What a segment runs through between two of its points."""

    what: Feature | str
    """"in", "out", or the edge or face along which the segment runs."""
    t_first: float
    t_last: float
    """Parameters of the first and the last point of which this is true."""


class SegmentPlaces:
    """The classification of a segment: points and stretches in turn, a point first and last."""

    __slots__ = ("items",)

    items: tuple[PointOfSegment | Stretch, ...]
    """Points at even places, stretches at odd ones."""

    def __init__(self, items: tuple[PointOfSegment | Stretch, ...]) -> None:
        self.items = items

    @property
    def points(self) -> list[PointOfSegment]:
        """Its ends, and where it meets vertices, edges and faces in between."""
        return [item for item in self.items if isinstance(item, PointOfSegment)]

    @property
    def stretches(self) -> list[Stretch]:
        """What it runs through in between."""
        return [item for item in self.items if isinstance(item, Stretch)]

    @property
    def words(self) -> list[str]:
        """The names alone: `["out", "out", "e3", "in", "in"]`."""
        return [_brief(item.what) for item in self.items]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[PointOfSegment | Stretch]:
        return iter(self.items)

    def __repr__(self) -> str:
        """As published: `[(q1, out), out, (e3, p1), in, (f2, p2), out, (q2, out)]`."""
        said, met = [], 0
        for k, item in enumerate(self.items):
            if isinstance(item, Stretch):
                said.append(_brief(item.what))
            elif isinstance(item.what, str):
                said.append(f"({'q1' if k == 0 else 'q2'}, {item.what})")
            else:
                met += 1
                said.append(f"({_brief(item.what)}, p{met})")
        return f"[{', '.join(said)}]"


@dataclass(frozen=True, eq=False, repr=False)
class SegmentsPlaces:
    """The classifications of n segments in flat tables; `places[i]` is that of segment i."""

    starts: Floats
    """(n, 3) [m] in the world."""
    ends: Floats
    """(n, 3) [m] in the world."""
    first: Ints
    """(n + 1,) where the items of each segment begin; those between are points and stretches in turn."""
    place: NDArray[np.int8]
    """(n_item,) a `Place`."""
    index: Ints
    """(n_item,) number of the vertex, edge or face; -1 for in and out."""
    part: Floats
    """(n_item, 2) first and last parameter of a stretch; equal for a point."""

    @classmethod
    def of_items(cls, starts: Floats, ends: Floats, items: Items) -> SegmentsPlaces:
        """From the tables of kernels."""
        return cls(starts, ends, items.first, items.kind, items.number, items.part)

    @property
    def segment(self) -> Ints:
        """(n_item,) the segment of each item."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first))

    @property
    def stretch(self) -> NDArray[np.bool_]:
        """(n_item,) whether an item is a stretch and not a point."""
        return np.asarray((np.arange(len(self.place)) - self.first[self.segment]) % 2 == 1)

    @property
    def points(self) -> Floats:
        """(n_item, 3) [m] points, and the middles of stretches, in the world."""
        of, t = self.segment, self.part.mean(axis=1)[:, None]
        return np.asarray(self.starts[of] * (1.0 - t) + self.ends[of] * t)

    def __len__(self) -> int:
        return len(self.first) - 1

    def __iter__(self) -> Iterator[SegmentPlaces]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, i: int) -> SegmentPlaces:
        i = range(len(self))[i]
        items: list[PointOfSegment | Stretch] = []
        for k in range(int(self.first[i]), int(self.first[i + 1])):
            t, t_last = float(self.part[k, 0]), float(self.part[k, 1])
            what = _named(int(self.place[k]), int(self.index[k]))
            if len(items) % 2 == 1:
                items.append(Stretch(what, t, t_last))
            else:
                items.append(PointOfSegment(what, self.starts[i] * (1.0 - t) + self.ends[i] * t, t))
        return SegmentPlaces(tuple(items))

    def __repr__(self) -> str:
        return f"SegmentsPlaces({len(self)} segments, {len(self.place)} points and stretches)"
