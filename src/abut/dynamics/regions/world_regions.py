"""Contact regions of a world as users read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast, overload
from weakref import ref

import numpy as np

from ...arrays import Floats, Ints
from ...math.pose import Pose
from ...query import Feature, Region, SurfaceRegion
from ...query.regions.region_kernels import AREA, CENTRE, GAP, LENGTH
from ...query.regions.region_tables import POINTS, Found, Longs
from ...query.regions.regions import RegionTables
from ...query.regions.scan_kernels import HYSTERESIS
from ..moment import Moment

if TYPE_CHECKING:
    from ..bodies.body import Body
    from ..world import World
    from .packed import MomentRoom
    from .region_watch import Known, RegionWatch


class RegionEvent(NamedTuple):
    """What became of a contact region."""

    kind: str
    """"born"; "changed": other points bound it; "died"; "slip" and "stick": it began or ceased to slide."""
    label: int
    """Of the region."""
    body_a: str
    body_b: str
    """Names of the bodies."""
    feature_a: Feature
    feature_b: Feature
    """What of each touches, or did."""


class WorldRegion(Region):
    """A contact region between two bodies, with what acted on it in the last step."""

    __slots__ = ()

    @property
    def _regions(self) -> WorldRegions:
        return cast("WorldRegions", self._all)

    @property
    def body_a(self) -> Body:
        """The body with the smaller number."""
        return self._regions.body(self.index, 0)

    @property
    def body_b(self) -> Body:
        """The other one, which the region pushes along its normal."""
        return self._regions.body(self.index, 1)

    @property
    def wrench(self) -> Floats:
        """(6,) force [N] on B and its moment [N m] about `centre`, means over the last step, friction included."""
        return np.asarray(self._regions.wrench[self.index])

    @property
    def wrench_a(self) -> Floats:
        """(6,) the same on A: the opposite, but that the moment counts arms from where A stood."""
        return np.asarray(self._regions.wrench_a[self.index])

    @property
    def force(self) -> float:
        """[N] with which contacts press, the sum over all of them."""
        return float(self._regions.force[self.index])

    @property
    def friction(self) -> Floats:
        """(3,) [N] friction on B."""
        return np.asarray(self._regions.friction[self.index])

    @property
    def centre_of_pressure(self) -> Floats:
        """(3,) [m] mean of the points of contact by their pressures; the centre where nothing presses."""
        return np.asarray(self._regions.centre_of_pressure[self.index])

    @property
    def slip(self) -> Floats:
        """(3,) [m/s] with which B moves along A, in the middle of its contacts."""
        return np.asarray(self._regions.slip[self.index])

    @property
    def sliding(self) -> bool:
        """Whether it slides, by more than 2 % of the contact gap a step; from then on, until it is half as much."""
        return bool(self._regions.sliding[self.index])

    def __repr__(self) -> str:
        names = " / ".join(body.name for body in (self.body_a, self.body_b))
        return f"{names}: {super().__repr__()[:-1]}, {self.force:.4g} N)"


class Shown:
    """Tables of a moment and what was found out later of them; all lists that show them share it."""

    __slots__ = ("__weakref__", "known", "measured", "n", "n_contact", "tables", "watch", "world", "wrenches")

    def __init__(
        self, world: World, watch: RegionWatch, known: Known, tables: MomentRoom, n: int, n_contact: int
    ) -> None:
        self.world, self.watch, self.known, self.tables, self.n, self.n_contact = (
            world,
            watch,
            known,
            tables,
            n,
            n_contact,
        )
        self.measured: Found | None = None
        self.wrenches: dict[str, Floats] | None = None
        """About centres."""
        tables.reader = ref(self)


class WorldRegions(RegionTables, Sequence[WorldRegion]):
    """All contact regions of a world after a step, pair by pair; a table for each property.

    What touches, labels and forces are found at once. Areas, lengths, centres, points and moments about centres are
    found when they are first asked for.
    """

    def __init__(self, shown: Shown, moment: Moment, before: WorldRegions | None) -> None:
        self.shown, self.moment, self._before = shown, moment, before
        self._events: list[RegionEvent] | None = None

    @property
    def _n(self) -> int:
        return self.shown.n

    @property
    def _tables(self) -> MomentRoom:
        return self.shown.tables

    @property
    def label(self) -> Longs:  # type: ignore[override]
        """(n,)."""
        return self._tables.reading.label[: self._n]

    @property
    def tolerance(self) -> float:  # type: ignore[override]
        """[m] how far apart features that touch may be: two contact gaps."""
        return 2.0 * self.shown.known.contact_gap

    @property
    def dim(self) -> Ints:  # type: ignore[override]
        """(n,) 0, 1 or 2."""
        return self._tables.found.dim[: self._n]

    @property
    def normal(self) -> Floats:  # type: ignore[override]
        """(n, 3) from A to B."""
        return self._tables.found.number[: self._n, :3]

    @property
    def _name(self) -> Ints:  # type: ignore[override]
        return self._tables.found.name[: self._n]

    @property
    def bodies(self) -> Ints:
        """(n, 2) numbers of both bodies."""
        return self._tables.reading.owner[: self._n]

    @property
    def force(self) -> Floats:
        """(n,) [N]."""
        return self._tables.reading.pressure[: self._n, 0]

    @property
    def friction(self) -> Floats:
        """(n, 3) [N] on B."""
        return self._tables.reading.friction[: self._n]

    @property
    def slip(self) -> Floats:
        """(n, 3) [m/s] of B along A."""
        return self._tables.reading.slip[: self._n]

    @property
    def sliding(self) -> Ints:
        """(n,) 1 where it slides, else 0."""
        return self._tables.reading.sliding[: self._n]

    @property
    def region_of_contact(self) -> Ints:
        """(n_contact,) the region of each of `world.contacts`, by its place in this list."""
        return self._tables.reading.region[: self.shown.n_contact]

    @property
    def _found(self) -> Found:
        """The same regions with measures."""
        shown = self.shown
        if shown.measured is None:
            if self._before is not None:
                _ = self._before._found  # labels of points are given in the order of time
            shown.measured = shown.watch.measure(shown, self.moment).found
        return shown.measured

    @property
    def centre(self) -> Floats:  # type: ignore[override]
        """(n, 3) [m]."""
        return self._found.number[: self._n, CENTRE : CENTRE + 3]

    @property
    def area(self) -> Floats:  # type: ignore[override]
        """(n,) [m^2]."""
        return self._found.number[: self._n, AREA]

    @property
    def length(self) -> Floats:  # type: ignore[override]
        """(n,) [m]."""
        return self._found.number[: self._n, LENGTH]

    @property
    def gap(self) -> Floats:  # type: ignore[override]
        """(n,) [m]."""
        return self._found.number[: self._n, GAP]

    @property
    def start(self) -> Ints:  # type: ignore[override]
        """(n + 1,) where the hull points of each region begin."""
        return self._found.start[: self._n + 1]

    @property
    def points_a(self) -> Floats:  # type: ignore[override]
        """(n_point, 3) [m]."""
        return self._found.point[: self._found.counts[POINTS], :3]

    @property
    def points_b(self) -> Floats:  # type: ignore[override]
        """(n_point, 3) [m]."""
        return self._found.point[: self._found.counts[POINTS], 3:]

    @property
    def point_label(self) -> Longs:  # type: ignore[override]
        """(n_point,)."""
        return self._found.label[: self._found.counts[POINTS]]

    @property
    def wrench(self) -> Floats:
        """(n, 6) on B, about the centres: force [N], moment [N m]."""
        return self._about_centres("wrench", 0, 1)

    @property
    def wrench_a(self) -> Floats:
        """(n, 6) on A."""
        return self._about_centres("wrench_a", 6, 0)

    def _about_centres(self, name: str, first: int, side: int) -> Floats:
        """Wrenches about the centres of mass, moved to the regions' centres."""
        found = self.shown.wrenches
        if found is None:
            found = self.shown.wrenches = {}
        if name not in found:
            wrench = self._tables.reading.wrench[: self._n, first : first + 6].copy()
            arm = self.centre - self.moment.state.pose[self.bodies[:, side], :3]
            wrench[:, 3:] -= np.cross(arm, wrench[:, :3])
            found[name] = wrench
        return found[name]

    def __len__(self) -> int:
        return self.shown.n

    def still_at(self, moment: Moment) -> WorldRegions:
        """The same regions at a later moment, if nothing has changed since."""
        twin = WorldRegions(self.shown, moment, None)
        twin._events = []
        return twin

    def forget(self) -> None:
        """Let go of the regions before these, from which events are found."""
        self._before = None

    @property
    def time(self) -> float:
        """[s] of the world after the step."""
        return self.moment.time

    @property
    def centre_of_pressure(self) -> Floats:
        """(n, 3) [m], see `WorldRegion.centre_of_pressure`."""
        force, moment = self.force[:, None], self._tables.reading.pressure[: self._n, 1:4]
        if (force > 0.0).all():
            return np.asarray(moment / force)
        mean = np.divide(moment, force, out=np.zeros_like(moment), where=force > 0.0)
        return np.where(force > 0.0, mean, self.centre)

    def events(self) -> list[RegionEvent]:
        """What became of regions since they were asked for before; only of the latest."""
        if self._events is None:
            self._events, self._before = _compare(self._before, self), None
        return self._events

    def body(self, index: int, side: int) -> Body:
        """Body A (side 0) or B (side 1) of a region."""
        from ..bodies.body import Body

        return Body(self.shown.world, int(self.bodies[index, side]))

    def shape_at(self, index: int, side: int) -> Any:
        """The shape of body A (side 0) or B (side 1) of a region."""
        return self.moment.setup.specs[self.bodies[index, side]].shape

    def limit_at(self, _index: int) -> float:
        """Two tolerances: so long they last."""
        return HYSTERESIS * self.tolerance

    def pose_at(self, index: int, side: int) -> Pose:
        """Of the part of body A (side 0) or B (side 1), as it was when the regions were found."""
        body = int(self.bodies[index, side])
        row, centre = self.moment.state.pose[body], self.moment.setup.specs[body].centre
        X = Pose(row[:3], quat_wxyz=row[3:])
        return Pose(X.apply(-centre), quat_wxyz=row[3:])

    @property
    def adjacent(self) -> list[tuple[int, int]]:
        """Pairs of surface regions of the same two bodies that share an edge, by their places in the list."""
        from ...query.regions.adjacency import pairs_along_edges

        return pairs_along_edges(self, self._owners())

    def _owners(self) -> list[tuple[int, int]]:
        """Numbers of both bodies of each region."""
        return [(a, b) for a, b in self.bodies.tolist()]

    def by_surface(self) -> list[SurfaceRegion]:
        """Regions grouped by the bodies and the CAD surfaces on which they lie, with the wrench of each group."""
        from ...query.regions.surface_regions import group_by_surface

        groups = group_by_surface(self, self._owners())
        return [replace(group, wrench=self._sum(group)) for group in groups]

    def _sum(self, group: SurfaceRegion) -> Floats:
        """(6,) the wrench on B of several regions, about the centre of all of them."""
        rows = [region.index for region in group.regions]
        force = self.wrench[rows, :3]
        moment = self.wrench[rows, 3:] + np.cross(self.centre[rows] - group.centre, force)
        return np.concatenate((force.sum(axis=0), moment.sum(axis=0)))

    @overload
    def __getitem__(self, i: int) -> WorldRegion: ...

    @overload
    def __getitem__(self, i: slice) -> list[WorldRegion]: ...

    def __getitem__(self, i: Any) -> Any:
        places = range(self._n)[i]
        return [WorldRegion(self, k) for k in places] if isinstance(i, slice) else WorldRegion(self, places)

    def __iter__(self) -> Iterator[WorldRegion]:
        return (WorldRegion(self, i) for i in range(self._n))


