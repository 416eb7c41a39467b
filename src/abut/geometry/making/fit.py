"""Tessellation for fits: holes whose polyhedra contain the true hole, shafts that lie within the true shaft.

Chords of a round hole cut into it, so that a shaft of the same diameter does not pass. Here every vertex is moved to
where it has a wanted height over each surface that it lies on, by the least way: 0 over planes and shafts, whose
chords then lie inside; over a hole as much outside it as makes the chords just touch the true hole. What a fit gains by
that is at most the two chord errors, and it is never lost.

A hole that runs into a plane without an edge, as the ends of a slot do, is a row of tangents that ends with the plane:
its vertices are first turned about its axis so that the row has room for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Floats, Ints, directions
from ..surfaces.known_surfaces import measured
from ..surfaces.surfaces import CONE, CYLINDER, HOLE, OTHER, PLANE, SPHERE, Surface, Surfaces

_ROUNDS = 4  # of Newton's method; the second is at rounding unless surfaces meet at a skew angle
_PARALLEL = 1e-6  # normals this near to each other count as one
_TANGENT = 1.0 - 1e-6  # cosine between the normals of surfaces that run into each other without an edge
_FITTED = (CYLINDER, CONE, SPHERE)


@dataclass(frozen=True)
class FitReport:
    """What fitting did."""

    fitted_surfaces: int
    """Holes: cylinders, cones and spheres with the material around them."""
    gain: float
    """[m] how far the triangles of holes lie at most inside the material: by so much may a hole be wider than drawn."""
    largest_move: float
    """[m] the longest way of a vertex; more than `gain` where the vertices of a slot were turned about its axis."""
    lost: float
    """[m] how far triangles still lie outside the true material, where surfaces do not let both be: 0 to rounding as a
    rule; more on concave tori and free forms, which are not fitted."""


@dataclass(frozen=True, eq=False)
class Touches:
    """Which vertex lies on which surface."""

    vertex: Ints
    surface: Ints


def fit_mesh(vertices: Floats, triangles: Ints, surfaces: Surfaces) -> tuple[Floats, Surfaces, FitReport]:
    """Moved vertices, the surfaces measured again, and a report."""
    touches = touches_of(triangles, surfaces.ids)
    snapped = _settled(vertices, triangles, surfaces, touches, np.zeros(len(touches.vertex)))
    moved = _fitted(snapped, triangles, surfaces, touches)
    again = _measured_again(moved, triangles, surfaces)
    holes = [s for s in again if s.sense == HOLE and s.kind in _FITTED]
    report = FitReport(
        fitted_surfaces=len(holes),
        gain=max((-s.deviation[0] for s in holes), default=0.0),
        largest_move=float(np.linalg.norm(moved - vertices, axis=1).max()),
        lost=again.deviation[1],
    )
    return moved, again, report


def touches_of(triangles: Ints, ids: Ints) -> Touches:
    """Every vertex with every surface that one of its triangles belongs to."""
    known = ids >= 0
    pairs = np.unique(np.stack((triangles[known].ravel(), np.repeat(ids[known], 3)), axis=1), axis=0)
    return Touches(pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32))


def _settled(vertices: Floats, triangles: Ints, surfaces: Surfaces, touches: Touches, wanted: Floats) -> Floats:
    """Vertices at the wanted heights over their surfaces, by Newton's method with the least moves."""
    for _ in range(_ROUNDS):
        normal, height = _normals_and_heights(vertices, triangles, surfaces, touches, wanted)
        vertices = vertices + least_moves(len(vertices), touches.vertex, normal, wanted - height)
    return vertices


