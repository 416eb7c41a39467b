"""The smooth surfaces that the triangles of a part stand for: planes, cylinders, cones, spheres, tori, free forms.

A part from STEP knows them, and so do the round primitives. A surface says where the true shape is, on which side of it
the material lies, and how far the triangles deviate from it; a polyhedron without such knowledge has an empty table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np

from ...arrays import Floats, Ints, read_only

PLANE, CYLINDER, CONE, SPHERE, TORUS, OTHER = KINDS = ("plane", "cylinder", "cone", "sphere", "torus", "other")
"""What a surface can be; "other" is a free form, of which only the deviation is known."""

HOLE, SHAFT, FLAT = SENSES = ("hole", "shaft", "")
"""On which side of a round surface the material lies: around it, inside it; "" for planes and free forms."""

_NOWHERE = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Surface:
    """One smooth surface of a part, in the part's frame. Two halves of one hole are one surface."""

    kind: str
    """One of `KINDS`."""
    point: tuple[float, float, float] = _NOWHERE
    """[m] on a plane; on the axis of a cylinder; the apex of a cone; the centre of a sphere or torus."""
    axis: tuple[float, float, float] = _NOWHERE
    """Unit vector: the normal of a plane, out of the material; the axis of a cylinder or torus; of a cone, from its
    apex into its opening. Zero for spheres and free forms."""
    radius: float = 0.0
    """[m] of a cylinder or sphere; of a torus, that of the middle of its tube."""
    minor_radius: float = 0.0
    """[m] of the tube of a torus."""
    half_angle: float = 0.0
    """[rad] between the axis and the side of a cone."""
    sense: str = FLAT
    """One of `SENSES`."""
    name: str = ""
    """As the file calls the face; may be empty."""
    deviation: tuple[float, float] = (0.0, 0.0)
    """[m] how far the triangles lie at least and at most outside the surface, seen from the material; measured. Chords
    of a shaft lie inside, (-x, 0); those of a hole lie outside, (0, x)."""

    @property
    def chord_error(self) -> float:
        """[m] the longest way between the triangles and the surface."""
        return max(abs(x) for x in self.deviation)

    @property
    def side(self) -> float:
        """1 where the material lies inside a round surface, -1 for a hole."""
        return -1.0 if self.sense == HOLE else 1.0

    def height(self, points: Floats) -> Floats:
        """(n,) [m] how far points (n, 3) lie outside the surface, seen from the material; not for free forms."""
        return self.side * self._distance(np.asarray(points, np.float64) - self.point)

    def normal(self, points: Floats) -> Floats:
        """(n, 3) unit vectors out of the material at points (n, 3) near the surface; not for free forms."""
        away = self._gradient(np.asarray(points, np.float64) - self.point)
        length = np.linalg.norm(away, axis=1, keepdims=True)
        return np.asarray(self.side * np.divide(away, length, out=np.zeros_like(away), where=length > 0.0))

    def _distance(self, q: Floats) -> Floats:
        """Distance from the surface, > 0 on its convex side (along the normal of a plane)."""
        along, around, _ = self._cylindrical(q)
        if self.kind == PLANE:
            return along
        if self.kind == CYLINDER:
            return around - self.radius
        if self.kind == CONE:
            return np.asarray(around * np.cos(self.half_angle) - along * np.sin(self.half_angle))
        if self.kind == SPHERE:
            return np.asarray(np.linalg.norm(q, axis=1) - self.radius)
        if self.kind == TORUS:
            return np.hypot(around - self.radius, along) - self.minor_radius
        raise ValueError("a free form has no formula")

    def _gradient(self, q: Floats) -> Floats:
        """A vector along the gradient of `_distance`."""
        along, around, radial = self._cylindrical(q)
        n = np.asarray(self.axis)
        if self.kind == PLANE:
            return np.broadcast_to(n, q.shape).copy()
        if self.kind == CYLINDER:
            return radial
        if self.kind == SPHERE:
            return q
        outward = np.divide(radial, around[:, None], out=np.zeros_like(q), where=around[:, None] > 0.0)
        if self.kind == CONE:
            return np.asarray(outward * np.cos(self.half_angle) - n * np.sin(self.half_angle))
        if self.kind == TORUS:
            return np.asarray(outward * (around - self.radius)[:, None] + along[:, None] * n)
        raise ValueError("a free form has no formula")

    def _cylindrical(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """Coordinates along the axis, distances from it and the vectors from it."""
        n = np.asarray(self.axis)
        along = q @ n
        radial = q - along[:, None] * n
        return along, np.asarray(np.linalg.norm(radial, axis=1)), radial

    def moved(self, rotation: Floats, shift: Floats, factor: float = 1.0) -> Surface:
        """The surface enlarged about the origin, then turned (or mirrored), then shifted."""
        return replace(
            self,
            point=_triple(factor * (rotation @ self.point) + shift),
            axis=_triple(rotation @ self.axis),
            radius=factor * self.radius,
            minor_radius=factor * self.minor_radius,
            deviation=(factor * self.deviation[0], factor * self.deviation[1]),
        )


@dataclass(frozen=True, eq=False)
class Surfaces(Sequence[Surface]):
    """The surfaces of a part and which of them each triangle belongs to; empty where nothing is known."""

    table: tuple[Surface, ...]
    ids: Ints
    """(n_triangle,) row in the table, -1 for none; `of_triangle` is the same, read-only."""

    @property
    def of_triangle(self) -> Ints:
        """(n_triangle,) which surface each triangle belongs to, -1 for none; read-only."""
        return read_only(self.ids)

    @property
    def chord_error(self) -> float:
        """[m] largest deviation of any triangle from the surface it stands for; 0 where no surface is known."""
        return max((surface.chord_error for surface in self.table), default=0.0)

    @property
    def deviation(self) -> tuple[float, float]:
        """[m] how far triangles lie at least (<= 0) and at most (>= 0) outside their surfaces, over all of them."""
        least = min((surface.deviation[0] for surface in self.table), default=0.0)
        most = max((surface.deviation[1] for surface in self.table), default=0.0)
        return min(least, 0.0), max(most, 0.0)

    def triangles(self, surface: int) -> Ints:
        """The triangles of one surface."""
        return np.flatnonzero(self.ids == range(len(self.table))[surface]).astype(np.int32)

    def find(self, kind: str | None = None, *, sense: str | None = None, name: str | None = None) -> list[int]:
        """Rows of the surfaces of a kind, a sense and a name, each of which may be left out."""
        wanted = {"kind": kind, "sense": sense, "name": name}
        given = {key: value for key, value in wanted.items() if value is not None}
        return [i for i, s in enumerate(self.table) if all(getattr(s, key) == value for key, value in given.items())]

    def moved(self, rotation: Floats, shift: Floats, factor: float = 1.0) -> Surfaces:
        """The surfaces of the part enlarged about the origin, then turned (or mirrored), then shifted."""
        return Surfaces(tuple(surface.moved(rotation, shift, factor) for surface in self.table), self.ids)

    def __len__(self) -> int:
        return len(self.table)

    @overload
    def __getitem__(self, i: int) -> Surface: ...

    @overload
    def __getitem__(self, i: slice) -> tuple[Surface, ...]: ...

    def __getitem__(self, i: Any) -> Any:
        return self.table[i]

    def __iter__(self) -> Iterator[Surface]:
        return iter(self.table)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {kind}" for kind in KINDS if (n := len(self.find(kind))))
        return f"Surfaces({counts or 'none known'})"


def no_surfaces(n_triangle: int) -> Surfaces:
    """The table of a part of which no surface is known."""
    return Surfaces((), np.full(n_triangle, -1, np.int32))


def _triple(v: Floats) -> tuple[float, float, float]:
    x, y, z = v.tolist()
    return x, y, z
