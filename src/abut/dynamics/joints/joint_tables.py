"""Rows of joints as kernels take them, see joint_kernels."""

from typing import Any, NamedTuple


class JointRows(NamedTuple):
    """Where the rows of joints are."""

    name: Any
    """(n_row, 4) kind of row, body A, body B, joint."""
    place: Any
    """(n_row, 16) points, axes and factors."""
    last: Any
    """(n_row,) [rad] angles at the start."""


class JointLaws(NamedTuple):
    """What is asked of the rows of joints."""

    law: Any
    """(n_row,) EQUAL, AT_LEAST, AT_MOST, VELOCITY, POSITION or SPRING."""
    value: Any
    """(n_row, 5) numbers of the laws."""
