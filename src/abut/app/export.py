"""`abut export`: a run as files for other programs: animations, pictures that move, tables."""

from __future__ import annotations

from pathlib import Path

import typer

from .folders import made_folder


def export(
    run: Path = typer.Argument(..., metavar="RUN", help="Folder of a run, as `abut run` writes it."),
    out: Path | None = typer.Option(None, help="Folder for the files; export in the run's folder, if not given."),
    html: bool = typer.Option(False, "--html", help="One page that any browser shows, offline; --out may name it."),
    glb: bool = typer.Option(False, "--glb", help="An animated scene (.glb) with arrows where bodies push."),
    csv: bool = typer.Option(False, "--csv", help="Tables of states, contacts and steps as text."),
    parquet: bool = typer.Option(False, "--parquet", help="The same tables as Parquet; needs abut[data]."),
    webp: bool = typer.Option(False, "--webp", help="Moving pictures."),
    gif: bool = typer.Option(False, "--gif", help="Moving pictures that any program shows."),
    avif: bool = typer.Option(False, "--avif", help="Moving pictures, small."),
    regions: bool | None = typer.Option(
        None, help="On the page: all contact regions, or none; else what is found in 10 s."
    ),
    slow: float = typer.Option(1.0, min=1e-6, help="How many times slower than nature animations are."),
) -> None:
    """Write what was recorded in formats that other programs read."""
    from rich.console import Console

    from ..errors import InputError
    from .exports import save_animation, save_csv, save_parquet, save_pictures
    from .play.export import seconds_for, write_page
    from .runs import Run
    from .waiting import waiting

    console = Console()
    pictures = [name for name, wanted in (("webp", webp), ("gif", gif), ("avif", avif)) if wanted]
    if not (html or glb or csv or parquet or pictures):
        raise InputError("export: say what to write: --html, --glb, --csv, --parquet, --webp, --gif or --avif")
    named = out if html and out is not None and out.suffix == ".html" else None
    read, folder = Run(run), run / "export" if out is None or named is not None else out
    if len(read) == 0:
        raise InputError(f"{run}: holds no states to export; {read.lost or 'nothing was recorded'}")
    beside, written = run.resolve().parent if out is None else out, list[Path]()
    with waiting(console, "writing"):
        if html:
            page = named or made_folder(beside) / f"{run.resolve().name}.html"
            written.append(write_page(read, page, seconds_for(regions)))
        written += [save_animation(read, folder, slow)] if glb else []
        written += save_csv(read, folder) if csv else []
        written += save_parquet(read, folder) if parquet else []
        written += save_pictures(read, folder, pictures, slow) if pictures else []
    for file in written:
        console.print(f"wrote {file}", soft_wrap=True, highlight=False)
