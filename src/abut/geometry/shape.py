"""What every shape answers, so that nobody has to ask which one it is.

A shape is a core and everything within its `margin` of it. The core of a ball is a point, that of a capsule a segment;
polyhedra and half-spaces are their own cores. What depends on the core looks it up in a table of its own by `core`
(`query/motion/exposed.py`, `query/distance/analytic.py`, `contact/surface.py`, `app/draw/item.py`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np

from ..arrays import Floats
from ..errors import InputError

POINT, SEGMENT, MESH, PLANE = "point", "segment", "mesh", "plane"
"""Cores of shapes."""

Ball = tuple[tuple[float, float, float], float]
"""Centre and radius [m]."""


class Shape:
    """A Solid, or a shape that is a formula."""

    kind: ClassVar[str]
    """What scene files call it."""
    core: ClassVar[str]
    """POINT, SEGMENT, MESH or PLANE."""

    @property
    def margin(self) -> float:
        """[m] how far the shape reaches beyond its core."""
        return 0.0

    @property
    def polyhedral(self) -> bool:
        """Whether it has triangles, with vertices, edges and faces to name."""
        return self.core == MESH

    @property
    def bounded(self) -> bool:
        """Whether it has a size; a half-space has none."""
        return self.core != PLANE

    @property
    def closed(self) -> bool:
        """Whether it has an inside."""
        return True

    @property
    def bounds(self) -> Floats:
        """(2, 3) lowest and highest coordinates [m]."""
        raise NotImplementedError

    @property
    def reach(self) -> float:
        """[m] largest distance of a point of it from the origin of its frame."""
        raise NotImplementedError

    @property
    def core_ball(self) -> Ball:
        """A ball around its core: what turning the shape moves."""
        raise NotImplementedError

    @property
    def identity(self) -> Hashable:
        """What is equal for shapes that do not differ in anything."""
        return self.kind, tuple((word, np.asarray(value).tobytes()) for word, value in self.words.items())

    @property
    def words(self) -> dict[str, Any]:
        """Numbers and vectors that make it, by the names of its arguments; a Solid is not made from a few of them."""
        raise NotImplementedError

    @property
    def volume(self) -> float:
        """[m^3]."""
        raise InputError(f"shape: a {self.kind} has no mass")

    @property
    def centroid(self) -> Floats:
        """(3,) [m] centre of mass at uniform density."""
        raise InputError(f"shape: a {self.kind} has no mass")

    @property
    def inertia(self) -> Floats:
        """(3, 3) [m^5] about the centroid, for density 1."""
        raise InputError(f"shape: a {self.kind} has no mass")


def size_of(shape: Shape) -> float:
    """Diagonal of its box [m]; infinite for a half-space."""
    low, high = shape.bounds
    return float(np.linalg.norm(high - low))
