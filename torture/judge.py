"""No two bodies may have a point in common: every pair of triangles, and every alarm decided in exact arithmetic.

Nothing here knows how a step works. Shapes are placed relative to the first body of a pair, so that far from the
origin nothing is lost; what is placed is float64, and is taken as it is from then on.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

import abut

from .exact import encloses, integers, triangles_meet
from .exact_distance import point_triangle_distance2
from .judge_kernels import nearest2, suspects, winding
from .reading import Actor, Floats, Snapshot, rotation_of, turn_between

MOST_SUSPECTS = 4096
LONGEST_TURN = 2.5
"""[rad] up to which a motion can be told from where it began and ended."""


class Overlap(NamedTuple):
    """Two bodies that have a point in common."""

    a: int
    b: int
    how: str
    depth: float
    """[m] roughly, how far one is in the other."""


def overlaps(cast: list[Actor], now: Snapshot, pairs: Iterable[tuple[int, int]]) -> list[Overlap]:
    """Every pair that overlaps."""
    low, high = _boxes(cast, now)
    found = []
    for a, b in pairs:
        if (low[a] <= high[b]).all() and (low[b] <= high[a]).all():
            overlap = _pair_overlap(cast, now, a, b)
            if overlap is not None:
                found.append(overlap)
    return found


def near_pairs(cast: list[Actor], now: Snapshot, pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs whose boxes meet."""
    low, high = _boxes(cast, now)
    return [(a, b) for a, b in pairs if (low[a] <= high[b]).all() and (low[b] <= high[a]).all()]


def turns_between(start: Snapshot, end: Snapshot) -> Floats:
    """(n, 3) rotation vectors."""
    return np.array([turn_between(R_0, R_1) for R_0, R_1 in zip(start.rotation, end.rotation, strict=True)])


def at_share(start: Snapshot, end: Snapshot, turns: Floats, t: float) -> Snapshot:
    """Where bodies are at a share of a motion that goes straight and turns evenly."""
    position = start.position + t * (end.position - start.position)
    rotation = np.array([rotation_of(t * r) @ R for r, R in zip(turns, start.rotation, strict=True)])
    return Snapshot(start.time, position, rotation, end.velocity, end.spin, end.frozen)


def _boxes(cast: list[Actor], now: Snapshot) -> tuple[Floats, Floats]:
    """(n, 3) ends of boxes about the first body that has one, with room for rounding."""
    middle, half = np.array([actor.middle for actor in cast]), np.array([actor.half for actor in cast])
    finite = np.isfinite(half[:, 0])
    origin = now.position[int(finite.argmax())]
    centre = now.position - origin + np.einsum("nij,nj->ni", now.rotation, middle)
    reach = np.full(half.shape, np.inf)
    reach[finite] = np.einsum("nij,nj->ni", np.abs(now.rotation[finite]), half[finite])
    reach += 1e-12 * (reach + np.abs(centre).max(axis=1)[:, None])
    return centre - reach, centre + reach


