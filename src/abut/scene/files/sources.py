"""The text behind a scene: a file and what it includes, merged into one tree whose values know where they stand."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from ...errors import FileError, unreadable
from .positions import Path, positions
from .problems import Problem, SceneError, spelled

LARGEST = 16 * 2**20
"""[bytes] of a scene file; parts and tracks have files of their own."""
_LISTS = {("pairs",)}
"""Lists to which a file adds, instead of replacing those of what it includes."""


@dataclass
class Sources:
    """The merged tree and where each of its values stands."""

    main: FilePath
    tree: dict[str, Any] = field(default_factory=dict)
    texts: dict[FilePath, str] = field(default_factory=dict)
    _origin: dict[Path, tuple[FilePath, Path]] = field(default_factory=dict)

    def origin(self, path: Path) -> tuple[FilePath, Path]:
        """The file in which a value was written, and its path there."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._origin:
                file, start = self._origin[path[:length]]
                return file, (*start, *path[length:])
        return self.main, path

    def folder(self, path: Path) -> FilePath:
        """Where file names at this path are looked for."""
        return self.origin(path)[0].parent

    def rename(self, new: Path, old: Path) -> None:
        """Say that a value that was made of another one stands where that one stands."""
        self._origin[new] = self.origin(old)

    def merge(self, file: FilePath, tree: dict[str, Any]) -> None:
        """Add what a file says, over what is there already."""
        self._merge(self.tree, tree, (), file)

    def _merge(self, into: dict[str, Any], tree: dict[str, Any], path: Path, file: FilePath) -> None:
        for key, value in tree.items():
            here = (*path, key)
            present = into.get(key)
            if isinstance(present, dict) and isinstance(value, dict):
                self._merge(present, value, here, file)
            elif isinstance(present, list) and isinstance(value, list) and here in _LISTS:
                for i in range(len(value)):
                    self._origin[(*here, len(present) + i)] = (file, (*here, i))
                into[key] = present + value
            else:
                into[key] = {} if isinstance(value, dict) else value
                self._origin[here] = (file, here)
                if isinstance(value, dict):
                    self._merge(into[key], value, here, file)

    def problems(self, faults: list[tuple[Path, str]]) -> list[Problem]:
        """Faults with the lines at which they stand, in the order of the files and lines."""
        known = {file: positions(text) for file, text in self.texts.items()}
        found = []
        for path, message in faults:
            file, place = self.origin(path)
            place = (*place, message.partition(":")[0])  # a key of the table, where the sentence begins with one
            while place and place not in known.get(file, {}):
                place = place[:-1]
            line, column = known.get(file, {}).get(place, (1, 1))
            found.append(Problem(str(file), line, column, spelled(path), message))
        order = {str(file): i for i, file in enumerate(self.texts)}
        return sorted(dict.fromkeys(found), key=lambda p: (order.get(p.file, 0), p.line, p.column))


def read_sources(file: FilePath) -> Sources:
    """Read a scene file and everything it includes, innermost first."""
    sources = Sources(file)
    _read_into(sources, file, ())
    return sources


def _read_into(sources: Sources, file: FilePath, above: tuple[FilePath, ...]) -> None:
    text, tree = _parsed(file)
    sources.texts[file] = text
    included = tree.pop("include", [])
    if not isinstance(included, list) or not all(isinstance(name, str) for name in included):
        raise _fault(file, text, ("include",), f"expected a list of file names, got {included!r}")
    for i, name in enumerate(included):
        other = file.parent / name
        chain = (*above, file)
        if any(other.resolve() == seen.resolve() for seen in chain):
            circle = " -> ".join(seen.name for seen in (*chain, other))
            raise _fault(file, text, ("include", i), f"goes round in a circle: {circle}; take one of them out")
        if not other.is_file():
            raise _fault(file, text, ("include", i), f"there is no file {name!r} beside {file.name}")
        _read_into(sources, other, chain)
    sources.merge(file, tree)


def _parsed(file: FilePath) -> tuple[str, dict[str, Any]]:
    try:
        size = file.stat().st_size
        if size > LARGEST:
            raise FileError(f"{file}: has {size:,} bytes, and a scene file at most {LARGEST:,}; is it a scene file?")
        text = file.read_bytes().decode()
    except OSError as error:
        raise unreadable(file, error) from None
    except UnicodeDecodeError as error:
        raise FileError(f"{file}: byte {error.start} is no UTF-8; a scene file is text (TOML)") from None
    try:
        return text, tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _syntax_error(file, text, error) from None


def _syntax_error(file: FilePath, text: str, error: Exception) -> SceneError:
    """Where the text stops being TOML."""
    words = str(error).split(" (at ")[0]
    line = int(getattr(error, "lineno", 0) or _number_after(str(error), "line ") or len(text.splitlines()) or 1)
    column = int(getattr(error, "colno", 0) or _number_after(str(error), "column ") or 1)
    return SceneError([Problem(str(file), line, column, "", f"is no TOML here: {words}")])


def _number_after(text: str, word: str) -> int:
    tail = text.partition(word)[2]
    digits = tail[: len(tail) - len(tail.lstrip("0123456789"))]
    return int(digits) if digits else 0


def _fault(file: FilePath, text: str, path: Path, message: str) -> SceneError:
    where = positions(text)
    line, column = where.get(path, where.get(path[:1], (1, 1)))
    return SceneError([Problem(str(file), line, column, spelled(path), message)])
