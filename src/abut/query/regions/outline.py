"""Outlines of surface regions: two faces, clipped against each other in their common plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...math.pose import Pose

_FINE = 0.01
"""Of the limit: corners that are out of line by less are left out, and spurs with them."""
_WIDE = 1e3
"""Of the outline's size: what reaches farther is without end."""


def outline(
    shapes: tuple[Any, Any], poses: tuple[Pose, Pose], faces: tuple[int, int], normal: Floats, limit: float
) -> list[Floats]:
    """Loops (n, 3) [m], on A, of the part of two faces where they are within `limit` of each other.

    They run counter-clockwise seen against the normal, which points from A to B: as those of A's face do.
    """
    from manifold3d import CrossSection, FillRule

    basis = _basis(normal)
    loops = [_loops(shape, X, face) for shape, X, face in zip(shapes, poses, faces, strict=True)]
    origin = next(loop for loop in loops if loop)[0][0]
    sections = []
    for k, known in enumerate(loops):
        if known:
            flat = [(loop - origin) @ basis / limit for loop in known]
            sections.append(CrossSection(flat if k == 0 else [f[::-1] for f in flat], FillRule.Positive))
    common = sections[0]
    for other in sections[1:]:
        common = common ^ other
    planes = [_plane(*one) for one in zip(shapes, poses, faces, strict=True)]
    heights = _heights(planes, normal, origin, basis)
    common = _within(common, heights, limit)
    found = [np.asarray(loop) * limit for loop in common.simplify(_FINE).to_polygons()]
    return [_lifted(loop, origin, basis, normal, heights[0]) for loop in found if _is_wide(loop, limit)]


def _basis(normal: Floats) -> Floats:
    """(3, 2) axes of the plane, right-handed seen against the normal."""
    helper = np.eye(3)[np.abs(normal).argmin()]
    u = np.cross(normal, helper)
    u /= np.linalg.norm(u)
    return np.stack((u, np.cross(normal, u)), axis=1)


def _loops(shape: Any, X: Pose, face: int) -> list[Floats]:
    """Outline of a face in the world; none for one without end."""
    if not shape.polyhedral:
        return []
    return [X.apply(shape.vertices[loop]) for loop in shape.faces.polygons(face)]


def _plane(shape: Any, X: Pose, face: int) -> tuple[Floats, Floats]:
    """Normal of a face and a point of its plane, in the world."""
    if shape.polyhedral:
        normal, offset = shape.faces.normal[face], shape.faces.offset[face]
    else:
        normal, offset = shape.normal, shape.offset
    return np.asarray(X.rotation @ normal), np.asarray(X.apply(offset * normal))


def _heights(planes: list[tuple[Floats, Floats]], normal: Floats, origin: Floats, basis: Floats) -> list[Floats]:
    """Of planes, how high they are over that of projection: (value at the origin, slopes along the axes)."""
    return [np.concatenate(([(p - origin) @ n], -(n @ basis))) / (n @ normal) for n, p in planes]


def _within(section: Any, heights: list[Floats], limit: float) -> Any:
    """What of a section, in units of `limit`, has both planes within the limit of each other."""
    gap = (heights[1] - heights[0]) / np.array([limit, 1.0, 1.0])
    low_x, low_y, high_x, high_y = section.bounds()
    corners = np.array([[1.0, x, y] for x in (low_x, high_x) for y in (low_y, high_y)]) @ gap
    if section.is_empty() or np.abs(corners).max() <= 1.0:
        return section
    slope = float(np.hypot(gap[1], gap[2]))
    angle = float(np.degrees(np.arctan2(gap[2], gap[1])))
    from manifold3d import CrossSection

    reach = _WIDE * max(high_x - low_x, high_y - low_y, 1.0)
    strip = CrossSection.square((2.0 / slope, reach)).translate(((-1.0 - gap[0]) / slope, -0.5 * reach))
    return section ^ strip.rotate(angle)


def _is_wide(loop: Floats, limit: float) -> bool:
    """Whether a loop is more than a sliver."""
    after = np.roll(loop, -1, axis=0)
    area = 0.5 * abs(float((loop[:, 0] * after[:, 1] - loop[:, 1] * after[:, 0]).sum()))
    return area > 0.25 * limit * float(np.linalg.norm(after - loop, axis=1).sum())


def _lifted(loop: Floats, origin: Floats, basis: Floats, normal: Floats, height: Floats) -> Floats:
    up = height[0] + loop @ height[1:]
    return np.asarray(origin + loop @ basis.T + up[:, None] * normal)


def triangles_of_loops(loops: list[Floats], normal: Floats) -> Floats:
    """(n, 3, 3) triangles of an outline with holes."""
    if not loops:
        return np.zeros((0, 3, 3))
    from manifold3d import triangulate

    points = np.concatenate(loops)
    flat = np.split((points - points[0]) @ _basis(normal), np.cumsum([len(loop) for loop in loops])[:-1])
    return np.asarray(points[triangulate(flat)])
