"""What a page is told first: the parts of a world as triangles, edges and faces, and what is known of its bodies.

One message: magic number and length of a JSON text, the text, then arrays that it names by offset and length. Points
of a part are relative to the middle of its box, and all lengths are divided by the size of the scene, so that single
precision shows micrometres.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...dynamics import Body, World
from ...geometry import Shape, is_half_space, is_polyhedron
from ...math import Pose
from ...scene.scenes import View
from ..draw.item import Facets, facets
from ..draw.palette import nth_colour
from .coarse import shown
from .soft_rows import soft_body, soft_shape

MAGIC = 0xAB06
ALIGNED = 8
MOST_TRIANGLES = 400_000
"""Of one part on a page; one with more is shown coarser."""


@dataclass
class _Arrays:
    """Arrays of the message as they are added."""

    blobs: list[bytes] = field(default_factory=list)
    size: int = 0

    def put(self, array: NDArray[Any], kind: str) -> list[int]:
        """Add an array; returns where it begins and how many bytes it has."""
        data = np.ascontiguousarray(array, kind).tobytes()
        at = self.size
        padding = b"\0" * (-len(data) % ALIGNED)
        self.blobs += (data, padding)
        self.size += len(data) + len(padding)
        return [at, len(data)]


def pack(head: dict[str, Any], arrays: list[bytes]) -> bytes:
    """A message of a JSON text and arrays."""
    text = json.dumps(head, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % ALIGNED)
    return b"".join((struct.pack("<II", MAGIC, len(text)), text, *arrays))


def scene_message(world: World, view: View, about: dict[str, Any]) -> bytes:
    """The parts and bodies of a world; `about` adds to what the page is told."""
    arrays, bodies = _Arrays(), []
    shapes: list[dict[str, Any]] = []
    middle, size = extent(world)
    number: dict[int, int] = {}
    for body in world.bodies:
        key = id(body.shape) if body.shape.polyhedral else -1 - body.index
        if key not in number:
            number[key] = len(shapes)
            shapes.append(_shape(body.shape, size, arrays))
        bodies.append(_body(body, number[key]))
    for soft in world.deformables:
        bodies.append(soft_body(soft, len(shapes)))
        shapes.append(soft_shape(soft._spec, arrays.put))
    head = {
        "origin": middle.tolist(),
        "size": size,
        "dt": world.dt,
        "shapes": shapes,
        "bodies": bodies,
        "view": {
            "azimuth": view.azimuth,
            "elevation": view.elevation,
            "cut": list(view.cut),
            "clear": list(view.clear),
            "around": None if view.around is None else list(view.around),
        },
        "marks": [],
        "stressTop": None,
        "roam": None,
        "regions": True,
        **about,
    }
    return pack(head, arrays.blobs)


def extent(world: World) -> tuple[Floats, float]:
    """Middle and size [m] of the box around all parts that have one."""
    corners = [_corners(body.shape, body.pose) for body in world.bodies if body.shape.bounded]
    corners += [soft.nodes for soft in world.deformables]
    if not corners:
        return np.zeros(3), 1.0
    points = np.concatenate(corners)
    low, high = points.min(axis=0), points.max(axis=0)
    return 0.5 * (low + high), float(np.linalg.norm(high - low))


def _corners(shape: Shape, pose: Pose) -> Floats:
    low, high = shape.bounds
    box = np.array([[(low, high)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
    return np.asarray(pose.apply(box))


def _body(body: Body, shape: int) -> dict[str, Any]:
    free = bool(np.isfinite(body.mass))
    return {
        "name": body.name,
        "shape": shape,
        "colour": nth_colour(body.index),
        "fixed": not free,
        "mass": body.mass if free else None,
    }


def _shape(shape: Shape, size: float, arrays: _Arrays) -> dict[str, Any]:
    if is_half_space(shape):
        return {"plane": [*shape.normal.tolist(), float(shape.offset)]}
    found = facets(shape)
    low, high = shape.bounds
    middle = 0.5 * (np.asarray(low) + np.asarray(high))
    seen = shown(found, MOST_TRIANGLES)
    face = _face_of(shape, found)
    return {
        "middle": middle.tolist(),
        "extents": (np.asarray(high) - np.asarray(low)).tolist(),
        "position": arrays.put((seen.corners - middle) / size, "<f4"),
        "normal": arrays.put(found.normals[seen.triangles], "<f4"),
        "face": arrays.put(np.repeat(face[seen.triangles], 3), "<f4"),
        "edges": arrays.put((seen.edges - middle) / size, "<f4"),
        "faces": int(face.max(initial=0)) + 1,
        "triangles": len(found.triangles),
        "closed": shape.closed,
        "coarse": seen.coarse,
    }


def _face_of(shape: Shape, found: Facets) -> NDArray[Any]:
    return shape.faces.of_triangle if is_polyhedron(shape) else np.zeros(len(found.triangles), np.int64)
