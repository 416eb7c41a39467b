"""Which points lie inside a part?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import Floats, rows
from ...errors import InputError
from ...geometry import MESH, PLANE, Shape, Solid
from ...math.pose import Pose, as_pose
from ..features import shape_of
from ..volumes.hierarchy import hierarchy_of
from . import containment_kernels as kernels

_MANY_PIECES = 64


def contains(part: Any, points: ArrayLike, X: Any = None) -> NDArray[np.bool_]:
    """Whether each of (n, 3) points lies inside `part`, whose pose is `X`; points on the surface count as inside.

    Inside a part is where its closed surface winds around the point; the answer is exact for the coordinates that
    reach the part's frame.
    """
    shape: Shape = shape_of("part", part)
    X_WP = as_pose("X", X)
    table = rows("points", points, 3)
    local = table if X is None else X_WP.inverse().apply(table)
    if shape.core == PLANE:
        return np.asarray(local @ part.normal <= part.offset)
    if shape.core != MESH:
        return np.asarray(((local - part.nearest_of_core(local)) ** 2).sum(axis=1) <= shape.margin**2)
    require_closed(part)
    return np.asarray(places_of(part, local) != kernels.OUTSIDE)


def require_closed(part: Solid) -> None:
    """Only a closed surface has an inside."""
    if not part.closed:
        raise InputError(
            f"part: the surface of {part.label} is not closed, so no point is inside it; "
            "problems() says where it is open, and loading with repair=True heals what can be healed"
        )


def places_of(part: Solid, points: Floats) -> NDArray[np.int8]:
    """OUTSIDE, INSIDE or ON_SURFACE for (n, 3) points in the frame of a closed part."""
    tree = hierarchy_of(part).tree
    places = np.empty(len(points), np.int8)
    kernels.locate_points(np.ascontiguousarray(points), tree.corners, tree.child, tree.boxes, tree.depth, places)
    # Every ray met an edge: no such surface is known, but then the point is as good as on it.
    places[places == kernels.UNDECIDED] = kernels.ON_SURFACE
    return places


def nested(a: Solid, b: Solid, X_a: Pose, X_b: Pose) -> str:
    """Where surfaces do not meet: "a" if a piece of a lies inside b, "b" the other way, else ""."""
    seat_a, seat_b = _seat_of(a), _seat_of(b)
    if seat_a is None or seat_b is None:
        return ""
    possible = kernels.may_nest(seat_a[0], seat_a[1], seat_b[0], seat_b[1], X_a.kernel_row, X_b.kernel_row)
    if possible & 1 and _lies_inside(a, b, X_a, X_b):
        return "a"
    return "b" if possible & 2 and _lies_inside(b, a, X_b, X_a) else ""


def _lies_inside(inner: Solid, outer: Solid, X_inner: Pose, X_outer: Pose) -> bool:
    if not (inner.closed and outer.closed):
        return False
    points = X_outer.inverse().apply(X_inner.apply(_pieces(inner)))
    return bool((places_of(outer, points) == kernels.INSIDE).any())


def _seat_of(solid: Solid) -> tuple[Floats, Floats] | None:
    """A vertex of each connected piece, and the bounds; None where the surface is open."""
    seat: tuple[Floats, Floats] | None
    try:
        seat = solid.__dict__["_seat"]
    except KeyError:
        pieces = _pieces(solid)
        # Many pieces are a polygon soup, most often; then it is worth finding out once and for all.
        seat = None if len(pieces) > _MANY_PIECES and not solid.closed else (pieces, solid.bounds)
        solid.__dict__["_seat"] = seat
    return seat


def in_one_piece(solid: Solid) -> bool:
    """Whether the surface is connected."""
    seat = _seat_of(solid)
    return seat is None or len(seat[0]) == 1


def _pieces(solid: Solid) -> Floats:
    """(n, 3) a vertex of each connected piece of the surface."""
    root = np.empty(len(solid.mesh.vertices), np.int32)
    kernels.connect(solid.mesh.triangles, root)
    return np.ascontiguousarray(solid.mesh.vertices[np.unique(root[solid.mesh.triangles[:, 0]])])
