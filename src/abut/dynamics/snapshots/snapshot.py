"""A world as bytes, and back: everything that is needed to go on from there, bit for bit (docs/snapshots.md).

Each topic has a section of its own in the container (archive.py), a function that writes it and one that reads it and
checks all it finds. What follows from the rest, such as tables of features and which bodies sleep, is not saved: it is
found again and comes out the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ...geometry import Solid
from ..contacts.contact_set import ContactSet
from ..events import EventLog
from ..methods.registry import check_bends
from ..moment import Moment, Setup
from ..report import StepReport
from ..soft.soft_spec import NO_SOFT
from ..soft.soft_stepper import SoftStepper
from ..stepping.overlap import OverlapError, find_overlaps
from .archive import END_32, Section, pack, unpack
from .snapshot_bodies import VERSION as BODIES_VERSION
from .snapshot_bodies import read_bodies, read_pairs, write_bodies, write_pairs
from .snapshot_contacts import read_contacts, write_contacts
from .snapshot_events import read_events, write_events
from .snapshot_facts import write_facts
from .snapshot_joints import read_joints, write_joints
from .snapshot_parts import distinct_parts, read_parts, write_parts
from .snapshot_regions import read_regions, write_regions
from .snapshot_report import read_moved_apart, read_report, write_moved_apart, write_report
from .snapshot_soft import read_soft, write_soft

if TYPE_CHECKING:
    from ..world import World

VERSIONS = dict.fromkeys(
    ("options", "parts", "facts", "pairs", "joints", "contacts", "gone", "report", "events", "soft", "regions"), 1
)
VERSIONS["bodies"] = BODIES_VERSION
"""Sections and up to which version they can be read."""
NEEDED = tuple(name for name in VERSIONS if name not in ("facts", "gone", "report", "events", "soft", "regions"))
WORDS = ("friction_law", "impacts", "method", "level", "kinematic_overlaps")
OPTIONS = (*WORDS, "friction", "restitution", "solver", "threads")
"""Arguments of a World that are its attributes, too."""


def write_world(world: World, *, parts: bool = True) -> bytes:
    """What `World.save` returns; without `parts`, solids are only named by their digests, for who has them already."""
    now = world._now
    shapes, part_of = distinct_parts([spec.shape for spec in now.setup.specs])
    sections = [
        _write_options(world, now),
        write_parts(shapes, whole=parts),
        *([write_facts(shapes)] if parts else []),
        write_bodies(now, part_of),
        write_pairs(now.setup),
        write_joints(now.joints),
        *(write_contacts(name, world, now.setup, contacts) for name, contacts in _contacts(now)),
        write_report(now.report),
        write_events(now.events),
        *([write_soft(now.soft)] if now.soft.specs else []),
        *write_regions(world),
    ]
    return pack(sections)


def _contacts(now: Moment) -> list[tuple[str, ContactSet]]:
    """Contacts by the names of their sections."""
    gone = now.contacts.gone
    return [("contacts", now.contacts), *([] if gone is None else [("gone", gone)])]


def read_world(kind: type[World], blob: object, known: Mapping[str, Solid] | None = None) -> World:
    """The world of a snapshot; `known` are solids by their digest that need not be made again, for one's own copies."""
    sections = unpack(blob, VERSIONS)
    missing = [name for name in NEEDED if name not in sections]
    if missing:
        raise InputError(f"blob: there is no section '{missing[0]}'; it is damaged or was not written by World.save")
    try:
        world = _read(kind, sections, known or {})
        if known is None:
            _check_apart(world)
        return world
    except InputError as error:
        message = str(error)
        raise InputError(message if message.startswith("blob: ") else f"blob: {message}") from None


def _read(kind: type[World], sections: Mapping[str, Section], known: Mapping[str, Solid]) -> World:
    world = _read_options(kind, sections["options"])
    parts = read_parts(sections["parts"], sections.get("facts"), known)
    specs, state, suspects = read_bodies(sections["bodies"], parts)
    numbers = {spec.name: i for i, spec in enumerate(specs) if not spec.absent}
    laws, rules = read_pairs(sections["pairs"], world._now.setup.laws, len(specs))
    setup = Setup(laws, specs, numbers, rules)
    joints = read_joints(sections["joints"], specs, world.level)
    contacts = read_contacts(sections["contacts"], world, setup)
    if "gone" in sections:
        contacts.gone = read_contacts(sections["gone"], world, setup)
    report = read_report(sections["report"], len(specs)) if "report" in sections else StepReport()
    events = read_events(sections["events"]) if "events" in sections else EventLog()
    time = sections["options"].real("time")
    soft = read_soft(sections["soft"], specs) if "soft" in sections else NO_SOFT
    for spec in soft.specs:
        check_bends(world.method, spec.name)
    world._now = Moment(setup, state, contacts, joints, suspects, time, report, events, soft)
    if "regions" in sections:
        read_regions(sections["regions"], world)
    return world


def _check_apart(world: World) -> None:
    """Refuse bodies that overlap although they are said to be checked."""
    now = world._now
    if now.soft.specs and not now.soft.suspect:
        SoftStepper(now, world.contact_gap).refuse_overlaps(now)
    if len(now.suspects) >= len(now.setup.specs):
        return
    stepper = world._take_stepper(now)
    pairs = [pair for pair in stepper.near_pairs(now).tolist() if now.suspects.isdisjoint(pair)]
    overlaps = find_overlaps((world._placed(a), world._placed(b)) for a, b in pairs)
    if overlaps:
        raise OverlapError(overlaps, stepper.contact_gap)
    world._steppers.append(stepper)


def _write_options(world: World, now: Moment) -> Section:
    data: dict[str, Any] = {name: getattr(world, name) for name in OPTIONS}
    data |= {"dt": world.dt, "time": now.time, "contact_gap": world._contact_gap}
    data["moved_apart"] = write_moved_apart(world.started_apart)
    return Section("options", data, {"gravity": np.asarray(world.gravity)})


def _read_options(kind: type[World], section: Section) -> World:
    """Types are checked here, values by the World itself."""
    given: dict[str, Any] = {name: section.text(name) for name in WORDS}
    given |= {name: section.real(name) for name in ("friction", "restitution", "dt")}
    given["solver"] = None if section.data.get("solver") is None else section.text("solver")
    given["contact_gap"] = None if section.data.get("contact_gap") is None else section.real("contact_gap")
    given["threads"] = section.whole("threads", least=1, below=END_32)
    world = kind(gravity=section.floats("gravity", 3), **given)
    world._started_apart = read_moved_apart(section) if "moved_apart" in section.data else ()
    return world
