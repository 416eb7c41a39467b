"""What a picture shows: parts with a place and a colour, and the plane that cuts them open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import cos, radians
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints, number, rows, unit_vector, vector
from ...errors import InputError
from ...geometry import MESH, POINT, SEGMENT, Capsule, Csr, EdgeKind, Shape, Solid, Sphere
from ...math import Pose
from ...math.pose import as_pose
from . import normal_kernels
from .palette import Colour, srgb

CREASE = radians(35.0)
"""Faces that bend by less are drawn as one round surface, without a line between them."""


CAP_RINGS = 12
"""Into which the caps of a capsule are divided."""


@dataclass(frozen=True, eq=False)
class Item:
    """A part in a picture."""

    shape: Shape
    """A half space is drawn as a floor that catches shadows; it is invisible from below."""
    pose: Pose
    """Of the part's frame in the world."""
    colour: Colour | None
    """None: the next of the palette."""
    alpha: float
    """1 is opaque."""
    edges: bool
    """Whether to draw edges as thin lines; on a half space, a grid."""
    cut: bool
    """Whether the picture's section cuts this part."""

    def __init__(
        self,
        shape: Shape,
        pose: Any = None,
        colour: Colour | None = None,
        alpha: float = 1.0,
        edges: bool = True,
        cut: bool = True,
    ) -> None:
        if not isinstance(shape, Shape):
            raise InputError(f"shape: expected a Solid, Sphere, Capsule or HalfSpace, got {type(shape).__name__}")
        if colour is not None:
            srgb("colour", colour)
        if number("alpha", alpha, above=0.0) > 1.0:
            raise InputError(f"alpha: expected a number from 0 to 1, got {alpha:g}")
        for field, value in zip(
            ("shape", "pose", "colour", "alpha", "edges", "cut"),
            (shape, as_pose("pose", pose), colour, float(alpha), bool(edges), bool(cut)),
            strict=True,
        ):
            object.__setattr__(self, field, value)


@dataclass(frozen=True, eq=False)
class Section:
    """A plane that opens parts: what lies on the side its normal points to is taken away, and cut faces are hatched."""

    point: Floats
    """(3,) [m] in the world."""
    normal: Floats
    """(3,) unit vector."""

    def __init__(self, point: ArrayLike = (0.0, 0.0, 0.0), normal: ArrayLike = (0.0, -1.0, 0.0)) -> None:
        object.__setattr__(self, "point", vector("point", point))
        object.__setattr__(self, "normal", unit_vector("normal", normal))

    def height(self, points: Floats) -> Floats:
        """(n,) [m] over the plane; what is above 0 is taken away."""
        return np.asarray((points - self.point) @ self.normal)


@dataclass(frozen=True, eq=False)
class Facets:
    """A surface ready to be drawn, in its own frame."""

    vertices: Floats
    """(n, 3) [m]."""
    triangles: Ints
    """(m, 3)."""
    normals: Floats
    """(m, 3, 3) unit normal at each corner of each triangle."""
    sharp: Ints
    """(k, 2) ends of the edges that are always drawn."""
    inner: Ints
    """(l, 2) ends of the other edges between two triangles, drawn where they are the part's outline..."""
    sides: Ints
    """(l, 2) ...that is, where one of these two triangles is seen from the front and the other from behind."""


_facets_of_solid: WeakKeyDictionary[Solid, Facets] = WeakKeyDictionary()


def facets(shape: Shape) -> Facets:
    """The surface of a part that has a size; made once for each solid."""
    return _MAKERS[shape.core](shape)


def _facets_of_known(solid: Solid) -> Facets:
    if solid not in _facets_of_solid:
        _facets_of_solid[solid] = _facets(solid)
    return _facets_of_solid[solid]


def _facets_of_ball(sphere: Sphere) -> Facets:
    ball = unit_ball(4)
    return Facets(sphere.radius * ball.vertices, ball.triangles, ball.normals, ball.sharp, ball.inner, ball.sides)


