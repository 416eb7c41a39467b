"""Soft bodies on a page: their skins and how the cage carries them, told once; nodes and stress, told in each frame.

A page moves the skin by itself: each of its vertices is a mean of four nodes of the cage, which is coarser. A node
takes eight bytes: its place in the box around the body and its stress, each a whole number up to MOST.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...dynamics import Deformable, World
from ...dynamics.soft.soft_measure import measured, node_stress
from ...dynamics.soft.soft_spec import SoftSpec
from ...geometry import Solid
from ..draw.item import facets

MOST = 65535
HEAD = 8
"""Numbers of a body in a frame before its nodes: lowest corner of its box, its extents, largest stress, 0."""
COLOUR = "#a7adb5"
"""Where a section cuts a soft body, which has the colours of stress otherwise."""
STRAIN = 1e-5
"""That nobody can see: stress which is less than it makes is shown as none."""
Put = Callable[[NDArray[Any], str], list[int]]


def soft_shape(spec: SoftSpec, put: Put) -> dict[str, Any]:
    """What a page needs to draw a skin; `put` adds an array to the message."""
    found = facets(Solid(spec.vertices, spec.triangles))
    corner, index = _corners(found.triangles, found.normals)
    first = np.full(len(spec.vertices), -1, np.int64)
    first[corner[::-1]] = np.arange(len(corner))[::-1]
    embedding = spec.embedding
    low, high = spec.vertices.min(axis=0), spec.vertices.max(axis=0)
    return {
        "soft": {
            "nodes": len(spec.mesh.nodes),
            "corner": put(embedding.corner[corner], "<u4"),
            "weight": put(embedding.weight[corner], "<f4"),
            "index": put(index, "<u4"),
            "edges": put(first[found.sharp], "<u4"),
        },
        "middle": [0.0, 0.0, 0.0],
        "extents": (high - low).tolist(),
        "faces": 1,
        "triangles": len(spec.triangles),
        "closed": True,
        "coarse": False,
    }


def _corners(triangles: NDArray[Any], normals: Floats) -> tuple[NDArray[Any], NDArray[Any]]:
    """Vertices, again for each round surface that they are on, and triangles of these: edges between stay sharp."""
    key = np.concatenate((triangles.reshape(-1, 1), normals.reshape(-1, 3).round(3)), axis=1)
    found, index = np.unique(key, axis=0, return_inverse=True)
    return found[:, 0].astype(np.int64), index.reshape(-1)


def soft_body(soft: Deformable, shape: int) -> dict[str, Any]:
    """What a page is told of a soft body beside its shape."""
    least = STRAIN * float(soft._spec.young.min())
    return {"name": soft.name, "shape": shape, "colour": COLOUR, "fixed": False, "mass": soft.mass, "calm": least}


def soft_of_world(world: World, origin: Floats, size: float) -> bytes:
    """The soft bodies of a world as they are."""
    soft = world._now.soft
    stresses = [
        node_stress(spec, measured(spec, state, world._gravity).stress)
        for spec, state in zip(soft.specs, soft.states, strict=True)
    ]
    return soft_block([state.nodes for state in soft.states], stresses, origin, size)


def soft_block(nodes: Sequence[Floats], stresses: Sequence[Floats], origin: Floats, size: float) -> bytes:
    """Nodes [m] and stresses at nodes [Pa] of soft bodies, as a frame holds them."""
    pieces: list[bytes] = []
    for places, stress in zip(nodes, stresses, strict=True):
        shown = (places - origin) / size
        low, high = shown.min(axis=0), shown.max(axis=0)
        extents, top = np.maximum(high - low, 1e-12), float(stress.max(initial=0.0))
        rows = np.empty((len(places), 4), "<u2")
        rows[:, :3] = np.rint(MOST * (shown - low) / extents)
        rows[:, 3] = np.rint(MOST * stress / top) if top > 0.0 else 0
        pieces += (np.array((*low, *extents, top, 0.0), "<f4").tobytes(), rows.tobytes())
    return b"".join(pieces)
