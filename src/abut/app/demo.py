"""`abut demo`: what abut can do, shown on the scenes and parts of its library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table

from ..dynamics import StepReport
from ..errors import InputError
from ..geometry import EdgeKind, Solid
from ..geometry.units import length_text
from ..scene import parts, scenes
from .folders import made_folder
from .scene_run import Record, camera_for, pictures, run_scene, tracks
from .waiting import compiling_shown, waiting

SHOWN_FIRST = "cross_recess_screw"
"""The part that `abut demo part` shows."""
PICTURES, PICTURE_SIZE = 5, (400, 400)
"""Of a scene's strip."""
LONG_ENOUGH = 4.0
"""[s] an animation should last; a shorter run is shown in slow motion."""


def demo(name: str | None, out: Path, *, report: bool = False) -> None:
    """List the demonstrations, or run one: a scene, or a part or two that fit; pictures go into `out`.

    A scene leaves its record and a `report` there, too, if that is asked for.
    """
    console = Console()
    pairs = {_slug(fit.name): fit for fit in parts.fits().values()}
    if name is None:
        console.print(_contents(pairs))
        console.print("abut demo NAME runs one.")
    elif name in scenes.catalogue():
        _show_scene(console, name, made_folder(out / name), report)
    elif name in pairs:
        _show_fit(console, pairs[name], made_folder(out))
    elif name == "part" or name in parts.catalogue():
        _show_part(console, SHOWN_FIRST if name == "part" else name, made_folder(out))
    else:
        remedy = f"abut play {name} shows a file" if Path(name).is_file() else "abut demo lists what there is"
        raise InputError(f"there is no demonstration {name!r}{_meant(name, pairs)}; {remedy}")


def _meant(name: str, pairs: dict[str, parts.Fit]) -> str:
    """The names that look like a mistyped one."""
    known = dict.fromkeys((*scenes.catalogue(), *parts.catalogue(), *pairs))
    alike = get_close_matches(name.lower().replace(" ", "_"), known)
    return f"; did you mean {' or '.join(alike)}?" if alike else ""


def _contents(pairs: dict[str, parts.Fit]) -> Table:
    table = Table("name", "what it shows", title="Demonstrations")
    for scene in scenes.catalogue().values():
        table.add_row(scene.name, scene.sentence)
    table.add_section()
    for entry in parts.catalogue().values():
        table.add_row(entry.name, escape(entry.description))  # [m] is a unit, not a style
    table.add_section()
    for slug, fit in pairs.items():
        table.add_row(slug, f"{fit.name}, cut open; {length_text(fit.gap)} apart at least")
    return table


def _show_scene(console: Console, name: str, out: Path, report: bool) -> None:
    """Run a scene with a progress bar, then write its strip of pictures and its animation."""
    from .draw import save_png, strip
    from .gltf import save_glb

    console.print(scenes.catalogue()[name].sentence)
    with waiting(console, "setting up"):
        for _ in scenes.free_fall(height=1e-4).run(0.01):
            pass  # a first contact, so that compiling does not count as running
        scenes.make(name).step()
        scene = scenes.make(name)
    with _recorded(scene, name, out / "run" if report else None) as step:
        record = _run_with_bar(console, name, scene, step)
    console.print(_summary(name, scene, record))
    with waiting(console, "drawing"):
        camera = camera_for(scene, record.moments, PICTURE_SIZE)
        images = pictures(scene, record.moments, camera, PICTURE_SIZE)
        captions = [f"{1e3 * moment.time:.0f} ms, contacts: {len(moment.contacts)}" for moment in record.moments]
        sheet = save_png(out / "strip.png", strip(images, captions=captions), colours=256)
    slow = max(1.0, round(LONG_ENOUGH / scene.duration))
    _say_where(console, [sheet, save_glb(out / f"{name}.glb", *tracks(scene, record, slow))])
    if report:
        _report(console, out)
    if slow > 1.0:
        console.print(f"the animation is {slow:g} times slower than nature", highlight=False)


@contextmanager
def _recorded(scene: scenes.Scene, name: str, folder: Path | None) -> Iterator[Callable[[], StepReport]]:
    """How to take the steps of a scene, so that they are recorded if there is a folder for it."""
    if folder is None:
        yield scene.step
        return
    from .runs.folder import RunFolder
    from .runs.recorder import Recorder

    kept = RunFolder(folder)
    kept.make(force=True)
    recorder = Recorder.begin(scene.world, kept, {"source": name, "title": scenes.catalogue()[name].sentence})

    def step() -> StepReport:
        if scene.drive is not None:
            scene.drive(scene.world, scene.world.time)
        return recorder.step()

    state = "stopped"
    try:
        yield step
        state = "finished"
    finally:
        recorder.close(state)


