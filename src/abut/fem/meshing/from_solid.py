"""Tetrahedra that fill a part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints, number, option
from ...errors import InputError
from ...geometry import Solid
from ...geometry.solid import is_polyhedron
from ...query.containment.containment import places_of, require_closed
from ...query.containment.containment_kernels import INSIDE, ON_SURFACE
from ...query.features import shape_of
from ...query.volumes.hierarchy import hierarchy_of
from ..elastic.pattern import elimination_order
from .embedding import nearest_tetrahedra
from .lattice import Lattice, body_centred_lattice
from .lattice_kernels import surface_distances
from .stuffing import stuff
from .wild import wild_tetrahedra

ON_THE_SURFACE = 1e-6
"""Lattice points nearer than this to the surface, in cells, lie on it."""
LEAST_FILL = 0.02
"""Tetrahedra of a cage that hardly hold any material are given this much of it, so that their nodes are held."""
MOST_CELLS = 2_000_000
SAMPLES = 6
"""Rows of points in a tetrahedron by which its fill is counted: 56 points."""


def mesh_solid(part: Solid, cell: float, fit: str) -> tuple[Floats, Ints, Floats]:
    """Nodes [m], tetrahedra and their fill."""
    if not is_polyhedron(shape_of("part", part)):
        raise InputError(f"part: expected a Solid, got {type(part).__name__}; Solid.sphere makes a ball of triangles")
    require_closed(part)
    size = number("cell", cell, above=0.0)
    option("fit", fit, "stuffed", "cage", "wild")
    _require_thickness(part, size)
    if fit == "wild":
        nodes, tetrahedra = wild_tetrahedra(part, size)
        return _in_order(nodes, tetrahedra, np.ones(len(tetrahedra)))
    lattice = body_centred_lattice(part.bounds, size)
    depth = _depths(part, lattice.points, ON_THE_SURFACE * float(lattice.cell.min()))
    if fit == "cage":
        nodes, tetrahedra, fill = _cage(part, lattice, depth)
    else:
        nodes, tetrahedra = _stuffed(part, lattice, depth, size)
        fill = np.ones(len(tetrahedra))
    return _in_order(nodes, tetrahedra, fill)


def _require_thickness(part: Solid, cell: float) -> None:
    thinnest = float(part.extents.min())
    if thinnest < 0.5 * cell:
        raise InputError(
            f"cell: {cell:g} m is too large for {part.label}, which is {thinnest:.3g} m thin; use "
            f"{thinnest / 4.0:.2g} m for good bending, {thinnest:.2g} m at most"
        )
    cells = float(np.prod(np.maximum(1.0, part.extents / cell)))
    if cells > MOST_CELLS:
        raise InputError(
            f"cell: {cell:g} m would divide {part.label} into {cells:.2g} cells, more than {MOST_CELLS:,}; use "
            f"{cell * (cells / MOST_CELLS) ** (1 / 3):.2g} m or more"
        )


def _depths(part: Solid, points: Floats, tolerance: float) -> Floats:
    """How far each point lies below the surface [m]; negative outside, 0 nearer to it than the tolerance."""
    tree, distance = hierarchy_of(part), np.empty(len(points))
    surface_distances(points, *tree.tables, tree.depth, distance)
    place = places_of(part, points)
    near = (place == ON_SURFACE) | (distance <= tolerance)
    return np.where(near, 0.0, np.where(place == INSIDE, distance, -distance))


def _stuffed(part: Solid, lattice: Lattice, depth: Floats, cell: float) -> tuple[Floats, Ints]:
    nodes, tetrahedra = stuff(lattice, depth, lambda points: _depths(part, points, 0.0))
    if len(tetrahedra) == 0:
        raise InputError(
            f"cell: {cell:g} m is too large for {part.label}: no tetrahedron fits into it; use a smaller cell, or "
            "fit='cage'"
        )
    return nodes, tetrahedra


def _cage(part: Solid, lattice: Lattice, depth: Floats) -> tuple[Floats, Ints, Floats]:
    """Whole tetrahedra that hold some of the part, and how much."""
    cells = lattice.tetrahedra
    deepest, shallowest = depth[cells].max(axis=1), depth[cells].min(axis=1)
    longest = float(lattice.cell.max())
    fill = np.where(shallowest > 0.0, 1.0, 0.0)
    doubtful = np.flatnonzero((shallowest < longest) & (deepest > -longest))
    fill[doubtful] = _fill(part, lattice, doubtful)
    kept = fill > 0.0
    kept[_holding_rest(lattice, kept, part.vertices)] = True
    return lattice.points, np.ascontiguousarray(cells[kept]), np.maximum(fill[kept], LEAST_FILL)


def _fill(part: Solid, lattice: Lattice, chosen: NDArray[np.int64]) -> Floats:
    """How much of each chosen tetrahedron lies inside the part, by sample points."""
    k = np.stack(np.meshgrid(*(np.arange(SAMPLES),) * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    weights = (k[k.sum(axis=1) == SAMPLES - 1] + 0.25) / SAMPLES
    points = np.einsum("sk,ekd->esd", weights, lattice.points[lattice.tetrahedra[chosen]])
    tolerance = ON_THE_SURFACE * float(lattice.cell.min())
    depth = _depths(part, np.ascontiguousarray(points.reshape(-1, 3)), tolerance)
    inside = 0.5 + 0.5 * np.sign(depth)  # a sample on the surface is half inside
    return np.asarray(inside.reshape(len(chosen), -1).mean(axis=1))


def _holding_rest(lattice: Lattice, kept: NDArray[np.bool_], points: Floats) -> Ints:
    """Tetrahedra of the lattice that hold those of the points that are in none that is kept."""
    table = np.array(points)
    own, weight = nearest_tetrahedra(lattice.points, np.ascontiguousarray(lattice.tetrahedra[kept]), table)
    left = table[(own < 0) | (weight.min(axis=1) < -ON_THE_SURFACE)]
    return np.unique(nearest_tetrahedra(lattice.points, lattice.tetrahedra, left)[0])


def _in_order(nodes: Floats, tetrahedra: Ints, fill: Floats) -> tuple[Floats, Ints, Floats]:
    """Without nodes that belong to nothing; neighbours stand next to each other in memory."""
    used, corner = np.unique(tetrahedra, return_inverse=True)
    cells, points = np.ascontiguousarray(corner.reshape(-1, 4), np.int32), nodes[used]
    order = elimination_order(cells, len(points), direct=False)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    cells = place[cells]
    by_first = np.lexsort(np.sort(cells, axis=1).T[::-1])
    return np.ascontiguousarray(points[order]), np.ascontiguousarray(cells[by_first]), fill[by_first]
