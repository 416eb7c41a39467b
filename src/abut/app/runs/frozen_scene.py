"""The scene of a run as it was run: one file with everything it needs, part files beside it by their hash."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from ...dynamics import World
from ...scene.files.read import Definition
from ...scene.files.soft_bodies import write_body
from .folder import RunFolder, read_bytes, write_whole

_FILES = (("parts", "file"), ("assemblies", "file"), ("soft", "mesh"))


def write_scene(definition: Definition, folder: RunFolder) -> None:
    """Write scene.toml, and copy the files it names into `parts/`."""
    import tomli_w

    tree = deepcopy(definition.sources.tree)
    for section, key in _FILES:
        for name, table in tree.get(section, {}).items():
            if key in table:
                table[key] = _copied(definition, (section, name, key), str(table[key]), folder)
    if "start" in tree.get("world", {}):
        tree["world"]["start"] = _copied(definition, ("world", "start"), tree["world"]["start"], folder)
    if "played" in tree:
        tree["played"] = _copied(definition, ("played",), tree["played"], folder)
    for name, table in tree.get("drives", {}).items():
        _copy_tracks(definition, ("drives", name), table, folder)
    write_whole(folder.scene, tomli_w.dumps(tree).encode())


def _copy_tracks(definition: Definition, path: tuple[str, ...], table: dict[str, Any], folder: RunFolder) -> None:
    if isinstance(table.get("track"), str):
        table["track"] = _copied(definition, (*path, "track"), table["track"], folder)
    if isinstance(table.get("hand"), dict):
        _copy_tracks(definition, (*path, "hand"), table["hand"], folder)


def _copied(definition: Definition, path: tuple[str, ...], name: str, folder: RunFolder) -> str:
    """Copy a file under its hash; returns what the scene calls it from now on."""
    file_name, mark, pattern = name.partition("#")
    source = definition.sources.folder(path) / file_name
    content = read_bytes(source)
    kept = Path("parts") / f"{hashlib.sha256(content).hexdigest()[:16]}{source.suffix.lower()}"
    (folder.path / "parts").mkdir(exist_ok=True)
    write_whole(folder.path / kept, content)
    return f"{kept.as_posix()}{mark}{pattern}"


def fingerprint(definition: Definition, world: World) -> str:
    """Hash of all that a run follows from: two scenes with the same one run alike."""
    digest = hashlib.sha256()
    # Where parts came from does not matter, what they are does.
    left_out: dict[str, Any] = {
        "parts": True,
        "soft": {"__all__": {"mesh"}},
        "title": True,
        "view": True,
        "played": True,
        "include": True,
        "parameters": True,
        "world": {"start"},
    }
    table = definition.table.model_dump(mode="json", exclude=left_out)
    digest.update(json.dumps([table, sorted(definition.values.items())], sort_keys=True).encode())
    for body in world.bodies:
        digest.update(str(getattr(body.shape, "digest", body.shape)).encode())
    for soft in world.deformables:
        digest.update(write_body(soft._spec, soft._state))
    if definition.table.world.start is not None:
        digest.update(read_bytes(definition.sources.folder(("world", "start")) / definition.table.world.start))
    if definition.table.played is not None:
        digest.update(read_bytes(definition.sources.folder(("played",)) / definition.table.played))
    return digest.hexdigest()
