"""A fine skin in a coarse cage: each point of the skin is a mean of the four nodes of its tetrahedron."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...arrays import Floats, Ints, rows
from ...errors import InputError, ShapeError
from . import embedding_kernels as kernels
from .shape import edge_matrices

FARTHEST_OUTSIDE = 1.0
"""How far outside its tetrahedron a point may lie, in heights of it."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Which nodes carry each of k points of a skin, and with which shares.

    A straight motion of nodes moves the points straight, too; loads on points go to nodes with the same shares, so that
    force and torque stay what they are.
    """

    corner: Ints
    """(k, 4) nodes that carry each point."""
    weight: Floats
    """(k, 4) their shares: sum 1, a little below 0 where a point lies outside."""

    def positions(self, nodes: Floats) -> Floats:
        """(k, 3) points of the skin where the nodes stand at `nodes`; velocities likewise."""
        points = np.empty((len(self.corner), 3))
        kernels.carry(self.corner, self.weight, _node_table(nodes, self.corner), points)
        return points

    def spread(self, loads: Floats, n: int) -> Floats:
        """(n, 3) loads on n nodes that are as strong as the loads (k, 3) on the points."""
        table = rows("loads", loads, 3)
        if len(table) != len(self.corner):
            raise ShapeError(f"loads: expected one for each of {len(self.corner)} points, got {len(table)}")
        answer = np.zeros((n, 3))
        kernels.spread(self.corner, self.weight, table, answer)
        return answer


def embed(nodes: Floats, tetrahedra: Ints, points: Floats) -> Embedding:
    """Couple points to the tetrahedra that they lie in, or, a little outside, to the nearest one."""
    own, weight = nearest_tetrahedra(nodes, tetrahedra, points)
    outside = (own < 0) | (weight.min(axis=1) < -FARTHEST_OUTSIDE)
    if outside.any():
        worst = int(outside.argmax())
        x, y, z = points[worst]
        raise InputError(
            f"skin: point {worst} at ({x:.4g}, {y:.4g}, {z:.4g}) m lies outside the cage, farther than the height "
            f"of a tetrahedron ({int(outside.sum())} points do); use a smaller cell, or fit='cage'"
        )
    return Embedding(np.ascontiguousarray(tetrahedra[own]), weight)


def nearest_tetrahedra(nodes: Floats, tetrahedra: Ints, points: Floats) -> tuple[Ints, Floats]:
    """The tetrahedron that each point lies in, or the nearest, -1 if none is near; and the shares of its corners."""
    own, weight = np.empty(len(points), np.int32), np.empty((len(points), 4))
    inverse = np.ascontiguousarray(np.linalg.inv(edge_matrices(nodes, tetrahedra)))
    kernels.locate(nodes, tetrahedra, inverse, points, _grid(nodes, tetrahedra), own, weight)
    return own, weight


def _grid(nodes: Floats, tetrahedra: Ints) -> tuple[Floats, float, Ints]:
    """Corner, cell size and numbers of cells of a grid around all tetrahedra and what lies a little outside."""
    corners = nodes[tetrahedra]
    size = float((corners.max(axis=1) - corners.min(axis=1)).max())
    low = nodes.min(axis=0) - size
    counts = np.ceil((nodes.max(axis=0) + size - low) / size).astype(np.int32) + 1
    return low, size, counts


def _node_table(nodes: Floats, corner: Ints) -> Floats:
    table = rows("nodes", nodes, 3)
    if len(corner) and len(table) <= int(corner.max()):
        raise ShapeError(f"nodes: expected at least {int(corner.max()) + 1} rows, got {len(table)}")
    return table
