"""Contact regions as a page is told of them, when it asks: what to draw, what to say, which force."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dynamics import World
from ..draw.region_marks import region_text

MOST_REGIONS = 200
"""In one frame; the ones with the largest forces."""
_PLACES = 9
"""Of metres: a page draws no nanometres."""


_DIGITS = 5
"""Of forces; the last ones never rest."""


def region_rows(world: World) -> list[dict[str, Any]]:
    """For each region its bodies, dimension, points, words, force [N] on the second body and where it acts."""
    regions = world.regions
    chosen = np.argsort(-regions.force, kind="stable")[:MOST_REGIONS]
    return [_row(regions[int(k)]) for k in chosen]


def _row(region: Any) -> dict[str, Any]:
    shape = region.triangles.reshape(-1, 3) if region.dim == 2 else region.points_a
    return {
        "a": region.body_a.index,
        "b": region.body_b.index,
        "dim": region.dim,
        "points": _numbers(shape),
        "text": region_text(region),
        "at": _numbers(region.centre_of_pressure),
        "force": [float(f"{x:.{_DIGITS}g}") for x in region.wrench[:3]],
        "slides": bool(region.sliding),
    }


def _numbers(points: Any) -> list[float]:
    """Coordinates of points [m], one after the other."""
    numbers: list[float] = np.asarray(points, float).round(_PLACES).ravel().tolist()
    return numbers
