"""`abut report`: what happened in a run, on one page that needs no network, or as JSON."""

from __future__ import annotations

from pathlib import Path

import typer


def report(
    run: Path = typer.Argument(..., metavar="RUN", help="Folder of a run, as `abut run` writes it."),
    out: Path | None = typer.Option(None, help="The page to write; report.html in the run's folder, if not given."),
    as_json: bool = typer.Option(False, "--json", help="Print the figures as JSON, and write no page."),
) -> None:
    """Write a report of a run: pictures, forces, gaps, energies, who touched whom, measures, time given up, timing."""
    import json

    from rich.console import Console

    from .reports import figures, write_report
    from .runs import Run
    from .waiting import waiting

    console = Console(stderr=as_json)
    read = Run(run)
    if as_json:
        typer.echo(json.dumps(figures(read), indent=1, ensure_ascii=False))
        return
    file = run / "report.html" if out is None else out
    with waiting(console, "writing the report"):
        told = write_report(read, file)
    console.print(f"wrote {file}", soft_wrap=True, highlight=False)
    for words in (told["complaint"], told["lost"]):
        if words:
            console.print(words, style="yellow", highlight=False)
