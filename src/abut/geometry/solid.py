"""A part: a polyhedron and everything that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints, indices, number, read_only, rows
from ..errors import InputError
from .topology import EdgeKind, bounds_of_triangles, build_topology

if TYPE_CHECKING:
    from .mass import MassProperties
    from .topology import Edges, Faces, Fans, Shells, Topology

FLATNESS = 1e-6
"""Default of `tolerance`, as a fraction of the part's size: above float32 rounding, far below any fit."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """The arrays kernels take: writable, so that they compile once, but never to be written to."""

    vertices: Floats
    """(n_vertex, 3) [m]."""
    triangles: Ints
    """(n_triangle, 3) counter-clockwise seen from outside."""


class Solid:
    """A polyhedral part, immutable: vertices, triangles, and on demand faces, edges, fans, shells and mass.

    `faces` is (m, 3) triangles, (m, k) polygons or a list of polygons of any length, counter-clockwise seen from
    outside. Triangles whose corners lie within `tolerance` [m] of one plane form one face; no vertex is ever moved.
    """

    name: str
    """What messages and contacts call the part; may be empty."""
    tolerance: float
    """[m] how far a corner may lie from the plane of its face."""
    mesh: Mesh
    """The arrays for kernels."""

    def __init__(
        self,
        vertices: ArrayLike,
        faces: ArrayLike | Sequence[Sequence[int]],
        *,
        name: str = "",
        tolerance: float | None = None,
    ) -> None:
        points = rows("vertices", vertices, 3).copy()
        self.mesh = Mesh(points, _as_triangles(points, faces))
        self.name = name
        if tolerance is None:
            tolerance = FLATNESS * float(np.linalg.norm(self.extents))
        self.tolerance = number("tolerance", tolerance, least=0.0)
        self._frozen = True

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
    def extents(self) -> Floats:
        """(3,) size along the axes [m]."""
        low, high = self.bounds
        return np.asarray(high - low)

    @cached_property
    def topology(self) -> Topology:
        """Edges, faces, fans and shells together."""
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
        return float(self.faces.area.sum())

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

    def renamed(self, name: str) -> Solid:
        """The same part under another name."""
        return self._rebuilt(self.mesh.vertices, self.mesh.triangles, self.tolerance, name)

    def _rebuilt(self, vertices: Floats, triangles: Ints, tolerance: float, name: str | None = None) -> Solid:
        return Solid(vertices, triangles, name=self.name if name is None else name, tolerance=tolerance)

    def __setattr__(self, attribute: str, value: Any) -> None:
        if getattr(self, "_frozen", False):
            raise AttributeError(f"a Solid cannot be changed; make a new one instead of setting {attribute!r}")
        super().__setattr__(attribute, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.mesh.vertices, self.mesh.triangles, self.name, self.tolerance)

    def __repr__(self) -> str:
        size = " x ".join(f"{1e3 * x:.4g}" for x in self.extents)
        name = f"{self.name!r}, " if self.name else ""
        return f"Solid({name}{len(self.triangles)} triangles, {size} mm)"


def _restore(vertices: Floats, triangles: Ints, name: str, tolerance: float) -> Solid:
    return Solid(vertices, triangles, name=name, tolerance=tolerance)


def _as_triangles(vertices: Floats, faces: Any) -> Ints:
    if isinstance(faces, np.ndarray) or all(len(face) == 3 for face in faces):
        array = np.asarray(faces)
        if array.ndim == 2 and array.shape[1] > 3:
            return _from_polygons(vertices, array)
        triangles = indices("faces", array, 3, below=len(vertices))
    else:
        return _from_polygons(vertices, faces)
    if len(triangles) == 0:
        raise InputError("faces: expected at least one, got none")
    repeated = (triangles == np.roll(triangles, 1, axis=1)).any(axis=1)
    if repeated.any():
        row = int(repeated.argmax())
        raise InputError(f"faces: row {row} is {triangles[row].tolist()}, which has fewer than three distinct corners")
    return triangles.copy() if triangles is faces else triangles


def _from_polygons(vertices: Floats, polygons: Any) -> Ints:
    from .triangulate import triangulate_polygons

    return triangulate_polygons(vertices, polygons)
