"""Contact regions in pictures: surfaces as patches with their outlines, lines, points, and the forces on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from ...arrays import Floats
from ...query import Feature, Region
from .marks import Arrow, Dot, Label, Mark, Patch, Path
from .palette import Colour

if TYPE_CHECKING:
    from ...dynamics.regions.world_regions import WorldRegion

# Arrows of forces that are shorter than this share of the longest are left out.
_SHORT = 0.05
_RING = 25
"""Points of the ring of a moment."""


def region_marks(
    regions: Sequence[Region],
    longest: float = 0.0,
    *,
    colour: Colour = "rust",
    normals: float = 0.0,
    words: bool = False,
) -> list[Mark]:
    """Marks for every region: a patch with its outline, a line or a dot.

    Regions of a world have an arrow of the force on B at the centre of pressure, up to `longest` [m] long, and a ring
    with a head around the moment about that point, where there is one. With
    `normals` [m] there is an arrow of that length along the normal at every hull point. With `words`, features have
    names.
    """
    marks: list[Mark] = []
    for region in regions:
        marks += _shape(region, colour)
        if normals > 0.0:
            marks += [Arrow(point, normals * region.normal, "blue", 3.0) for point in region.points_a]
        if words:
            marks.append(Label(region.centre, region_text(region)))
    return marks + _forces(regions, longest)


def region_text(region: Region) -> str:
    """What a region is, in a line: features of both sides and their bodies, size, and the force where there is one."""
    told = " on ".join(_side(region, side) for side in ("a", "b"))
    size = ("", f", {_plain(1e3 * region.length)} mm", f", {_plain(1e6 * region.area)} mm²")[region.dim]
    force = getattr(region, "force", None)
    return told + size + (f", {_plain(force)} N" if force is not None else "")


def _plain(value: float) -> str:
    """Three digits or more, without exponent."""
    return np.format_float_positional(value, precision=3, fractional=False, trim="-")


def feature_text(feature: Feature) -> str:
    """A feature by its number, and by its name where the file had one."""
    return f"{feature.kind} {feature.index}" + (f" '{feature.name}'" if feature.name else "")


def _side(region: Region, side: str) -> str:
    """One of the features, and whose it is, in a world."""
    body = getattr(region, f"body_{side}", None)
    return feature_text(getattr(region, f"feature_{side}")) + ("" if body is None else f" of {body.name}")


def _shape(region: Region, colour: Colour) -> list[Mark]:
    if region.dim == 0:
        return [Dot(region.centre, colour, 11.0)]
    if region.dim == 1:
        return [Path(region.points_a, colour, 5.0)]
    return [Patch(region.triangles, colour), *(Path(loop, colour, 2.5, closed=True) for loop in region.loops)]


def _forces(regions: Sequence[Region], longest: float) -> list[Mark]:
    """Arrows by the square root of forces: very different ones stay visible beside each other."""
    known = [cast("WorldRegion", region) for region in regions if hasattr(region, "wrench")]
    forces: Floats = np.array([region.wrench[:3] for region in known]).reshape(-1, 3)
    sizes = np.linalg.norm(forces, axis=1)
    largest = float(sizes.max(initial=0.0))
    marks: list[Mark] = []
    if largest == 0.0 or longest == 0.0:
        return marks
    for region, force, size in zip(known, forces, sizes.tolist(), strict=True):
        length = longest * float(np.sqrt(size / largest))
        if length > _SHORT * longest:
            marks.append(Arrow(region.centre_of_pressure, length / size * force, "ink", 5.0))
        marks += _moment(region, largest, longest)
    return marks


def _moment(region: WorldRegion, largest: float, longest: float) -> list[Mark]:
    """Three quarters of a ring around the moment on B about the centre of pressure, with a head; by its square root.

    As large a ring as half of the longest arrow stands for the largest force at a quarter of that arrow's length.
    """
    centre, wrench = region.centre_of_pressure, region.wrench
    moment = wrench[3:] - np.cross(centre - region.centre, wrench[:3])
    size = float(np.linalg.norm(moment))
    radius = longest * min(0.5, float(np.sqrt(size / (largest * longest))))
    if radius <= _SHORT * longest:
        return []
    axis = moment / size
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    angle = np.linspace(0.0, 1.5 * np.pi, _RING)[:, None]
    around = np.cross(axis, across)
    points = centre + radius * (np.cos(angle) * across + np.sin(angle) * around)
    return [Path(points, "plum", 4.0), Arrow(points[-1], 0.5 * radius * across, "plum", 4.0)]
