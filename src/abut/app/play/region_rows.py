"""Contact regions as a page is told of them, when it asks: what to draw, what to say, which force."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics import World
from ..draw.region_marks import region_text
from .scene_message import extent

MOST_REGIONS = 200
"""In one frame; the ones with the largest forces."""
FINE = 1e-6
"""Of the size of the scene: what a page can draw."""
_DIGITS = 5
"""Of forces and moments; the last ones never rest."""
_TWISTS = 1e-3
"""Of the force times the size of the scene: moments below mean only that points of contact have moved in the step."""


def region_rows(world: World) -> list[dict[str, Any]]:
    """For each region its bodies, dimension, points, words, force [N] and moment [N m] on the second body, and where.

    The moment is about the place of the force, so that both together are what acts.
    """
    if not world.bodies:
        return []
    regions, size = world.regions, extent(world)[1]
    chosen = np.argsort(-regions.force, kind="stable")[:MOST_REGIONS]
    places = int(np.ceil(-np.log10(FINE * size)))
    return [_row(regions[int(k)], places, size) for k in chosen]


def _row(region: Any, places: int, size: float) -> dict[str, Any]:
    shape = region.triangles.reshape(-1, 3) if region.dim == 2 else region.points_a
    at, force = region.centre_of_pressure, region.wrench[:3]
    moment = region.wrench[3:] + np.cross(region.centre - at, force)
    twists = np.linalg.norm(moment) > _TWISTS * size * np.linalg.norm(force)
    return {
        "a": region.body_a.index,
        "b": region.body_b.index,
        "dim": region.dim,
        "points": _numbers(shape, places),
        "text": region_text(region),
        "at": _numbers(at, places),
        "force": _digits(force),
        "moment": _digits(moment if twists else np.zeros(3)),
        "slides": bool(region.sliding),
    }


def _numbers(points: Any, places: int) -> list[float]:
    """Coordinates of points [m], one after the other."""
    numbers: list[float] = np.asarray(points, float).round(places).ravel().tolist()
    return numbers


def _digits(vector: Any) -> list[float]:
    return [float(f"{x:.{_DIGITS}g}") for x in vector]
