"""How good tetrahedra are for computing with: their angles, and how many lie through the thickness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints
from ...errors import AbutWarning
from .shape import EDGES, FACES, signed_volumes

LOST_VOLUME = 0.1
"""Share of a part's volume that a mesh may leave out unmentioned."""
FEW_CELLS = 3.0
"""Cells through the thickness below which bending is too stiff to go unmentioned."""
THIN_PLACES = 0.1
"""A tenth of the surface may lie at thinner places than the one that counts."""
MOST_RAYS = 100
_BENDING = ((1.0, 0.56), (2.0, 0.84), (3.0, 0.91), (4.0, 0.95), (6.0, 0.97), (8.0, 0.98))
"""Cells through the thickness, and the share of the deflection of a beam that such a mesh shows (measured)."""


class MeshWarning(AbutWarning):
    """A mesh that can be computed with, but bends noticeably more stiffly than the part."""


@dataclass(frozen=True, slots=True)
class Quality:
    """What `TetMesh.quality` finds."""

    smallest_dihedral: float
    """Smallest angle between two faces of a tetrahedron [rad]; 0.3 and more is good."""
    largest_dihedral: float
    """Largest one [rad]; 2.8 and less is good."""
    smallest_volume: float
    """Volume of the smallest tetrahedron over that of the mean one."""
    cells_through_thickness: float
    """How many cells lie through thin places, about; a cell is a cube of twelve tetrahedra."""
    worst: int
    """The tetrahedron with the smallest angle."""

    @property
    def expected_bending(self) -> float:
        """Share of a beam's deflection that linear tetrahedra of this number of cells show, about: 1 is exact."""
        cells, shares = zip(*_BENDING, strict=True)
        return float(np.interp(self.cells_through_thickness, cells, shares))

    @property
    def warning(self) -> str:
        """A sentence where fewer than 3 cells lie through the thickness; else empty."""
        if self.cells_through_thickness >= FEW_CELLS:
            return ""
        loss = 100.0 * (1.0 - self.expected_bending)
        return (
            f"only {self.cells_through_thickness:.1f} cells lie through the thickness: bending will come out about "
            f"{loss:.0f} % too small; a smaller cell (4 through the thickness lose 5 %) bends as the part does"
        )


def quality_of(nodes: Floats, tetrahedra: Ints, thickness: float) -> Quality:
    """Angles, sizes and cells through the thickness of a mesh."""
    angles, volumes = dihedral_angles(nodes, tetrahedra), signed_volumes(nodes, tetrahedra)
    smallest = angles.min(axis=1)
    worst = int(smallest.argmin())
    return Quality(
        float(smallest[worst]),
        float(angles.max()),
        float(volumes.min() / volumes.mean()),
        float(thickness / np.cbrt(12.0 * np.median(volumes))),  # a cell of the lattice holds twelve tetrahedra
        worst,
    )


def missing_material(volume: float, pieces: int, fit: str) -> str:
    """A sentence where a mesh holds less or more than its part, or falls apart; `volume` is over that of the part."""
    remedy = "use a smaller cell" + (", or fit='cage'" if fit == "stuffed" else "")
    if abs(volume - 1.0) > LOST_VOLUME:
        return (
            f"the tetrahedra hold {100.0 * volume:.0f} % of its volume: what is thinner than a cell is lost; {remedy}"
        )
    if pieces > 1:
        return f"the tetrahedra fall into {pieces} pieces, thin places between them are lost; {remedy}"
    return ""


def dihedral_angles(nodes: Floats, tetrahedra: Ints) -> Floats:
    """(n, 6) [rad] between each two faces of each tetrahedron."""
    corners = nodes[tetrahedra]
    normals = np.stack(
        [np.cross(corners[:, j] - corners[:, i], corners[:, k] - corners[:, i]) for i, j, k in FACES], axis=1
    )
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-300)
    cosines = np.stack([-(normals[:, i] * normals[:, j]).sum(axis=1) for i, j in EDGES], axis=1)
    return np.asarray(np.arccos(np.clip(cosines, -1.0, 1.0)))


def thickness_of(vertices: Floats, triangles: Ints) -> float:
    """How thick a closed surface is at its thin places [m]: straight inward from points all over it."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    share = (np.arange(MOST_RAYS) + 0.5) / MOST_RAYS
    chosen = np.searchsorted(np.cumsum(area), share * area.sum())
    # Points of a sequence that fills the unit square evenly, folded into a triangle.
    u, v = (
        np.modf(0.7548776662466927 * np.arange(1, MOST_RAYS + 1))[0],
        np.modf(0.5698402909980532 * np.arange(1, MOST_RAYS + 1))[0],
    )
    u, v = np.where(u + v > 1.0, 1.0 - u, u)[:, None], np.where(u + v > 1.0, 1.0 - v, v)[:, None]
    start = a[chosen] + u * (b - a)[chosen] + v * (c - a)[chosen]
    inward = -normal[chosen] / area[chosen, None]
    ways = [_way_through(p, d, a, b - a, c - a) for p, d in zip(start, inward, strict=True)]
    return float(np.quantile(ways, THIN_PLACES))


def _way_through(p: Floats, d: Floats, a: Floats, ab: Floats, ac: Floats) -> float:
    """Along the ray from p in direction d to the next triangle (Möller and Trumbore 1997)."""
    across = np.cross(d, ac)
    det = (ab * across).sum(axis=1)
    scale = np.where(np.abs(det) > 1e-300, det, np.inf)
    offset = p - a
    u = (offset * across).sum(axis=1) / scale
    turned = np.cross(offset, ab)
    v, t = (turned @ d) / scale, (turned * ac).sum(axis=1) / scale
    hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 1e-9 * np.abs(ab).max()) & np.isfinite(scale)
    return float(t[hit].min()) if hit.any() else float(np.ptp(a, axis=0).max())
