"""Catching what compiled libraries print, which would end up among the output of a program."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def captured_output() -> Iterator[Callable[[], str]]:
    """Send file descriptors 1 and 2 to a temporary file; the value is a function that returns what was printed."""
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryFile() as sink:
        text = ""
        try:
            saved = [(number, os.dup(number)) for number in (1, 2)]
        except OSError:  # a process without standard output, such as a service
            saved = []
        try:
            for number, _ in saved:
                os.dup2(sink.fileno(), number)
            yield lambda: text
        finally:
            for number, copy in saved:
                os.dup2(copy, number)
                os.close(copy)
            sink.seek(0)
            text = sink.read().decode("utf-8", errors="replace")
