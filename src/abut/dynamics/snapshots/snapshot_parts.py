"""Parts in a snapshot: each one once, however many bodies have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...arrays import Ints
from ...geometry import Capsule, HalfSpace, Shape, Solid, Sphere, is_polyhedron
from .archive import Section
from .snapshot_facts import MOST_COORDINATE, read_facts

_KINDS = {"half_space": "half-space"}
"""What snapshots call a shape, where that is another word than in scene files."""


def distinct_parts(shapes: Sequence[Shape]) -> tuple[list[Shape], Ints]:
    """Parts that differ in anything, and for each of the given ones its place among them."""
    number: dict[object, int] = {}
    parts: list[Shape] = []
    part_of = np.empty(len(shapes), np.int32)
    for i, shape in enumerate(shapes):
        key = shape.identity
        if key not in number:
            number[key] = len(parts)
            parts.append(shape)
        part_of[i] = number[key]
    return parts, part_of


def write_parts(parts: Sequence[Shape], *, whole: bool = True) -> Section:
    """The section of the parts; of solids only the digests, unless it is to be `whole`."""
    section = Section("parts", {"parts": [_described(shape) for shape in parts]})
    for i, shape in enumerate(parts):
        if not is_polyhedron(shape):
            vectors = {word: value for word, value in shape.words.items() if isinstance(value, np.ndarray)}
            section.arrays |= {f"{word} {i}": value for word, value in vectors.items()}
        elif whole:
            section.arrays[f"vertices {i}"] = shape.mesh.vertices
            section.arrays[f"triangles {i}"] = shape.mesh.triangles
    return section


def _described(shape: Shape) -> dict[str, Any]:
    """In numbers; vectors stand among the arrays."""
    if is_polyhedron(shape):
        return {"kind": shape.kind, "name": shape.name, "tolerance": shape.tolerance, "digest": shape.digest}
    numbers = {word: value for word, value in shape.words.items() if isinstance(value, float)}
    return {"kind": _KINDS.get(shape.kind, shape.kind), **numbers}


def read_parts(section: Section, facts: Section | None, known: Mapping[str, Solid]) -> list[Shape]:
    """The parts of a section, with what another one says of them beyond their vertices."""
    return [_read_part(record, i, facts, known) for i, record in enumerate(section.records("parts"))]


def _read_part(record: Section, i: int, facts: Section | None, known: Mapping[str, Solid]) -> Shape:
    kind = record.text("kind")
    if kind == "sphere":
        return Sphere(record.real("radius"))
    if kind == "capsule":
        return Capsule(record.real("radius"), record.real("length"))
    if kind == "half-space":
        return _half_space(record, i)
    if kind != "solid":
        record.refuse(f"part {i} is a {kind!r}, expected a solid, a sphere, a capsule or a half-space")
    digest = record.text("digest")
    if digest in known:
        return known[digest]
    part = _solid(record, i)
    return part if facts is None else part._with(**read_facts(facts, i, part))


def _half_space(record: Section, i: int) -> HalfSpace:
    """With the very normal: scaling it to length 1 again could change its last bits."""
    normal = record.floats(f"normal {i}", 3)
    if abs(float(normal @ normal) - 1.0) > 1e-9:
        record.refuse(f"the normal of part {i} does not have the length 1")
    half_space = HalfSpace(normal, record.real("offset"))
    object.__setattr__(half_space, "normal", normal)
    return half_space


def _solid(record: Section, i: int) -> Solid:
    vertices = record.floats(f"vertices {i}", None, 3)
    triangles = record.integers(f"triangles {i}", None, 3, least=0, below=len(vertices))
    if np.abs(vertices).max(initial=0.0) > MOST_COORDINATE:
        record.refuse(f"part {i} reaches farther than {MOST_COORDINATE:g} m")
    return Solid(vertices, triangles, name=record.text("name"), tolerance=record.real("tolerance"))
