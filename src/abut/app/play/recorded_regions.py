"""Contact regions of a recorded run for its replay: the run is stepped again, since records do not hold outlines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from time import process_time
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Ints
from ...dynamics import World
from ...errors import AbutError
from ..runs import Run
from .region_rows import region_rows
from .scene_message import extent

SECONDS = 10.0
"""[s] of processor time after which the rest of a run is shown without regions, where nobody asks for all."""
MOST_BYTES = 16 << 20
"""Of all regions of one replay, before they are packed."""
SAME = 1e-9
"""Of the size of a scene: how far bodies may be from where the record has them."""
AS_BEFORE = True
"""Stands for the regions of the frame before."""

Told = list[dict[str, Any]] | bool | None


class RecordedRegions(NamedTuple):
    """Regions of the states that are shown."""

    rows: list[Told]
    """For each of them what `region_rows` says, AS_BEFORE, or None where it is not known."""
    note: str
    """What is not shown, and why; empty where all is."""


def recorded_regions(run: Run, shown: Ints, seconds: float | None = SECONDS) -> RecordedRegions:
    """Regions of some states of a run, as far as they are found within so much time; None for however long it takes."""
    rows: list[Told] = []
    if seconds is not None and seconds <= 0.0:
        return RecordedRegions([None] * len(shown), "")
    try:
        note = _collect(run, shown, seconds, rows)
    except AbutError as error:
        note = f"contact regions are not shown: {error}"
    return RecordedRegions(rows + [None] * (len(shown) - len(rows)), note)


def _collect(run: Run, shown: Ints, seconds: float | None, rows_io: list[Told]) -> str:
    """Add the regions of one state after the other; returns why that ended early."""
    end, left, before = process_time() + (seconds or np.inf), MOST_BYTES, ""
    for world, state in _shown_worlds(run, shown):
        if not _is_as_recorded(run, world, state):
            return _until(run, rows_io, shown, "there the run does not repeat itself")
        if process_time() > end:
            return _until(run, rows_io, shown, "more takes long, see abut replay --regions")
        told = region_rows(world)
        text = json.dumps(told)
        left -= 0 if text == before else len(text)
        if left < 0:
            return _until(run, rows_io, shown, "more would make the page too large")
        rows_io.append(AS_BEFORE if text == before else told)
        before = text
    return ""


def _until(run: Run, rows: list[Told], shown: Ints, why: str) -> str:
    time = run.times[shown[max(len(rows) - 1, 0)]]
    return f"contact regions are shown up to {time:.3g} s; {why}"


def _shown_worlds(run: Run, shown: Ints) -> Iterator[tuple[World, int]]:
    """The run's world at each state that is shown, and the number of the state."""
    state_of = {int(run.steps[state]): int(state) for state in shown}
    for step, world in enumerate(run.worlds(), start=int(run.steps[0])):
        if step in state_of:
            yield world, state_of[step]


def _is_as_recorded(run: Run, world: World, state: int) -> bool:
    if not world.bodies:
        return True
    there = np.array([body.pose.row for body in world.bodies])
    return bool(np.abs(there - run.all_poses[state]).max() <= SAME * max(extent(world)[1], 1.0))
