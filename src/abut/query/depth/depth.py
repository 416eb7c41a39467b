"""How deep are parts in each other?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import Floats
from ...errors import InputError
from ...geometry import Solid
from ...geometry.making.boolean import common_surface
from ...math.pose import Pose
from ..features import are_polyhedra
from ..volumes.hierarchy import Hierarchy, hierarchy_of
from . import depth_kernels as kernels

# To what share of the depth, and of the parts' size, the bounds are to agree, and how many pieces are divided for it.
_SHARE, _FRACTION = 1e-3, 1e-12
PIECES = 6000
"""How many pieces of a surface are divided for bounds that agree, at most."""
_LOOKS = 200
"""How many nodes and facets are looked at for a piece on average, at most."""
# Of the parts' size: depths that are less are rounding, and so are heights above a plane that are.
_ROUNDING, _FLAT = 2e-12, 1e-13


@dataclass(frozen=True)
class Depth:
    """How far surface points of one part lie under the surface of the other, the larger of both directions."""

    lower: float
    """[m] proven lower bound, reached at `point`; nan where neither part is closed, so that there is no inside."""
    upper: float
    """[m] proven upper bound."""
    point: Floats
    """(3,) the deepest point found, in the world [m]."""
    of: str
    """"a" or "b": on whose surface the point lies."""
    rounding: float = 0.0
    """[m] what is less may be rounding."""

    @property
    def nothing(self) -> bool:
        """Whether no surface point of either lies under the other's surface, but for rounding."""
        return self.upper <= self.rounding


def depth_of(a: Any, b: Any, X_a: Pose, X_b: Pose, *, pieces: int = PIECES) -> Depth:
    """Depth of two shapes in each other; of a shape that is no polyhedron, how far it would have to
    be moved to be apart.

    An open surface has no inside, but it can lie in another part.
    """
    if not are_polyhedra(a, b):
        return _analytic_depth(a, b, X_a, X_b)
    return common_of(a, b, X_a, X_b, pieces=pieces)[0]


def common_of(a: Solid, b: Solid, X_a: Pose, X_b: Pose, *, pieces: int = PIECES) -> tuple[Depth, float | None]:
    """Depth of two solids in each other and the volume [m^3] they have in common, None where that is not known.

    Where both are closed, the surface of what they have in common is all that has to be looked at.
    """
    size = hierarchy_of(a).extent + hierarchy_of(b).extent
    if a.closed and b.closed:
        try:
            volume, *surfaces = _common_surface(a, b, X_a, X_b)
        except InputError:  # a surface that touches or crosses itself: all of it is looked at
            pass
        else:
            ways = [(surfaces[0], b, X_b, "a"), (surfaces[1], a, X_a, "b")]
            # A part of few triangles is sooner known, and then of the other only what is deeper.
            (surface, into, X, of), other = sorted(ways, key=lambda way: len(way[1].triangles))
            first = _reach_of(surface, into, X, size, pieces, of)
            surface, into, X, of = other
            return _deeper([first, _reach_of(surface, into, X, size, pieces, of, first.lower)], size), volume
    found = [_reach(a, b, X_a, X_b, size, pieces, "a")] if b.closed else []
    found += [_reach(b, a, X_b, X_a, size, pieces, "b")] if a.closed else []
    return _deeper(found, size) if found else Depth(np.nan, np.nan, X_a.apply(a.vertices[0]), "a"), None


def _common_surface(a: Solid, b: Solid, X_a: Pose, X_b: Pose) -> tuple[float, Floats, Floats]:
    arrays = ((X.apply(part.mesh.vertices), part.mesh.triangles) for part, X in ((a, X_a), (b, X_b)))
    return common_surface(*arrays, label_a=a.label, label_b=b.label)


def _deeper(found: list[Depth], size: float) -> Depth:
    deepest = max(found, key=lambda one: one.lower)
    return Depth(deepest.lower, max(one.upper for one in found), deepest.point, deepest.of, _ROUNDING * size)


def _reach(part: Solid, other: Solid, X: Pose, X_other: Pose, size: float, pieces: int, of: str) -> Depth:
    """How deep the surface of one part lies in another."""
    tree, into, row = hierarchy_of(part), hierarchy_of(other), np.empty(kernels.ANSWER)
    poses, limits = (X.kernel_row, X_other.kernel_row), (pieces, _LOOKS * pieces)
    kernels.reach(tree.tables, _wanted(into, size), poses, limits, max(tree.depth, into.depth), row)
    return _as_depth(row, X_other, of)


def _reach_of(
    surface: Floats, other: Solid, X_other: Pose, size: float, pieces: int, of: str, least: float = 0.0
) -> Depth:
    """How deep triangles (n, 3, 3) in the world lie in a part; depths up to `least` [m] are not looked for."""
    into, row = hierarchy_of(other), np.empty(kernels.ANSWER)
    triangles = np.ascontiguousarray(X_other.inverse().apply(surface.reshape(-1, 3)).reshape(-1, 9))
    limits = (pieces, _LOOKS * (pieces + len(triangles)))
    kernels.reach_of_triangles(triangles, _wanted(into, size), limits, least, into.depth, row)
    return _as_depth(row, X_other, of)


def _wanted(into: Hierarchy, size: float) -> tuple[Any, float, tuple[float, float]]:
    """`Wanted` as kernels take it, for parts of this size [m]."""
    return into.tables, _FLAT * size, (_SHARE, _FRACTION * size)


def _as_depth(row: Floats, X: Pose, of: str) -> Depth:
    point = X.apply(row[kernels.POINT : kernels.POINT + 3])
    return Depth(float(row[kernels.LOWER]), float(row[kernels.UPPER]), point, of)


def _analytic_depth(a: Any, b: Any, X_a: Pose, X_b: Pose) -> Depth:
    from ..distance.analytic import analytic_distance, depth_bounds

    return Depth(*depth_bounds(a, b, X_a, X_b), analytic_distance(a, b, X_a, X_b).point_a, "a")


NO_DEPTH = Depth(0.0, 0.0, np.zeros(3), "a")
"""That of shapes which are apart."""
