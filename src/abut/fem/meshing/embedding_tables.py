"""A grid of cells around tetrahedra."""

from typing import Any, NamedTuple


class CellGrid(NamedTuple):
    """Cubes in which tetrahedra are looked up."""

    low: Any
    """(3,) [m] corner."""
    size: Any
    """[m] of a cell."""
    counts: Any
    """(3,) how many there are along each axis."""
