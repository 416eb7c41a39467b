"""Shapes as the search for contact regions takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arrays import Floats, Ints
from ...geometry import MESH, POINT, SEGMENT, EdgeKind, Shape, Solid
from ...geometry.topology.csr import Csr
from ..volumes.hierarchy import hierarchy_of
from ..volumes.obb_kernels import WIDTH
from .region_tables import RegionPart

_ENDLESS = np.array([[-np.inf] * 3 + [np.inf] * 3])
"""A box (1, 6) around everything."""


def region_part(shape: Any) -> RegionPart:
    """The tables of a shape, made when they are first asked for and kept with it; of a half-space, new ones."""
    if not shape.bounded:
        return _of_plane(shape)
    found: RegionPart | None = shape.__dict__.get("_region_part")
    if found is None:
        found = shape.__dict__["_region_part"] = _MAKERS[shape.core](shape)
    return found


def stack_depth(shape: Any) -> int:
    """How many nodes of its tree may wait."""
    return hierarchy_of(shape).depth if shape.polyhedral else 2


def _of_solid(solid: Solid) -> RegionPart:
    tree, edges, faces, fans = hierarchy_of(solid).tree, solid.edges, solid.faces, solid.fans
    convex = edges.kind == EdgeKind.CONVEX
    side, vertex = np.where(convex[edges.of_triangle], edges.of_triangle, -1), solid.mesh.triangles
    ends = edges.vertices[convex]
    edge_start, edge_item = _lists(ends.ravel(), np.repeat(np.flatnonzero(convex), 2), len(solid.mesh.vertices))
    can_touch = np.diff(edge_start) > 0
    duty = _first_of(vertex, can_touch) + 8 * _first_of(side, convex)
    duty += 64 * _bits(can_touch[vertex]) + 512 * _bits(side >= 0)
    triangles, triangle_box = Csr.inverse_of(_rows(faces.of_triangle, tree.order), len(faces)), _boxes(tree.corners)
    return RegionPart(
        corners=tree.corners,
        child=tree.child,
        boxes=tree.boxes,
        vertex=_rows(vertex, tree.order),
        side=_rows(side, tree.order),
        duty=_rows(duty, tree.order),
        face=_rows(faces.of_triangle, tree.order),
        normal=faces.normal,
        offset=faces.offset,
        triangle_start=triangles.start,
        triangle_item=triangles.items,
        face_box=_face_boxes(triangle_box, triangles),
        triangle_box=triangle_box,
        edge_face=edges.faces,
        edge_end=edges.vertices,
        edge_normal=edges.normal,
        point=solid.mesh.vertices,
        face_start=faces.of_vertex.start,
        face_item=faces.of_vertex.items,
        edge_start=edge_start,
        edge_item=edge_item,
        fan_start=fans.of_vertex.start,
        fan_normal=np.ascontiguousarray(fans.normal[fans.of_vertex.items]),
    )


def _boxes(corners: Floats) -> Floats:
    """(n_triangle, 6) lowest and highest coordinates of triangles."""
    points = corners.reshape(-1, 3, 3)
    return np.concatenate((points.min(axis=1), points.max(axis=1)), axis=1)


def _face_boxes(triangle_box: Floats, triangles: Csr) -> Floats:
    """(n_face, 6) those of faces."""
    boxes, first = triangle_box[triangles.items], triangles.start[:-1]
    low, high = np.minimum.reduceat(boxes[:, :3], first), np.maximum.reduceat(boxes[:, 3:], first)
    return np.concatenate((low, high), axis=1)


def _rows(table: Any, order: Ints) -> Ints:
    return np.ascontiguousarray(table[order], np.int32)


def _first_of(name: Ints, chosen: Any) -> Ints:
    """(n,) bits of the columns in which a triangle names a chosen feature that no triangle before it does."""
    duty = np.zeros(name.shape, np.int32)
    wanted, first = np.unique(name, return_index=True)
    first = first[(wanted >= 0) & chosen[wanted]]
    duty.ravel()[first] = 1
    return _bits(duty)


def _bits(columns: Any) -> Ints:
    """(n,) one number for three columns of 0 and 1."""
    return np.asarray(columns @ np.array([1, 2, 4], np.int32), np.int32)


def _lists(owner: Ints, item: Ints, n: int) -> tuple[Ints, Ints]:
    order = np.argsort(owner, kind="stable")
    start = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=n))))
    return start.astype(np.int32), np.ascontiguousarray(item[order], np.int32)


def _of_plane(plane: Any) -> RegionPart:
    """One triangle, which is placed under the other part."""
    normal, offset = plane.normal.reshape(1, 3).copy(), np.array([plane.offset])
    return _single(np.zeros((1, 9)), [-1, -1, -1], -1, 0, 0, np.zeros((0, 3)), normal, offset)


def _of_point(_ball: Any) -> RegionPart:
    return _single(np.zeros((1, 9)), [0, 0, 0], -1, 1, -1, np.zeros((1, 3)), np.zeros((0, 3)), np.zeros(0))


def _of_segment(capsule: Any) -> RegionPart:
    low, high = ends = capsule.ends
    return _single(np.array([[*low, *high, *high]]), [0, 1, 1], 0, 11, -1, ends, np.zeros((0, 3)), np.zeros(0))


def _single(
    corners: Floats, vertex: list[int], edge: int, duty: int, face: int, point: Floats, normal: Floats, offset: Floats
) -> RegionPart:
    """A part of one triangle, which may be a point or a segment."""
    box, n_edge, n = np.zeros((1, WIDTH)), edge + 1, len(point)
    box[0, [0, 4, 8]] = 1.0
    box[0, 14] = 0.5 * float(np.abs(corners[:, 2] - corners[:, 5]).max())
    none = np.zeros(n + 1, np.int32)
    per_vertex = np.arange(n + 1, dtype=np.int32) * n_edge
    return RegionPart(
        corners=corners,
        child=np.array([-1], np.int32),
        boxes=box,
        vertex=np.array([vertex], np.int32),
        side=np.array([[edge, -1, -1]], np.int32),
        duty=np.array([65 * duty], np.int32),
        face=np.array([face], np.int32),
        normal=normal,
        offset=offset,
        triangle_start=np.arange(len(normal) + 1, dtype=np.int32),
        triangle_item=np.zeros(len(normal), np.int32),
        face_box=np.repeat(_ENDLESS, len(normal), axis=0),
        triangle_box=_boxes(corners) if len(point) else _ENDLESS.copy(),
        edge_face=np.full((n_edge, 2), -1, np.int32),
        edge_end=np.arange(2 * n_edge, dtype=np.int32).reshape(n_edge, 2),
        edge_normal=np.zeros((n_edge, 3)),
        point=np.ascontiguousarray(point),
        face_start=none,
        face_item=np.zeros(0, np.int32),
        edge_start=per_vertex,
        edge_item=np.zeros(n * n_edge, np.int32),
        fan_start=none,
        fan_normal=np.zeros((0, 3)),
    )


_MAKERS: dict[str, Callable[[Any], RegionPart]] = {
    POINT: _of_point,
    SEGMENT: _of_segment,
    MESH: _of_solid,
}
"""By the core of a shape."""


def face_names(shape: Shape) -> list[str]:
    """What the file calls each face; "" where it says nothing."""
    known: list[str] | None = shape.__dict__.get("_face_names")
    if known is None:
        names = [surface.name for surface in getattr(shape, "surfaces", ())]
        known = [names[row] if row >= 0 else "" for row in face_surfaces(shape).tolist()]
        shape.__dict__["_face_names"] = known
    return known


def face_surfaces(shape: Any) -> Ints:
    """(n_face,) the CAD surface to which each face belongs, -1 where none is known."""
    if not shape.polyhedral:
        return np.full(1, -1, np.int32)
    known: Ints | None = shape.__dict__.get("_face_surfaces")
    if known is None:
        triangles = shape.faces.triangles
        first = triangles.items[triangles.start[:-1]]
        known = shape.__dict__["_face_surfaces"] = shape.surfaces.ids[first]
    return known
