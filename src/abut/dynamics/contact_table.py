"""The contacts of a world as users read them: one record each, in the world's axes and with the part's own numbers."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..contact.contact_kernels import BODY_A, BODY_B, CARRIER, FEATURE_A, FEATURE_B, GAP, KIND, LABEL, SPOT
from ..math import Pose
from .account_kernels import FRICTION, PRESSURE, TORQUE_A, TORQUE_B
from .contact_set import ContactSet
from .state import Model

CONTACT_TYPE = np.dtype(
    [
        ("label", np.int64),
        ("body_a", np.int32),
        ("body_b", np.int32),
        ("kind", "U13"),
        ("entity_a", np.int32),
        ("entity_b", np.int32),
        ("point", np.float64, 3),
        ("normal", np.float64, 3),
        ("gap", np.float64),
        ("force", np.float64),
        ("friction", np.float64, 3),
        ("torque_a", np.float64, 3),
        ("torque_b", np.float64, 3),
    ]
)
"""Fields of `world.contacts`.

Where the features stand at the end of the step: `point` [m] half-way between them, `gap` [m].
What acted, as means over the step: B was pushed with `force` [N] along `normal`, which points from A to B, and with
`friction` [N]; A with the opposite. `torque_a` and `torque_b` [N m] are the torques of both on A and on B, each about
its centre of mass. The normal is the one that acted; where nothing did, that of the features at the end.
"""

KIND_NAMES = np.array(["vertex-face", "face-vertex", "edge-edge", "vertex-edge", "edge-vertex", "vertex-vertex"])
KIND_PARTS = np.array([name.split("-") for name in KIND_NAMES])
"""(6, 2) what touches of A and of B, by kind."""


def contact_table(contacts: ContactSet, model: Model, pose: Floats) -> np.ndarray:
    """Records of `CONTACT_TYPE` for bodies whose centre-of-mass frames are at `pose` (n, 7)."""
    n = contacts.n
    name, place = contacts.name[:n], contacts.place[:n]
    result = np.zeros(n, CONTACT_TYPE)
    for column, position in (("label", LABEL), ("body_a", BODY_A), ("body_b", BODY_B)):
        result[column] = name[:, position]
    result["kind"] = KIND_NAMES[name[:, KIND]]
    result["entity_a"] = solid_features(model, name, BODY_A, FEATURE_A)
    result["entity_b"] = solid_features(model, name, BODY_B, FEATURE_B)
    result["point"], normal = _frames(name, place, pose)
    result["gap"] = place[:, GAP]
    acted = contacts.acted[:n]
    for column, first in (("friction", FRICTION), ("torque_a", TORQUE_A), ("torque_b", TORQUE_B)):
        result[column] = acted[:, first : first + 3]
    pressure = acted[:, PRESSURE : PRESSURE + 3]
    force = result["force"] = np.linalg.norm(pressure, axis=1)
    pushed = force > 0.0
    normal[pushed] = pressure[pushed] / force[pushed, None]
    result["normal"] = normal
    return result


def solid_features(model: Model, name: Ints, body: int, feature: int) -> Ints:
    """Vertices, edges and faces of the parts that touch, by their numbers in the solid."""
    what = KIND_PARTS[name[:, KIND], 0 if body == BODY_A else 1]
    shape = model.shape_of[name[:, body]]
    result = name[:, feature].copy()
    for s in np.unique(shape):
        features = model.table.shapes[s]
        for part, ids in (("vertex", features.point_id), ("edge", features.segment_id)):
            chosen = (shape == s) & (what == part)
            result[chosen] = ids[result[chosen]]
        chosen = (shape == s) & (what == "face")
        result[chosen] = model.faces[s][name[chosen, SPOT]]
    return result


def _frames(name: Ints, place: Floats, pose: Floats) -> tuple[Floats, Floats]:
    """Points half-way between the two parts, and normals, in the world."""
    p, R = pose[:, :3], np.array([Pose(quat_wxyz=row[3:]).rotation for row in pose])
    a, b = name[:, BODY_A], name[:, BODY_B]
    x_a = p[a] + np.einsum("kij,kj->ki", R[a], place[:, :3])
    x_b = p[b] + np.einsum("kij,kj->ki", R[b], place[:, 3:6])
    # The normal stands in the frame of A, of B or of the world, as its carrier (none, A, B, both) says.
    world = np.broadcast_to(np.eye(3), (len(name), 3, 3))
    frames = np.stack((world, R[a], R[b], world))
    carrier = frames[place[:, CARRIER].astype(np.int64), np.arange(len(name))]
    return 0.5 * (x_a + x_b), np.einsum("kij,kj->ki", carrier, place[:, 6:9])
