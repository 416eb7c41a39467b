"""`abut path`: can a part be moved along a path without touching the others?"""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..query import Feature, SweptPath

_UNIT_HELP = "Unit of the parts' files: m, mm, cm, um, in or ft."


def path(
    part: Annotated[Path, typer.Argument(metavar="PART", help="File of the part that moves.")],
    pathfile: Annotated[
        Path,
        typer.Argument(metavar="PATHFILE", help="CSV or JSON of poses: time, x, y, z[, qw, qx, qy, qz] in each row."),
    ],
    others: Annotated[list[Path], typer.Argument(metavar="OTHER", help="Files of parts that rest, as drawn.")],
    unit: Annotated[str | None, typer.Option(help=_UNIT_HELP, show_default=False)] = None,
    path_unit: Annotated[
        str | None,
        typer.Option(help="Unit of the positions in the path file.", show_default="the file's, else m"),
    ] = None,
    gap: Annotated[float, typer.Option(help="Distance to keep, in metres.")] = 0.0,
    samples: Annotated[int, typer.Option(help="How often the clearance is measured between two poses.")] = 1,
    touching: Annotated[
        bool, typer.Option("--touching", help="The part may touch others where the path starts, if it leaves them.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the clearance over time into this PNG.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")] = False,
) -> int:
    """Check that a part can be moved along a path, all of it and not just at samples; where does it touch first?

    Exit code 0: the path is free. 1: the part touches another. 2: a file or an option cannot be used.
    """
    from ..arrays import count, number
    from ..geometry import Solid
    from ..query import swept_free
    from .path_file import read_path

    number("--gap", gap, least=0.0)
    count("--samples", samples, least=1)
    times, poses = read_path(pathfile, path_unit)
    moving, *resting = (Solid.load(file, unit=unit, merge=True) for file in (part, *others))
    found = swept_free(moving, poses, resting, times=times, gap=gap, samples=samples, touching=touching)
    names = [file.name for file in others]
    if plot is not None:
        _draw(found, names, plot)
    if json:
        typer.echo(json_format.dumps(_describe(found, [str(file) for file in others]), indent=2, allow_nan=False))
    else:
        _print_table(found, names)
    return 0 if found.free else 1


def _describe(found: SweptPath, names: list[str]) -> dict[str, Any]:
    return {
        "free": found.free,
        "touch": _describe_touch(found, names),
        "clearance": [
            {"time": time, **dict(zip(names, row, strict=True))}
            for time, row in zip(found.times.tolist(), found.clearance.tolist(), strict=True)
        ],
    }


def _describe_touch(found: SweptPath, names: list[str]) -> dict[str, Any] | None:
    touch = found.touch
    if touch is None:
        return None
    impact = touch.impact
    return {
        "time": touch.time,
        "segment": touch.segment,
        "other": names[touch.other],
        "overlapping": impact.overlapping,
        "depth_m": impact.depth,
        "position_m": touch.pose.position.tolist(),
        "quat_wxyz": touch.pose.quat_wxyz.tolist(),
        "point_m": impact.point.tolist(),
        "normal": impact.normal.tolist(),
        "feature_part": _describe_feature(impact.feature_a),
        "feature_other": _describe_feature(impact.feature_b),
    }


def _describe_feature(feature: Feature) -> dict[str, Any]:
    return {"kind": feature.kind, "index": feature.index}


def _print_table(found: SweptPath, names: list[str]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    table = Table(title=escape("clearance [mm]"), title_justify="left")
    table.add_column("time", justify="right")
    for name in names:
        table.add_column(escape(name), justify="right")
    for time, row in zip(found.times, found.clearance, strict=True):
        table.add_row(f"{time:.6g}", *(f"{1e3 * d:.6g}" if d > 0.0 else "[red]meets[/]" for d in row))
    console.print(table)
    console.print(_verdict(found, names), soft_wrap=True)


def _verdict(found: SweptPath, names: list[str]) -> str:
    from rich.markup import escape

    from ..geometry.units import length_text

    touch = found.touch
    if touch is None:
        return f"[bold green]free[/]: at least {1e3 * found.clearance.min():.6g} mm at the times listed"
    impact, other = touch.impact, escape(names[touch.other])
    if impact.overlapping:
        deep = "" if impact.depth is None else f", {length_text(impact.depth)} deep"
        return f"[bold red]overlap[/] with {other} at the start of segment {touch.segment}, time {touch.time:.9g}{deep}"
    place = ", ".join(f"{1e3 * x:.6g}" for x in impact.point)
    features = f"{impact.feature_a.kind} {impact.feature_a.index} on {impact.feature_b.kind} {impact.feature_b.index}"
    return (
        f"[bold red]touches[/] {other} at time {touch.time:.9g} (segment {touch.segment}): {features} at ({place}) mm"
    )


def _draw(found: SweptPath, names: list[str], out: Path) -> None:
    from .draw import save_png
    from .line_plot import Line, line_plot

    colours = ("blue", "green", "amber", "plum", "sky")
    lines = [
        Line(found.times, 1e3 * column, name, colours[i % len(colours)])
        for i, (column, name) in enumerate(zip(found.clearance.T, names, strict=True))
    ]
    mark = None if found.touch is None else (found.touch.time, "first touch")
    save_png(out, line_plot(lines, "time", "clearance [mm]", mark=mark))
