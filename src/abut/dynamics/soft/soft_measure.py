"""What deformable bodies have: energy, momentum, stress, and their contacts as users read them."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from ...arrays import Floats
from ...fem import ElasticBody
from ..bodies.body import BodySpec
from ..contacts.contact_table import CONTACT_TYPE
from .skins import Skins
from .soft_spec import SOFT_NUMBER, SoftMoment, SoftSpec, SoftState

_bodies: WeakKeyDictionary[SoftSpec, ElasticBody] = WeakKeyDictionary()


def measured(spec: SoftSpec, state: SoftState, gravity: Floats) -> ElasticBody:
    """The body of a spec in a state, to ask it; the same object whenever it is asked for."""
    body = _body_of(spec)
    for table, value in zip(body.state, state, strict=True):
        table[:] = value
    body.gravity = gravity
    return body


def _body_of(spec: SoftSpec) -> ElasticBody:
    body = _bodies.get(spec)
    if body is None:
        body = _bodies[spec] = spec.new_body()
    return body


def node_stress(spec: SoftSpec, stress: Floats) -> Floats:
    """(n,) stress at the nodes of a cage, from that of tetrahedra: means by volume."""
    corner, weight = spec.mesh.tetrahedra, np.asarray(spec.mesh.volumes)
    total = np.bincount(corner.ravel(), np.repeat(weight, 4), len(spec.mesh.nodes))
    return np.asarray(np.bincount(corner.ravel(), np.repeat(weight * stress, 4), len(spec.mesh.nodes)) / total)


def skin_stress(spec: SoftSpec, stress: Floats) -> Floats:
    """(k,) stress at the vertices of a skin, from that of tetrahedra: by volume to nodes, by shares to vertices."""
    nodes, embedding = node_stress(spec, stress), spec.embedding
    return np.asarray(np.maximum(0.0, (embedding.weight * nodes[embedding.corner]).sum(axis=1)))


def stress_of(spec: SoftSpec, nodes: Floats) -> Floats:
    """(n_tetrahedron,) von Mises stress [Pa] of a body whose cage has its nodes there."""
    body = _body_of(spec)
    body.nodes = nodes
    return body.stress


def soft_energy(soft: SoftMoment, gravity: Floats) -> tuple[float, float]:
    """Kinetic energy, and that of strain and weight [J]."""
    kinetic = potential = 0.0
    for spec, state in zip(soft.specs, soft.states, strict=True):
        body = measured(spec, state, gravity)
        kinetic += body.kinetic_energy
        potential += body.energy - body.kinetic_energy
    return kinetic, potential


def soft_momentum(soft: SoftMoment) -> tuple[Floats, Floats]:
    """Linear momentum [N s] and angular momentum about the world's origin [N m s]."""
    linear, angular = np.zeros(3), np.zeros(3)
    for spec, state in zip(soft.specs, soft.states, strict=True):
        p = measured(spec, state, np.zeros(3)).masses[:, None] * state.velocities
        linear += p.sum(axis=0)
        angular += np.cross(state.nodes, p).sum(axis=0)
    return linear, angular


def soft_contacts(soft: SoftMoment, rigid: tuple[BodySpec, ...]) -> np.ndarray:
    """Records of `CONTACT_TYPE` for contacts of deformable bodies; entities are vertices, edges, triangles of skins."""
    touches, skins = soft.reported, Skins(soft.specs, rigid, 0.0)
    n = len(touches.name)
    table = np.zeros(n, CONTACT_TYPE)
    table["region"] = -1
    for k in range(n):
        kind, *ids = touches.name[k].tolist()
        cut = 1 if kind == 0 else 2
        a, b = skins.surface_of(ids[0]), skins.surface_of(ids[cut])
        for side, surface in (("a", a), ("b", b)):
            table[f"body_{side}"][k] = surface.body if surface.body >= 0 else SOFT_NUMBER + surface.number
        table["kind"][k] = "vertex-face" if kind == 0 else "edge-edge"
        table["entity_a"][k] = a.feature(ids[:cut])
        table["entity_b"][k] = b.feature(ids[cut:])
    table["label"], table["point"], table["gap"] = touches.label, touches.point, touches.gap
    table["normal"], table["force"] = touches.axes[:, 0], touches.impulse[:, 0]
    table["friction"] = np.einsum("kd,kde->ke", touches.impulse[:, 1:], touches.axes[:, 1:])
    table["torque_a"], table["torque_b"] = touches.torque[:, 0], touches.torque[:, 1]
    return table
