"""Where two parts touch: every maximal region, with what touches, its normal, its size and a lasting label."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ...arrays import Floats, Ints, number
from ...errors import InputError
from ...geometry.units import length_text, plain
from ...math.pose import Pose, as_pose
from ..features import Feature, feature_text, shape_of
from .region_kernels import AREA, CENTRE, GAP, LENGTH, find_regions
from .region_part import face_names, region_part, stack_depth
from .region_tables import NEXT_LABEL, POINTS, REGIONS, Found, Longs, Memory
from .room import more_room, room_for
from .scan_kernels import HYSTERESIS

if TYPE_CHECKING:
    from .surface_regions import SurfaceRegion

KINDS = ("vertex", "edge", "face")
"""What features are called, by their numbers in kernels."""
_NOTHING = Memory(
    np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(1, np.int32), np.zeros(0, np.int64), np.zeros((0, 3)),
    np.zeros(0, np.int64), np.zeros((0, 2), np.int32),
)  # fmt: skip
_NO_MEMORY = tuple(_NOTHING)


class RegionTables:
    """What lists of regions have in common: a table for each property."""

    dim: Ints
    """(n,) 0, 1 or 2."""
    label: Longs
    """(n,)."""
    normal: Floats
    """(n, 3) from A to B."""
    centre: Floats
    """(n, 3) [m]."""
    area: Floats
    """(n,) [m^2]."""
    length: Floats
    """(n,) [m]."""
    gap: Floats
    """(n,) [m]."""
    start: Ints
    """(n + 1,) where the hull points of each region begin."""
    points_a: Floats
    """(n_point, 3) [m]."""
    points_b: Floats
    """(n_point, 3) [m]."""
    point_label: Longs
    """(n_point,)."""
    tolerance: float
    """[m]."""
    _name: Ints

    def _show_tables(self, found: Found) -> None:
        """Show what was found."""
        n, k = int(found.counts[REGIONS]), int(found.counts[POINTS])
        numbers, points = found.number[:n], found.point[:k]
        self._name, self.dim, self.start = found.name[:n], found.dim[:n], found.start[: n + 1]
        self.normal, self.centre = numbers[:, :3], numbers[:, CENTRE : CENTRE + 3]
        self.area, self.length, self.gap = numbers[:, AREA], numbers[:, LENGTH], numbers[:, GAP]
        self.points_a, self.points_b, self.point_label = points[:, :3], points[:, 3:], found.label[:k]

    def shape_at(self, index: int, side: int) -> Any:
        """The shape of A (side 0) or B (side 1) of a region."""
        raise NotImplementedError

    def pose_at(self, index: int, side: int) -> Pose:
        """Where it stood."""
        raise NotImplementedError

    def limit_at(self, index: int) -> float:
        """[m] how far apart the features of a region could be."""
        raise NotImplementedError

    def feature(self, index: int, side: int) -> Feature:
        """The feature of A (side 0) or B (side 1) of a region."""
        kind, id = self._name[index, 2 * side : 2 * side + 2].tolist()
        return feature_of_part(self.shape_at(index, side), kind, id)

    def loops(self, index: int) -> list[Floats]:
        """Outline of a region, see `Region.loops`."""
        if self.dim[index] != 2:
            return []
        from .outline import outline

        shapes = self.shape_at(index, 0), self.shape_at(index, 1)
        poses = self.pose_at(index, 0), self.pose_at(index, 1)
        faces = int(self._name[index, 1]), int(self._name[index, 3])
        return outline(shapes, poses, faces, self.normal[index], self.limit_at(index))

    def __len__(self) -> int:
        return len(self.dim)

    def __repr__(self) -> str:
        counts = [f"{n} {dim}D" for dim in (2, 1, 0) if (n := int((self.dim == dim).sum()))]
        return f"{type(self).__name__}({', '.join(counts) or 'none'})"


class Region:
    """A maximal set of points where a feature of A touches one of B."""

    __slots__ = ("_all", "index")

    def __init__(self, regions: RegionTables, index: int) -> None:
        self._all = regions
        self.index = index

    @property
    def dim(self) -> int:
        """0 for a point, 1 for a line, 2 for a surface."""
        return int(self._all.dim[self.index])

    @property
    def label(self) -> int:
        """Stays the same as long as the region lasts, if each search is given what the last one found."""
        return int(self._all.label[self.index])

    @property
    def feature_a(self) -> Feature:
        """What of A touches."""
        return self._all.feature(self.index, 0)

    @property
    def feature_b(self) -> Feature:
        """What of B touches."""
        return self._all.feature(self.index, 1)

    @property
    def points_a(self) -> Floats:
        """(n, 3) hull points on A [m]: one, the two ends of a line, or the corners of a surface's hull in order."""
        return self._all.points_a[self._points]

    @property
    def points_b(self) -> Floats:
        """(n, 3) the points on B that face them [m]."""
        return self._all.points_b[self._points]

    @property
    def point_labels(self) -> Longs:
        """(n,) labels of the hull points, which stay the same as long as the points last."""
        return self._all.point_label[self._points]

    @property
    def normal(self) -> Floats:
        """(3,) unit vector from A to B."""
        return np.asarray(self._all.normal[self.index])

    @property
    def centre(self) -> Floats:
        """(3,) [m] middle of the point, line or surface, on A."""
        return np.asarray(self._all.centre[self.index])

    @property
    def area(self) -> float:
        """[m^2] of a surface, else 0."""
        return float(self._all.area[self.index])

    @property
    def length(self) -> float:
        """[m] of a line, else 0."""
        return float(self._all.length[self.index])

    @property
    def gap(self) -> float:
        """[m] the least distance of its hull points along the normal; less than 0 where they overlap."""
        return float(self._all.gap[self.index])

    @property
    def loops(self) -> list[Floats]:
        """Outline of a surface: closed polygons (n, 3) [m], counter-clockwise seen from B, holes the other way round.

        Of a surface in several pieces there are several. A line or a point has none.
        """
        return self._all.loops(self.index)

    @property
    def triangles(self) -> Floats:
        """(n, 3, 3) [m] the surface cut into triangles, for drawing."""
        from .outline import triangles_of_loops

        return triangles_of_loops(self.loops, self.normal)

    @property
    def _points(self) -> slice:
        start = self._all.start
        return slice(int(start[self.index]), int(start[self.index + 1]))

    def __repr__(self) -> str:
        size = ("", f", {plain(1e3 * self.length, 4)} mm", f", {plain(1e6 * self.area, 4)} mm²")[self.dim]
        features = " / ".join(feature_text(feature) for feature in (self.feature_a, self.feature_b))
        return f"Region({self.dim}D, {features}{size}, label {self.label})"


