"""When moving vertices first meet faces, and edges edges: batches of elementary motions."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, blocks, is_one_of, number, rows
from ...errors import InputError, ShapeError
from . import impact_interpolated_kernels as interpolated
from . import impact_linear_kernels as conservative

Method = Literal["conservative", "interpolated"]

_LARGEST = 1e300


def impact_vertex_face(
    v_t0: ArrayLike,
    f_t0: ArrayLike,
    v_t1: ArrayLike,
    f_t1: ArrayLike,
    gap: float = 0.0,
    method: Method = "conservative",
) -> Floats:
    """First time at which each vertex is within `gap` [m] of its face: (n,) in [0, 1], `inf` where there is none.

    Vertices (n, 3) and faces (n, 3, 3) [m] at times 0 and 1; every vertex moves straight at constant speed. Faces
    are two-sided and include their borders; a face may have no area. Touching counts.

    "conservative" never misses and is never late. At the time it gives, the distance exceeds `gap` by at most 1e-14
    of the largest difference of coordinates of the vertex and the face (1e-10 where the face collapses to a line on the
    vertex), so that motions that pass closer than that are reported too. A motion that starts within the gap gives 0.

    "interpolated" is the test of SiLVIA, section 2.3: it interpolates the signed distance linearly, sees collisions
    from the front of the face only, may miss collisions of features that turn, and has no gap.
    """
    shapes = {"v_t0": rows("v_t0", v_t0, 3), "f_t0": blocks("f_t0", f_t0, 3, 3)}
    shapes |= {"v_t1": rows("v_t1", v_t1, 3), "f_t1": blocks("f_t1", f_t1, 3, 3)}
    gap, times = _prepared(shapes, gap, method)
    if method == "interpolated":
        interpolated.interpolated_vertices_faces(*shapes.values(), times)
    else:
        conservative.impact_vertices_faces(*shapes.values(), gap, times)
    return times


def impact_edge_edge(
    ea_t0: ArrayLike,
    eb_t0: ArrayLike,
    ea_t1: ArrayLike,
    eb_t1: ArrayLike,
    gap: float = 0.0,
    method: Method = "conservative",
) -> Floats:
    """First time at which each two edges are within `gap` [m]: (n,) in [0, 1], `inf` where there is none.

    Edges (n, 2, 3) [m] at times 0 and 1; every end moves straight at constant speed. An edge may have no length.
    What is said of `impact_vertex_face` holds here too.
    """
    shapes = {"ea_t0": blocks("ea_t0", ea_t0, 2, 3), "eb_t0": blocks("eb_t0", eb_t0, 2, 3)}
    shapes |= {"ea_t1": blocks("ea_t1", ea_t1, 2, 3), "eb_t1": blocks("eb_t1", eb_t1, 2, 3)}
    gap, times = _prepared(shapes, gap, method)
    if method == "interpolated":
        interpolated.interpolated_edges_edges(*shapes.values(), times)
    else:
        conservative.impact_edges_edges(*shapes.values(), gap, times)
    return times


def _prepared(shapes: dict[str, Floats], gap: float, method: str) -> tuple[float, Floats]:
    """The checked gap and an array for the times."""
    counts = {name: len(array) for name, array in shapes.items()}
    if len(set(counts.values())) > 1:
        raise ShapeError("row counts differ: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    for name, array in shapes.items():
        if array.size and np.abs(array).max() > _LARGEST:
            raise InputError(f"{name}: expected coordinates up to {_LARGEST:g}, got {np.abs(array).max():g}")
    if not is_one_of(method, ("conservative", "interpolated")):
        raise InputError(f"method: expected 'conservative' or 'interpolated', got {method!r}")
    gap = number("gap", gap, least=0.0)
    if method == "interpolated" and gap > 0.0:
        raise InputError(f"gap: the interpolated test has no gap, got {gap:g}; use method='conservative'")
    return gap, np.zeros(next(iter(counts.values())))
