"""A run that was recorded, as Python reads it: `abut.Run("run/")`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, number
from ...dynamics import Deformable, World
from ...dynamics.soft.soft_measure import skin_stress, stress_of
from ...dynamics.soft.soft_spec import SOFT_NUMBER
from ...errors import AbutError, FileError, InputError, MissingExtraError
from ...math.pose import turned_rows
from ...query import Feature
from ...scene.scenes.scene import View
from .chunk import stamp_of
from .contact_rows import RECORDED_CONTACT, read_contacts
from .folder import RunFolder, read_json
from .layout import CENTRES, CHANNELS, COUNTED, REGION_EVENTS, REGIONS
from .reader import RecordFile, read_record
from .region_table import (
    EVENTS_TOPIC,
    TOPIC,
    as_table,
    event_columns,
    feature_named,
    joined_columns,
    region_columns,
)
from .replay import COMMANDS, first_world, world_after, worlds_after
from .soft_rows import SoftStates, read_soft_states
from .wire import Columns, Message

if TYPE_CHECKING:
    import pandas
    import xarray

    from ...dynamics.regions.world_regions import WorldRegions

RECORDED_REPORT = np.dtype([("step", np.int64), ("time", np.float64), *((name, np.float64) for name in COUNTED)])


class Run:
    """What happened in a run; everything is read when it is first asked for."""

    def __init__(self, path: str | Path) -> None:
        self.folder = RunFolder(path)
        self.info = self.folder.read_info()
        """What run.json says: versions, bodies, dt."""

    @cached_property
    def _file(self) -> RecordFile:
        return read_record(self.folder.record)

    def _decoded(self, topic: str) -> list[dict[str, Any]]:
        """Messages of a channel one by one."""
        data, span = self._file.spans(topic)
        messages = [CHANNELS[topic].decode(data[start:end].data) for start, end in span.tolist()]
        if any(len(message["step"]) != 1 for message in messages):
            raise FileError(f"{self.folder.record}: a message of {topic} has no step; the record is damaged")
        return messages

    @cached_property
    def _states(self) -> Columns:
        return self._columns("/state")

    def _columns(self, topic: str) -> Columns:
        """Messages of a channel all at once; each says its step."""
        columns = CHANNELS[topic].decode_all(*self._file.spans(topic))
        if (columns["step"][1] != 1).any():
            raise FileError(f"{self.folder.record}: a message of {topic} has no step; the record is damaged")
        return columns

    @property
    def complete(self) -> bool:
        """Whether the record was closed; one that was killed has lost its last moments at most."""
        return self._file.complete

    @property
    def summary(self) -> dict[str, Any]:
        """Totals and measures; of a run that was killed, those of its last snapshot."""
        if self.folder.summary.is_file():
            return read_json(self.folder.summary)
        keys = self.folder.snapshot_keys()  # none, if it was killed before the first of them
        return {"state": "killed", **(self.folder.read_totals(*keys[-1]) if keys else {})}

    @cached_property
    def view(self) -> View:
        """How it is best looked at, as its scene file says."""
        from ...scene.files import load

        try:
            return load(self.folder.scene).view if self.folder.scene.is_file() else View()
        except AbutError:  # a scene of a newer abut: the run can be read all the same
            return View()

    @property
    def lost(self) -> str:
        """What is missing, in a sentence; empty if nothing is."""
        if self.complete:
            return ""
        if len(self.steps) == 0:
            return "the run was cut off before its first chunk was written"
        return f"the run was cut off; its record ends after step {self.steps[-1]}, at {self.times[-1]:g} s"

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies with which the run began."""
        return tuple(body.name for body in self.first_world.bodies)

    @cached_property
    def first_world(self) -> World:
        """The world with which the run began."""
        return first_world(self.folder)

    @cached_property
    def steps(self) -> np.ndarray:
        """(n,) numbers of the steps, from 0."""
        return self._states["step"][0]

    @cached_property
    def times(self) -> Floats:
        """(n,) [s] of the states, from the start on."""
        return _one_each(self._states["time"])

    def poses(self, body: str) -> Floats:
        """(n, 7) x y z qw qx qy qz of the part's frame, one row a state."""
        rows = self._rows("pose", body)
        rows[:, :3] -= turned_rows(rows[:, 3:], self._centre(body))
        return rows

    def _centre(self, body: str) -> Floats:
        """(3,) or, where the body was fixed or freed on the way, (n, 3) centre of mass in the part's frame [m]."""
        centre = self.first_world.body(body).spec.centre
        for step, others in self._other_centres:
            if body in others:
                later = (self.steps > step)[:, None]
                centre = np.where(later, np.array(others[body], float).reshape(3), centre)
        return centre

    @cached_property
    def _other_centres(self) -> list[tuple[int, dict[str, list[float]]]]:
        """Steps after which bodies have their centres of mass elsewhere, and where."""
        notes = [event for event in self.events if event["kind"] == CENTRES]
        try:
            return [(note["step"], dict(json.loads(note["text"]))) for note in notes]
        except (ValueError, TypeError):
            raise FileError(
                f"{self.folder.record}: a note on centres of mass is no JSON; the record is damaged"
            ) from None

    @cached_property
    def soft_bodies(self) -> tuple[str, ...]:
        """Names of the soft bodies with which the run began."""
        return tuple(soft.name for soft in self.first_world.deformables)

    def nodes(self, body: str) -> Floats:
        """(n, n_node, 3) [m] nodes of a soft body's cage, one table a state, to 1e-7 of its size."""
        return self._soft_states.nodes[self._soft_number(body)]

    def vertices(self, body: str, states: ArrayLike | None = None) -> Floats:
        """(n, n_vertex, 3) [m] vertices of a soft body's skin in all states, or in some, by their numbers."""
        return self._of_nodes(body, states, lambda soft, nodes: soft._spec.embedding.positions(nodes))

    def skin_stress(self, body: str, states: ArrayLike | None = None) -> Floats:
        """(n, n_vertex) [Pa] von Mises stress at the vertices of a soft body's skin, likewise."""
        return self._of_nodes(body, states, lambda soft, nodes: skin_stress(soft._spec, stress_of(soft._spec, nodes)))

    def _of_nodes(self, body: str, states: ArrayLike | None, what: Callable[[Deformable, Floats], Floats]) -> Floats:
        soft, nodes = self.first_world.deformable(body), self.nodes(body)
        chosen = range(len(nodes)) if states is None else np.asarray(states, np.int64).tolist()
        return np.array([what(soft, nodes[k]) for k in chosen])

    def strain_energy(self, body: str) -> Floats:
        """(n,) [J] of a soft body, one a state."""
        return np.asarray(self._soft_states.strain[:, self._soft_number(body)])

    def stress(self, body: str) -> Floats:
        """(n,) [Pa] von Mises stress of the tetrahedron of a soft body that has most, one a state."""
        return np.asarray(self._soft_states.stress[:, self._soft_number(body)])

    def _soft_number(self, body: str) -> int:
        if body not in self.soft_bodies:
            known = ", ".join(self.soft_bodies) or "none"
            raise InputError(f"body: there is no soft body {body!r} in the run; there are: {known}")
        return self.soft_bodies.index(body)

    @cached_property
    def _soft_states(self) -> SoftStates:
        sizes = [len(soft.mesh.nodes) for soft in self.first_world.deformables]
        states = read_soft_states(self._file, sizes)
        if sizes and not np.array_equal(states.step, self.steps):
            raise FileError(f"{self.folder.record}: has states without their soft bodies; the record is damaged")
        return states

    def velocities(self, body: str) -> Floats:
        """(n, 6) velocity of the centre of mass [m/s] and angular velocity [rad/s], one row a state."""
        return self._rows("twist", body)

    @cached_property
    def all_poses(self) -> Floats:
        """(n, n_body, 7) poses of all parts' frames (x, y, z [m], quaternion w, x, y, z), in the order of `bodies`."""
        poses = self._tables("pose", 7)
        for k, name in enumerate(self.bodies):
            centre = self._centre(name)
            if centre.any():
                poses[:, k, :3] -= turned_rows(poses[:, k, 3:], centre)
        return poses

    @cached_property
    def all_velocities(self) -> Floats:
        """(n, n_body, 6) velocities [m/s] and angular velocities [rad/s] of all bodies, in the order of `bodies`."""
        return self._tables("twist", 6)

    def _tables(self, table: str, width: int) -> Floats:
        """(n, n_body, width) of all bodies with which the run began."""
        rows, counts = self._states[table]
        numbers = [self.first_world.body(name).index for name in self.bodies]
        if len(counts) and (counts == counts[0]).all() and numbers == list(range(int(counts[0]))):
            return np.array(rows.reshape(len(counts), -1, width))
        return np.stack([self._rows(table, name) for name in self.bodies], axis=1)

    def body_name(self, number: int) -> str:
        """Name of a body by its number, as contacts have it."""
        specs, soft = self.first_world._specs, number - SOFT_NUMBER
        if soft >= 0:
            return self.soft_bodies[soft] if soft < len(self.soft_bodies) else f"soft body {soft}"
        return specs[number].name if 0 <= number < len(specs) else f"body {number}"

    def _rows(self, table: str, body: str) -> Floats:
        if body not in self.bodies:
            raise InputError(f"body: there is no {body!r} in the run; there are: {', '.join(self.bodies)}")
        rows, counts = self._states[table]
        index = self.first_world.body(body).index
        if (counts <= index).any():
            raise FileError(f"{self.folder.record}: has states without body {body!r}; the record is damaged")
        return np.asarray(rows[np.cumsum(counts) - counts + index])

    @cached_property
    def contacts(self) -> np.ndarray:
        """Structured array of all contacts of all steps; see `world.contacts`, and `step` and `time`."""
        return read_contacts(self._file)

    def contact_numbers(self, names: Sequence[str]) -> np.ndarray:
        """Some fields of all contacts, with numbers of `KIND_NAMES` in the place of texts: smaller by half and more."""
        fields = [(name, np.int32) if name == "kind" else (name, RECORDED_CONTACT[name]) for name in names]
        return read_contacts(self._file, np.dtype(fields))

    def contacts_of(self, states: ArrayLike) -> list[np.ndarray]:
        """The contacts of some states, by the numbers of these in `times`; what else was touched is not read."""
        chosen = np.asarray(states, np.int64)
        stamps = np.array([stamp_of(time) for time in self.times[chosen].tolist()], np.int64)
        found = read_contacts(self._file, stamps=stamps)
        first, last = (np.searchsorted(found["step"], self.steps[chosen], side) for side in ("left", "right"))
        return [found[a:b] for a, b in zip(first, last, strict=True)]

    @cached_property
    def reports(self) -> np.ndarray:
        """Structured array of what the steps took, one a step; see `StepReport`."""
        columns = self._columns("/report")
        table = np.zeros(len(columns["step"][0]), RECORDED_REPORT)
        for name in RECORDED_REPORT.names or ():
            table[name] = columns[name][0] if name == "step" else _one_each(columns[name])
        return table

    @cached_property
    def events(self) -> list[dict[str, Any]]:
        """What happened besides steps: `step`, `time`, `kind` and `text`."""
        return [{**note, "step": int(note["step"][0]), "time": _one(note["time"])} for note in self._decoded("/note")]

    def world_at(self, time: float) -> World:
        """The world at the last step up to a time [s], stepped again from the nearest snapshot: the same to the bit."""
        return world_after(self.folder, self._step_at("time", time), self._inputs)

    def regions(self, since: float | None = None, until: float | None = None) -> Iterator[WorldRegions]:
        """Contact regions of all states, or of those between two times [s], one list a state with its `time`.

        The run is stepped again meanwhile, from the snapshot before `since` on, so each list is what `world.regions`
        was, and its `events()` what became of regions in the step. Labels last through all lists of one call.
        """
        return (world.regions for world in self.worlds(since, until))

    @cached_property
    def region_table(self) -> np.ndarray:
        """Structured array of all contact regions of all steps: labels, bodies, features, sizes, wrenches, slip.

        It is read where the run was recorded with regions; else the run is stepped again for it.
        """
        return as_table(REGIONS, self._region_columns(TOPIC, REGIONS, region_columns))

    @cached_property
    def region_events(self) -> np.ndarray:
        """Structured array of what became of contact regions: step, time, kind (a number of `EVENT_KINDS`), label,
        bodies and features. Read or found as `region_table` is.
        """
        return as_table(REGION_EVENTS, self._region_columns(EVENTS_TOPIC, REGION_EVENTS, event_columns))

    @property
    def has_regions(self) -> bool:
        """Whether contact regions were recorded."""
        return bool(self.info.get("regions", False))

    def _region_columns(
        self, topic: str, message: Message, of_world: Callable[[int, World], dict[str, Any]]
    ) -> Columns:
        if self.has_regions:
            return message.decode_all(*self._file.spans(topic))
        if len(self.times) == 0:
            return joined_columns(message, ())
        worlds = enumerate(self.worlds(), start=int(self.steps[0]))
        return joined_columns(message, (of_world(step, world) for step, world in worlds))

    def feature(self, body: int, kind: int, number: int) -> Feature:
        """A vertex, edge or face of a row of `region_table`, with the name that its file gives it."""
        return feature_named(self.first_world, body, kind, number)

    def worlds(self, since: float | None = None, until: float | None = None) -> Iterator[World]:
        """The world after each step, or after those between two times [s], stepped again as `world_at` does.

        It is one world that goes on: look at it before you ask for the next.
        """
        if len(self.times) == 0:
            return
        first = int(self.steps[0]) if since is None else self._step_at("since", since)
        last = int(self.steps[-1]) if until is None else self._step_at("until", until)
        yield from worlds_after(self.folder, first, last, self._inputs)

    def _step_at(self, name: str, time: float) -> int:
        """Number of the last step up to a time [s]."""
        t = number(name, time)
        if len(self.times) == 0 or not self.times[0] - 1e-12 <= t:
            raise InputError(f"{name}: the run begins at {self.times[0] if len(self.times) else 0:g} s, got {t:g}")
        return int(self.steps[int(np.searchsorted(self.times, t * (1.0 + 1e-12), side="right")) - 1])

    @cached_property
    def _inputs(self) -> dict[int, dict[str, dict[str, Any]]]:
        """What was done before steps, by their numbers and by channel."""
        found: dict[int, dict[str, dict[str, Any]]] = {}
        for topic in COMMANDS:
            for given in self._decoded(topic):
                found.setdefault(int(given["step"][0]), {})[topic] = given
        return found

    def kinetic_energy(self) -> Floats:
        """(n,) [J] of all dynamic and soft bodies, one a state."""
        soft = self._soft_states.kinetic.sum(axis=1) if self.soft_bodies else 0.0
        return np.asarray(sum((_kinetic(self, name) for name in self.bodies), np.zeros(len(self.times))) + soft)

    def potential_energy(self) -> Floats:
        """(n,) [J] of all dynamic and soft bodies in the gravity with which the run began, one a state."""
        g, total = np.asarray(self.first_world.gravity), np.zeros(len(self.times))
        for name in self.bodies:
            body = self.first_world.body(name)
            if np.isfinite(body.mass):
                total -= body.mass * self._rows("pose", name)[:, :3] @ g
        for soft in self.first_world.deformables:
            total -= (soft._body.masses @ self.nodes(soft.name)) @ g
        return total

    def to_pandas(self) -> pandas.DataFrame:
        """Poses and velocities as a table with a row for each body and state."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("pandas", "data", "to_pandas") from None
        frames = []
        for name in self.bodies:
            table = np.column_stack((self.times, self.poses(name), self.velocities(name)))
            frame = pd.DataFrame(table, columns=["time", *POSE_NAMES, *TWIST_NAMES])
            frame.insert(1, "body", name)
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    def to_xarray(self) -> xarray.Dataset:
        """Poses and velocities over time and body."""
        try:
            import xarray as xr
        except ImportError:
            raise MissingExtraError("xarray", "data", "to_xarray") from None
        return xr.Dataset(
            {
                "pose": (("time", "body", "pose_coordinate"), self.all_poses),
                "velocity": (("time", "body", "velocity_coordinate"), self.all_velocities),
            },
            coords={
                "time": self.times,
                "body": list(self.bodies),
                "pose_coordinate": list(POSE_NAMES),
                "velocity_coordinate": list(TWIST_NAMES),
            },
            attrs={"dt": float(self.info.get("dt", 0.0)), "units": "SI"},
        )

    def __len__(self) -> int:
        """Number of states."""
        return len(self.times)

    def __iter__(self) -> Iterator[float]:
        return iter(self.times.tolist())

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """What a notebook shows."""
        from ..notebook import show_run

        return show_run(self)

    def __repr__(self) -> str:
        return f"Run('{self.folder.path}', {len(self)} states, {len(self.bodies) + len(self.soft_bodies)} bodies)"


POSE_NAMES = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST_NAMES = ("vx", "vy", "vz", "wx", "wy", "wz")


def _one(values: np.ndarray) -> float:
    """A number that may have been left out, as zero may."""
    return float(values[0]) if len(values) else 0.0


def _one_each(column: tuple[np.ndarray, np.ndarray]) -> Floats:
    """A number of each message, 0 where it was left out."""
    values, counts = column
    result = np.zeros(len(counts))
    first = np.cumsum(counts) - counts
    said = counts > 0
    result[said] = values[first[said]]
    return result


def _kinetic(run: Run, name: str) -> Floats:
    """[J] of one body, one a state."""
    body = run.first_world.body(name)
    if not np.isfinite(body.mass):
        return np.zeros(len(run.times))
    twist, quat = run.velocities(name), run._rows("pose", name)[:, 3:]
    turned_back = quat * np.array([1.0, -1.0, -1.0, -1.0])
    spin = turned_rows(turned_back, twist[:, 3:])
    linear = 0.5 * body.mass * np.einsum("ij,ij->i", twist[:, :3], twist[:, :3])
    return np.asarray(linear + 0.5 * np.einsum("ij,jk,ik->i", spin, body.spec.inertia, spin))
