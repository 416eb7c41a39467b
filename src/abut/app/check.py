"""`abut check`: is this file a sound solid, and what is in it?"""

from __future__ import annotations

import json as json_format
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import AbutError, LoadWarning

if TYPE_CHECKING:
    from ..geometry import LoadReport, PlacedPart, Problem, Solid

_SHOWN = 5  # places listed of each problem


def check(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="STL, OBJ, PLY, OFF, GLB, 3MF or STEP; FILE#bolt_* takes parts by name."),
    ],
    unit: Annotated[
        str | None, typer.Option(help="Unit of the file's numbers: m, mm, cm, um, in or ft.", show_default=False)
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="Largest chord error of STEP surfaces, in metres.", show_default="5e-5")
    ] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Heal what can be healed, and say what was done.")] = False,
    density: Annotated[float, typer.Option(help="Density for the mass, in kg/m^3.")] = 7850.0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")] = False,
) -> int:
    """Check that files hold sound solids: size, volume, mass, faces, edges, and every problem with its place.

    Exit code 0: sound. 1: problems found. 2: a file cannot be used.
    """
    from ..arrays import number

    number("--density", density, above=0.0)
    if tolerance is not None:
        number("--tolerance", tolerance, above=0.0)
    results = [_check_file(path, unit, tolerance, repair, density) for path in files]
    if json:
        typer.echo(json_format.dumps({"files": results}, indent=2, allow_nan=False))
    else:
        _print_tables(results)
    for result in results:
        if "error" in result:
            typer.echo(f"abut: {result['error']}", err=True)
    return int(max(result["exit_code"] for result in results))


def _check_file(path: Path, unit: str | None, tolerance: float | None, repair: bool, density: float) -> dict[str, Any]:
    from ..geometry import load_assembly

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LoadWarning)  # among the notes below
            parts = load_assembly(path, unit=unit, tolerance=tolerance, repair=repair)
    except AbutError as error:
        return {"file": str(path), "exit_code": 2, "error": str(error)}
    groups: dict[int, list[PlacedPart]] = {}
    for part in parts:
        groups.setdefault(id(part.solid), []).append(part)
    described = [_describe(group, density) for group in groups.values()]
    origin = parts[0].solid.origin
    return {
        "file": str(path),
        "exit_code": 0 if all(part["sound"] for part in described) else 1,
        **(_describe_origin(origin) if origin else {}),
        **_describe_chords([group[0].solid for group in groups.values()]),
        "notes": _notes(parts),
        "parts": described,
    }


def _describe_origin(origin: LoadReport) -> dict[str, Any]:
    return {
        "format": origin.format,
        "unit": origin.unit,
        "unit_from": origin.unit_from,
        "chord_tolerance_m": origin.chord_tolerance,
    }


def _describe_chords(solids: list[Solid]) -> dict[str, Any]:
    """The largest error of the triangles of any part, and the number of free forms among the faces."""
    errors = [solid.origin.chord_error for solid in solids if solid.origin and solid.origin.chord_error]
    return {
        "chord_error_m": max(error.largest for error in errors) if errors else None,
        "free_form_faces": sum(error.other_faces for error in errors) if errors else None,
    }


def _notes(parts: list[PlacedPart]) -> list[str]:
    """What loading has to say of any part, each sentence once."""
    return list(dict.fromkeys(note for part in parts if part.solid.origin for note in part.solid.origin.notes))


def _describe(group: list[PlacedPart], density: float) -> dict[str, Any]:
    from ..geometry import EdgeKind

    solid = group[0].solid
    found = solid.problems()
    return {
        "name": solid.name,
        "instances": [
            {"name": p.name, "position_m": p.pose.position.tolist(), "quat_wxyz": p.pose.quat_wxyz.tolist()}
            for p in group
        ],
        "sound": not any(problem.severity == "error" for problem in found),
        "size_m": solid.extents.tolist(),
        "closed": solid.closed,
        **_describe_volume(solid, density),
        "shells": len(solid.shells),
        "cavities": solid.cavities,
        "vertices": len(solid.vertices),
        "triangles": len(solid.triangles),
        "faces": len(solid.faces),
        "edges": {kind.name.lower(): solid.edges.count(kind) for kind in EdgeKind},
        "repair": _describe_repair(solid),
        "problems": [_describe_problem(problem) for problem in found],
    }


def _describe_volume(solid: Solid, density: float) -> dict[str, Any]:
    closed = solid.closed and float(solid.shells.volume.sum()) != 0.0
    return {
        "genus": solid.genus if solid.closed else None,
        "area_m2": solid.area,
        "volume_m3": solid.volume if closed else None,
        "density_kg_m3": density,
        "mass_kg": density * solid.volume if closed else None,
        "centroid_m": solid.centroid.tolist() if closed else None,
    }


