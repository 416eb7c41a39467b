"""A STEP file that a process of its own reads: begun here, with neither NumPy nor Open CASCADE in this process.

Both take long to import, and so does the rest of abut. A program that knows a file's name earlier can begin to read the
file with `begun_ahead`. What reads the file later waits for the rest only.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path
from types import TracebackType
from typing import Self

from .child_process import Outcome, outcome_of, start_module

CHORD = 5e-5
"""[m] how far the triangles of a STEP part may lie from its true surface, where nobody says otherwise."""
# Of processor time; a sound file of 1 MB takes some seconds. By the clock, a busy machine may take ten times as long.
_SECONDS, _SECONDS_PER_MB, _PATIENCE = 60.0, 60.0, 10.0
_LEAST_MEMORY = 4 << 30  # [bytes] of address space, of which the libraries alone take 1


class Reading:
    """A file on its way; leaving its `with` ends the process and takes the answer away."""

    def __init__(self, path: Path, tolerance: float) -> None:
        self.seconds = ceil(_SECONDS + _SECONDS_PER_MB * path.stat().st_size / 1e6)
        """[s] of processor time that it may take."""
        self._folder = tempfile.TemporaryDirectory(prefix="abut-")
        arguments = [str(path.resolve()), self._folder.name, repr(tolerance), str(_memory()), str(self.seconds)]
        self._process = start_module("abut._cad", arguments)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @property
    def answer(self) -> Path:
        """The folder with `parts.json` and `parts.npz`, once the outcome is good."""
        return Path(self._folder.name)

    def outcome(self) -> Outcome:
        """How it ended; waits for it."""
        return outcome_of(self._process, seconds=_PATIENCE * self.seconds)

    def end(self) -> None:
        """End it, wherever it is."""
        with self._process:
            self._process.kill()
        self._folder.cleanup()


_begun: dict[tuple[Path, float], Reading] = {}


@contextmanager
def begun_ahead(paths: Iterable[Path]) -> Iterator[None]:
    """Let files be read while other things are done; those that nobody asks for are ended with this."""
    try:
        for path in paths:
            _begun[path.resolve(), CHORD] = Reading(path, CHORD)
        yield
    finally:
        while _begun:
            _begun.popitem()[1].end()


def reading(path: Path, tolerance: float) -> Reading:
    """A file that is being read, perhaps for some time."""
    return _begun.pop((path.resolve(), tolerance), None) or Reading(path, tolerance)


def _memory() -> int:
    """Half of the machine's memory [bytes]."""
    try:
        return max(_LEAST_MEMORY, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    except (AttributeError, ValueError, OSError):
        return _LEAST_MEMORY
