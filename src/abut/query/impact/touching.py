"""Where and with which features two parts touch at one moment."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import TINY, Floats
from ...geometry import EdgeKind, Shape, Solid, is_half_space, is_polyhedron
from ...geometry.triangles.triangle_kernels import closest_point_triangle, closest_segment_segment
from ...math.pose import Pose
from ..distance.distance import distance
from ..distance.triangle_pair_kernels import closest_points
from ..features import SURFACE, Feature, are_polyhedra, feature_of
from ..motion.motion_candidate_kernels import FACE_VERTEX, VERTEX_FACE

# Of the coordinates' size: points that are closer give no direction but rounding.
_INDISTINCT = 1e-13
_LEAST_SINE = 1e-6
"""Between two edges that have a direction across both."""
_OPPOSITE = 1e-9
"""Directions out of two parts whose difference is shorter say nothing: they point the same way."""


class _Standing(NamedTuple):
    """Two shapes and where they stand."""

    a: Any
    b: Any
    X_a: Pose
    X_b: Pose


class Touch(NamedTuple):
    """Closest points of two parts, the direction from A to B, and the features on which the points lie."""

    distance: float
    """[m]."""
    point_a: Floats
    point_b: Floats
    """(3,) [m] in the world."""
    normal: Floats
    """(3,) unit vector from A to B."""
    feature_a: Feature
    feature_b: Feature


def touch_of_triangles(a: Solid, b: Solid, X_a: Pose, X_b: Pose, i: int, j: int) -> Touch:
    """Two triangles."""
    A, B = _corners(a, X_a, i), _corners(b, X_b, j)
    p, q, region_a, region_b = closest_points(A, B)
    features = feature_of(a, i, int(region_a)), feature_of(b, j, int(region_b))
    return _touch(_Standing(a, b, X_a, X_b), (p, q), features)


def touch_of_hit(a: Solid, b: Solid, X_a: Pose, X_b: Pose, kind: int, i: int, j: int, indistinct: float = 0.0) -> Touch:
    """A vertex and a triangle, a triangle and a vertex, or two edges.

    Points closer than `indistinct` [m] give no direction, as those of parts that are in each other by as much.
    """
    standing = _Standing(a, b, X_a, X_b)
    if kind == VERTEX_FACE:
        p = _tuple(X_a.apply(a.vertices[i]))
        q, region = closest_point_triangle(p, *_corners(b, X_b, j))
        return _touch(standing, (p, q), (Feature("vertex", i), feature_of(b, j, int(region))), indistinct)
    if kind == FACE_VERTEX:
        q = _tuple(X_b.apply(b.vertices[j]))
        p, region = closest_point_triangle(q, *_corners(a, X_a, i))
        return _touch(standing, (p, q), (feature_of(a, i, int(region)), Feature("vertex", j)), indistinct)
    p, q, s, t = closest_segment_segment(*_edge(a, X_a, i), *_edge(b, X_b, j))
    return _touch(standing, (p, q), (_on_edge(a, i, float(s)), _on_edge(b, j, float(t))), indistinct)


def features_of_hit(a: Shape, b: Shape, X_a: Pose, X_b: Pose, kind: int, i: int, j: int) -> tuple[Feature, Feature]:
    """The features of such a hit, where either may also be a shape that is no polyhedron."""
    if kind == VERTEX_FACE:
        return _point_feature(a, i), _surface_feature(b, X_b, j, _vertices(a, X_a, [i])[0])
    if kind == FACE_VERTEX:
        return _surface_feature(a, X_a, i, _vertices(b, X_b, [j])[0]), _point_feature(b, j)
    e, f = _edge(a, X_a, i), _edge(b, X_b, j)
    _, _, s, t = closest_segment_segment(*e, *f)
    return _edge_feature(a, i, float(s)), _edge_feature(b, j, float(t))


def _vertices(shape: Any, X: Pose, numbers: Any) -> Floats:
    """Vertices of a solid, or ends of the core of another shape, in the world."""
    return np.asarray(X.apply((shape.vertices if shape.polyhedral else shape.ends)[numbers]))


def _edge(shape: Any, X: Pose, i: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    ends = _vertices(shape, X, shape.edges.vertices[i] if shape.polyhedral else [0, 1])
    return _tuple(ends[0]), _tuple(ends[1])


def _point_feature(shape: Shape, i: int) -> Feature:
    return Feature("vertex", i) if shape.polyhedral else SURFACE


def _edge_feature(shape: Shape, i: int, s: float) -> Feature:
    return _on_edge(shape, i, s) if is_polyhedron(shape) else SURFACE


def _surface_feature(shape: Shape, X: Pose, triangle: int, point: Floats) -> Feature:
    """What of a surface is closest to a vertex or to the centre of a ball."""
    if not is_polyhedron(shape):
        return SURFACE
    _, region = closest_point_triangle(_tuple(point), *_corners(shape, X, triangle))
    return feature_of(shape, triangle, int(region))


def touch_of_shapes(a: Shape, b: Shape, X_a: Pose, X_b: Pose, indistinct: float = 0.0) -> Touch:
    """Whatever is closest."""
    found = distance(a, b, X_a, X_b)
    features = found.feature_a, found.feature_b
    return _touch(_Standing(a, b, X_a, X_b), (found.point_a, found.point_b), features, indistinct)


def _touch(
    standing: _Standing, points: tuple[object, object], features: tuple[Feature, Feature], indistinct: float = 0.0
) -> Touch:
    point_a, point_b = (np.array(point, float) for point in points)
    way = point_b - point_a
    length = float(np.linalg.norm(way))
    X_a, X_b = standing.X_a, standing.X_b
    rounding = _INDISTINCT * float(np.abs(point_a).max() + np.abs(X_a.position).max() + np.abs(X_b.position).max())
    if length > max(indistinct, rounding):
        return Touch(length, point_a, point_b, way / length, *features)
    return Touch(length, point_a, point_b, _normal(standing, point_a, *features), *features)


def _normal(standing: _Standing, point: Floats, feature_a: Feature, feature_b: Feature) -> Floats:
    """Direction from A to B at a common point: across the face or the two edges that meet there."""
    a, b, X_a, X_b = standing
    outward_a, outward_b = _outward(a, X_a, point, feature_a), _outward(b, X_b, point, feature_b)
    if feature_a.kind == "face":
        return outward_a
    if feature_b.kind == "face":
        return -outward_b
    mean = outward_a - outward_b
    if feature_a.kind == feature_b.kind == "edge" and are_polyhedra(a, b):
        across = np.cross(_direction(a, X_a, feature_a.index), _direction(b, X_b, feature_b.index))
        if np.linalg.norm(across) > _LEAST_SINE:
            mean = across if across @ mean >= 0.0 else -across
    length = float(np.linalg.norm(mean))
    return mean / length if length > _OPPOSITE else outward_a


def _outward(shape: Any, X: Pose, point: Floats, feature: Feature) -> Floats:
    """Unit vector out of the material at a feature."""
    if is_half_space(shape):
        return np.asarray(X.rotation @ shape.normal)
    if not shape.polyhedral:
        way = point - X.apply(shape.nearest_of_core(X.inverse().apply(point[None])))[0]
        return np.asarray(way / max(float(np.linalg.norm(way)), TINY))
    if feature.kind == "face":
        return np.asarray(X.rotation @ shape.faces.normal[feature.index])
    if feature.kind == "edge":
        faces = shape.edges.faces[feature.index]
    else:
        faces = np.unique(shape.faces.of_triangle[(shape.triangles == feature.index).any(axis=1)])
    mean = shape.faces.normal[faces[faces >= 0]].sum(axis=0)
    return np.asarray(X.rotation @ (mean / max(float(np.linalg.norm(mean)), TINY)))


def _direction(solid: Solid, X: Pose, edge: int) -> Floats:
    ends = solid.vertices[solid.edges.vertices[edge]]
    return np.asarray(X.rotation @ ((ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])))


def _on_edge(solid: Solid, edge: int, s: float) -> Feature:
    """The edge, or the vertex at its end; a ridge in a face that counts as flat is the face."""
    if 0.0 < s < 1.0:
        flat = solid.edges.kind[edge] == EdgeKind.FLAT
        return Feature("face", int(solid.edges.faces[edge, 0])) if flat else Feature("edge", edge)
    return Feature("vertex", int(solid.edges.vertices[edge][int(s)]))


def _corners(solid: Solid, X: Pose, triangle: int) -> tuple[tuple[float, ...], ...]:
    return tuple(_tuple(corner) for corner in X.apply(solid.vertices[solid.triangles[triangle]]))


def _tuple(v: Floats) -> tuple[float, ...]:
    return tuple(v.tolist())
