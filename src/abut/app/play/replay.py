"""`abut replay`: a recorded run on the page of `abut play`."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path

import typer


def replay(
    run: Path = typer.Argument(..., metavar="RUN", help="Folder of a recorded run."),
    browser: bool = typer.Option(True, help="Open the page in the browser."),
    regions: bool | None = typer.Option(None, help="All contact regions, or none; else what is found in 10 s."),
) -> None:
    """Show a recorded run in the browser: a timeline to scrub, loop and slow down, contacts and arrows of force.

    Prints the address of the page, one file that needs no server.
    """
    from ..runs import Run
    from .export import seconds_for, write_page
    from .play import has_display

    folder = Path(tempfile.mkdtemp(prefix="abut-replay-"))
    address = write_page(Run(run), folder / "replay.html", seconds_for(regions)).resolve().as_uri()
    typer.echo(address)
    sys.stdout.flush()
    if browser and has_display():
        webbrowser.open(address)
