"""How far apart are two parts?"""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from ...arrays import Floats, count, is_one_of, number
from ...errors import InputError
from ...geometry import Solid
from ...math.pose import Pose, as_pose
from ..containment.containment import nested
from ..features import INSIDE, Feature, are_polyhedra, feature_of, shape_of
from ..intersection.intersect import intersect
from ..search import queue_kernels, search_kernels
from ..search.front_kernels import CLOCK_WIDTH
from ..search.search_tables import UNLIMITED
from ..volumes.hierarchy import Hierarchy, hierarchy_of
from . import distance_kernels as kernels

Trees = tuple[Hierarchy, Hierarchy]

STRATEGIES = {"depth": 1, "best": 1024}
"""SiLVIA's two orders of search: the closer child first, or the closest of all open pairs first, which are sorted into
this many levels of their bounds."""

# Levels into which open pairs are sorted where nobody asks for a strategy.

_LEVELS = 64
# Open pairs that are kept sorted; beyond that the search goes on depth-first.
_ROOM = 4096
# Pairs of nodes looked at between two looks at the clock: about a twentieth of a millisecond.
_FINER, _FEW_PAIRS = 1.6, 500
"""A front of more than so many times the pairs that a fresh one has, and some, is begun anew."""
_SLICE = 500
# Pairs a first front has room for; it grows as needed.
_FRONT_ROOM = 4096
# Bounds that are this many times the room for rounding apart are as close as they can be: one on either side, and
# what rounding makes of that.
_MEETING = 2.5


class Distance:
    """How far apart two parts are: `lower <= true distance <= upper`.

    The true distance is that of the polyhedra whose vertices are where float64 places them; the bounds leave room for
    rounding.
    """

    __slots__ = (
        "_features",
        "_follower",
        "_meeting_width",
        "_near",
        "_regions",
        "_shapes",
        "distance",
        "lower",
        "point_a",
        "point_b",
        "tested",
        "upper",
    )

    distance: float
    """[m] distance of the two points: the answer, where `exact`; 0 where and only where the parts meet."""
    lower: float
    """[m] proven lower bound."""
    upper: float
    """[m] proven upper bound: that of the two points."""
    point_a: Floats
    """(3,) closest point known of A, in the world [m]."""
    point_b: Floats
    """(3,) closest point known of B, in the world [m]."""
    tested: tuple[int, int]
    """Pairs of bounding volumes and pairs of triangles that were looked at."""

    def __init__(self, shapes: tuple[Any, Any], lower: float, upper: float, points: tuple[Floats, Floats]) -> None:
        self._shapes = shapes
        self.distance = upper
        self.lower = lower
        self.upper = upper
        self._meeting_width = 0.0
        self.point_a, self.point_b = points
        self.tested = (0, 0)
        self._near: tuple[int, int] = (-1, -1)
        self._regions: tuple[int, int] = (0, 0)
        self._features: tuple[Feature, Feature] | None = None
        self._follower: Follower | None = None

    @property
    def exact(self) -> bool:
        """Whether the bounds meet within rounding: less than 1e-12 of the size of the parts and their places."""
        return self.upper - self.lower <= self._meeting_width

    @property
    def feature_a(self) -> Feature:
        """Vertex, edge or face of A on which `point_a` lies."""
        return self._both_features()[0]

    @property
    def feature_b(self) -> Feature:
        """Vertex, edge or face of B on which `point_b` lies."""
        return self._both_features()[1]

    @property
    def triangles(self) -> tuple[int, int]:
        """The triangles of A and B on which the points lie; -1 on a shape that has none."""
        return self._near

    def _both_features(self) -> tuple[Feature, Feature]:
        # Edges and faces of a large part take a moment to find; few callers ask for them.
        if self._features is None:
            (a, b), (near_a, near_b), (in_a, in_b) = self._shapes, self._near, self._regions
            self._features = feature_of(a, near_a, in_a), feature_of(b, near_b, in_b)
        return self._features

    def __repr__(self) -> str:
        if self.exact:
            return f"Distance({self.distance:.9g} m, {self.feature_a.kind}-{self.feature_b.kind})"
        return f"Distance(between {self.lower:.9g} and {self.upper:.9g} m)"