class _Outlook(NamedTuple):
    """What events are found from, as lists, which are quicker to walk through than tables."""

    label: list[int]
    dim: list[int]
    sliding: list[int]
    points: list[frozenset[int]]
    """Labels of the points of each region."""

    @classmethod
    def of(cls, regions: WorldRegions) -> _Outlook:
        labels, start = regions.point_label.tolist(), regions.start.tolist()
        points = [frozenset(labels[a:b]) for a, b in pairwise(start)]
        return cls(regions.label.tolist(), regions.dim.tolist(), regions.sliding.tolist(), points)


def _compare(old: WorldRegions | None, new: WorldRegions) -> list[RegionEvent]:
    """What happened between two moments, in the order of labels."""
    now, then = _Outlook.of(new), _Outlook([], [], [], []) if old is None else _Outlook.of(old)
    before = {label: i for i, label in enumerate(then.label)}
    after = {label: i for i, label in enumerate(now.label)}
    told = [(label, "died", old, i) for label, i in before.items() if label not in after]
    for label, i in after.items():
        k, slid = before.get(label), False
        if k is None:
            told.append((label, "born", new, i))
        else:
            if (now.dim[i], now.points[i]) != (then.dim[k], then.points[k]):
                told.append((label, "changed", new, i))
            slid = bool(then.sliding[k])
        if slid != bool(now.sliding[i]):
            told.append((label, "stick" if slid else "slip", new, i))
    return [_event(kind, label, regions, i) for label, kind, regions, i in sorted(told, key=lambda one: one[:1])]


def _event(kind: str, label: int, regions: Any, i: int) -> RegionEvent:
    specs = regions.moment.setup.specs
    a, b = (specs[body].name for body in regions.bodies[i])
    return RegionEvent(kind, label, a, b, regions.feature(i, 0), regions.feature(i, 1))
