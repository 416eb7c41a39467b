"""Volume, centre and inertia of a closed solid, exact for its polyhedron."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from . import mass_kernels
from .topology.topology import bounds_of_triangles


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Integrals over a solid of density 1; multiply volume and inertia by a density for mass properties."""

    volume: float
    """[m^3]."""
    centroid: Floats
    """(3,) [m]."""
    inertia: Floats
    """(3, 3) [m^5] inertia tensor about the centroid, along the part's axes."""


def mass_properties(vertices: Floats, triangles: Ints) -> MassProperties:
    """Integrals over the solid that the triangles bound; they must close and point outwards."""
    integrals = np.empty(10)
    # Seen from the middle of the part, tetrahedra cancel least: 12 digits also for parts far from the origin.
    origin = 0.5 * bounds_of_triangles(vertices, triangles).sum(axis=0)
    everything = np.arange(len(triangles), dtype=np.int32)
    mass_kernels.volume_integrals(vertices, triangles, everything, tuple(origin.tolist()), integrals)
    volume = float(integrals[0])
    shift = integrals[1:4] / volume if volume != 0.0 else np.zeros(3)
    xx, yy, zz, yz, zx, xy = integrals[4:]
    second = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) - volume * np.outer(shift, shift)
    return MassProperties(volume, origin + shift, np.trace(second) * np.eye(3) - second)
