"""Which point of a surface is nearest to a given one?"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from ...geometry import Solid
from ...math.pose import Pose
from ..features import Feature, feature_of
from ..volumes.hierarchy import hierarchy_of
from .analytic_kernels import closest_to_point


def nearest_to_point(solid: Solid, X: Pose, point: Floats) -> tuple[Floats, Feature, int]:
    """Point, feature and triangle of a surface that are nearest to a point in the world."""
    tree, row = hierarchy_of(solid), np.empty(6)
    x, y, z = X.inverse().apply(point).tolist()
    closest_to_point((x, y, z), *tree.tables, tree.depth, row)
    triangle = int(tree.tree.order[int(row[4])])
    return X.apply(row[:3]), feature_of(solid, triangle, int(row[5])), triangle
