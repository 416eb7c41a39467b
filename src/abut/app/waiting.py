"""What is seen while a command is busy: a spinner that says what is done, kernels being compiled included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from .._jit.progress import shown_by


@contextmanager
def waiting(console: Console, doing: str) -> Iterator[None]:
    """A spinner on a terminal, nothing elsewhere."""
    if not console.is_terminal:
        yield
        return
    with console.status(doing) as status, shown_by(lambda line: status.update(line or doing)):
        yield
