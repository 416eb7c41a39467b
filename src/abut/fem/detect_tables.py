"""What the detection of contacts works with."""

from typing import Any, NamedTuple


class Surface(NamedTuple):
    """A skin with a tree of boxes around its triangles."""

    vertices: Any
    """(n, 3) [m]."""
    triangles: Any
    """(m, 3)."""
    child: Any
    """(2 m - 1,) first child of each box, or -1 - triangle."""
    boxes: Any
    """(2 m - 1, 6) low and high ends [m]."""


class Located(NamedTuple):
    """Where vertices are with respect to a skin."""

    inside: Any
    """(k,) False too where no ray decides."""
    face: Any
    """(k,) the face that decided, -1 for none."""
    axis: Any
    """(k,) along which its ray ran."""
    way: Any
    """(k,) [m] to the face along that axis."""
