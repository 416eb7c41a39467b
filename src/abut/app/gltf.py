"""Animated scenes as one glTF 2.0 binary file (.glb): meshes, and the poses of their nodes over time.

The format: a header, a JSON chunk that describes everything, and one chunk of numbers, both aligned to four bytes (glTF
2.0 specification, section 4.4). glTF has y up, so that everything hangs on a root node turned by -90 degrees about x.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..errors import FileError, InputError
from ..geometry import Shape
from .draw.item import facets
from .draw.palette import Colour, linear, nth_colour, srgb

_FLOAT, _UNSIGNED = 5126, 5125
_ARRAY, _ELEMENTS = 34962, 34963
MOST_SHAPES = 60
"""Of a skin that changes its shape: each is a morph target, and viewers do not take any number of them."""
_Z_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]  # x y z w


@dataclass(frozen=True, eq=False)
class Track:
    """A part and where it is over time."""

    name: str
    shape: Shape
    poses: Floats
    """(n_time, 7) [x y z qw qx qy qz], or (1, 7) for a part that stands still."""
    colour: Colour | None = None
    """None: the next of the palette."""
    scales: Floats | None = None
    """(n_time, 3) by which the part is drawn larger along its axes; 0 hides it."""


@dataclass(frozen=True, eq=False)
class SoftTrack:
    """A skin that changes its shape and its colours over time."""

    name: str
    vertices: Floats
    """(n_time, n, 3) [m] in the world."""
    triangles: Ints
    """(m, 3)."""
    colours: Floats
    """(n_time, n, 3) sRGB of the vertices."""


@dataclass(eq=False)
class _Numbers:
    """The binary chunk as it grows, with its views and accessors."""

    data: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)

    def add(self, array: np.ndarray, kind: str, target: int | None = None, limits: bool = False) -> int:
        """Append an array; returns the number of its accessor."""
        table = np.ascontiguousarray(array, np.uint32 if kind == "SCALAR" and target == _ELEMENTS else np.float32)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": table.nbytes}
        if target is not None:
            view["target"] = target
        accessor: dict[str, Any] = {
            "bufferView": len(self.views),
            "componentType": _UNSIGNED if table.dtype == np.uint32 else _FLOAT,
            "count": len(table),
            "type": kind,
        }
        if limits:
            columns = table.reshape(len(table), -1)
            accessor |= {"min": columns.min(axis=0).tolist(), "max": columns.max(axis=0).tolist()}
        self.data += table.tobytes()
        self.views.append(view)
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def save_glb(path: str | Path, tracks: Sequence[Track | SoftTrack], times: Floats) -> Path:
    """Write parts that move as an animated .glb and return its path; `times` (n_time,) [s] increases.

    Skins that change their shape become morph targets: of at most MOST_SHAPES times, between which viewers go evenly.
    """
    path = Path(path)
    if path.suffix.lower() != ".glb":
        raise InputError(f"path: expected a name that ends in .glb, got {path.name!r}")
    if not tracks:
        raise InputError("tracks: expected at least one part, got none")
    blob = _glb(*_document(tracks, np.asarray(times, np.float64)))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(blob)
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({error.strerror or error})") from error
    return path


def _document(tracks: Sequence[Track | SoftTrack], times: Floats) -> tuple[dict[str, Any], bytes]:
    numbers = _Numbers()
    meshes: list[dict[str, Any]] = []
    mesh_of: dict[tuple[int, str], int] = {}
    nodes: list[dict[str, Any]] = [{"name": "z up", "rotation": _Z_UP, "children": []}]
    materials: list[dict[str, Any]] = []
    for i, track in enumerate(tracks):
        if isinstance(track, SoftTrack):
            materials.append(_material(np.ones(3)))
            nodes[0]["children"].append(len(nodes))
            nodes.append({"name": track.name, "mesh": len(meshes)})
            meshes.append(_soft_mesh(track, numbers, len(materials) - 1))
            continue
        colour = srgb("colour", nth_colour(i) if track.colour is None else track.colour)
        key = (id(track.shape), colour.tobytes().hex())
        if key not in mesh_of:
            mesh_of[key] = len(meshes)
            materials.append(_material(colour))
            meshes.append(_mesh(track, numbers, len(materials) - 1))
        nodes[0]["children"].append(len(nodes))
        nodes.append(_node(track, mesh_of[key]))
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "abut"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
    }
    animation = _animation(tracks, times, numbers)
    if animation["channels"]:
        document["animations"] = [animation]
    document |= {
        "accessors": numbers.accessors,
        "bufferViews": numbers.views,
        "buffers": [{"byteLength": len(numbers.data)}],
    }
    return document, bytes(numbers.data)


def _material(colour: Floats) -> dict[str, Any]:
    base = [*linear(colour).round(6).tolist(), 1.0]
    return {"pbrMetallicRoughness": {"baseColorFactor": base, "metallicFactor": 0.1, "roughnessFactor": 0.6}}


def _mesh(track: Track, numbers: _Numbers, material: int) -> dict[str, Any]:
    """Every triangle has corners of its own, since normals break at edges."""
    surface = facets(track.shape)
    corners = surface.vertices[surface.triangles].reshape(-1, 3)
    attributes = {
        "POSITION": numbers.add(corners, "VEC3", _ARRAY, limits=True),
        "NORMAL": numbers.add(surface.normals.reshape(-1, 3), "VEC3", _ARRAY),
    }
    indices = numbers.add(np.arange(len(corners)), "SCALAR", _ELEMENTS)
    return {"name": track.name, "primitives": [{"attributes": attributes, "indices": indices, "material": material}]}


def _shapes(track: SoftTrack) -> Ints:
    """Numbers of the times whose shapes are kept."""
    return np.unique(np.linspace(0, len(track.vertices) - 1, MOST_SHAPES).round().astype(np.int32))


def _soft_mesh(track: SoftTrack, numbers: _Numbers, material: int) -> dict[str, Any]:
    """The first shape, and what the others add to it; without normals, so that viewers find those of each shape."""
    first, *others = _shapes(track).tolist()
    shades = linear(track.colours)
    attributes = {
        "POSITION": numbers.add(track.vertices[first], "VEC3", _ARRAY, limits=True),
        "COLOR_0": numbers.add(shades[first], "VEC3", _ARRAY),
    }
    targets = [
        {
            "POSITION": numbers.add(track.vertices[k] - track.vertices[first], "VEC3", _ARRAY, limits=True),
            "COLOR_0": numbers.add(shades[k] - shades[first], "VEC3", _ARRAY),
        }
        for k in others
    ]
    indices = numbers.add(track.triangles.ravel(), "SCALAR", _ELEMENTS)
    primitive: dict[str, Any] = {"attributes": attributes, "indices": indices, "material": material}
    mesh: dict[str, Any] = {"name": track.name, "primitives": [primitive]}
    if not targets:
        return mesh
    primitive["targets"] = targets
    return {**mesh, "weights": [0.0] * len(targets)}


def _soft_channel(track: SoftTrack, times: Floats, numbers: _Numbers) -> dict[str, Any]:
    """A sampler of weights: at each kept time one shape counts, and no other."""
    shapes = _shapes(track)
    weights = np.eye(len(shapes))[:, 1:].ravel()
    clock = numbers.add(times[shapes], "SCALAR", limits=True)
    return {"input": clock, "output": numbers.add(weights, "SCALAR"), "interpolation": "LINEAR"}


def _node(track: Track, mesh: int) -> dict[str, Any]:
    place, turn = _moves(track)
    size = {} if track.scales is None else {"scale": track.scales[0].tolist()}
    return {"name": track.name, "mesh": mesh, "translation": place[0].tolist(), "rotation": turn[0].tolist(), **size}


def _moves(track: Track) -> tuple[Floats, Floats]:
    """Places, and quaternions x y z w that never jump to their opposite: viewers interpolate between neighbours."""
    poses = np.asarray(track.poses, np.float64).reshape(-1, 7)
    turn = poses[:, [4, 5, 6, 3]] / np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    flips = np.where((turn[1:] * turn[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    return poses[:, :3], turn * np.concatenate(([1.0], np.cumprod(flips)))[:, None]


def _animation(tracks: Sequence[Track | SoftTrack], times: Floats, numbers: _Numbers) -> dict[str, Any]:
    channels: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    clock: int | None = None
    for i, track in enumerate(tracks):
        if isinstance(track, SoftTrack):
            if len(track.vertices) != len(times):
                raise InputError(f"tracks[{i}]: expected a shape for each of {len(times)} times")
            if len(times) > 1:
                channels.append({"sampler": len(samplers), "target": {"node": i + 1, "path": "weights"}})
                samplers.append(_soft_channel(track, times, numbers))
            continue
        if len(track.poses) == 1:
            continue
        if len(track.poses) != len(times):
            raise InputError(f"tracks[{i}]: expected a pose for each of {len(times)} times, got {len(track.poses)}")
        clock = numbers.add(times, "SCALAR", limits=True) if clock is None else clock
        place, turn = _moves(track)
        moves: list[tuple[str, Floats, str]] = [("translation", place, "VEC3"), ("rotation", turn, "VEC4")]
        moves += [] if track.scales is None else [("scale", track.scales, "VEC3")]
        for path, table, kind in moves:
            channels.append({"sampler": len(samplers), "target": {"node": i + 1, "path": path}})
            samplers.append({"input": clock, "output": numbers.add(table, kind), "interpolation": "LINEAR"})
    return {"name": "run", "channels": channels, "samplers": samplers}


def _glb(document: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    total = 12 + 8 + len(text) + 8 + len(data)
    header = struct.pack("<4sII", b"glTF", 2, total)
    return header + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
