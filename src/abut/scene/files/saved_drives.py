"""Drives and measures of a scene as tables of a scene file."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from ...errors import InputError
from ...math import Pose
from .drives import (
    Action,
    Constant,
    Drives,
    Formula,
    HandDrive,
    PushDrive,
    Rows,
    SkinHandDrive,
    TrackDrive,
    VectorAt,
    VelocityDrive,
)
from .expressions import TIME, Expression
from .measures import QUANTITIES, Measure, PlaceMeasure, ReachedMeasure
from .tracks import Track


def drive_tables(drive: object) -> tuple[dict[str, Any], dict[str, float]]:
    """Tables of drives, and the parameters their expressions name; a function of Python is refused by its name."""
    if drive is None:
        return {}, {}
    if not isinstance(drive, Drives):
        name = getattr(drive, "__qualname__", type(drive).__qualname__)
        raise InputError(
            f"drive: {name} is code of Python, which a scene file cannot hold; write drives into the file, "
            "or save the world alone"
        )
    tables, parameters = {}, dict[str, float]()
    for i, (start, end, action) in enumerate(drive.actions):
        table = {"body": action.body, **_told(action, parameters)}
        table |= {"start": start} if start > 0.0 else {}
        table |= {"end": end} if end < inf else {}
        tables[f"{action.body} {i}"] = table
    return tables, parameters


def _told(action: Action, parameters: dict[str, float]) -> dict[str, Any]:
    if isinstance(action, PushDrive):
        point = {} if action.point is None else {"point": list(action.point)}
        return _vectors(action, ("force", "torque"), parameters) | point
    if isinstance(action, VelocityDrive):
        return _vectors(action, ("velocity", "angular_velocity"), parameters)
    if isinstance(action, TrackDrive):
        return {"track": _track(action.track)}
    return {"hand": _hand(action)}


def _hand(action: HandDrive | SkinHandDrive) -> dict[str, Any]:
    target = {"track": _track(action.target)} if isinstance(action.target, Track) else pose_keys(action.target)
    ahead = {"ahead": dict(action.ahead)} if isinstance(action, HandDrive) and action.ahead else {}
    point = {} if action.point is None else {"point": list(action.point)}
    return {**target, **action.grip, **ahead, **point}


def _vectors(action: Action, words: tuple[str, ...], parameters: dict[str, float]) -> dict[str, Any]:
    given: Mapping[str, VectorAt | None] = {word: getattr(action, word) for word in words}
    return {word: _vector(value, parameters) for word, value in given.items() if value is not None}


def _vector(vector: VectorAt, parameters: dict[str, float]) -> Any:
    if isinstance(vector, Constant):
        return list(vector.value)
    if isinstance(vector, Rows):
        pairs = zip(vector.times.tolist(), vector.vectors.tolist(), strict=True)
        return [{"time": time, "value": value} for time, value in pairs]
    assert isinstance(vector, Formula)
    for number in vector.numbers:
        if isinstance(number, Expression):
            parameters |= {name: vector.values[name] for name in number.names if name != TIME}
    return [f"={number.text}" if isinstance(number, Expression) else number for number in vector.numbers]


def _track(track: Track) -> list[dict[str, Any]]:
    rows = zip(track.times.tolist(), track.poses.tolist(), strict=True)
    return [{"time": time, "position": row[:3], "quat_wxyz": row[3:]} for time, row in rows]


def pose_keys(pose: Pose) -> dict[str, Any]:
    """A pose as keys of a table."""
    keys: dict[str, Any] = {"position": pose.position.tolist()}
    quat = pose.quat_wxyz.tolist()
    return keys if quat == [1.0, 0.0, 0.0, 0.0] else {**keys, "quat_wxyz": quat}


def measure_table(measure: Measure) -> Any:
    """A measure as a sentence or a table."""
    if isinstance(measure, ReachedMeasure):
        angle = {} if measure.angle is None else {"angle": measure.angle}
        return {"reached": {"body": measure.body, **pose_keys(measure.pose), "within": measure.within, **angle}}
    if isinstance(measure, PlaceMeasure):
        place = {"body": measure.body, "point": list(measure.point), "axis": measure.axis, "how": measure.how}
        return {"place": place}
    how = "" if measure.how in (QUANTITIES[measure.what].how, "sum") else f"{measure.how} "
    bodies = f" of {' and '.join(measure.bodies)}" if measure.bodies else ""
    when = "" if measure.when is None else f" at {measure.when!r}"
    return f"{how}{measure.what}{bodies}{when}"
