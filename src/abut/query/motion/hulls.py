"""Convex parts of few faces as separating_plane_kernels take them: corners, normals of faces, directions of edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Floats, distinct_rows
from .exposed import ExposedFeatures

MOST_HULL_CORNERS, MOST_DIRECTIONS = 32, 12
"""Of a part, and normals and directions of edges of it; where there are more, it takes too long to try them all."""


def stack_hulls(shapes: Sequence[ExposedFeatures]) -> tuple[Any, ...]:
    """Hulls of feature_tables as a plain tuple.

    Parts that are not convex or have too many faces have no rows, half-spaces one normal and no corners.
    """
    found = [_hull(shape) for shape in shapes]
    counts = np.array([[len(table) for table in tables] for tables in found], np.int32).reshape(-1, 3)
    start = np.concatenate((np.zeros((1, 3), np.int32), np.cumsum(counts, axis=0, dtype=np.int32)))
    widths = (3, 4, 3)
    stacked = (np.concatenate([np.zeros((0, w)), *(t[k] for t in found)]) for k, w in enumerate(widths))
    return (start, *(np.ascontiguousarray(table) for table in stacked))


def _hull(shape: ExposedFeatures) -> tuple[Floats, Floats, Floats]:
    none = np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3))
    if len(shape.half_space):
        return none[0], shape.half_space, none[2]
    if len(shape.point) > MOST_HULL_CORNERS:  # sorting the corners of all triangles takes longer than all else
        return none
    corner = distinct_rows(shape.corner.reshape(-1, 3))
    if len(corner) > MOST_HULL_CORNERS:
        return none
    area = (shape.plane[:, :3] != 0.0).any(axis=1)
    height = corner @ shape.plane[area, :3].T - shape.plane[area, 3]
    if height.size and height.max() > 1e-9 * shape.ball[3]:
        return none
    normal, direction = _distinct(shape.plane[area, :3]), _distinct(_edge_directions(shape.segment))
    if max(len(normal), len(direction)) > MOST_DIRECTIONS:
        return none
    farthest = (corner @ normal.T).max(axis=0)
    return corner, np.column_stack((normal, farthest)), direction


def _edge_directions(segment: Floats) -> Floats:
    """Unit vectors along edges, of a line always the same one of the two."""
    way = segment[:, 3:] - segment[:, :3]
    way = way / np.linalg.norm(way, axis=1, keepdims=True)
    largest = np.abs(way).argmax(axis=1)
    return np.asarray(way * np.sign(way[np.arange(len(way)), largest])[:, None])


def _distinct(vectors: Floats) -> Floats:
    """Rows of which none is the same as another but for rounding."""
    kept: list[Floats] = []
    for v in vectors:
        if not any(np.abs(v - w).max() < 1e-14 for w in kept):
            kept.append(v)
    return np.array(kept).reshape(-1, 3)
