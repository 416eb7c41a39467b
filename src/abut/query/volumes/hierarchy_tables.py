"""Hierarchies as kernels take them.

Entry kernels take plain tuples and name them in their first lines; everything below reads by name.
"""

from typing import Any, NamedTuple


class Part(NamedTuple):
    """A part with a tree of bounding volumes."""

    corners: Any
    """(n, 9) [m] triangles in the order of the leaves."""
    child: Any
    """(n_node,) the first of a node's two children; -1 - t for the leaf of triangle t."""
    rows: Any
    """(n_node, width) volumes of the kind that is asked for."""
    boxes: Any
    """(n_node, 16) oriented boxes, see obb_kernels."""


class SweptPart(NamedTuple):
    """A part that moves, by oriented boxes."""

    corners: Any
    """As in Part; likewise child and boxes."""
    child: Any
    boxes: Any
    reach: Any
    """[m] radius of the ball about the origin of the part's frame."""


class Pair(NamedTuple):
    """Two parts with volumes of one kind, one seen from the other."""

    a: Any
    """Part."""
    b: Any
    """Part."""
    X: Any
    """Pose of B in A."""
    kind: Any
    """Code of the kind of volume, see volume_kernels."""
    table: Any
    """What is prepared once for the pose, None for oriented boxes."""
