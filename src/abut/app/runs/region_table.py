"""Contact regions in a record, if they were asked for: what is written of them after each step, and their tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...dynamics import World
from ...dynamics.regions.world_regions import RegionEvent, WorldRegions
from ...errors import FileError
from ...query import Feature
from ...query.regions.regions import KINDS, feature_of_part
from .layout import REGION_EVENTS, REGIONS
from .wire import Columns, Message, item_type

TOPIC, EVENTS_TOPIC = "/regions", "/region_events"
EVENT_KINDS = ("born", "changed", "died", "slip", "stick")
_FACE = KINDS.index("face")
_SHOWN = tuple(
    field.name for field in REGIONS.fields if hasattr(WorldRegions, field.name) and field.name not in ("step", "time")
)
"""Columns that `world.regions` has as they are written."""


def _dtype(message: Message) -> np.dtype[Any]:
    fields = [(field.name, item_type(field), field.width) for field in message.fields]
    return np.dtype(fields)


def messages_of_regions(step: int, world: World) -> list[tuple[str, bytes]]:
    """Topics and bytes of what a record says of contact regions after a step."""
    regions = region_columns(step, world)
    events = event_columns(step, world)
    found = [(TOPIC, REGIONS.encode(regions))]
    return [*found, (EVENTS_TOPIC, REGION_EVENTS.encode(events))] if len(events["label"]) else found


def region_columns(step: int, world: World) -> dict[str, Any]:
    """All regions of a world, as `layout.REGIONS` has them."""
    head = {"step": step, "time": world.time}
    if not world.bodies:
        return {**head, "label": ()}
    regions = world.regions
    columns = {name: getattr(regions, name) for name in _SHOWN}
    solid = np.array([spec.shape.polyhedral for spec in regions.moment.setup.specs])
    for side, letter in enumerate("ab"):
        body, name = regions.bodies[:, side], regions._name[:, 2 * side : 2 * side + 2]
        columns[f"body_{letter}"] = body
        columns[f"kind_{letter}"] = np.where(solid[body], name[:, 0], _FACE)
        columns[f"feature_{letter}"] = np.where(solid[body], name[:, 1], 0)
    return {**head, **columns}


def event_columns(step: int, world: World) -> dict[str, Any]:
    """What became of regions in the step, as `layout.REGION_EVENTS` has it."""
    events: list[RegionEvent] = world.region_events if world.bodies else []
    number = world._now.setup.numbers
    rows = [
        (
            *(EVENT_KINDS.index(e.kind), e.label, number.get(e.body_a, -1), number.get(e.body_b, -1)),
            *(KINDS.index(e.feature_a.kind), e.feature_a.index, KINDS.index(e.feature_b.kind), e.feature_b.index),
        )
        for e in events
    ]
    names = ("kind", "label", "body_a", "body_b", "kind_a", "feature_a", "kind_b", "feature_b")
    table = np.array(rows, np.int64).reshape(-1, len(names))
    return {"step": step, "time": world.time, **{name: table[:, k] for k, name in enumerate(names)}}


def as_table(message: Message, columns: Columns) -> np.ndarray:
    """Messages of a channel, of which all is known by column, as one structured array."""
    counts = columns["label"][1]
    table = np.zeros(int(counts.sum()), _dtype(message))
    for field in message.fields:
        values, each = columns[field.name]
        single = field.name in ("step", "time")
        if (each != (1 if single else counts)).any():
            raise FileError(f"a record holds {field.name!r} of contact regions in other numbers; it is damaged")
        table[field.name] = np.repeat(values, counts) if single else values
    return table


def joined_columns(message: Message, found: Iterable[Mapping[str, Any]]) -> Columns:
    """Columns of many messages that were never written, as `Message.decode_all` gives them."""
    rows = [{field.name: _items(message, field.name, one) for field in message.fields} for one in found]
    return {
        field.name: (
            np.concatenate([np.zeros((0, *field.width), item_type(field)), *(row[field.name] for row in rows)]),
            np.array([len(row[field.name]) for row in rows], np.int64),
        )
        for field in message.fields
    }


def _items(message: Message, name: str, values: Mapping[str, Any]) -> np.ndarray:
    (field,) = (field for field in message.fields if field.name == name)
    # A copy: the tables of a world are written to again two steps later.
    return np.array(values.get(name, ()), item_type(field)).reshape((-1, *field.width))


def feature_named(world: World, body: int, kind: int, number: int) -> Feature:
    """A feature of a row, with the name that its file gives it."""
    specs = world._now.setup.specs
    if not 0 <= body < len(specs):  # one that came later
        return Feature(KINDS[kind], number)
    return feature_of_part(specs[body].shape, kind, number)