def _facets_of_capsule(capsule: Capsule) -> Facets:
    """A profile turned about the axis, with the normals of the round surface."""
    r, half = capsule.radius, capsule.half_length
    angle = np.linspace(0.0, 0.5 * np.pi, CAP_RINGS + 1)
    cap = np.column_stack((r * np.cos(angle), half + r * np.sin(angle)))
    cap[-1, 0] = 0.0
    found = _facets(Solid.revolve(np.concatenate((cap[::-1] * (1.0, -1.0), cap)), segments=4 * CAP_RINGS))
    normals = (found.vertices - capsule.nearest_of_core(found.vertices)) / r
    return Facets(found.vertices, found.triangles, normals[found.triangles], found.sharp, found.inner, found.sides)


_MAKERS: dict[str, Callable[[Any], Facets]] = {
    POINT: _facets_of_ball,
    SEGMENT: _facets_of_capsule,
    MESH: _facets_of_known,
}
"""By the core of a shape."""


def scene_points(scene: ArrayLike | Sequence[Item]) -> Floats:
    """(n, 3) points [m] in the world that span the scene; half spaces have no extent."""
    if isinstance(scene, Sequence) and scene and isinstance(scene[0], Item):
        items = [i for i in scene if isinstance(i, Item)]
        clouds = [i.pose.apply(facets(i.shape).vertices) for i in items if i.shape.bounded]
        if not clouds:
            raise InputError("items: expected at least one part of finite size, got half spaces only")
        return np.concatenate(clouds)
    points = rows("scene", scene, 3)  # type: ignore[arg-type]
    if len(points) == 0:
        raise InputError("scene: expected at least one item or point, got none")
    return points


def _facets(solid: Solid) -> Facets:
    vertices, triangles, edges = solid.mesh.vertices, solid.mesh.triangles, solid.edges
    weight = solid.faces.area[solid.faces.of_triangle]
    open_edge = (edges.kind == EdgeKind.BOUNDARY) | (edges.kind == EdgeKind.NON_MANIFOLD)
    sharp = open_edge | (np.abs(edges.dihedral) > CREASE)
    inner = ~sharp & (edges.triangles >= 0).all(axis=1)
    normals = corner_normals(vertices, triangles, weight)
    return Facets(vertices, triangles, normals, edges.vertices[sharp], edges.vertices[inner], edges.triangles[inner])


def corner_normals(vertices: Floats, triangles: Ints, weight: Floats) -> Floats:
    """(m, 3, 3) normal at each corner of each triangle, averaged over neighbours of the same round surface."""
    flat, smooth = np.empty((len(triangles), 3)), np.empty((3 * len(triangles), 3))
    normal_kernels.triangle_normals(vertices, triangles, flat)
    corners = Csr.inverse_of(triangles.ravel(), len(vertices))
    normal_kernels.corner_normals(vertices, triangles, flat, weight, corners.start, corners.items, cos(CREASE), smooth)
    return smooth.reshape(-1, 3, 3)


@cache
def unit_ball(rounds: int) -> Facets:
    """An icosahedron whose triangles are cut in four, `rounds` times, its corners on the unit sphere."""
    g = (1.0 + 5.0**0.5) / 2.0
    points = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)]
    points += [(0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    vertices = np.array(points)
    around = "0b5 051 017 07a 0ab 159 5b4 ba2 a76 718 394 342 326 368 389 495 24b 62a 867 981"
    triangles = np.array([[int(corner, 16) for corner in face] for face in around.split()])
    for _ in range(rounds):
        vertices, triangles = _quartered(vertices, triangles)
        vertices /= np.linalg.norm(vertices, axis=1, keepdims=True)
    ball = _facets(Solid(vertices, triangles))
    return Facets(ball.vertices, ball.triangles, vertices[triangles], ball.sharp, ball.inner, ball.sides)


def _quartered(vertices: Floats, triangles: Any) -> tuple[Floats, Any]:
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    ends, middle = np.unique(sides, axis=0, return_inverse=True)
    ab, bc, ca = (len(vertices) + middle.reshape(-1, 3)).T
    a, b, c = triangles.T
    parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return (
        np.concatenate((vertices, vertices[ends].mean(axis=1))),
        np.concatenate([np.stack(part, axis=1) for part in parts]),
    )
