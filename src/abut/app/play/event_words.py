"""Events of a world as a record notes them, in words: who touched whom with what, and how hard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...dynamics.events import EVENT_KINDS

LEAST = 1e-3
"""[N s] below which impulses are told in mN s."""


def is_of_world(note: Mapping[str, Any]) -> bool:
    """Whether a note of a record is an event of the world, as those of the method "event"."""
    return note["kind"] in EVENT_KINDS and str(note["text"]).startswith("{")


def event_of(note: Mapping[str, Any]) -> dict[str, Any]:
    """What the note of an event of the world holds, with its features in words."""
    event: dict[str, Any] = json.loads(note["text"])
    return {**event, **{side: _feature(event[side]) for side in ("feature_a", "feature_b")}}


def event_text(note: Mapping[str, Any]) -> str:
    """What a note of a record says; of an event of the world, bodies, features and impulse."""
    if not is_of_world(note):
        return str(note["text"])
    event = event_of(note)
    sides = (f"{event[f'body_{side}']} ({event[f'feature_{side}']})" for side in ("a", "b"))
    size = sum(x * x for x in event["impulse"]) ** 0.5
    return " and ".join(sides) + (f", {impulse_text(size)}" if size > 0.0 else "")


def _feature(feature: Mapping[str, Any]) -> str:
    return f"{feature['kind']} {feature['index']}" + (f" '{feature['name']}'" if feature["name"] else "")


def impulse_text(newton_seconds: float) -> str:
    """An impulse with its unit."""
    return f"{newton_seconds:.3g} N s" if newton_seconds >= LEAST else f"{1e3 * newton_seconds:.3g} mN s"
