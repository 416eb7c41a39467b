"""What faces are made from."""

from typing import Any, NamedTuple


class PlacedTriangles(NamedTuple):
    """Triangles, and what follows from the places of their corners."""

    vertices: Any
    """(n, 3) [m]."""
    triangles: Any
    """(m, 3)."""
    vector: Any
    """(m, 3) [m^2] unit normal times area."""
    area: Any
    """(m,) [m^2]."""
