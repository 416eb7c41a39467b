"""What happened so far, in a snapshot: it changes nothing that comes after, so that a reader may leave it out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...query import Feature
from ..events import EVENT_KINDS, Event, EventLog
from .archive import MOST_32, Section

FEATURE_KINDS = ("vertex", "edge", "face", "limit")


def write_events(log: EventLog) -> Section:
    """The section: names of bodies, and a row for each event."""
    events = log.events()
    names = sorted({name for event in events for name in (event.body_a, event.body_b)})
    place = {name: i for i, name in enumerate(names)}
    rows = [
        (
            EVENT_KINDS.index(event.kind),
            place[event.body_a],
            place[event.body_b],
            FEATURE_KINDS.index(event.feature_a.kind),
            FEATURE_KINDS.index(event.feature_b.kind),
        )
        for event in events
    ]
    arrays: dict[str, NDArray[Any]] = {
        "time": np.array([event.time for event in events], np.float64),
        "impulse": np.array([event.impulse for event in events], np.float64).reshape(-1, 3),
        "words": np.array(rows, np.int32).reshape(-1, 5),
        "feature": np.array([(e.feature_a.index, e.feature_b.index) for e in events], np.int32).reshape(-1, 2),
    }
    return Section("events", {"names": names}, arrays, needed=False)


def read_events(section: Section) -> EventLog:
    """The log of a section."""
    names, time = section.texts("names"), section.floats("time", None)
    n = len(time)
    impulse = section.floats("impulse", n, 3).tolist()
    feature = section.integers("feature", n, 2, least=0, below=MOST_32).tolist()
    words = section.integers("words", n, 5, least=0, below=MOST_32)
    most = (len(EVENT_KINDS), len(names), len(names), len(FEATURE_KINDS), len(FEATURE_KINDS))
    if n and (words.max(axis=0) >= most).any():
        section.refuse("words names a kind or a body that does not exist")
    return EventLog(
        Event(
            float(time[i]),
            EVENT_KINDS[kind],
            names[a],
            names[b],
            Feature(FEATURE_KINDS[kind_a], feature[i][0]),
            Feature(FEATURE_KINDS[kind_b], feature[i][1]),
            tuple(impulse[i]),
        )
        for i, (kind, a, b, kind_a, kind_b) in enumerate(words.tolist())
    )
