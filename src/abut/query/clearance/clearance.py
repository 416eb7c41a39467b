"""How far apart, or how deep in each other, are all parts of an assembly?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats, number
from ...errors import InputError
from ...geometry import PlacedPart, Shape, Solid, is_polyhedron
from ...geometry.surfaces.surfaces import CYLINDER, OTHER, SPHERE
from ...geometry.units import length_text
from ...hooks import provider
from ..depth.depth import Depth, common_of, depth_of
from ..distance.distance import Distance, distance, distance_within
from ..distance.nearest import OnSurface, nearest_to_point
from ..features import Feature
from ..impact.touching import touch_of_shapes, touch_of_triangles
from ..intersection.intersect import intersect
from ..intersection.overlap import in_one_place, pair_depth
from .mates import find_mates
from .parts import as_parts, near_pairs, world_boxes

FREE, TOUCHING, OVERLAPPING = STATES = ("free", "touching", "overlapping")
"""What a pair of parts can be."""
WITHIN = 1e-3
"""[m] default of `within`."""
_ROUNDING = 1e-14
"""Of the coordinates' size: depths in spheres, capsules and half-spaces that are less are rounding."""
TOUCH_TOLERANCE = 1e-7
"""[m] default of `tolerance`."""


@dataclass(frozen=True, eq=False)
class PairClearance:
    """Two parts that are near each other, touch or overlap."""

    a: str
    """Name of the first part."""
    b: str
    """Name of the second part."""
    state: str
    """"free"; "touching": nearer than the chord errors of both and the tolerance together, or overlapping by no more
    than these; "overlapping": deeper."""
    distance: float
    """[m] of the polyhedra; 0 where they meet."""
    lower: float
    """[m] lower bound of the distance of the true shapes, by what the triangles are known to deviate from them."""
    upper: float
    """[m] upper bound of the same."""
    depth: float | None
    """[m] how far surface points of one polyhedron lie under the surface of the other, 0 where they do not meet; None
    where neither surface is closed."""
    depth_lower: float | None
    """[m] proven lower bound of the depth; `depth` is that."""
    depth_upper: float | None
    """[m] proven upper bound of the depth."""
    nominal_gap: float | None
    """[m] signed gap of the true surfaces where two planes or cylinders mate, the smallest; None where none do."""
    volume: float | None
    """[m^3] of what the polyhedra have in common; None where a surface is not closed, or in a shape without faces."""
    point_a: Floats
    """(3,) [m] in the world: closest to B, or, where they overlap, at the place where they do so most."""
    point_b: Floats
    """(3,) [m] in the world: closest to A, or likewise."""
    feature_a: Feature
    """Vertex, edge or face of A on which its point lies."""
    feature_b: Feature
    """Vertex, edge or face of B on which its point lies."""
    normal: Floats
    """(3,) unit vector from A to B: along it B would have to be moved."""
    surface_a: str = ""
    """The true surface on which A's point lies, by the name the file gives it or in words; "" where none is known."""
    surface_b: str = ""
    """The same of B."""
    note: str = ""
    """A sentence where there is something to say of this pair."""

    def __str__(self) -> str:
        if self.state == FREE:
            how = f"{length_text(self.distance, 4)} apart"
        elif self.state == TOUCHING:
            how = TOUCHING
        else:
            how = "overlap" if not self.depth else f"{length_text(self.depth, 4)} deep"
        return f"'{self.a}' and '{self.b}': {how}"


