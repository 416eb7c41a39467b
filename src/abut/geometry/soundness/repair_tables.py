"""What is found wrong with triangles."""

from typing import Any, NamedTuple


class Splits(NamedTuple):
    """Vertices that lie on open edges of other triangles."""

    edge: Any
    """(n,) half-edge."""
    vertex: Any
    """(n,)."""
    t: Any
    """(n,) where it lies on the edge, from 0 to 1."""
    gap: Any
    """(n,) [m] its distance from the edge."""
