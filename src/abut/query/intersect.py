"""Do two parts meet?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import Ints
from ..geometry import Solid
from ..math.pose import Pose, as_pose
from . import overlap_kernels as kernels
from .containment import in_one_piece, nested
from .features import shape_of
from .hierarchy import Hierarchy, hierarchy_of


class Intersection:
    """Whether and where two parts meet; true where they do."""

    __slots__ = ("_leaves", "_trees", "contained")

    contained: str
    """"a" where A, or a piece of it, lies inside B without their surfaces meeting, "b" the other way, else ""."""

    def __init__(self, leaves: Any, trees: tuple[Hierarchy, Hierarchy] | None = None, contained: str = "") -> None:
        self._leaves = leaves
        self._trees = trees
        self.contained = contained

    @property
    def pairs(self) -> Ints:
        """(n, 2) triangles of A and B that have a common point, touching included: one found, or all if asked for."""
        pairs = np.array(self._leaves, np.int32).reshape(-1, 2)
        if self._trees is None:
            return pairs
        tree_a, tree_b = self._trees
        return np.column_stack((tree_a.tree.order[pairs[:, 0]], tree_b.tree.order[pairs[:, 1]]))

    def __bool__(self) -> bool:
        return len(self._leaves) > 0 or self.contained != ""

    def __repr__(self) -> str:
        if self.contained:
            return f"Intersection({self.contained} lies inside)"
        return f"Intersection({len(self.pairs)} pairs of triangles)" if self else "Intersection(none)"


_APART = Intersection(())


def intersect(
    a: Any, b: Any, X_a: Any = None, X_b: Any = None, *, every: bool = False, volume: str = "obb"
) -> Intersection:
    """Whether two shapes meet at the poses `X_a` and `X_b`: surfaces with a common point, or one inside the other.

    Surfaces that only touch meet. An open surface means itself and has no inside. With `every`, all pairs of
    triangles that have a common point are listed, otherwise the first that is found.
    """
    X_WA = X_a if type(X_a) is Pose else as_pose("X_a", X_a)
    X_WB = X_b if type(X_b) is Pose else as_pose("X_b", X_b)
    if not (isinstance(a, Solid) and isinstance(b, Solid)):
        from .analytic import analytic_intersection

        return analytic_intersection(shape_of("a", a), shape_of("b", b), X_WA, X_WB, every)
    tree_a, tree_b = hierarchy_of(a, volume), hierarchy_of(b, volume)
    # Most pairs in a scene are far apart, and most of the time of their query would go into calling a kernel.
    (x_a, y_a, z_a), (x_b, y_b, z_b), reach = _place_of(X_WA), _place_of(X_WB), tree_a.reach + tree_b.reach
    if (x_a - x_b) ** 2 + (y_a - y_b) ** 2 + (z_a - z_b) ** 2 > reach * reach:
        return _APART
    if every or volume != "obb":
        leaves: Any = _meeting_leaves(tree_a, tree_b, X_WA, X_WB, every)
        nestable = 1
    else:
        leaf_a, leaf_b, nestable = kernels.find_meeting(
            *tree_a.lean, *tree_b.lean, X_WA.row, X_WB.row, tree_a.depth + tree_b.depth
        )
        if leaf_a < 0 and nestable < 0:
            return _APART
        leaves = ((leaf_a, leaf_b),) if leaf_a >= 0 else ()
    if len(leaves):
        return Intersection(leaves, (tree_a, tree_b))
    inner = nested(a, b, X_WA, X_WB) if nestable or not (in_one_piece(a) and in_one_piece(b)) else ""
    return Intersection((), None, inner) if inner else _APART


def _place_of(X: Pose) -> tuple[float, float, float]:
    """Position of a pose as numbers, kept with it: three times cheaper to use than an array."""
    try:
        place: tuple[float, float, float] = X.__dict__["_place"]
    except KeyError:
        place = X.__dict__["_place"] = tuple(X.position.tolist())
    return place


def _meeting_leaves(tree_a: Hierarchy, tree_b: Hierarchy, X_WA: Pose, X_WB: Pose, every: bool) -> Ints:
    stack = np.empty((tree_a.depth + tree_b.depth, 2), np.int32)
    hits = np.empty((1024 if every else 1, 2), np.int32)
    found, top = [], 0
    while True:
        arguments = (*tree_a.tables, *tree_b.tables, X_WA.row, X_WB.row, top, stack)
        n, top = kernels.meet(tree_a.code, tree_a.table(), *arguments, hits)
        found.append(hits[:n].copy())
        if top == 0 or not every:
            return np.concatenate(found)
