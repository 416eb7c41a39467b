"""Poses as scene files say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...arrays import Floats
from ...math import Pose

if TYPE_CHECKING:
    from .model import Placed, Rotation


def pose_of(placed: Placed) -> Pose:
    """Position and rotation of a table."""
    return _turned(placed.position, placed.rotation or placed)


def _turned(position: tuple[float, float, float], rotation: Rotation) -> Pose:
    if rotation.quat_wxyz is not None:
        return Pose(position, quat_wxyz=rotation.quat_wxyz)
    if rotation.rotvec is not None:
        return Pose.from_rotvec(position, rotation.rotvec)
    if rotation.euler_xyz_deg is not None:
        return Pose(position) @ _about_axes(np.radians(rotation.euler_xyz_deg))
    return Pose(position)


def _about_axes(angles: Floats) -> Pose:
    """About the world's x, then y, then z."""
    x, y, z = (Pose.from_rotvec((0, 0, 0), angle * axis) for angle, axis in zip(angles, np.eye(3), strict=True))
    return z @ y @ x
