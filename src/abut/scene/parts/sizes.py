"""Tables of standard sizes, in millimetres as the standards print them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from ...errors import InputError

MM = 1e-3
"""Metres in a millimetre."""

Entry = TypeVar("Entry")


def look_up(argument: str, size: str, table: Mapping[str, Entry]) -> Entry:
    """The table's entry for a size such as "M8"."""
    if not isinstance(size, str) or size not in table:
        raise InputError(f"{argument}: expected one of {', '.join(table)}, got {size!r}")
    return table[size]