def _describe_repair(solid: Solid) -> dict[str, Any] | None:
    from dataclasses import asdict

    healed = solid.origin.repair if solid.origin else None
    return None if healed is None else {**asdict(healed), "summary": str(healed)}


def _describe_problem(problem: Problem) -> dict[str, Any]:
    return {
        "kind": problem.kind,
        "severity": problem.severity,
        "message": problem.message,
        "count": problem.count,
        "where_m": problem.where[:_SHOWN].tolist(),
        "indices": problem.indices[:_SHOWN].tolist(),
    }


def _print_tables(results: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    for result in results:
        for part in result.get("parts", []):
            console.print(_title(result, part), soft_wrap=True)
            console.print(_table(result, part))
        for note in (*result.get("notes", []), *_advice(result)):
            console.print(f"[dim]note: {escape(note)}[/]", soft_wrap=True)


def _title(result: dict[str, Any], part: dict[str, Any]) -> str:
    from rich.markup import escape

    path, name = result["file"], part["name"]
    return f"[italic]{escape(path if name in ('', Path(path).stem) else f'{path}: {name}')}[/]"


def _advice(result: dict[str, Any]) -> list[str]:
    """What a user may try where a part is not sound."""
    if all(part["sound"] or part["repair"] for part in result.get("parts", [])):
        return []
    return [f"{result['file']}: exporters often leave such faults; --repair heals what it can and says what it did"]


def _table(result: dict[str, Any], part: dict[str, Any]) -> Any:
    from rich.markup import escape
    from rich.table import Table

    verdict = "[bold green]sound[/]" if part["sound"] else "[bold red]not a sound solid[/]"
    table = Table(show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in (("verdict", verdict), *_facts(result, part)):
        table.add_row(label, value)
    for problem in part["problems"]:
        colour = "red" if problem["severity"] == "error" else "yellow"
        table.add_row(f"[{colour}]{problem['kind']}[/]", escape(problem["message"]))
    return table


def _facts(result: dict[str, Any], part: dict[str, Any]) -> list[tuple[str, str]]:
    from rich.markup import escape

    edges = ", ".join(f"{n} {kind.replace('_', '-')}" for kind, n in part["edges"].items() if n)
    names = ", ".join(instance["name"] for instance in part["instances"])
    rows = [
        ("placed", f"{len(part['instances'])} times: {escape(names)}" if len(part["instances"]) > 1 else ""),
        ("size", " x ".join(_length(x) for x in part["size_m"]) + _unit(result)),
        ("volume", _volume(part["volume_m3"])),
        ("mass", _mass(part["mass_kg"], part["density_kg_m3"])),
        ("closed", "yes" if part["closed"] else "no"),
        ("genus", _genus(part["genus"])),
        ("shells", f"{part['shells']}, of which {part['cavities']} enclose cavities"),
        ("faces", f"{part['faces']} plane faces of {part['triangles']} triangles, {part['vertices']} vertices"),
        ("edges", edges),
        ("chord", _chord(result)),
        ("repair", "" if part["repair"] is None else part["repair"]["summary"]),
    ]
    return [(label, value) for label, value in rows if value]


def _unit(result: dict[str, Any]) -> str:
    stated = {"file": "the file states its unit", "assumed": "metres assumed"}
    return f"  ({stated.get(result['unit_from'], 'read in ' + result['unit'])})"


def _chord(result: dict[str, Any]) -> str:
    """The error of STEP tessellation, in a few words."""
    if result["chord_tolerance_m"] is None:
        return ""
    from ..geometry.units import length_text

    free = result["free_form_faces"]
    forms = f", {free} free-form face{'s' if free > 1 else ''} included" if free else ""
    asked = length_text(result["chord_tolerance_m"])
    return f"at most {length_text(result['chord_error_m'])}, measured over the file{forms} ({asked} asked for)"


def _genus(genus: int | None) -> str:
    if genus is None:
        return "unknown, the surface is open"
    return f"{genus}  (through holes)" if genus else "0"


def _length(metres: float) -> str:
    return f"{metres:.6g} m" if abs(metres) >= 1.0 else f"{1e3 * metres:.6g} mm"


def _volume(cubic_metres: float | None) -> str:
    if cubic_metres is None:
        return "unknown, the surface is open"
    return f"{cubic_metres:.6g} m^3" if abs(cubic_metres) >= 1e-3 else f"{1e6 * cubic_metres:.6g} cm^3"


def _mass(kilograms: float | None, density: float) -> str:
    if kilograms is None:
        return "unknown, the surface is open"
    amount = f"{kilograms:.6g} kg" if abs(kilograms) >= 1.0 else f"{1e3 * kilograms:.6g} g"
    return f"{amount}  (at {density:g} kg/m^3)"
