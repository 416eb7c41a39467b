"""Which point of a surface is nearest to a given one?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
    tree, row = hierarchy_of(solid), np.empty(6)
    x, y, z = X.inverse().apply(point).tolist()
    closest_to_point((x, y, z), *tree.tables, tree.depth, row)
    triangle = int(tree.tree.order[int(row[4])])
    return OnSurface(X.apply(row[:3]), feature_of(solid, triangle, int(row[5])), triangle)
