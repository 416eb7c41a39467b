"""What the library of scenes holds: scene files, and the few scenes that need Python."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import InputError, meant
from . import scripted
from .scene import Scene

FOLDER = Path(__file__).parent / "demonstrations"
"""One file a scene, and assembly.step, from which the scene `assembly` is made."""
NAMES = (
    *("driver", "peg_in_hole", "screwdriver", "nut_on_bolt", "countersunk", "radio", "gears", "assembly"),
    *("chain", "brackets", "aircraft", "bullet", "blade", "thrown_blade"),
    *("slider_crank", "four_bar", "universal_shaft", "gimbal", "spinning_top", "screw_press", "pendulum"),
    *(
        "four_fingers",
        "rough_incline",
        "stopping",
        "diagonal_push",
        "rolling_coin",
        "spinning_coin",
        "arch",
        "card_house",
    ),
    *("soft_spheres", "soft_clip", "soft_seal", "soft_gripper"),
    *("held_nut", "jamming_peg", "bounces", "cradle", "struck_stick", "struck_pendulum"),
    *("stack", "free_fall", "incline", "tumbling", "mass_ratio", "between_walls"),
)
"""In the order in which they are best looked at."""


@dataclass(frozen=True)
class SceneFile:
    """A scene of the library that is a file; call it for a `Scene`."""

    __name__: str

    @property
    def path(self) -> Path:
        """Its file."""
        return FOLDER / f"{self.__name__}.toml"

    def __call__(self, *, dt: float | None = None, **changes: Any) -> Scene:
        """The scene; `dt` [s] and parameters overrule those of the file, `**{"world.friction": 1}` any other key."""
        from ..files import load

        return load(self.path, **({} if dt is None else {"world.dt": dt}), **changes)


@dataclass(frozen=True)
class Entry:
    """A scene of the library."""

    name: str
    """As `abut demo` and `abut.scenes` know it."""
    sentence: str
    """What happens in it."""
    make: Callable[..., Scene]
    """Every argument has a default."""


@cache
def maker(name: str) -> Callable[..., Scene]:
    """What makes a scene of the library."""
    if name not in NAMES:
        raise InputError(f"the library has no scene {name!r}{meant(name, NAMES)}; it has {', '.join(NAMES)}")
    made: Callable[..., Scene] | None = getattr(scripted, name, None)
    return made or SceneFile(name)


def catalogue() -> dict[str, Entry]:
    """Every scene of the library by name."""
    return {name: Entry(name, _sentence(maker(name)), maker(name)) for name in NAMES}


def make(name: str, **arguments: Any) -> Scene:
    """A scene of the library by name."""
    return maker(name)(**arguments)


def _sentence(make: Callable[..., Scene]) -> str:
    if isinstance(make, SceneFile):
        return str(tomllib.loads(make.path.read_text())["title"])
    return " ".join((make.__doc__ or "").split("\n\n")[0].split())