def _report(console: Console, out: Path) -> None:
    from .reports import write_report
    from .runs import Run

    with waiting(console, "writing the report"):
        write_report(Run(out / "run"), out / "report.html")
    _say_where(console, [out / "report.html"])


def _run_with_bar(console: Console, name: str, scene: scenes.Scene, step: Callable[[], StepReport]) -> Record:
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), TextColumn("{task.fields[figures]}"))
    with Progress(*columns, console=console, expand=True) as bar:
        task = bar.add_task(name, total=round(scene.duration / scene.world.dt), figures="")
        with compiling_shown(console, lambda line: bar.update(task, figures=line)):

            def tell(record: Record) -> None:
                bar.update(task, advance=1, figures=_line(scene, record))

            return run_scene(scene, PICTURES, tell, step)


def _line(scene: scenes.Scene, record: Record) -> str:
    """Short enough to leave room for a bar on a terminal of 80 columns."""
    gap = f"{1e6 * record.smallest_gap:.3g} µm" if record.contacts else "-"
    return (
        f"{record.simulated:.2f} s, {record.real_time_factor:.2g}x real, {scene.world.report.contacts} contacts, "
        f"gap {gap}, given up {1e3 * record.time_given_up:.3g} ms"
    )


def _summary(name: str, scene: scenes.Scene, record: Record) -> Table:
    table = Table("", name, title="Run")
    gap = f"{1e6 * record.smallest_gap:.3g} µm (held at {1e6 * scene.world.contact_gap:.3g} µm)"
    rows = {
        "steps": f"{record.steps:,} of {1e3 * scene.world.dt:g} ms",
        "real-time factor": f"{record.real_time_factor:.3g}",
        "steps per second": f"{record.steps / record.seconds:,.0f}",
        "rounds per step": f"{record.rounds / record.steps:.2f}",
        "contacts at most": str(record.contacts),
        "smallest gap": gap if record.contacts else "nothing touched",
        "time given up": f"{1e3 * record.time_given_up:.3g} ms",
    }
    for key, value in rows.items():
        table.add_row(key, value)
    return table


def _show_part(console: Console, name: str, out: Path) -> None:
    from .draw import Item, save_png
    from .portrait import portrait

    part = parts.make(name)
    console.print(_figures([part]))
    with waiting(console, "drawing"):
        paths = [
            save_png(out / f"{name}.png", portrait([Item(part)])),
            save_png(out / f"{name}_cut.png", portrait([Item(part)], cut=0.0)),
        ]
    _say_where(console, paths)


def _show_fit(console: Console, fit: parts.Fit, out: Path) -> None:
    from .draw import Item, save_png
    from .portrait import portrait

    fixed, moving = fit.fixed(), fit.moving()
    console.print(_figures([fixed, moving]))
    with waiting(console, "drawing"):
        items = [Item(fixed), Item(moving, fit.pose)]
        paths = [
            save_png(out / f"{_slug(fit.name)}.png", portrait(items)),
            save_png(out / f"{_slug(fit.name)}_cut.png", portrait(items, cut=0.0)),
        ]
    _say_where(console, paths)


def _figures(solids: list[Solid]) -> Table:
    """What abut knows about parts, one column each."""
    table = Table("", *(solid.name for solid in solids), title="Checked" if len(solids) == 1 else "Checked pair")
    columns = [_figures_of(solid) for solid in solids]
    for key in columns[0]:
        table.add_row(key, *(column[key] for column in columns))
    return table


def _figures_of(solid: Solid) -> dict[str, str]:
    edges = solid.edges
    return {
        "surface": "closed" if solid.closed else "open",
        "triangles": f"{len(solid.triangles):,}",
        "plane faces": f"{len(solid.faces):,}",
        "edges": f"{edges.count(EdgeKind.CONVEX):,} convex, {edges.count(EdgeKind.CONCAVE):,} concave",
        "through holes": str(solid.genus),
        "size": " x ".join(f"{1e3 * length:.4g}" for length in solid.extents) + " mm",
        "surface area": f"{1e6 * solid.area:.5g} mm²",
        "volume": f"{1e9 * solid.volume:.5g} mm³",
        "centre of mass": "(" + ", ".join(f"{1e3 * x + 0.0:.3f}" for x in solid.centroid) + ") mm",
    }


def _say_where(console: Console, paths: list[Path]) -> None:
    for path in paths:
        console.print(f"wrote {path}", soft_wrap=True, highlight=False)


def _slug(name: str) -> str:
    return name.replace(" ", "-")
