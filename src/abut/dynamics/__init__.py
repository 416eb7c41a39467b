"""Bodies in motion: the world, its state and its steps."""

from .bodies.body import Body
from .contacts.contact_table import CONTACT_TYPE
from .events import Event
from .joints.joint import Joint
from .joints.joint_coordinate import JointCoordinate
from .joints.motors import Motor, Spring
from .report import RunSummary, StepReport
from .soft.deformable import Deformable
from .stepping.overlap import KinematicOverlapError, MovedApart, Overlap, OverlapError
from .world import World

__all__ = [
    "CONTACT_TYPE",
    "Body",
    "Deformable",
    "Event",
    "Joint",
    "JointCoordinate",
    "KinematicOverlapError",
    "Motor",
    "MovedApart",
    "Overlap",
    "OverlapError",
    "RunSummary",
    "Spring",
    "StepReport",
    "World",
]
