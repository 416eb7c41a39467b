"""When do two moving parts first touch?"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from math import inf, sqrt
from typing import Any

import numpy as np

from ...arrays import TINY, Floats, number
from ...errors import InputError
from ...geometry import Shape, is_polyhedron
from ...math import Motion, Pose
from ...math.motion import as_motion
from ..distance.distance import distance
from ..features import Feature, are_polyhedra, shape_of
from ..intersection.intersect import Intersection, intersect
from ..intersection.overlap import overlaps
from ..motion.motion_check_kernels import CERTAINLY_MORE
from ..motion.motion_pair import Hits, MotionPair, as_tuples
from ..motion.relative_motion_kernels import bounds_of_chords, part_of_motion
from ..volumes.hierarchy import hierarchy_of
from .kept_path import KeptPath
from .swept_search_kernels import FOUND, NOTHING, first_touch
from .touching import Touch, features_of_hit, touch_of_hit, touch_of_shapes, touch_of_triangles

FindTouch = Callable[[], Touch]

_EFFORT = (20000, 1000)
"""Pairs of nodes looked at before a motion is cut into windows, at most and without any progress."""
_LARGEST_TURN = 0.3
"""[rad] turned in one window; paths are nearly straight then."""
_LARGEST_BEND = 0.04
"""Of an edge's length: four times as far as paths in one window may bend away from their chords."""
_OF_CLEARANCE, _LEAST_BEND = 0.25, 1e-3
"""Of the clearance, and at least of the parts' size: the same where parts are near each other."""
_LONGEST_WAY = 20.0
"""In sizes of the parts: the longest way in one window."""
_TRIED = 64
"""Touching pairs looked through for one with a face."""
_LEAST_STEP = 0.02
"""Conservative advancement goes on while a step is at least this share of the motion."""


class Impact:
    """The first touch of two parts during a motion, or an overlap at its start.

    Where it is and between which features is worked out when it is first asked for.
    """

    time: float
    """In [0, 1], never later than the true first time at which the parts are within the gap."""
    overlapping: bool
    """Whether the parts overlap at the start of the motion; the time is 0 then."""

    def __init__(
        self,
        time: float,
        find_touch: Callable[[], Touch],
        find_features: Callable[[float], list[tuple[Feature, Feature]]],
        overlap: Intersection | None = None,
    ) -> None:
        self.time = time
        self.overlapping = overlap is not None
        self._overlap = overlap
        self._find_touch = find_touch
        self._find_features = find_features

    @property
    def depth(self) -> float | None:
        """[m] how far surface points of one part lie under the other's surface at the start; None where they do not
        overlap. Found when it is first asked for, as by `intersect`.
        """
        return None if self._overlap is None else self._overlap.depth

    @cached_property
    def _touch(self) -> Touch:
        return self._find_touch()

    @property
    def distance(self) -> float:
        """[m] of the parts at that time: at most gap + tolerance; 0 where they overlap at the start."""
        return self._touch.distance

    @property
    def point_a(self) -> Floats:
        """(3,) where A touches, in the world [m]."""
        return self._touch.point_a

    @property
    def point_b(self) -> Floats:
        """(3,) where B touches, in the world [m]."""
        return self._touch.point_b

    @property
    def point(self) -> Floats:
        """(3,) midway between the two points, in the world [m]."""
        return np.asarray(0.5 * (self.point_a + self.point_b))

    @property
    def normal(self) -> Floats:
        """(3,) unit vector from A to B."""
        return self._touch.normal

    @property
    def feature_a(self) -> Feature:
        """Vertex, edge or face of A that touches."""
        return self._touch.feature_a

    @property
    def feature_b(self) -> Feature:
        """Vertex, edge or face of B that touches."""
        return self._touch.feature_b

    @cached_property
    def features(self) -> tuple[tuple[Feature, Feature], ...]:
        """All pairs of features that touch within the window after this time, the earliest first."""
        first = (self.feature_a, self.feature_b)
        return (first,) if self.overlapping else tuple(dict.fromkeys((first, *self._find_features(self.time))))

    def __repr__(self) -> str:
        what = "overlapping" if self.overlapping else f"{self.feature_a.kind}-{self.feature_b.kind}"
        return f"Impact(time {self.time:.9g}, {what})"


