"""What a page is told many times a second: where bodies are, which contacts there are, how the simulation goes.

A frame is a header (magic, bodies, contacts, number of the frame, time), the poses of the parts' frames in double
precision, a row of numbers for each contact, and a JSON text of everything that is small.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from ...arrays import Floats

MAGIC = 0xAB07
MOST_CONTACTS = 2000
"""In one frame; the ones with the largest forces."""


def frame(time: float, poses: Floats, contacts: np.ndarray, number: int, status: dict[str, Any]) -> bytes:
    """Bodies and contacts of a world at a time [s]."""
    if len(contacts) > MOST_CONTACTS:
        contacts = contacts[np.argsort(-contacts["force"], kind="stable")[:MOST_CONTACTS]]
    text = json.dumps(status, separators=(",", ":"), allow_nan=False).encode()
    head = struct.pack("<IIIIdII", MAGIC, len(poses), len(contacts), number, time, len(text), 0)
    rows = contact_rows(contacts)
    return b"".join((head, np.ascontiguousarray(poses, "<f8").tobytes(), rows.tobytes(), text))


def contact_rows(contacts: np.ndarray) -> np.ndarray:
    """(n, 14) doubles: point, normal, force on B with friction, gap, bodies A and B, touched faces of both or -1."""
    rows = np.empty((len(contacts), 14), "<f8")
    rows[:, 0:3], rows[:, 3:6] = contacts["point"], contacts["normal"]
    rows[:, 6:9] = contacts["force"][:, None] * contacts["normal"] + contacts["friction"]
    rows[:, 9], rows[:, 10], rows[:, 11] = contacts["gap"], contacts["body_a"], contacts["body_b"]
    rows[:, 12] = np.where(np.char.startswith(contacts["kind"], "face"), contacts["entity_a"], -1)
    rows[:, 13] = np.where(np.char.endswith(contacts["kind"], "face"), contacts["entity_b"], -1)
    return rows
