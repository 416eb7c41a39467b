"""Marks on a picture: dots, arrows, paths and patches in the scene, and words beside them.

Their thickness is given in pixels. A mark behind a part shines through it faintly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints, blocks, number, rows, vector
from ...errors import InputError
from .camera import Camera
from .item import Facets, corner_normals, unit_ball
from .palette import Colour, srgb

_ROUND = 16
"""Sides of an arrow's shaft."""


@dataclass(frozen=True, eq=False)
class Dot:
    """A point, drawn as a small ball."""

    position: ArrayLike
    """(3,) [m] in the world."""
    colour: Colour = "rust"
    width: float = 9.0
    """Diameter [pixels]."""


@dataclass(frozen=True, eq=False)
class Arrow:
    """An arrow from `start` to `start + vector`, as for a normal or a force."""

    start: ArrayLike
    """(3,) [m] in the world."""
    vector: ArrayLike
    """(3,) [m] in the world."""
    colour: Colour = "rust"
    width: float = 4.0
    """Thickness of the shaft [pixels]."""


@dataclass(frozen=True, eq=False)
class Path:
    """A line through points, as for a trajectory or the outline of a contact region."""

    points: ArrayLike
    """(n, 3) [m] in the world."""
    colour: Colour = "blue"
    width: float = 3.0
    """[pixels]."""
    closed: bool = False
    """Whether the last point is joined to the first."""


@dataclass(frozen=True, eq=False)
class Patch:
    """A filled surface, as for a contact region; it lies a pixel in front of the surface that it is on."""

    triangles: ArrayLike
    """(n, 3, 3) corners [m] in the world."""
    colour: Colour = "rust"
    width: float = 1.5
    """How far in front [pixels]."""


@dataclass(frozen=True, eq=False)
class Label:
    """Words beside a point."""

    position: ArrayLike
    """(3,) [m] in the world."""
    text: str
    colour: Colour = "ink"
    size: float = 16.0
    """Height of the letters [pixels]."""
    shift: tuple[float, float] = (8.0, -8.0)
    """Where the words begin, right and down from the point [pixels]."""


Mark = Dot | Arrow | Path | Patch | Label


def mark_facets(mark: Dot | Arrow | Path | Patch, camera: Camera, height: int) -> Facets | None:
    """The surface of a mark in the world, for a picture of the given height; None where it has no length."""
    if not isinstance(mark, Dot | Arrow | Path | Patch):
        raise InputError(f"marks: expected Dot, Arrow, Path, Patch or Label, got {type(mark).__name__}")
    srgb("colour", mark.colour)
    width = number("width", mark.width, above=0.0)
    if isinstance(mark, Dot):
        centre = vector("position", mark.position)
        return _ball(centre, 0.5 * width * _metres_per_pixel(centre, camera, height))
    if isinstance(mark, Arrow):
        start, along = vector("start", mark.start), vector("vector", mark.vector)
        return _arrow(start, along, 0.5 * width * _metres_per_pixel(start, camera, height))
    if isinstance(mark, Patch):
        return _patch(blocks("triangles", mark.triangles, 3, 3), width, camera, height)
    return _path(mark, width, camera, height)


def mark_points(marks: Sequence[Mark]) -> Floats:
    """(n, 3) points [m] that a picture of these marks should show."""
    points = [np.zeros((0, 3))]
    for mark in marks:
        if isinstance(mark, Arrow):
            start = vector("start", mark.start)
            points.append(np.stack((start, start + vector("vector", mark.vector))))
        elif isinstance(mark, Patch):
            points.append(blocks("triangles", mark.triangles, 3, 3).reshape(-1, 3))
        else:
            points.append(rows("points", mark.points if isinstance(mark, Path) else mark.position, 3))
    return np.concatenate(points)


def _metres_per_pixel(point: Floats, camera: Camera, height: int) -> float:
    depth = float(camera.to_view(point)[0, 2])
    zoom = max(depth, 1e-3 * camera.distance) / camera.distance if camera.perspective else 1.0
    return camera.span / height * zoom


