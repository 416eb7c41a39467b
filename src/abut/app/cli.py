"""The command line: one file per command, and the one place where a user's mistake becomes a sentence.

Exit codes: 0 all well, 1 the answer is bad news (problems found), 2 the input cannot be used, 3 a run in which time was
given up or something stayed unsolved, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
import typer.core

from .. import __version__
from ..errors import AbutError, AbutWarning
from .check import check
from .clearance.clearance import clearance
from .distance import distance
from .export import export
from .path import path
from .play.play import play
from .play.replay import replay
from .report import report
from .run import run as run_command

_UNUSABLE, _INTERRUPTED = 2, 130


class _Commands(typer.core.TyperGroup):
    """Says of each command all of its first paragraph, not what fits into the first line."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, " ".join(_first_paragraph(command))) for name, command in commands])


def _first_paragraph(command: Any) -> list[str]:
    return (command.help or "").partition("\n\n")[0].split()


app = typer.Typer(
    name="abut",
    help="Solid parts that touch: check parts from CAD files, see what fits, and simulate how they move.",
    add_completion=False,
    rich_markup_mode=None,  # [m] is a unit, not a style
    cls=_Commands,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"abut {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(_UNUSABLE)


app.command()(check)
app.command()(clearance)
app.command()(distance)
app.command()(path)
app.command("run")(run_command)
app.command()(play)
app.command()(replay)
app.command()(report)
app.command()(export)


@app.command()
def schema() -> None:
    """Print the JSON Schema of scene files, for editors that complete and check keys."""
    import json

    from ..scene.files import schema as of_scene_files

    typer.echo(json.dumps(of_scene_files(), indent=1))


@app.command()
def demo(
    name: str | None = typer.Argument(
        None, metavar="NAME", help="A scene, a part or a pair that fits; without it, all are listed."
    ),
    out: Path = typer.Option(Path("out/demo"), help="Folder for pictures and animations."),
    headless: bool = typer.Option(False, "--headless", help="Draw a scene instead of opening it in the browser."),
    report: bool = typer.Option(False, "--report", help="Record a scene that is drawn, too, and write its report."),
) -> None:
    """Open a scene of the library in the browser, where there is a display; else run it, or draw a part.

    What is drawn: figures, pictures with contact forces, an animation (.glb).
    """
    from ..scene import scenes
    from .demo import demo as run_demo
    from .play.asked import Asked
    from .play.play import has_display, show

    if name in scenes.NAMES and not headless and sys.stdout.isatty() and has_display():
        typer.echo(scenes.catalogue()[name].sentence)
        show(Asked((name,), driven=True), hinted=True)
    else:
        run_demo(name, out, report=report)


@app.command()
def warmup() -> None:
    """Compile everything now, once for this machine, instead of when it is first used."""
    from rich.console import Console

    from .warmup import STAGES
    from .warmup import warmup as run_stages

    run_stages(Console(), STAGES)


def _interrupted() -> int:
    typer.echo("abut: interrupted", err=True)
    return _INTERRUPTED


@contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    """What a Python user gets as a warning is a sentence on standard error."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", AbutWarning)
        usual = warnings.showwarning

        def show(message: Any, category: Any, *where: Any, **more: Any) -> None:
            if issubclass(category, AbutWarning):
                typer.echo(f"abut: {message}", err=True)
            else:
                usual(message, category, *where, **more)

        warnings.showwarning = show
        yield


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code. Users' mistakes are printed as one sentence, never as a traceback."""
    try:
        with _warnings_as_sentences():
            result = app(args=arguments, prog_name="abut", standalone_mode=False)
        sys.stdout.flush()
        # typer turns an interruption inside a command, and typer.Exit, into a result.
        return _interrupted() if result == _INTERRUPTED else int(result or 0)
    except AbutError as error:
        typer.echo(f"abut: {error}", err=True)
        return _UNUSABLE
    except BrokenPipeError:
        # The reader of our output has left; leave quietly, and keep Python from flushing into the pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except typer.Exit as stop:
        return stop.exit_code
    except Exception as error:
        if not hasattr(error, "format_message"):  # a wrong option or argument, found by the parser
            raise
        typer.echo(f"abut: {_parser_sentence(error)}", err=True)
        return _UNUSABLE


def _parser_sentence(error: Any) -> str:
    """What the parser of the command line does not understand, and where to look."""
    message = error.format_message().rstrip(".").partition(", unable to parse")[0]  # what follows is of Python's types
    message = message.replace("Input should be", "expected").replace("expected a valid", "expected a")
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "abut"
    return f"{message}; see {command} --help"


if __name__ == "__main__":
    main()
