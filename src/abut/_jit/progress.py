"""What a person sees while kernels are compiled, so that a minute of silence is not taken for a fault.

Nothing is shown before compilation has taken `SHOWN_AFTER` seconds in this process. A terminal then has one line that
counts and names the kernels and is wiped in the end; anything else, as a log, gets one sentence. It goes to stderr, or
to a display of the caller's own (`shown_by`). ABUT_QUIET=1 keeps it silent.
"""

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache

from numba.core import event

SHOWN_AFTER = 1.0
"""[s] of compiling in this process."""
REDRAWN_EVERY = 0.2
"""[s]"""
SENTENCE = "abut: compiling its kernels for this machine, about a minute; later starts find them ready"

Display = Callable[[str], None]
"""Shows a line in place of the one before; an empty line when there is nothing to show."""


class _Watch(event.Listener):
    """Counts kernels and seconds. Numba's compiler lock lets one thread compile at a time, so events never mix."""

    def __init__(self) -> None:
        self.kinds: tuple[type, ...] = ()
        self.display: Display | None = None
        self.compiling: list[str] = []
        """Names of the kernels being compiled, each called by the one before it."""
        self.count = 0
        self.seconds = 0.0
        """Of compilations that have ended."""
        self.started = 0.0
        self.ended = threading.Event()
        self.drawing = threading.Thread()

    def on_start(self, started: event.Event) -> None:
        """A kernel is compiled, for Python or for the kernel being compiled."""
        dispatcher = started.data["dispatcher"]
        if isinstance(dispatcher, self.kinds):
            self.compiling.append(dispatcher.py_func.__name__)  # type: ignore[attr-defined]
            self.count += 1
            if len(self.compiling) == 1:
                self.started = time.perf_counter()
                self.ended = threading.Event()
                self.drawing = threading.Thread(target=self._draw, args=(self.ended,), daemon=True)
                self.drawing.start()

    @property
    def seconds_so_far(self) -> float:
        """Of all compilations, the one that goes on now included."""
        return self.seconds + (time.perf_counter() - self.started if self.compiling else 0.0)

    def on_end(self, ended: event.Event) -> None:
        """It is compiled, or could not be."""
        if isinstance(ended.data["dispatcher"], self.kinds):
            self.compiling.pop()
            if not self.compiling:
                self.seconds += time.perf_counter() - self.started
                self.ended.set()
                self.drawing.join()

    def _draw(self, ended: threading.Event) -> None:
        """In a thread of its own: LLVM can be busy with one kernel for many seconds, in which nothing else happens."""
        if _is_quiet() or ended.wait(max(0.0, SHOWN_AFTER - self.seconds)):
            return
        display = self.display or _on_stderr()
        while not ended.is_set():
            display(self._line())
            ended.wait(REDRAWN_EVERY)
        display("")

    def _line(self) -> str:
        # The list may shrink meanwhile; the last one to be left is the outermost.
        name = next(reversed(self.compiling), "")
        return f"compiling kernels, once for this machine: {self.count}, {self.seconds_so_far:.0f} s, {name}"


_the_watch = _Watch()


@cache
def watch(*kinds: type) -> None:
    """From now on, show when kernels of these kinds are compiled."""
    _the_watch.kinds = kinds
    event.register("numba:compile", _the_watch)


def seconds_compiled() -> float:
    """[s] for which this process has compiled kernels so far."""
    return _the_watch.seconds_so_far


def working_time() -> float:
    """[s] on a clock that stands still while kernels are compiled, which happens once on a machine."""
    return time.perf_counter() - (_the_watch.seconds_so_far if _the_watch.compiling else _the_watch.seconds)


def say(sentence: str) -> None:
    """A line on stderr, unless it is to be quiet."""
    if not _is_quiet():
        _write(f"{sentence}\n")


def _is_quiet() -> bool:
    return os.environ.get("ABUT_QUIET", "0") not in ("", "0")


@contextmanager
def shown_by(display: Display) -> Iterator[None]:
    """Within this, progress is shown by the caller, who has a display of his own on the terminal."""
    _the_watch.display = display
    try:
        yield
    finally:
        _the_watch.display = None


def _on_stderr() -> Display:
    # Whoever replaced stderr, as rich does below its bars and notebooks do, expects whole lines.
    if sys.stderr is sys.__stderr__ and sys.stderr is not None and sys.stderr.isatty():
        return _on_terminal
    return _in_a_log


def _on_terminal(line: str) -> None:
    width = shutil.get_terminal_size().columns - 1
    text = f"abut: {line}" if line else ""
    _write(f"\r{text[:width]:<{width}}" + ("" if line else "\r"))


def _in_a_log(_line: str) -> None:
    _say_once()


@cache
def _say_once() -> None:
    _write(f"{SENTENCE}\n")


def _write(text: str) -> None:
    with suppress(OSError, ValueError, AttributeError):  # stderr can be closed, or absent as below pythonw
        sys.stderr.write(text)
        sys.stderr.flush()
