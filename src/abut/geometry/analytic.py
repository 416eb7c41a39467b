"""Shapes that are a formula and not a polyhedron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, number, unit_vector, vector
from .shape import PLANE, POINT, SEGMENT, Ball, Shape


class Rounded(Shape):
    """A point or a segment of the z axis about the origin, and everything within a radius of it."""

    radius: float
    """[m]."""

    @property
    def half_length(self) -> float:
        """[m] from the origin to either end of the core."""
        return 0.0

    @property
    def margin(self) -> float:
        """[m] its radius."""
        return self.radius

    @property
    def ends(self) -> Floats:
        """(2, 3) ends of the core [m], the lower one first; equal for a point."""
        return np.array([[0.0, 0.0, -self.half_length], [0.0, 0.0, self.half_length]])

    def nearest_of_core(self, points: Floats) -> Floats:
        """(n, 3) the points of the core that are nearest to the given ones, all in its frame."""
        feet = np.zeros_like(points)
        feet[:, 2] = np.clip(points[:, 2], -self.half_length, self.half_length)
        return feet

    @property
    def core_ball(self) -> Ball:
        """About the origin, to the ends of the core."""
        return (0.0, 0.0, 0.0), self.half_length

    @property
    def reach(self) -> float:
        """[m] to the tip of a cap."""
        return self.half_length + self.radius

    @property
    def bounds(self) -> Floats:
        """(2, 3) lowest and highest coordinates [m]."""
        half = np.array([self.radius, self.radius, self.reach])
        return np.stack((-half, half))

    @property
    def centroid(self) -> Floats:
        """(3,) the origin."""
        return np.zeros(3)


@dataclass(frozen=True)
class Sphere(Rounded):
    """A ball of the given radius [m] about the origin of its frame."""

    kind = "sphere"
    core = POINT

    radius: float

    def __init__(self, radius: float) -> None:
        object.__setattr__(self, "radius", number("radius", radius, above=0.0))

    @property
    def words(self) -> dict[str, Any]:
        """Its radius."""
        return {"radius": self.radius}

    @property
    def volume(self) -> float:
        """[m^3]."""
        return 4.0 / 3.0 * np.pi * self.radius**3

    @property
    def inertia(self) -> Floats:
        """(3, 3) [m^5] about the centre, for density 1."""
        return np.eye(3) * (0.4 * self.volume * self.radius**2)


@dataclass(frozen=True)
class Capsule(Rounded):
    """A cylinder along z with a half ball on either end, about the origin of its frame."""

    kind = "capsule"
    core = SEGMENT

    radius: float
    """[m] of the cylinder and of its caps."""
    length: float
    """[m] between the centres of the caps."""

    def __init__(self, radius: float, length: float) -> None:
        object.__setattr__(self, "radius", number("radius", radius, above=0.0))
        object.__setattr__(self, "length", number("length", length, above=0.0))

    @property
    def half_length(self) -> float:
        """[m] from the origin to the centre of a cap."""
        return 0.5 * self.length

    @property
    def words(self) -> dict[str, Any]:
        """Its radius and length."""
        return {"radius": self.radius, "length": self.length}

    @property
    def volume(self) -> float:
        """[m^3]."""
        return np.pi * self.radius**2 * (self.length + 4.0 / 3.0 * self.radius)

    @property
    def inertia(self) -> Floats:
        """(3, 3) [m^5] about the centre, for density 1: of the cylinder, and of two half balls at its ends.

        A half ball's centre of mass is 3/8 of the radius from the ball's; so beside that of a whole ball, 2/5 of its
        mass times the square of its radius, stands the mass times L^2 / 4 + 3/8 r L across the axis.
        """
        r, length = self.radius, self.length
        rod, ball = np.pi * r**2 * length, 4.0 / 3.0 * np.pi * r**3
        along = 0.5 * rod * r**2 + 0.4 * ball * r**2
        across = rod * (0.25 * r**2 + length**2 / 12.0) + ball * (0.4 * r**2 + 0.25 * length**2 + 0.375 * r * length)
        return np.diag([across, across, along])


@dataclass(frozen=True, eq=False)
class HalfSpace(Shape):
    """All points x with normal . x <= offset: material below a plane whose normal points out of it."""

    kind = "half_space"
    core = PLANE

    normal: Floats
    """(3,) unit vector out of the material."""
    offset: float
    """[m] of the plane from the origin, along the normal."""

    def __init__(self, normal: ArrayLike = (0.0, 0.0, 1.0), offset: float = 0.0) -> None:
        given = vector("normal", normal)
        # One of length 1 is left untouched to the last bit: a half-space must survive being saved and read again.
        is_unit = abs(float(np.linalg.norm(given)) - 1.0) < 4e-16
        object.__setattr__(self, "normal", given.copy() if is_unit else unit_vector("normal", normal))
        object.__setattr__(self, "offset", number("offset", offset))

    @property
    def words(self) -> dict[str, Any]:
        """Its normal and offset."""
        return {"normal": self.normal, "offset": self.offset}

    @property
    def bounds(self) -> Floats:
        """(2, 3) infinite but for the one direction in which a half-space along an axis of its frame ends."""
        bounds = np.array([[-np.inf] * 3, [np.inf] * 3])
        axis = int(np.abs(self.normal).argmax())
        if abs(self.normal[axis]) == 1.0:
            side = 1 if self.normal[axis] > 0.0 else 0
            bounds[side, axis] = self.offset * self.normal[axis]
        return bounds

    @property
    def reach(self) -> float:
        """Infinite."""
        return np.inf

    @property
    def core_ball(self) -> Ball:
        """No radius is large enough."""
        return (0.0, 0.0, 0.0), np.inf

    @property
    def volume(self) -> float:
        """Infinite."""
        return np.inf


FORMULAS: dict[str, type[Sphere] | type[Capsule] | type[HalfSpace]] = {
    shape.kind: shape for shape in (Sphere, Capsule, HalfSpace)
}
"""Shapes that are made from a few numbers, by what scene files call them."""


def is_half_space(shape: Shape) -> TypeGuard[HalfSpace]:
    """Whether it is what lies below a plane."""
    return shape.core == PLANE
