"""GLB and 3MF through trimesh: numbers as they are, nothing merged or dropped."""

from __future__ import annotations

import io
import json
import logging
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError, MissingExtraError
from .raw_mesh import RawFile, RawMesh, checked, shortened

_LARGEST = 2**32  # [bytes] that a package may have when unpacked


def read_glb(path: Path, content: bytes) -> RawFile:
    """A binary glTF; its unit is the metre by definition."""
    return RawFile(glb_meshes(path, content), "m")


def read_3mf(path: Path, content: bytes) -> RawFile:
    """A 3MF package, which states its unit."""
    for package in ("lxml", "networkx"):
        require(package, f"reading {path} (3MF)")
    _refuse_bomb(path, content)
    scene = _through_trimesh(path, content, "3mf")
    units = {mesh.metadata.get("units", "millimeter") for mesh in scene.geometry.values()}
    return RawFile(_scene_meshes(path, scene), units.pop() if units else None)


def _refuse_bomb(path: Path, content: bytes) -> None:
    """Refuse an archive that would fill the memory when it is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return  # the reader says what is wrong with it
    if unpacked > _LARGEST:
        raise FileError(
            f"{path}: announces {unpacked / 2**30:.3g} GB when unpacked, abut reads up to {_LARGEST / 2**30:.3g}; "
            "it is damaged or not a part"
        )


def glb_meshes(path: Path, content: bytes) -> list[RawMesh]:
    """Every mesh of a binary glTF once for each place it has."""
    header = _glb_header(path, content)
    scene = _through_trimesh(path, content, "glb", merge_primitives=True)
    nodes, shapes = (frozenset(str(x["name"]) for x in header[k] if "name" in x) for k in ("nodes", "meshes"))
    return _scene_meshes(path, scene, nodes, shapes)


def _glb_header(path: Path, content: bytes) -> dict[str, list[dict[str, Any]]]:
    """The tables of nodes, meshes and accessors, as far as names and sizes need them."""
    size = int.from_bytes(content[12:16], "little")
    try:
        header = json.loads(content[20 : 20 + size].decode("utf-8"))
        tables = {key: list(header.get(key, [])) for key in ("nodes", "meshes", "accessors")}
        fine = all(isinstance(row, dict) for table in tables.values() for row in table)
        longest = max((int(row.get("count", 0)) for row in tables["accessors"]), default=0) if fine else 0
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        fine = False
    if not fine or longest > len(content):
        raise FileError(
            f"{path}: cannot be read as GLB (its JSON header is not valid); the file is damaged, export the part again"
        )
    return tables


def require(module: str, purpose: str, package: str | None = None) -> None:
    """Refuse to go on without a package of the extra `cad`, which may go by another name than its module."""
    from importlib.util import find_spec

    if find_spec(module) is None:
        raise MissingExtraError(package or module, "cad", purpose)


def _through_trimesh(path: Path, content: bytes, file_type: str, **options: Any) -> Any:
    import trimesh

    try:
        with _quiet():
            return trimesh.load_scene(io.BytesIO(content), file_type=file_type, process=False, **options)
    except Exception as error:  # a damaged file may raise anything inside a reader
        reason = shortened(str(error).strip() or type(error).__name__, 120)
        raise FileError(
            f"{path}: cannot be read as {file_type.upper()} ({reason}); the file is damaged, export the part again"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what trimesh logs and warns of from the terminal; what matters of it is found by `checked`."""
    log = logging.getLogger("trimesh")
    level = log.level
    log.setLevel(logging.CRITICAL + 1)
    try:
        with np.errstate(all="ignore"):
            yield
    finally:
        log.setLevel(level)


def _scene_meshes(
    path: Path, scene: Any, nodes: frozenset[str] = frozenset(), shapes: frozenset[str] = frozenset()
) -> list[RawMesh]:
    """Every mesh once for each place it has; `nodes` and `shapes` are the names that stand in the file."""
    meshes = []
    for node in sorted(scene.graph.nodes_geometry, key=_natural):
        with _quiet():
            matrix, geometry = scene.graph[node]
        mesh = scene.geometry[geometry]
        if not hasattr(mesh, "faces") or len(mesh.faces) == 0:
            continue  # lines and points beside the parts
        shape = _name_in_file(str(geometry), shapes)
        name = shape if str(node).isdigit() else _name_in_file(str(node), nodes)
        vertices, faces = np.asarray(mesh.vertices, np.float64), np.asarray(mesh.faces)
        meshes.append(checked(path, name, vertices, faces, np.asarray(matrix, np.float64), shape))
    if not meshes:
        raise FileError(f"{path}: holds no faces, so there is no part in it; export the part again as a mesh")
    return meshes


def _name_in_file(name: str, names: frozenset[str]) -> str:
    """The name without the number that trimesh adds to repeated ones."""
    plain = re.sub(r"_\d+$", "", name)
    return plain if name not in names and plain in names else name


def _natural(node: Any) -> list[Any]:
    """Sorts bolt_2 before bolt_10."""
    return [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in re.split(r"(\d+)", str(node)) if word]
