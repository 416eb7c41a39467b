"""Deformable bodies in a record: what is written of them after each step, and how it is read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...dynamics import World
from ...dynamics.contacts.contact_table import KIND_NAMES
from ...dynamics.soft.soft_measure import measured, soft_contacts
from ...dynamics.soft.soft_spec import Hand, SoftMoment
from ...errors import FileError
from .layout import CONTACTS, SOFT
from .reader import RecordFile, StoredChunk, in_threads
from .wire import Columns, Ints64

TOPIC = "/soft"


def messages_of_soft(step: int, world: World) -> list[tuple[str, bytes]]:
    """Topics and bytes of what a record says of deformable bodies after a step; nothing where there are none."""
    now = world._now
    if not now.soft.specs:
        return []
    head = {"step": step, "time": now.time}
    found = [(TOPIC, SOFT.encode({**head, **_states(now.soft, world)}))]
    if len(now.soft.reported.name):
        table = soft_contacts(now.soft, now.setup.specs)
        rows = {name: table[name] for name in table.dtype.names or () if name not in ("kind", "region")}
        kinds = {name: k for k, name in enumerate(KIND_NAMES.tolist())}
        rows["kind"] = np.array([kinds[kind] for kind in table["kind"].tolist()], np.int32)
        found.append(("/contacts", CONTACTS.encode({**head, **rows})))
    return found


def _states(soft: SoftMoment, world: World) -> dict[str, Any]:
    origins, nodes, kinetic, strain, stress = [], [], [], [], []
    for spec, state in zip(soft.specs, soft.states, strict=True):
        body = measured(spec, state, world._gravity)
        origin = state.nodes[0]
        origins.append(origin)
        nodes.append((state.nodes - origin).astype(np.float32))
        kinetic.append(body.kinetic_energy)
        strain.append(body.strain_energy)
        stress.append(body.stress.max())
    energies = {"kinetic": kinetic, "strain": strain, "stress": stress}
    return {"origin": np.array(origins), "node": np.concatenate(nodes), **energies}


def hands_message(step: int, soft: SoftMoment) -> dict[str, Any]:
    """Hands that hold points of skins from this step on, as layout.HANDS has them."""
    held = [(k, hand) for k, hand in enumerate(soft.hands) if hand is not None]
    columns = {word: np.array([getattr(hand, word) for _, hand in held]) for word in Hand._fields}
    return {"step": step, "body": np.array([k for k, _ in held], np.int32), **columns}


def hands_of(given: Mapping[str, Any], soft: SoftMoment) -> tuple[Hand | None, ...]:
    """Hands from a message; one that holds what there is not is refused."""
    hands: list[Hand | None] = [None] * len(soft.specs)
    bodies = given["body"].tolist()
    if any(len(given[word]) != len(bodies) for word in Hand._fields):
        raise FileError("the record holds hands that are not as many as what they hold; it is damaged")
    for i, k in enumerate(bodies):
        vertices, numbers = given["vertices"][i], (*given["shares"][i], *given["target"][i], given["stiffness"][i])
        known = 0 <= k < len(hands) and vertices.min() >= 0 and vertices.max() < len(soft.specs[k].vertices)
        if not known or not np.isfinite(numbers).all() or given["stiffness"][i] <= 0.0 or given["max_force"][i] < 0.0:
            raise FileError("the record holds a hand that holds nothing; it is damaged")
        target, shares = given["target"][i].copy(), given["shares"][i].copy()
        hands[k] = Hand(
            vertices.astype(np.int32), shares, target, float(given["stiffness"][i]), float(given["max_force"][i])
        )
    return tuple(hands)


class SoftStates(NamedTuple):
    """Deformable bodies after each of some steps."""

    step: Ints64
    """(n,)."""
    nodes: tuple[Floats, ...]
    """Of each body (n, n_node, 3) [m]."""
    kinetic: Floats
    """(n, n_body) [J]."""
    strain: Floats
    """(n, n_body) [J]."""
    stress: Floats
    """(n, n_body) [Pa], the largest in each body."""


def read_soft_states(file: RecordFile, sizes: list[int], stamps: Ints64 | None = None) -> SoftStates:
    """States of bodies with so many nodes each, at the times `stamps` [ns] only if these are given."""
    found = in_threads(lambda item: _decoded(*item), file.large(TOPIC, stamps))
    steps = _joined([columns["step"][0] for columns in found], np.zeros(0, np.int64))
    n, total = len(steps), sum(sizes)
    for columns in found:
        m = len(columns["step"][0])
        wanted = {
            "node": total,
            "origin": len(sizes),
            "kinetic": len(sizes),
            "strain": len(sizes),
            "stress": len(sizes),
        }
        if any(
            len(columns[word][0]) != m * count or (columns[word][1] != count).any() for word, count in wanted.items()
        ):
            raise FileError("a record holds soft bodies of other sizes than its first world; it is damaged")
    node = _joined([c["node"][0] for c in found], np.zeros((0, 3), np.float32)).reshape(n, total, 3)
    origin = _joined([c["origin"][0] for c in found], np.zeros((0, 3))).reshape(n, len(sizes), 1, 3)
    ends = np.cumsum([0, *sizes])
    nodes = tuple(origin[:, k] + node[:, ends[k] : ends[k + 1]] for k in range(len(sizes)))
    numbers = (
        _joined([c[word][0] for c in found], np.zeros(0)).reshape(n, -1) for word in ("kinetic", "strain", "stress")
    )
    return SoftStates(steps, nodes, *numbers)


def _decoded(chunk: StoredChunk, span: Ints64) -> Columns:
    columns = SOFT.decode_all(chunk.opened_again(), span)
    if (columns["step"][1] != 1).any():
        raise FileError("a record holds a soft body without a step; it is damaged")
    return columns


def _joined(tables: list[np.ndarray], none: np.ndarray) -> np.ndarray:
    return np.concatenate([none, *tables]) if tables else none