def distance(
    a: Any,
    b: Any,
    X_a: Any = None,
    X_b: Any = None,
    *,
    budget_ms: float | None = None,
    pairs: int | None = None,
    start: Distance | None = None,
    strategy: str | None = None,
    volume: str = "obb",
) -> Distance:
    """Distance [m] between two shapes at the poses `X_a` and `X_b`, 0.0 where they meet or one lies inside the other.

    With `budget_ms` (time) or `pairs` (pairs of nodes looked at; the same answer on every machine) the search
    stops when the budget is used up and returns bounds, which a larger budget only narrows. `start`, an
    earlier answer for the same two shapes at any poses, makes a query along a smooth motion many times
    cheaper. `strategy` is "depth" (the default, fastest to the exact answer) or "best" (the default with a
    budget: it raises the lower bound fastest).
    """
    X_WA, X_WB = as_pose("X_a", X_a), as_pose("X_b", X_b)
    if not are_polyhedra(a, b):
        from .analytic import analytic_distance

        return analytic_distance(shape_of("a", a), shape_of("b", b), X_WA, X_WB)
    levels = _levels(strategy, budget_ms is not None or pairs is not None)
    shapes = (a, b)
    tree_a, tree_b = trees = hierarchy_of(a, volume), hierarchy_of(b, volume)
    near = _start_pair(start, shapes, trees)
    parts = (tree_a.code, tree_a.table(), tree_a.tables, tree_b.tables), (X_WA.kernel_row, X_WB.kernel_row)
    if budget_ms is not None or pairs is not None:
        limit = UNLIMITED if pairs is None else count("pairs", pairs, least=0)
        seconds = None if budget_ms is None else 1e-3 * number("budget_ms", budget_ms, least=0.0)
        found = _search(shapes, trees, parts, near, levels, limit, seconds)
    elif start is not None and strategy is None:
        found = _follow(shapes, trees, parts, near, start)
    else:
        found = _search(shapes, trees, parts, near, levels, UNLIMITED, None)
    return _settled(found, X_WA, X_WB)


def distance_within(a: Solid, b: Solid, X_a: Pose, X_b: Pose, reach: float) -> Distance | None:
    """The distance, or None where it is more than `reach` [m], which is sooner known than how much more."""
    trees = hierarchy_of(a), hierarchy_of(b)
    state, answer = _state((-1, -1), 0), np.empty(kernels.ANSWER)
    spare = trees[0].depth + trees[1].depth
    tables = (trees[0].tables, trees[1].tables), (X_a.kernel_row, X_b.kernel_row)
    if not kernels.within(*tables, reach, state, _queue(_LEVELS, spare), answer):
        # One may lie in the other, far from its surface.
        return distance(a, b, X_a, X_b) if nested(a, b, X_a, X_b) else None
    return _settled(_answer((a, b), trees, state, answer), X_a, X_b)


def _settled(found: Distance, X_WA: Pose, X_WB: Pose) -> Distance:
    """Whether parts that seem to be apart are not."""
    if found.lower == 0.0 < found.upper and found.exact and intersect(*found._shapes, X_WA, X_WB):
        # Closer than rounding: whether they meet is decided by exact signs, which boxes may have kept from being asked.
        _meet(found)
    if found.upper > 0.0:
        _account_for_nesting(found, X_WA, X_WB)
    return found


def _levels(strategy: str | None, budget: bool) -> int:
    if strategy is None:
        return STRATEGIES["best"] if budget else _LEVELS
    if not is_one_of(strategy, STRATEGIES):
        raise InputError(f"strategy: expected one of {', '.join(STRATEGIES)}, got {strategy!r}")
    return STRATEGIES[strategy]


def _start_pair(start: Any, shapes: tuple[Solid, Solid], trees: Trees) -> tuple[int, int]:
    """Where to begin: the closest triangles of an earlier answer, in the order of the leaves; -1 without one."""
    if start is None:
        return -1, -1
    if not isinstance(start, Distance):
        raise InputError(f"start: expected an earlier Distance, got {type(start).__name__}")
    if start._shapes[0] is not shapes[0] or start._shapes[1] is not shapes[1]:
        raise InputError("start: the earlier answer is about other parts; pass one for the same a and b")
    near_a, near_b = start._near
    return (-1, -1) if near_a < 0 else (int(trees[0].tree.rank[near_a]), int(trees[1].tree.rank[near_b]))


def _search(
    shapes: tuple[Solid, Solid],
    trees: Trees,
    parts: tuple[Any, ...],
    near: tuple[int, int],
    levels: int,
    limit: int,
    seconds: float | None,
) -> Distance:
    """Search from the roots, in slices where time may run out."""
    begin = time.perf_counter()
    state, answer = _state(near, 0), np.empty(kernels.ANSWER)
    spare = trees[0].depth + trees[1].depth
    queue = _queue(levels, spare)
    slice_ = limit if seconds is None else min(limit, _SLICE)
    kernels.advance(*parts, False, slice_, state, queue, answer)
    while seconds is not None and time.perf_counter() - begin < seconds:
        limit -= slice_
        if state[queue_kernels.OPEN] == 0 or answer[kernels.UPPER] == 0.0 or limit == 0:
            break
        slice_ = min(limit, _SLICE)
        kernels.advance(*parts, True, slice_, state, queue, answer)
    return _answer(shapes, trees, state, answer)


