"""Scenes: files, importers, the part library and the scenes of the papers.

Names are loaded when they are first used: parts can be made without loading what runs them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .files import Problem, SceneError, load, save, schema
    from .scenes.scene import Scene

_HOME = {
    **dict.fromkeys(("Problem", "SceneError", "load", "save", "schema"), "files"),
    "Scene": "scenes.scene",
}

__all__ = ["Problem", "Scene", "SceneError", "load", "save", "schema"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)
