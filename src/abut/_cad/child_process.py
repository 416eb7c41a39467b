"""A module of abut run by a Python of its own, so that what crashes, hangs or eats memory there does so alone.

A plain subprocess: the caller's main module is not run again, so scripts without a guard and notebooks work.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import NamedTuple


class Outcome(NamedTuple):
    """How a child ended."""

    code: int | None
    """Its exit code, negative for the signal that ended it; None if its time was up."""
    said: str
    """What it wrote to standard output and standard error."""

    @property
    def crash(self) -> str:
        """What ended it, in words; empty if it ended by itself."""
        if self.code is None or 0 <= self.code < 128:
            return ""
        try:
            return signal.Signals(-self.code).name
        except ValueError:  # Windows: the number of an exception
            return f"exit code {self.code:#x}"


def start_module(module: str, arguments: list[str]) -> subprocess.Popen[bytes]:
    """Let `python -m module` run with arguments."""
    command = [sys.executable, "-P", "-m", module, *arguments]
    # The child finds the same packages as this process, wherever these were put on the path.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
    )


def outcome_of(process: subprocess.Popen[bytes], *, seconds: float) -> Outcome:
    """Wait until a child ends, for at most so long; then it is ended."""
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired as late:
        process.kill()
        process.wait()
        return Outcome(None, (late.stdout or b"").decode("utf-8", errors="replace"))
    return Outcome(process.returncode, said.decode("utf-8", errors="replace"))
