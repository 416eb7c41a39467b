"""Can a part be moved along a path without touching anything?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, count, flag, number, values
from ...errors import InputError
from ...geometry import Shape
from ...math import Motion, Pose
from ...math.pose import as_pose
from ..distance.distance import Distance, distance
from ..features import shape_of
from .impact import Impact, ImpactPair

_LEAST_WAY = 1e-9
"""Of the parts' size: how far a part that leaves another has gone when its distance is first measured."""
_UNCLEAR = 8.0
"""In such ways: rounding may hide until then that a distance grows."""


@dataclass(frozen=True, eq=False)
class PathTouch:
    """Where a part that moves along a path first touches another."""

    segment: int
    """The touch is between poses `segment` and `segment + 1`."""
    time: float
    """In the times of the path; never late."""
    other: int
    """Which of the others is touched."""
    pose: Pose
    """Of the moving part at that time."""
    impact: Impact
    """Point, normal and features; its `time` runs from 0 to 1 over the segment, or over what was left of it after a
    touch at the start had opened."""


@dataclass(frozen=True, eq=False)
class SweptPath:
    """What moving a part along a path brings; true where nothing is touched."""

    touch: PathTouch | None
    """The first touch, None if the path is free."""
    times: Floats
    """(n,) at which the clearance was measured."""
    poses: tuple[Pose, ...]
    """(n,) of the moving part at these times."""
    clearance: Floats
    """(n, n_other) [m] distance of the part to each of the others at these times, 0 where they meet."""

    @property
    def free(self) -> bool:
        """Whether the whole path is free."""
        return self.touch is None

    def __bool__(self) -> bool:
        return self.free


def swept_free(
    a: Shape,
    path: Sequence[Any],
    others: Any,
    *,
    times: ArrayLike | None = None,
    gap: float = 0.0,
    samples: int = 1,
    touching: bool = False,
) -> SweptPath:
    """Whether `a` can be moved through the poses of `path` without coming within `gap` [m] of any of the others.

    Between two poses the part moves straight and turns the shortest way. `others` is a shape or a sequence of shapes
    or of (shape, pose) pairs, which rest. `times` are those of the poses, 0, 1, 2, ... by default. The whole path is
    checked, not samples of it; `samples` per segment is how often the clearance is measured for the table.

    With `touching` a part may touch others, or be within the gap of them, where the path starts, as long as that opens:
    from 1e-9 of the parts' size on, their distance must grow until it is more than the gap.
    """
    poses = [as_pose(f"path[{i}]", pose) for i, pose in enumerate(_listed("path", path, "poses"))]
    if len(poses) < 2:
        raise InputError(f"path: expected at least two poses, got {len(poses)}")
    clock = _checked_times(times, len(poses))
    placed = _checked_others(others)
    gap, samples = number("gap", gap, least=0.0), count("samples", samples, least=1)
    motions = [Motion.between(one, two) for one, two in pairwise(poses)]
    leaving = set(range(len(placed))) if flag("touching", touching) else set()
    touch = _first_touch(shape_of("a", a), motions, placed, clock, gap, leaving)
    return SweptPath(touch, *_clearances(a, motions, placed, clock, samples))


def _listed(name: str, value: Any, what: str) -> list[Any]:
    try:
        return list(value)
    except TypeError:
        raise InputError(f"{name}: expected a sequence of {what}, got {type(value).__name__}") from None


def _checked_times(times: ArrayLike | None, n: int) -> Floats:
    if times is None:
        return np.arange(n, dtype=float)
    clock = values("times", times, n)
    if not (np.diff(clock) > 0.0).all():
        row = int(np.argmin(np.diff(clock) > 0.0))
        raise InputError(f"times: expected increasing numbers, got {clock[row]:g} and then {clock[row + 1]:g}")
    return clock


