"""What a page may ask for: a few words with numbers, checked before anything is done with them.

Nothing here names a file or a piece of code, so that no message can make the server read, write or run one. What is
kept goes into a folder that the command line names.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

LONGEST = 4096
"""[bytes] of a message from a page."""
LARGEST = 1e6
"""Of any number in it."""
LONGEST_WORD = 40
"""Letters of a name that only the physics knows."""
HANDS = {"gentle": 10.0, "normal": 50.0, "strong": 500.0}
"""[N] that hands can pull with."""
VECTOR, POSE = 3, 7
NEEDS: dict[str, dict[str, Any]] = {
    "grab": {"body": int, "point": VECTOR, "target": VECTOR},
    "move": {"target": VECTOR},
    "hold": {"body": int, "pose": POSE},
    "nudge": {"body": int, "shift": VECTOR, "turn": VECTOR},
    "release": {},
    "pause": {"on": bool},
    "step": {},
    "reset": {},
    "undo": {},
    "redo": {},
    "speed": {"value": float},
    "gravity": {"value": float},
    "friction": {"value": float},
    "method": {"name": str},
    "keep": {},
    "hand": {"name": tuple(HANDS)},
    "drive": {"on": bool},
    "fix": {"body": int, "on": bool},
    "measure": {"body": int, "other": int},
    "unmeasure": {},
    "part": {},
    "open": {"number": int},
    "regions": {"on": bool},
    "take": {},
    "ack": {"frame": int},
}
"""What each command needs: a kind of number, a length of a list of numbers, one of some words, or any word."""
HEAVY = ("open", "part", "fix", "undo", "redo", "reset", "keep", "method", "friction")
"""Commands that take the physics longer than a step; nobody presses such buttons thirty times a second."""
OF_SERVER = ("ack", "take", "open")
"""Commands that the server does itself; the first two also for pages that only watch."""


@dataclass(frozen=True)
class Command:
    """One thing that a page asks for."""

    do: str
    given: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        return self.given[name]


class Refused(ValueError):
    """A message that is no command."""


def parse(message: str | bytes, bodies: int) -> Command:
    """The command in a message; `bodies` is how many there are."""
    if len(message) > LONGEST:
        raise Refused("the message is too long")
    try:
        table = json.loads(message)
    except (ValueError, RecursionError):
        raise Refused("the message is no JSON") from None
    if not isinstance(table, dict) or not isinstance(table.get("do"), str) or table["do"] not in NEEDS:
        raise Refused("the message asks for nothing that there is")
    do = table["do"]
    given = {name: _checked(table.get(name), kind) for name, kind in NEEDS[do].items()}
    if not all(0 <= given.get(name, 0) < max(bodies, 1) for name in ("body", "other")):
        raise Refused("there is no such body")
    return Command(do, given)


def _checked(value: Any, kind: Any) -> Any:
    """A value of the kind, or a refusal."""
    if kind is bool and isinstance(value, bool):
        return value
    if kind is int and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**31:
        return value
    if kind is float and _is_number(value):
        return float(value)
    if kind in (VECTOR, POSE) and isinstance(value, list) and len(value) == kind and all(map(_is_number, value)):
        return tuple(float(number) for number in value)
    if isinstance(kind, tuple) and isinstance(value, str) and value in kind:
        return value
    if kind is str and isinstance(value, str) and value.isidentifier() and len(value) <= LONGEST_WORD:
        return value
    raise Refused("a number or word of the message is not as expected")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST and isfinite(value)
