"""Bodies in motion: the world, its state and its steps."""

from .body import Body
from .contact_table import CONTACT_TYPE
from .joint import Joint, JointCoordinate, Motor, Spring
from .overlap import KinematicOverlapError, Overlap, OverlapError
from .report import RunSummary, StepReport
from .world import World

__all__ = [
    "CONTACT_TYPE",
    "Body",
    "Joint",
    "JointCoordinate",
    "KinematicOverlapError",
    "Motor",
    "Overlap",
    "OverlapError",
    "RunSummary",
    "Spring",
    "StepReport",
    "World",
]
