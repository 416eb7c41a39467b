"""`abut clearance`: which parts of an assembly overlap, touch or are near each other?"""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import InputError

if TYPE_CHECKING:
    from ...query import ClearanceReport, PairClearance
    from .allowed import Allowed
    from .sources import Sources


def clearance(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Assemblies, parts or scene files; FILE#bolt_* takes parts by name."),
    ] = None,
    within: Annotated[float, typer.Option(help="List pairs up to this distance, in metres.")] = 1e-3,
    tolerance: Annotated[float, typer.Option(help="Gap that counts as touching, beyond the chord errors [m].")] = 1e-7,
    unit: Annotated[
        str | None, typer.Option(help="Unit of the files' numbers: m, mm, cm, um, in or ft.", show_default=False)
    ] = None,
    chord: Annotated[
        float | None, typer.Option(help="Largest chord error of STEP surfaces, in metres.", show_default="5e-5")
    ] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Heal what can be healed.")] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A:B[:DEPTH]", help="A pair that may overlap, as 'A:B' or 'A:B:0.05mm'.", show_default=False
        ),
    ] = None,
    expected: Annotated[Path | None, typer.Option(help="File of such pairs, one a line.", show_default=False)] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 also if parts only touch.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page with pictures of the worst pairs.", show_default=False)
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of --json, and exit.")] = False,
) -> int:
    """Every pair of an assembly: free, touching or overlapping, by how much, where and with which features.

    Exit code 0: nothing overlaps. 1: interference. 2: a file cannot be used.
    """
    if schema:
        from .document import schema as of_documents

        typer.echo(json_format.dumps(of_documents(), indent=1))
        return 0
    if not files:
        raise InputError("FILE: expected at least one, got none")
    from rich.console import Console

    from ...arrays import number
    from ...query import clearance as measure
    from ..waiting import waiting
    from .sources import read_parts

    number("--within", within, least=0.0)
    number("--tolerance", tolerance, least=0.0)
    known, console = _known(allow or [], expected), Console(stderr=True)  # stdout is for the answer
    with waiting(console, "reading"):
        found = read_parts(files, unit, chord, repair)
    parts, unusable = found.parts, found.unusable
    _tell_of_input(found, known)
    if not parts:
        return 2
    with waiting(console, f"measuring {len(parts)} parts"):
        report = measure(parts, within=within, tolerance=tolerance)
    allowed = [any(one.covers(pair) for one in known) for pair in report.pairs]
    code = 2 if unusable else int(any(_is_news(p, a, strict) for p, a in zip(report.pairs, allowed, strict=True)))
    if html is not None:
        from .page import write_page

        with waiting(console, "drawing"):
            write_page(html, [str(file) for file in files], parts, report, allowed, unusable)
    if json:
        from .document import document

        typer.echo(json_format.dumps(document(report, allowed, unusable, code), indent=2, allow_nan=False))
    else:
        _print(report, allowed)
    return code


def _known(allow: list[str], expected: Path | None) -> list[Allowed]:
    from .allowed import parse_allowed, read_expected

    return [*(parse_allowed("--allow", text) for text in allow), *(read_expected(expected) if expected else [])]


def _tell_of_input(found: Sources, known: list[Allowed]) -> None:
    """Say on stderr which files cannot be used, and which names of allowed pairs no part has."""
    from .allowed import unmatched

    for sentence in (*(one.reason for one in found.unusable), *unmatched(known, [part.name for part in found.parts])):
        typer.echo(f"abut: {sentence}", err=True)


def _is_news(pair: PairClearance, allowed: bool, strict: bool) -> bool:
    return not allowed and (pair.state == "overlapping" or (strict and pair.state == "touching"))


def _print(report: ClearanceReport, allowed: list[bool]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    if report.pairs:
        table = Table(title=None)
        for head in ("A", "B", "state", "by", "nominal gap", "where"):
            table.add_column(head, overflow="fold")
        for pair, known in zip(report.pairs, allowed, strict=True):
            distance, _, depth, nominal, where = cells(pair)
            words = (depth or distance, nominal, where)
            table.add_row(escape(pair.a), escape(pair.b), _state(pair, known), *(escape(word) for word in words))
        console.print(table)
    for note in report.notes:
        console.print(escape(note), soft_wrap=True)
    console.print(escape(verdict(report, allowed)), soft_wrap=True)


def _state(pair: PairClearance, allowed: bool) -> str:
    colour = {"free": "green", "touching": "yellow", "overlapping": "red"}[pair.state]
    return f"[{'dim' if allowed else colour}]{pair.state}{' (allowed)' if allowed else ''}[/]"


def cells(pair: PairClearance) -> tuple[str, str, str, str, str]:
    """Distance, bounds of the true shapes, depth, nominal gap and features of a pair in words."""
    from ...geometry.units import length_text

    depth = ""
    if pair.depth is None:
        depth = "unknown"
    elif pair.depth > 0.0 and pair.depth_upper is not None:
        depth = length_text(pair.depth, 4)
        if pair.depth_upper > 1.01 * pair.depth:
            depth += f" (at most {length_text(pair.depth_upper)})"
    return (
        "" if pair.state == "overlapping" else gap_text(pair.distance),
        f"{gap_text(pair.lower)} to {gap_text(pair.upper)}",
        depth,
        "" if pair.nominal_gap is None else gap_text(pair.nominal_gap),
        f"{_feature(pair.feature_a.kind, pair.surface_a)} / {_feature(pair.feature_b.kind, pair.surface_b)}",
    )


def gap_text(gap: float) -> str:
    """A signed gap; what is less than a nanometre is none."""
    from ...geometry.units import length_text

    return "0" if abs(gap) < 1e-9 else length_text(gap, 4)


def _feature(kind: str, surface: str) -> str:
    return surface if surface and kind == "face" else f"{kind} on {surface}" if surface else kind


def verdict(report: ClearanceReport, allowed: list[bool]) -> str:
    """The report in a sentence."""
    counts = report.counts
    n_allowed = sum(known and pair.state == "overlapping" for pair, known in zip(report.pairs, allowed, strict=True))
    parts = f"{len(report.parts)} part{'s' if len(report.parts) > 1 else ''}"
    words = f"{parts}; pairs that overlap: {counts['overlapping']}"
    words += f" ({n_allowed} of them allowed)" if n_allowed else ""
    return f"{words}, that touch: {counts['touching']}, that are free: {counts['free']}"
