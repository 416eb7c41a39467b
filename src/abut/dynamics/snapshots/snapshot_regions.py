"""Contact regions in a snapshot: what was found of them last, so that labels, normals and events go on from there.

The section is there if regions were asked for. What happened to regions in the step before the snapshot is not kept.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...query.regions.region_part import region_part
from ...query.regions.region_tables import NEXT_LABEL, POINTS, REGIONS
from ..moment import Moment
from .archive import END_32, END_64, MOST_32, Section

if TYPE_CHECKING:
    from ..regions.packed import MomentRoom
    from ..world import World

_FOUND = {"number": 9, "normal_b": 3}
_POINT = {"point": 6, "place": 3}
_READING = {"wrench": 12, "pressure": 8, "friction": 3, "slip": 3}
"""Tables of floats and how many columns they have, by region, by point and by region."""


def write_regions(world: World) -> list[Section]:
    """The section, or none."""
    watch = world._region_watch
    if watch is None or watch.latest is None:
        return []
    latest, tables, measured = watch.latest, watch.latest.shown.tables, watch._measured
    n, m = len(latest), int(tables.pairs.counts[0])
    arrays = {**_found_arrays("", tables.found), **_pair_arrays("", tables.pairs, m)}
    reading = tables.reading
    arrays |= {name: getattr(reading, name)[:n] for name in (*_READING, "owner", "made", "sliding")}
    arrays |= {"label": _halves(reading.label[:n]), "region": reading.region[: latest.shown.n_contact]}
    if measured is not None:
        arrays |= _found_arrays("measured_", measured[1].found)
        arrays |= _pair_arrays("measured_", measured[0].pairs, int(measured[0].pairs.counts[0]))
    data = {
        "next_label": int(reading.counts[0]),
        "next_point_label": watch.next_point_label,
        "current": latest.moment is world._now,
        "measured": measured is not None,
        "latest_measured": measured is not None and measured[0] is tables,
    }
    return [
        Section("regions", data, {name: np.ascontiguousarray(array) for name, array in arrays.items()}, needed=False)
    ]


def _found_arrays(prefix: str, found: Any) -> dict[str, NDArray[Any]]:
    n, k = int(found.counts[REGIONS]), int(found.counts[POINTS])
    arrays = {name: getattr(found, name)[:n] for name in (*_FOUND, "name", "dim", "group", "witness")}
    arrays |= {name: getattr(found, name)[:k] for name in _POINT}
    arrays |= {"start": found.start[: n + 1], "key": _halves(found.key[:n])}
    arrays |= {"code": _halves(found.code[:k]), "point_label": _halves(found.label[:k])}
    return {prefix + name: array for name, array in arrays.items()}


def _pair_arrays(prefix: str, pairs: Any, m: int) -> dict[str, NDArray[Any]]:
    return {
        prefix + "pair_body": pairs.body[:m],
        prefix + "pair_pose": pairs.pose[:m],
        prefix + "pair_start": pairs.start[: m + 1],
    }


def _halves(longs: NDArray[Any]) -> NDArray[Any]:
    """(n, 2) the same bits as integers of half the length."""
    return np.ascontiguousarray(longs, "<i8").view("<i4").reshape(-1, 2)


def _longs(section: Section, name: str, n: int | None) -> NDArray[Any]:
    halves = section.integers(name, n, 2, least=-END_32, below=END_32)
    return np.ascontiguousarray(halves, "<i4").view("<i8").ravel().astype(np.int64)


def read_regions(section: Section, world: World) -> None:
    """Let a world go on from the regions of a section."""
    from ..regions.packed import FoundRoom, MomentRoom
    from ..regions.region_watch import Known, RegionWatch
    from ..regions.world_regions import Shown, WorldRegions

    now, watch = world._now, RegionWatch()
    n_contact = len(section.integers("region", None, least=0, below=MOST_32))
    n, m = len(section.integers("dim", None, least=0, below=3)), _count_pairs(section, "")
    tables = MomentRoom(_room(section, "", n), _power(max(n_contact, m)))
    _read_found(section, "", tables.found, now)
    _read_pairs(section, "", tables, now)
    _read_reading(section, tables, n, n_contact, now)
    watch._known = known = Known.of(world, now)
    watch._now = tables
    watch.make_room(known)
    watch.next_point_label = section.whole("next_point_label", least=0, below=END_64)
    then = now if section.flag("current") else now._replace(state=copy(now.state))
    watch.latest = latest = WorldRegions(Shown(world, watch, known, tables, n, n_contact), then, None)
    latest._events = []
    if section.flag("measured"):
        same = section.flag("latest_measured")
        k = len(section.integers("measured_dim", None, least=0, below=3))
        full = FoundRoom(_room(section, "measured_", k))
        _read_found(section, "measured_", full.found, now)
        full.found.counts[NEXT_LABEL] = watch.next_point_label
        other = tables if same else MomentRoom(full.room, _power(_count_pairs(section, "measured_")))
        if same and k != n:
            section.refuse("measured_dim is not as long as dim")
        if not same:
            _read_pairs(section, "measured_", other, now, k)
        watch._measured = other, full, latest.shown
        if same:
            latest.shown.measured = full.found
    world._region_watch = watch


def _room(section: Section, prefix: str, n: int) -> int:
    """For so many regions, and four times as many points."""
    points = len(section.floats(prefix + "place", None, 3))
    return _power(max(n, (points + 3) // 4, 256))


def _power(n: int) -> int:
    return 1 << max(8, (n - 1).bit_length())


def _count_pairs(section: Section, prefix: str) -> int:
    return len(section.integers(prefix + "pair_body", None, 2, least=0, below=MOST_32))


def _read_found(section: Section, prefix: str, found: Any, now: Moment) -> None:
    dim = section.integers(prefix + "dim", None, least=0, below=3)
    n = len(dim)
    start = section.integers(prefix + "start", n + 1, least=0, below=MOST_32)
    k = int(start[-1])
    if start[0] != 0 or (np.diff(start) < 0).any():
        section.refuse(f"{prefix}start does not rise from 0")
    count, kinds = np.diff(start), section.integers(prefix + "name", n, 4, least=0, below=MOST_32)[:, ::2]
    along_face = (dim == 1) & (kinds.min(axis=1) == 1) & (kinds.max(axis=1) == 2)
    unmeasured = along_face & (count == 0) & (prefix == "")
    if (count != 1 + dim)[(dim < 2) & ~unmeasured].any():
        section.refuse(f"{prefix}start counts points of lines and points that these do not have")
    for name, width in _FOUND.items():
        getattr(found, name)[:n] = section.floats(prefix + name, n, width)
    for name, width in _POINT.items():
        getattr(found, name)[:k] = section.floats(prefix + name, k, width)
    found.dim[:n], found.start[: n + 1] = dim, start
    found.name[:n] = section.integers(prefix + "name", n, 4, least=0, below=MOST_32)
    found.group[:n] = section.integers(prefix + "group", n, least=0, below=2)
    found.witness[:n] = section.integers(prefix + "witness", n, 2, least=-1, below=MOST_32)
    found.key[:n] = _longs(section, prefix + "key", n)
    found.code[:k], found.label[:k] = _longs(section, prefix + "code", k), _longs(section, prefix + "point_label", k)
    found.counts[REGIONS], found.counts[POINTS] = n, k


def _read_pairs(section: Section, prefix: str, tables: MomentRoom, now: Moment, n: int | None = None) -> None:
    """Pairs, the hash table that finds them, and whether all they name is there."""
    from ..regions.pair_kernels import note_pair

    pairs, bodies = tables.pairs, len(now.setup.specs)
    m = _count_pairs(section, prefix)
    body = section.integers(prefix + "pair_body", m, 2, least=0, below=max(1, bodies))
    start = section.integers(prefix + "pair_start", m + 1, least=0, below=MOST_32)
    n = int(tables.found.counts[REGIONS]) if n is None else n
    if start[0] != 0 or start[-1] != n or (np.diff(start) < 0).any() or len(np.unique(body, axis=0)) != m:
        section.refuse(f"{prefix}pair_start or {prefix}pair_body does not divide the regions")
    pairs.body[:m], pairs.start[: m + 1] = body, start
    pairs.pose[:m] = section.floats(prefix + "pair_pose", m, 14)
    pairs.counts[0] = m
    for pair in range(m):
        note_pair(tuple(pairs), pair)
    found_names = section.integers(prefix + "name", n, 4, least=0, below=MOST_32)
    witness = section.integers(prefix + "witness", n, 2, least=-1, below=MOST_32)
    dim = section.integers(prefix + "dim", n, least=0, below=3)
    owner = np.repeat(body, np.diff(start), axis=0)
    for side in range(2):
        sizes = np.array([_sizes(now, int(b)) for b in owner[:, side]], np.int64).reshape(-1, 4)
        kind, number = found_names[:, 2 * side], found_names[:, 2 * side + 1]
        if (kind > 2).any() or (number >= sizes[np.arange(n), kind]).any() or (witness[:, side] >= sizes[:, 3]).any():
            section.refuse(f"{prefix}name tells of features that the parts do not have")
        if (kind[dim == 2] != 2).any():
            section.refuse(f"{prefix}name tells of surfaces that are none of two faces")


def _sizes(now: Moment, body: int) -> tuple[int, int, int, int]:
    """How many vertices, edges, faces and triangles a body's part has; a half-space and a core have one face."""
    part = region_part(now.setup.specs[body].shape)
    return len(part.point), len(part.edge_end), max(1, len(part.normal)), len(part.corners)


def _read_reading(section: Section, tables: MomentRoom, n: int, n_contact: int, now: Moment) -> None:
    reading = tables.reading
    for name, width in _READING.items():
        getattr(reading, name)[:n] = section.floats(name, n, width)
    reading.owner[:n] = section.integers("owner", n, 2, least=0, below=max(1, len(now.setup.specs)))
    reading.made[:n] = section.integers("made", n, least=0, below=2)
    reading.sliding[:n] = section.integers("sliding", n, least=0, below=2)
    reading.label[:n] = _longs(section, "label", n)
    reading.region[:n_contact] = section.integers("region", n_contact, least=0, below=max(1, n))
    reading.counts[0] = section.whole("next_label", least=0, below=END_64)
