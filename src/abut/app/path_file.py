"""Files of poses over time: CSV with rows time, x, y, z[, qw, qx, qy, qz], or JSON with the same.

JSON is a list of such rows or of objects {"time", "position", "quat_wxyz"}, or an object {"unit", "poses"} around it.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FileError, InputError, unreadable

if TYPE_CHECKING:
    from ..math import Pose


def read_path(path: Path, unit: str | None = None) -> tuple[list[float], list[Pose]]:
    """Times and poses of a path file; `unit` is that of positions, metres where neither it nor the file says."""
    from ..geometry.units import metres_per
    from ..math import Pose

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise unreadable(path, error) from None
    except UnicodeDecodeError:
        raise FileError(f"{path}: is not text; expected poses over time, as CSV or JSON") from None
    rows, stated = _json_rows(path, text) if text.lstrip()[:1] in ("[", "{") else (_csv_rows(path, text), None)
    if len(rows) < 2:
        raise FileError(f"{path}: a path needs at least two poses, this one has {len(rows)}")
    for i in range(1, len(rows)):
        if not rows[i][0] > rows[i - 1][0]:
            raise FileError(
                f"{path}: pose {i + 1} is at {rows[i][0]:g} s, not after {rows[i - 1][0]:g} s; sort the poses"
            )
    try:
        scale = metres_per(unit or stated or "m")
    except InputError as error:
        raise FileError(f"{path}: {error}") from None
    poses = [Pose([scale * x for x in row[1:4]], quat_wxyz=row[4:] or (1.0, 0.0, 0.0, 0.0)) for row in rows]
    return [row[0] for row in rows], poses


def _csv_rows(path: Path, text: str) -> list[list[float]]:
    lines = [line for line in csv.reader(text.splitlines()) if line and not line[0].lstrip().startswith("#")]
    if lines and not _is_number(lines[0][0]):
        lines = lines[1:]  # names of the columns
    return [_checked_row(path, i + 1, line) for i, line in enumerate(lines)]


def _json_rows(path: Path, text: str) -> tuple[list[list[float]], str | None]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise FileError(f"{path}: is no JSON (line {error.lineno}: {error.msg})") from error
    unit = document.get("unit") if isinstance(document, dict) else None
    entries = document.get("poses") if isinstance(document, dict) else document
    if not isinstance(entries, list):
        raise FileError(f'{path}: expected a list of poses, or an object with "poses"')
    return [_checked_row(path, i + 1, _flat(entry)) for i, entry in enumerate(entries)], unit


def _flat(entry: Any) -> Any:
    """An object as a row."""
    if not isinstance(entry, dict):
        return entry
    position, quaternion = entry.get("position"), entry.get("quat_wxyz", [])
    if not isinstance(position, list) or not isinstance(quaternion, list):
        return None
    return [entry.get("time"), *position, *quaternion]


def _checked_row(path: Path, number: int, row: Any) -> list[float]:
    from math import isfinite

    if not isinstance(row, list) or len(row) not in (4, 8) or not all(_is_number(cell) for cell in row):
        raise FileError(
            f"{path}: pose {number} is {row!r}; expected numbers: time, x, y, z, or time, x, y, z, qw, qx, qy, qz"
        )
    cells = [float(cell) for cell in row]
    if not all(isfinite(cell) for cell in cells):
        raise FileError(f"{path}: pose {number} is not finite")
    if len(cells) == 8 and not any(cells[4:]):
        raise FileError(f"{path}: pose {number} has a quaternion of zero length; no rotation is 1, 0, 0, 0")
    return cells


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True