class Regions(RegionTables, Sequence[Region]):
    """All contact regions of two parts: surfaces first, then lines, then points; a table for each property."""

    def __init__(self, shapes: tuple[Any, Any], poses: tuple[Pose, Pose], tolerance: float, found: Found) -> None:
        n, k = int(found.counts[REGIONS]), int(found.counts[POINTS])
        own = _own(found, n, k)
        self._show_tables(own)
        self._shapes, self._poses, self.tolerance = shapes, poses, tolerance
        self._key, self._normal_b, self._place, self._code = own.key, own.normal_b, own.place, own.code
        self.next_point_label = int(found.counts[NEXT_LABEL])
        self.label, self.next_label = np.zeros(n, np.int64), 0
        self._limit = np.full(n, tolerance)

    def _give_labels(self, previous: Regions | None) -> None:
        """Labels of regions that were there before, and new ones for the others."""
        n = len(self.dim)
        if previous is None:
            self.label, self.next_label = np.arange(n, dtype=np.int64), n
            return
        known, place = previous._memory[0], np.zeros(n, np.int64)
        if len(known):
            place = np.minimum(np.searchsorted(known, self._key), len(known) - 1)
        lasting = known[place] == self._key if len(known) else np.zeros(n, np.bool_)
        self._limit[lasting] *= HYSTERESIS
        new = ~lasting
        self.label = np.empty(n, np.int64)
        self.label[lasting] = previous.label[previous._order[place[lasting]]]
        count = int(new.sum())
        self.label[new] = previous.next_label + np.arange(count)
        self.next_label = previous.next_label + count

    def is_of(self, a: Any, b: Any) -> bool:
        """Whether these are regions of such shapes, whatever their poses."""
        return all(mine is one or mine.identity == one.identity for mine, one in zip(self._shapes, (a, b), strict=True))

    @cached_property
    def _order(self) -> Longs:
        return np.argsort(self._key)

    @cached_property
    def _memory(self) -> tuple[Any, ...]:
        """What the next search has to know, see `Memory`."""
        order = self._order
        counts = np.diff(self.start)[order]
        start = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        points = np.concatenate([np.arange(self.start[i], self.start[i + 1]) for i in order] or [np.zeros(0, int)])
        tables = (self._code[points], self._place[points], self.point_label[points])
        return self._key[order], self._normal_b[order], start, *tables, np.full((len(order), 2), -1, np.int32)

    def shape_at(self, _index: int, side: int) -> Any:
        """A (side 0) or B (side 1)."""
        return self._shapes[side]

    def pose_at(self, _index: int, side: int) -> Pose:
        """Of A (side 0) or B (side 1)."""
        return self._poses[side]

    def limit_at(self, index: int) -> float:
        """The tolerance, or more where the region was known before."""
        return float(self._limit[index])

    @property
    def adjacent(self) -> list[tuple[int, int]]:
        """Pairs of surface regions that share an edge, by their places in the list."""
        from .adjacency import pairs_along_edges

        return pairs_along_edges(self, [()] * len(self))

    def by_surface(self) -> list[SurfaceRegion]:
        """Regions grouped by the CAD surfaces on which they lie, the largest first: a shaft in its bore is one."""
        from .surface_regions import group_by_surface

        return group_by_surface(self, [()] * len(self))

    @overload
    def __getitem__(self, i: int) -> Region: ...

    @overload
    def __getitem__(self, i: slice) -> list[Region]: ...

    def __getitem__(self, i: Any) -> Any:
        places = range(len(self.dim))[i]
        return [Region(self, k) for k in places] if isinstance(i, slice) else Region(self, places)

    def __iter__(self) -> Iterator[Region]:
        return (Region(self, i) for i in range(len(self.dim)))


