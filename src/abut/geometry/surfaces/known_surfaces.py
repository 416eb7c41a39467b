"""Surfaces of parts that abut makes itself: it knows what it cut into triangles."""

from __future__ import annotations

from dataclasses import replace
from math import atan2, hypot

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from .surfaces import CONE, CYLINDER, HOLE, PLANE, SHAFT, Surface, Surfaces

_NEAR = 1e-9  # of the part's size: a corner this near lies on the surface


def matched_surfaces(vertices: Floats, triangles: Ints, candidates: list[Surface]) -> Surfaces:
    """Each triangle with the nearest candidate that all its corners lie on and that faces the same way."""
    near = _NEAR * float(np.linalg.norm(np.ptp(vertices, axis=0)))
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    middle = corners.mean(axis=1)
    gaps = np.stack([np.abs(s.height(vertices))[triangles].max(axis=1) for s in candidates])
    facing = np.stack([(s.normal(middle) * normals).sum(axis=1) > 0.0 for s in candidates])
    gaps = np.where(facing, gaps, np.inf)
    ids = np.where(gaps.min(axis=0) <= near, gaps.argmin(axis=0), -1).astype(np.int32)
    used = np.unique(ids[ids >= 0])
    ids = np.where(ids >= 0, np.searchsorted(used, ids), -1).astype(np.int32)
    table = [measured(candidates[i], corners[ids == row]) for row, i in enumerate(used)]
    return Surfaces(tuple(table), ids)


def measured(surface: Surface, corners: Floats) -> Surface:
    """The surface with its deviation, which is largest at corners, or in the middle of triangles or their sides."""
    sides = 0.5 * (corners + np.roll(corners, 1, axis=1))
    points = np.concatenate((corners.reshape(-1, 3), sides.reshape(-1, 3), corners.mean(axis=1)))
    height = surface.height(points)
    return replace(surface, deviation=(float(height.min()), float(height.max())))


def box_surfaces(extents: Floats) -> list[Surface]:
    """The six planes of a box about the origin."""
    normals = [sign * row for row in np.eye(3) for sign in (-1.0, 1.0)]
    return [_plane(0.5 * np.abs(n) @ extents * n, n) for n in normals]


def revolved_surfaces(profile: ArrayLike) -> list[Surface]:
    """What the sides of a closed profile (n, 2) of (radius, z) sweep about z, whichever way round it runs."""
    points = np.asarray(profile, np.float64)
    after = np.roll(points, -1, axis=0)
    turn = 1.0 if float((points[:, 0] * after[:, 1] - points[:, 1] * after[:, 0]).sum()) > 0.0 else -1.0
    swept = [_swept(r0, z0, r1, z1, turn) for r0, z0, r1, z1 in np.hstack((points, after)).tolist()]
    return [surface for surface in swept if surface is not None]


def _swept(r0: float, z0: float, r1: float, z1: float, turn: float) -> Surface | None:
    length = hypot(r1 - r0, z1 - z0)
    if length == 0.0 or (r0 == 0.0 and r1 == 0.0):
        return None  # a point, or the axis itself
    outward, upward = turn * (z1 - z0) / length, turn * (r0 - r1) / length  # the normal out of the material
    if outward == 0.0:
        return _plane(np.array((0.0, 0.0, z0)), np.array((0.0, 0.0, np.sign(upward))))
    sense = SHAFT if outward > 0.0 else HOLE
    if r0 == r1:
        return Surface(CYLINDER, axis=(0.0, 0.0, 1.0), radius=r0, sense=sense)
    apex = z0 - r0 * (z1 - z0) / (r1 - r0)
    opening = 1.0 if (z1 - z0) / (r1 - r0) > 0.0 else -1.0
    half_angle = atan2(abs(r1 - r0), abs(z1 - z0))
    return Surface(CONE, (0.0, 0.0, apex), (0.0, 0.0, opening), half_angle=half_angle, sense=sense)


def _plane(point: Floats, normal: Floats) -> Surface:
    (x, y, z), (a, b, c) = point.tolist(), (normal + 0.0).tolist()
    return Surface(PLANE, (x, y, z), (a, b, c))