def _pair_overlap(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    rank = {abut.HalfSpace: 0, abut.Solid: 1, abut.Sphere: 2}
    if rank[type(cast[a].shape)] > rank[type(cast[b].shape)]:
        a, b = b, a
    first = cast[a].shape
    if isinstance(first, abut.HalfSpace):
        return _with_half_space(cast, now, a, b)
    if isinstance(first, abut.Sphere):
        return _of_balls(cast, now, a, b)
    if isinstance(cast[b].shape, abut.Sphere):
        return _with_ball(cast, now, a, b)
    return _of_solids(cast, now, a, b)


def placed(actor: Actor, rotation: Floats, position: Floats) -> Floats:
    """(n, 9) triangles in the world, from an origin near by."""
    return np.ascontiguousarray((actor.corners @ rotation.T + position).reshape(-1, 9))


def _of_solids(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    p = placed(cast[a], now.rotation[a], np.zeros(3))
    q = placed(cast[b], now.rotation[b], now.position[b] - now.position[a])
    return solids_overlap(a, b, p, q, cast[a].shape.closed, cast[b].shape.closed)


def solids_overlap(a: int, b: int, p: Floats, q: Floats, p_closed: bool, q_closed: bool) -> Overlap | None:
    """Overlap of two placed surfaces, each with an inside if it is closed."""
    for i, j in suspects(p, q, MOST_SUSPECTS):
        corners = integers(*p[i].reshape(3, 3), *q[j].reshape(3, 3))
        if triangles_meet(tuple(corners[:3]), tuple(corners[3:])):
            return Overlap(a, b, f"triangles {i} and {j} meet", _depth(p, q))
    if q_closed and _inside(p[0, :3], q):
        return Overlap(a, b, "the first lies inside the second", _extent(p))
    if p_closed and _inside(q[0, :3], p):
        return Overlap(a, b, "the second lies inside the first", _extent(q))
    return None


def _inside(point: Floats, corners: Floats) -> bool:
    if abs(winding(point, corners)) < 0.25:
        return False
    whole = integers(point, *corners.reshape(-1, 3))
    rest = iter(whole[1:])
    return encloses(list(zip(rest, rest, rest, strict=True)), whole[0])


def _extent(corners: Floats) -> float:
    points = corners.reshape(-1, 3)
    return float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))


def _depth(p: Floats, q: Floats) -> float:
    """The deepest corner of either in the other; edges that cross may be deeper."""
    depth = 0.0
    for points, surface in ((p, q), (q, p)):
        unique = np.unique(points.reshape(-1, 3), axis=0)
        near = unique[((unique >= surface.reshape(-1, 3).min(0)) & (unique <= surface.reshape(-1, 3).max(0))).all(1)]
        inside = [x for x in near[:500] if winding(x, surface) > 0.5]
        depth = max([depth, *(float(np.sqrt(nearest2(x, surface)[0])) for x in inside)])
    return depth


def _with_half_space(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    plane, other = cast[a].shape, cast[b]
    normal = now.rotation[a] @ plane.normal
    if isinstance(other.shape, abut.HalfSpace):
        return None
    offset = now.position[b] - now.position[a]
    radius = other.shape.radius if isinstance(other.shape, abut.Sphere) else 0.0
    if radius:
        points = (offset + now.rotation[b] @ -other.centre)[None]
    else:
        points = other.corners.reshape(-1, 3) @ now.rotation[b].T + offset
    heights = points @ normal - radius - plane.offset
    lowest = int(heights.argmin())
    room = 1e-12 * (np.abs(points).max() + radius + abs(plane.offset))
    if heights[lowest] > room:
        return None
    exact = sum(Fraction(float(x)) * Fraction(float(n)) for x, n in zip(points[lowest], normal, strict=True))
    height = exact - Fraction(float(radius)) - Fraction(float(plane.offset))
    return Overlap(a, b, "a point is not above the plane", float(-height)) if height <= 0 else None


def _of_balls(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    offset = now.position[b] - now.position[a]
    reach = Fraction(cast[a].shape.radius) + Fraction(cast[b].shape.radius)
    if sum(Fraction(float(x)) ** 2 for x in offset) > reach**2:
        return None
    return Overlap(a, b, "two balls meet", float(reach) - float(np.linalg.norm(offset)))


def _with_ball(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    p = placed(cast[a], now.rotation[a], np.zeros(3))
    centre = now.position[b] - now.position[a]
    radius = float(cast[b].shape.radius)
    distance2, i = nearest2(centre, p)
    if distance2 <= (radius * (1.0 + 1e-9)) ** 2 and _ball_meets(centre, radius, p[i]):
        return Overlap(a, b, f"triangle {i} meets the ball", radius - float(np.sqrt(distance2)))
    if cast[a].shape.closed and _inside(centre, p):
        return Overlap(a, b, "the ball lies inside", radius)
    return None


def _ball_meets(centre: Floats, radius: float, triangle: Floats) -> bool:
    c, size, *corners = integers(centre, (radius, 0.0, 0.0), *triangle.reshape(3, 3))
    return point_triangle_distance2(c, tuple(corners)) <= size[0] ** 2
