"""No two bodies may have a point in common: every pair of triangles, and every alarm decided in exact arithmetic.

Nothing here knows how a step works. Shapes are placed relative to the first body of a pair, so that far from the
origin nothing is lost; what is placed is float64, and is taken as it is from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .exact import encloses, integers, triangles_meet
from .exact_distance import SIDES, point_triangle_distance2, segment_distance2
from .judge_kernels import bounds, nearest2, nearest_to_segment2, suspects, winding
from .place_kernels import beside, lowest_point, near_boxes, near_ways, placed, turned, turns
from .reading import Actor, Floats, Snapshot

Indices = NDArray[np.int64]
Pairs = Sequence[tuple[int, int]] | Indices

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


class Cast:
    """The bodies of a world, and their boxes and reaches in arrays."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self.actors = list(actors)
        self.middle = np.array([actor.middle for actor in actors])
        self.half = np.array([actor.half for actor in actors])
        self.reach = np.array([actor.reach for actor in actors])


def overlaps(cast: Cast, now: Snapshot, pairs: Pairs) -> list[Overlap]:
    """Every pair that overlaps."""
    near = near_pairs(cast, now, pairs)
    found = (_pair_overlap(cast.actors, now, int(a), int(b)) for a, b in near)
    return [overlap for overlap in found if overlap is not None]


def near_pairs(cast: Cast, now: Snapshot, pairs: Pairs) -> Indices:
    """Pairs whose boxes meet."""
    table = np.asarray(pairs, np.int64).reshape(-1, 2)
    near: Indices = (
        table[near_boxes(now.position, now.rotation, cast.middle, cast.half, table)] if len(table) else table
    )
    return near


def pairs_on_the_way(cast: Cast, start: Snapshot, end: Snapshot, pairs: Pairs) -> Indices:
    """Pairs that come together somewhere on a motion that goes straight, by balls that hold them however they turn."""
    table = np.asarray(pairs, np.int64).reshape(-1, 2)
    near: Indices = table[near_ways(start.position, end.position, cast.reach, table)] if len(table) else table
    return near


def turns_between(start: Snapshot, end: Snapshot) -> Floats:
    """(n, 3) rotation vectors."""
    found: Floats = turns(start.rotation, end.rotation)
    return found


def at_share(start: Snapshot, end: Snapshot, turn: Floats, t: float) -> Snapshot:
    """Where bodies are at a share of a motion that goes straight and turns evenly."""
    position = start.position + t * (end.position - start.position)
    return Snapshot(start.time, position, turned(start.rotation, turn, t), end.velocity, end.spin, end.frozen)


