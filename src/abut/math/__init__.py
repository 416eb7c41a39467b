"""Vectors, quaternions, poses, rigid motions and small dense algebra."""

from .motion import Motion
from .pose import Pose

__all__ = ["Motion", "Pose"]