def _normals_and_heights(
    vertices: Floats, triangles: Ints, surfaces: Surfaces, touches: Touches, wanted: Floats
) -> tuple[Floats, Floats]:
    """For each touch the normal of the surface there, and the height over it; free forms hold a vertex where it is."""
    normal, height = np.empty((len(wanted), 3)), wanted.copy()
    for i, surface in enumerate(surfaces):
        here = touches.surface == i
        points = vertices[touches.vertex[here]]
        if surface.kind == OTHER:
            normal[here] = mean_normals(vertices, triangles[surfaces.ids == i])[touches.vertex[here]]
        else:
            normal[here], height[here] = surface.normal(points), surface.height(points)
    return normal, height


def mean_normals(vertices: Floats, triangles: Ints) -> Floats:
    """(n, 3) for each vertex the mean direction of its triangles, weighted by area; zero without triangles."""
    areas = _areas(vertices[triangles])
    sums = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(sums, triangles[:, k], areas)
    return directions(sums)


def least_moves(n_vertex: int, vertex: Ints, normal: Floats, rise: Floats) -> Floats:
    """(n, 3) for each vertex the shortest move that rises by `rise` along each of its normals, by least squares."""
    moves = np.zeros((n_vertex, 3))
    start = np.searchsorted(vertex, np.arange(n_vertex))
    counts = np.bincount(vertex, minlength=n_vertex)
    for n in np.unique(counts[counts > 0]):
        chosen = np.flatnonzero(counts == n)
        rows = start[chosen][:, None] + np.arange(n)
        inverse = np.linalg.pinv(normal[rows], rcond=_PARALLEL)
        moves[chosen] = np.einsum("vij,vj->vi", inverse, rise[rows])
    return moves


def _widened(vertices: Floats, triangles: Ints, surfaces: Surfaces, touches: Touches) -> Floats:
    """Holes as wide as lets their chords just touch the true surface."""
    wanted = np.zeros(len(touches.vertex))
    for i, surface in enumerate(surfaces):
        if surface.sense == HOLE and surface.kind in _FITTED:
            here = touches.surface == i
            radius = _radius_at(surface, vertices[touches.vertex[here]])
            wanted[here] = radius * (1.0 - 1.0 / _shrinkage(surface, vertices, triangles[surfaces.ids == i]))
    return _settled(vertices, triangles, surfaces, touches, wanted)


def _radius_at(surface: Surface, points: Floats) -> Floats:
    """(n,) the radius of a round surface at points; of a cone, along its normal."""
    if surface.kind != CONE:
        return np.full(len(points), surface.radius)
    along = (points - surface.point) @ np.asarray(surface.axis)
    return np.asarray(np.abs(along) * np.sin(surface.half_angle))


def _shrinkage(surface: Surface, vertices: Floats, triangles: Ints) -> float:
    """How much nearer to the axis or centre the middle of a chord is than its ends, as a factor."""
    if surface.kind == SPHERE:
        corners = vertices[triangles] - surface.point
        return float(np.abs(np.einsum("ij,ij->i", directions(_areas(corners)), corners[:, 0])).min() / surface.radius)
    return float(np.cos(0.5 * _largest_step(surface, vertices, triangles)))


def _largest_step(surface: Surface, vertices: Floats, triangles: Ints) -> float:
    """[rad] the largest angle about the axis between the ends of a side."""
    sides = triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    a, b = (_radial(surface, vertices[ends]) for ends in sides.T)
    sine = np.linalg.norm(np.cross(a, b), axis=1)
    return float(np.arctan2(sine, np.einsum("ij,ij->i", a, b)).max())


def _radial(surface: Surface, points: Floats) -> Floats:
    axis = np.asarray(surface.axis)
    away = points - surface.point
    return np.asarray(away - np.outer(away @ axis, axis))


def _fitted(vertices: Floats, triangles: Ints, surfaces: Surfaces, touches: Touches) -> Floats:
    """Holes turned and widened; those whose turning would turn triangles over are only widened."""
    holes = surfaces.find(CYLINDER, sense=HOLE)
    while True:
        moved = _widened(_turned(vertices, triangles, surfaces, touches, holes), triangles, surfaces, touches)
        corners = triangles[_flipped(vertices, moved, triangles)]
        at_fault = np.unique(touches.surface[np.isin(touches.vertex, corners)])
        left = [hole for hole in holes if hole not in at_fault]
        if len(left) == len(holes):
            return moved
        holes = left


