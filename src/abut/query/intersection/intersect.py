"""Do two parts meet?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Ints
from ...geometry import Solid
from ...math.pose import Pose, as_pose
from ..containment.containment import in_one_piece, nested
from ..features import are_polyhedra, shape_of
from ..volumes.hierarchy import Hierarchy, hierarchy_of
from .overlap_kernels import find_meeting, meet, roots_meet

if TYPE_CHECKING:
    from ..depth.depth import Depth


class Intersection:
    """Whether and where two parts meet; true where they do."""

    __slots__ = ("_depth", "_leaves", "_shapes", "_trees", "contained")

    contained: str
    """"a" where A, or a piece of it, lies inside B without their surfaces meeting, "b" the other way, else ""."""

    def __init__(self, leaves: Any, trees: tuple[Hierarchy, Hierarchy] | None = None, contained: str = "") -> None:
        self._leaves = leaves
        self._trees = trees
        self.contained = contained
        self._shapes: Any = None
        self._depth: Depth | None = None

    @property
    def depth(self) -> float:
        """[m] how far surface points of one lie under the other's surface, at least; 0 where they only touch or are
        apart, nan where neither surface is closed. Found when it is first asked for.
        """
        return self._bounds_of_depth().lower

    @property
    def depth_upper(self) -> float:
        """[m] upper bound of the depth, which is between `depth` and this."""
        return self._bounds_of_depth().upper

    def _bounds_of_depth(self) -> Depth:
        if self._depth is None:
            from ..depth.depth import NO_DEPTH, depth_of

            self._depth = depth_of(*self._shapes) if self else NO_DEPTH
        return self._depth

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

    def _between(self, *shapes: Any) -> Intersection:
        """What is needed where the depth is asked for: two shapes and their poses."""
        self._shapes = shapes
        return self


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
    if not are_polyhedra(a, b):
        from ..distance.analytic import analytic_intersection

        return analytic_intersection(shape_of("a", a), shape_of("b", b), X_WA, X_WB, every)._between(a, b, X_WA, X_WB)
    if every or volume != "obb":
        return _search(a, b, X_WA, X_WB, every, volume)
    door_a, door_b = _door_of(a), _door_of(b)
    trees = door_a.hierarchy, door_b.hierarchy
    leaf_a, leaf_b, nestable = find_meeting(
        door_a.tables, door_b.tables, X_WA.kernel_row, X_WB.kernel_row, trees[0].depth + trees[1].depth
    )
    if leaf_a >= 0:
        return Intersection(((leaf_a, leaf_b),), trees)._between(a, b, X_WA, X_WB)
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
    return Intersection((), None, inner)._between(a, b, X_WA, X_WB) if inner else _APART


def _search(a: Solid, b: Solid, X_WA: Pose, X_WB: Pose, every: bool, volume: str) -> Intersection:
    """All pairs of triangles, or the first, by volumes of any kind."""
    tree_a, tree_b = hierarchy_of(a, volume), hierarchy_of(b, volume)
    leaves = _meeting_leaves(tree_a, tree_b, X_WA, X_WB, every)
    if len(leaves) == 0:
        return _nesting(a, b, X_WA, X_WB)
    return Intersection(leaves, (tree_a, tree_b))._between(a, b, X_WA, X_WB)


def _meeting_leaves(tree_a: Hierarchy, tree_b: Hierarchy, X_WA: Pose, X_WB: Pose, every: bool) -> Ints:
    stack = np.empty((tree_a.depth + tree_b.depth, 2), np.int32)
    hits = np.empty((1024 if every else 1, 2), np.int32)
    found, top = [], 0
    while True:
        parts = (tree_a.code, tree_a.table(), tree_a.tables, tree_b.tables)
        n, top = meet(parts, (X_WA.kernel_row, X_WB.kernel_row), top, stack, hits)
        found.append(hits[:n].copy())
        if top == 0 or not every:
            return np.concatenate(found)