def time_of_impact(
    a: Shape,
    b: Shape,
    motion_a: Any = None,
    motion_b: Any = None,
    gap: float = 0.0,
    *,
    tolerance: float | None = None,
    window: float = 1e-3,
) -> Impact | None:
    """When A and B first come within `gap` [m] of each other during their motions; None if they do not.

    A motion is a pair of poses (shortest rotation), a `Motion` with any number of turns, or a pose for a part at rest.
    A touch at the very end of a motion belongs to the next one. The time is never late, and early by so little that
    the distance is at most gap + tolerance then; the default tolerance is a thousandth of the gap, at least 1e-9 of the
    parts' size. Parts that are within the gap to begin with touch at time 0, whatever they do next; those that overlap
    by more than the tolerance are reported as `overlapping`. `Impact.features` lists what touches within `window`, a
    share of the motion, after the first touch.
    """
    return ImpactPair(a, b).time_of_impact(motion_a, motion_b, gap, tolerance=tolerance, window=window)


class ImpactPair:
    """Two parts whose motions are checked again and again.

    It remembers a path along which the parts were apart and by how much, and what lies near each feature, so that
    small motions that can reach nothing cost little. Answers never depend on it.
    """

    def __init__(self, a: Shape, b: Shape) -> None:
        self.a, self.b = shape_of("a", a), shape_of("b", b)
        if not (a.bounded or b.bounded):
            raise InputError("a, b: two half-spaces have no bounds; give one of the two as a Solid")
        self.solids = are_polyhedra(a, b)
        self._reach = _reach(a), _reach(b)
        self.size = _extent(a) + _extent(b)
        """[m] of both parts together."""
        self._kept = KeptPath(a, b)
        self._near = False
        self._distance_kept = 0.0

    def tolerance(self, gap: float) -> float:
        """[m] the default for a gap."""
        return max(1e-3 * gap, 1e-9 * self.size)

    @cached_property
    def _features(self) -> MotionPair:
        return MotionPair(self.a, self.b)

    def time_of_impact(
        self,
        motion_a: Any = None,
        motion_b: Any = None,
        gap: float = 0.0,
        *,
        tolerance: float | None = None,
        window: float = 1e-3,
    ) -> Impact | None:
        """As the function `time_of_impact`."""
        gap = number("gap", gap, least=0.0)
        tolerance = self.tolerance(gap) if tolerance is None else number("tolerance", tolerance, above=0.0)
        window = number("window", window, least=0.0)
        motions = as_motion("motion_a", motion_a), as_motion("motion_b", motion_b)
        started_apart, whole = self._kept.proves(motions, gap + CERTAINLY_MORE * tolerance)
        return None if whole else self._answer(motions, started_apart, gap, tolerance, window)

    def _answer(self, motions: Any, started_apart: bool, gap: float, tolerance: float, window: float) -> Impact | None:
        tuples = as_tuples(motions[0]), as_tuples(motions[1])
        find_features = partial(self._features_after, tuples, gap, tolerance, window)
        if not started_apart:
            overlap = self._overlap(motions, tolerance, find_features)
            if overlap is not None:
                return overlap
        time, touch = self._first_touch(motions, tuples, gap, tolerance)
        if touch is None:
            self._remember(motions, tuples, gap)
            return None
        # Parts that are within the gap to begin with are known to be apart, but not by how much.
        self._kept.keep_pose(tuples, time, gap if time > 0.0 else 0.0)
        return Impact(time, touch, find_features)

    def _remember(self, motions: Any, tuples: Any, gap: float) -> None:
        """How far apart the parts were during a motion without a touch, or are now."""
        if self._near:
            self._kept.keep(tuples, self._distance_kept, gap)
        else:
            effort = 300 if self.solids else None
            X_a, X_b = motions[0].at(1.0), motions[1].at(1.0)
            self._kept.keep_pose(tuples, 1.0, max(gap, distance(self.a, self.b, X_a, X_b, pairs=effort).lower))

    def _overlap(self, motions: Any, tolerance: float, find_features: Any) -> Impact | None:
        X_a, X_b = motions[0].start, motions[1].start
        found = intersect(self.a, self.b, X_a, X_b, every=False)
        if not found:
            return None
        if not overlaps(self.a, self.b, X_a, X_b, found, tolerance):
            return Impact(0.0, partial(self._touch_at_start, motions, tolerance), find_features)
        return Impact(0.0, partial(touch_of_shapes, self.a, self.b, X_a, X_b, inf), find_features, found)

    def _touch_at_start(self, motions: Any, tolerance: float) -> Touch:
        """What touches at the start, if possible on a face: that has a normal."""
        at_rest = Motion(motions[0].start), Motion(motions[1].start)
        hits = self._features.check_tuples(as_tuples(at_rest[0]), as_tuples(at_rest[1]), tolerance, tolerance)
        touches = [self._describe(at_rest, 0.0, hits, k, tolerance) for k in range(min(len(hits), _TRIED))]
        on_face = (touch for touch in touches if "face" in (touch.feature_a.kind, touch.feature_b.kind))
        X_a, X_b = at_rest[0].start, at_rest[1].start
        return next(on_face, None) or (touches or [touch_of_shapes(self.a, self.b, X_a, X_b, tolerance)])[0]

    def _first_touch(self, motions: Any, tuples: Any, gap: float, tolerance: float) -> tuple[float, FindTouch | None]:
        """Search and windows in turn: the search strides through free space, windows creep through narrow places."""
        t, patience, windows = 0.0, 1, int(self._near)
        clearance, self._distance_kept = inf, 0.0
        while t < 1.0:
            if windows == 0:
                before = t
                t, touch, clearance, done = self._stride(motions, tuples, t, gap, tolerance)
                if done:
                    self._near = False
                    return t, touch
                self._near = True
                windows, patience = patience, 2 * patience
                if t - before > _LEAST_STEP:
                    patience = 1
            h = self._window(tuples, t, clearance - gap)
            hits = self._features.check_tuples(
                part_of_motion(tuples[0], t, h), part_of_motion(tuples[1], t, h), gap, tolerance, window=0.0
            )
            if len(hits):
                t += h * float(hits.time[0])
                return t, partial(self._describe, motions, t, hits, 0)
            if h == 1.0:
                apart = self._features.apart - self._features.a.radius - self._features.b.radius
                self._distance_kept = apart if apart < inf else 0.0
            t = min(1.0, t + h)
            windows -= 1
        return 1.0, None

    def _stride(
        self, motions: Any, tuples: Any, t: float, gap: float, tolerance: float
    ) -> tuple[float, FindTouch | None, float, bool]:
        """As far as a search in the order of time gets: time, touch, least distance seen, and whether it is settled."""
        if not self.solids:
            return self._advance(motions, tuples, t, gap, tolerance)
        pairs, keys = np.empty((2 * _EFFORT[0], 2), np.int32), np.empty(2 * _EFFORT[0])
        leaves = np.empty(2, np.int64)
        trees = hierarchy_of(self.a), hierarchy_of(self.b)
        time, status, nearest = first_touch(
            (trees[0].part, trees[1].part), tuples, (t, 1.0), (gap, tolerance), _EFFORT, (pairs, keys), leaves
        )
        if status == NOTHING:
            return 1.0, None, nearest, True
        if status == FOUND:
            i, j = int(trees[0].tree.order[leaves[0]]), int(trees[1].tree.order[leaves[1]])
            return time, partial(self._touch_of_triangles, motions, time, i, j), nearest, True
        return time, None, nearest, False

    def _advance(
        self, motions: Any, tuples: Any, t: float, gap: float, tolerance: float
    ) -> tuple[float, FindTouch | None, float, bool]:
        """The same by conservative advancement, for shapes that are not polyhedra."""
        while True:
            X_a, X_b = motions[0].at(t), motions[1].at(t)
            apart = distance(self.a, self.b, X_a, X_b).lower
            if apart <= gap + tolerance:
                return t, partial(touch_of_shapes, self.a, self.b, X_a, X_b), apart, True
            step = (apart - gap) / max(self._speed(tuples, t), TINY)
            if t + step >= 1.0:
                return 1.0, None, apart, True
            if step < _LEAST_STEP:
                return t, None, apart, False
            t += step * (1.0 - 1e-12)

    def _speed(self, tuples: Any, t: float) -> float:
        """Bound of the speed at which any two points approach each other from time `t` on."""
        rest = [part_of_motion(motion, t, 1.0 - t) for motion in tuples]
        a_in_b, b_in_a = bounds_of_chords(*rest), bounds_of_chords(*rest[::-1])
        bounds = zip((a_in_b, b_in_a), self._reach, strict=True)
        seen = [speed + spin * reach for (speed, spin, _, _), reach in bounds if reach < inf]
        return float(min(seen)) / (1.0 - t)

    def _window(self, tuples: Any, t: float, clearance: float) -> float:
        """How much of the motion to check at once: so little that paths are straight to a part of the clearance."""
        rest = [part_of_motion(motion, t, 1.0 - t) for motion in tuples]
        reach = min(self._reach)
        first, second = (rest[0], rest[1]) if self._reach[0] <= self._reach[1] else (rest[1], rest[0])
        speed, spin, bend, bend_per_arm = bounds_of_chords(first, second)
        size = min(self._features.a.size, self._features.b.size)
        room = max(_OF_CLEARANCE * min(clearance, _LARGEST_BEND * size), _LEAST_BEND * size)
        share = min(1.0, sqrt(room / max(bend + bend_per_arm * reach, TINY)))
        turn = sum(sqrt(sum(x * x for x in motion[2])) for motion in rest)
        share = min(share, _LARGEST_TURN / max(turn, TINY), _LONGEST_WAY * size / max(speed + spin * reach, TINY))
        return float(min(share, 1.0) * (1.0 - t))

    def _touch_of_triangles(self, motions: Any, t: float, i: int, j: int) -> Touch:
        return touch_of_triangles(self.a, self.b, motions[0].at(t), motions[1].at(t), i, j)

    def _describe(self, motions: Any, t: float, hits: Hits, k: int, indistinct: float = 0.0) -> Touch:
        X_a, X_b = motions[0].at(t), motions[1].at(t)
        if not self.solids:
            return touch_of_shapes(self.a, self.b, X_a, X_b, indistinct)
        return touch_of_hit(self.a, self.b, X_a, X_b, int(hits.kind[k]), int(hits.a[k]), int(hits.b[k]), indistinct)

    def _features_after(
        self, tuples: Any, gap: float, tolerance: float, window: float, time: float
    ) -> list[tuple[Feature, Feature]]:
        """Pairs of features that come within gap + tolerance from `time` on."""
        h = min(window, 1.0 - time)
        m_a, m_b = part_of_motion(tuples[0], time, h), part_of_motion(tuples[1], time, h)
        hits = self._features.check_tuples(m_a, m_b, gap + tolerance, tolerance)
        m_a, m_b = _motion_of(m_a), _motion_of(m_b)
        found = zip(hits.time.tolist(), hits.kind.tolist(), hits.a.tolist(), hits.b.tolist(), strict=True)
        return [features_of_hit(self.a, self.b, m_a.at(t), m_b.at(t), *hit) for t, *hit in found]


def _motion_of(motion: Any) -> Motion:
    """The inverse of `as_tuples`."""
    (R, p), d, r = motion
    M = np.eye(4)
    M[:3, :3], M[:3, 3] = np.reshape(R, (3, 3)), p
    return Motion(Pose.from_matrix(M), d, r)


def _reach(shape: Shape) -> float:
    """Radius about the frame's origin of the points that turning the shape moves."""
    return hierarchy_of(shape).reach if is_polyhedron(shape) else shape.core_ball[1]


def _extent(shape: Shape) -> float:
    """[m] how large it is; half-spaces do not count."""
    if is_polyhedron(shape):
        return hierarchy_of(shape).extent
    return 2.0 * shape.reach if shape.bounded else 0.0


__all__ = ["Impact", "ImpactPair", "time_of_impact"]
