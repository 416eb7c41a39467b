"""Bodies as boxes around them are made from."""

from typing import Any, NamedTuple


class Extents(NamedTuple):
    """How far parts reach in their own frames."""

    low: Any
    """(n, 3) [m] low ends, which may be infinite."""
    high: Any
    """(n, 3) [m] high ends."""
    radius: Any
    """(n,) [m] largest distance of a point of the part from the frame's origin."""
