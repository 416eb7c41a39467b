"""How long a first step takes: in a new process, with nothing compiled and with everything compiled.

Seconds of: importing abut, building a world of a box over a floor, its first step, and 20 more in which the box lands
and further kernels are needed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from itertools import pairwise
from typing import Any

from rich.table import Table

LIMITS = {"cold": 60.0, "warm": 2.0}
"""[s] wanted from the import to the end of the first step."""

_CHILD = """
import json, time
marks = [(time.perf_counter(), time.process_time())]
def mark():
    marks.append((time.perf_counter(), time.process_time()))
import abut
mark()
scene = abut.scenes.free_fall(height=1e-4)
mark()
scene.step()
mark()
for _ in scene.run(0.02):
    pass
mark()
print("MARKS" + json.dumps(marks))
"""


def run(console: Any) -> None:
    """Print the seconds of each stage, cold and warm."""
    table = Table(
        "cache", "import", "build", "first step", "20 more", "import to first step [s]", "wanted", "lines shown"
    )
    with tempfile.TemporaryDirectory() as cache:
        for state in ("cold", "warm", "warm again"):
            wall, cpu, shown = _measure(cache)
            first, limit = sum(wall[:3]), LIMITS[state.split()[0]]
            cells = [f"{w:.2f} ({c:.2f})" for w, c in zip(wall, cpu, strict=True)]
            table.add_row(state, *cells, f"{first:.2f} ({sum(cpu[:3]):.2f})", f"{limit:g}", str(shown))
    console.print(table)
    console.print("seconds by the clock, in brackets of the processor; other work on the machine lengthens the former")


def _measure(cache: str) -> tuple[list[float], list[float], int]:
    """Wall and processor seconds of each stage, and how many lines were shown meanwhile."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", _CHILD], env=environment, capture_output=True, text=True, check=True, timeout=1200
    )
    line = next(text for text in done.stdout.splitlines() if text.startswith("MARKS"))
    marks = json.loads(line.removeprefix("MARKS"))
    wall, cpu = ([b[k] - a[k] for a, b in pairwise(marks)] for k in (0, 1))
    return wall, cpu, len(done.stderr.splitlines()) + len(done.stdout.splitlines()) - 1
