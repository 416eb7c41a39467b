"""A hand's track: everything it did, each with the number of the step before which it was done.

A file of it has one JSON object a line: first the head, then the actions by ascending step.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import FileError, unreadable
from .actions import KINDS, Action

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FORMAT = 1
"""Of track files; a newer one is refused."""
LATEST = 1e300
"""[s] at which a track may begin."""
LARGEST = 256 * 2**20
"""[bytes] of a track file."""
_WORDS = {kind: word for word, kind in KINDS.items()}


@dataclass(frozen=True)
class HandTrack:
    """What a hand did to a world that begins at a time."""

    begin: float
    """[s] time of the world before its first step."""
    driven: bool
    """Whether the scene's own hands and forces act at the start."""
    rows: tuple[tuple[int, Action], ...]
    """Steps, from 0 and ascending, before which something was done, and what."""


def write_hand_track(track: HandTrack) -> bytes:
    """Content of a track file."""
    head = {"format": FORMAT, "begin": track.begin, "driven": track.driven}
    rows = ({"step": step, "do": _WORDS[type(action)], **asdict(action)} for step, action in track.rows)
    return "".join(f"{json.dumps(row)}\n" for row in (head, *rows)).encode()


def read_hand_track(file: Path, bodies: Iterable[str]) -> HandTrack:
    """The track of a file; `bodies` are the names that it may speak of."""
    lines = _lines(file)
    head = _table(file, 1, lines[0]) if lines else {}
    if head.get("format") != FORMAT:
        raise FileError(f"{file}: is no track of a hand of format {FORMAT}; expected one that abut play kept")
    if not _is_time(head.get("begin")) or not isinstance(head.get("driven"), bool):
        raise FileError(f"{file}: line 1: expected begin [s] and driven (true or false)")
    known = frozenset(bodies)
    rows = [(i, *_row(file, i, line, known)) for i, line in enumerate(lines[1:], start=2) if line.strip()]
    _check_order(file, [(line, step) for line, step, _ in rows])
    return HandTrack(float(head["begin"]), head["driven"], tuple((step, action) for _, step, action in rows))


def _is_time(value: object) -> bool:
    """Whether it is a number that a float can hold; JSON as Python reads it knows others."""
    return isinstance(value, float | int) and not isinstance(value, bool) and abs(value) < LATEST


def _lines(file: Path) -> list[bytes]:
    try:
        if file.stat().st_size > LARGEST:
            raise FileError(f"{file}: is larger than {LARGEST:,} bytes; is it the track of a hand?")
        return file.read_bytes().splitlines()
    except OSError as error:
        raise unreadable(file, error) from None


def _table(file: Path, line: int, text: bytes) -> dict[str, Any]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):
        raise FileError(f"{file}: line {line} is no JSON; the track of a hand has an object a line") from None
    if not isinstance(table, dict):
        raise FileError(f"{file}: line {line}: expected an object, got {type(table).__name__}")
    return table


def _row(file: Path, line: int, text: bytes, bodies: frozenset[str]) -> tuple[int, Action]:
    table = _table(file, line, text)
    step, word = table.pop("step", None), table.pop("do", None)
    if not isinstance(step, int) or isinstance(step, bool) or step < 0:
        raise FileError(f"{file}: line {line}: expected the number of a step, got {step!r}")
    if not isinstance(word, str) or word not in KINDS:
        raise FileError(f"{file}: line {line}: there is no {word!r} to do; there are {', '.join(KINDS)}")
    action = _action(file, line, word, table)
    body = getattr(action, "body", None)
    if body is not None and body not in bodies:
        raise FileError(f"{file}: line {line}: there is no body {body!r} in the scene")
    return step, action


def _action(file: Path, line: int, word: str, table: dict[str, Any]) -> Action:
    from pydantic import ValidationError

    try:
        action: Action = _reader(word).validate_python(table)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise FileError(f"{file}: line {line}: {word} {where}: {fault['msg'].lower()}") from None
    return action


@cache
def _reader(word: str) -> TypeAdapter[Any]:
    """Checks the numbers and words of an action."""
    from pydantic import ConfigDict, TypeAdapter, with_config

    config = ConfigDict(extra="forbid", allow_inf_nan=False)
    return TypeAdapter(with_config(config)(KINDS[word]))


def _check_order(file: Path, rows: Sequence[tuple[int, int]]) -> None:
    for (_, before), (line, step) in pairwise(rows):
        if step < before:
            raise FileError(f"{file}: line {line}: step {step} comes after step {before}; sort the lines")