@dataclass(frozen=True, eq=False)
class ClearanceReport:
    """Every pair of an assembly."""

    pairs: tuple[PairClearance, ...]
    """Those within reach, the worst first: deepest overlap, then what touches, then the nearest."""
    parts: tuple[str, ...]
    """Names of all parts."""
    farther: int
    """Number of pairs that are farther apart than `within`."""
    within: float
    """[m]."""
    tolerance: float
    """[m]."""
    notes: tuple[str, ...] = field(default=())
    """Sentences about parts of which not everything can be told."""
    placed: tuple[PlacedPart, ...] = field(default=(), repr=False)
    """The parts, where they are."""

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """What a notebook shows."""
        shown: dict[str, Any] = provider("show_clearance")(self)
        return shown

    def having(self, state: str) -> tuple[PairClearance, ...]:
        """The pairs in a state."""
        if state not in STATES:
            raise InputError(f"state: expected one of {', '.join(STATES)}, got {state!r}")
        return tuple(pair for pair in self.pairs if pair.state == state)

    @property
    def interferences(self) -> tuple[PairClearance, ...]:
        """The pairs that overlap."""
        return self.having(OVERLAPPING)

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs are in each state; those beyond reach are free."""
        found = Counter(pair.state for pair in self.pairs)
        return {state: found[state] + (self.farther if state == FREE else 0) for state in STATES}

    def pair(self, a: str, b: str) -> PairClearance | None:
        """The pair of two parts by name, in either order; None where they are farther apart than `within`."""
        for name in (a, b):
            if name not in self.parts:
                raise InputError(f"part: none is called {name!r}; there are {', '.join(self.parts[:12])}")
        return next((pair for pair in self.pairs if {pair.a, pair.b} == {a, b}), None)

    def __iter__(self) -> Iterator[PairClearance]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        counts = self.counts
        return f"ClearanceReport({len(self.parts)} parts: {', '.join(f'{counts[s]} pairs {s}' for s in STATES)})"


def clearance(parts: Any, *, within: float = WITHIN, tolerance: float = TOUCH_TOLERANCE) -> ClearanceReport:
    """State, distance or depth, and witnesses of every pair of parts no farther apart than `within` [m].

    `parts` are those of `load_assembly`, solids as drawn, tuples (name, solid, pose) or a mapping of names; spheres,
    capsules and half-spaces may stand in the place of solids. What comes nearer than `tolerance` [m] and the chord
    errors of both parts together counts as touching, and so does what overlaps by no more. Farther pairs are counted;
    nothing is left out.
    """
    placed = as_parts("parts", parts, any_shape=True)
    reach, fine = number("within", within, least=0.0), number("tolerance", tolerance, least=0.0)
    boxes = world_boxes(placed)
    found = [_measure(placed[i], placed[j], reach, fine) for i, j in near_pairs(*boxes, reach)]
    near = sorted((pair for pair in found if pair is not None), key=_badness)
    n = len(placed)
    farther = n * (n - 1) // 2 - len(near)
    return ClearanceReport(
        tuple(near), tuple(p.name for p in placed), farther, reach, fine, _notes(placed, near), tuple(placed)
    )


def _badness(pair: PairClearance) -> tuple[Any, ...]:
    order = {OVERLAPPING: 0, TOUCHING: 1, FREE: 2}
    return order[pair.state], -(pair.depth or 0.0), pair.distance, pair.a, pair.b


def _notes(parts: list[PlacedPart], pairs: list[PairClearance]) -> tuple[str, ...]:
    notes = []
    if len(parts) == 1:
        notes.append(f"'{parts[0].name}' is the only part: there are no pairs")
    for part in parts:
        if _is_solid(part) and not part.solid.closed:
            notes.append(
                f"'{part.name}' is not closed: it has no inside, so that what lies in it counts as apart; "
                "problems() says where it is open, and loading with repair=True heals what can be healed"
            )
    return (*notes, *(pair.note for pair in pairs if pair.note))


def _is_solid(part: PlacedPart) -> bool:
    """Whether a part is a polyhedron."""
    return part.solid.polyhedral


def _measure(a: PlacedPart, b: PlacedPart, reach: float, tolerance: float) -> PairClearance | None:
    if not (_is_solid(a) and _is_solid(b)):
        return _analytic(a, b, reach, tolerance)
    found = distance_within(a.solid, b.solid, a.pose, b.pose, reach)
    if found is None or found.distance > reach:
        return None
    allowed = tolerance + _chord_error(a.solid) + _chord_error(b.solid)
    return _apart(a, b, found, allowed, reach) if found.upper > 0.0 else _meeting(a, b, found, allowed, reach)


def _analytic(a: PlacedPart, b: PlacedPart, reach: float, tolerance: float) -> PairClearance | None:
    """A pair with a shape that is no polyhedron and stands for itself: only the other may have a chord error."""
    found = distance(a.solid, b.solid, a.pose, b.pose)
    if found.distance > reach:
        return None
    allowed = tolerance + _chord_error(a.solid) + _chord_error(b.solid)
    depth = depth_of(a.solid, b.solid, a.pose, b.pose).upper if found.upper == 0.0 else 0.0
    if depth <= _ROUNDING * float(np.abs((found.point_a, a.pose.position, b.pose.position)).max()):
        depth = 0.0
    touch = touch_of_shapes(a.solid, b.solid, a.pose, b.pose, indistinct=2.0 * depth)
    apart = FREE if found.distance > allowed else TOUCHING
    lower, upper = _true_bounds(a, b, found)
    return PairClearance(
        a.name,
        b.name,
        OVERLAPPING if depth > allowed else apart,
        found.distance,
        lower,
        upper,
        depth,
        depth,
        depth,
        None,
        0.0 if depth == 0.0 else None,
        found.point_a,
        found.point_b,
        found.feature_a,
        found.feature_b,
        touch.normal,
        _surface_near(a, found.point_a),
        _surface_near(b, found.point_b),
    )


def _surface_near(part: PlacedPart, point: Floats) -> str:
    """The surface at a point of a part, in words."""
    if _is_solid(part):
        return _surface_text(part.solid, nearest_to_point(part.solid, part.pose, point).triangle)
    return type(part.solid).__name__


def _chord_error(shape: Shape) -> float:
    """[m] how far the triangles of a part may be from the shape they stand for."""
    least, most = _deviation(shape)
    return max(-least, most)


def _deviation(shape: Shape) -> tuple[float, float]:
    """[m] how far the triangles lie at least (<= 0) and at most (>= 0) outside the shape they stand for."""
    return shape.surfaces.deviation if is_polyhedron(shape) else (0.0, 0.0)


def _true_bounds(a: PlacedPart, b: PlacedPart, found: Distance) -> tuple[float, float]:
    (least_a, most_a), (least_b, most_b) = _deviation(a.solid), _deviation(b.solid)
    return max(0.0, found.lower + least_a + least_b), found.upper + most_a + most_b


def _apart(a: PlacedPart, b: PlacedPart, found: Distance, allowed: float, reach: float) -> PairClearance:
    lower, upper = _true_bounds(a, b, found)
    touch = touch_of_triangles(a.solid, b.solid, a.pose, b.pose, *found.triangles)
    return PairClearance(
        a.name,
        b.name,
        FREE if found.distance > allowed else TOUCHING,
        found.distance,
        lower,
        upper,
        0.0,
        0.0,
        0.0,
        _nominal_gap(a, b, -allowed, max(reach, upper)),
        0.0,
        found.point_a,
        found.point_b,
        found.feature_a,
        found.feature_b,
        touch.normal,
        _surface_text(a.solid, found.triangles[0]),
        _surface_text(b.solid, found.triangles[1]),
    )


def _meeting(a: PlacedPart, b: PlacedPart, found: Distance, allowed: float, reach: float) -> PairClearance:
    depth, volume = common_of(a.solid, b.solid, a.pose, b.pose)
    same_place = depth.nothing and in_one_place(a.solid, b.solid, a.pose, b.pose)
    state, note = _state_of(a, b, depth, same_place, allowed)
    known = not np.isnan(depth.lower)
    deep = 0.0 if depth.nothing or not known else depth.lower
    deep_upper = 0.0 if depth.nothing or not known else depth.upper
    witness = _deepest(a, b, depth) if deep > 0.0 else _common(a, b, found)
    lower, upper = _true_bounds(a, b, found)
    return PairClearance(
        a.name,
        b.name,
        state,
        0.0,
        lower,
        upper,
        deep if known else None,
        deep if known else None,
        deep_upper if known else None,
        _nominal_gap(a, b, -(deep + allowed), reach),
        volume if deep > 0.0 or same_place or not known else 0.0,
        witness.a.point,
        witness.b.point,
        witness.a.feature,
        witness.b.feature,
        witness.normal,
        _surface_text(a.solid, witness.a.triangle),
        _surface_text(b.solid, witness.b.triangle),
        note,
    )


def _state_of(a: PlacedPart, b: PlacedPart, depth: Depth, same_place: bool, allowed: float) -> tuple[str, str]:
    """State of parts that meet, and what there is to say about it."""
    if same_place:
        return OVERLAPPING, f"'{a.name}' and '{b.name}' stand at one place: is one of them there twice?"
    if np.isnan(depth.lower):
        pairs = intersect(a.solid, b.solid, a.pose, b.pose, every=True).pairs
        crossing = pair_depth(a.solid, b.solid, a.pose, b.pose, pairs) > allowed
        note = f"'{a.name}' and '{b.name}' meet, but neither is closed: how deep cannot be told"
        return OVERLAPPING if crossing else TOUCHING, note
    return OVERLAPPING if depth.lower > allowed else TOUCHING, ""


def _nominal_gap(a: PlacedPart, b: PlacedPart, least: float, most: float) -> float | None:
    mates = find_mates(a, b, least, most)
    return mates[0].gap if mates else None


class Witness(NamedTuple):
    """Where two parts meet."""

    a: OnSurface
    b: OnSurface
    normal: Floats
    """(3,) from A to B."""


def _common(a: PlacedPart, b: PlacedPart, found: Distance) -> Witness:
    """A point at which parts touch."""
    touch = touch_of_triangles(a.solid, b.solid, a.pose, b.pose, *found.triangles)
    triangle_a, triangle_b = found.triangles
    on_a = OnSurface(found.point_a, found.feature_a, triangle_a)
    on_b = OnSurface(found.point_b, found.feature_b, triangle_b)
    return Witness(on_a, on_b, touch.normal)


def _deepest(a: PlacedPart, b: PlacedPart, depth: Depth) -> Witness:
    """The deepest point of one surface and the nearest one of the other."""
    on_a, on_b = (nearest_to_point(part.solid, part.pose, depth.point) for part in (a, b))
    # The deepest point of A lies in B and comes out of it at that of B, or the other way round.
    way = on_a.point - on_b.point
    length = float(np.linalg.norm(way))
    normal = way / length if length > 0.0 else np.array((0.0, 0.0, 1.0))
    return Witness(on_a, on_b, normal)


def _surface_text(solid: Solid, triangle: int) -> str:
    """The surface of a triangle in words, with its name where the file has one: "hole Ø10 mm (F8)"."""
    row = int(solid.surfaces.ids[triangle])
    if row < 0:
        return ""
    surface = solid.surfaces[row]
    words = {CYLINDER: surface.sense, OTHER: "free form"}.get(surface.kind, surface.kind)
    if surface.kind in (CYLINDER, SPHERE):
        words += f" Ø{length_text(2.0 * surface.radius, 4)}"
    return f"{words} ({surface.name})" if surface.name else words
