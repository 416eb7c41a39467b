"""The folder of a run: what is in it, and files that are whole or absent, never half written.

scene.toml        the scene as it was run, where it came from a file
run.json          versions, bodies, what the run was made of
record.mcap       what happened, step by step
snapshots/        worlds to go on from, by number of the step
summary.json      totals and measures, once the run has ended
"""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import __version__
from ...errors import FileError, unreadable

FORMAT = 3
"""Of run folders; a newer one is refused. Since 2, records hold commands to joints; since 3, soft bodies."""


class SnapshotKey(NamedTuple):
    """Which snapshot it is."""

    step: int
    """After which it was taken."""
    changed: bool = False
    """Whether the world was changed between the step and the snapshot."""


class RunFolder:
    """Paths of a run's files."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.scene, self.info = self.path / "scene.toml", self.path / "run.json"
        self.record, self.summary = self.path / "record.mcap", self.path / "summary.json"
        self.snapshots = self.path / "snapshots"

    def make(self, *, force: bool = False) -> None:
        """Make the folder; one with a run in it is only emptied if told so."""
        if self.holds_a_run():
            if not force:
                raise FileError(
                    f"{self.path}: holds a run already; name another folder, or go on with --resume, or begin anew "
                    "with --force (in Python: abut.recording(world, folder, force=True))"
                )
            self._clear()
        elif self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise FileError(f"{self.path}: is there and holds something that is no run; name another folder")
        try:
            self.snapshots.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{self.path}: cannot be made ({error.strerror})") from None

    def holds_a_run(self) -> bool:
        """Whether a run was begun here."""
        return self.info.is_file() or self.record.is_file()

    def _clear(self) -> None:
        """Remove the files of a run, and nothing else."""
        for file in (self.scene, self.info, self.record, self.summary):
            file.unlink(missing_ok=True)
        shutil.rmtree(self.snapshots, ignore_errors=True)

    def remove(self) -> None:
        """Remove what `make` and a run left here; the folder too, if nothing else is in it."""
        self._clear()
        shutil.rmtree(self.path / "parts", ignore_errors=True)
        with suppress(OSError):
            self.path.rmdir()

    def write_snapshot(
        self, step: int, blob: bytes, totals: Mapping[str, Any] | None = None, *, changed: bool = False
    ) -> None:
        """Keep a world to go on from, after a step or, if it was `changed` then, before the next; and totals so far."""
        name = _snapshot_name(step, changed)
        write_json(self.snapshots / f"{name}.json", totals or {})
        write_whole(self.snapshots / f"{name}.abut", blob)

    def snapshot_keys(self) -> list[SnapshotKey]:
        """Of all snapshots, ascending."""
        found = self.snapshots.glob("*.abut") if self.snapshots.is_dir() else ()
        names = [file.stem for file in found]
        return sorted(
            SnapshotKey(int(name.rstrip("+")), name.endswith("+")) for name in names if name.rstrip("+").isdigit()
        )

    def read_snapshot(self, step: int, changed: bool = False) -> bytes:
        """A snapshot that is there."""
        return read_bytes(self.snapshots / f"{_snapshot_name(step, changed)}.abut")

    def read_totals(self, step: int, changed: bool = False) -> dict[str, Any]:
        """What was summed up until a snapshot."""
        return read_json(self.snapshots / f"{_snapshot_name(step, changed)}.json")

    def read_info(self) -> dict[str, Any]:
        """What run.json says."""
        if not self.path.is_dir():
            what = "is a file" if self.path.exists() else "there is no such folder"
            raise FileError(f"{self.path}: {what}; expected a folder that `abut run` wrote")
        if not self.info.is_file():
            raise FileError(f"{self.path}: holds no run; expected a folder that `abut run` or world.run(record=) wrote")
        info = read_json(self.info)
        if not isinstance(info.get("format"), int) or info["format"] > FORMAT:
            raise FileError(
                f"{self.info}: is of format {info.get('format')}, and this abut, {__version__}, reads up to {FORMAT}; "
                "update abut"
            )
        return info


def _snapshot_name(step: int, changed: bool) -> str:
    return f"{step:09d}{'+' if changed else ''}"


def versions() -> dict[str, str]:
    """What a run was made with."""
    return {
        "abut": __version__,
        "numpy": np.__version__,
        "numba": version("numba"),
        "python": platform.python_version(),
        "machine": platform.machine(),
    }


def write_json(file: Path, content: Any) -> None:
    """Write a JSON file at once."""
    write_whole(file, json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n")


def write_whole(file: Path, content: bytes) -> None:
    """Write beside, then rename: a kill leaves the old file or the new one."""
    beside = file.with_name(file.name + ".part")
    try:
        with beside.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(file)
    except OSError as error:
        raise FileError(f"{file}: cannot be written ({error.strerror}); what was written before is kept") from None


def read_bytes(file: Path) -> bytes:
    """Content of a file."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise unreadable(file, error) from None


def read_json(file: Path) -> dict[str, Any]:
    """Content of a JSON file that holds an object."""
    try:
        content = json.loads(read_bytes(file))
    except (ValueError, RecursionError):
        raise FileError(f"{file}: is no JSON; it is damaged, or was not written by abut") from None
    if not isinstance(content, dict):
        raise FileError(f"{file}: expected a JSON object, got {type(content).__name__}")
    return content
