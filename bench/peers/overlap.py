"""How deep parts overlap, measured on the true shapes and alike for every engine.

First an exact test says whether two parts have a point in common. If so, the depth is that of the deepest sample of one
under the surface of the other; samples are all vertices and points along all edges. It is a lower bound of what
it takes to separate the parts.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from abut import HalfSpace, Pose, Solid, contains, intersect

from .overlap_kernels import depths
from .snapshot import PeerBody

SPACINGS = 64
"""Samples along edges are at most this fraction of the part's size apart."""
LEAST = 1e-9
"""[m] is said of an overlap that no sample finds."""


def deepest_overlap(bodies: list[PeerBody], poses: list[Pose]) -> float:
    """[m], 0 if no two bodies have a point in common."""
    pairs = ((a, b) for a, b in combinations(range(len(bodies)), 2) if not (bodies[a].fixed and bodies[b].fixed))
    return max((_overlap(bodies[a].shape, bodies[b].shape, poses[a], poses[b]) for a, b in pairs), default=0.0)


def _overlap(a: Any, b: Any, X_a: Pose, X_b: Pose) -> float:
    if isinstance(a, HalfSpace):
        return max(0.0, -_lowest(a, X_a, b, X_b))
    if isinstance(b, HalfSpace):
        return max(0.0, -_lowest(b, X_b, a, X_a))
    if not intersect(a, b, X_a, X_b):
        return 0.0
    return max(LEAST, _depth(a, b, X_b.inverse() @ X_a), _depth(b, a, X_a.inverse() @ X_b))


def _lowest(plane: HalfSpace, X_p: Pose, part: Solid, X: Pose) -> float:
    return float(((X_p.inverse() @ X).apply(part.vertices) @ plane.normal).min() - plane.offset)


def _depth(part: Solid, under: Solid, X: Pose) -> float:
    """Of the deepest sample of a part, at X in the other's frame, under the other's surface."""
    points = X.apply(samples(part))
    low, high = under.bounds
    points = points[((points > low) & (points < high)).all(axis=1)]
    points = np.ascontiguousarray(points[contains(under, points)]) if len(points) else points
    if not len(points):
        return 0.0
    found = np.empty(len(points))
    depths(points, *_corners(under), found)
    return float(found.max())


@cache
def samples(part: Solid) -> np.ndarray:
    """(n, 3) vertices of a part and points along its edges."""
    vertices, triangles = np.asarray(part.vertices), np.asarray(part.triangles)
    sides = np.concatenate((triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]))
    sides = np.unique(np.sort(sides, axis=1), axis=0)
    spacing = float(np.linalg.norm(np.diff(part.bounds, axis=0))) / SPACINGS
    count = np.ceil(np.linalg.norm(vertices[sides[:, 0]] - vertices[sides[:, 1]], axis=1) / spacing).astype(int)
    found = [vertices]
    for n in np.unique(count[count > 1]):
        a, b = (vertices[sides[count == n, k]] for k in (0, 1))
        found += [a + (k / n) * (b - a) for k in range(1, n)]
    return np.concatenate(found)


@cache
def _corners(part: Solid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    corners = np.asarray(part.vertices)[np.asarray(part.triangles)]
    a, b, c = (np.ascontiguousarray(corners[:, k]) for k in range(3))
    return a, b, c
