"""Surface regions whose outlines run along each other: they share an edge."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...arrays import Floats


def pairs_along_edges(regions: Any, owners: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Pairs of surfaces of the same two parts, by their places in the list; `owners` say whose each region is."""
    sides = {i: _sides(regions.loops(i)) for i in np.flatnonzero(regions.dim == 2).tolist()}
    found = [(i, j) for i, j in combinations(sides, 2) if owners[i] == owners[j]]
    return [(i, j) for i, j in found if _run_along(sides[i], sides[j], regions.limit_at(i))]


def _sides(loops: list[Floats]) -> Floats:
    """(n, 2, 3) sides of outlines [m]."""
    return np.concatenate([np.zeros((0, 2, 3)), *(np.stack((p, np.roll(p, -1, axis=0)), axis=1) for p in loops)])


def _run_along(some: Floats, others: Floats, limit: float) -> bool:
    """Whether a side of each is beside one of the other, within `limit`, over a greater length."""
    way = some[:, 1] - some[:, 0]
    length = np.linalg.norm(way, axis=1)
    unit = (way / length[:, None])[:, None, None]
    arm = others[None] - some[:, None, None, 0]
    along = (arm * unit).sum(axis=3)
    away = np.linalg.norm(arm - along[..., None] * unit, axis=3).max(axis=2)
    beside = np.minimum(along.max(axis=2), length[:, None]) - np.maximum(along.min(axis=2), 0.0)
    return bool(((away <= limit) & (beside > limit)).any())
