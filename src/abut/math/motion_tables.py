"""Motions as kernels take them: one as a tuple, many as the rows of a table."""

from typing import Any, NamedTuple

# Columns of a table of motions: [rotation (9), position (3), displacement (3), rotation vector (3)].
WAY, TURN, MOTION_WIDTH = 12, 15, 18


class MovingFrame(NamedTuple):
    """A frame that moves from t = 0 to t = 1: its origin straight, turning with constant angular velocity."""

    start: Any
    """Frame at the start."""
    displacement: Any
    """(3) [m] of its origin."""
    rotvec: Any
    """(3) [rad] rotation vector."""


class MotionArrays(NamedTuple):
    """The same as the arrays of a `Motion`."""

    position: Any
    """(3,) [m] at the start."""
    quat_wxyz: Any
    """(4,) at the start."""
    displacement: Any
    """(3,) [m]."""
    rotvec: Any
    """(3,) [rad]."""
