"""The parts of a world's bodies in one stack of tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...query.regions.region_part import region_part, stack_depth
from ...query.regions.region_tables import RegionPart
from ..bodies.body import BodySpec
from .layout_kernels import STARTS

_FLOATS = ("corners", "boxes", "normal", "offset", "face_box", "edge_normal", "point", "fan_normal")
_INTS = (
    "child", "vertex", "side", "duty", "face", "triangle_start", "triangle_item", "edge_face", "edge_end", "face_start",
    "face_item", "edge_start", "edge_item", "fan_start",
)  # fmt: skip
"""Tables of parts in the order in which `layout_kernels.part_of` looks for them."""


class PartStack(NamedTuple):
    """Parts as kernels take them; equal parts share one."""

    floats: Floats
    ints: Ints
    """Tables of `RegionPart`, each of one part after the other."""
    starts: Ints
    """(n_part + 1, STARTS) where each part begins."""
    margin: Floats
    """(n_part,) [m]."""
    shape: Ints
    """(n_body,) the part of each body."""
    centre: Floats
    """(n_body, 3) centre of mass in the part's frame [m]."""
    depth: int
    """Room for the search through any two trees."""


def stack_parts(specs: Sequence[BodySpec]) -> PartStack:
    """The parts of these bodies."""
    number: dict[int, int] = {}
    shapes: list[Any] = []
    for spec in specs:
        if id(spec.shape) not in number:
            number[id(spec.shape)] = len(shapes)
            shapes.append(spec.shape)
    parts = [region_part(shape) for shape in shapes]
    counts = np.array([_sizes(part) for part in parts], np.int64).reshape(-1, STARTS)
    starts = np.concatenate((np.zeros((1, STARTS), np.int64), np.cumsum(counts, axis=0))).astype(np.int32)
    return PartStack(
        floats=_joined(parts, _FLOATS, np.float64),
        ints=_joined(parts, _INTS, np.int32),
        starts=starts,
        margin=np.array([float(shape.margin) for shape in shapes]),
        shape=np.array([number[id(spec.shape)] for spec in specs], np.int32),
        centre=np.array([spec.centre for spec in specs]).reshape(-1, 3),
        depth=2 * max(stack_depth(shape) for shape in shapes),
    )


def _joined(parts: list[RegionPart], names: tuple[str, ...], kind: Any) -> Any:
    """One array of these tables of all parts."""
    return np.concatenate([getattr(part, name).ravel() for name in names for part in parts]).astype(kind)


def _sizes(part: RegionPart) -> tuple[int, ...]:
    """In the order of the columns of starts."""
    tables = (part.corners, part.child, part.normal, part.edge_end, part.point)
    items = (part.face_item, part.edge_item, part.fan_normal, part.triangle_item)
    return tuple(len(table) for table in (*tables, *items))
