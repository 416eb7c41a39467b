"""What `abut play` is asked to show, and what it answers first."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """What the command line or a page asks for."""

    names: tuple[str, ...]
    """Of files or of a scene of the library; none: a page on which one is chosen."""
    driven: bool = False
    unit: str | None = None
    keep_in: str = "played"
    """Folder for what the hand did."""
    library: bool = False
    """Whether the name is one of the library, whatever files there are."""


@dataclass(frozen=True)
class Begun:
    """What the physics tells when it has opened what was asked for."""

    bodies: int
    hint: str
    """What to try, without a full stop."""
    choices: tuple[str, ...] = ()
    """Names of the library, as pages list them."""
