"""What of a shape can touch another one first: vertices and edges that stick out, and all faces.

Edges between triangles in one plane are no features; edges in a groove, vertices without another edge and those between
edges that rise are reached only after their neighbours. Leaving them out halves the work. It must not let anything
pass: in one plane means but for rounding, whatever the tolerance of a solid's faces (geometry.facets), so that the
lowest ridge of a fine tessellation is a feature, and what is checked holds for any gap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ..._jit import LANES
from ...arrays import Floats, Ints
from ...geometry import MESH, PLANE, POINT, SEGMENT, Capsule, Facets, HalfSpace, Shape, Solid, Sphere
from . import cell_grid_kernels, peak_kernels
from .motion_check_kernels import BLOCK

_CELLS_ALONG_AXIS, _CODES = 1024.0, 65534.0
"""Of a grid at most, and into how many steps it divides lengths: codes have 16 bits."""
_FIRST_CELL, _COARSER = 0.1, 1.3
"""In sizes of elements: the cells that are tried first, and by which factor others are larger."""
_CELLS_AN_ELEMENT, _FEW_CELLS = 2.5, 64
"""How many cells, and entries in cells, there may be for each element, and in any case."""
OUT_OF_PLANE = 2.0**-48
"""Of its farthest coordinate: how far a corner may be from the plane of its triangle."""


@dataclass(frozen=True, eq=False)
class CellGrid:
    """Cells that list the elements near them; see cell_grid_kernels."""

    bounds: Floats
    """(1, 6) lowest and highest coordinates of all elements."""
    frame: Floats
    """(8,) origin, cells per length, number of cells along the axes, codes per length."""
    start: Ints
    """(n_cell + 2,) where each cell's groups begin, and those of all elements."""
    items: Ints
    """(n_group, 19) elements of all cells, then all elements, -1 where a group is not full; and which of them begin."""
    codes: NDArray[np.int16]
    """(n_group, 6, 16) their boxes."""
    elements: Floats
    """(n, 6) bounds of the elements themselves."""

    @property
    def arrays(self) -> tuple[Floats, Ints, Ints, NDArray[np.int16]]:
        """Grid of feature_tables as a plain tuple."""
        return self.frame, self.start, self.items, self.codes


@dataclass(frozen=True, eq=False)
class Blocks:
    """Balls around runs of up to BLOCK features that lie next to each other."""

    centre: Floats
    """(n_block, 3)."""
    radius: Floats
    """(n_block,)."""


@dataclass(frozen=True, eq=False)
class ExposedFeatures:
    """Vertices, edges and triangles of one shape in spatial order, in the shape's own frame."""

    point: Floats
    """(n_point, 3) ends of the edges that can touch first; the centre of a ball, or of the caps of a capsule."""
    peaks: int
    """How many of them, the first ones, can touch first; of the others, edges are touched before (peak_kernels)."""
    point_id: Ints
    """(n_point,) their vertex in the solid."""
    point_blocks: Blocks
    segment: Floats
    """(n_segment, 6) both ends of the edges that can touch first."""
    segment_id: Ints
    """(n_segment,) their edge in the solid."""
    segment_blocks: Blocks
    segment_grid: CellGrid
    corner: Floats
    """(n_triangle, 9) the three corners of each triangle."""
    plane: Floats
    """(n_triangle, 4) unit normal and offset; zero for a triangle without area, or too thin to tell its plane."""
    triangle_id: Ints
    """(n_triangle,) their triangle in the solid."""
    triangle_grid: CellGrid
    half_space: Floats
    """(n, 4) unit normal and offset of the plane of a half-space; n is 1 for a half-space, else 0."""
    radius: float
    """[m] how far the shape reaches beyond its points and edges: the radius of a ball or a capsule, else 0."""
    size: float
    """[m] typical length of an edge."""
    ball: Floats
    """(4,) centre and radius of a ball around all points; no radius is large enough for a half-space."""

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """ExposedShape of feature_tables as plain tuples."""
        edges, triangles = self.segment_grid, self.triangle_grid
        return (
            (self.point[: self.peaks], self.point_blocks.centre, self.point_blocks.radius),
            (self.segment, self.segment_blocks.centre, self.segment_blocks.radius),
            (edges.bounds, edges.arrays, edges.elements, self.segment, self.plane[:0]),
            (triangles.bounds, triangles.arrays, triangles.elements, self.corner, self.plane),
            self.half_space,
            self.radius,
            self.size,
        )


_ORIGIN = np.zeros(3)
_NO_PLANE = np.zeros((0, 4))
_known: WeakKeyDictionary[Solid, dict[bytes, ExposedFeatures]] = WeakKeyDictionary()


def exposed_features(shape: Shape) -> ExposedFeatures:
    """Features of a shape in its own frame."""
    return exposed_features_about(shape, _ORIGIN)


