"""A scene that is run into a folder: begun, driven, measured, recorded; stopped at any moment and gone on with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from math import inf
from pathlib import Path
from typing import Any

from ...dynamics import MovedApart, Overlap, RunSummary, StepReport, World
from ...errors import FileError
from ...scene.files.build import build
from ...scene.files.measures import Measure
from ...scene.files.read import Definition, read
from ...scene.scenes.scene import Scene
from .folder import RunFolder
from .frozen_scene import fingerprint, write_scene
from .layout import CHANNELS
from .reader import Stored, read_record
from .recorder import Recorder
from .replay import world_to_go_on


class SceneRun:
    """A scene on its way; step it until it is done, then close it."""

    def __init__(self, scene: Scene, recorder: Recorder, duration: float) -> None:
        self.scene, self.recorder = scene, recorder
        self.total = round(duration / scene.world.dt)
        """Steps of the whole run."""
        self.resumed = ""
        """From where it goes on and what of it was lost, in a sentence, if it was begun before."""
        recorder.describe = self._describe

    @property
    def world(self) -> World:
        """What is run."""
        return self.scene.world

    @property
    def done(self) -> int:
        """Steps that were taken."""
        return self.recorder.number

    @property
    def summary(self) -> RunSummary:
        """What the steps took so far."""
        return self.recorder.summary

    def steps(self) -> Iterator[StepReport]:
        """Take the steps that are left."""
        while self.done < self.total:
            yield self.step()

    def step(self) -> StepReport:
        """Drive, step, measure, record."""
        world = self.world
        if self.scene.drive is not None:
            self.scene.drive(world, world.time)
        self.recorder.before_step()
        report = world.step()
        for measure in self.scene.measures.values():
            measure.see(world, report)
        self.recorder.after_step(report)
        return report

    def close(self, state: str) -> None:
        """Keep everything; the run can be gone on with."""
        self.recorder.close(state)

    def end(self, state: str) -> None:
        """Likewise, but of a run that failed before its first step nothing is worth keeping."""
        self.recorder.end(state)

    def _describe(self) -> dict[str, Any]:
        """What snapshots and the summary tell of the measures."""
        measures: Mapping[str, Measure] = self.scene.measures
        return {
            "measures": {name: measure.value for name, measure in measures.items()},
            "units": {name: measure.unit for name, measure in measures.items()},
            "measuring": {name: measure.progress for name, measure in measures.items()},
        }


def begin(
    file: Path,
    out: Path,
    changes: Mapping[str, Any],
    duration: float | None = None,
    *,
    force: bool = False,
    regions: bool = False,
) -> SceneRun:
    """Begin a run of a scene file in a folder of its own; `regions`: with contact regions in its record."""
    definition = read(file, changes)
    scene = build(definition)
    folder = RunFolder(out)
    folder.make(force=force)
    write_scene(definition, folder)
    length = scene.duration if duration is None else duration
    recorder = Recorder.begin(scene.world, folder, _info(file, definition, scene, length), regions=regions)
    return SceneRun(scene, recorder, length)


def resume(
    file: Path, out: Path, changes: Mapping[str, Any], duration: float | None = None, *, regions: bool = False
) -> SceneRun:
    """Go on with a run from its last snapshot, as it was begun; a folder without one is begun afresh."""
    folder = RunFolder(out)
    if not folder.holds_a_run() or not folder.snapshot_keys():
        return begin(file, out, changes, duration, force=True, regions=regions)
    info = folder.read_info()
    definition = read(file, changes)
    scene = build(definition)
    if info.get("fingerprint") != fingerprint(definition, scene.world):
        raise FileError(
            f"{out}: was run with another scene, other parameters or other parts than {file} gives now; "
            f"resume it with {folder.scene}, or run into another folder"
        )
    length = float(info["duration"]) if duration is None else duration
    return _gone_on(scene, folder, length, regions=bool(info.get("regions")))


def _info(file: Path, definition: Definition, scene: Scene, duration: float) -> dict[str, Any]:
    return {
        "source": file.name,
        "title": definition.table.title,
        "duration": duration,
        "parameters": dict(definition.values),
        "fingerprint": fingerprint(definition, scene.world),
    }


def _gone_on(scene: Scene, folder: RunFolder, duration: float, *, regions: bool) -> SceneRun:
    """Restore the latest world that the record reaches, and take over the record until there."""
    record = read_record(folder.record, empty=True)
    numbered = [(_step_of(message), message) for message in record.messages]
    # What was done before a step may be in an earlier chunk than what the step did.
    last = max((number for number, message in numbered if message.topic == "/state"), default=0)
    world, step, totals = world_to_go_on(folder, last)
    for name, measure in scene.measures.items():
        measure.go_on(totals.get("measuring", {}).get(name))
    summary = summary_of(totals.get("summary", {}))
    recorder = Recorder(world, folder, number=step, summary=summary, beside=True, regions=regions)
    recorder.take_over(message for number, message in numbered if number <= step)
    going = SceneRun(replace(scene, world=world), recorder, duration)
    going.resumed = _told(step, last, complete=record.complete)
    return going


def _told(step: int, last: int, *, complete: bool) -> str:
    """From where a run goes on, and what was lost."""
    again = f"; steps {step + 1:,} to {last:,} of its record are computed again" if last > step else ""
    lost = "" if complete else f"; the record was cut off after step {last:,}, and what came behind is lost"
    return f"goes on after step {step:,}{again}{lost}"


def _step_of(message: Stored) -> int:
    return int(CHANNELS[message.topic].decode(message.data)["step"][0])


def summary_of(plain: Mapping[str, Any]) -> RunSummary:
    """A summary from its JSON."""
    summary = RunSummary()
    for field in fields(RunSummary):
        if field.name in plain:
            value = plain[field.name]
            if field.name == "kinematic_overlaps":
                value = tuple(Overlap(**item) for item in value)
            elif field.name == "moved_apart":
                value = tuple(MovedApart(item["body"], tuple(item["way"])) for item in value)
            elif isinstance(value, list):
                value = tuple(value)
            setattr(summary, field.name, inf if value is None else value)
    return summary
