"""The least insets that set the parts of an assembly free.

Surfaces that mate move into the material, all triangles of a surface and all instances of a part alike. How far is a
linear programme: for each pair of surfaces a and b that mate with a gap g of their triangles, x_a + x_b >= wanted - g,
and no inset exceeds the limit. First the largest inset is made as small as can be, then the sum of all.

What is still too near after that, without mates or beside them, is measured and becomes a further row, until nothing is
or the limit is reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...arrays import Floats, Ints, number
from ...errors import InputError
from ...geometry import PlacedPart, Solid
from ...geometry.making.inset import inset_solid, with_all_surfaces
from ...geometry.units import length_text
from ..depth.depth import depth_of
from ..distance.distance import distance_within
from ..intersection.intersect import intersect
from .mates import find_mates
from .parts import as_parts, near_pairs, world_boxes

LIMIT = 5e-5
"""[m] default of `limit`."""
ROOM_OF_PARTS = 4e-5
"""Default of `gap`, as a share of the smallest part's size: two contact gaps of a world of these parts."""
_ROUNDS = 12
"""How often what is still too near is measured."""
_SPARE = 1.02
"""By how much more than wanted surfaces are moved: facets of a round one move by a little less than its radius."""
_ITERATIONS = 50
"""How many of the linear programme for each of its rows and columns, at most; a handful are needed."""
_PIECES = 300
"""Effort for the depth of parts that are still in each other; see `depth_of`."""

Surface = tuple[int, int]
"""A part, among those that differ in shape, and one of its surfaces."""


@dataclass(frozen=True)
class Inset:
    """A surface that was moved."""

    part: str
    """Name of the part; instances of one shape are moved alike."""
    surface: int
    """Row in `part.solid.surfaces` of the loosened part."""
    kind: str
    """"plane", "cylinder" and so on."""
    distance: float
    """[m] into the material."""


@dataclass(frozen=True)
class Left:
    """Two parts that insets up to the limit do not set free."""

    a: str
    b: str
    depth: float
    """[m] in each other, as drawn; 0 where they only touch."""

    def __str__(self) -> str:
        how = f"{length_text(self.depth, 4)} deep" if self.depth > 0.0 else "touching"
        return f"'{self.a}' and '{self.b}' ({how})"


@dataclass(frozen=True, eq=False)
class Loosened:
    """An assembly set free."""

    parts: tuple[PlacedPart, ...]
    """The parts in the same order, at the same places, with surfaces moved into the material."""
    insets: tuple[Inset, ...]
    """What was moved, the longest way first."""
    left: tuple[Left, ...]
    """What still overlaps or touches: true interferences."""
    gap: float
    """[m] that all others are apart, at least."""
    limit: float
    """[m]."""
    volume_change: float
    """[m^3] of all parts together, not more than 0."""
    notes: tuple[str, ...] = field(default=())
    """Sentences about parts that could not be looked at, or about what there was nothing to do."""

    @property
    def largest(self) -> float:
        """[m] the longest way of any surface."""
        return max((inset.distance for inset in self.insets), default=0.0)

    def __iter__(self) -> Iterator[PlacedPart]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        moved = f"{len(self.insets)} surfaces moved by at most {length_text(self.largest)}"
        return f"Loosened({len(self.parts)} parts: {moved}, {len(self.left)} pairs left)"


def loosen(parts: Any, limit: float = LIMIT, gap: float | None = None) -> Loosened:
    """The same parts with the least insets that leave `gap` [m] between all of them, none longer than `limit` [m].

    `parts` are as for `clearance`. The default gap is twice the contact gap of a world of these parts: 4e-5 of the size
    of the smallest. Pairs that cannot be freed are left as drawn and listed.
    """
    placed = as_parts("parts", parts)
    most = number("limit", limit, above=0.0)
    smallest = min(float(np.linalg.norm(part.solid.extents)) for part in placed)
    wanted = number("gap", ROOM_OF_PARTS * smallest if gap is None else gap, above=0.0)
    if most < 0.5 * wanted:
        raise InputError(
            f"limit: expected at least {length_text(0.5 * wanted)}, half of the gap of {length_text(wanted)} that is "
            f"to be left between parts, got {length_text(most)}; give a larger limit or a smaller gap="
        )
    return _Loosening(placed, most, wanted).run()


