"""Tables of a run: states, contacts, events, recorded contact regions and what steps took, as CSV or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import FileError, MissingExtraError
from ...query.features import feature_text
from ..folders import made_folder
from ..play.event_words import event_of, is_of_world
from ..runs import Run
from ..runs.region_table import EVENT_KINDS
from ..runs.run import POSE_NAMES, TWIST_NAMES

Columns = dict[str, np.ndarray]
_AXES, _WRENCH = "xyz", ("x", "y", "z", "moment_x", "moment_y", "moment_z")


def tables(run: Run) -> Iterator[tuple[str, Columns]]:
    """Names of the tables and their columns."""
    yield "states", _states(run)
    yield "contacts", _by_axis(run, run.contacts)
    if any(map(is_of_world, run.events)):
        yield "events", _events(run)
    if run.has_regions:
        yield "regions", _regions(run, run.region_table)
        events = _regions(run, run.region_events)
        yield "region_events", events | {"kind": np.array(EVENT_KINDS, object)[events["kind"]]}
    if run.soft_bodies:
        yield "soft", _soft(run)
        yield "nodes", _nodes(run)
    yield "steps", {name: run.reports[name] for name in run.reports.dtype.names or ()}


def _states(run: Run) -> Columns:
    """A row for each state and body."""
    n, m = len(run), len(run.bodies)
    pose, twist = run.all_poses.reshape(n * m, 7), run.all_velocities.reshape(n * m, 6)
    columns: Columns = {"step": np.repeat(run.steps, m), "time": np.repeat(run.times, m)}
    columns["body"] = np.tile(np.array(run.bodies, object), n)
    columns |= {name: pose[:, k] for k, name in enumerate(POSE_NAMES)}
    return columns | {name: twist[:, k] for k, name in enumerate(TWIST_NAMES)}


def _events(run: Run) -> Columns:
    """A row for each event of the world, with features in words."""
    notes = [note for note in run.events if is_of_world(note)]
    events = [event_of(note) for note in notes]
    impulse = np.array([event["impulse"] for event in events])
    words = ("kind", "body_a", "feature_a", "body_b", "feature_b")
    return {
        "step": np.array([note["step"] for note in notes]),
        "time": np.array([event["time"] for event in events]),
        **{word: np.array([event[word] for event in events], object) for word in words},
        **{f"impulse_{axis}": impulse[:, k] for k, axis in enumerate(_AXES)},
    }


def _soft(run: Run) -> Columns:
    """A row for each state and soft body: its centre of mass, strain energy and largest stress."""
    parts = []
    for soft in run.first_world.deformables:
        masses = soft._body.masses
        centre = masses @ run.nodes(soft.name) / masses.sum()
        columns = _head(run, soft.name, 1) | {axis: centre[:, k] for k, axis in enumerate(_AXES)}
        parts.append(columns | {"strain_energy": run.strain_energy(soft.name), "stress": run.stress(soft.name)})
    return _below_each_other(parts)


def _nodes(run: Run) -> Columns:
    """A row for each state, soft body and node."""
    parts = []
    for name in run.soft_bodies:
        nodes = run.nodes(name)
        n, m = nodes.shape[:2]
        columns = _head(run, name, m) | {"node": np.tile(np.arange(m), n)}
        parts.append(columns | {axis: nodes[:, :, k].ravel() for k, axis in enumerate(_AXES)})
    return _below_each_other(parts)


def _head(run: Run, name: str, rows: int) -> Columns:
    """So many rows for each state of a body."""
    n = rows * len(run)
    return {
        "step": np.repeat(run.steps, rows),
        "time": np.repeat(run.times, rows),
        "body": np.full(n, name, object),
    }


def _below_each_other(parts: list[Columns]) -> Columns:
    return {name: np.concatenate([columns[name] for columns in parts]) for name in parts[0]}


def _by_axis(run: Run, table: np.ndarray) -> Columns:
    """A row for each contact or region; bodies by name, vectors by axis."""
    columns: Columns = {}
    for name in table.dtype.names or ():
        values = table[name]
        if name in ("body_a", "body_b"):
            found, place = np.unique(values, return_inverse=True)
            columns[name] = np.array([*map(run.body_name, found.tolist()), ""], object)[place]
        elif values.ndim == 2:
            axes = _AXES if values.shape[1] == len(_AXES) else _WRENCH
            columns |= {f"{name}_{axis}": values[:, k] for k, axis in enumerate(axes)}
        else:
            columns[name] = values
    return columns


def _regions(run: Run, table: np.ndarray) -> Columns:
    """A row for each region or event, with features in words."""
    columns = _by_axis(run, table)
    for side in "ab":
        rows = np.column_stack([table[f"{word}_{side}"] for word in ("body", "kind", "feature")])
        found, place = np.unique(rows.reshape(-1, 3), axis=0, return_inverse=True)
        words = [feature_text(run.feature(*row)) for row in found.tolist()]
        columns[f"feature_{side}"] = np.array([*words, ""], object)[place.ravel()]
        del columns[f"kind_{side}"]
    return columns


def save_csv(run: Run, folder: Path) -> list[Path]:
    """Tables as text, every number to its last digit."""
    return [_write_csv(made_folder(folder) / f"{name}.csv", columns) for name, columns in tables(run)]


def _write_csv(file: Path, columns: Columns) -> Path:
    try:
        with file.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream)
            writer.writerow(columns)
            writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
    except OSError as error:
        raise FileError(f"{file}: cannot be written ({error.strerror})") from None
    return file


def save_parquet(run: Run, folder: Path) -> list[Path]:
    """Tables as Parquet."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "data", "Parquet") from None
    written = []
    for name, columns in tables(run):
        file = made_folder(folder) / f"{name}.parquet"
        plain = {key: values.tolist() if values.dtype == object else values for key, values in columns.items()}
        table: Any = pyarrow.table(plain)
        try:
            pyarrow.parquet.write_table(table, file)
        except OSError as error:
            raise FileError(f"{file}: cannot be written ({error.strerror or error})") from None
        written.append(file)
    return written
