"""`abut run`: a scene file, run into a folder with everything that happened."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..errors import FileError, meant

if TYPE_CHECKING:
    from rich.console import Console

    from ..dynamics import MovedApart
    from .runs.scene_run import SceneRun

NOT_AS_ASKED = 3
"""Exit code of a run in which time was given up, islands stayed unsolved or bodies were frozen."""
STOPPED = 130
"""Exit code of a run that was stopped by Ctrl-C; it can be resumed."""


def run(
    scene: Path = typer.Argument(..., metavar="SCENE", help="A scene file (.toml), or the name of a demonstration."),
    out: Path = typer.Option(Path("run"), help="Folder for the record; it must not hold a run yet."),
    change: list[str] = typer.Option(
        [],
        "--set",
        metavar="KEY=VALUE",
        help="Another value of a parameter, or of a key by its path (world.dt=1e-4).",
    ),
    duration: float | None = typer.Option(None, help="How long to run [s], instead of the scene's own duration."),
    resume: bool = typer.Option(
        False, "--resume", help="Go on with the run in the folder, as if it had never stopped."
    ),
    force: bool = typer.Option(False, "--force", help="Remove the run that is in the folder."),
    regions: bool = typer.Option(False, "--regions", help="Record contact regions as well, and what becomes of them."),
    as_json: bool = typer.Option(False, "--json", help="Print the summary as JSON."),
) -> None:
    """Run a scene and record what happens: poses, contacts with their forces, reports, snapshots, measures.

    Exit code 0: finished. 2: the input cannot be used. 3: time was given up, or something stayed unsolved. 130: stopped
    by Ctrl-C.
    """
    from rich.console import Console

    from ..arrays import number
    from ..scene.files.read import change_of
    from .runs import scene_run
    from .waiting import waiting

    if duration is not None:
        number("--duration", duration, above=0.0)
    console = Console(stderr=as_json)
    changes = dict(change_of(text) for text in change)
    file = _scene_file(scene)
    with waiting(console, "setting up"):
        if resume:
            going = scene_run.resume(file, out, changes, duration, regions=regions)
        else:
            going = scene_run.begin(file, out, changes, duration, force=force, regions=regions)
    if going.resumed:
        console.print(going.resumed, highlight=False)
    state = _go(console, going)
    _tell(console, going, state, as_json)
    if state == "stopped":
        raise typer.Exit(STOPPED)
    if going.summary.complaint() or going.summary.unsolved:
        raise typer.Exit(NOT_AS_ASKED)


def _scene_file(scene: Path) -> Path:
    """A file, or the file of a demonstration."""
    from ..geometry.files.formats import SUFFIXES
    from ..scene.scenes.library import NAMES, SceneFile, maker

    if not scene.exists() and str(scene) in NAMES:
        made = maker(str(scene))
        if isinstance(made, SceneFile):
            return made.path
    if not scene.is_file():
        what = "is a folder" if scene.is_dir() else "there is no such file or demonstration"
        raise FileError(f"{scene}: {what}{meant(scene, NAMES)}; expected a scene file (.toml), or a name of abut demo")
    if scene.suffix.lower() in SUFFIXES:
        raise FileError(f"{scene}: is no scene file (.toml); abut play {scene} shows parts")
    return scene


def _go(console: Console, going: SceneRun) -> str:
    """Take all steps with a progress bar; whatever happens, what was recorded is closed and kept."""
    state = "failed"
    try:
        with _bar(console, going) as tell, _until_interrupted() as stop:
            for _ in going.steps():
                tell()
                if stop.asked:
                    break
        state = "finished" if going.done >= going.total else "stopped"
    finally:
        going.end(state)
    return state


class _Stop:
    """Whether Ctrl-C was pressed."""

    asked = False


@contextmanager
def _until_interrupted() -> Iterator[_Stop]:
    """Ctrl-C is noted, and the step at hand is finished first; pressed twice, it interrupts at once."""
    stop = _Stop()

    def note(number: int, frame: object) -> None:
        if stop.asked:
            raise KeyboardInterrupt
        stop.asked = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar(console: Console, going: SceneRun) -> Iterator[Callable[[], None]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from .._jit.progress import working_time
    from .waiting import compiling_shown

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[figures]}"),
        TimeRemainingColumn(compact=True),
    )
    with Progress(*columns, console=console, expand=True, refresh_per_second=5) as bar:
        task = bar.add_task("run", total=going.total, completed=going.done, figures="")
        begun, start, shown = working_time(), going.world.time, [0.0]

        def tell() -> None:
            now = working_time()
            if now - shown[0] > 0.2 or going.done == going.total:
                shown[0] = now
                factor = (going.world.time - start) / max(now - begun, 1e-9)
                bar.update(task, completed=going.done, figures=_figures(going, factor))

        with compiling_shown(console, lambda line: bar.update(task, figures=line)):
            yield tell


def _figures(going: SceneRun, factor: float) -> str:
    """Short enough to leave room for a bar on a terminal of 80 columns."""
    report, summary = going.world.report, going.summary
    gap = f"{1e6 * report.smallest_gap:.3g} µm" if report.contacts else "-"
    return (
        f"{going.world.time:.3g} s, {factor:.2g}x real, {report.contacts} contacts, gap {gap}, "
        f"given up {1e3 * summary.time_given_up:.3g} ms"
    )


def _tell(console: Console, going: SceneRun, state: str, as_json: bool) -> None:
    """The summary, in words or as JSON."""
    from rich.table import Table

    if as_json:
        typer.echo(going.recorder.folder.summary.read_text(), nl=False)
        return
    summary = going.summary
    table = Table("", state, title=str(going.recorder.folder.path))
    rows = {
        "steps": f"{summary.steps:,} of {1e3 * going.world.dt:g} ms",
        "contacts at most": str(summary.contacts),
        "smallest gap": f"{1e6 * summary.smallest_gap:.3g} µm" if summary.contacts else "nothing touched",
        "time given up": f"{1e3 * summary.time_given_up:.3g} ms",
        **({"moved apart at the start": _moved(summary.moved_apart)} if summary.moved_apart else {}),
        "islands not solved": str(summary.unsolved),
        **{name: _value(measure.value, measure.unit) for name, measure in going.scene.measures.items()},
    }
    for key, value in rows.items():
        table.add_row(key, value)
    console.print(table)
    if complaint := summary.complaint():
        console.print(f"not as asked: {complaint}", style="yellow", highlight=False)
    if state == "stopped":
        console.print("stopped; go on with --resume", highlight=False)


def _moved(moved: tuple[MovedApart, ...]) -> str:
    return f"{len(moved)} that touched, by at most {1e6 * max(one.distance for one in moved):.3g} µm"


def _value(value: float | None, unit: str) -> str:
    return "-" if value is None else f"{value:.6g} {unit}".rstrip()
