"""The command line."""

from __future__ import annotations

from pathlib import Path

import typer

from ..errors import AbutError

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Solid parts that touch.")


@app.callback()
def _root() -> None:
    """Solid parts that touch."""


@app.command()
def demo(
    name: str | None = typer.Argument(None, help="Which one; without a name, what there is."),
    out: Path = typer.Option(Path("out/demo"), help="Folder for the pictures."),
) -> None:
    """Show what abut can do on the parts of its library."""
    from .demo import demo as run

    run(name, out)


def main() -> None:
    """Run a command; a mistake in the request is answered with one sentence."""
    try:
        app()
    except AbutError as error:
        typer.echo(f"error: {error}", err=True)
        raise SystemExit(2) from None
