"""What the hand did, kept as a scene file with a track beside it, which `abut run` repeats bit for bit."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

from ...dynamics import World
from ...dynamics.snapshots.snapshot import read_world
from ...errors import InputError
from ...scene.files import save
from ...scene.files.drives import Drives
from ...scene.played import PlayedDrive
from ...scene.played.actions import SetDriven
from ...scene.scenes import Scene
from .recorded import Recorded

MOST_KEPT = 100
"""Scenes that one page server writes."""


class Keeper:
    """Writes scenes into folders of its own, whose names no page can choose."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:60] or "scene"
        self._kept = 0

    def keep(self, scene: Scene, recorded: Recorded) -> Path:
        """Write what was done since the start of a track; returns the scene file."""
        if self._kept >= MOST_KEPT:
            raise InputError(f"{MOST_KEPT} scenes were kept already; start abut play again to keep more")
        file = self._free() / "scene.toml"
        save(_repeated(scene, recorded), file)
        self._kept += 1
        return file

    def _free(self) -> Path:
        """A folder that is not there yet."""
        names = (self._folder / f"{self._name}-{number}" for number in count(1))
        return next(path for path in names if not path.exists())


def _repeated(scene: Scene, recorded: Recorded) -> Scene:
    """The scene as it was at the start of the track, driven by the hand."""
    world = read_world(World, recorded.start, scene.world._solids())
    own = scene.drive if isinstance(scene.drive, Drives) or _is_driven(recorded) else None
    duration = max(recorded.step, 1) * world.dt
    return Scene(world, duration, PlayedDrive(recorded.track(), own), scene.view, scene.measures)


def _is_driven(recorded: Recorded) -> bool:
    return recorded.driven or any(isinstance(action, SetDriven) and action.on for _, action in recorded.rows)