def exposed_features_about(shape: Shape, origin: Floats) -> ExposedFeatures:
    """Features of a shape in a frame of the same axes whose origin lies at `origin` of the shape's own frame.

    They are made once for each solid and origin.
    """
    return _MAKERS[shape.core](shape, origin)


def _of_known_solid(solid: Solid, origin: Floats) -> ExposedFeatures:
    by_origin = _known.setdefault(solid, {})
    key = origin.tobytes()
    if key not in by_origin:
        by_origin[key] = _of_solid(solid, origin)
    return by_origin[key]


def _of_solid(solid: Solid, origin: Floats) -> ExposedFeatures:
    vertices, triangles, edges = solid.mesh.vertices - origin, solid.mesh.triangles, solid.edges
    facets = Facets.of(solid, 0.0)
    leading = facets.leading(solid)
    sharp = np.flatnonzero(leading).astype(np.int32)
    exposed = np.unique(edges.vertices[sharp]).astype(np.int32)
    segment = vertices[edges.vertices[sharp]].reshape(-1, 6)
    corner = vertices[triangles].reshape(-1, 9)
    length = float(np.median(np.linalg.norm(segment[:, 3:] - segment[:, :3], axis=1)))
    grooves = edges.vertices[~leading & ~facets.inner]
    points = vertices[exposed], exposed, _peaks(vertices, edges.vertices[sharp], grooves, exposed)
    return _assemble(points, (segment, sharp), corner, _NO_PLANE, 0.0, length)


def _peaks(vertices: Floats, leading: Ints, grooves: Ints, exposed: Ints) -> NDArray[np.bool_]:
    """Which of the exposed vertices can touch first; only those with an edge in a groove have to be looked at.

    `leading` and `grooves` are (n, 2) ends of edges.
    """
    ends = np.concatenate((leading, grooves))
    begin, end = np.concatenate((ends, ends[:, ::-1])).T
    order = np.argsort(begin, kind="stable")
    start = np.searchsorted(begin[order], np.arange(len(vertices) + 1))
    concave = np.isin(exposed, grooves)
    peak = np.ones(len(exposed), np.bool_)
    among = np.empty(np.count_nonzero(concave), np.bool_)
    peak_kernels.find_peaks(vertices, exposed[concave], start, end[order].astype(np.int32), among)
    peak[concave] = among
    return peak


def _of_sphere(sphere: Sphere, origin: Floats) -> ExposedFeatures:
    """One vertex with a radius; the triangle shrunk to that point is what other spheres meet."""
    centre = -origin[None]
    edges = np.zeros((0, 6)), np.zeros(0, np.int32)
    return _assemble(
        (centre, _zero(), np.ones(1, np.bool_)), edges, np.tile(centre, 3), _NO_PLANE, sphere.radius, sphere.radius
    )


def _of_capsule(capsule: Capsule, origin: Floats) -> ExposedFeatures:
    """An edge and its ends with a radius; the triangle shrunk to that edge is what vertices meet."""
    ends = capsule.ends - origin
    points = ends, np.arange(2, dtype=np.int32), np.ones(2, np.bool_)
    corner = ends[[0, 1, 1]].reshape(1, 9)
    size = max(capsule.radius, capsule.length)
    return _assemble(points, (ends.reshape(1, 6), _zero()), corner, _NO_PLANE, capsule.radius, size)


def _of_half_space(half_space: HalfSpace, origin: Floats) -> ExposedFeatures:
    """No features but a plane."""
    plane = np.append(half_space.normal, half_space.offset - half_space.normal @ origin)[None]
    points = np.zeros((0, 3)), np.zeros(0, np.int32), np.zeros(0, np.bool_)
    edges = np.zeros((0, 6)), np.zeros(0, np.int32)
    return _assemble(points, edges, np.zeros((0, 9)), plane, 0.0, 1.0)


_MAKERS: dict[str, Callable[[Any, Floats], ExposedFeatures]] = {
    POINT: _of_sphere,
    SEGMENT: _of_capsule,
    MESH: _of_known_solid,
    PLANE: _of_half_space,
}
"""By the core of a shape."""


def _zero() -> Ints:
    return np.zeros(1, np.int32)


def _assemble(
    points: tuple[Floats, Ints, NDArray[np.bool_]],
    segments: tuple[Floats, Ints],
    corner: Floats,
    half_space: Floats,
    radius: float,
    size: float,
) -> ExposedFeatures:
    (point, point_id, peak), (segment, segment_id) = points, segments
    point_order, segment_order, corner_order = (_spatial_order(table) for table in (point, segment, corner))
    point_order = np.concatenate((point_order[peak[point_order]], point_order[~peak[point_order]]))
    point, segment, corner = point[point_order], segment[segment_order], corner[corner_order]
    peaks = int(np.count_nonzero(peak))
    return ExposedFeatures(
        point=point,
        point_id=point_id[point_order],
        peaks=peaks,
        point_blocks=_blocks(point[:peaks]),
        segment=segment,
        segment_id=segment_id[segment_order],
        segment_blocks=_blocks(segment),
        segment_grid=_build_grid(_boxes(segment)),
        corner=corner,
        plane=_planes(corner),
        triangle_id=corner_order,
        triangle_grid=_build_grid(_boxes(corner)),
        half_space=half_space,
        radius=radius,
        size=size,
        ball=_ball(point),
    )