def _checked_others(others: Any) -> list[tuple[Shape, Pose]]:
    if isinstance(others, Shape):
        others = [others]
    placed = []
    for i, other in enumerate(_listed("others", others, "parts")):
        shape, pose = other if isinstance(other, tuple | list) and len(other) == 2 else (other, None)
        placed.append((shape_of(f"others[{i}]", shape), as_pose(f"others[{i}]", pose)))
    if not placed:
        raise InputError("others: expected at least one part, got none")
    return placed


def _first_touch(
    a: Shape, motions: list[Motion], others: list[tuple[Shape, Pose]], clock: Floats, gap: float, leaving: set[int]
) -> PathTouch | None:
    """The first touch; of those that are `leaving`, one that they begin with does not count while it opens."""
    pairs = [ImpactPair(a, shape) for shape, _ in others]
    for segment, motion in enumerate(motions):
        impacts = [
            (time, i, impact)
            for i, (pair, (_, X)) in enumerate(zip(pairs, others, strict=True))
            for time, impact in _touch_of_pair(pair, motion, X, gap, i, leaving)
        ]
        if impacts:
            time, i, impact = min(impacts, key=lambda found: found[:2])
            when = clock[segment] + time * (clock[segment + 1] - clock[segment])
            return PathTouch(segment, float(when), i, motion.at(time), impact)
    return None


def _touch_of_pair(
    pair: ImpactPair, motion: Motion, X: Pose, gap: float, i: int, leaving_io: set[int]
) -> list[tuple[float, Impact]]:
    """The first touch of two parts in a segment with its time there, or nothing."""
    impact = pair.time_of_impact(motion, X, gap)
    if i in leaving_io and impact is not None and impact.time == 0.0 and not impact.overlapping:
        opened = _time_opened(pair, motion, X, gap)
        if opened is None:
            return [(0.0, impact)]
        if opened >= 1.0:
            return []
        leaving_io.discard(i)
        later = pair.time_of_impact(Motion.between(motion.at(opened), motion.at(1.0)), X, gap)
        return [] if later is None else [(opened + (1.0 - opened) * later.time, later)]
    leaving_io.discard(i)
    return [] if impact is None else [(impact.time, impact)]


def _time_opened(pair: ImpactPair, motion: Motion, X: Pose, gap: float) -> float | None:
    """When parts that start within the gap are out of it, 1 if not in this motion; None where their distance shrinks.

    It is measured at times that double, as the distance of parts that leave each other does.
    """
    clear = gap + 2.0 * pair.tolerance(gap)
    way = float(np.linalg.norm(motion.displacement)) + pair.size * float(np.linalg.norm(motion.rotvec))
    if way == 0.0:
        return None
    first = min(1.0, _LEAST_WAY * pair.size / way)
    last = distance(pair.a, pair.b, motion.start, X).distance
    for t in np.minimum(first * 2.0 ** np.arange(np.ceil(-np.log2(first)) + 1.0), 1.0).tolist():
        apart = distance(pair.a, pair.b, motion.at(t), X).distance
        if apart <= last and t > _UNCLEAR * first:
            return None
        if apart > clear:
            return float(t)
        last = apart
    return 1.0


def _clearances(
    a: Shape, motions: list[Motion], others: list[tuple[Shape, Pose]], clock: Floats, samples: int
) -> tuple[Floats, tuple[Pose, ...], Floats]:
    """Times, poses and the distance to each of the others there."""
    share = np.arange(samples) / samples
    times = np.append((clock[:-1, None] + share * np.diff(clock)[:, None]).ravel(), clock[-1])
    poses = [motion.at(float(s)) for motion in motions for s in share] + [motions[-1].at(1.0)]
    clearance = np.empty((len(poses), len(others)))
    for j, (shape, X) in enumerate(others):
        last: Distance | None = None
        for i, pose in enumerate(poses):
            # Each answer is where the search for the next one begins.
            last = distance(a, shape, pose, X, start=last if last is not None and last.upper > 0.0 else None)
            clearance[i, j] = last.distance
    return times, tuple(poses), clearance
