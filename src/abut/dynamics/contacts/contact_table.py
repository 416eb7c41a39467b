"""The contacts of a world as users read them: one record each, in the world's axes and with the part's own numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...contact.contact_kernels import BODY_A, BODY_B, GAP, KIND, LABEL
from ..accounts.account_kernels import FRICTION, TORQUE_A, TORQUE_B
from ..state import Model
from .contact_set import ContactSet
from .contact_table_kernels import contact_entities, contact_frames

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
        ("region", np.int64),
    ]
)
"""Fields of `world.contacts`.

Where the features stand at the end of the step: `point` [m] half-way between them, `gap` [m].
What acted, as means over the step: B was pushed with `force` [N] along `normal`, which points from A to B, and with
`friction` [N]; A with the opposite. `torque_a` and `torque_b` [N m] are the torques of both on A and on B, each about
its centre of mass. The normal is the one that acted; where nothing did, that of the features at the end.
`region` is the label of the contact region to which it belongs, -1 unless `world.regions` were asked for.
"""

KIND_NAMES = np.array(["vertex-face", "face-vertex", "edge-edge", "vertex-edge", "edge-vertex", "vertex-vertex"])
KIND_PARTS = np.array([name.split("-") for name in KIND_NAMES])
"""(6, 2) what touches of A and of B, by kind."""


class ContactColumns(NamedTuple):
    """The contacts of a world, a table for each field of `CONTACT_TYPE` but their regions."""

    label: Ints
    body_a: Ints
    body_b: Ints
    kind: Ints
    """Numbers of KIND_NAMES."""
    entity_a: Ints
    entity_b: Ints
    point: Floats
    normal: Floats
    gap: Floats
    force: Floats
    friction: Floats
    torque_a: Floats
    torque_b: Floats


def contact_columns(contacts: ContactSet, model: Model, pose: Floats) -> ContactColumns:
    """Contacts of bodies whose centre-of-mass frames are at `pose` (n, 7)."""
    n = contacts.n
    name, place, acted = contacts.name[:n], contacts.place[:n], contacts.acted[:n]
    entity, point, normal, force = solid_features(model, name), np.empty((n, 3)), np.empty((n, 3)), np.empty(n)
    contact_frames(name, place, model.radius, acted, n, pose, (point, normal, force))
    features = (name[:, BODY_A], name[:, BODY_B], name[:, KIND], entity[:, 0], entity[:, 1])
    vectors = (acted[:, first : first + 3] for first in (FRICTION, TORQUE_A, TORQUE_B))
    return ContactColumns(name[:, LABEL], *features, point, normal, place[:, GAP], force, *vectors)


def contact_table(contacts: ContactSet, model: Model, pose: Floats) -> np.ndarray:
    """Records of `CONTACT_TYPE` for bodies whose centre-of-mass frames are at `pose` (n, 7)."""
    columns = contact_columns(contacts, model, pose)
    result = np.zeros(contacts.n, CONTACT_TYPE)
    result["region"] = -1
    for column in columns._fields:
        result[column] = KIND_NAMES[columns.kind] if column == "kind" else getattr(columns, column)
    return result


def solid_features(model: Model, name: Ints) -> Ints:
    """(n, 2) vertices, edges and faces of the parts that touch, by their numbers in the solid."""
    entity = np.empty((len(name), 2), np.int32)
    contact_entities(name, len(name), model.shape_of, tuple(model.numbers), entity)
    return entity
