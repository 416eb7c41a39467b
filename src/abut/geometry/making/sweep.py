"""Solids swept by a plane outline: along a line, around an axis, between sections."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints, blocks, count, number, rows
from ...errors import InputError
from .rings import Arrays, band, convex_cap, fan, ring_angles

_AXIS = 1e-12
"""A profile point closer to the axis than this fraction of the profile's size lies on it."""


def extrude(outline: ArrayLike, height: float, *, holes: Sequence[ArrayLike] = ()) -> Arrays:
    """A plane polygon (n, 2) with polygonal holes, swept from z = 0 to z = height."""
    height = number("height", height, above=0.0)
    loops = [_turning("outline", outline, 1.0)]
    loops += [_turning(f"holes[{i}]", hole, -1.0) for i, hole in enumerate(holes)]
    flat = np.concatenate(loops)
    floor = fill_polygon(flat, [len(loop) for loop in loops])
    n = len(flat)
    vertices = np.concatenate((_at_height(flat, 0.0), _at_height(flat, height)))
    ends = np.cumsum([0, *map(len, loops)])
    rings = [np.arange(a, b, dtype=np.int32) for a, b in pairwise(ends)]
    walls = [band(ring, ring + n) for ring in rings]
    return vertices, np.concatenate((floor[:, ::-1], floor + np.int32(n), *walls))


def fill_polygon(points: Floats, loop_lengths: Sequence[int]) -> Ints:
    """Triangles of a polygon (n, 2), counter-clockwise; its outer loop comes first, then its holes."""
    import mapbox_earcut

    ends = np.cumsum(loop_lengths).astype(np.uint32)
    triangles: Ints = mapbox_earcut.triangulate_float64(points, ends).astype(np.int32).reshape(-1, 3)
    expected = len(points) + 2 * (len(loop_lengths) - 1) - 2
    if len(triangles) != expected or not _covers(points, loop_lengths, triangles):
        raise InputError("outline: it crosses itself or one of its holes, or has corners without area")
    a, b, c = points[triangles].transpose(1, 0, 2)
    clockwise = _cross(b - a, c - a) < 0.0
    triangles[clockwise] = triangles[clockwise, ::-1]
    return triangles


def revolve(profile: ArrayLike, *, segments: int = 64, angle: float | None = None, half_step: bool = False) -> Arrays:
    """A closed profile of (radius, z) points with radius >= 0, turned about the z axis.

    Corners lie on the circles, at multiples of 360 degrees / segments from the x axis (half a step earlier with
    `half_step`). With `angle` [rad] the sweep starts at the x axis and has `segments` steps, and its ends are closed.
    """
    points = _turning("profile", profile, 1.0)
    on_axis = np.abs(points[:, 0]) <= _AXIS * np.abs(points).max()
    if (points[~on_axis, 0] < 0.0).any():
        raise InputError(f"profile: radii must not be negative, got {points[:, 0].min():g}")
    if angle is None:
        return _full_turn(points, on_axis, ring_angles(count("segments", segments, least=3), half_step=half_step))
    angle = number("angle", angle, above=0.0)
    if angle >= 2.0 * np.pi:
        raise InputError(f"angle: expected less than a full turn of {2 * np.pi:g} rad, got {angle:g}; omit it for one")
    return _partial_turn(points, on_axis, np.linspace(0.0, angle, count("segments", segments, least=1) + 1))


def loft(sections: ArrayLike) -> Arrays:
    """The solid between plane polygons (k, n, 3), stacked along +z and each counter-clockwise seen from +z.

    The first and the last are its end faces, which must be convex.
    """
    array = blocks("sections", sections, np.shape(sections)[1], 3) if np.ndim(sections) == 3 else np.zeros((0, 0, 3))
    if len(array) < 2 or array.shape[1] < 3:
        raise InputError(f"sections: expected (k, n, 3) with k >= 2 and n >= 3, got {np.shape(sections)}")
    k, n, _ = array.shape
    rings = np.arange(k * n, dtype=np.int32).reshape(k, n)
    walls = [band(low, high) for low, high in pairwise(rings)]
    caps = (convex_cap(rings[0])[:, ::-1], convex_cap(rings[-1]))
    return array.reshape(-1, 3), np.concatenate((*caps, *walls))


