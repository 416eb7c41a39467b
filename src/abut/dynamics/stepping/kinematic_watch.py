"""Kinematic bodies go where they are sent, and neither they nor fixed ones give way: where they would overlap is noted.

Their motions in a step are known when it begins. Those of pairs that come near each other are checked as a whole; where
they touch, the parts are looked at there and after, as touching is no overlap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...contact import SweepAndPrune
from ...contact.boxes_kernels import boxes_over_motions
from ...geometry import Shape, is_half_space, size_of
from ...math import Motion, Pose
from ...query import intersect
from ...query.impact.impact import ImpactPair
from ..bodies.body import BodySpec
from ..bodies.body_kernels import DYNAMIC, FIXED, KINEMATIC
from ..moment import Moment
from ..state import Model, State
from .guard import LONGEST_TURN, LONGEST_WAY
from .kinematic_watch_kernels import find_ways
from .overlap import Overlap, overlap_between

TOUCHING = 1e-9
"""Share of the parts' size up to which an overlap counts as a touch."""
HALVINGS, STEPS = 12, 16
"""At how many times between the first touch and the end of a motion parts are looked at: ever nearer to the touch, and
all along the way."""
_PIECES = 500  # of a surface that are looked at for a depth: many moments of a step are asked about


class KinematicWatch:
    """Knows the pairs of bodies of which none can give way, and what was found of them."""

    def __init__(self, model: Model, specs: Sequence[BodySpec], contact_gap: float, level: str) -> None:
        kind = np.array([spec.kind for spec in specs], np.int32)
        self._specs, self._longest, self._level = specs, LONGEST_WAY * contact_gap, level
        self._bodies = np.flatnonzero(kind != DYNAMIC).astype(np.int32) if (kind == KINEMATIC).any() else kind[:0]
        n = len(self._bodies)
        self._shape = tuple(np.ascontiguousarray(t[self._bodies]) for t in (model.low, model.high, model.reach))
        self._boxes = (np.zeros((n, 3)), np.zeros((n, 3)))
        self._pose, self._way = np.zeros((n, 7)), np.zeros((n, 6))
        """Of the bodies that are watched, at the start of the step and over it."""
        self._filter = (np.ascontiguousarray(model.group[self._bodies]), kind[self._bodies] == FIXED)
        self._culling = SweepAndPrune(group=self._filter[0], fixed=self._filter[1])
        self._pairs: dict[tuple[int, int], _Pair] = {}

    def ignore(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Pairs of bodies that may overlap."""
        place = {int(body): k for k, body in enumerate(self._bodies)}
        mine = [(place[a], place[b]) for a, b in pairs if a in place and b in place]
        self._culling.set_filter(group=self._filter[0], fixed=self._filter[1], ignored=mine or None)

    def expect(self, state: State, dt: float) -> tuple[Overlap, ...]:
        """Pairs that overlap on their way through a step of length dt, which is about to begin in this state."""
        if len(self._bodies) < 2:
            return ()
        find_ways(self._bodies, state.kind, state.pose, state.twist, dt, self._pose, self._way)
        found = [self._pair(k, l).overlap(*(self._motion(i) for i in (k, l))) for k, l in self._near()]
        return tuple(overlap for overlap in found if overlap is not None)

    def confirm(self, expected: tuple[Overlap, ...], then: Moment) -> tuple[Overlap, ...]:
        """Those of the expected overlaps that came about, even if bodies were stopped on their way."""
        if then.report.time_given_up == 0.0 and self._level != "geometric":
            return expected
        number = {self._specs[body].name: k for k, body in enumerate(self._bodies)}
        pairs = [(number[overlap.a], number[overlap.b]) for overlap in expected]
        found = (self._pair(k, l).overlap(*(self._made(i, then.state) for i in (k, l))) for k, l in pairs)
        return tuple(overlap for overlap in found if overlap is not None)

    def _near(self) -> Iterator[tuple[int, int]]:
        """Pairs of watched bodies whose boxes around their ways meet, without half-spaces that do not reach the box."""
        low, high = self._boxes
        boxes_over_motions(*self._shape, self._pose, self._way, 0.0, low, high)
        for k, l in self._culling.pairs(low, high).tolist():
            if not (self._is_above(k, l) or self._is_above(l, k)):
                yield k, l

    def _is_above(self, k: int, plane: int) -> bool:
        """Whether the box of one body lies outside of another one that is a half-space at rest, or is one itself."""
        shape, other = self._specs[self._bodies[plane]].shape, self._specs[self._bodies[k]].shape
        if not is_half_space(shape) or self._way[plane].any():
            return not (shape.bounded or other.bounded)
        X = Pose.of_row(self._pose[plane])
        n = X.rotation @ shape.normal
        low, high = self._boxes[0][k], self._boxes[1][k]
        return bool(np.minimum(n * low, n * high).sum() > shape.offset + n @ X.position)

    def _pair(self, k: int, l: int) -> _Pair:
        if (k, l) not in self._pairs:
            specs = (self._specs[self._bodies[k]], self._specs[self._bodies[l]])
            self._pairs[k, l] = _Pair(*specs, self._longest)
        return self._pairs[k, l]

    def _motion(self, k: int) -> Motion:
        return Motion(Pose.of_row(self._pose[k]), self._way[k, :3], self._way[k, 3:])

    def _made(self, k: int, then: State) -> Motion:
        return Motion.between(Pose.of_row(self._pose[k]), Pose.of_row(then.pose[self._bodies[k]]))


class _Pair:
    """Two bodies that come near each other, and the answer for where they last stood still."""

    def __init__(self, a: BodySpec, b: BodySpec, longest: float) -> None:
        self._names, self._longest = (a.name, b.name), longest
        self._shapes: tuple[Shape, Shape] = (a.shape, b.shape)
        self._impact: ImpactPair | None = None
        self._touching = TOUCHING * sum(size_of(shape) for shape in self._shapes if shape.bounded)
        self._still: tuple[Pose, Pose] | None = None
        self._known: Overlap | None = None

    def overlap(self, a: Motion, b: Motion) -> Overlap | None:
        """The overlap at the end of two motions, or on the way if they have passed through each other."""
        still = not (a.displacement.any() or a.rotvec.any() or b.displacement.any() or b.rotvec.any())
        if still and self._still == (a.start, b.start):
            return self._known
        times = (1.0,) if still else self._times(a, b)
        found = (self._overlap_at(a.at(t), b.at(t)) for t in times)
        overlap = next((overlap for overlap in found if overlap is not None), None)
        self._still, self._known = (a.start, b.start) if still else None, overlap
        return overlap

    def _times(self, a: Motion, b: Motion) -> Sequence[float]:
        """When to look at the parts: at the end of their motions, and behind their first touch.

        Motions too long for a step to follow are looked at where they end and begin.
        """
        if max(np.abs(m.rotvec).max() for m in (a, b)) > LONGEST_TURN:
            return (1.0, 0.0)
        if max(np.abs(m.displacement).max() for m in (a, b)) > self._longest:
            return (1.0, 0.0)
        if self._impact is None:
            self._impact = ImpactPair(*self._shapes)
        touch = self._impact.time_of_impact(a, b)
        if touch is None:
            return ()
        first = touch.time
        near = 0.5 ** np.arange(HALVINGS + 1)
        shares = np.concatenate((near, np.arange(STEPS) / STEPS))
        return [float(first + (1.0 - first) * share) for share in shares]

    def _overlap_at(self, X_a: Pose, X_b: Pose) -> Overlap | None:
        if not intersect(*self._shapes, X_a, X_b):
            return None
        overlap = overlap_between(self._names, self._shapes, X_a, X_b, pieces=_PIECES)
        return None if overlap.depth <= self._touching and not overlap.same_place else overlap
