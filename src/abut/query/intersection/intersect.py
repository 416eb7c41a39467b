"""Do two parts meet?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Ints
from ...geometry import Solid
from ...math.pose import Pose, as_pose
from ..containment.containment import in_one_piece, nested
from ..features import shape_of
from ..volumes.hierarchy import Hierarchy, hierarchy_of
from .overlap_kernels import find_meeting, meet, roots_meet


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


class Door:
    """What the question needs to know about a part, ready to be handed on: looking for it would take longer than most
    answers.
    """

    __slots__ = ("hierarchy", "tables", "whole")

    def __init__(self, solid: Solid) -> None:
        self.hierarchy = hierarchy_of(solid)
        tree = self.hierarchy.tree
        self.tables = (tree.corners, tree.child, tree.boxes)
        self.whole = in_one_piece(solid)


def intersect(
    a: Any, b: Any, X_a: Any = None, X_b: Any = None, *, every: bool = False, volume: str = "obb"
) -> Intersection:
    """Whether two shapes meet at the poses `X_a` and `X_b`: surfaces with a common point, or one inside the other.

    Surfaces that only touch meet. An open surface means itself and has no inside. With `every`, all pairs of
    triangles that have a common point are listed, otherwise the first that is found.
    """
    # Most pairs in a scene are far apart: their boxes come before all else.
    try:
        if volume == "obb" and not roots_meet(a._boxes, b._boxes, X_a.kernel_row, X_b.kernel_row):
            return _APART
    except AttributeError:
        pass  # a part that is asked about for the first time, another shape, or a pose that is not a Pose
    X_WA = X_a if type(X_a) is Pose else as_pose("X_a", X_a)
    X_WB = X_b if type(X_b) is Pose else as_pose("X_b", X_b)
    if not (isinstance(a, Solid) and isinstance(b, Solid)):
        from ..distance.analytic import analytic_intersection

        return analytic_intersection(shape_of("a", a), shape_of("b", b), X_WA, X_WB, every)
    if every or volume != "obb":
        return _search(a, b, X_WA, X_WB, every, volume)
    door_a, door_b = _door_of(a), _door_of(b)
    trees = door_a.hierarchy, door_b.hierarchy
    leaf_a, leaf_b, nestable = find_meeting(
        *door_a.tables, *door_b.tables, X_WA.kernel_row, X_WB.kernel_row, trees[0].depth + trees[1].depth
    )
    if leaf_a >= 0:
        return Intersection(((leaf_a, leaf_b),), trees)
    if nestable or not (door_a.whole and door_b.whole):
        return _nesting(a, b, X_WA, X_WB)
    return _APART


def _door_of(solid: Solid) -> Door:
    door: Door | None = solid.__dict__.get("_door")
    if door is None:
        door = solid.__dict__["_door"] = Door(solid)
        solid.__dict__["_boxes"] = door.hierarchy.tree.boxes
    return door


def _nesting(a: Solid, b: Solid, X_WA: Pose, X_WB: Pose) -> Intersection:
    """Parts whose surfaces do not meet."""
    inner = nested(a, b, X_WA, X_WB)
    return Intersection((), None, inner) if inner else _APART


def _search(a: Solid, b: Solid, X_WA: Pose, X_WB: Pose, every: bool, volume: str) -> Intersection:
    """All pairs of triangles, or the first, by volumes of any kind."""
    tree_a, tree_b = hierarchy_of(a, volume), hierarchy_of(b, volume)
    leaves = _meeting_leaves(tree_a, tree_b, X_WA, X_WB, every)
    return Intersection(leaves, (tree_a, tree_b)) if len(leaves) else _nesting(a, b, X_WA, X_WB)


def _meeting_leaves(tree_a: Hierarchy, tree_b: Hierarchy, X_WA: Pose, X_WB: Pose, every: bool) -> Ints:
    stack = np.empty((tree_a.depth + tree_b.depth, 2), np.int32)
    hits = np.empty((1024 if every else 1, 2), np.int32)
    found, top = [], 0
    while True:
        arguments = (*tree_a.tables, *tree_b.tables, X_WA.kernel_row, X_WB.kernel_row, top, stack)
        n, top = meet(tree_a.code, tree_a.table(), *arguments, hits)
        found.append(hits[:n].copy())
        if top == 0 or not every:
            return np.concatenate(found)
