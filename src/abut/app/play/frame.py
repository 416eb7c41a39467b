"""What a page is told many times a second: where bodies are, which contacts there are, how the simulation goes.

A frame is a header (magic, bodies, contacts, number of the frame, time, length of the text, touched edges, bytes of
soft bodies, 0), the poses of the parts' frames in double precision, a row of numbers for each contact and for each
touched edge, nodes of soft bodies (soft_rows.py), and a JSON text of everything that is small. Soft bodies are numbered
behind rigid ones; their poses are those of their centres of mass, not turned.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import Floats
from ...dynamics import World
from ...dynamics.soft.soft_spec import SOFT_NUMBER
from ...geometry import Shape, is_polyhedron

MAGIC = 0xAB07
HEAD = "<IIIIdIIII"
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
    soft: bytes = b"",
) -> bytes:
    """Bodies and contacts of a world at a time [s]; `shapes` are those of rigid bodies, `soft` is a `soft_block`."""
    if len(contacts) > MOST_CONTACTS:
        contacts = contacts[np.argsort(-contacts["force"], kind="stable")[:MOST_CONTACTS]]
    text = json.dumps(status, separators=(",", ":"), allow_nan=False).encode()
    rows, edges = contact_rows(contacts, len(shapes)), touched_edges(contacts, shapes)
    head = struct.pack(HEAD, MAGIC, len(poses), len(contacts), number, time, len(text), len(edges), len(soft), 0)
    numbers = (np.ascontiguousarray(poses, "<f8").tobytes(), rows.tobytes(), edges.tobytes())
    return b"".join((head, *numbers, soft, text))


def centre_rows(world: World) -> Floats:
    """(n, 7) poses of all bodies, those of soft ones behind the others."""
    rows = [body.pose.row for body in world.bodies]
    rows += [np.array((*soft.centre, 1.0, 0.0, 0.0, 0.0)) for soft in world.deformables]
    return np.array(rows).reshape(-1, 7)


def contact_rows(contacts: np.ndarray, n_rigid: int) -> np.ndarray:
    """(n, 14) doubles: point, normal, force on B with friction, gap, bodies A and B, touched faces of both or -1."""
    rows = np.empty((len(contacts), CONTACT_WIDTH), "<f8")
    columns = {
        "point": contacts["point"],
        "normal": contacts["normal"],
        "force": contacts["force"][:, None] * contacts["normal"] + contacts["friction"],
        "gap": contacts["gap"],
        "bodyA": _page_number(contacts["body_a"], n_rigid),
        "bodyB": _page_number(contacts["body_b"], n_rigid),
        "faceA": _face(contacts, "a", np.char.startswith(contacts["kind"], "face")),
        "faceB": _face(contacts, "b", np.char.endswith(contacts["kind"], "face")),
    }
    for name, column in columns.items():
        width = column.shape[1] if column.ndim > 1 else 1
        rows[:, CONTACT[name] : CONTACT[name] + width] = column.reshape(-1, width)
    return rows


def _page_number(body: np.ndarray, n_rigid: int) -> np.ndarray:
    """Soft bodies are numbered behind the rigid ones."""
    return np.where(body >= SOFT_NUMBER, body - SOFT_NUMBER + n_rigid, body)


def _face(contacts: np.ndarray, side: str, named: np.ndarray) -> np.ndarray:
    """Touched faces of rigid bodies that are named by a contact with another rigid one."""
    soft = (contacts["body_a"] >= SOFT_NUMBER) | (contacts["body_b"] >= SOFT_NUMBER)
    return np.where(named & ~soft, contacts[f"entity_{side}"], -1)


def touched_edges(contacts: np.ndarray, shapes: Sequence[Shape]) -> np.ndarray:
    """(n, 7) doubles: body, both ends in the part's frame of each edge that touches something, each edge once."""
    kinds = contacts["kind"]
    first, second = np.char.startswith(kinds, "edge"), np.char.endswith(kinds, "edge")
    bodies = np.concatenate((contacts["body_a"][first], contacts["body_b"][second]))
    numbers = np.concatenate((contacts["entity_a"][first], contacts["entity_b"][second]))
    rigid = bodies < SOFT_NUMBER
    bodies, numbers = bodies[rigid], numbers[rigid]
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