def _turned(vertices: Floats, triangles: Ints, surfaces: Surfaces, touches: Touches, holes: list[int]) -> Floats:
    """Vertices of holes that run into planes turned about the axis, so that the plane is the last of the tangents."""
    turned = vertices.copy()
    for i in holes:
        members = touches.vertex[touches.surface == i]
        ends = _tangent_vertices(vertices, surfaces, touches, i, members)
        if len(ends):
            step = _largest_step(surfaces[i], vertices, triangles[surfaces.ids == i])
            turned[members] = _spread(surfaces[i], vertices, members, ends, step)
    return turned


def _tangent_vertices(vertices: Floats, surfaces: Surfaces, touches: Touches, hole: int, members: Ints) -> Ints:
    """The vertices of a hole that also lie on a plane with the same normal."""
    found = []
    for j in surfaces.find(PLANE):
        common = np.intersect1d(members, touches.vertex[touches.surface == j])
        parallel = surfaces[hole].normal(vertices[common]) @ np.asarray(surfaces[j].axis) > _TANGENT
        found.append(common[parallel])
    return np.unique(np.concatenate(found)) if found else np.empty(0, np.int32)


def _spread(surface: Surface, vertices: Floats, members: Ints, ends: Ints, step: float) -> Floats:
    """The members of an arc drawn together, so that its tangent ends stand half a step away from the tangent points."""
    radial = _radial(surface, vertices[members])
    angle = _arc_angles(surface, radial)
    arc = float(angle.max())
    if arc > 2.0 * np.pi - 1.5 * step:
        return np.asarray(vertices[members])
    at_end = np.isin(members, ends)
    first, last = bool((angle[at_end] < 1e-6).any()), bool((angle[at_end] > arc - 1e-6).any())
    room = 0.5 * step / (1.0 + 0.5 * (first + last) * step / arc)
    change = room * first - angle * room * (first + last) / arc
    tangent = np.cross(np.asarray(surface.axis), radial)
    moved = np.cos(change)[:, None] * radial + np.sin(change)[:, None] * tangent
    return np.asarray(vertices[members] + moved - radial)


def _arc_angles(surface: Surface, radial: Floats) -> Floats:
    """(n,) angles about the axis, counted from the end of the largest gap between them."""
    x = radial[0] / np.linalg.norm(radial[0])
    y = np.cross(np.asarray(surface.axis), x)
    angle = np.mod(np.arctan2(radial @ y, radial @ x), 2.0 * np.pi)
    ordered = np.sort(angle)
    gaps = np.diff(np.append(ordered, ordered[0] + 2.0 * np.pi))
    start = ordered[(int(gaps.argmax()) + 1) % len(ordered)]
    turned = np.mod(angle - start, 2.0 * np.pi)
    return np.asarray(np.where(turned > 2.0 * np.pi - 1e-9, 0.0, turned))


def _flipped(before: Floats, after: Floats, triangles: Ints) -> Ints:
    """Triangles that were turned over."""
    old, new = (_areas(points[triangles]) for points in (before, after))
    return np.flatnonzero(np.einsum("ij,ij->i", old, new) <= 0.0).astype(np.int32)


def _areas(corners: Floats) -> Floats:
    """(m, 3) normals of triangles, twice as long as their area."""
    return np.asarray(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))


def _measured_again(vertices: Floats, triangles: Ints, surfaces: Surfaces) -> Surfaces:
    corners = vertices[triangles]
    table = [s if s.kind == OTHER else measured(s, corners[surfaces.ids == i]) for i, s in enumerate(surfaces)]
    return replace(surfaces, table=tuple(table))
