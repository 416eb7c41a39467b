"""What a run leaves behind, step by step: states, contacts, reports, what was done from outside, worlds to go on from.

A world can be stepped again from any of its snapshots: everything that reached it from outside between two steps is
noticed. Velocities, forces and hands are written down for each step; a change of anything else (a part moved by hand, a
joint's motor, a new body) leaves a snapshot of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ...dynamics import RunSummary, StepReport, World
from ...dynamics.contacts.contact_table import KIND_NAMES
from ...dynamics.moment import Moment
from ...dynamics.snapshots.snapshot import write_world
from .folder import FORMAT, RunFolder, versions, write_json
from .layout import COUNTED
from .reader import Stored
from .writer import RecordWriter

SNAPSHOT_STEPS = 1000
"""Steps from one snapshot to the next."""
_OPTIONS = ("dt", "method", "solver", "threads", "friction", "restitution", "kinematic_overlaps")


class Recorder:
    """Follows a world and writes down what happens to it."""

    def __init__(
        self,
        world: World,
        folder: RunFolder,
        *,
        number: int = 0,
        summary: RunSummary | None = None,
        beside: bool = False,
    ) -> None:
        self.world, self.folder, self.number = world, folder, number
        self.summary = RunSummary() if summary is None else summary
        self.describe: Callable[[], dict[str, Any]] = dict
        """What else belongs into snapshots and into the summary."""
        self._parts = _parts(world)
        self._note_seen()
        kinds = ",".join(KIND_NAMES.tolist())
        self._file = folder.record.with_suffix(".new") if beside else folder.record
        """Beside the record while what is still good of an older one is taken over."""
        self._writer = RecordWriter(self._file, {"bodies": "\n".join(_names(world)), "kinds": kinds, **versions()})

    @classmethod
    def begin(cls, world: World, folder: RunFolder, info: Mapping[str, Any]) -> Recorder:
        """Begin a run in a folder that was made for it."""
        content = {"format": FORMAT, "versions": versions(), "bodies": _names(world), "dt": world.dt, **info}
        write_json(folder.info, content)
        folder.write_snapshot(0, write_world(world))
        recorder = cls(world, folder)
        recorder._write_state()
        return recorder

    def step(self) -> StepReport:
        """Step the world and write down what was done to it and what the step did."""
        self.before_step()
        report = self.world.step()
        self.after_step(report)
        return report

    def before_step(self) -> None:
        """Write down what was done to the world since its last step."""
        now, seen = self.world._now, self._seen
        if _is_other(now, seen) or _options(self.world) != self._options:
            self._write_snapshot(changed=True)
        else:
            self._write_input(now)

    def after_step(self, report: StepReport) -> None:
        """Write down what the step did."""
        self.number += 1
        self.summary.add(report, self.world.dt)
        self._write_state()
        self._write_contacts()
        numbers = {name: float(getattr(report, name)) for name in COUNTED}
        self._writer.write("/report", self.world.time, {"step": self.number, "time": self.world.time, **numbers})
        self._note_seen()
        if self.number % SNAPSHOT_STEPS == 0:
            self._write_snapshot()

    def note(self, kind: str, text: str) -> None:
        """Write down that something happened."""
        content = {"step": self.number, "time": self.world.time, "kind": kind, "text": text}
        self._writer.write("/note", self.world.time, content)

    def take_over(self, messages: Iterable[Stored]) -> None:
        """Take over what is still good of an older record of the same run, and then its place."""
        empty = True
        for message in messages:
            self._writer.write_encoded(message.topic, message.stamp, message.data)
            empty = False
        if empty:  # killed before its first chunk was written
            self._write_state()
        self._file.replace(self.folder.record)

    def close(self, state: str) -> None:
        """End the run: "finished", "stopped" or "failed"; it can be gone on with."""
        self._write_snapshot()
        self._writer.close()
        self._write_summary(state)

    def _write_summary(self, state: str) -> None:
        """Totals and whatever was measured."""
        totals = _plain(asdict(self.summary))
        write_json(self.folder.summary, {"state": state, "time": self.world.time, **totals, **self.describe()})

    def _write_state(self) -> None:
        state = self.world._now.state
        values = {"step": self.number, "time": self.world.time, "pose": state.pose, "twist": state.twist}
        self._writer.write("/state", self.world.time, values)

    def _write_contacts(self) -> None:
        contacts = self.world.contacts
        if len(contacts):
            values: dict[str, Any] = {name: contacts[name] for name in contacts.dtype.names or () if name != "kind"}
            values |= {"kind": (contacts["kind"][:, None] == KIND_NAMES).argmax(axis=1)}
            self._writer.write("/contacts", self.world.time, {"step": self.number, "time": self.world.time, **values})

    def _write_input(self, now: Moment) -> None:
        state = now.state
        pushed = state.wrench.any(axis=1) | (state.twist != self._twist).any(axis=1)
        if state.hold is not self._seen.state.hold or state.target is not self._seen.state.target:
            before = self._seen.state
            pushed |= (state.hold != before.hold).any(axis=1) | (state.target != before.target).any(axis=1)
        bodies = np.flatnonzero(pushed)
        if len(bodies):
            rows = {name: getattr(state, name)[bodies] for name in ("twist", "wrench", "hold", "target")}
            self._writer.write("/input", now.time, {"step": self.number + 1, "body": bodies, **rows})

    def _write_snapshot(self, *, changed: bool = False) -> None:
        """Keep the world to go on from; parts that the first snapshot holds are only named."""
        parts = _parts(self.world)
        totals = {"summary": _plain(asdict(self.summary)), **self.describe()}
        self.folder.write_snapshot(
            self.number, write_world(self.world, parts=parts != self._parts), totals, changed=changed
        )
        if changed:
            self.note("changed", "the world was changed from outside")

    def _note_seen(self) -> None:
        """Remember the self.world, to notice what is done to it."""
        self._seen, self._twist = self.world._now, self.world._now.state.twist.copy()
        self._options = _options(self.world)


@contextmanager
def recording(world: World, path: str | Path) -> Iterator[Recorder]:
    """Record a world that is stepped from Python; what was recorded is kept, whatever ends it."""
    folder = RunFolder(path)
    folder.make()
    recorder = Recorder.begin(world, folder, {"source": "python"})
    state = "failed"
    try:
        yield recorder
        state = "finished"
    except KeyboardInterrupt:
        state = "stopped"
        raise
    finally:
        recorder.close(state)


def _is_other(now: Moment, seen: Moment) -> bool:
    """Whether more was changed than forces, velocities and hands."""
    return (
        now.setup is not seen.setup
        or now.joints is not seen.joints
        or now.contacts is not seen.contacts
        or now.state.pose is not seen.state.pose
        or now.state.kind is not seen.state.kind
        or now.suspects != seen.suspects
        or now.time != seen.time
    )


def _options(world: World) -> tuple[Any, ...]:
    return (*(getattr(world, name) for name in _OPTIONS), np.asarray(world.gravity).tobytes())


def _names(world: World) -> list[str]:
    return [body.name for body in world.bodies]


def _parts(world: World) -> frozenset[str]:
    """Digests of the solids of a world."""
    return frozenset(getattr(body.shape, "digest", "") for body in world.bodies)


def _plain(value: Any) -> Any:
    """As JSON takes it: no infinities, no tuples of ours."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
