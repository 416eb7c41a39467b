"""What a run leaves behind, step by step: states, contacts, reports, what was done from outside, worlds to go on from.

A world can be stepped again from any of its snapshots: everything that reached it from outside between two steps is
noticed. Velocities, forces, hands, motors, springs and limits are written down for each step; a change of anything else
(a part moved by hand, a new body) leaves a snapshot of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from ...dynamics import RunSummary, StepReport, World
from ...dynamics.contacts.contact_table import KIND_NAMES
from ...dynamics.events import EventLog
from ...dynamics.snapshots.snapshot import write_world
from ...errors import FileError
from .background import Background
from .chunk import room_of, room_of_input, room_of_step, stamp_of
from .folder import FORMAT, RunFolder, versions, write_json
from .layout import CENTRES, CHANNELS
from .reader import Stored
from .region_table import messages_of_regions
from .soft_rows import hands_message, messages_of_soft
from .watch import Watch
from .writer import RecordWriter

SNAPSHOT_STEPS, SNAPSHOT_SECONDS = 1000, 10.0
"""From one snapshot to the next, at most; what a resumed run computes again."""
CHUNK_SECONDS = 1.0
"""After which a chunk is written, full or not; what a kill loses."""
SNAPSHOTS_WAITING = 4


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
        regions: bool = False,
    ) -> None:
        self.world, self.folder, self.number = world, folder, number
        self._regions = regions
        """Whether contact regions are written down."""
        self.summary = RunSummary() if summary is None else summary
        self.describe: Callable[[], dict[str, Any]] = dict
        """What else belongs into snapshots and into the summary."""
        self._parts = _parts(world)
        self._watch = Watch(world)
        self._events = world._now.events.n
        """How many events of the world are written down, or were before."""
        kinds = ",".join(KIND_NAMES.tolist())
        self._file = folder.record.with_suffix(".new") if beside else folder.record
        """Beside the record while what is still good of an older one is taken over."""
        self._writer = RecordWriter(self._file, {"bodies": "\n".join(_names(world)), "kinds": kinds, **versions()})
        self._kept = self._written = monotonic()
        self._snapshots = Background("abut-snapshots", SNAPSHOTS_WAITING)

    @classmethod
    def begin(cls, world: World, folder: RunFolder, info: Mapping[str, Any], *, regions: bool = False) -> Recorder:
        """Begin a run in a folder that was made for it, with its contact regions or without."""
        content = {"format": FORMAT, "versions": versions(), "bodies": _names(world), "dt": world.dt, **info}
        content["regions"] = regions
        write_json(folder.info, content)
        folder.write_snapshot(0, write_world(world))
        recorder = cls(world, folder, regions=regions)
        recorder._write_start()
        return recorder

    def step(self) -> StepReport:
        """Step the world and write down what was done to it and what the step did."""
        self.before_step()
        report = self.world.step()
        self.after_step(report)
        return report

    def before_step(self) -> None:
        """Write down what was done to the world since its last step."""
        world, watch = self.world, self._watch
        if watch.sees_other(world):
            self._write_snapshot(changed=True)
            if centres := watch.other_centres(world):
                self.note(CENTRES, json.dumps(centres))
            return
        now, step = world._now, self.number + 1
        self._writer.chunk_for(room_of_input(now)).put_input(step, now, watch.left)
        rows = watch.joint_rows(world)
        if rows is not None:
            self._write("/joints", {"step": step, **rows})
        if watch.sees_other_hands(world):
            self._write("/hands", hands_message(step, now.soft))

    def after_step(self, report: StepReport) -> None:
        """Write down what the step did."""
        world, now = self.world, self.world._now
        self.number += 1
        self.summary.add(report, world._dt)
        self._write_state(report=True)
        self._watch.look(world)
        self._note_events(now.events)
        self._keep_up()

    def _note_events(self, log: EventLog) -> None:
        """Write down events of the world since the last step, each at its own time."""
        for event in log.events(self._events if self._events <= log.n else 0):
            what = {**event._asdict(), "feature_a": asdict(event.feature_a), "feature_b": asdict(event.feature_b)}
            content = {"step": self.number, "time": event.time, "kind": event.kind, "text": json.dumps(what)}
            self._write("/note", content)
        self._events = log.n

    def _keep_up(self) -> None:
        """Keep a snapshot when it is due, and let no chunk wait for long."""
        now = monotonic()
        if self.number % SNAPSHOT_STEPS == 0 or now - self._kept > SNAPSHOT_SECONDS:
            self._write_snapshot()
            self._kept = now
        if now - self._written > CHUNK_SECONDS:
            self._writer.hand_over()
            self._written = now

    def note(self, kind: str, text: str) -> None:
        """Write down that something happened."""
        content = {"step": self.number, "time": self.world.time, "kind": kind, "text": text}
        self._write("/note", content)

    def _write(self, topic: str, values: Mapping[str, Any]) -> None:
        self._writer.write(topic, stamp_of(self.world.time), CHANNELS[topic].encode(values))

    def take_over(self, messages: Iterable[Stored]) -> None:
        """Take over what is still good of an older record of the same run, and then its place."""
        empty = True
        for message in messages:
            self._writer.write(message.topic, message.stamp, bytes(message.data))
            empty = False
        if empty:  # killed before its first chunk was written
            self._write_start()
        self._writer.flush()
        self._file.replace(self.folder.record)
        self.folder.summary.unlink(missing_ok=True)  # it tells of an end that is none any more

    def close(self, state: str) -> None:
        """End the run: "finished", "stopped" or "failed"; it can be gone on with.

        Each of its files is closed as well as it can be, whatever became of the others.
        """
        faults = []
        ends: tuple[Callable[[], None], ...] = (
            self._write_snapshot,
            self._snapshots.finish,
            self._writer.close,
            lambda: self._write_summary(state),
        )
        for end in ends:
            try:
                end()
            except FileError as fault:
                faults.append(fault)
        if faults:
            self._snapshots.stop()
            self._writer.abandon()
            raise faults[0]

    def end(self, state: str) -> None:
        """Close it, whatever ended the run; of one that failed before its first step nothing is kept."""
        self.close(state)
        if state == "failed" and self.number == 0:
            self.folder.remove()

    def _write_summary(self, state: str) -> None:
        """Totals and whatever was measured."""
        totals = _plain(asdict(self.summary))
        write_json(self.folder.summary, {"state": state, "time": self.world.time, **totals, **self.describe()})

    def _write_start(self) -> None:
        """The state from which the run goes on."""
        self._write_state(report=False)

    def _write_state(self, *, report: bool) -> None:
        """Where everything is, all in one chunk, so that nothing of it is lost alone; and what the step took."""
        world, now = self.world, self.world._now
        others = messages_of_soft(self.number, world)
        if self._regions:
            others += messages_of_regions(self.number, world)
        chunk = self._writer.chunk_for(room_of_step(now) + room_of(others))
        if now.setup.specs:
            put = chunk.put_step if report else chunk.put_start
            put(self.number, now, world._model_of(now.setup))
        else:
            chunk.put_bare(self.number, now, report=report)
        chunk.put_all(others, now.time)

    def _write_snapshot(self, *, changed: bool = False) -> None:
        """Keep the world to go on from; parts that the first snapshot holds are only named."""
        blob = write_world(self.world, parts=_parts(self.world) != self._parts)
        totals = {"summary": _plain(asdict(self.summary)), **self.describe()}
        number = self.number
        self._snapshots.do(lambda: self.folder.write_snapshot(number, blob, totals, changed=changed))
        if changed:
            self.note("changed", "the world was changed from outside")


@contextmanager
def recording(world: World, path: str | Path, *, regions: bool = False, force: bool = False) -> Iterator[Recorder]:
    """Record a world that is stepped from Python; what was recorded is kept, whatever ends it.

    With `regions`, contact regions and what becomes of them are written down after each step. A folder that holds a
    run is refused, unless `force` says that it may be removed.
    """
    folder = RunFolder(path)
    folder.make(force=force)
    recorder = Recorder.begin(world, folder, {"source": "python"}, regions=regions)
    state = "failed"
    try:
        yield recorder
        state = "finished"
    except KeyboardInterrupt:
        state = "stopped"
        raise
    finally:
        recorder.end(state)


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
