"""What `abut play` is asked to show, and what it answers first."""

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


@dataclass(frozen=True)
class Begun:
    """What the physics tells when it has opened what was asked for."""

    bodies: int
    hint: str
    """What to try, without a full stop."""
