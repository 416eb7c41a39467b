"""Parts and where they stand, in the forms in which users have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np

from ...arrays import Floats
from ...errors import InputError
from ...geometry import PlacedPart, Shape, Solid, is_polyhedron
from ...math.pose import Pose, as_pose
from ..features import shape_of
from ..volumes.hierarchy import hierarchy_of
from ..volumes.obb_kernels import CENTRE, HALF, SIZE


def as_parts(name: str, parts: Any, *, any_shape: bool = False) -> list[PlacedPart]:
    """Placed parts with names that differ, from placed parts, solids, (name, solid, pose), or a mapping of names.

    With `any_shape`, a shape that is no polyhedron may stand in the place of a solid.
    """
    if isinstance(parts, Mapping):
        parts = [(key, *(value if isinstance(value, tuple) else (value,))) for key, value in parts.items()]
    if isinstance(parts, (Shape, PlacedPart, str, bytes)) or not isinstance(parts, Iterable):
        raise InputError(f"{name}: expected a list of parts, as load_assembly returns, got {type(parts).__name__}")
    check = _shape if any_shape else _solid
    placed = [_as_part(f"{name}[{i}]", i, part, check) for i, part in enumerate(parts)]
    if not placed:
        raise InputError(f"{name}: expected parts, got none")
    return _told_apart(placed)


def _as_part(name: str, i: int, part: Any, check: Callable[[str, Any], Any]) -> PlacedPart:
    if isinstance(part, PlacedPart):
        check(name, part.solid)
        return part
    if isinstance(part, Shape):
        return PlacedPart(getattr(part, "name", "") or f"part_{i + 1}", check(name, part), Pose())
    if isinstance(part, tuple) and 2 <= len(part) <= 3 and isinstance(part[0], str):
        return PlacedPart(part[0], check(name, part[1]), as_pose(f"{name}: pose", part[2] if len(part) == 3 else None))
    raise InputError(f"{name}: expected a PlacedPart, a Solid or (name, solid, pose), got {type(part).__name__}")


def _shape(name: str, shape: Any) -> Any:
    return _solid(name, shape) if shape_of(name, shape).polyhedral else shape


def _solid(name: str, solid: Any) -> Solid:
    if not (isinstance(solid, Shape) and is_polyhedron(solid)):
        raise InputError(f"{name}: expected a Solid, got {type(solid).__name__}")
    if not solid:
        raise InputError(f"{name}: {solid.label} is empty; leave it out")
    return solid


def _told_apart(parts: list[PlacedPart]) -> list[PlacedPart]:
    """The same parts; those that share a name are numbered."""
    taken = {part.name for part in parts}
    seen: set[str] = set()
    result = []
    for part in parts:
        name, k = part.name, 2
        while name in seen:
            name = f"{part.name}_{k}"
            k += 1
            if name in taken:
                name = part.name
        seen.add(name)
        result.append(part if name == part.name else PlacedPart(name, part.solid, part.pose, part.colour))
    return result


def world_boxes(parts: list[PlacedPart]) -> tuple[Floats, Floats]:
    """(n, 3) bounds of boxes around the parts where they stand, along the axes of the world."""
    low, high = np.full((len(parts), 3), -np.inf), np.full((len(parts), 3), np.inf)
    solids = [i for i, part in enumerate(parts) if part.solid.polyhedral]
    if solids:
        low[solids], high[solids] = _boxes_of_solids([parts[i] for i in solids])
    for i in set(range(len(parts))).difference(solids):
        if parts[i].solid.bounded:
            corners = np.array([*product(*np.transpose(parts[i].solid.bounds))])
            placed = parts[i].pose.apply(corners)
            low[i], high[i] = placed.min(axis=0), placed.max(axis=0)
    return low, high


def _boxes_of_solids(parts: list[PlacedPart]) -> tuple[Floats, Floats]:
    """They hold the oriented box of each part: a little wide, and soon known."""
    rows = np.stack([hierarchy_of(part.solid).tree.boxes[0] for part in parts])
    turns = np.stack([part.pose.rotation for part in parts])
    places = np.stack([part.pose.position for part in parts])
    centre = np.einsum("nij,nj->ni", turns, rows[:, CENTRE:HALF]) + places
    axes = np.einsum("nij,nkj->nik", turns, rows[:, :CENTRE].reshape(-1, 3, 3))
    half = np.einsum("nik,nk->ni", np.abs(axes), rows[:, HALF:SIZE])
    half += 1e-14 * (np.abs(centre) + np.abs(places) + half)
    return centre - half, centre + half


def near_pairs(low: Floats, high: Floats, reach: float) -> list[tuple[int, int]]:
    """Pairs i < j of boxes that are no more than `reach` [m] apart."""
    order = np.argsort(low[:, 0], kind="stable")
    found = []
    for k, i in enumerate(order):
        after = order[k + 1 :]
        after = after[: np.searchsorted(low[after, 0], high[i, 0] + reach, side="right")]
        gap = np.maximum(np.maximum(low[after] - high[i], low[i] - high[after]), 0.0)
        found += [(min(i, j), max(i, j)) for j in after[(gap**2).sum(axis=1) <= reach * reach].tolist()]
    return sorted((int(i), int(j)) for i, j in found)
