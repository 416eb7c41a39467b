"""Union, intersection and difference of closed parts, and convex hulls, in double precision.

Where faces of the two parts lie on each other but their coordinates differ by rounding, the library that does the work
may leave membranes: pairs of triangles that face each other with nothing between. Such a result is recognised by its
folds and made again with the second part grown (for an intersection: shrunk) by a billionth of its size, which turns
the coincidence into a clear crossing.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import TINY, Floats, Ints, directions, rows
from ...errors import InputError
from .rings import Arrays

Operation = Literal["|", "&", "-"]
_WORDS = {"|": "Add", "&": "Intersect", "-": "Subtract"}
_EMPTY = {"|": "neither has any volume", "-": "the first lies inside the second"}

NUDGE = 1e-9
"""By how much the second part is grown where faces coincide, as a fraction of its size."""
_NOTHING = 1e-12
"""A result smaller than this fraction of the smaller part is rounding."""
_FOLD = -1.0 + 1e-9
"""Cosine between the normals of neighbouring triangles that face each other."""


def combine(operation: Operation, a: Arrays, b: Arrays, *, label_a: str, label_b: str) -> Arrays:
    """Vertices and triangles of `a | b`, `a & b` or `a - b`; labels name the parts in messages.

    What parts have in common that do not overlap is nothing: no vertices and no triangles.
    """
    solids = as_manifold(*a, label=label_a), as_manifold(*b, label=label_b)
    least = _NOTHING * min(solid.volume() for solid in solids)
    result = _apply(operation, *solids)
    if result.volume() > least and folded(*from_manifold(result)):
        result = _with_nudge(operation, solids[0], b)
    if result.volume() <= least and operation == "&":
        return np.zeros((0, 3)), np.zeros((0, 3), np.int32)
    if result.volume() <= least:
        raise InputError(f"{label_a} {operation} {label_b}: nothing is left, {_EMPTY[operation]}")
    arrays = from_manifold(result)
    if folded(*arrays) and not (folded(*a) or folded(*b)):
        raise InputError(
            f"{label_a} {operation} {label_b}: faces of the two parts lie on each other so closely that the result "
            "cannot be told; move one of them by a little"
        )
    return arrays


def common_surface(a: Arrays, b: Arrays, *, label_a: str, label_b: str) -> tuple[float, Floats, Floats]:
    """Volume of what two parts have in common, and (n, 3, 3) triangles of its surface: of `a` in `b`, of `b` in `a`."""
    solids = [as_manifold(*a, label=label_a).as_original(), as_manifold(*b, label=label_b).as_original()]
    result = _apply("&", *solids)
    mesh = result.to_mesh64()
    corners = np.array(mesh.vert_properties[:, :3], np.float64)[np.array(mesh.tri_verts, np.int64)]
    runs = np.array(mesh.run_index, np.int64) // 3
    owner = np.repeat(np.array(mesh.run_original_id, np.int64), runs[1:] - runs[:-1])
    of_a, of_b = (corners[owner == solid.original_id()].reshape(-1, 3, 3) for solid in solids)
    return float(result.volume()), of_a, of_b


def convex_hull(points: ArrayLike) -> Arrays:
    """The smallest convex solid that holds the points (n, 3); its corners are some of them."""
    from manifold3d import Manifold

    hull = Manifold.hull_points(rows("points", points, 3))
    if hull.is_empty() or hull.volume() <= 0.0:
        raise InputError("points: a hull needs at least four points that do not lie in one plane")
    return from_manifold(hull)


def as_manifold(vertices: Floats, triangles: Ints, *, label: str) -> Any:
    """The part in the form that the boolean operations take; it must be closed and consistently oriented."""
    from manifold3d import Error, Manifold, Mesh64

    solid = Manifold(Mesh64(vertices, triangles.astype(np.uint64)))
    if solid.status() != Error.NoError:
        raise InputError(
            f"{label}: boolean operations need a closed, consistently oriented surface in which two triangles meet "
            "at each edge; problems() says where it is not, and loading with repair=True heals what can be healed"
        )
    if solid.volume() < 0.0:
        raise InputError(f"{label}: its surface is inside out; reverse its triangles before boolean operations")
    return solid


def from_manifold(solid: Any) -> Arrays:
    """Vertices and triangles of the library's result."""
    mesh = solid.to_mesh64()
    return np.array(mesh.vert_properties[:, :3], np.float64, order="C"), np.array(mesh.tri_verts, np.int32)


def _normals(vertices: Floats, triangles: Ints) -> Floats:
    corners = vertices[triangles]
    return directions(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))


def folded(vertices: Floats, triangles: Ints) -> bool:
    """Whether two triangles of a closed surface that share an edge lie on each other."""
    normal = _normals(vertices, triangles)
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    order = np.lexsort((np.maximum(start, end), np.minimum(start, end)))
    first, second = (order.reshape(-1, 2) // 3).T
    return bool((np.einsum("ij,ij->i", normal[first], normal[second]) < _FOLD).any())


def _apply(operation: Operation, a: Any, b: Any) -> Any:
    from manifold3d import Manifold, OpType

    return Manifold.batch_boolean([a, b], getattr(OpType, _WORDS[operation]))


def _with_nudge(operation: Operation, a: Any, b: Arrays) -> Any:
    vertices, triangles = b
    step = NUDGE * float(np.ptp(vertices, axis=0).max())
    moved = vertices + (-step if operation == "&" else step) * _outwards(vertices, triangles)
    result = _apply(operation, a, as_manifold(moved, triangles, label="the nudged part"))
    # Steps as high as the nudge are left where faces were flush; as_original() lets them be collapsed.
    return result.as_original().simplify(10.0 * step)


def _outwards(vertices: Floats, triangles: Ints) -> Floats:
    """For each vertex the displacement that moves all of its triangles outwards by about 1, by least squares."""
    normal = _normals(vertices, triangles)
    squares, sums = np.zeros((len(vertices), 3, 3)), np.zeros((len(vertices), 3))
    for k in range(3):
        np.add.at(squares, triangles[:, k], normal[:, :, None] * normal[:, None, :])
        np.add.at(sums, triangles[:, k], normal)
    # The trace keeps flat and knife-edged neighbourhoods solvable, and vertices that no triangle uses at rest.
    damping = 1e-3 * np.trace(squares, axis1=1, axis2=2) + TINY
    return np.asarray(np.linalg.solve(squares + damping[:, None, None] * np.eye(3), sums[:, :, None])[:, :, 0])