def _full_turn(points: Floats, on_axis: np.ndarray, angles: Floats) -> Arrays:
    """One ring per profile point off the axis, one vertex per point on it."""
    n = len(angles)
    vertices: list[Floats] = []
    rings: list[Ints] = []
    start = 0
    for (radius, z), single in zip(points, on_axis, strict=True):
        vertices.append(_circle(0.0 if single else radius, z, angles[:1] if single else angles))
        rings.append(np.arange(start, start + (1 if single else n), dtype=np.int32))
        start += len(rings[-1])
    triangles = [_between(points, rings, i, (i + 1) % len(points)) for i in range(len(points))]
    return _without_unused(np.concatenate(vertices), np.concatenate(triangles))


def _between(points: Floats, rings: list[Ints], i: int, j: int) -> Ints:
    """Triangles swept by the profile's side from i to j; a flat disc gets no vertex in its middle."""
    low, high = rings[i], rings[j]
    flat = points[i, 1] == points[j, 1]
    if len(low) == len(high) == 1:
        return np.zeros((0, 3), np.int32)
    if len(high) == 1:
        return convex_cap(low) if flat else fan(low, int(high[0]))
    if len(low) == 1:
        return (convex_cap(high) if flat else fan(high, int(low[0])))[:, ::-1]
    return band(low, high)


def _partial_turn(points: Floats, on_axis: np.ndarray, angles: Floats) -> Arrays:
    """One copy of the profile per angle, points on the axis shared, the first and last copy filled."""
    n, copies = len(points), len(angles)
    index = np.arange(copies * n, dtype=np.int32).reshape(copies, n)
    index[:, on_axis] = index[0, on_axis]
    vertices = np.concatenate([_circle(points[:, 0], points[:, 1], np.full(n, a)) for a in angles])
    vertices[index[0, on_axis], :2] = 0.0
    floor = fill_polygon(points, [n])
    triangles = [index[0][floor], index[-1][floor[:, ::-1]]]
    for here, there in pairwise(index):
        walls = band(there, here)
        repeated = (walls == np.roll(walls, 1, axis=1)).any(axis=1)
        triangles.append(walls[~repeated])
    return _without_unused(vertices, np.concatenate(triangles))


def _circle(radius: Floats | float, z: Floats | float, angles: Floats) -> Floats:
    return np.stack((radius * np.cos(angles), radius * np.sin(angles), z + np.zeros_like(angles)), axis=1)


def _without_unused(vertices: Floats, triangles: Ints) -> Arrays:
    used = np.zeros(len(vertices), bool)
    used[triangles] = True
    renumbered = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return vertices[used], renumbered[triangles]


def _turning(name: str, polygon: ArrayLike, sense: float) -> Floats:
    """The polygon's points, counter-clockwise for sense +1 and clockwise for -1."""
    points = rows(name, polygon, 2)
    if len(points) < 3:
        raise InputError(f"{name}: expected at least three corners, got {len(points)}")
    area = _area(points)
    if abs(area) <= 1e-15 * np.ptp(points, axis=0).max() ** 2:
        raise InputError(f"{name}: expected a polygon, but its corners enclose no area")
    return points if area * sense > 0.0 else np.ascontiguousarray(points[::-1])


def _covers(points: Floats, loop_lengths: Sequence[int], triangles: Ints) -> bool:
    """Whether the triangles have the area of the polygon: they do not when loops cross."""
    loops = np.split(points, np.cumsum(loop_lengths)[:-1])
    wanted = sum(_area(loop) for loop in loops)
    a, b, c = points[triangles].transpose(1, 0, 2)
    covered = 0.5 * np.abs(_cross(b - a, c - a)).sum()
    return bool(abs(covered - wanted) <= 1e-9 * abs(wanted))


def _area(points: Floats) -> float:
    following = np.roll(points, -1, axis=0)
    return 0.5 * float(_cross(points - points[0], following - points[0]).sum())


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _at_height(flat: Floats, z: float) -> Floats:
    return np.column_stack((flat, np.full(len(flat), z)))
