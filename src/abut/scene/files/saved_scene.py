"""A world, or a scene, as a scene file that gives it back to the bit.

The file says in words what the world is: parts (beside it, vertex by vertex), bodies, joints, pairs, options. What a
world has been through, contacts with their forces, turns that were counted, the time, cannot be said in words: then a
snapshot stands beside it. Whether it is needed is found out by reading the file again.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from ...dynamics import Body, Deformable, World
from ...dynamics.bodies.body import AXES
from ...dynamics.bodies.body_kernels import DYNAMIC, FIXED, KINEMATIC
from ...dynamics.snapshots.archive import pack
from ...dynamics.snapshots.snapshot import write_world
from ...dynamics.snapshots.snapshot_facts import write_facts
from ...dynamics.snapshots.snapshot_parts import write_parts
from ...errors import AbutError, FileError, InputError
from ...geometry import Solid, is_polyhedron
from ...math import Pose
from ..played import PlayedDrive, write_hand_track
from ..scenes.scene import Scene, View
from .build import build
from .read import read
from .saved_drives import drive_tables, measure_table, pose_keys
from .saved_joints import joint_table
from .soft_bodies import write_body

_OPTIONS = ("dt", "friction", "restitution", "method", "level", "friction_law", "impacts", "threads")


def save(scene: World | Scene, path: str | Path) -> None:
    """Write a scene file, and what it needs into a folder beside it; `abut.scene.load` gives back the same bits.

    A scene is written with its drives, measures and view. A drive that is a function of Python is refused by name.
    """
    given, file = (Scene(scene, 1.0) if isinstance(scene, World) else scene), Path(path)
    if not isinstance(given, Scene):
        raise InputError(f"scene: expected a World or a Scene, got {type(scene).__name__}")
    if file.suffix != ".toml":
        raise InputError(f"path: expected the name of a scene file, as {file.name or 'scene'}.toml, got {str(path)!r}")
    if len(given.world.bodies) < len(given.world._specs):
        raise InputError(
            "world: bodies were removed from it, and their numbers stay taken, which a scene file cannot say; "
            "keep world.save(), or add the bodies that are left to a new world"
        )
    tree = _tree(given, file)
    _write(file, tree)
    blob = given.world.save()
    if build(read(file)).world.save() == blob:
        return
    start = _beside(file) / "start.abut"
    _put(start, write_world(given.world, parts=False))
    tree["world"]["start"] = start.relative_to(file.parent).as_posix()
    _write(file, tree)
    if build(read(file)).world.save() != blob:
        raise AbutError(f"{file}: does not give back the world that was saved; keep world.save() instead, and tell us")


def _beside(file: Path) -> Path:
    """Folder of what a scene file needs."""
    return file.parent / f"{file.stem}_files"


def _tree(scene: Scene, file: Path) -> dict[str, Any]:
    world = scene.world
    played, drive = _write_played(scene.drive, file)
    drives, parameters = drive_tables(drive)
    parts = _write_parts(world, file)
    tree: dict[str, Any] = {
        "parameters": parameters,
        "world": {**_options(world), "duration": scene.duration},
        "parts": {name: table for name, table, _ in parts},
        "bodies": {_name(body.name): _body(body, parts) for body in world.bodies},
        "soft": {_name(soft.name): _soft(soft, file) for soft in world.deformables},
        "joints": {_name(joint.name): joint_table(joint) for joint in world.joints},
        "pairs": _pairs(world),
        "drives": drives,
        "played": played,
        "measures": {name: measure_table(measure) for name, measure in scene.measures.items()},
        "view": _view(scene.view),
    }
    return {word: table for word, table in tree.items() if table}


def _write_played(drive: object, file: Path) -> tuple[str, object]:
    """Name of the file of a hand's track, empty where there is none, and what drives the scene beside it."""
    if not isinstance(drive, PlayedDrive):
        return "", drive
    kept = _beside(file) / "hand.jsonl"
    _put(kept, write_hand_track(drive.track))
    return kept.relative_to(file.parent).as_posix(), drive.inner


def _options(world: World) -> dict[str, Any]:
    options: dict[str, Any] = {"gravity": np.asarray(world.gravity).tolist()}
    options |= {name: getattr(world, name) for name in _OPTIONS}
    options["kinematic_overlaps"] = world.kinematic_overlaps
    options |= {} if world.solver is None else {"solver": world.solver}
    return options | ({} if world._contact_gap is None else {"contact_gap": world._contact_gap})


def _write_parts(world: World, file: Path) -> list[tuple[str, dict[str, Any], Solid]]:
    """Names, tables and solids of the parts, each written once."""
    found: list[tuple[str, dict[str, Any], Solid]] = []
    known: set[str] = set()
    for body in world.bodies:
        if is_polyhedron(body.shape) and body.shape.digest not in known:
            known.add(body.shape.digest)
            found.append(_write_part(body.shape, {name for name, _, _ in found}, file))
    return found


