"""Parts that overlap have no contact regions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputError
from ...geometry.units import length_text
from ...math.pose import Pose
from ..containment.containment import in_one_piece, nested
from ..features import are_polyhedra


def refuse_overlap(
    shapes: tuple[Any, Any], poses: tuple[Pose, Pose], tolerance: float, suspect: bool, touching: bool
) -> None:
    """Raise if two shapes overlap by more than the tolerance.

    `suspect` says that triangles pass through each other somewhere, or lie on each other the same way round. Where none
    do, one part can only lie inside the other.
    """
    a, b = shapes
    if not are_polyhedra(a, b):
        _refuse_analytic(shapes, poses, tolerance)
        return
    if suspect:
        _refuse_deep(shapes, poses, tolerance)
    if touching and in_one_piece(a) and in_one_piece(b):
        return
    if inner := _inner(shapes, poses, tolerance) if touching else nested(a, b, *poses):
        first, second = (a, b) if inner == "a" else (b, a)
        raise InputError(f"contact_regions: {first.label} lies inside {second.label}; {_REMEDY}")


def _inner(shapes: tuple[Any, Any], poses: tuple[Pose, Pose], tolerance: float) -> str:
    """As `nested`, where parts of several pieces touch: a piece is inside if it is somewhere beyond the tolerance."""
    (a, b), (X_a, X_b) = shapes, poses
    if _reaches_into(a, b, X_b.inverse() @ X_a, tolerance):
        return "a"
    return "b" if _reaches_into(b, a, X_a.inverse() @ X_b, tolerance) else ""


def _reaches_into(inner: Any, outer: Any, X: Pose, tolerance: float) -> bool:
    """Whether a corner or the middle of a triangle lies in the material of another part, at X in its frame."""
    from ..classification.classify import classify_points

    corners = X.apply(inner.mesh.vertices)
    points = np.concatenate((corners, corners[inner.mesh.triangles].mean(axis=1)))
    low, high = outer.bounds
    least = min(tolerance, 0.25 * float((high - low).min()))
    return bool(classify_points(outer, points, tolerance=least).inside.any())


_REMEDY = "move them apart, or set parts free that are drawn into each other with abut.loosen"


def _refuse_deep(shapes: tuple[Any, Any], poses: tuple[Pose, Pose], tolerance: float) -> None:
    from ..depth.depth import depth_of
    from ..intersection.overlap import in_one_place

    a, b = shapes
    depth = depth_of(a, b, *poses)
    if depth.lower > tolerance:
        where = ", ".join(f"{1e3 * x:.4g}" for x in depth.point.tolist())
        raise InputError(
            f"contact_regions: {a.label} and {b.label} overlap by {length_text(depth.lower)} at ({where}) mm, more "
            f"than the tolerance of {length_text(tolerance)}; {_REMEDY}"
        )
    if depth.nothing and in_one_place(a, b, *poses):
        raise InputError(f"contact_regions: {a.label} and {b.label} share their material; {_REMEDY}")


def _refuse_analytic(shapes: tuple[Any, Any], poses: tuple[Pose, Pose], tolerance: float) -> None:
    from ..distance.analytic import signed_gap

    a, b = shapes
    depth = -signed_gap(a, b, *poses)
    if depth > tolerance:
        names = " and ".join(str(s.label) if s.polyhedral else f"a {s.kind}" for s in shapes)
        raise InputError(
            f"contact_regions: {names} overlap by {length_text(depth)}, more than the tolerance of "
            f"{length_text(tolerance)}; {_REMEDY}"
        )
