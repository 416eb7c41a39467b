"""How features of tables are numbered in the parts they belong to."""

from typing import Any, NamedTuple


class PartNumbers(NamedTuple):
    """Numbers of vertices, edges and faces in their parts, of all shapes of a world, one shape after the other."""

    number: Any
    """(k,) vertices of all shapes, then edges, then the face of each triangle."""
    first: Any
    """(3, n_shape) where those of a shape begin: its vertices, edges and triangles."""
