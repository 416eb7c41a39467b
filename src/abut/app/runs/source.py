"""A file that is read here and there, by several threads; it may be cut off meanwhile."""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from threading import Lock

from ...errors import unreadable

WINDOW = 4096
"""[bytes] that are read at once where few are asked for."""


class Source:
    """An open file; it is closed when nobody needs it any more."""

    def __init__(self, file: Path) -> None:
        self.file, self._lock = file, Lock()
        self._at, self._window = 0, b""
        try:
            self._number = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            weakref.finalize(self, os.close, self._number)
            self.size = os.lseek(self._number, 0, os.SEEK_END)
        except OSError as error:
            raise unreadable(file, error) from None

    def read(self, at: int, length: int) -> bytes:
        """Bytes from a place on; fewer, where the file ends before."""
        try:
            with self._lock:
                os.lseek(self._number, at, os.SEEK_SET)
                return os.read(self._number, length)
        except OSError as error:
            raise unreadable(self.file, error) from None

    def peek(self, at: int, length: int) -> bytes:
        """The same for few bytes at a time, by one thread that goes through the file."""
        if not self._at <= at <= at + length <= self._at + len(self._window):
            self._at, self._window = at, self.read(at, max(length, WINDOW))
        return self._window[at - self._at : at - self._at + length]
