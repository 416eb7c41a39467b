"""What contacts with soft bodies exert on a rigid one."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats
from .soft_spec import SOFT_NUMBER


def soft_pushes(contacts: np.ndarray, body: int) -> Floats:
    """(6,) force [N] and torque [N m] on a rigid body, of the records of `World.contacts` with soft bodies."""
    wrench, soft = np.zeros(6), (contacts["body_a"] >= SOFT_NUMBER) | (contacts["body_b"] >= SOFT_NUMBER)
    for side, along in (("a", -1.0), ("b", 1.0)):
        mine = contacts[soft & (contacts[f"body_{side}"] == body)]
        wrench[:3] += along * (mine["force"][:, None] * mine["normal"] + mine["friction"]).sum(axis=0)
        wrench[3:] += mine[f"torque_{side}"].sum(axis=0)
    return wrench
