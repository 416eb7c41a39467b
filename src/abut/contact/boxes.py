"""Axis-parallel boxes around bodies, at an instant or over a motion: what culling works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, number, rows
from ..errors import InputError, ShapeError
from ..geometry import Shape
from ..query.features import shape_of
from . import boxes_kernels as kernels


@dataclass(frozen=True, eq=False)
class BodyBounds:
    """How far parts reach in their own frames, one row per body."""

    low: Floats
    """(n, 3) lowest coordinates [m], -inf for half-spaces."""
    high: Floats
    """(n, 3) highest coordinates [m]."""
    radius: Floats
    """(n,) largest distance of a point from the frame's origin [m]."""

    @classmethod
    def of(cls, shapes: Sequence[Shape]) -> BodyBounds:
        """Bounds of the given shapes."""
        found = [shape_of("shapes", shape) for shape in shapes]
        table = np.array([shape.bounds for shape in found]).reshape(-1, 2, 3)
        radius = np.array([shape.reach for shape in found], np.float64)
        return cls(np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]), radius)

    def boxes_at(self, poses: ArrayLike, margin: float = 0.0) -> tuple[Floats, Floats]:
        """Low and high ends (n, 3) of boxes around the bodies at poses (n, 7), with `margin` [m] around them."""
        X_WB = self._table("poses", poses, 7)
        low, high = np.empty_like(self.low), np.empty_like(self.high)
        kernels.boxes_at_poses(self.low, self.high, self.radius, X_WB, number("margin", margin, least=0.0), low, high)
        return low, high

    def boxes_over(
        self, poses: ArrayLike, displacement: ArrayLike, rotvec: ArrayLike, margin: float = 0.0
    ) -> tuple[Floats, Floats]:
        """Low and high ends (n, 3) of boxes around all that the bodies pass through during their motions.

        A motion starts at its pose, moves the frame's origin by its displacement [m] and turns by its rotvec [rad],
        which may hold any number of turns.
        """
        X_WB, d = self._table("poses", poses, 7), self._table("displacement", displacement, 3)
        r = self._table("rotvec", rotvec, 3)
        low, high = np.empty_like(self.low), np.empty_like(self.high)
        bounds = (self.low, self.high, self.radius)
        ways = np.concatenate((d, r), axis=1)
        kernels.boxes_over_motions(*bounds, X_WB, ways, number("margin", margin, least=0.0), low, high)
        return low, high

    def _table(self, name: str, value: ArrayLike, width: int) -> Floats:
        table = rows(name, value, width)
        if len(table) != len(self.radius):
            raise ShapeError(f"{name}: there are {len(self.radius)} bodies, but {len(table)} rows")
        if width == 7 and (np.abs((table[:, 3:] ** 2).sum(axis=1) - 1.0) > 1e-9).any():
            raise InputError(f"{name}: the quaternions, columns 3 to 6, must have length 1")
        return table
