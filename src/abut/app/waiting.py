"""What is seen while a command is busy: what it does, and that kernels are compiled for it; a clock for its work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console

from .._jit.progress import Display, shown_by


@contextmanager
def waiting(console: Console, doing: str) -> Iterator[None]:
    """A spinner on a terminal, nothing elsewhere."""
    with console.status(doing) as status, compiling_shown(console, lambda line: status.update(line or doing)):
        yield


def compiling_shown(console: Console, display: Display) -> AbstractContextManager[None]:
    """Kernels being compiled are shown by a display of the console; where it is no terminal, as without it."""
    return shown_by(display) if console.is_terminal else nullcontext()
