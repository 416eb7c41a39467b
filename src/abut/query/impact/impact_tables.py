"""What travels between the kernels of impacts.

Speeds are per unit of motion time. Motions are MovingFrames (math.motion_tables).
"""

from typing import Any, NamedTuple


class PointState(NamedTuple):
    """A point of a moving body."""

    position: Any
    """(3) [m]."""
    velocity: Any
    """(3) [m]."""
    arm: Any
    """(3) [m] from the origin of the body's frame."""


class Turning(NamedTuple):
    """How a body turns, seen along a direction."""

    speed: Any
    """[rad] angular speed."""
    speed2: Any
    """[rad^2] its square."""
    extent: Any
    """Extent along the direction of a circle of radius 1 about the axis."""


class Circle(NamedTuple):
    """The circle on which a point of a turning body runs, seen along a direction."""

    extent: Any
    """[m] its extent along the direction."""
    offset: Any
    """[m] the point's offset along the direction from the circle's centre."""


class MovingFeature(NamedTuple):
    """A face, an edge or a vertex at a time of its motion."""

    states: Any
    """PointState of each of its points."""
    pose: Any
    """Of its body."""
    motion: Any
    """MovingFrame of its body."""


class MovingNode(NamedTuple):
    """A node of a hierarchy at a time of its motion."""

    rows: Any
    """(n_node, 16) oriented boxes."""
    i: Any
    """The node."""
    state: Any
    """PointState of the centre of its box."""
    pose: Any
    """Of its body."""
    motion: Any
    """MovingFrame of its body."""


class Sought(NamedTuple):
    """When features touch."""

    gap: Any
    """[m] within which they do."""
    tolerance: Any
    """[m] by which they may be farther when it is told."""


class Gaps(NamedTuple):
    """The same of parts whose places are rounded."""

    gap: Any
    """[m]."""
    tolerance: Any
    """[m]."""
    slack: Any
    """[m] bound of the rounding."""


class Heap(NamedTuple):
    """Pairs of nodes that wait, the earliest first."""

    pairs: Any
    """(room, 2) nodes of A and of B; of a touch, -1 - triangle of A and triangle of B."""
    keys: Any
    """(room,) times until which they cannot meet."""
