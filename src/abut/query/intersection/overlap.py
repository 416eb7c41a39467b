"""Do parts that meet overlap, or do they only touch?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...geometry import Solid
from ...math.pose import Pose
from ..containment.containment import places_of
from ..containment.containment_kernels import INSIDE
from ..features import are_polyhedra
from ..volumes.hierarchy import hierarchy_of
from .intersect import Intersection, intersect

# Of the parts' size: how far below a surface material is looked for.
_BELOW = 1e-6


def overlaps(a: Any, b: Any, X_a: Pose, X_b: Pose, found: Intersection, tolerance: float) -> bool:
    """Whether shapes that meet are in each other by more than `tolerance` [m]; sooner told than how deep."""
    if not are_polyhedra(a, b):
        from ..distance.analytic import signed_gap

        return signed_gap(a, b, X_a, X_b) < -tolerance
    if found.contained:
        return True
    pairs = intersect(a, b, X_a, X_b, every=True).pairs
    if pair_depth(a, b, X_a, X_b, pairs) > tolerance:
        return True
    below = 2.0 * tolerance + _BELOW * (hierarchy_of(a).extent + hierarchy_of(b).extent)
    return share_material(a, b, X_a, X_b, pairs, below)


def in_one_place(a: Any, b: Any, X_a: Pose, X_b: Pose) -> bool:
    """Whether solids without depth in each other share material, as two copies of a part at one place do."""
    if not are_polyhedra(a, b):
        return False
    below = _BELOW * (hierarchy_of(a).extent + hierarchy_of(b).extent)
    return share_material(a, b, X_a, X_b, intersect(a, b, X_a, X_b, every=True).pairs, below)


def pair_depth(a: Solid, b: Solid, X_a: Pose, X_b: Pose, pairs: Ints) -> float:
    """How far the worst of some pairs of triangles would have to be moved along a normal of either to be apart."""
    A = X_a.apply(a.vertices)[a.triangles[pairs[:, 0]]]
    B = X_b.apply(b.vertices)[b.triangles[pairs[:, 1]]]
    return float(np.minimum(_depth_in_planes(A, B), _depth_in_planes(B, A)).max(initial=0.0))


def _depth_in_planes(A: Floats, B: Floats) -> Floats:
    """(n,) how far triangles A reach through the planes of triangles B, on the side where they do so less."""
    normal = np.cross(B[:, 1] - B[:, 0], B[:, 2] - B[:, 0])
    length = np.linalg.norm(normal, axis=1)
    height = np.einsum("nij,nj->ni", A - B[:, :1], normal / np.where(length > 0.0, length, 1.0)[:, None])
    return np.asarray(np.maximum(np.minimum(height.max(axis=1), -height.min(axis=1)), 0.0))


def share_material(a: Solid, b: Solid, X_a: Pose, X_b: Pose, pairs: Ints, below: float) -> bool:
    """Whether a place shortly below one of the triangles that meet is inside both parts.

    Parts that are flush with each other, or one with itself, overlap without any triangle passing through another.
    """
    if not (a.closed and b.closed):
        return False
    places = _places_below(a, X_a, pairs[:, 0], below), _places_below(b, X_b, pairs[:, 1], below)
    points = np.concatenate(places)
    inside = [places_of(part, X.inverse().apply(points)) == INSIDE for part, X in ((a, X_a), (b, X_b))]
    return bool((inside[0] & inside[1]).any())


def _places_below(solid: Solid, X: Pose, triangles: Ints, below: float) -> Floats:
    """Centres of triangles, moved into the material."""
    corners = X.apply(solid.vertices)[solid.triangles[np.unique(triangles)]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return np.asarray(corners.mean(axis=1) - below * normal / np.where(length > 0.0, length, 1.0))


__all__ = ["in_one_place", "overlaps", "pair_depth", "share_material"]
