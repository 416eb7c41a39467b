"""STEP through Open CASCADE, in a process of its own: damaged files crash it."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from ..errors import FileError
from .child_process import Outcome, run_module
from .chord_error import measure_chord_error
from .raw_mesh import RawFile, shortened
from .scene_files import glb_meshes, require

# Open CASCADE aims at its deflection, and was measured to miss it by up to a factor of 3.3 on the tested parts. A fine
# angle keeps small holes round, whose chord error is below any deflection but whose volume is not.
_DEFLECTION, _ANGLE, _TRIES = 0.25, 0.2, 3

_SECONDS, _SECONDS_PER_MB = 60.0, 60.0  # a sound file of 1 MB takes about a second
_LEAST_MEMORY = 4 << 30  # [bytes] of address space, of which the libraries alone take 1


def read_step(path: Path, content: bytes, tolerance: float) -> RawFile:
    """A STEP file, cut into triangles that stay within `tolerance` [m] of its surfaces where these are no free forms.

    Free-form surfaces are cut with the same settings, but not measured.
    """
    require("cascadio", f"reading {path} (STEP)")
    if b"END-ISO-10303-21" not in content[-4096:]:
        raise FileError(f"{path}: breaks off before END-ISO-10303-21; it is truncated, export the part again")
    deflection = _DEFLECTION * tolerance
    for _ in range(_TRIES):
        glb = _tessellated(path, len(content), deflection)
        error = measure_chord_error(glb)
        if error.largest is None or error.largest <= tolerance:
            break
        deflection *= 0.5
    return RawFile(glb_meshes(path, glb), "m", error)


def _tessellated(path: Path, size: int, deflection: float) -> bytes:
    with tempfile.TemporaryDirectory(prefix="abut-") as folder:
        target = Path(folder) / "part.glb"
        # The unit of Open CASCADE's lengths is the millimetre, whatever the file's.
        arguments = [str(path.resolve()), str(target), repr(1e3 * deflection), repr(_ANGLE), str(_memory())]
        seconds = _SECONDS + _SECONDS_PER_MB * size / 1e6
        _check_outcome(path, run_module("abut._cad", arguments, seconds=seconds), seconds)
        return target.read_bytes()


def _memory() -> int:
    """Half of the machine's memory [bytes]."""
    try:
        return max(_LEAST_MEMORY, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    except (AttributeError, ValueError, OSError):
        return _LEAST_MEMORY


def _check_outcome(path: Path, outcome: Outcome, seconds: float) -> None:
    """A sentence where the child did not leave an answer."""
    if outcome.code == 0:
        return
    if outcome.code is None:
        raise FileError(
            f"{path}: Open CASCADE was not done with it after {seconds:.0f} s; it is damaged, or cut too finely: "
            "export the part again, or give a larger tolerance"
        )
    if outcome.crash:
        raise FileError(
            f"{path}: Open CASCADE crashed while reading it ({outcome.crash}); "
            "the file is damaged, export the part again"
        )
    said = re.sub(r"\x1b\[[0-9;]*m|\*{4}", "", outcome.said).strip().splitlines() or ["it says nothing more"]
    if outcome.code == 3:
        reason = shortened(said[0], 120)
        raise FileError(f"{path}: Open CASCADE finds no solids in it ({reason}); export the part again as STEP AP214")
    reason = shortened(said[-1], 120)  # the last line of a traceback
    raise FileError(f"{path}: Open CASCADE cannot read it ({reason}); the file is damaged, export the part again")
