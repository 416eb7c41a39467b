"""Which point of a surface is nearest to a given one?"""

from __future__ import annotations

from typing import NamedTuple

from ...arrays import Floats
from ...geometry import Solid
from ...math.pose import Pose
from ..features import Feature, feature_of
from ..volumes.hierarchy import hierarchy_of
from .analytic_kernels import closest_to_point


class OnSurface(NamedTuple):
    """A place on a surface."""

    point: Floats
    """(3,) [m] in the world."""
    feature: Feature
    triangle: int


def nearest_to_point(solid: Solid, X: Pose, point: Floats) -> OnSurface:
    """The place on a surface that is nearest to a point in the world."""
    tree = hierarchy_of(solid)
    x, y, z = X.inverse().apply(point).tolist()
    near, _, leaf, region = closest_to_point((x, y, z), *tree.tables, tree.depth)
    triangle = int(tree.tree.order[leaf])
    return OnSurface(X.apply(near), feature_of(solid, triangle, region), triangle)
