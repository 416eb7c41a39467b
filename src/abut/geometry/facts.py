"""What is known of a part beyond its vertices, as plain values: its smooth surfaces, its colour, where it came from."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .solid import Solid


def facts_of(part: Solid) -> dict[str, Any]:
    """`surfaces`, `colour` and `origin` as lists, objects, strings, numbers and None."""
    return {
        "surfaces": [_plain(asdict(surface)) for surface in part.surfaces],
        "colour": _plain(part.colour),
        "origin": None if part.origin is None else _plain(asdict(part.origin)),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value.item() if isinstance(value, np.generic) else value