def _ball(centre: Floats, radius: float) -> Facets:
    ball = unit_ball(2)
    return _moved(ball, ball.vertices * radius + centre)


def _arrow(start: Floats, along: Floats, radius: float) -> Facets | None:
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return None
    radius = min(radius, length / 10.0)  # a short arrow is drawn thinner, so that its head stays a head
    neck = length - 8.0 * radius
    profile = [(0.0, 0.0), (radius, 0.0), (radius, neck), (2.8 * radius, neck), (0.0, length)]
    return _revolved(profile, start, along / length)


def _patch(corners: Floats, width: float, camera: Camera, height: int) -> Facets | None:
    """Triangles moved towards the camera, which sees their front sides wherever it is."""
    if len(corners) == 0:
        return None
    points = corners.reshape(-1, 3)
    sight = points - camera.eye if camera.perspective else np.broadcast_to(camera.axes[2], points.shape)
    sight = sight / np.linalg.norm(sight, axis=1)[:, None]
    moved = points - width * _metres_per_pixel(points.mean(axis=0), camera, height) * sight
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    away = (normal * sight[::3]).sum(axis=1) > 0.0
    triangles = np.arange(len(points), dtype=np.int32).reshape(-1, 3)
    triangles[away] = triangles[away][:, ::-1]
    none = np.zeros((0, 2), np.int32)
    return Facets(moved, triangles, corner_normals(moved, triangles, np.ones(len(triangles))), none, none, none)


def _path(mark: Path, width: float, camera: Camera, height: int) -> Facets | None:
    points = rows("points", mark.points, 3)
    if mark.closed:
        points = np.concatenate((points, points[:1]))
    if len(points) == 0:
        return None
    radii = [0.5 * width * _metres_per_pixel(p, camera, height) for p in points]
    pieces: list[Facets] = [_ball(p, r) for p, r in zip(points, radii, strict=True)]
    for a, b, r, s in zip(points[:-1], points[1:], radii[:-1], radii[1:], strict=True):
        length = float(np.linalg.norm(b - a))
        if length > 0.0:
            pieces.append(_revolved([(r, 0.0), (s, length)], a, (b - a) / length))
    return joined(pieces)


def _revolved(profile: Sequence[tuple[float, float]], start: Floats, axis: Floats) -> Facets:
    """Turn a profile of (radius, height) about an axis."""
    helper = np.eye(3)[np.abs(axis).argmin()]
    u = np.cross(axis, helper)
    u /= np.linalg.norm(u)
    turn = 2.0 * np.pi * np.arange(_ROUND) / _ROUND
    rim = np.cos(turn)[:, None] * u + np.sin(turn)[:, None] * np.cross(axis, u)
    vertices = np.concatenate([start + h * axis + r * rim for r, h in profile])
    i = np.arange(_ROUND)
    j = (i + 1) % _ROUND
    bands = [_ROUND * k for k in range(len(profile) - 1)]
    lower = [np.stack((b + i, b + j, b + _ROUND + j), axis=1) for b in bands]
    upper = [np.stack((b + i, b + _ROUND + j, b + _ROUND + i), axis=1) for b in bands]
    triangles = np.concatenate(lower + upper).astype(np.int32)
    none = np.zeros((0, 2), np.int32)
    normals = corner_normals(vertices, triangles, np.ones(len(triangles)))
    return Facets(vertices, triangles, normals, none, none, none)


def _moved(shape: Facets, vertices: Floats) -> Facets:
    return Facets(vertices, shape.triangles, shape.normals, shape.sharp, shape.inner, shape.sides)


def joined(pieces: Sequence[Facets]) -> Facets:
    """Several surfaces as one, without lines."""
    offset = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    triangles: Ints = np.concatenate([piece.triangles + o for piece, o in zip(pieces, offset, strict=False)])
    none = np.zeros((0, 2), np.int32)
    return Facets(
        np.concatenate([piece.vertices for piece in pieces]),
        triangles.astype(np.int32),
        np.concatenate([piece.normals for piece in pieces]),
        none,
        none,
        none,
    )
