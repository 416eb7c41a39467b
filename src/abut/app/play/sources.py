"""What can be played with: a scene file, a demonstration, a STEP assembly, or files with parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Floats
from ...dynamics import OverlapError, World
from ...errors import FileError, InputError
from ...geometry import PlacedPart, load_assembly
from ...math import Pose
from ...scene import scenes
from ...scene.scenes import Scene, View
from ...scene.scenes.scene import Drive

DENSITY = 7850.0
"""[kg/m^3] of parts from CAD files, steel."""
STILL = 4.0
"""[1/s] by which parts from CAD files come to rest in free space."""


@dataclass(frozen=True, eq=False)
class Source:
    """A scene to play with, and what is said about it."""

    scene: Scene
    title: str
    hint: str
    drive: Drive | None = None
    """What acts besides the hand when the page opens."""
    density: float = 1000.0
    """[kg/m^3] of parts that were fixed and are freed."""
    note: str = ""
    """What is not as in the files."""


def open_source(names: Sequence[str], *, driven: bool = False, unit: str | None = None) -> Source:
    """What the command line names."""
    if len(names) == 1 and Path(names[0]).suffix.lower() == ".toml":
        return _scene_file(Path(names[0]), driven)
    if len(names) == 1 and names[0] in scenes.catalogue() and not Path(names[0]).exists():
        return _demonstration(names[0], driven)
    return _parts([Path(name) for name in names], unit)


def _demonstration(name: str, driven: bool) -> Source:
    scene = scenes.make(name)
    return Source(scene, scenes.catalogue()[name].sentence, _try(scene), scene.drive if driven else None)


def _scene_file(path: Path, driven: bool) -> Source:
    from ...scene.files import load

    scene = load(path)
    return Source(scene, path.stem, _try(scene), scene.drive if driven else None)


def _try(scene: Scene) -> str:
    free = [body.name for body in scene.world.bodies if np.isfinite(body.mass)]
    fixed = [body.name for body in scene.world.bodies if not np.isfinite(body.mass)]
    if not free:
        return "look at the parts from all sides"
    return f"drag {free[0]}" + (f" and bring it together with {fixed[0]}" if fixed else "")


def _parts(paths: Sequence[Path], unit: str | None) -> Source:
    """Parts of files: the largest is fixed, the others lie where they are drawn, without weight."""
    parts = [part for path in paths for part in _loaded(path, unit)]
    if not parts:
        raise InputError(f"{paths[0]}: holds no parts")
    placed = parts if len(paths) == 1 else _beside_each_other(parts)
    largest = max(range(len(placed)), key=lambda i: placed[i].solid.volume if placed[i].solid.closed else np.inf)
    world, note = _world(placed, {largest})
    free = next((part.name for i, part in enumerate(placed) if i != largest), placed[largest].name)
    title = paths[0].name if len(paths) == 1 else ", ".join(path.name for path in paths)
    hint = f"{placed[largest].name} is fixed; take {free} out and put it back"
    return Source(Scene(world, 10.0, view=View()), title, hint, density=DENSITY, note=note)


def _loaded(path: Path, unit: str | None) -> list[PlacedPart]:
    if not path.is_file():
        names = ", ".join(scenes.NAMES[:6])
        raise FileError(f"{path}: there is no such file or demonstration; demonstrations are {names}, ...")
    return load_assembly(path, unit=unit)


def _beside_each_other(parts: Sequence[PlacedPart]) -> list[PlacedPart]:
    """Parts of several files, one after the other along x with room between them, so that none overlap."""
    result: list[PlacedPart] = []
    names: set[str] = set()
    at = 0.0
    for part in parts:
        low, high = _box(part)
        shift = np.array((at - low[0], 0.0, 0.0)) if result else np.zeros(3)
        at = high[0] + shift[0] + 0.25 * float((high - low).max())
        name = part.name if part.name not in names else f"{part.name} {len(result) + 1}"
        names.add(name)
        result.append(PlacedPart(name, part.solid, Pose(part.pose.position + shift, quat_wxyz=part.pose.quat_wxyz)))
    return result


def _box(part: PlacedPart) -> tuple[Floats, Floats]:
    points = part.pose.apply(part.solid.vertices)
    return points.min(axis=0), points.max(axis=0)


def _world(parts: Sequence[PlacedPart], fixed: set[int]) -> tuple[World, str]:
    """The parts in free space, and a sentence on those that are drawn into each other."""
    world = World(gravity=(0.0, 0.0, 0.0), dt=2e-3)
    for i, part in enumerate(parts):
        held = i in fixed or not part.solid.closed
        place: dict[str, Any] = {"pose": part.pose, "fixed": held, "density": DENSITY}
        world.add_body(part.solid, part.name, damping=STILL, angular_damping=STILL, **place)
    pairs = _let_through(world)
    if not pairs:
        return world, ""
    return world, f"{pairs} pairs are drawn touching or into each other and pass through each other"


def _let_through(world: World) -> int:
    """Let pairs that overlap at the start pass through each other; returns how many."""
    blob, pairs = world.save(), 0
    while True:
        try:
            world.step()
        except OverlapError as error:
            for overlap in error.overlaps:
                world.set_pair(world.body(overlap.a), world.body(overlap.b), "ignore")
            pairs += len(error.overlaps)
            blob = world.save()
            continue
        world.load(blob)
        return pairs
