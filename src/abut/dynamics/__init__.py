"""Bodies in motion: the world, its state and its steps."""

from .body import Body
from .contact_table import CONTACT_TYPE
from .joint import Joint, JointCoordinate, Motor, Spring
from .overlap import Overlap, OverlapError
from .report import StepReport
from .world import World

__all__ = [
    "CONTACT_TYPE",
    "Body",
    "Joint",
    "JointCoordinate",
    "Motor",
    "Overlap",
    "OverlapError",
    "Spring",
    "StepReport",
    "World",
]