def _pair_overlap(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    if _rank(cast[a]) > _rank(cast[b]):
        a, b = b, a
    if cast[a].plane is not None:
        return _with_half_space(cast, now, a, b)
    if cast[a].radius > 0.0:
        return _of_rounded(cast, now, a, b)
    if cast[b].radius > 0.0:
        return _with_rounded(cast, now, a, b)
    return _of_solids(cast, now, a, b)


def _rank(actor: Actor) -> int:
    """Half-spaces come first, balls and capsules last."""
    return 0 if actor.plane is not None else 1 + (actor.radius > 0.0)


def _ends(actor: Actor, rotation: Floats, position: Floats) -> tuple[Floats, Floats]:
    """Ends of the axis of a capsule, twice the middle of a ball."""
    points = actor.points @ rotation.T + position
    return points[0], points[-1]


def _of_solids(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    """Of two surfaces, placed relative to the first; triangles far from the other body are left out."""
    R, Q, offset = now.rotation[a], now.rotation[b], now.position[b] - now.position[a]
    in_a, in_b = _beside(cast[a], cast[b], R, Q, offset), _beside(cast[b], cast[a], Q, R, -offset)
    p, q = placed(cast[a].corners[in_a], R, np.zeros(3)), placed(cast[b].corners[in_b], Q, offset)
    met = surfaces_meet(p, q)
    if met is not None:
        whole = placed(cast[a].corners, R, np.zeros(3)), placed(cast[b].corners, Q, offset)
        return Overlap(a, b, f"triangles {in_a[met[0]]} and {in_b[met[1]]} meet", _depth(*whole))
    if cast[b].shape.closed and _inside(R @ cast[a].corners[0, :3] - offset, cast[b], Q):
        return Overlap(a, b, "the first lies inside the second", 2.0 * cast[a].reach)
    if cast[a].shape.closed and _inside(Q @ cast[b].corners[0, :3] + offset, cast[a], R):
        return Overlap(a, b, "the second lies inside the first", 2.0 * cast[b].reach)
    return None


def surfaces_meet(p: Floats, q: Floats) -> tuple[int, int] | None:
    """Two triangles of (n, 9) and (m, 9) that have a common point."""
    for i, j in suspects(p, q, MOST_SUSPECTS):
        corners = integers(*p[i].reshape(3, 3), *q[j].reshape(3, 3))
        if triangles_meet(tuple(corners[:3]), tuple(corners[3:])):
            return int(i), int(j)
    return None


def _beside(actor: Actor, other: Actor, R: Floats, Q: Floats, offset: Floats) -> Indices:
    """Triangles of an actor with rotation R that reach into the box of another one with rotation Q at an offset."""
    middle = R.T @ (Q @ other.middle + offset)
    room = 1e-9 * (actor.reach + other.reach) + 1e-15 * float(np.abs(offset).max())
    chosen: Indices = beside(actor.boxes, R.T @ Q, middle, other.half, room)
    return chosen


def _inside(point: Floats, actor: Actor, R: Floats) -> bool:
    """Whether a closed surface with rotation R holds a point, seen from its centre."""
    local = R.T @ point
    if (np.abs(local - actor.middle) > actor.half + 1e-9 * actor.reach).any():
        return False
    return abs(winding(local, actor.corners)) > 0.25 and _held(point, placed(actor.corners, R, np.zeros(3)))


def holds(corners: Floats, point: Floats) -> bool:
    """Whether a closed surface of (n, 9) triangles holds a point."""
    return abs(winding(point, corners)) > 0.25 and _held(point, corners)


def _held(point: Floats, corners: Floats) -> bool:
    """The same in exact arithmetic."""
    whole = integers(point, *corners.reshape(-1, 3))
    rest = iter(whole[1:])
    return encloses(list(zip(rest, rest, rest, strict=True)), whole[0])


def _depth(p: Floats, q: Floats) -> float:
    """The deepest corner of either in the other; edges that cross may be deeper."""
    depth = 0.0
    for points, surface in ((p, q), (q, p)):
        unique = np.unique(points.reshape(-1, 3), axis=0)
        near = unique[((unique >= surface.reshape(-1, 3).min(0)) & (unique <= surface.reshape(-1, 3).max(0))).all(1)]
        inside = [x for x in near[:500] if winding(x, surface) > 0.5]
        boxes = bounds(surface)
        depth = max([depth, *(float(np.sqrt(nearest2(x, surface, boxes, np.inf)[0])) for x in inside)])
    return depth


def _with_half_space(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    other, radius = cast[b], cast[b].radius
    if cast[a].plane is None or other.plane is not None:
        return None
    normal, height_of_plane = cast[a].plane
    normal = now.rotation[a] @ normal
    offset = now.position[b] - now.position[a]
    lowest, least = lowest_point(other.points, now.rotation[b], normal)
    room = 1e-12 * (float(np.abs(offset).max()) + 2.0 * other.reach + abs(height_of_plane))
    if least + offset @ normal - radius - height_of_plane > room:
        return None
    point = now.rotation[b] @ other.points[lowest] + offset
    exact = sum(Fraction(float(x)) * Fraction(float(n)) for x, n in zip(point, normal, strict=True))
    height = exact - Fraction(float(radius)) - Fraction(float(height_of_plane))
    return Overlap(a, b, "a point is not above the plane", float(-height)) if height <= 0 else None


def _of_rounded(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    """Two axes, either of which may be a point, that are no farther apart than the sum of their radii."""
    p = _ends(cast[a], now.rotation[a], np.zeros(3))
    q = _ends(cast[b], now.rotation[b], now.position[b] - now.position[a])
    *ends, radii = integers(*p, *q, (cast[a].radius, cast[b].radius, 0.0))
    distance2, reach = segment_distance2(*ends), sum(radii)
    if distance2 > reach**2:
        return None
    apart = float(np.sqrt(float(distance2 / reach**2)))
    return Overlap(a, b, "two round bodies meet", (1.0 - apart) * (cast[a].radius + cast[b].radius))


def _with_rounded(cast: list[Actor], now: Snapshot, a: int, b: int) -> Overlap | None:
    R, offset, radius = now.rotation[a], now.position[b] - now.position[a], float(cast[b].radius)
    ends = _ends(cast[b], now.rotation[b], offset)
    within = radius * (1.0 + 1e-9) + 1e-14 * (cast[a].reach + float(np.abs(offset).max()))
    distance2, i = nearest_to_segment2(R.T @ ends[0], R.T @ ends[1], cast[a].corners, cast[a].boxes, within)
    if i >= 0 and _axis_is_near(ends, radius, placed(cast[a].corners[i : i + 1], R, np.zeros(3))[0], distance2):
        return Overlap(a, b, f"triangle {i} meets the round body", radius - float(np.sqrt(distance2)))
    if cast[a].shape.closed and _inside(ends[0], cast[a], R):
        return Overlap(a, b, "the round body lies inside", radius)
    return None


def _axis_is_near(ends: tuple[Floats, Floats], radius: float, triangle: Floats, distance2: float) -> bool:
    """Whether an axis that is about as far from a triangle as the radius is not farther; one that crosses it is not."""
    if distance2 < (radius * (1.0 - 1e-9)) ** 2:
        return True
    p, q, size, *corners = integers(*ends, (radius, 0.0, 0.0), *triangle.reshape(3, 3))
    T = (corners[0], corners[1], corners[2])
    sides = [segment_distance2(p, q, T[i], T[j]) for i, j in SIDES]
    return min(*sides, *(point_triangle_distance2(x, T) for x in (p, q))) <= size[0] ** 2