def _ball(point: Floats) -> Floats:
    if len(point) == 0:
        return np.array([0.0, 0.0, 0.0, np.inf])
    centre = 0.5 * (point.min(axis=0) + point.max(axis=0))
    return np.append(centre, np.linalg.norm(point - centre, axis=1).max())


def _boxes(elements: Floats) -> Floats:
    """(n, 6) bounds of (n, 3 k) elements of k points."""
    points = elements.reshape(len(elements), elements.shape[1] // 3, 3)
    return np.concatenate((points.min(axis=1), points.max(axis=1)), axis=1)


def _spatial_order(elements: Floats) -> Ints:
    """Order in which elements that are near in space are near in the list."""
    boxes = _boxes(elements)
    key = np.empty(len(boxes), np.int64)
    if len(boxes):
        extent = float((boxes[:, 3:].max(axis=0) - boxes[:, :3].min(axis=0)).max())
        cell_grid_kernels.spatial_order(boxes, _frame(boxes, extent / _CELLS_ALONG_AXIS), key)
    return np.argsort(key, kind="stable").astype(np.int32)


def _build_grid(boxes: Floats) -> CellGrid:
    """Cells as small as can be without more cells and entries than a few for each element.

    Looking through 16 elements costs as much as through one, but tables that do not fit into the cache cost more.
    """
    bounds = np.zeros((1, 6))
    if len(boxes) == 0:
        return CellGrid(bounds, np.array([0, 0, 0, 1.0, 1, 1, 1, 1.0]), np.zeros(3, np.int32), *_groups(0), boxes)
    cell_grid_kernels.bounds_of_boxes(boxes, bounds)
    cell = _FIRST_CELL * float(np.median((boxes[:, 3:] - boxes[:, :3]).max(axis=1)))
    frame = _frame(boxes, cell)
    most = _CELLS_AN_ELEMENT * len(boxes) + _FEW_CELLS
    while max(frame[4:7].prod(), cell_grid_kernels.count_entries(boxes, frame)) > most:
        frame = _frame(boxes, _COARSER / frame[3])
    n_cell = int(frame[4:7].prod()) + 1
    count, start = np.empty(n_cell, np.int32), np.empty(n_cell + 1, np.int32)
    cell_grid_kernels.count_groups(boxes, frame, count, start)
    items, codes = _groups(int(start[-1]))
    cell_grid_kernels.fill_cells(boxes, frame, start, count, items, codes)
    return CellGrid(bounds, frame, start, items, codes, boxes)


def _groups(n: int) -> tuple[Ints, NDArray[np.int16]]:
    """Room for the elements and the boxes of n groups."""
    return np.empty((n, LANES + 3), np.int32), np.empty((n, 6, LANES), np.int16)


def _frame(boxes: Floats, cell: float) -> Floats:
    low, high = boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)
    extent = float((high - low).max())
    cell = max(cell, extent / _CELLS_ALONG_AXIS) or 1.0  # a single point has no extent: any cell will do
    cells, codes = np.floor((high - low) / cell) + 1.0, _CODES / (extent or 1.0)
    return np.concatenate((low, [1.0 / cell], cells, [codes]))


def _blocks(elements: Floats) -> Blocks:
    points = elements.reshape(len(elements), elements.shape[1] // 3, 3)
    runs = [points[i : i + BLOCK].reshape(-1, 3) for i in range(0, len(points), BLOCK)]
    centre = np.array([0.5 * (run.min(axis=0) + run.max(axis=0)) for run in runs]).reshape(-1, 3)
    radius = np.array([np.linalg.norm(run - c, axis=1).max() for run, c in zip(runs, centre, strict=True)])
    return Blocks(centre, radius.reshape(-1))


def _planes(corner: Floats) -> Floats:
    a, b, c = corner[:, :3], corner[:, 3:6], corner[:, 6:]
    normal = np.cross(b - a, c - a)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.where(length > 0.0, length, 1.0)
    # The normal of a sliver is rounded so much that its plane misses its corners, and would show what is not so.
    offset = [np.einsum("ij,ij->i", normal, x) for x in (a, b, c)]
    off = np.abs(np.subtract(offset[1:], offset[0])).max(axis=0) > OUT_OF_PLANE * np.abs(corner).max(
        axis=1, initial=0.0
    )
    return np.where(off[:, None], 0.0, np.column_stack((normal, offset[0])))
