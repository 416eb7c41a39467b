"""Contacts of pairs that struck each other, named by their features as those of other methods are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats
from ...contact.contact_kernels import CROSSING, EDGE_VERTEX, VERTEX_EDGE, VERTEX_VERTEX
from ...geometry import is_half_space, is_polyhedron
from ...math import Pose
from ...query import Feature
from ...query.features import SURFACE
from ...query.motion.feature_tables import Hulls
from ...query.motion.motion_candidate_kernels import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from ..bodies.body import BodySpec
from ..state import Model
from .sight_kernels import OF_CORNER, OF_FACE_OF_A, OF_FACE_OF_B

KINDS = {
    ("vertex", "face"): VERTEX_FACE,
    ("face", "vertex"): FACE_VERTEX,
    ("edge", "edge"): EDGE_EDGE,
    ("vertex", "edge"): VERTEX_EDGE,
    ("edge", "vertex"): EDGE_VERTEX,
    ("vertex", "vertex"): VERTEX_VERTEX,
}


class Struck(NamedTuple):
    """What of two bodies touched, and where."""

    features: tuple[Feature, Feature] = (SURFACE, SURFACE)
    point: Floats | None = None
    """(3,) in the world [m]; None for balls and half-spaces."""


def features_of(what: list[int], model: Model, pair: tuple[int, int]) -> tuple[Feature, Feature]:
    """Features of two bodies that touched, as sight_kernels tells them."""
    a, b = (int(model.shape_of[i]) for i in pair)
    kind, corner, face, *_ = what
    if kind == OF_CORNER:
        return _vertex(model, a, corner), SURFACE
    if kind == OF_FACE_OF_A:
        return _face_of_hull(model, a, face), _vertex_of_hull(model, b, corner)
    if kind == OF_FACE_OF_B:
        return _vertex_of_hull(model, a, corner), _face_of_hull(model, b, face)
    _, a0, a1, b0, b1 = what
    return _edge_of_hull(model, a, [a0, a1]), _edge_of_hull(model, b, [b0, b1])


def _vertex(model: Model, shape: int, point: int) -> Feature:
    """The vertex at a point of a shape; what is round has none."""
    exposed = model.table.shapes[shape]
    return SURFACE if exposed.radius > 0.0 else Feature("vertex", int(exposed.point_id[point]))


def _vertex_of_hull(model: Model, shape: int, corner: int) -> Feature:
    """The same at a corner of a hull."""
    place = Hulls(*model.table.hulls).corner[corner]
    return _vertex(model, shape, int(((model.table.shapes[shape].point - place) ** 2).sum(axis=1).argmin()))


def _face_of_hull(model: Model, shape: int, face: int) -> Feature:
    """The face of the solid whose plane is a face of a hull."""
    exposed, hulls = model.table.shapes[shape], Hulls(*model.table.hulls)
    normal = hulls.normal[hulls.start[shape, 1] + face, :3]
    k = int(((exposed.plane[:, :3] - normal) ** 2).sum(axis=1).argmin())
    return Feature("face", int(model.faces[shape][k]))


def _edge_of_hull(model: Model, shape: int, ends: list[int]) -> Feature:
    """The edge between two corners of a hull; of one that has vertices in between, the nearest part of it."""
    exposed, (first, last) = model.table.shapes[shape], Hulls(*model.table.hulls).corner[ends]
    if exposed.radius > 0.0:
        return SURFACE
    miss = [((exposed.segment - np.concatenate(way)) ** 2).sum(axis=1) for way in ((first, last), (last, first))]
    return Feature("edge", int(exposed.segment_id[np.minimum(*miss).argmin()]))


class Side(NamedTuple):
    """What of one body touches, as tables of features number it."""

    kind: str
    number: int
    spot: int
    """Triangle of a face."""


def name_of(model: Model, specs: tuple[BodySpec, ...], pose: Floats, pair: tuple[int, int], struck: Struck) -> Any:
    """Row of a contact's name without its label: bodies, kind, features, spot."""
    a, b = (
        _side(model, specs, pose, i, feature, struck.point) for i, feature in zip(pair, struck.features, strict=True)
    )
    if a.kind == "face" and b.kind != "vertex":
        # A flat touch: the corner nearest to its point stands for all of it.
        b = _nearest_vertex(model, specs, pose, pair[1], struck.point)
    elif b.kind == "face" and a.kind != "vertex":
        a = _nearest_vertex(model, specs, pose, pair[0], struck.point)
    kind = KINDS[a.kind, b.kind]
    spot = CROSSING if kind == EDGE_EDGE else max(a.spot, b.spot)
    return (*pair, kind, a.number, b.number, spot)


def _side(model: Model, specs: tuple[BodySpec, ...], pose: Floats, i: int, feature: Feature, point: Any) -> Side:
    shape: Any = specs[i].shape
    if is_half_space(shape):
        return Side("face", 0, 0)
    if not is_polyhedron(shape):
        return _nearest_vertex(model, specs, pose, i, point)
    table = model.table.shapes[model.shape_of[i]]
    if feature.kind == "face":
        return Side("face", 0, int(np.flatnonzero(shape.faces.of_triangle == feature.index)[0]))
    ids = table.point_id if feature.kind == "vertex" else table.segment_id
    found = np.flatnonzero(np.asarray(ids) == feature.index)
    return Side(feature.kind, int(found[0]), -1) if len(found) else _nearest_vertex(model, specs, pose, i, point)


def _nearest_vertex(model: Model, specs: tuple[BodySpec, ...], pose: Floats, i: int, point: Floats | None) -> Side:
    """The exposed vertex of a body that is nearest to a point of the world; a ball has one."""
    corners = model.table.shapes[model.shape_of[i]].point
    if point is None or len(corners) == 1:
        return Side("vertex", 0, -1)
    there = Pose(pose[i, :3], quat_wxyz=pose[i, 3:]).apply(corners)
    return Side("vertex", int(((there - point) ** 2).sum(axis=1).argmin()), -1)
