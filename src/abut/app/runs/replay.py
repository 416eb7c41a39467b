"""Stepping a recorded world again: from a snapshot, with what was done to it before each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...dynamics import World
from ...dynamics.snapshots.snapshot import read_world
from ...errors import FileError, InputError
from ...geometry import Solid
from .folder import RunFolder


def first_world(folder: RunFolder) -> World:
    """The world with which a run began."""
    return _opened(folder, (0, False), {})


def world_after(folder: RunFolder, step: int, inputs: Mapping[int, dict[str, Any]]) -> World:
    """The world after a step, to the bit; `inputs` by number of the step before which they were given."""
    # A world that was changed after a step belongs to the steps behind it.
    usable = [key for key in folder.snapshot_keys() if key <= (step, False)]
    if not usable:
        raise FileError(f"{folder.path}: has no snapshot up to step {step}; it cannot be stepped again")
    world = _opened(folder, usable[-1], _solids(first_world(folder)))
    for k in range(usable[-1][0] + 1, step + 1):
        if k in inputs:
            _apply(world, inputs[k])
        world.step()
    return world


def world_to_go_on(folder: RunFolder, step: int) -> tuple[World, int, dict[str, Any]]:
    """The latest world that was kept up to a step, its step, and what was summed up until then."""
    usable = [key for key in folder.snapshot_keys() if key[0] <= step]
    if not usable:
        raise FileError(f"{folder.path}: has no snapshot to go on from; start the run afresh with --force")
    return _opened(folder, usable[-1], _solids(first_world(folder))), usable[-1][0], folder.read_totals(*usable[-1])


def _opened(folder: RunFolder, key: tuple[int, bool], known: Mapping[str, Solid]) -> World:
    try:
        return read_world(World, folder.read_snapshot(*key), known)
    except InputError as error:
        raise FileError(f"{folder.snapshots}: the snapshot of step {key[0]} cannot be used ({error})") from None


def _solids(world: World) -> dict[str, Solid]:
    return {body.shape.digest: body.shape for body in world.bodies if isinstance(body.shape, Solid)}


def _apply(world: World, given: Mapping[str, Any]) -> None:
    """Push, drive and hold bodies as it was done before the step."""
    now, bodies = world._now, given["body"]
    if len(bodies) and not (bodies.min() >= 0 and bodies.max() < len(now.state.kind)):
        raise FileError("the record speaks of bodies that the world does not have; it is damaged")
    changed = {name: getattr(now.state, name).copy() for name in ("twist", "wrench", "hold", "target")}
    for name, table in changed.items():
        if len(given[name]) != len(bodies) or not np.isfinite(given[name][:, :3]).all():
            raise FileError("the record holds an input that is not as long as its list of bodies; it is damaged")
        table[bodies] = given[name]
    world._now = now._replace(state=now.state.with_tables(**changed))
