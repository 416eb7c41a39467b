"""The library of scenes, shared by tests, demonstrations and benchmarks.

`scenes.driver(press=6.0)` gives a `Scene` to run. Each name of `NAMES` is such a function; nearly all of them are scene
files in the folder `demonstrations`.
"""

from collections.abc import Callable

from ...errors import meant
from .library import FOLDER, NAMES, Entry, catalogue, make, maker
from .scene import Drive, Scene, View

__all__ = ["FOLDER", "NAMES", "Drive", "Entry", "Scene", "View", "catalogue", "make"]


def __getattr__(name: str) -> Callable[..., Scene]:
    if name not in NAMES:
        raise AttributeError(f"abut.scenes has no scene {name!r}{meant(name, NAMES)}; abut.scenes.NAMES lists them")
    return maker(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *NAMES})
