"""Meshes and the places where they stand as a binary glTF 2.0: a header, a chunk of JSON, a chunk of numbers."""

from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats, Ints

_FLOAT, _UNSIGNED = 5126, 5125
_ARRAY, _ELEMENTS = 34962, 34963


class GlbNode(NamedTuple):
    """One place of a mesh."""

    name: str
    mesh: int
    matrix: Floats
    """(4, 4)."""
    colour: tuple[float, float, float] | None
    """Red, green and blue from 0 to 1 as on a screen."""


def glb_bytes(meshes: list[tuple[str, Floats, Ints]], nodes: list[GlbNode]) -> bytes:
    """The file. A mesh (name, vertices, triangles) is written once for each colour it has; their numbers once."""
    data, views, accessors = bytearray(), list[dict[str, Any]](), list[dict[str, Any]]()
    for _, vertices, triangles in meshes:
        points = vertices.astype("<f4")
        limits = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
        for table, kind, target, more in (
            (points, "VEC3", _ARRAY, limits),
            (triangles.astype("<u4").reshape(-1, 1), "SCALAR", _ELEMENTS, {}),
        ):
            component = _FLOAT if kind == "VEC3" else _UNSIGNED
            accessors.append(
                {"bufferView": len(views), "componentType": component, "count": len(table), "type": kind, **more}
            )
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": table.nbytes, "target": target})
            data += table.tobytes()
    coloured = list(dict.fromkeys((node.mesh, node.colour) for node in nodes))
    colours = list(dict.fromkeys(colour for _, colour in coloured if colour is not None))
    header = {
        "asset": {"version": "2.0", "generator": "abut"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "nodes": [_node(node, coloured.index((node.mesh, node.colour))) for node in nodes],
        "meshes": [_mesh(meshes[mesh][0], mesh, colour, colours) for mesh, colour in coloured],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
        **({"materials": [_material(colour) for colour in colours]} if colours else {}),
    }
    return _packed(header, bytes(data))


def _node(node: GlbNode, mesh: int) -> dict[str, Any]:
    placed = {} if (node.matrix == np.eye(4)).all() else {"matrix": node.matrix.T.ravel().tolist()}
    return {"name": node.name, "mesh": mesh, **placed}


def _mesh(name: str, mesh: int, colour: Any, colours: list[Any]) -> dict[str, Any]:
    primitive = {"attributes": {"POSITION": 2 * mesh}, "indices": 2 * mesh + 1}
    if colour is not None:
        primitive["material"] = colours.index(colour)
    return {"name": name or f"part_{mesh + 1}", "primitives": [primitive]}


def _material(colour: tuple[float, float, float]) -> dict[str, Any]:
    """Materials are in linear light, colours as on a screen."""
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in colour]
    return {"pbrMetallicRoughness": {"baseColorFactor": [*linear, 1.0], "metallicFactor": 0.0}}


def _packed(header: dict[str, Any], data: bytes) -> bytes:
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    size = 12 + 8 + len(text) + 8 + len(data)
    head = struct.pack("<4sIIII", b"glTF", 2, size, len(text), 0x4E4F534A)
    return head + text + struct.pack("<II", len(data), 0x004E4942) + data