def _write_part(solid: Solid, taken: set[str], file: Path) -> tuple[str, dict[str, Any], Solid]:
    wanted = _name(solid.name) or "part"
    numbered = (wanted if k == 0 else f"{wanted} {k}" for k in range(len(taken) + 1))
    name = next(candidate for candidate in numbered if candidate not in taken)
    kept = _beside(file) / f"{_file_name(name)}-{solid.digest[:12]}.abut"
    _put(kept, pack([write_parts([solid]), write_facts([solid])]))
    table: dict[str, Any] = {"file": kept.relative_to(file.parent).as_posix(), "exact": True}
    return name, table if name == solid.name else {**table, "name": solid.name}, solid


def _body(body: Body, parts: list[tuple[str, dict[str, Any], Solid]]) -> dict[str, Any]:
    spec, state = body.spec, body._world._state
    table = {**_shape(body, parts), **pose_keys(body.pose)}
    centre = state.pose[body.index]
    if (body.pose @ Pose(spec.centre)).row.tobytes() != centre.tobytes():
        table["centre"] = centre.tolist()
    if spec.kind == DYNAMIC:
        table["mass"] = spec.mass
        derived = np.asarray(body.shape.inertia) * (spec.mass / body.shape.volume)
        if derived.tobytes() != spec.inertia.tobytes():
            table["inertia"] = spec.inertia.tolist()
    for word, rows in (("velocity", slice(3)), ("angular_velocity", slice(3, 6))):
        if state.twist[body.index, rows].any():
            table[word] = state.twist[body.index, rows].tolist()
    laws = body._world._now.setup.laws.of_body[body.index].tolist()
    said = {
        "fixed": spec.kind == FIXED,
        "kinematic": spec.kind == KINEMATIC,
        "locked": [axis for axis, held in zip(AXES, spec.locked, strict=True) if held],
        "damping": spec.drag[0],
        "angular_damping": spec.drag[1],
    }
    table |= {word: value for word, value in said.items() if value}
    table |= {} if spec.group < 0 else {"group": spec.group}
    return table | _known_laws(laws)


def _soft(soft: Deformable, file: Path) -> dict[str, Any]:
    """A soft body, which is whole in a file of its own, and where its nodes are attached."""
    blob = write_body(soft._spec, soft._state)
    kept = _beside(file) / f"{_file_name(soft.name)}-{hashlib.sha256(blob).hexdigest()[:12]}.abut"
    _put(kept, blob)
    names = [spec.name for spec in soft._world._specs]
    links = [{"body": _name(names[link.body]), "nodes": link.nodes.tolist()} for link in soft._attached]
    table: dict[str, Any] = {"mesh": kept.relative_to(file.parent).as_posix(), "exact": True}
    return {**table, "attach": links} if links else table


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name)[:40]


def _known_laws(laws: list[float]) -> dict[str, float]:
    return {word: value for word, value in zip(("friction", "restitution"), laws, strict=True) if value == value}


def _shape(body: Body, parts: list[tuple[str, dict[str, Any], Solid]]) -> dict[str, Any]:
    shape = body.shape
    if is_polyhedron(shape):
        return {"part": next(name for name, _, solid in parts if solid.digest == shape.digest)}
    return {"shape": shape.kind, **{word: np.asarray(value).tolist() for word, value in shape.words.items()}}


def _pairs(world: World) -> list[dict[str, Any]]:
    setup, names = world._now.setup, [_name(body.name) for body in world.bodies]
    pairs = []
    for (a, b), laws in zip(setup.laws.pairs.tolist(), setup.laws.of_pair.tolist(), strict=True):
        rule = setup.rules.get((a, b), "contact")
        pairs.append({"a": names[a], "b": names[b], "rule": rule, **_known_laws(laws)})
    return pairs


def _view(view: View) -> dict[str, Any]:
    """Names as patterns that match themselves."""
    names = {word: [re.sub(r"([*?\[])", r"[\1]", name) for name in getattr(view, word)] for word in _LISTS}
    table: dict[str, Any] = {"azimuth": view.azimuth, "elevation": view.elevation}
    table |= {word: listed for word, listed in names.items() if listed}
    return table if view.around is None else {**table, "around": list(view.around)}


_LISTS = ("shown", "cut", "clear")


def _name(name: str) -> str:
    """A name that can stand in a scene file."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise InputError(f"name: {name!r} is no Unicode text and cannot be written to a scene file") from None
    if name.lstrip().startswith("="):
        raise InputError(f"name: {name!r} begins with =, which a scene file takes for an expression; choose another")
    return name


def _write(file: Path, tree: dict[str, Any]) -> None:
    import tomli_w

    _put(file, tomli_w.dumps(tree).encode())


def _put(file: Path, content: bytes) -> None:
    """Write beside, then rename, so that the file is whole or as it was."""
    beside = file.with_name(f"{file.name}.part")
    _make(file.parent)
    try:
        with beside.open("wb") as stream:
            stream.write(content)
        os.replace(beside, file)
    except OSError as error:
        raise FileError(f"{file}: cannot be written ({error.strerror})") from None


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: cannot be written ({error.strerror})") from None
