"""Tracks: poses over time, as rows of a scene file or of a CSV file."""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats
from ...errors import FileError, InputError, unreadable
from ...math import Pose
from .place import pose_of

if TYPE_CHECKING:
    from .model import TrackRow

COLUMNS = ("time", "x", "y", "z", "qw", "qx", "qy", "qz")
"""Of a CSV file [s, m]."""


@dataclass(frozen=True, eq=False)
class Track:
    """A pose at any time: straight between its rows, turning evenly the short way round; still before and after."""

    times: Floats
    """(n,) [s], ascending."""
    poses: Floats
    """(n, 7) x y z qw qx qy qz."""

    @cached_property
    def _moments(self) -> list[float]:
        return [float(time) for time in self.times]

    @cached_property
    def _ends(self) -> tuple[Pose, Pose]:
        """The first and the last pose."""
        return Pose.of_row(self.poses[0]), Pose.of_row(self.poses[-1])

    def at(self, time: float) -> Pose:
        """The pose at a time [s]."""
        k = bisect_right(self._moments, time)
        if k == 0 or k == len(self._moments):
            return self._ends[k > 0]
        begin, end = self.poses[k - 1], self.poses[k]
        share = (time - self.times[k - 1]) / (self.times[k] - self.times[k - 1])
        row = begin + share * (end - begin)
        row[3:] = _turned(begin[3:], end[3:], share)
        return Pose.of_row(row)


def track_of_rows(rows: Sequence[TrackRow]) -> Track:
    """From the rows of a scene file."""
    times, poses = [row.time for row in rows], [pose_of(row).row for row in rows]
    return _checked(np.array(times, float), np.array(poses).reshape(-1, 7))


def read_track(file: Path) -> Track:
    """From a CSV file whose first line names the columns."""
    try:
        with file.open(newline="") as stream:
            rows = list(csv.reader(stream))
    except OSError as error:
        raise unreadable(file, error) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(f"{file}: is no CSV file ({error})") from None
    if not rows or tuple(name.strip() for name in rows[0]) != COLUMNS:
        raise FileError(f"{file}: expected the columns {','.join(COLUMNS)}, got {','.join(rows[0] if rows else [])!r}")
    try:
        table = np.array([row for row in rows[1:] if row], float).reshape(-1, len(COLUMNS))
    except ValueError as error:
        raise FileError(f"{file}: expected {len(COLUMNS)} numbers in every line ({error})") from None
    try:
        return _checked(table[:, 0], table[:, 1:])
    except InputError as error:
        raise FileError(f"{file}: {error}") from None


def _checked(times: Floats, poses: Floats) -> Track:
    if len(times) == 0:
        raise InputError("the track has no rows; expected at least one time and pose")
    if not (np.isfinite(times).all() and np.isfinite(poses).all()):
        raise InputError("the track has numbers that are not finite")
    if (np.diff(times) <= 0.0).any():
        row = int((np.diff(times) <= 0.0).argmax()) + 1
        raise InputError(
            f"time {times[row]:g} of row {row} does not come after {times[row - 1]:g}; sort the rows by time"
        )
    if not (np.linalg.norm(poses[:, 3:], axis=1) > 0.0).all():
        raise InputError("the track has a quaternion of zero length")
    return Track(times, poses)


def _turned(begin: Floats, end: Floats, share: float) -> Floats:
    """Between two quaternions, at constant rate (slerp)."""
    cosine = float(begin @ end)
    if cosine < 0.0:
        end, cosine = -end, -cosine
    if cosine > 1.0 - 1e-12:
        return np.asarray(begin + share * (end - begin))
    angle = np.arccos(min(cosine, 1.0))
    return np.asarray((np.sin((1.0 - share) * angle) * begin + np.sin(share * angle) * end) / np.sin(angle))
