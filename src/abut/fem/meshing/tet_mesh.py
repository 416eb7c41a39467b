"""A cage of tetrahedra: what an elastic body is made of."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints, flag, indices, read_only, rows, values
from ...errors import InputError, warn_caller
from ...geometry import Solid
from ...query.containment.containment import in_one_piece
from .embedding import Embedding, embed
from .quality import MeshWarning, Quality, missing_material, quality_of, thickness_of
from .shape import oriented_faces, signed_volumes
from .soundness import repaired, require_sound


class TetMesh:
    """Tetrahedra between nodes, in metres; immutable.

    `TetMesh(nodes, tetrahedra)` takes (n, 3) points and (m, 4) node numbers. The corners 1, 2, 3 of a tetrahedron run
    counter-clockwise seen from corner 0's opposite side, so that its volume is positive. Flat tetrahedra, wrong
    winding, doubled ones and nodes that belong to none are refused by name; with `repair=True` they are turned round
    or dropped, and `repairs` says what was done. `fill` (m,) is how much of each tetrahedron is material, 0 to 1:
    stiffness and mass are weighted by it.
    """

    def __init__(
        self, nodes: ArrayLike, tetrahedra: ArrayLike, *, fill: ArrayLike | None = None, repair: bool = False
    ) -> None:
        points = rows("nodes", nodes, 3)
        cells = indices("tetrahedra", tetrahedra, 4, len(points))
        shares = _checked_fill(fill, len(cells))
        notes: tuple[str, ...] = ()
        if flag("repair", repair):
            points, cells, shares, notes = repaired(points, cells, shares)
        require_sound(points, cells)
        self._nodes, self._tetrahedra, self._fill = points, cells, shares
        self.repairs = notes
        """What `repair=True` changed, in sentences."""

    @property
    def nodes(self) -> Floats:
        """(n, 3) nodes at rest [m]."""
        return read_only(self._nodes)

    @property
    def tetrahedra(self) -> Ints:
        """(m, 4) nodes of each tetrahedron, of positive volume."""
        return read_only(self._tetrahedra)

    @property
    def fill(self) -> Floats:
        """(m,) how much of each tetrahedron is material, 0 to 1."""
        return read_only(self._fill)

    @cached_property
    def volumes(self) -> Floats:
        """(m,) [m³] of the tetrahedra, whatever they are filled with."""
        return read_only(signed_volumes(self._nodes, self._tetrahedra))

    @property
    def volume(self) -> float:
        """Volume of the material [m³]: that of the tetrahedra times their fill."""
        return float((self.volumes * self._fill).sum())

    @cached_property
    def boundary(self) -> Ints:
        """(k, 3) triangles of the surface of the cage, counter-clockwise from outside."""
        faces = oriented_faces(self._tetrahedra)
        _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
        return read_only(np.ascontiguousarray(faces[np.sort(first[count == 1])]))

    @cached_property
    def pieces(self) -> int:
        """How many pieces the tetrahedra form that are not connected by nodes."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        n, first = len(self._nodes), np.repeat(self._tetrahedra[:, 0], 3)
        graph = csr_array((np.ones(len(first)), (first, self._tetrahedra[:, 1:].ravel())), shape=(n, n))
        return int(connected_components(graph, directed=False, return_labels=False))

    def surface(self, name: str = "") -> Solid:
        """The surface of the cage as a part."""
        used, corner = np.unique(self.boundary, return_inverse=True)
        return Solid(self._nodes[used], corner.reshape(-1, 3), name=name)

    def quality(self) -> Quality:
        """Angles, sizes, and how many cells lie through the thickness."""
        return quality_of(self._nodes, self._tetrahedra, self._thickness)

    @cached_property
    def _thickness(self) -> float:
        """At thin places [m]; that of the part, where the mesh was made from one."""
        return thickness_of(self._nodes, self.boundary)

    def embed(self, skin: Any) -> Embedding:
        """Couple a fine skin to this cage: a `Solid`, or (k, 3) points [m] in the frame of the nodes.

        Each point is a mean of the four nodes of the tetrahedron that it lies in. A point a little outside is coupled
        to the nearest tetrahedron; one that is farther outside than its height is refused.
        """
        points = skin.vertices if hasattr(skin, "vertices") else skin
        return embed(self._nodes, self._tetrahedra, rows("skin", points, 3))

    @classmethod
    def from_solid(cls, part: Solid, cell: float, *, fit: str = "stuffed") -> TetMesh:
        """Fill a closed part with tetrahedra of the size `cell` [m], the same in every run.

        "stuffed" (the default) cuts a body-centred lattice at the surface: its nodes lie on it, edges of the part that
        are sharper than the lattice are rounded off. "cage" keeps whole tetrahedra wherever the part is and weights
        them by how much of them it fills: it holds everything that is thinner than a cell, and bends a little more
        stiffly. "wild" asks the package wildmeshing (extra `wild`): it keeps sharp edges, takes
        seconds, and gives another mesh in every run.
        """
        from .from_solid import mesh_solid

        nodes, tetrahedra, fill = mesh_solid(part, cell, fit)
        mesh = cls(nodes, tetrahedra, fill=fill)
        mesh.__dict__["_thickness"] = thickness_of(part.vertices, part.triangles)
        if missing := missing_material(mesh.volume / part.volume, mesh.pieces if in_one_piece(part) else 1, fit):
            warn_caller(f"{part.label}: {missing}", MeshWarning)
        return mesh._warned(part.label)

    @classmethod
    def load(cls, path: str | Path, *, unit: str = "m", repair: bool = False) -> TetMesh:
        """Read tetrahedra from a Gmsh (.msh), VTK (.vtk, .vtu) or Abaqus (.inp) file; needs the extra `soft`."""
        from .files import read_tetrahedra

        nodes, tetrahedra = read_tetrahedra(path, unit)
        return cls(nodes, tetrahedra, repair=repair)._warned(Path(path).name)

    def _warned(self, name: str) -> TetMesh:
        """Itself, after a warning where it is too coarse for bending."""
        if warning := self.quality().warning:
            warn_caller(f"{name}: {warning}", MeshWarning)
        return self

    def __repr__(self) -> str:
        return f"TetMesh({len(self._nodes)} nodes, {len(self._tetrahedra)} tetrahedra, {self.volume:.4g} m³)"


def _checked_fill(fill: ArrayLike | None, n: int) -> Floats:
    if fill is None:
        return np.ones(n)
    shares = values("fill", fill, n)
    outside = (shares <= 0.0) | (shares > 1.0)
    if outside.any():
        worst = int(outside.argmax())
        raise InputError(f"fill: expected numbers above 0 and up to 1, but entry {worst} is {shares[worst]:g}")
    return shares
