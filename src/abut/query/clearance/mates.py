"""Surfaces of two parts that are drawn to lie on each other: facing planes, and holes with shafts on one axis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...geometry import PlacedPart, Solid
from ...geometry.surfaces.surfaces import CYLINDER, HOLE, PLANE, SHAFT
from ..distance.distance import distance_within

_PARALLEL = 1.0 - 1e-9
"""Cosine from which on directions are the same."""
_COAXIAL = 1e-6
"""[m] how far the axes of a hole and a shaft may be apart."""
_BESIDE = 1.01
"""How much farther than their gap triangles may be apart that face each other."""


class Mate(NamedTuple):
    """Two true surfaces that face each other."""

    kind: str
    """"plane" or "cylinder"."""
    a: int
    """Row in the surfaces of A."""
    b: int
    """Row in the surfaces of B."""
    gap: float
    """[m] between the true surfaces, less than 0 where they pass through each other."""


class Placed(NamedTuple):
    """The surfaces of a part of one kind where it stands."""

    rows: Ints
    """(k,) which surfaces."""
    point: Floats
    """(k, 3) [m]."""
    axis: Floats
    """(k, 3) unit vectors."""
    radius: Floats
    """(k,) [m]."""
    low: Floats
    """(k, 3) lowest coordinates of their triangles [m]."""
    high: Floats
    """(k, 3) highest coordinates of their triangles [m]."""


def find_mates(a: PlacedPart, b: PlacedPart, least: float, most: float) -> list[Mate]:
    """Mates of two parts whose gap is from `least` to `most` [m], the smallest gap first.

    Their triangles face each other: they are as near as the gap says.
    """
    reach = max(most, -least)
    found = _planes(a, b, reach)
    for sense in (HOLE, SHAFT):
        found += _fits(a, b, sense, reach)
    found = sorted((mate for mate in found if least <= mate.gap <= most), key=lambda mate: mate.gap)
    return [mate for mate in found if _face_each_other(a, b, mate)]


def _face_each_other(a: PlacedPart, b: PlacedPart, mate: Mate) -> bool:
    """Whether triangles of two surfaces lie over each other, and not beside each other or beyond an edge."""
    deviations = a.solid.surfaces[mate.a].chord_error + b.solid.surfaces[mate.b].chord_error
    reach = _BESIDE * (abs(mate.gap) + deviations) + _COAXIAL
    return distance_within(_patch(a.solid, mate.a), _patch(b.solid, mate.b), a.pose, b.pose, reach) is not None


def _patch(solid: Solid, row: int) -> Solid:
    """The triangles of one surface."""
    known: dict[int, Solid] = solid.__dict__.setdefault("_patches", {})
    if row not in known:
        known[row] = Solid(solid.mesh.vertices, solid.mesh.triangles[solid.surfaces.ids == row])
    return known[row]


def _planes(a: PlacedPart, b: PlacedPart, reach: float) -> list[Mate]:
    A, B = _placed(a, PLANE, ""), _placed(b, PLANE, "")
    facing = (A.axis @ B.axis.T <= -_PARALLEL) & _near(A, B, reach)
    return [
        Mate(PLANE, int(A.rows[i]), int(B.rows[j]), float((B.point[j] - A.point[i]) @ A.axis[i]))
        for i, j in np.argwhere(facing).tolist()
    ]


def _fits(a: PlacedPart, b: PlacedPart, sense: str, reach: float) -> list[Mate]:
    """Holes of a with shafts of b, or shafts with holes."""
    A, B = _placed(a, CYLINDER, sense), _placed(b, CYLINDER, SHAFT if sense == HOLE else HOLE)
    along = (np.abs(A.axis @ B.axis.T) >= _PARALLEL) & _near(A, B, reach)
    found = []
    for i, j in np.argwhere(along).tolist():
        way = B.point[j] - A.point[i]
        offset = float(np.linalg.norm(way - (way @ A.axis[i]) * A.axis[i]))
        wider = float(A.radius[i] - B.radius[j]) if sense == HOLE else float(B.radius[j] - A.radius[i])
        if offset <= _COAXIAL:
            found.append(Mate(CYLINDER, int(A.rows[i]), int(B.rows[j]), wider - offset))
    return found


def _near(A: Placed, B: Placed, reach: float) -> NDArray[np.bool_]:
    """(k_a, k_b) whether the boxes around the triangles are within reach."""
    apart = np.maximum(A.low[:, None] - B.high[None], B.low[None] - A.high[:, None])
    return np.asarray((apart <= reach).all(axis=2))


def _placed(part: PlacedPart, kind: str, sense: str) -> Placed:
    surfaces, boxes = part.solid.surfaces, surface_boxes(part.solid)
    rows = [i for i in surfaces.find(kind) if not sense or surfaces[i].sense == sense]
    turn = part.pose.rotation
    middle, half = boxes[0][rows], boxes[1][rows] @ np.abs(turn.T)
    centre = part.pose.apply(middle) if rows else np.zeros((0, 3))
    points = np.array([surfaces[i].point for i in rows]).reshape(-1, 3)
    axes = np.array([surfaces[i].axis for i in rows]).reshape(-1, 3)
    return Placed(
        np.array(rows, np.int32),
        part.pose.apply(points) if rows else points,
        axes @ turn.T,
        np.array([surfaces[i].radius for i in rows]),
        centre - half,
        centre + half,
    )


def surface_boxes(solid: Solid) -> tuple[Floats, Floats]:
    """(k, 3) centres and half sizes of the boxes around the triangles of each surface, in the part's frame [m]."""
    known: tuple[Floats, Floats] | None = solid.__dict__.get("_surface_boxes")
    if known is None:
        k, ids = len(solid.surfaces), solid.surfaces.ids
        low, high = np.full((k, 3), np.inf), np.full((k, 3), -np.inf)
        corners, chosen = solid.mesh.vertices[solid.mesh.triangles], ids >= 0
        np.minimum.at(low, ids[chosen], corners[chosen].min(axis=1))
        np.maximum.at(high, ids[chosen], corners[chosen].max(axis=1))
        known = solid.__dict__["_surface_boxes"] = 0.5 * (low + high), 0.5 * (high - low)
    return known
