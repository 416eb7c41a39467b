"""Parts with surfaces moved into their material: all triangles of a surface alike, and closed as before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ...arrays import Floats, Ints
from ..solid import Solid
from ..surfaces.surfaces import CONE, CYLINDER, OTHER, PLANE, SPHERE, TORUS, Surface, Surfaces
from .fit import least_moves, mean_normals, touches_of


def with_all_surfaces(solid: Solid) -> Solid:
    """The part with each flat face that belongs to no known surface as a plane of its own."""
    ids = solid.surfaces.ids
    unknown = ids < 0
    if not unknown.any():
        return solid
    faces, first = np.unique(solid.faces.of_triangle[unknown], return_index=True)
    start = solid.mesh.vertices[solid.mesh.triangles[unknown][first, 0]]
    planes = [
        Surface(PLANE, (p[0], p[1], p[2]), (n[0], n[1], n[2]))
        for p, n in zip(start.tolist(), solid.faces.normal[faces].tolist(), strict=True)
    ]
    every = ids.copy()
    every[unknown] = len(solid.surfaces) + np.searchsorted(faces, solid.faces.of_triangle[unknown])
    return _copy(solid, solid.mesh.vertices, Surfaces((*solid.surfaces.table, *planes), every.astype(np.int32)))


def inset_solid(solid: Solid, insets: Mapping[int, float]) -> Solid:
    """The part with surfaces moved into the material, by row in `solid.surfaces`, [m] each.

    Every vertex takes the shortest way that moves it as far as wanted along the normals of all surfaces it lies on.
    """
    surfaces, vertices, triangles = solid.surfaces, solid.mesh.vertices, solid.mesh.triangles
    touches = touches_of(triangles, surfaces.ids)
    normal, rise = np.empty((len(touches.vertex), 3)), np.zeros(len(touches.vertex))
    for row, surface in enumerate(surfaces):
        here = touches.surface == row
        normal[here] = _normals(surface, vertices, triangles[surfaces.ids == row], touches.vertex[here])
        rise[here] = -insets.get(row, 0.0)
    moved = vertices + least_moves(len(vertices), touches.vertex, normal, rise)
    table = tuple(shifted(surface, insets.get(row, 0.0)) for row, surface in enumerate(surfaces))
    return _copy(solid, moved, Surfaces(table, surfaces.ids))


def _normals(surface: Surface, vertices: Floats, triangles: Ints, chosen: Ints) -> Floats:
    if surface.kind == OTHER:
        return np.asarray(mean_normals(vertices, triangles)[chosen])
    return surface.normal(vertices[chosen])


def shifted(surface: Surface, inset: float) -> Surface:
    """The true surface, moved into the material; a free form is described by its deviation only, and stays."""
    if surface.kind == PLANE:
        x, y, z = (np.asarray(surface.point) - inset * np.asarray(surface.axis)).tolist()
        return replace(surface, point=(x, y, z))
    if surface.kind in (CYLINDER, SPHERE):
        return replace(surface, radius=surface.radius - surface.side * inset)
    if surface.kind == TORUS:
        return replace(surface, minor_radius=surface.minor_radius - surface.side * inset)
    if surface.kind == CONE:
        way = surface.side * inset / np.sin(surface.half_angle)
        x, y, z = (np.asarray(surface.point) + way * np.asarray(surface.axis)).tolist()
        return replace(surface, point=(x, y, z))
    return surface


def _copy(solid: Solid, vertices: Floats, surfaces: Surfaces) -> Solid:
    """The part with other vertices and surfaces."""
    part = Solid(vertices, solid.mesh.triangles, name=solid.name, tolerance=solid.tolerance)
    return part._with(surfaces=surfaces, colour=solid.colour, origin=solid.origin)
