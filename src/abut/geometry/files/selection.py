"""Parts of an assembly by name: `gearbox.step#bolt_*`, wherever a file can be named."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path

from ...errors import FileError
from .raw_mesh import RawMesh, shortened

_SHOWN = 12  # names that a sentence lists


def split_selection(path: str | Path) -> tuple[Path, str | None]:
    """The file, and the pattern behind `#`; a file whose own name has a `#` is taken as it is."""
    whole = Path(path)
    file, mark, pattern = str(path).rpartition("#")
    if not mark or whole.exists() or not file:
        return whole, None
    return Path(file), pattern


def selected(path: Path, meshes: list[RawMesh], pattern: str | None) -> list[RawMesh]:
    """The meshes whose name matches one of the patterns, which commas part; all without a pattern."""
    if pattern is None:
        return meshes
    wanted = [word.strip() for word in pattern.split(",") if word.strip()]
    found = [mesh for mesh in meshes if any(_matches(mesh.name, word) for word in wanted)]
    missing = [word for word in wanted if not any(_matches(mesh.name, word) for mesh in meshes)]
    if missing or not found:
        names = ", ".join(shortened(mesh.name, 30) for mesh in meshes[:_SHOWN])
        more = f" and {len(meshes) - _SHOWN} more" if len(meshes) > _SHOWN else ""
        asked = ", ".join(missing) or pattern
        raise FileError(f"{path}: has no part called {shortened(asked)!r}; its parts are {names}{more}")
    return found


def _matches(name: str, pattern: str) -> bool:
    return name == pattern or fnmatchcase(name, pattern)
