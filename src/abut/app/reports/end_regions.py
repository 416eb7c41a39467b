"""Contact regions at the end of a run, from the world that was kept then."""

from __future__ import annotations

from typing import Any

from ...dynamics import World
from ...query.features import feature_text
from ..runs import Run

MOST = 40
"""Regions that a report lists; the ones with the largest forces."""


def last_world(run: Run) -> World | None:
    """The world at the end of a run that came to its end; None of one that was killed, or of which nothing is left."""
    if not run.complete or len(run) == 0:
        return None
    return run.world_at(float(run.times[-1]))


def end_regions(run: Run) -> list[dict[str, Any]]:
    """What touches what at the end, the largest forces first."""
    world = last_world(run)
    regions = [] if world is None else sorted(world.regions, key=lambda region: -region.force)
    return [
        {
            "bodies": f"{region.body_a.name} / {region.body_b.name}",
            "features": f"{feature_text(region.feature_a)} on {feature_text(region.feature_b)}",
            "dim": region.dim,
            "size": 1e6 * region.area if region.dim == 2 else 1e3 * region.length,
            "force": region.force,
            "slides": region.sliding,
        }
        for region in regions[:MOST]
    ]
