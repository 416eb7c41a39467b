"""`abut distance`: how far apart are two parts, and between which features?"""

from __future__ import annotations

import json as json_format
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError

if TYPE_CHECKING:
    from ..math import Pose
    from ..query import Distance, Feature


def distance(
    a: Annotated[Path, typer.Argument(metavar="A", help="File of the first part, which stays as drawn.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="File of the second part.")],
    pose: Annotated[
        str, typer.Option(help="Pose of B, in metres: 'x y z', or 'x y z qw qx qy qz'.", show_default="as drawn")
    ] = "0 0 0",
    unit: Annotated[
        str | None, typer.Option(help="Unit of the files' numbers: m, mm, cm, um, in or ft.", show_default=False)
    ] = None,
    budget_ms: Annotated[
        float | None, typer.Option(help="Stop after this time and print bounds.", show_default=False)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Distance of two parts with the closest points and the features they lie on; 0 where the parts meet.

    Exit code 0: apart. 1: the parts meet. 2: a file or an option cannot be used.
    """
    X = _as_pose(pose)
    from ..arrays import number

    if budget_ms is not None:
        number("--budget-ms", budget_ms, least=0.0)
    from ..geometry import Solid
    from ..query import distance as measure

    parts = [Solid.load(path, unit=unit, merge=True) for path in (a, b)]
    found = measure(parts[0], parts[1], None, X, budget_ms=budget_ms)
    described = {"a": str(a), "b": str(b), **_describe(found)}
    typer.echo(json_format.dumps(described, indent=2, allow_nan=False) if json else _sentences(found))
    return 1 if found.upper == 0.0 else 0


def _as_pose(text: str) -> Pose:
    from ..math import Pose

    try:
        numbers = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if len(numbers) not in (3, 7) or not all(map(isfinite, numbers)):
        raise InputError(f"--pose: expected 'x y z' or 'x y z qw qx qy qz', got {text!r}")
    try:
        return Pose(numbers[:3], quat_wxyz=numbers[3:] or (1.0, 0.0, 0.0, 0.0))
    except InputError as error:
        raise InputError(f"--pose: {error}") from error


def _describe(found: Distance) -> dict[str, Any]:
    return {
        "distance_m": found.distance,
        "lower_m": found.lower,
        "upper_m": found.upper,
        "exact": found.exact,
        "point_a_m": found.point_a.tolist(),
        "point_b_m": found.point_b.tolist(),
        "feature_a": {"kind": found.feature_a.kind, "index": found.feature_a.index},
        "feature_b": {"kind": found.feature_b.kind, "index": found.feature_b.index},
    }


def _sentences(found: Distance) -> str:
    if not found.exact:
        return f"between {_millimetres(found.lower)} and {_millimetres(found.upper)} (the budget is used up)"
    if found.upper > 0.0:
        places = zip("AB", (found.point_a, found.point_b), (found.feature_a, found.feature_b), strict=True)
        return "\n".join([f"{_millimetres(found.distance)} apart", *(_place(*place) for place in places)])
    if "inside" in (found.feature_a.kind, found.feature_b.kind):
        return "B lies inside A" if found.feature_a.kind == "inside" else "A lies inside B"
    return f"the parts meet, at {_point(found.point_a)}"


def _place(name: str, point: Any, feature: Feature) -> str:
    return f"  {name}: {feature.kind} {feature.index} at {_point(point)}"


def _point(point: Any) -> str:
    return "(" + ", ".join(f"{round(1e3 * x, 9) + 0.0:.6g}" for x in point) + ") mm"  # rounded: no 1e-16, no -0


def _millimetres(length: float) -> str:
    return f"{1e3 * length:.9g} mm"
