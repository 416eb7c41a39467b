"""What is known of parts beyond their vertices, in a snapshot: a reader that does not know of it may leave it out."""

from __future__ import annotations

from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from ...geometry import Shape, Solid, is_polyhedron
from ...geometry.facts import facts_of
from ...geometry.files.load import LoadReport
from ...geometry.surfaces.surfaces import KINDS, SENSES, Surface, Surfaces
from .archive import END_64, Section

Kind = TypeVar("Kind")
MOST_COORDINATE = 1e75
"""[m]; products of four of them are still numbers."""


def write_facts(parts: Sequence[Shape]) -> Section:
    """The section: an object for each solid, null for other parts; which surface each triangle belongs to."""
    solids = {i: part for i, part in enumerate(parts) if is_polyhedron(part)}
    section = Section("facts", {"facts": [facts_of(solids[i]) if i in solids else None for i in range(len(parts))]})
    section.needed = False
    for i, part in solids.items():
        if len(part.surfaces):
            section.arrays[f"surface {i}"] = part.surfaces.ids
    return section


def read_facts(section: Section, i: int, part: Solid) -> dict[str, Any]:
    """What is known of part i, as attributes of the solid."""
    facts = section.of_type("facts", list, "a list")
    if not (i < len(facts) and type(facts[i]) is dict):
        section.refuse(f"there is nothing about part {i}")
    record = Section(section.name, facts[i], section.arrays)
    surfaces = tuple(_surface(surface) for surface in record.records("surfaces"))
    known: dict[str, Any] = {"colour": _value(record, "colour", tuple[float, float, float] | None)}
    known["origin"] = _value(record, "origin", LoadReport | None)
    if surfaces:
        n = len(part.mesh.triangles)
        known["surfaces"] = Surfaces(surfaces, section.integers(f"surface {i}", n, least=-1, below=len(surfaces)))
    return known


def _surface(record: Section) -> Surface:
    surface = _object(record, Surface)
    if surface.kind not in KINDS or surface.sense not in SENSES:
        record.refuse(f"there is no surface of kind {surface.kind!r} and sense {surface.sense!r}")
    if max(map(abs, (*surface.point, *surface.axis, surface.radius, surface.minor_radius))) > MOST_COORDINATE:
        record.refuse(f"a surface reaches farther than {MOST_COORDINATE:g} m")
    return surface


def _object(record: Section, kind: type[Kind]) -> Kind:
    """A dataclass; what the record does not say is as by default."""
    types = get_type_hints(kind)
    names = [name for name in types if name in record.data]
    given = {name: _value(record, name, types[name]) for name in names}
    try:
        return kind(**given)
    except TypeError:
        record.refuse(f"what is said of a {kind.__name__} is not all of it")


def _value(record: Section, key: str, kind: Any) -> Any:
    """A value of one of the types that fields of such dataclasses have."""
    if get_origin(kind) is UnionType:
        if record.data.get(key) is None:
            return None
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    if get_origin(kind) is tuple:
        return _values(record, key, *get_args(kind))
    if kind is float:
        return record.real(key)
    if kind is int:
        return record.whole(key, least=0, below=END_64)
    if kind is str:
        return record.text(key)
    return _object(Section(record.name, record.of_type(key, dict, "an object"), record.arrays), kind)


def _values(record: Section, key: str, *kinds: Any) -> tuple[Any, ...]:
    """A tuple; of any length if the second kind is an ellipsis."""
    values = record.of_type(key, list, "a list")
    n = len(values) if kinds[-1] is ... else len(kinds)
    if len(values) != n:
        record.refuse(f"{key} has {len(values)} entries, expected {n}")
    entries = Section(record.name, {f"{key} {i}": value for i, value in enumerate(values)}, record.arrays)
    return tuple(_value(entries, f"{key} {i}", kinds[0 if kinds[-1] is ... else i]) for i in range(n))
