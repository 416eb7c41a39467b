"""Which vertex, edge or face of a part a point of its surface belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError
from ..geometry import MESH, EdgeKind, Shape, Solid
from ..geometry.triangles.triangle_kernels import EDGE_AB, FACE


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of a part: `Feature("edge", 12)` is `part.edges` number 12."""

    kind: str
    """"vertex", "edge" or "face"; "inside" where a part lies within the material of another; "limit" of a joint."""
    index: int
    """Number of the vertex, edge or face; 0 for the surface of a shape that is no polyhedron, -1 for "inside"."""
    name: str = field(default="", compare=False)
    """As the file calls the face, where a query says so; "" where the file says nothing."""


INSIDE = Feature("inside", -1)
SURFACE = Feature("face", 0)


def feature_text(feature: Feature) -> str:
    """A feature by its number, and by its name where the file had one."""
    return f"{feature.kind} {feature.index}" + (f" '{feature.name}'" if feature.name else "")


def feature_of(solid: Solid, triangle: int, region: int) -> Feature:
    """The feature to which a region of a triangle belongs: the diagonals of a flat face are the face."""
    if region < EDGE_AB:
        return Feature("vertex", int(solid.mesh.triangles[triangle, region]))
    if region < FACE:
        edge = int(solid.edges.of_triangle[triangle, region - EDGE_AB])
        if solid.edges.kind[edge] != EdgeKind.FLAT:
            return Feature("edge", edge)
    return Feature("face", int(solid.faces.of_triangle[triangle]))


def shape_of(name: str, value: Any) -> Any:
    """`value`, which must be a shape."""
    if isinstance(value, Shape):
        return value
    raise InputError(f"{name}: expected a Solid, Sphere, Capsule or HalfSpace, got {type(value).__name__}")


def are_polyhedra(a: Any, b: Any) -> bool:
    """Whether both are solids, and nothing else that a user may have given by mistake."""
    return getattr(a, "core", None) == MESH and getattr(b, "core", None) == MESH