def _state(near: tuple[int, int], n_front: int) -> Any:
    return np.array((0, 0, -1, 0, 0, 0, *near, n_front))


def _queue(levels: int, spare: int) -> tuple[Any, ...]:
    """An empty queue of open pairs: Queue of search_tables as a plain tuple."""
    room = spare if levels == 1 else _ROOM + spare
    return np.empty((room, 2), np.int32), np.empty(room), np.empty(room, np.int32), np.empty(levels, np.int32), spare


def _answer(shapes: tuple[Solid, Solid], trees: Trees, state: Any, row: Floats) -> Distance:
    lower, upper, *_ = values = row.tolist()
    found = Distance(shapes, lower, upper, (row[2:5], row[5:8]))
    found.distance, found._meeting_width = values[kernels.NEAREST], _MEETING * values[kernels.ROUNDING]
    found._near = (
        int(trees[0].tree.order[state[search_kernels.BEST_A]]),
        int(trees[1].tree.order[state[search_kernels.BEST_B]]),
    )
    found._regions = int(values[kernels.REGION_A]), int(values[kernels.REGION_B])
    found.tested = int(state[search_kernels.VOLUMES]), int(state[search_kernels.TRIANGLES])
    return found


def _meet(found: Distance) -> None:
    found.distance = found.lower = found.upper = 0.0


def _account_for_nesting(found: Distance, X_WA: Pose, X_WB: Pose) -> None:
    """Parts that lie inside each other's material are not apart."""
    a, b = found._shapes
    inner = nested(a, b, X_WA, X_WB)
    if not inner:
        return
    _meet(found)
    near, region = found._near[inner == "b"], found._regions[inner == "b"]
    feature = feature_of(a if inner == "a" else b, near, region)
    found._features = (feature, INSIDE) if inner == "a" else (INSIDE, feature)
    if inner == "a":
        found.point_b = found.point_a
    else:
        found.point_a = found.point_b


class Follower:
    """What one answer along a motion leaves for the next: the pairs that were discarded, with their bounds."""

    __slots__ = ("busy", "clock", "fresh", "front", "n_pair", "queue", "room", "trees")

    def __init__(self, trees: Trees, room: int) -> None:
        self.trees = trees
        self.queue = _queue(_LEVELS, trees[0].depth + trees[1].depth)
        self.clock = np.zeros((1, CLOCK_WIDTH))
        self.n_pair = 0
        self.fresh = 0
        self.busy = threading.Lock()
        self.make_room(room)

    def make_room(self, room: int) -> None:
        """An empty front with room for this many pairs: Front of search_tables as a plain tuple."""
        self.room = room
        pairs, bounds, holder = np.empty((room, 2), np.int32), np.empty(room), np.empty(room, np.int8)
        self.front = pairs, bounds, holder, np.empty((room, 4)), np.empty(room, np.int32)


def _follow(
    shapes: tuple[Solid, Solid], trees: Trees, parts: tuple[Any, ...], near: tuple[int, int], start: Distance
) -> Distance:
    """Search from where an earlier answer left off."""
    follower = start._follower
    if follower is None or follower.trees != trees:
        follower = Follower(trees, _FRONT_ROOM)
    if not follower.busy.acquire(blocking=False):  # another thread follows the same motion
        return _search(shapes, trees, parts, near, _LEVELS, UNLIMITED, None)
    try:
        # A front only becomes finer; begin anew where it has grown too much finer than it need be.
        if follower.n_pair > _FINER * follower.fresh + _FEW_PAIRS:
            follower.n_pair = 0
        began_anew = follower.n_pair == 0
        state, answer = _state(near, follower.n_pair), np.empty(kernels.ANSWER)
        work = (follower.clock, state, follower.queue, follower.front)
        kernels.follow(*parts, *work, answer)
        found = _answer(shapes, trees, state, answer)
        n = int(state[search_kernels.FRONT])
        if found.upper == 0.0:
            n = 0  # the search ended at once, and has not seen everything
        elif n > follower.room:
            follower.make_room(2 * n)
            n = 0
        follower.n_pair = n
        if began_anew:
            follower.fresh = n
        found._follower = follower
        return found
    finally:
        follower.busy.release()
