"""What can be played with: a scene file, a demonstration, a STEP assembly, or files with parts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...arrays import Floats
from ...dynamics import World
from ...errors import AssemblyWarning, FileError, InputError, meant
from ...geometry import PlacedPart, load_assembly, size_of
from ...geometry.units import length_text
from ...math import Pose
from ...query import Loosened, loosen
from ...query.clearance.loosen import LIMIT, ROOM_OF_PARTS
from ...scene import scenes
from ...scene.scenes import Scene, View
from ...scene.scenes.scene import Drive
from .tries import TRIES

DENSITY = 7850.0
"""[kg/m^3] of parts from CAD files, steel."""
STILL = 4.0
"""[1/s] by which parts from CAD files come to rest in free space."""

TAKEN_FIRST = ("bolt", "screw", "pin", "plug", "cap", "lid", "cover", "knob", "key")
"""Words in names of parts that come out first."""


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
    sentence: str = ""
    """What it shows."""


Read = Callable[[Path], list[PlacedPart]]
"""Gives the parts of a file."""
Seen = Callable[[Source], None]
"""Told of the parts of a file as they are drawn, before they are set free."""


def open_source(
    names: Sequence[str],
    *,
    driven: bool = False,
    unit: str | None = None,
    library: bool = False,
    read: Read | None = None,
    seen: Seen | None = None,
) -> Source:
    """What the command line names; `read` is for who has begun to read files already.

    With `library`, the name is one of the library. Without a name, there is nothing to see yet.
    """
    if not names:
        return Source(Scene(World(gravity=(0.0, 0.0, 0.0)), 1.0), "abut", "choose a scene, or open files of your own")
    if library:
        return _demonstration(names[0], driven)
    if len(names) == 1 and Path(names[0]).suffix.lower() == ".toml":
        return _scene_file(Path(names[0]), driven)
    if len(names) == 1 and names[0] in scenes.catalogue() and not Path(names[0]).exists():
        return _demonstration(names[0], driven)
    return _parts([Path(name) for name in names], read or (lambda path: load_assembly(path, unit=unit)), seen)


def _demonstration(name: str, driven: bool) -> Source:
    scene = scenes.make(name)
    sentence = scenes.catalogue()[name].sentence
    return Source(scene, name.replace("_", " "), TRIES[name], scene.drive if driven else None, sentence=sentence)


def _scene_file(path: Path, driven: bool) -> Source:
    from ...scene.files import load

    scene = load(path)
    return Source(scene, path.stem, _try(scene), scene.drive if driven else None)


def _try(scene: Scene) -> str:
    free = [body.name for body in scene.world.bodies if np.isfinite(body.mass)]
    fixed = [body.name for body in scene.world.bodies if not np.isfinite(body.mass)]
    free = [soft.name for soft in scene.world.deformables] + free
    if not free:
        return "look at the parts from all sides"
    return f"drag {free[0]}" + (f" and bring it together with {fixed[0]}" if fixed else "")


def _parts(paths: Sequence[Path], read: Read, seen: Seen | None) -> Source:
    """Parts of files: the largest is fixed, the others lie where they are drawn, without weight."""
    parts = [part for path in paths for part in _loaded(path, read)]
    if not parts:
        raise InputError(f"{paths[0]}: holds no parts")
    placed = parts if len(paths) == 1 else _beside_each_other(parts)
    largest = max(range(len(placed)), key=lambda i: placed[i].solid.volume if placed[i].solid.closed else np.inf)
    held = [part.name for i, part in enumerate(placed) if i == largest or not part.solid.closed]
    free = _first_to_take([part.name for i, part in enumerate(placed) if i != largest]) or placed[largest].name
    title = paths[0].name if len(paths) == 1 else ", ".join(path.name for path in paths)
    hint = f"take {free} out and put it back; {placed[largest].name} is fixed"
    if len(placed) == 1:
        hint = "look at the part from all sides"
    if seen is not None:
        seen(Source(Scene(_as_drawn(placed, held), 10.0, view=View()), title, hint))
    world, note = _world(placed, held)
    return Source(Scene(world, 10.0, view=View()), title, hint, density=DENSITY, note=note)


def _first_to_take(names: Sequence[str]) -> str:
    """Of free parts, one that others do not hold as a rule; the first where no name tells."""
    taken = [name for name in names if any(word in name.lower() for word in TAKEN_FIRST)]
    return next(iter(taken or names), "")


def _as_drawn(parts: Sequence[PlacedPart], held: Sequence[str]) -> World:
    """The parts to look at."""
    world = World(gravity=(0.0, 0.0, 0.0))
    for part in parts:
        world.add_body(part.solid, part.name, pose=part.pose, fixed=part.name in held, density=DENSITY)
    return world


def _loaded(path: Path, read: Read) -> list[PlacedPart]:
    if not path.is_file():
        what = f"there is no such file or demonstration{meant(path, scenes.NAMES)}"
        raise FileError(f"{path}: {what}; abut demo lists what there is")
    if path.suffix.lower() == ".toml":
        raise InputError(f"{path}: is a scene file, and is opened by itself: abut play {path}")
    return read(path)


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


def _world(parts: Sequence[PlacedPart], held: Sequence[str]) -> tuple[World, str]:
    """The parts in free space, set free where they are drawn touching, and a sentence on what that took."""
    world = World(gravity=(0.0, 0.0, 0.0), dt=2e-3)
    freed = _let_free(parts, held)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AssemblyWarning)  # the page says it
        world.add_assembly(freed, fixed=held, density=DENSITY, damping=STILL, angular_damping=STILL)
    return world, _told(freed)


def _let_free(parts: Sequence[PlacedPart], held: Sequence[str]) -> Loosened:
    """The parts with twice the contact gap that their world will have between them."""
    sizes = [size_of(part.solid) for part in parts if part.name not in held]
    gap = ROOM_OF_PARTS * min(sizes or [size_of(parts[0].solid)])
    return loosen(parts, limit=max(LIMIT, gap), gap=gap)


def _told(freed: Loosened) -> str:
    """What is not as in the files."""
    said = []
    if freed.insets:
        said.append(f"surfaces that are drawn touching were moved by up to {length_text(freed.largest)}")
    if freed.left:
        said.append(f"{len(freed.left)} pairs are drawn into each other and pass through each other")
    return "; ".join(said)