class _Loosening:
    """One run: what is known of the parts and of what has to give way."""

    def __init__(self, placed: list[PlacedPart], limit: float, gap: float) -> None:
        self.placed, self.limit, self.gap = placed, limit, gap
        shapes = {id(part.solid): part.solid for part in placed}
        order = {key: k for k, key in enumerate(shapes)}
        self.shapes = [with_all_surfaces(solid) for solid in shapes.values()]
        """Parts that differ in shape."""
        self.kind = [order[id(part.solid)] for part in placed]
        """Which of these each part is."""
        self.built = list(self.shapes)
        self.rows: dict[tuple[int, int], list[tuple[Surface, Surface, float]]] = {}
        """For each pair of parts: two surfaces, and how far they have to give way together [m]."""
        self.insets: dict[Surface, float] = {}
        self.left: dict[tuple[int, int], float] = {}
        """Pairs that cannot be freed, with their depth as drawn."""

    def run(self) -> Loosened:
        """Rows for mates, then for whatever is still too near."""
        pairs = near_pairs(*world_boxes(self.placed), self.gap)
        for pair in pairs:
            self._add_mates(pair)
        self._settle()
        for _ in range(_ROUNDS):
            near = [pair for pair in pairs if pair not in self.left and self._add_measured(pair)]
            if not near:
                break
            self._settle()
        else:
            for pair in near:
                self._give_up(pair)
            self._settle()
        return self._result()

    def _part(self, i: int) -> PlacedPart:
        """Part `i` as it is now."""
        part = self.placed[i]
        return PlacedPart(part.name, self.built[self.kind[i]], part.pose, part.colour)

    def _add_mates(self, pair: tuple[int, int]) -> None:
        a, b = (self._part(i) for i in pair)
        chords = a.solid.surfaces.chord_error + b.solid.surfaces.chord_error
        for mate in find_mates(a, b, -2.0 * self.limit, self.gap + chords):
            outside = a.solid.surfaces[mate.a].deviation[1] + b.solid.surfaces[mate.b].deviation[1]
            self._require(pair, mate.a, mate.b, self.gap - (mate.gap - outside))

    def _require(self, pair: tuple[int, int], surface_a: int, surface_b: int, way: float) -> None:
        """Two surfaces shall give way by `way` [m] together; a pair that asks for too much is left."""
        if way <= 0.0 or pair in self.left:
            return
        if _SPARE * way > 2.0 * self.limit:
            self._give_up(pair)
            return
        row = ((self.kind[pair[0]], surface_a), (self.kind[pair[1]], surface_b), min(_SPARE * way, 2.0 * self.limit))
        self.rows.setdefault(pair, []).append(row)

    def _give_up(self, pair: tuple[int, int]) -> None:
        """Leave a pair as it is: nothing has to give way for it."""
        a, b = (self.placed[i] for i in pair)
        found = depth_of(a.solid, b.solid, a.pose, b.pose)
        self.left[pair] = 0.0 if found.nothing or np.isnan(found.lower) else found.lower
        self.rows.pop(pair, None)

    def _add_measured(self, pair: tuple[int, int]) -> bool:
        """Rows for what is still nearer than the gap; whether there is anything."""
        a, b = (self._part(i) for i in pair)
        found = distance_within(a.solid, b.solid, a.pose, b.pose, self.gap)
        if found is None or found.distance >= self.gap:
            return False
        near = self._near_surfaces(a, b, found)
        depth = 0.0
        if found.distance == 0.0:
            into = depth_of(a.solid, b.solid, a.pose, b.pose, pieces=_PIECES)
            depth = 0.0 if into.nothing or np.isnan(into.lower) else into.lower
        for surface_a, surface_b in near:
            given = sum(
                self.insets.get(s, 0.0) for s in ((self.kind[pair[0]], surface_a), (self.kind[pair[1]], surface_b))
            )
            self._require(pair, surface_a, surface_b, given + self.gap - found.distance + depth)
        return True

    def _near_surfaces(self, a: PlacedPart, b: PlacedPart, found: Any) -> set[tuple[int, int]]:
        """The surfaces that meet, or those of the nearest points."""
        triangles = np.array([found.triangles])
        if found.distance == 0.0:
            meeting = intersect(a.solid, b.solid, a.pose, b.pose, every=True).pairs
            triangles = meeting if len(meeting) else triangles
        of_a, of_b = a.solid.surfaces.ids[triangles[:, 0]], b.solid.surfaces.ids[triangles[:, 1]]
        return set(zip(of_a.tolist(), of_b.tolist(), strict=True))

    def _settle(self) -> None:
        """The least insets for all rows, and the parts that follow from them."""
        rows = [row for rows in self.rows.values() for row in rows]
        self.insets = least_insets(rows, self.limit)
        for k, solid in enumerate(self.shapes):
            own = {surface: way for (part, surface), way in self.insets.items() if part == k and way > 0.0}
            self.built[k] = inset_solid(solid, own) if own else solid

    def _result(self) -> Loosened:
        names: dict[int, str] = {}
        for i, part in enumerate(self.placed):
            names.setdefault(self.kind[i], part.name)
        moved = [
            Inset(names[k], row, self.built[k].surfaces[row].kind, way)
            for (k, row), way in self.insets.items()
            if way > 0.0
        ]
        moved.sort(key=lambda inset: (-inset.distance, inset.part, inset.surface))
        left = [Left(self.placed[i].name, self.placed[j].name, depth) for (i, j), depth in self.left.items()]
        left.sort(key=lambda one: -one.depth)
        return Loosened(
            tuple(self._part(i) if self._changed(i) else self.placed[i] for i in range(len(self.placed))),
            tuple(moved),
            tuple(left),
            self.gap,
            self.limit,
            self._volume_change(),
            self._notes(),
        )

    def _changed(self, i: int) -> bool:
        return self.built[self.kind[i]] is not self.shapes[self.kind[i]]

    def _volume_change(self) -> float:
        change = 0.0
        for i, part in enumerate(self.placed):
            if self._changed(i) and part.solid.closed:
                change += self.built[self.kind[i]].volume - part.solid.volume
        return change

    def _notes(self) -> tuple[str, ...]:
        notes = []
        if len(self.placed) == 1:
            notes.append(f"'{self.placed[0].name}' is the only part: there is nothing to set free")
        for k, solid in enumerate(self.built):
            name = next(part.name for i, part in enumerate(self.placed) if self.kind[i] == k)
            if not solid.closed:
                notes.append(f"'{name}' is not closed: it has no inside, and parts in it count as free")
            elif solid is not self.shapes[k] and _is_worse(solid, self.shapes[k]):
                notes.append(f"'{name}' is no longer sound after it was loosened: it is thinner than its insets")
        return tuple(notes)


