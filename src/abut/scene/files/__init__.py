"""Scene files: worlds as text, checked down to the line, and back.

`load` reads a TOML file into a `Scene`; docs/scene_files.md has the keys.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...dynamics import World
from ..scenes.scene import Scene
from .problems import Problem, SceneError

__all__ = ["Problem", "SceneError", "load", "save", "schema"]


def load(file: str | Path, **changes: Any) -> Scene:
    """The scene of a file; keyword arguments overrule its parameters, `**{"world.dt": 1e-4}` any other key."""
    from .build import build
    from .read import read

    return build(read(file, changes))


def save(scene: World | Scene, path: str | Path) -> None:
    """Write a scene file, and what it needs into a folder beside it; `load` gives back the same bits.

    A scene is written with its drives, measures and view. A drive that is a function of Python is refused by name.
    """
    from .saved_scene import save as write

    write(scene, path)


def schema() -> dict[str, Any]:
    """JSON Schema of scene files, for editors that complete and check keys."""
    from .model import schema as of_model

    return of_model()
