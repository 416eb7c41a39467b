"""How a part moves over one step: straight translation and constant angular velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from ..arrays import Floats, vector
from ..errors import InputError
from .pose import Pose, as_pose


@dataclass(frozen=True, eq=False)
class Motion:
    """Motion over t in [0, 1]: the frame's origin moves straight by `displacement`, the frame turns by `rotvec`.

    `rotvec` may hold any number of turns. R(t) = exp(t rotvec) R(0), p(t) = p(0) + t displacement.
    """

    start: Pose
    """Pose at t = 0."""
    displacement: Floats
    """(3,) [m], in the frame the pose is given in."""
    rotvec: Floats
    """(3,) [rad], in the frame the pose is given in."""

    def __init__(
        self, start: Pose, displacement: ArrayLike = (0.0, 0.0, 0.0), rotvec: ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        object.__setattr__(self, "start", as_pose("start", start))
        object.__setattr__(self, "displacement", vector("displacement", displacement).copy())
        object.__setattr__(self, "rotvec", vector("rotvec", rotvec).copy())

    @classmethod
    def between(cls, start: Pose, end: Pose) -> Motion:
        """The motion from one pose to another by the shortest rotation."""
        turn = Pose((0, 0, 0), quat_wxyz=end.quat_wxyz) @ Pose((0, 0, 0), quat_wxyz=start.quat_wxyz).inverse()
        return cls(start, end.position - start.position, turn.rotvec)

    def at(self, t: float) -> Pose:
        """Pose at time `t`."""
        turn = Pose.from_rotvec((0, 0, 0), t * self.rotvec) @ Pose((0, 0, 0), quat_wxyz=self.start.quat_wxyz)
        return Pose(self.start.position + t * self.displacement, quat_wxyz=turn.quat_wxyz)


def as_motion(name: str, value: Any) -> Motion:
    """What users may pass for a motion: a Motion, a pair of poses, or one pose for a part at rest."""
    if isinstance(value, Motion):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return Motion.between(as_pose(f"{name}[0]", value[0]), as_pose(f"{name}[1]", value[1]))
    if value is None or isinstance(value, Pose):
        return Motion(as_pose(name, value))
    raise InputError(f"{name}: expected (X_0, X_1), a Motion or a Pose, got {type(value).__name__}")