def _is_worse(new: Solid, old: Solid) -> bool:
    """Whether a part has errors that it did not have."""
    now, before = (sum(problem.severity == "error" for problem in solid.problems()) for solid in (new, old))
    return now > before


def least_insets(rows: list[tuple[Surface, Surface, float]], limit: float) -> dict[Surface, float]:
    """Insets with x_a + x_b >= way for all rows: the smallest largest one, then the smallest sum."""
    surfaces = sorted({surface for row in rows for surface in row[:2]})
    if not surfaces:
        return {}
    at = {surface: k for k, surface in enumerate(surfaces)}
    need: dict[tuple[int, int], float] = {}
    for a, b, way in rows:
        key = (min(at[a], at[b]), max(at[a], at[b]))
        need[key] = max(need.get(key, 0.0), way)
    ends, ways = np.array(list(need)), np.array(list(need.values()))
    # In units of the longest way: lengths of a micrometre are below a solver's tolerances.
    unit = float(ways.max())
    x = _two_stages(ends, ways / unit, len(surfaces), limit / unit)
    return {surface: float(unit * x[k]) for surface, k in at.items()}


def _two_stages(ends: Ints, ways: Floats, n: int, limit: float) -> Floats:
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix, hstack, identity, vstack

    m = np.arange(len(ways))
    sums = coo_matrix((np.ones(2 * len(m)), (np.repeat(m, 2), ends.ravel())), shape=(len(m), n)).tocsr()
    column = coo_matrix((len(m), 1))
    below = hstack((identity(n), coo_matrix(-np.ones((n, 1)))))
    rows = vstack((hstack((-sums, column)), below)).tocsr()
    bounds = [(0.0, limit)] * (n + 1)
    how = {"method": "highs", "options": {"maxiter": _ITERATIONS * (len(m) + n)}}
    first = linprog(np.append(np.zeros(n), 1.0), rows, np.append(-ways, np.zeros(n)), bounds=bounds, **how)
    if first.status != 0:
        return _halves(ends, ways, n)
    largest = float(first.x[-1]) * (1.0 + 1e-9)
    second = linprog(np.ones(n), -sums, -ways, bounds=[(0.0, min(largest, limit))] * n, **how)
    found = second.x if second.status == 0 else first.x[:-1]
    return np.asarray(np.clip(found, 0.0, limit))


def _halves(ends: Ints, ways: Floats, n: int) -> Floats:
    """Insets that hold and have the smallest largest one, if not the smallest sum: each takes half of every way."""
    found = np.zeros(n)
    np.maximum.at(found, ends.ravel(), np.repeat(0.5 * ways, 2))
    return found