def feature_of_part(shape: Any, kind: int, id: int) -> Feature:
    """A feature by its number in kernels; shapes that are no polyhedra have one face."""
    if not shape.polyhedral:
        return Feature("face", 0)
    return Feature(KINDS[kind], id, face_names(shape)[id] if KINDS[kind] == "face" else "")


def _own(found: Found, n: int, k: int) -> Found:
    """A copy of n regions with k points."""
    lengths = (len(found.counts), n, n, n, n, n, n + 1, k, k, k, k, n, n)
    tables: tuple[Any, ...] = tuple(found)
    return Found(*(table[:length].copy() for table, length in zip(tables, lengths, strict=True)))


def contact_regions(
    a: Any,
    b: Any,
    X_a: Any = None,
    X_b: Any = None,
    tolerance: float = 1e-6,
    previous: Regions | None = None,
) -> Regions:
    """Every maximal set of points where two shapes touch at the poses `X_a` and `X_b`: points, lines and surfaces.

    Features that are no farther apart than `tolerance` [m] touch, and so do those that overlap by no more. With
    `previous`, what the last search of the same pair found, labels and normals last as long as regions do: a region
    lasts until its features are two tolerances apart. Shapes that overlap by more than the tolerance are refused.
    """
    shapes = shape_of("a", a), shape_of("b", b)
    poses = as_pose("X_a", X_a), as_pose("X_b", X_b)
    tolerance = number("tolerance", tolerance, above=0.0)
    if previous is not None and not previous.is_of(a, b):
        raise InputError("previous: expected what contact_regions found for the same two parts, got that of others")
    for shape in shapes:
        _check_shape(shape, tolerance)
    if not (a.bounded or b.bounded):
        raise InputError("contact_regions: two half-spaces have no end; one of the shapes must have a size")
    memory = _NO_MEMORY if previous is None else previous._memory
    settings = (tolerance, float(a.margin), float(b.margin), True)
    room = room_for(stack_depth(a) + stack_depth(b))
    room.found.counts[NEXT_LABEL] = 0 if previous is None else previous.next_point_label
    parts = (tuple(region_part(a)), tuple(region_part(b)))
    rows = np.stack((poses[0].kernel_row, poses[1].kernel_row))
    full, suspect = find_regions(*parts, rows, settings, memory, room.packet.words)
    while full:
        room = more_room()
        room.found.counts[NEXT_LABEL] = 0 if previous is None else previous.next_point_label
        full, suspect = find_regions(*parts, rows, settings, memory, room.packet.words)
    regions = Regions(shapes, poses, tolerance, room.found)
    from .refuse import refuse_overlap

    refuse_overlap(shapes, poses, tolerance, bool(suspect), len(regions) > 0)
    regions._give_labels(previous)
    return regions


def _check_shape(shape: Any, tolerance: float) -> None:
    if not shape.closed:
        raise InputError(
            f"contact_regions: the surface of {shape.label} is not closed, so nothing tells on which side of it the "
            "material is; problems() says where it is open, and loading with repair=True heals what can be healed"
        )
    if shape.bounded and tolerance >= (thin := _thickness(shape)):
        raise InputError(
            f"tolerance: {length_text(tolerance)} is no less than {length_text(thin)}, the smallest size of "
            f"{_called(shape)}; features that touch must be much closer than that"
        )


def _called(shape: Any) -> str:
    return str(shape.label) if shape.polyhedral else f"a {shape.kind}"


def _thickness(shape: Any) -> float:
    found: float | None = shape.__dict__.get("_thickness")
    if found is None:
        low, high = shape.bounds
        found = shape.__dict__["_thickness"] = float((high - low).min())
    return found
