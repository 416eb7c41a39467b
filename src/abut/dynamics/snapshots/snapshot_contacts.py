"""Contacts in a snapshot, with their forces.

They are named by the numbers of vertices, edges, faces and triangles of their parts, which follow from the parts alone,
not by places in tables, so that nothing that a file says is taken as an index before it was looked up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ...contact.contact_kernels import (
    BODY_A,
    BODY_B,
    CARRIER,
    CROSSING,
    FEATURE_A,
    FEATURE_B,
    FIRST_FACET,
    GAP,
    KIND,
    LABEL,
    LAST_END,
    NAME_WIDTH,
    PLACE_WIDTH,
    SPOT,
)
from ...contact.surface import facets_of
from ..accounts.account_kernels import CONTACT_WIDTH
from ..bodies.body_kernels import DYNAMIC
from ..contacts.contact_set import ContactSet
from ..contacts.contact_table import KIND_PARTS, solid_features
from ..moment import Setup
from ..state import Model
from .archive import END_32, MOST_32, Section

if TYPE_CHECKING:
    from ..world import World

SIDES = ((BODY_A, FEATURE_A), (BODY_B, FEATURE_B))


def write_contacts(name: str, world: World, setup: Setup, contacts: ContactSet) -> Section:
    """The section of some contacts."""
    n = contacts.n
    rows = contacts.name[:n]
    features, spot = np.zeros((n, 2), np.int32), np.full(n, -1, np.int32)
    if n:
        model = world._model_of(setup)
        features = solid_features(model, rows)
        spot = _spots(model, rows)
    arrays: dict[str, NDArray[Any]] = {
        "body": rows[:, (BODY_A, BODY_B)],
        "kind": rows[:, KIND],
        "feature": features,
        "spot": spot,
        "label": rows[:, LABEL],
        "place": contacts.place[:n],
        "force": contacts.force[:n],
        "friction": contacts.friction[:n],
        "acted": contacts.acted[:n],
    }
    if contacts.extra[:n].any():
        arrays["raised"] = contacts.extra[:n]
    return Section(name, {"next_label": int(contacts.next_label)}, arrays)


def _spots(model: Model, rows: Ints) -> Ints:
    """The triangle of a face on which a vertex stands, where of two edges they are held, else -1."""
    spot = np.full(len(rows), -1, np.int32)
    edges = (KIND_PARTS[rows[:, KIND]] == "edge").all(axis=1)
    spot[edges] = rows[edges, SPOT]
    for body, chosen in _on_faces(rows):
        for k in np.flatnonzero(chosen):
            triangles = model.table.shapes[model.shape_of[rows[k, body]]].triangle_id
            spot[k] = triangles[rows[k, SPOT]] if len(triangles) else -1
    return spot


def _on_faces(rows: Ints) -> list[tuple[int, np.ndarray]]:
    """Bodies A and B, and the contacts in which a face of theirs is touched."""
    parts = KIND_PARTS[rows[:, KIND]]
    return [(body, parts[:, side] == "face") for side, (body, _) in enumerate(SIDES)]


def read_contacts(section: Section, world: World, setup: Setup) -> ContactSet:
    """The contacts of a section, between the bodies of a setup."""
    contacts = ContactSet(next_label=section.whole("next_label", least=0, below=END_32))
    rows = _read_rows(section, len(setup.specs), contacts.next_label)
    n = len(rows)
    place, force = section.floats("place", n, PLACE_WIDTH), section.floats("force", n)
    friction, acted = section.floats("friction", n, 3), section.floats("acted", n, CONTACT_WIDTH)
    if n == 0:
        return contacts
    if not np.isin(place[:, CARRIER], (0.0, 1.0, 2.0, 3.0)).all():
        section.refuse("place holds a carrier that does not exist")
    dynamic = np.array([spec.kind == DYNAMIC for spec in setup.specs])
    if not dynamic[rows[:, (BODY_A, BODY_B)]].any(axis=1).all():
        section.refuse("a contact holds two bodies that cannot move")
    _find_features(section, world._model_of(setup), rows)
    contacts.make_room(n)
    contacts.name[:n], contacts.place[:n], contacts.force[:n], contacts.friction[:n] = rows, place, force, friction
    contacts.acted[:n], contacts.n, contacts.smallest_gap = acted, n, float(place[:, GAP].min())
    if "raised" in section.arrays:
        contacts.extra[:n] = section.floats("raised", n)
    return contacts


def _read_rows(section: Section, n_body: int, next_label: int) -> Ints:
    bodies = section.integers("body", None, 2, least=0, below=n_body)
    n = len(bodies)
    rows = np.zeros((n, NAME_WIDTH), np.int32)
    rows[:, (BODY_A, BODY_B)] = bodies
    rows[:, KIND] = section.integers("kind", n, least=0, below=len(KIND_PARTS))
    rows[:, (FEATURE_A, FEATURE_B)] = section.integers("feature", n, 2, least=0, below=MOST_32)
    rows[:, SPOT] = section.integers("spot", n, least=-1, below=MOST_32)
    rows[:, LABEL] = section.integers("label", n, least=0, below=max(1, next_label))
    if (bodies[:, 0] >= bodies[:, 1]).any():
        section.refuse("a contact does not name its body with the smaller number first")
    return rows


def _find_features(section: Section, model: Model, rows: Ints) -> None:
    """Turn numbers of vertices, edges, faces and triangles of parts into places in tables."""
    parts = KIND_PARTS[rows[:, KIND]]
    edges = (parts == "edge").all(axis=1)
    if (np.abs(rows[edges, SPOT]) > max(LAST_END, -CROSSING)).any():
        section.refuse("a contact of two edges is held at a spot that does not exist")
    rows[~edges & ~(parts == "face").any(axis=1), SPOT] = -1
    for side, (body, feature) in enumerate(SIDES):
        shape = model.shape_of[rows[:, body]]
        for s in np.unique(shape).tolist():
            features, mine = model.table.shapes[s], shape == s
            for part, numbers in (("vertex", features.point_id), ("edge", features.segment_id)):
                _look_up(section, part, numbers, rows, mine & (parts[:, side] == part), feature)
            _find_facets(section, model, s, rows, mine & (parts[:, side] == "face"), feature)


def _find_facets(section: Section, model: Model, s: int, rows: Ints, chosen: np.ndarray, column: int) -> None:
    """Turn triangles into places in tables, and faces into facets; the plane of a half-space is one of each."""
    if not chosen.any():
        return
    start, *_ = model.surfaces
    if start[s, FIRST_FACET] == start[s + 1, FIRST_FACET]:
        section.refuse("a contact names a face of a ball")
    triangles = model.table.shapes[s].triangle_id
    if len(triangles):
        _look_up(section, "triangle", triangles, rows, chosen, SPOT)
    else:
        rows[chosen, SPOT] = 0
    if (model.faces[s][rows[chosen, SPOT]] != rows[chosen, column]).any():
        section.refuse("a contact names a triangle that is not part of its face")
    rows[chosen, column] = facets_of(model.surfaces, np.full(int(chosen.sum()), s), rows[chosen, SPOT])


def _look_up(section: Section, what: str, numbers: Ints, rows: Ints, chosen: np.ndarray, column: int) -> None:
    """Replace numbers of features in the chosen rows by their places in `numbers`."""
    wanted = rows[chosen, column]
    order = np.argsort(numbers, kind="stable")
    at = np.searchsorted(numbers[order], wanted)
    found = order[np.minimum(at, len(order) - 1)] if len(order) else np.zeros(len(wanted), np.int64)
    if len(wanted) and (len(order) == 0 or (numbers[found] != wanted).any()):
        section.refuse(f"a contact names a {what} that cannot touch anything")
    rows[chosen, column] = found
