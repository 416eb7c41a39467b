"""Where do points and segments lie: in a part, out of it, or on which of its vertices, edges and faces?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints, number, rows, vector
from ...errors import InputError, ShapeError
from ...geometry import EdgeKind, Shape, Solid
from ...math.pose import Pose, as_pose
from ..features import shape_of
from ..volumes.hierarchy import hierarchy_of
from .apart_kernels import few_near
from .brep_index import brep_index_of
from .brep_index_tables import Items, Spans
from .chosen_kernels import chosen_items, list_said
from .classification import Place, PointPlaces, SegmentPlaces, SegmentsPlaces
from .edge_kernels import edges_not_out
from .few_edges_kernels import say_edges
from .formulas import place_by_formula, signed_distances, spans_of_formula
from .place_kernels import name_points
from .sequence_kernels import place_stretches, put_sequences
from .span_kernels import find_spans

TOLERANCE = 1e-6
"""[m] default distance within which a point is on the surface."""
# Of the largest coordinate: distances that are less are rounding.
_LEAST = 1e-12
# So many triangles near another part are a few.
_FEW = 32
_NO_EDGES, _NO_POINTS = np.empty(0, np.int32), np.empty((0, 3))
_NO_ITEMS = Items(np.zeros(1, np.int32), np.zeros(0, np.int8), np.zeros(0, np.int32), np.zeros((0, 2)))


def classify_points(part: Any, points: ArrayLike, *, tolerance: float = TOLERANCE, pose: Any = None) -> PointPlaces:
    """Where each of (n, 3) points lies: in the part at `pose`, out of it, or on one of its features.

    A point is on a vertex within `tolerance` [m] of it, else on an edge within the tolerance of it, else on a face; of
    several the nearest. Diagonals inside flat faces are the face. In and out are exact. A sphere, capsule or
    half-space has one face, number 0.
    """
    shape = _classifiable(part, tolerance)
    local = _in_frame(rows("points", points, 3), pose)
    if not shape.polyhedral:
        heights = signed_distances(shape, local)
        place = np.where(heights < 0.0, Place.IN, Place.OUT)
        place[np.abs(heights) <= tolerance] = Place.FACE
        return PointPlaces(place.astype(np.int8), np.where(place == Place.FACE, 0, -1).astype(np.int32))
    place, index = np.empty(len(local), np.int8), np.empty(len(local), np.int32)
    name_points(tuple(brep_index_of(part)), local, float(tolerance), place, index)
    return PointPlaces(place, index)


def classify_segment(
    part: Any, p: ArrayLike, q: ArrayLike, *, tolerance: float = TOLERANCE, pose: Any = None
) -> SegmentPlaces:
    """What the segment from `p` to `q` runs through, in order: the classification of Bouma and Vaněček.

    Points and stretches alternate, as in `[(q1, out), out, (e1, p1), in, (f1, p2), out, (q2, out)]`. A stretch is in,
    out, or along an edge or face: within `tolerance` [m] of it, at an angle of sine 1e-3 at most, longer than two
    tolerances. Where what it runs through changes, there is a point on the lowest feature within the tolerance.
    """
    return classify_segments(part, vector("p", p)[None], vector("q", q)[None], tolerance=tolerance, pose=pose)[0]


def classify_segments(
    part: Any, starts: ArrayLike, ends: ArrayLike, *, tolerance: float = TOLERANCE, pose: Any = None
) -> SegmentsPlaces:
    """What each of n segments runs through, from (n, 3) `starts` to (n, 3) `ends`, as `classify_segment` says it."""
    shape = _classifiable(part, tolerance)
    p, q = rows("starts", starts, 3), rows("ends", ends, 3)
    if len(p) != len(q):
        raise ShapeError(f"ends: expected one for each of {len(p)} starts, got {len(q)}")
    points = _in_frame(np.stack((p, q), axis=1).reshape(-1, 3), pose)
    return SegmentsPlaces.of_items(p, q, _items_of(shape, points, _in_turn(len(p)), float(tolerance)))


def classify_edges(
    part: Any, other: Solid, X_part: Any = None, X_other: Any = None, *, tolerance: float = TOLERANCE
) -> tuple[Ints, SegmentsPlaces]:
    """What edges of `other` run through in `part`: the numbers of those that are not all out, and a sequence for each.

    Flat edges, which lie inside a face, are left out.
    """
    shape = _classifiable(part, tolerance)
    if not shape_of("other", other).polyhedral:
        raise InputError(f"other: expected a Solid, whose edges can be classified, got a {other.kind}")
    X_WP, X_WO = as_pose("X_part", X_part), as_pose("X_other", X_other)
    edges, tolerance = _sharp_edges(other), float(tolerance)
    n = len(edges.numbers)
    if not shape.polyhedral:
        points = (X_WP.inverse() @ X_WO).apply(other.mesh.vertices[edges.ends.ravel()])
        return _all_said(shape, other, edges, X_WO, (np.arange(n, dtype=np.int32), points), tolerance)
    near, given = _near_triangles(shape, other, edges, X_WP, X_WO, tolerance)
    if near is None:
        return _all_said(shape, other, edges, X_WO, _edges_not_out(other, given, tolerance), tolerance)
    if len(near) == 0:
        return _NO_EDGES, SegmentsPlaces.of_items(_NO_POINTS, _NO_POINTS, _NO_ITEMS)
    index, sharp, poses = given
    places, world, *items = say_edges(index, sharp, near, poses, tolerance)
    return edges.numbers[places], SegmentsPlaces.of_items(world[0::2], world[1::2], Items(*items))


def _all_said(
    shape: Any, other: Solid, edges: _SharpEdges, X_WO: Pose, segments: tuple[Ints, Floats], tolerance: float
) -> tuple[Ints, SegmentsPlaces]:
    """What many edges run through: their places in the list of sharp ones, and their ends in the frame of the shape."""
    found, points = segments
    items = tuple(_items_of(shape, points, _in_turn(len(found)), tolerance) if len(found) else _NO_ITEMS)
    said = np.empty(len(found), np.int32)
    said = said[: list_said(items, said)]
    said = said[np.argsort(found[said])]
    world = X_WO.apply(other.mesh.vertices[edges.ends[found[said]].ravel()])
    kept = Items(*chosen_items(items, said))
    return edges.numbers[found[said]], SegmentsPlaces.of_items(world[0::2], world[1::2], kept)


_Given = tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]
"""The index of a part; sharp edges of another one as `edges_not_out` takes them; poses of both."""


def _near_triangles(
    shape: Any, other: Solid, edges: _SharpEdges, X_WP: Pose, X_WO: Pose, tolerance: float
) -> tuple[Ints | None, _Given]:
    """Triangles of `other` near a part, if these are few and all other edges are out; and what kernels are given."""
    index, own, tree = tuple(brep_index_of(shape)), hierarchy_of(shape).tree, hierarchy_of(other).tree
    poses, trees = (X_WP.kernel_row, X_WO.kernel_row), [(each.child, each.boxes, each.corners) for each in (own, tree)]
    near = np.empty(_FEW, np.int32)
    m = few_near(index, *trees, edges.on_shells, poses, tolerance, own.depth + tree.depth + 2, near)
    given = (index, (other.edges.of_triangle, edges.place, edges.ends, other.mesh.vertices), poses)
    return (None if m < 0 else tree.order[near[:m]]), given


def _edges_not_out(other: Solid, given: _Given, tolerance: float) -> tuple[Ints, Floats]:
    """Places of edges that may not be out in the list of sharp ones, and their ends in the frame of the part."""
    (index, sharp, poses), tree = given, hierarchy_of(other).tree
    n, tables = len(sharp[2]), (tree.child, tree.boxes, tree.order)
    found, points = np.empty(n, np.int32), np.empty((2 * n, 3))
    n = edges_not_out(index, tables, sharp, poses, tolerance, tree.depth + 2, found, points)
    return found[:n], points[: 2 * n]


def check_tolerance(shape: Shape, tolerance: float) -> None:
    """Refuse a tolerance that would make all of a part its surface, or that is less than rounding."""
    number("tolerance", tolerance, above=0.0)
    least, below = _tolerances(shape)
    if tolerance >= below:
        raise InputError(
            f"tolerance: {tolerance:g} m is not less than half of what the part measures across ({2 * below:g} m), so "
            "that none of it would be inside; give a smaller one"
        )
    if tolerance < least:
        raise InputError(
            f"tolerance: {tolerance:g} m is less than rounding of the part's coordinates; give at least {least:.2g} m"
        )


def _tolerances(shape: Shape) -> tuple[float, float]:
    """[m] the least tolerance, and what it must be below."""
    try:
        limits: tuple[float, float] = shape.__dict__["_tolerances"]
    except KeyError:
        low, high = shape.bounds
        least = _LEAST * float(np.abs(shape.bounds).max()) if shape.bounded else 0.0
        limits = shape.__dict__["_tolerances"] = least, 0.5 * float((high - low).min())
    return limits


def _classifiable(part: Any, tolerance: float) -> Any:
    """The shape, with its index if it has one, after the tolerance was looked at."""
    shape = shape_of("part", part)
    if shape.polyhedral:
        brep_index_of(part)
    check_tolerance(shape, tolerance)
    return shape


def _in_frame(points: Floats, pose: Any) -> Floats:
    return points if pose is None else as_pose("pose", pose).inverse().apply(points)


class _SharpEdges(NamedTuple):
    """The edges of a part that are not flat."""

    numbers: Ints
    """(n,) which edges they are."""
    ends: Ints
    """(n, 2) vertices."""
    place: Ints
    """(n_edge,) place of each edge among them; -1 of flat ones."""
    on_shells: Floats
    """(n_shell, 3) [m] a point of each shell."""


def _sharp_edges(solid: Solid) -> _SharpEdges:
    try:
        found: _SharpEdges = solid.__dict__["_sharp_edges"]
    except KeyError:
        numbers = np.flatnonzero(solid.edges.kind != EdgeKind.FLAT).astype(np.int32)
        place = np.full(len(solid.edges), -1, np.int32)
        place[numbers] = np.arange(len(numbers))
        _, first = np.unique(solid.shells.of_triangle, return_index=True)
        points = solid.mesh.vertices[solid.mesh.triangles[first, 0]]
        found = solid.__dict__["_sharp_edges"] = _SharpEdges(numbers, solid.edges.vertices[numbers], place, points)
    return found


def _in_turn(n: int) -> Ints:
    """(n, 2) points 2 i and 2 i + 1 of segment i."""
    return np.arange(2 * n, dtype=np.int32).reshape(-1, 2)


def _items_of(shape: Any, points: Floats, pairs: Ints, tolerance: float) -> Items:
    """Sequences of the segments between pairs of points in the frame of a shape."""
    if shape.polyhedral:
        index, first = tuple(brep_index_of(shape)), np.empty(len(pairs) + 1, np.int32)
        spans = Spans(*find_spans(index, points, pairs, tolerance, first))
        items = _sequences(spans, first, points, pairs, tolerance)
        place_stretches(index, points, pairs, tuple(items))
        return items
    starts, ends = points[pairs[:, 0]], points[pairs[:, 1]]
    spans, first = spans_of_formula(shape, starts, ends, tolerance)
    items = _sequences(spans, first, points, pairs, tolerance)
    place_by_formula(shape, starts, ends, items)
    return items


def _sequences(spans: Spans, first: Ints, points: Floats, pairs: Ints, tolerance: float) -> Items:
    # Each span adds two cuts, and each piece between cuts at most one point and one stretch.
    room = 5 * len(pairs) + 4 * int(first[-1])
    kind, index, part = np.empty(room, np.int8), np.empty(room, np.int32), np.empty((room, 2))
    items = Items(np.empty(len(pairs) + 1, np.int32), kind, index, part)
    n = put_sequences(tuple(spans), first, points, pairs, tolerance, tuple(items))
    return Items(items.first, kind[:n], index[:n], part[:n])
