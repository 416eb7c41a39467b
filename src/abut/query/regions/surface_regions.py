"""Contact regions by the CAD surfaces on which they lie, however these were cut into triangles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...arrays import Floats
from ...geometry import Surface
from ...geometry.surfaces.surfaces import OTHER, PLANE, SPHERE
from ...geometry.units import plain
from ..features import Feature
from .region_part import face_surfaces

if TYPE_CHECKING:
    from .regions import Region


@dataclass(frozen=True, eq=False)
class SurfaceRegion:
    """All regions between one CAD surface of A and one of B."""

    surface_a: Surface | None
    """Of A, in its frame; None where no surface is known, or an edge or vertex touches at which surfaces meet."""
    surface_b: Surface | None
    """Of B."""
    index: tuple[int, int]
    """Rows of both in `part.surfaces`, -1 for none, -2 where surfaces meet."""
    regions: list[Region]
    """The facets, lines and points inside."""
    area: float
    """[m^2] of all facets that lie on each other."""
    length: float
    """[m] of all lines."""
    along: tuple[float, float]
    """[m] from where to where they reach along the axis of the round surface, from its point; of planes (0, 0)."""
    around: float
    """[rad] how much of the turn about the axis they cover, facet by facet; 2 pi for a shaft all around in its bore."""
    wrench: Floats | None = None
    """(6,) force [N] on B and its moment [N m] about `centre`, in a world; None for parts alone."""

    @property
    def centre(self) -> Floats:
        """(3,) [m] mean of the regions' centres, by area, length or number, whichever is the highest there is."""
        weight = np.array([(r.area, r.length, 1.0) for r in self.regions])
        chosen = weight[:, 0] if self.area else weight[:, 1] if self.length else weight[:, 2]
        return np.asarray(chosen @ np.array([r.centre for r in self.regions]) / chosen.sum())

    def __repr__(self) -> str:
        told = " / ".join(_told(s) for s in (self.surface_a, self.surface_b))
        size = f"{plain(1e6 * self.area, 4)} mm²" if self.area else f"{plain(1e3 * self.length, 4)} mm"
        return f"SurfaceRegion({told}, {len(self.regions)} regions, {size})"


def _told(surface: Surface | None) -> str:
    if surface is None:
        return "no surface"
    return f"{surface.kind} '{surface.name}'" if surface.name else surface.kind


def group_by_surface(regions: Any, owners: Sequence[tuple[int, ...]]) -> list[SurfaceRegion]:
    """Groups of the regions of two parts or of a world, whose `owners` are pairs of bodies; the largest area first."""
    groups: dict[tuple[Any, ...], list[Region]] = {}
    for region, owner in zip(regions, owners, strict=True):
        a, b = (_row(regions.shape_at(region.index, k), f) for k, f in enumerate((region.feature_a, region.feature_b)))
        # Where a surface is not known, each face stands for itself.
        key = owner, a, b, a if a >= 0 else region.feature_a, b if b >= 0 else region.feature_b
        groups.setdefault(key, []).append(region)
    found = [_joined(regions, (key[1], key[2]), members) for key, members in groups.items()]
    return sorted(found, key=lambda one: (-one.area, -one.length))


def _row(shape: Any, feature: Feature) -> int:
    """The CAD surface of a face, or inside which an edge or vertex lies; -1 where none is known, -2 where some meet."""
    of_face = face_surfaces(shape)
    if feature.kind == "face":
        return int(of_face[feature.index])
    around = shape.edges.faces if feature.kind == "edge" else shape.faces.of_vertex
    surfaces = np.unique(of_face[around[feature.index]])
    return int(surfaces[0]) if len(surfaces) == 1 else -2


def _joined(regions: Any, index: tuple[int, int], members: list[Region]) -> SurfaceRegion:
    first = members[0].index
    surfaces = [_surface(regions.shape_at(first, side), index[side]) for side in range(2)]
    along, around = (0.0, 0.0), 0.0
    for side, surface in enumerate(surfaces):
        if surface is not None and surface.kind not in (PLANE, OTHER, SPHERE):
            X = regions.pose_at(first, side).inverse()
            along, around = _extent([X.apply(r.points_a) - surface.point for r in members], np.asarray(surface.axis))
            break
    area, length = (sum(getattr(r, size) for r in members) for size in ("area", "length"))
    return SurfaceRegion(surfaces[0], surfaces[1], index, members, area, length, along, around)


def _surface(shape: Any, row: int) -> Surface | None:
    found: Surface | None = shape.surfaces[row] if row >= 0 else None
    return found


def _extent(points: list[Floats], axis: Floats) -> tuple[tuple[float, float], float]:
    """Along an axis and around it."""
    heights = np.concatenate([p @ axis for p in points])
    u = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    v = np.cross(axis, u)
    arcs = []
    for p in points:
        angle = np.arctan2(p @ v, p @ u)
        turned = (angle - angle[0] + np.pi) % (2.0 * np.pi) - np.pi
        arcs.append((angle[0] + turned.min(), float(np.ptp(turned))))
    return (float(heights.min()), float(heights.max())), _covered(arcs)


def _covered(arcs: list[tuple[float, float]]) -> float:
    """[rad] the union of arcs (start, width)."""
    pieces = sorted((start % (2.0 * np.pi), width) for start, width in arcs)
    total, end = 0.0, 0.0
    for start, width in pieces:
        total += max(0.0, start + width - max(start, end))
        end = max(end, start + width)
    return float(min(total, 2.0 * np.pi))
