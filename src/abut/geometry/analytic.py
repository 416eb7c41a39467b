"""Shapes that are a formula and not a polyhedron."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, number, unit_vector, vector


@dataclass(frozen=True)
class Sphere:
    """A ball of the given radius [m] about the origin of its frame."""

    radius: float

    def __init__(self, radius: float) -> None:
        object.__setattr__(self, "radius", number("radius", radius, above=0.0))

    @property
    def volume(self) -> float:
        """[m^3]."""
        return 4.0 / 3.0 * np.pi * self.radius**3

    @property
    def centroid(self) -> Floats:
        """(3,) the origin."""
        return np.zeros(3)

    @property
    def inertia(self) -> Floats:
        """(3, 3) [m^5] about the centre, for density 1."""
        return np.eye(3) * (0.4 * self.volume * self.radius**2)

    @property
    def bounds(self) -> Floats:
        """(2, 3) lowest and highest coordinates [m]."""
        return np.array([[-self.radius] * 3, [self.radius] * 3])


@dataclass(frozen=True, eq=False)
class HalfSpace:
    """All points x with normal . x <= offset: material below a plane whose normal points out of it."""

    normal: Floats
    offset: float

    def __init__(self, normal: ArrayLike = (0.0, 0.0, 1.0), offset: float = 0.0) -> None:
        given = vector("normal", normal)
        # One of length 1 is left untouched to the last bit: a half-space must survive being saved and read again.
        is_unit = abs(float(np.linalg.norm(given)) - 1.0) < 4e-16
        object.__setattr__(self, "normal", given.copy() if is_unit else unit_vector("normal", normal))
        object.__setattr__(self, "offset", number("offset", offset))
