"""Stepping a recorded world again: from a snapshot, with what was done to it before each step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...dynamics import World
from ...dynamics.joints.joint_set import COLUMNS, JointSet
from ...dynamics.snapshots.snapshot import read_world
from ...dynamics.snapshots.snapshot_joints import read_joints, write_joints
from ...errors import FileError, InputError
from ...geometry import Solid, is_polyhedron
from .folder import RunFolder, SnapshotKey
from .soft_rows import hands_of
from .watch import TABLES


def first_world(folder: RunFolder) -> World:
    """The world with which a run began."""
    return _opened(folder, SnapshotKey(0), {})


def world_after(folder: RunFolder, step: int, inputs: Mapping[int, Mapping[str, dict[str, Any]]]) -> World:
    """The world after a step, to the bit; `inputs` by the step before which they were given, and by channel."""
    # A world that was changed after a step belongs to the steps behind it.
    key = _latest_key(folder, SnapshotKey(step))
    world = _opened(folder, key, _solids(first_world(folder)))
    for k in range(key.step + 1, step + 1):
        _step_again(world, inputs.get(k, {}))
    return world


def worlds_after(
    folder: RunFolder, first: int, last: int, inputs: Mapping[int, Mapping[str, dict[str, Any]]]
) -> Iterator[World]:
    """The worlds after some steps, one after the other; who looks at one looks before asking for the next.

    Where the run was changed from outside, another world goes on, with the contact regions that the one before knew.
    """
    changed = {key.step for key in folder.snapshot_keys() if key.changed and first <= key.step < last}
    world = world_after(folder, first, inputs)
    yield world
    for k in range(first + 1, last + 1):
        if k - 1 in changed:
            watch, world = (
                world._region_watch,
                _opened(folder, SnapshotKey(k - 1, changed=True), _solids(first_world(folder))),
            )
            world._region_watch = watch
        _step_again(world, inputs.get(k, {}))
        yield world


def _latest_key(folder: RunFolder, bound: SnapshotKey) -> SnapshotKey:
    usable = [key for key in folder.snapshot_keys() if key <= bound]
    if not usable:
        raise FileError(f"{folder.path}: has no snapshot up to step {bound.step}; it cannot be stepped again")
    return usable[-1]


def _step_again(world: World, inputs: Mapping[str, dict[str, Any]]) -> None:
    """One step, with what was done to the world before it."""
    for topic, given in inputs.items():
        COMMANDS[topic](world, given)
    world.step()


def world_to_go_on(folder: RunFolder, step: int) -> tuple[World, int, dict[str, Any]]:
    """The latest world that was kept up to a step, its step, and what was summed up until then."""
    usable = [key for key in folder.snapshot_keys() if key.step <= step]
    if not usable:
        raise FileError(f"{folder.path}: has no snapshot to go on from; start the run afresh with --force")
    last = usable[-1]
    return _opened(folder, last, _solids(first_world(folder))), last.step, folder.read_totals(*last)


def _opened(folder: RunFolder, key: SnapshotKey, known: Mapping[str, Solid]) -> World:
    try:
        return read_world(World, folder.read_snapshot(*key), known)
    except InputError as error:
        raise FileError(f"{folder.snapshots}: the snapshot of step {key.step} cannot be used ({error})") from None


def _solids(world: World) -> dict[str, Solid]:
    return {body.shape.digest: body.shape for body in world.bodies if is_polyhedron(body.shape)}


def _push(world: World, given: Mapping[str, Any]) -> None:
    """Push, drive and hold bodies as it was done before the step."""
    now, bodies = world._now, given["body"]
    if len(bodies) and not (bodies.min() >= 0 and bodies.max() < len(now.state.kind)):
        raise FileError("the record speaks of bodies that the world does not have; it is damaged")
    changed = {name: getattr(now.state, name).copy() for name in TABLES}
    for name, table in changed.items():
        if len(given[name]) != len(bodies) or not np.isfinite(given[name][:, :3]).all():
            raise FileError("the record holds an input that is not as long as its list of bodies; it is damaged")
        table[bodies] = given[name]
    world._now = now._replace(state=now.state.with_tables(**changed))


def _command_joints(world: World, given: Mapping[str, Any]) -> None:
    """Ask of joints what was asked of them before the step."""
    now, rows = world._now, given["row"]
    joints = now.joints.copy()
    whole = len(joints.law) != _number(given["rows"]) or joints.n != _number(given["holding"])
    if whole and not np.array_equal(rows, np.arange(_number(given["rows"]))):
        raise FileError("the record holds rows of joints that the world does not have; it is damaged")
    for name in COLUMNS:
        table = getattr(joints, name)
        table = np.zeros((len(rows), *table.shape[1:]), table.dtype) if whole else table
        if len(given[name]) != len(rows) or not ((rows >= 0) & (rows < len(table))).all():
            raise FileError("the record holds a command that is not as long as its list of rows; it is damaged")
        table[rows] = given[name]
        setattr(joints, name, table)
    joints.n = _number(given["holding"])
    _check_joints(world, joints)
    world._now = now._replace(joints=joints)


def _check_joints(world: World, joints: JointSet) -> None:
    """As in a snapshot by strangers: kernels believe what stands in these tables."""
    try:
        read_joints(write_joints(joints), world._specs, world.level)
    except InputError as error:
        raise FileError(f"the record holds a command to joints that cannot be used ({error})") from None


def _hold_soft(world: World, given: Mapping[str, Any]) -> None:
    """Hold points of skins as they were held before the step."""
    now = world._now
    world._now = now._replace(soft=replace(now.soft, hands=hands_of(given, now.soft)))


def _number(values: np.ndarray) -> int:
    return int(values[0]) if len(values) else 0


COMMANDS: dict[str, Callable[[World, Mapping[str, Any]], None]] = {
    "/input": _push,
    "/joints": _command_joints,
    "/hands": _hold_soft,
}
"""How what channels hold is done again."""
