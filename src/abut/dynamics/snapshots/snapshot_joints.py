"""Joints in a snapshot, with their motors, springs, limits and forces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...arrays import TINY
from ..bodies.body import BodySpec
from ..bodies.body_kernels import DYNAMIC
from ..joints.joint_kernels import EQUAL, JOINT, JOINT_A, JOINT_B, POSITION, ROW_KIND, SCREWED, SPRING
from ..joints.joint_set import COLUMNS, NAMES, PLACES, VALUES, WATCHED, WORLD, JointSet, JointSpec
from ..joints.joint_types import TYPES
from .archive import END_32, MOST_32, Section


def write_joints(joints: JointSet) -> Section:
    """The section of the joints."""
    records = [
        {
            "id": number,
            "type": spec.type,
            "name": spec.name,
            "body": spec.body,
            "other": spec.other,
            "reach": spec.reach,
            "coordinates": list(spec.coordinates),
            "contact": bool(spec.contact),
        }
        for number, spec in joints.specs.items()
    ]
    arrays = {name: getattr(joints, name) for name in COLUMNS}
    per_unit = [x for spec in joints.specs.values() for x in spec.per_unit]
    arrays["per_unit"] = np.array(per_unit, np.float64)
    return Section("joints", {"joints": records, "rows": joints.n, "next_id": joints.next_id}, arrays)


def read_joints(section: Section, bodies: Sequence[BodySpec], level: str) -> JointSet:
    """The joints of a section, between the bodies of a world of some level."""
    joints = JointSet(next_id=section.whole("next_id", least=0, below=END_32))
    joints.specs = _read_specs(section, joints.next_id, bodies)
    n_row = len(section.integers("law", None, least=WATCHED, below=SPRING + 1))
    joints.n = section.whole("rows", least=0, below=n_row + 1)
    joints.law = section.integers("law", n_row, least=WATCHED, below=SPRING + 1)
    joints.name = section.integers("name", n_row, NAMES, least=-1, below=MOST_32)
    joints.slot = section.integers("slot", n_row, least=0, below=3)
    joints.place, joints.last = section.floats("place", n_row, PLACES), section.floats("last", n_row)
    joints.value = section.floats("value", n_row, VALUES, infinite=True)
    joints.lower, joints.upper = (section.floats(name, n_row, infinite=True) for name in ("lower", "upper"))
    joints.force, joints.force_before = (section.floats(name, n_row) for name in ("force", "force_before"))
    joints.acted, joints.wrench = section.floats("acted", n_row), section.floats("wrench", n_row, 6)
    _check_rows(section, joints)
    if joints.specs and level == "geometric":
        section.refuse("a geometric world has joints")
    return joints


def _read_specs(section: Section, next_id: int, bodies: Sequence[BodySpec]) -> dict[int, JointSpec]:
    specs: dict[int, JointSpec] = {}
    n_body, used = len(bodies), 0
    per_unit = section.floats("per_unit", None)
    for record in section.records("joints"):
        number = record.whole("id", least=0, below=next_id)
        coordinates = tuple(record.texts("coordinates"))
        specs[number] = JointSpec(
            type=record.text("type"),
            name=record.text("name"),
            body=record.whole("body", least=0, below=n_body),
            other=record.whole("other", least=WORLD, below=n_body),
            reach=record.real("reach"),
            coordinates=coordinates,
            per_unit=tuple(per_unit[used : used + len(coordinates)].tolist()),
            contact=record.flag("contact"),
        )
        used += len(coordinates)
        _check_spec(section, specs[number], bodies)
    if used != len(per_unit) or len(specs) != len(section.data["joints"]):
        section.refuse("joints do not have unique numbers")
    if len({spec.name for spec in specs.values()}) < len(specs):
        section.refuse("joints do not have unique names")
    return specs


def _check_spec(section: Section, spec: JointSpec, bodies: Sequence[BodySpec]) -> None:
    if spec.type not in TYPES or spec.coordinates not in (TYPES[spec.type].coordinates, _fewest(spec.type)):
        section.refuse(f"joint '{spec.name}' is of a type that does not exist")
    if len(spec.per_unit) != len(spec.coordinates) or not all(abs(x) > TINY for x in spec.per_unit):
        section.refuse(f"joint '{spec.name}' has coordinates without a unit")
    if not spec.reach > 0.0 or spec.body == spec.other:
        section.refuse(f"joint '{spec.name}' has no reach, or joins a body to itself")
    joined = (spec.body,) if spec.other == WORLD else (spec.body, spec.other)
    if all(bodies[i].kind != DYNAMIC for i in joined):
        section.refuse(f"joint '{spec.name}' holds bodies that cannot move")


def _fewest(joint_type: str) -> tuple[str, ...]:
    """Coordinates of a joint that has not been left free to move along them: the length of a rod."""
    return () if joint_type == "distance" else TYPES[joint_type].coordinates


def _check_rows(section: Section, joints: JointSet) -> None:
    """Rows name kinds, bodies and coordinates that exist; the first ones hold, each coordinate is watched once."""
    watched = joints.law == WATCHED
    if watched[: joints.n].any() or not watched[joints.n :].all():
        section.refuse("rows that hold and rows that watch are mixed")
    expected = {(number, i + 1) for number, spec in joints.specs.items() for i in range(len(spec.coordinates))}
    seen = [(int(row[JOINT]), int(slot)) for row, slot in zip(joints.name[watched], joints.slot[watched], strict=True)]
    if len(seen) != len(expected) or set(seen) != expected:
        section.refuse("coordinates of joints are not watched, each by one row")
    for row, law, slot in zip(joints.name.tolist(), joints.law.tolist(), joints.slot.tolist(), strict=True):
        spec = joints.specs.get(row[JOINT])
        if spec is None or not 0 <= row[ROW_KIND] <= SCREWED or slot > len(spec.coordinates):
            section.refuse("a row is that of no joint")
        if {row[JOINT_A], row[JOINT_B]} != {spec.body, spec.other}:
            section.refuse(f"joint '{spec.name}' holds bodies that are not its own")
        if (slot == 0) != (law == EQUAL):
            section.refuse(f"joint '{spec.name}' asks of its coordinates what is not asked of any")
    if (joints.lower > joints.upper).any() or np.isinf(joints.value[:, 0]).any() or _wild(joints):
        section.refuse("rows have bounds or values that are not finite")


def _wild(joints: JointSet) -> bool:
    """Whether values are infinite that only limits and largest speeds may be."""
    infinite = np.isinf(joints.value[:, 1:3])
    infinite[joints.law == POSITION, 0] = False
    return bool(infinite.any())
