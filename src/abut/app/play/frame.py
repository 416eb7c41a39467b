"""What a page is told many times a second: where bodies are, which contacts there are, how the simulation goes.

A frame is a header (magic, bodies, contacts, number of the frame, time, length of the text, touched edges), the poses
of the parts' frames in double precision, a row of numbers for each contact and for each touched edge, and a JSON text
of everything that is small.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Floats
from ...geometry import Shape, is_polyhedron

MAGIC = 0xAB07
CONTACT = {
    **{"point": 0, "normal": 3, "force": 6, "gap": 9},
    **{"bodyA": 10, "bodyB": 11, "faceA": 12, "faceB": 13},
}
"""Where the numbers of a contact begin in its row; the same as in web/src/net/messages.ts."""
CONTACT_WIDTH = 14
MOST_CONTACTS = 2000
"""In one frame; the ones with the largest forces."""
MOST_EDGES = 512
"""That are lit."""


def frame(
    time: float,
    poses: Floats,
    contacts: np.ndarray,
    number: int,
    status: dict[str, Any],
    shapes: Sequence[Shape],
) -> bytes:
    """Bodies and contacts of a world at a time [s]; `shapes` are those of the bodies."""
    if len(contacts) > MOST_CONTACTS:
        contacts = contacts[np.argsort(-contacts["force"], kind="stable")[:MOST_CONTACTS]]
    text = json.dumps(status, separators=(",", ":"), allow_nan=False).encode()
    rows, edges = contact_rows(contacts), touched_edges(contacts, shapes)
    head = struct.pack("<IIIIdII", MAGIC, len(poses), len(contacts), number, time, len(text), len(edges))
    return b"".join((head, np.ascontiguousarray(poses, "<f8").tobytes(), rows.tobytes(), edges.tobytes(), text))


def contact_rows(contacts: np.ndarray) -> np.ndarray:
    """(n, 14) doubles: point, normal, force on B with friction, gap, bodies A and B, touched faces of both or -1."""
    rows = np.empty((len(contacts), CONTACT_WIDTH), "<f8")
    columns = {
        "point": contacts["point"],
        "normal": contacts["normal"],
        "force": contacts["force"][:, None] * contacts["normal"] + contacts["friction"],
        "gap": contacts["gap"],
        "bodyA": contacts["body_a"],
        "bodyB": contacts["body_b"],
        "faceA": np.where(np.char.startswith(contacts["kind"], "face"), contacts["entity_a"], -1),
        "faceB": np.where(np.char.endswith(contacts["kind"], "face"), contacts["entity_b"], -1),
    }
    for name, column in columns.items():
        width = column.shape[1] if column.ndim > 1 else 1
        rows[:, CONTACT[name] : CONTACT[name] + width] = column.reshape(-1, width)
    return rows


def touched_edges(contacts: np.ndarray, shapes: Sequence[Shape]) -> np.ndarray:
    """(n, 7) doubles: body, both ends in the part's frame of each edge that touches something, each edge once."""
    kinds = contacts["kind"]
    first, second = np.char.startswith(kinds, "edge"), np.char.endswith(kinds, "edge")
    bodies = np.concatenate((contacts["body_a"][first], contacts["body_b"][second]))
    numbers = np.concatenate((contacts["entity_a"][first], contacts["entity_b"][second]))
    # The edge of a capsule is its axis, which is not to be seen.
    seen = np.array([shapes[body].polyhedral for body in bodies.tolist()], np.bool_)
    touched = np.unique(np.stack((bodies, numbers), axis=1)[seen], axis=0)[:MOST_EDGES]
    rows = np.empty((len(touched), 7), "<f8")
    rows[:, 0] = touched[:, 0]
    for body in np.unique(touched[:, 0]):
        mine, solid = touched[:, 0] == body, shapes[body]
        assert is_polyhedron(solid)
        rows[mine, 1:] = solid.vertices[solid.edges.vertices[touched[mine, 1]]].reshape(-1, 6)
    return rows
