"""What a part answers: its bounds, its topology, its mass. All of it follows from vertices and triangles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats, Ints, read_only
from ..errors import InputError
from .shape import MESH, Ball, Shape
from .surfaces.surfaces import Surfaces
from .topology.topology import EdgeKind, bounds_of_triangles, build_topology

if TYPE_CHECKING:
    from .mass import MassProperties
    from .topology.topology import Edges, Faces, Fans, Shells, Topology


@dataclass(frozen=True, eq=False)
class Mesh:
    """The arrays kernels take: writable, so that they compile once, but never to be written to."""

    vertices: Floats
    """(n_vertex, 3) [m]."""
    triangles: Ints
    """(n_triangle, 3) counter-clockwise seen from outside."""


class SolidAnswers(Shape):
    """A part as far as it is asked; each answer is found once, when it is first asked for."""

    kind = "solid"
    core = MESH

    name: str
    """What messages and contacts call the part; may be empty."""
    tolerance: float
    """[m] how far a corner may lie from the plane of its face."""
    mesh: Mesh
    """The arrays for kernels."""
    surfaces: Surfaces
    """The smooth surfaces that the triangles stand for; none are known of plain meshes and of CAD operations."""

    @property
    def vertices(self) -> Floats:
        """(n_vertex, 3) [m], read-only."""
        return read_only(self.mesh.vertices)

    @property
    def triangles(self) -> Ints:
        """(n_triangle, 3) vertex indices, counter-clockwise seen from outside; read-only."""
        return read_only(self.mesh.triangles)

    @cached_property
    def bounds(self) -> Floats:
        """(2, 3) lowest and highest coordinates [m]."""
        return bounds_of_triangles(self.mesh.vertices, self.mesh.triangles)

    @property
    def reach(self) -> float:
        """[m] largest distance of a vertex from the origin: a hair more than the square root, which is rounded."""
        return float(np.sqrt((self.mesh.vertices**2).sum(axis=1).max())) * (1.0 + 1e-15)

    @cached_property
    def core_ball(self) -> Ball:
        """A ball around the part, about the middle of its box."""
        x, y, z = centre = self.bounds.mean(axis=0)
        return (float(x), float(y), float(z)), float(np.linalg.norm(self.mesh.vertices - centre, axis=1).max())

    @property
    def extents(self) -> Floats:
        """(3,) size along the axes [m]."""
        low, high = self.bounds
        return np.asarray(high - low)

    @cached_property
    def topology(self) -> Topology:
        """Edges, faces, fans and shells together."""
        if not self:
            raise InputError(f"{self.label} is empty: it has no edges and no faces; ask bool(part) first")
        return build_topology(self.mesh.vertices, self.mesh.triangles, self.tolerance)

    @property
    def edges(self) -> Edges:
        """Edges with their kind and dihedral angle."""
        return self.topology.edges

    @property
    def faces(self) -> Faces:
        """Planar faces with planes and loops."""
        return self.topology.faces

    @property
    def fans(self) -> Fans:
        """Triangles around each vertex."""
        return self.topology.fans

    @property
    def shells(self) -> Shells:
        """Connected surfaces."""
        return self.topology.shells

    @cached_property
    def closed(self) -> bool:
        """Whether every edge has material on both sides: the surface bounds a volume."""
        return bool(self.shells.closed.all())

    @property
    def genus(self) -> int:
        """Number of handles (through holes) of a closed part, summed over its shells."""
        self._require_closed("genus")
        return int(self.shells.genus.sum())

    @property
    def cavities(self) -> int:
        """Number of enclosed voids."""
        return int((self.shells.closed & (self.shells.depth % 2 == 1)).sum())

    @cached_property
    def area(self) -> float:
        """Surface area [m^2]."""
        return float(self.faces.area.sum()) if self else 0.0

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Volume, centroid and inertia at density 1."""
        from .mass import mass_properties

        self._require_closed("mass properties")
        return mass_properties(self.mesh.vertices, self.mesh.triangles)

    @property
    def volume(self) -> float:
        """[m^3]."""
        return self.mass_properties.volume

    @property
    def centroid(self) -> Floats:
        """(3,) centre of mass [m]."""
        return self.mass_properties.centroid

    @property
    def inertia(self) -> Floats:
        """(3, 3) [m^5] inertia tensor about the centroid at density 1."""
        return self.mass_properties.inertia

    def _require_closed(self, wanted: str) -> None:
        if not self.closed:
            edges = self.edges
            n_open = edges.count(EdgeKind.BOUNDARY) + edges.count(EdgeKind.NON_MANIFOLD)
            raise InputError(
                f"{wanted} of {self.label}: the surface is not closed ({n_open} open edges); "
                "problems() says where, and loading with repair=True heals what can be healed"
            )

    @property
    def label(self) -> str:
        """What to call the part in a sentence."""
        return f"part '{self.name}'" if self.name else "an unnamed part"

    def __bool__(self) -> bool:
        """False for the empty part, which is what parts that do not overlap have in common."""
        return len(self.mesh.triangles) > 0
