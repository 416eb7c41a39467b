"""What is wrong with a scene: every problem at once, each with its file, line, column and key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import InputError
from .positions import Path


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a scene file."""

    file: str
    line: int
    """From 1."""
    column: int
    """From 1."""
    key: str
    """As one would write it: `bodies.peg.position`."""
    message: str
    """What was expected and what was found."""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}: "
        return f"{where}{self.key}: {self.message}" if self.key else where + self.message


class SceneError(InputError):
    """A scene file that cannot be used; `problems` lists all that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[type[SceneError], tuple[tuple[Problem, ...]]]:
        return SceneError, (self.problems,)


class Fault(Exception):
    """Something wrong at a key, while a scene is read; becomes a `Problem` once its line is looked up."""

    def __init__(self, path: Path, message: str) -> None:
        super().__init__(message)
        self.path, self.message = path, message


def spelled(path: Path) -> str:
    """A path as one would write it: `bodies.peg.position[1]`."""
    text = ""
    for key in path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text
