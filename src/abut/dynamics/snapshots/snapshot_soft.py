"""Deformable bodies in a snapshot: cages, skins, materials, states, contacts, hands and attachments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...fem import TetMesh
from ..bodies.body import BodySpec
from ..soft.skins import Skins
from ..soft.soft_spec import Attachment, Hand, KeptTouches, SoftMoment, SoftSpec, SoftState
from .archive import END_32, MOST_32, Section


def write_soft(soft: SoftMoment) -> Section:
    """The section of the deformable bodies."""
    data: dict[str, Any] = {"next_label": soft.next_label, "suspect": soft.suspect, "answer": soft.answer}
    data["bodies"] = []
    section = Section("soft", data)
    for i, (spec, state) in enumerate(zip(soft.specs, soft.states, strict=True)):
        links = soft.attached[i]
        data["bodies"].append(
            _described(spec) | {"attached": [link.body for link in links], "held": soft.hands[i] is not None}
        )
        _put_spec(section, i, spec)
        for word, table in state._asdict().items():
            section.arrays[f"{word} {i}"] = table
        for j, link in enumerate(links):
            section.arrays |= {f"attached nodes {i} {j}": link.nodes, f"attached places {i} {j}": link.places}
        hand = soft.hands[i]
        if hand is not None:
            numbers = (*hand.shares, *hand.target, hand.stiffness, hand.max_force)
            section.arrays |= {f"hand vertices {i}": hand.vertices, f"hand {i}": np.array(numbers)}
    for which, touches in (("touch", soft.touches), ("told", soft.told)):
        if touches is not None:
            section.arrays |= {f"{which} {word}": table for word, table in touches._asdict().items()}
    return section


def _described(spec: SoftSpec) -> dict[str, Any]:
    numbers = {"poisson": spec.poisson, "mass_damping": spec.damping[0], "stiffness_damping": spec.damping[1]}
    return {"name": spec.name, "friction": spec.friction, **numbers}


def _put_spec(section: Section, i: int, spec: SoftSpec) -> None:
    mesh = spec.mesh
    cage = {"rest": mesh.nodes, "tetrahedra": mesh.tetrahedra, "fill": mesh.fill}
    skin = {"vertices": spec.vertices, "triangles": spec.triangles, "fixed": spec.fixed_nodes}
    material = {"young": np.atleast_1d(spec.young), "density": np.atleast_1d(spec.density)}
    section.arrays |= {f"{word} {i}": np.asarray(table) for word, table in (cage | skin | material).items()}


def read_soft(section: Section, rigid: Sequence[BodySpec]) -> SoftMoment:
    """The deformable bodies of a section, in a world with these rigid ones."""
    soft, names = SoftMoment(), {body.name for body in rigid if not body.absent}
    for i, record in enumerate(section.records("bodies")):
        spec = _read_spec(record, i)
        if spec.name in names:
            section.refuse("deformable bodies do not have unique names")
        names.add(spec.name)
        soft = soft.with_body(spec, _read_state(record, i, spec))
        hands, attached = _read_hand(record, i, spec), _read_attached(record, i, spec, len(rigid))
        soft = replace(soft, hands=(*soft.hands[:-1], hands), attached=(*soft.attached[:-1], attached))
    label = section.whole("next_label", least=1, below=END_32)
    touches, n_vertex = _read_touches(section, "touch"), len(Skins(soft.specs, rigid, 0.0).surface)
    told = _read_touches(section, "told") if "told name" in section.arrays else None
    for some in (touches, told):
        if some is not None and len(some.name) and some.name[:, 1:].max() >= n_vertex:
            section.refuse("contacts of deformable bodies name vertices that do not exist")
    answer = section.real("answer") if "answer" in section.data else 1.0
    if not 0.0 < answer < np.inf:
        section.refuse("deformable bodies answer to impulses by a factor that is none")
    return replace(soft, next_label=label, suspect=section.flag("suspect"), touches=touches, told=told, answer=answer)


def _read_spec(record: Section, i: int) -> SoftSpec:
    rest = record.floats(f"rest {i}", None, 3)
    tetrahedra = record.integers(f"tetrahedra {i}", None, 4, least=0, below=len(rest))
    vertices = record.floats(f"vertices {i}", None, 3)
    young, density = (_one_or_all(record.floats(f"{word} {i}", None), len(tetrahedra)) for word in ("young", "density"))
    spec = SoftSpec(
        name=record.text("name"),
        mesh=TetMesh(rest, tetrahedra, fill=record.floats(f"fill {i}", len(tetrahedra))),
        vertices=vertices,
        triangles=record.integers(f"triangles {i}", None, 3, least=0, below=len(vertices)),
        young=young,
        poisson=record.real("poisson"),
        density=density,
        damping=(record.real("mass_damping"), record.real("stiffness_damping")),
        friction=None if record.data.get("friction") is None else record.real("friction"),
        fixed_nodes=record.integers(f"fixed {i}", None, least=0, below=len(rest)),
    )
    spec.check()
    return spec


def _one_or_all(values: Any, n: int) -> Any:
    """One number where there is one, as it was given."""
    return values[0] if len(values) == 1 and n != 1 else values


def _read_state(record: Section, i: int, spec: SoftSpec) -> SoftState:
    n, m = len(spec.mesh.nodes), len(spec.mesh.tetrahedra)
    rotations = record.floats(f"rotations {i}", m, 4)
    if (np.abs((rotations**2).sum(axis=1) - 1.0) > 1e-6).any():
        record.refuse(f"rotations of '{spec.name}' are none")
    return SoftState(record.floats(f"nodes {i}", n, 3), record.floats(f"velocities {i}", n, 3), rotations)


def _read_hand(record: Section, i: int, spec: SoftSpec) -> Hand | None:
    if not record.flag("held"):
        return None
    vertices = record.integers(f"hand vertices {i}", 3, least=0, below=len(spec.vertices))
    numbers = record.floats(f"hand {i}", 8, infinite=True)
    stiffness, max_force = numbers[6:].tolist()
    if not np.isfinite(numbers[:7]).all() or stiffness <= 0.0 or max_force < 0.0:
        record.refuse(f"the hand that holds '{spec.name}' is nowhere")
    return Hand(vertices, numbers[:3], numbers[3:6], stiffness, max_force)


def _read_attached(record: Section, i: int, spec: SoftSpec, n_body: int) -> tuple[Attachment, ...]:
    links = []
    for j, body in enumerate(record.of_type("attached", list, "a list")):
        if type(body) is not int or not 0 <= body < n_body:
            record.refuse(f"'{spec.name}' is attached to a body that does not exist")
        nodes = record.integers(f"attached nodes {i} {j}", None, least=0, below=len(spec.mesh.nodes))
        links.append(Attachment(body, nodes, record.floats(f"attached places {i} {j}", len(nodes), 3)))
    return tuple(links)


def _read_touches(section: Section, which: str) -> KeptTouches:
    name = section.integers(f"{which} name", None, 5, least=0, below=MOST_32)
    n = len(name)
    label = section.integers(f"{which} label", n, least=0, below=MOST_32).astype(np.int64)
    shapes = {"impulse": (n, 3), "axes": (n, 3, 3), "point": (n, 3), "gap": (n,), "torque": (n, 2, 3)}
    return KeptTouches(name, label, *(section.floats(f"{which} {word}", *shape) for word, shape in shapes.items()))
