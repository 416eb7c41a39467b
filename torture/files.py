"""Damaged files of every format: each is read, or refused in a sentence."""

from __future__ import annotations

import logging
import re
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import abut

from .clock import pace, working_time
from .dice import Dice
from .finding import Case, Finding, Verdict

SEEDS = Path(__file__).parent / "seeds"
SLOW_FILE = 20.0
"""[s] of processor time that a small file may take, where limits were chosen."""
NUMBERS = ("1e308", "-1e308", "1e400", "nan", "inf", "-inf", "-1", "0", "4294967296", "9" * 40, "1e-320", "0x10", "1,5")
NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")

Edit = list[Any]
"""What was done and where: ["put", offset, hex], ["cut", offset, length], ["insert", offset, hex]."""


def draw_files(seed: int) -> Case:
    """A file and what happens to its bytes."""
    dice = Dice(3, seed)
    base = dice.pick(sorted(path.name for path in SEEDS.iterdir()))
    data = (SEEDS / base).read_bytes()
    edits = [_draw_edit(dice, data) for _ in range(dice.pick((1, 1, 1, 2, 5, 20)))]
    return {"kind": "files", "seed": seed, "base": base, "edits": edits, "repair": dice.chance(0.2)}


def _draw_edit(dice: Dice, data: bytes) -> Edit:
    at, how = dice.whole(0, len(data) - 1), dice.whole(0, 9)
    if how < 4:
        return ["put", at, dice.bytes(1).hex()]
    if how < 5:
        return ["cut", at, dice.pick((1, 4, len(data)))]
    if how < 6:
        return ["insert", at, dice.bytes(dice.pick((1, 4, 100))).hex()]
    if how < 7:
        length = dice.whole(1, 200)
        return ["insert", at, data[at : at + length].hex()]
    number = NUMBER.search(data, at)
    if number is None:
        return ["put", at, "ff"]
    return ["replace", number.start(), number.end() - number.start(), dice.pick(NUMBERS).encode().hex()]


def damaged(case: Case) -> bytes:
    """The bytes of a case."""
    data = (SEEDS / case["base"]).read_bytes()
    for edit in case["edits"]:
        data = _edited(data, edit)
    return data


def _edited(data: bytes, edit: Edit) -> bytes:
    how, at = edit[0], min(edit[1], len(data))
    if how == "cut":
        return data[:at] + data[at + edit[2] :]
    if how == "replace":
        return data[:at] + bytes.fromhex(edit[3]) + data[at + edit[2] :]
    new = bytes.fromhex(edit[2])
    return data[:at] + new + data[at + (len(new) if how == "put" else 0) :]


def judge_files(case: Case) -> Verdict:
    """Read the file in every way in which it can be read."""
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / case["base"]
        path.write_bytes(damaged(case))
        for read in _readers(path, case["repair"]):
            verdict.count("files")
            _read(read, verdict)
    return verdict


def _readers(path: Path, repair: bool) -> list[Callable[[], Any]]:
    if path.suffix == ".snapshot":
        return [lambda: _go_on(abut.World.restore(_with_checksum(path.read_bytes())))]
    if path.suffix == ".toml":
        return [lambda: _go_on(abut.scene.load(path).world)]
    return [lambda: abut.Solid.load(path, repair=repair), lambda: abut.load_assembly(path)]


def _go_on(world: abut.World) -> None:
    """What could be opened can be stepped."""
    if world.bodies:
        world.step()
        world.step()


def _with_checksum(blob: bytes) -> bytes:
    """The checksum put right, so that what is behind it is read."""
    return blob[:12] + zlib.crc32(blob[16:]).to_bytes(4, "little") + blob[16:]


class _Listener(logging.Handler):
    """Hears what libraries log instead of raising."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.tracebacks: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """A record with an exception would be shown as a traceback."""
        if record.exc_info:
            self.tracebacks.append(record.getMessage())


def _read(read: Any, verdict: Verdict) -> None:
    listener = _Listener()
    logging.getLogger().addHandler(listener)
    try:
        _read_timed(read, verdict)
    finally:
        logging.getLogger().removeHandler(listener)
    verdict.findings += [Finding("traceback", f"a traceback is shown: {text:.200}") for text in listener.tracebacks[:1]]


def _read_timed(read: Any, verdict: Verdict) -> None:
    begin = working_time()
    try:
        read()
        verdict.count("files that could be read")
    except abut.AbutError as error:
        if not str(error).strip() or "Traceback" in str(error):
            verdict.findings.append(Finding("sentence", f"{type(error).__name__} says {error!s:.200}"))
    except Exception as error:
        verdict.findings.append(Finding("exception", f"{type(error).__name__}: {error!s:.200}"))
    seconds = working_time() - begin
    verdict.see("file_seconds", seconds)
    if seconds > SLOW_FILE and seconds > SLOW_FILE * pace():
        verdict.findings.append(Finding("slow", f"reading took {seconds:.0f} s of processor time", size=seconds))
