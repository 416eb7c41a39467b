"""How far the triangles of a STEP part lie from its true surface."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ChordError:
    """Measured error of a tessellation. Every face is measured, free forms at the middle of each triangle and side."""

    largest: float
    """[m] over all faces of the part."""
    faces: int
    """Number of faces in the file."""
    recognised_faces: int
    """Planes, cylinders, cones and spheres that the file stores as free forms."""
    other_faces: int
    """Free forms that are none of these."""
