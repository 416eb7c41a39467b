"""Skins of soft bodies must not meet: not each other, not rigid bodies, not themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .exact import integers, triangles_meet
from .judge import holds, surfaces_meet
from .judge_kernels import bounds, nearest_to_segment2, suspects
from .place_kernels import placed
from .reading import Actor, Floats, Snapshot

MOST_NEIGHBOURS = 1 << 17


class Met(NamedTuple):
    """A skin that has a point in common with something."""

    skin: int
    other: str
    how: str


def skins_at(start: Snapshot, end: Snapshot, t: float) -> list[Floats]:
    """Vertices at a share of a motion: they go straight."""
    return [a + t * (b - a) for a, b in zip(start.skins, end.skins, strict=True)]


def skin_overlaps(
    cast: list[Actor],
    now: Snapshot,
    skins: list[Floats],
    triangles: list[np.ndarray],
    excused: set[tuple[int, int]],
) -> Iterator[Met]:
    """Everything that meets, but for pairs (skin, rigid body) that are excused."""
    surfaces = [np.ascontiguousarray(v[t].reshape(-1, 9)) for v, t in zip(skins, triangles, strict=True)]
    for k, surface in enumerate(surfaces):
        if (met := own_meeting(surface, triangles[k])) is not None:
            yield Met(k, "itself", f"triangles {met[0]} and {met[1]} meet")
        for j in range(k + 1, len(surfaces)):
            if how := _meet(surface, surfaces[j]):
                yield Met(k, f"skin {j}", how)
        for i, actor in enumerate(cast):
            if (k, i) not in excused and (how := _meets_rigid(surface, actor, now, i)):
                yield Met(k, f"'{actor.name}'", how)


def _meet(p: Floats, q: Floats) -> str:
    if (met := surfaces_meet(p, q)) is not None:
        return f"triangles {met[0]} and {met[1]} meet"
    return "one lies inside the other" if holds(p, q[0, :3]) or holds(q, p[0, :3]) else ""


def own_meeting(surface: Floats, triangles: np.ndarray) -> tuple[int, int] | None:
    """Two triangles of one skin that meet and have no vertex in common."""
    pairs = suspects(surface, surface, MOST_NEIGHBOURS)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    apart = (triangles[pairs[:, 0]][:, :, None] != triangles[pairs[:, 1]][:, None, :]).all(axis=(1, 2))
    for i, j in pairs[apart]:
        corners = integers(*surface[i].reshape(3, 3), *surface[j].reshape(3, 3))
        if triangles_meet((corners[0], corners[1], corners[2]), (corners[3], corners[4], corners[5])):
            return int(i), int(j)
    return None


def _meets_rigid(surface: Floats, actor: Actor, now: Snapshot, i: int) -> str:
    R, x = now.rotation[i], now.position[i]
    if actor.plane is not None:
        normal = R @ actor.plane[0]
        least = float(((surface.reshape(-1, 3) - x) @ normal).min() - actor.plane[1])
        return f"a vertex is {-least:.3g} m below the plane" if least <= 0.0 else ""
    if actor.radius > 0.0:
        ends = actor.points @ R.T + x
        within = nearest_to_segment2(ends[0], ends[-1], surface, bounds(surface), 2.0 * actor.radius)
        if within[1] >= 0 and within[0] <= actor.radius**2:
            return f"triangle {within[1]} is in the round body"
        return "the round body lies inside" if holds(surface, ends[0]) else ""
    return _meet(surface, placed(actor.corners, R, x))
