"""What a timeline marks of a recorded run: touches, impacts, partings, time that was given up, and notes.

A world of the method "event" has noted what happened, and when; of other runs, it follows from contacts, step by step.
Whatever else tells of events of a run adds its own function here, and its kind to `KINDS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...dynamics.soft.soft_spec import SOFT_NUMBER
from ..runs import Run
from ..runs.layout import CENTRES
from .event_words import event_text, impulse_text, is_of_world

KINDS = ("impact", "given up", "note", "touch", "let go", "slide off", "slip", "stick")
"""In the order in which they are kept where there are too many."""
OF_EVENTS = {"break": "let go", "slide_off": "slide off"}
"""Kinds of events of a world that have other names here."""
MOST_MARKS = 400
"""On one timeline."""
BLOW = 3.0
"""A touch that begins with an impulse so many times that of the steps after it is an impact."""
AFTER = 20
"""Steps with which the first one is compared."""


class Mark(NamedTuple):
    """Something that happened at a moment of a run."""

    time: float
    """[s]."""
    kind: str
    """One of KINDS."""
    text: str
    """Of whom, and how much."""


def marks_of(run: Run) -> list[Mark]:
    """What happened in a run, in the order of time."""
    touches = _events(run) if any(map(is_of_world, run.events)) else _touches(run)
    found = [*touches, *_given_up(run), *_notes(run)]
    found.sort(key=lambda mark: (KINDS.index(mark.kind), mark.time))
    return sorted(found[:MOST_MARKS], key=lambda mark: mark.time)


def _notes(run: Run) -> Iterator[Mark]:
    """Notes in the record of the run."""
    for event in run.events:
        if event["kind"] != CENTRES and not is_of_world(event):
            yield Mark(float(event["time"]), "note", str(event["text"]) or str(event["kind"]))


def _events(run: Run) -> Iterator[Mark]:
    """Events that the world noted by itself, each at its own time: nothing is to be guessed from contacts of steps."""
    for event in filter(is_of_world, run.events):
        kind = str(event["kind"])
        yield Mark(float(event["time"]), OF_EVENTS.get(kind, kind), event_text(event))


def _given_up(run: Run) -> Iterator[Mark]:
    """Where bodies began to be in each other's way so that time was given up."""
    lost, time = run.reports["time_given_up"], run.reports["time"]
    for first, last in _stretches(lost > 0.0):
        sum_of = float(lost[first:last].sum())
        yield Mark(float(time[first]), "given up", f"{1e3 * sum_of:.3g} ms, as bodies had no way without overlap")


def _stretches(holds: np.ndarray) -> list[tuple[int, int]]:
    """Where it begins to hold, and where no longer."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], holds, [False]))))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


BODIES = 2 * SOFT_NUMBER
"""More than the number of any body, rigid or soft."""


class Pushes(NamedTuple):
    """How pairs of bodies pushed each other, one row for each step and pair, by pair and then by step."""

    pair: Ints
    """Number of the first body times BODIES, plus that of the second."""
    step: Ints
    force: Floats
    """[N] along normals, of all contacts."""


def _pushes(run: Run) -> Pushes:
    found = run.contact_numbers(("step", "body_a", "body_b", "force"))
    pair = found["body_a"].astype(np.int64) * BODIES + found["body_b"]
    rows, of = np.unique(np.stack((pair, found["step"]), axis=1), axis=0, return_inverse=True)
    return Pushes(rows[:, 0], rows[:, 1], np.asarray(np.bincount(of.ravel(), found["force"], len(rows)), np.float64))


def _touches(run: Run) -> Iterator[Mark]:
    """Where pairs begin and cease to touch; at the start they neither do."""
    pair, step, force = _pushes(run)
    if len(pair) == 0:
        return
    time_of = dict(zip(run.steps.tolist(), run.times.tolist(), strict=True))
    begins = np.flatnonzero((np.diff(pair, prepend=-1) != 0) | (np.diff(step, prepend=-2) != 1))
    ends = np.append(begins[1:], len(pair))
    start, finish = int(run.steps[0]), int(run.steps[-1])
    dt = float(run.info.get("dt", 0.0))
    for first, last in zip(begins.tolist(), ends.tolist(), strict=True):
        who = " and ".join(run.body_name(number) for number in divmod(int(pair[first]), BODIES))
        began, ended = int(step[first]), int(step[last - 1]) + 1
        if began > start + 1 and began in time_of:
            yield _beginning(time_of[began], who, force[first : min(last, first + 1 + AFTER)], dt)
        if ended <= finish and ended in time_of:
            yield Mark(time_of[ended], "let go", who)


def _beginning(time: float, who: str, force: Floats, dt: float) -> Mark:
    """A touch, or an impact where its first step pushes harder than those after it."""
    later = float(force[1:].mean()) if len(force) > 1 else 0.0
    if force[0] > 0.0 and force[0] > BLOW * later:
        return Mark(time, "impact", f"{who}, {impulse_text(float(force[0]) * dt)}")
    return Mark(time, "touch", who)
