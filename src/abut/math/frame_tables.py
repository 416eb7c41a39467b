"""Poses as kernels take them."""

from typing import Any, NamedTuple


class Frame(NamedTuple):
    """Where a frame B stands, seen from a frame A."""

    R: Any
    """(9) rotation by rows: the axes of B in A are its columns."""
    p: Any
    """(3) [m] origin of B in A."""


IDENTITY = Frame((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
"""B is A."""
