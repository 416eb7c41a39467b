"""Polygons to triangles, without new vertices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ...arrays import Floats, Ints
from ...errors import InputError


def triangulate_polygons(vertices: Floats, polygons: Sequence[Sequence[int]]) -> Ints:
    """Triangles (m, 3) of plane or nearly plane polygons, each a sequence of vertex indices, possibly non-convex."""
    triangles = [_triangulate(vertices, i, polygon) for i, polygon in enumerate(polygons)]
    return np.concatenate(triangles) if triangles else np.zeros((0, 3), np.int32)


def _triangulate(vertices: Floats, row: int, polygon: Sequence[int]) -> Ints:
    corners = _clean(vertices, row, polygon)
    if len(corners) == 3:
        return corners[None]
    points = vertices[corners]
    flat = points @ _plane_basis(points)
    if len(corners) == 4 and _is_convex(flat):
        return corners[_quad_split(points)]
    import mapbox_earcut

    local = mapbox_earcut.triangulate_float64(flat, np.array([len(corners)], np.uint32))
    if len(local) != 3 * (len(corners) - 2):
        raise InputError(f"faces: polygon {row} crosses itself or has no area; give it as triangles")
    return np.asarray(corners[local.astype(np.int32).reshape(-1, 3)])


def _clean(vertices: Floats, row: int, polygon: Sequence[int]) -> Ints:
    """The polygon's corners with immediate repetitions dropped, checked."""
    corners = np.asarray(polygon)
    if corners.ndim != 1 or not (np.issubdtype(corners.dtype, np.integer) and corners.size):
        raise InputError(f"faces: polygon {row} is {polygon!r}, expected a sequence of vertex indices")
    if corners.min() < 0 or corners.max() >= len(vertices):
        raise InputError(f"faces: polygon {row} is {corners.tolist()}, but indices run from 0 to {len(vertices) - 1}")
    kept = [b for a, b in pairwise((corners[-1], *corners)) if a != b]
    if len(set(kept)) < 3:
        raise InputError(f"faces: polygon {row} is {corners.tolist()}, which has fewer than three distinct corners")
    return np.array(kept, np.int32)


def _plane_basis(points: Floats) -> Floats:
    """(3, 2) axes of the polygon's plane, oriented so that the polygon runs counter-clockwise."""
    normal = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)  # Newell's normal
    axis = np.eye(3)[np.abs(normal).argmin()]
    u = np.cross(axis, normal)
    v = np.cross(normal, u)
    return np.stack((u / (np.linalg.norm(u) or 1.0), v / (np.linalg.norm(v) or 1.0)), axis=1)


def _is_convex(flat: Floats) -> bool:
    side = np.roll(flat, -1, axis=0) - flat
    following = np.roll(side, -1, axis=0)
    return bool((side[:, 0] * following[:, 1] - side[:, 1] * following[:, 0] > 0.0).all())


def _quad_split(points: Floats) -> list[list[int]]:
    """Cut a convex quadrilateral along its shorter diagonal."""
    short = np.linalg.norm(points[2] - points[0]) <= np.linalg.norm(points[3] - points[1])
    return [[0, 1, 2], [0, 2, 3]] if short else [[0, 1, 3], [1, 2, 3]]
