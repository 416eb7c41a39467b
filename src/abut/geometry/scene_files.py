"""STL, GLB and 3MF through trimesh, STEP through cascadio: numbers as they are, nothing merged or dropped."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError, MissingExtraError
from .captured import captured_output
from .chord_error import measure_chord_error
from .raw_mesh import RawFile, RawMesh, checked

_STL_HEADER, _STL_TRIANGLE, _STL_MARGIN = 84, 50, 512

# Open CASCADE aims at its deflection, and was measured to miss it by up to a factor of 3.3 on the tested parts. A fine
# angle keeps small holes round, whose chord error is below any deflection but whose volume is not.
_DEFLECTION, _ANGLE, _TRIES = 0.25, 0.2, 3


def read_stl(path: Path, content: bytes) -> RawFile:
    """An STL file, binary or text, whose length must be what it announces."""
    announced = int.from_bytes(content[80:84], "little") if len(content) >= _STL_HEADER else -1
    expected = _STL_HEADER + announced * _STL_TRIANGLE
    if announced > 0 and expected < len(content) <= expected + _STL_MARGIN:
        content = content[:expected]  # some programs leave a note behind the triangles
    if len(content) != expected:
        _check_text_stl(path, content, announced)
    mesh = _through_trimesh(path, content, "stl")
    meshes = list(mesh.geometry.values())
    if not meshes:
        raise FileError(f"{path}: holds no faces, so there is no part in it; export the part again as a mesh")
    parts = [checked(path, path.stem, np.asarray(m.vertices, np.float64), np.asarray(m.faces)) for m in meshes]
    return RawFile([_joined(path.stem, parts)])


def _check_text_stl(path: Path, content: bytes, announced: int) -> None:
    """Refuse what is neither a whole text file nor, by its length, a binary one."""
    text = content[:1024].lstrip().lower().startswith(b"solid") and (b"facet" in content or b"endsolid" in content)
    if not text and announced >= 0 and b"\0" in content[:_STL_HEADER]:
        there = (len(content) - _STL_HEADER) // _STL_TRIANGLE
        raise FileError(
            f"{path}: announces {announced} triangles but has the bytes of {there}; "
            "it is truncated or damaged, export the part again"
        )
    if not text:
        raise FileError(
            f"{path}: is no STL file although its name says so, it is neither text from 'solid' to 'endsolid' "
            "nor as long as its header announces; export the part again"
        )
    lower = content.lower()
    opened, ended = len(re.findall(rb"\bfacet\b", lower)), len(re.findall(rb"\bendfacet\b", lower))
    if opened != ended or not re.search(rb"\bendsolid\b", lower):
        raise FileError(
            f"{path}: breaks off after {ended} of at least {opened} facets; it is truncated, export the part again"
        )


def read_glb(path: Path, content: bytes) -> RawFile:
    """A binary glTF; its unit is the metre by definition."""
    return RawFile(_glb_meshes(path, content), "m")


def read_3mf(path: Path, content: bytes) -> RawFile:
    """A 3MF package, which states its unit."""
    for package in ("lxml", "networkx"):
        _require(package, f"reading {path} (3MF)")
    scene = _through_trimesh(path, content, "3mf")
    units = {mesh.metadata.get("units", "millimeter") for mesh in scene.geometry.values()}
    return RawFile(_scene_meshes(path, scene), units.pop() if units else None)


def read_step(path: Path, content: bytes, tolerance: float) -> RawFile:
    """A STEP file, cut into triangles that stay within `tolerance` [m] of its surfaces where these are no free forms.

    Free-form surfaces are cut with the same settings, but not measured.
    """
    _require("cascadio", f"reading {path} (STEP)")
    if b"END-ISO-10303-21" not in content[-4096:]:
        raise FileError(f"{path}: breaks off before END-ISO-10303-21; it is truncated, export the part again")
    deflection = _DEFLECTION * tolerance
    for _ in range(_TRIES):
        glb = _tessellated(path, content, deflection)
        error = measure_chord_error(glb)
        if error.largest is None or error.largest <= tolerance:
            break
        deflection *= 0.5
    return RawFile(_glb_meshes(path, glb), "m", error)


def _tessellated(path: Path, content: bytes, deflection: float) -> bytes:
    import cascadio

    with captured_output() as said:
        # The unit of Open CASCADE's lengths is the millimetre, whatever the file's.
        glb = cascadio.load(content, "step", tol_linear=1e3 * deflection, tol_angular=_ANGLE, include_brep=True)
    if not glb:
        reason = re.sub(r"\x1b\[[0-9;]*m|\*{4}", "", said()).strip().splitlines() or ["it says nothing more"]
        raise FileError(
            f"{path}: Open CASCADE finds no solids in it ({reason[0].strip()}); export the part again as STEP AP214"
        )
    return bytes(glb)


def _glb_meshes(path: Path, content: bytes) -> list[RawMesh]:
    scene = _through_trimesh(path, content, "glb", merge_primitives=True)
    size = int.from_bytes(content[12:16], "little")
    header = json.loads(content[20 : 20 + size])
    nodes, shapes = (frozenset(str(x["name"]) for x in header.get(k, []) if "name" in x) for k in ("nodes", "meshes"))
    return _scene_meshes(path, scene, nodes, shapes)


def _require(package: str, purpose: str) -> None:
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise MissingExtraError(package, "cad", purpose)


def _through_trimesh(path: Path, content: bytes, file_type: str, **options: Any) -> Any:
    import trimesh

    try:
        return trimesh.load_scene(io.BytesIO(content), file_type=file_type, process=False, **options)
    except Exception as error:  # a damaged file may raise anything inside a reader
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise FileError(
            f"{path}: cannot be read as {file_type.upper()} ({reason}); the file is damaged, export the part again"
        ) from error


def _scene_meshes(
    path: Path, scene: Any, nodes: frozenset[str] = frozenset(), shapes: frozenset[str] = frozenset()
) -> list[RawMesh]:
    """Every mesh once for each place it has; `nodes` and `shapes` are the names that stand in the file."""
    meshes = []
    for node in sorted(scene.graph.nodes_geometry, key=_natural):
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


def _joined(name: str, meshes: list[RawMesh]) -> RawMesh:
    if len(meshes) == 1:
        return meshes[0]
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes[:-1])])
    faces = [m.faces + start for m, start in zip(meshes, starts, strict=True)]
    return RawMesh(name, np.concatenate([m.vertices for m in meshes]), np.concatenate(faces))
