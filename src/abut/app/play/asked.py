"""What `abut play` is asked to show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """What the command line asks for."""

    names: tuple[str, ...]
    driven: bool = False
    unit: str | None = None
    keep_in: str = "played"
    """Folder for what the hand did."""
