"""Where a part is: a rotation and a position."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, matrix, rows, vector
from ..errors import InputError

_IDENTITY = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Pose:
    """Pose of a frame B in a frame A: `X_AB.apply(p_B)` is `p_A`, and `X_AB @ X_BC` is `X_AC`.

    `quat_wxyz` may have any length but zero; it is kept at length 1.
    """

    position: Floats
    """(3,) origin of B in A [m]."""
    quat_wxyz: Floats
    """(4,) unit quaternion, scalar first."""

    def __init__(self, position: ArrayLike = (0.0, 0.0, 0.0), quat_wxyz: ArrayLike = _IDENTITY) -> None:
        object.__setattr__(self, "position", vector("position", position).copy())
        object.__setattr__(self, "quat_wxyz", _unit_quaternion(quat_wxyz))

    @classmethod
    def identity(cls) -> Pose:
        """No rotation, no displacement."""
        return cls()

    @classmethod
    def from_matrix(cls, M: ArrayLike) -> Pose:
        """From a 4x4 homogeneous matrix; its rotation must be orthonormal to 1e-6."""
        array = matrix("M", M, 4, 4)
        R = array[:3, :3]
        defect = float(np.abs(R @ R.T - np.eye(3)).max())
        if defect > 1e-6 or np.linalg.det(R) < 0.0:
            raise InputError(
                f"M: its 3x3 block is not a rotation (R R^T differs from 1 by {defect:.2g}, determinant "
                f"{np.linalg.det(R):.3g}); scale or mirror the part instead of its pose"
            )
        if not np.allclose(array[3], (0.0, 0.0, 0.0, 1.0), atol=1e-12):
            raise InputError(f"M: expected (0, 0, 0, 1) as the last row, got {array[3].tolist()}")
        return cls(array[:3, 3], _quaternion_of(R))

    @classmethod
    def from_rotvec(cls, position: ArrayLike, rotvec: ArrayLike) -> Pose:
        """Rotation by |rotvec| radians about `rotvec`."""
        r = vector("rotvec", rotvec)
        angle = float(np.linalg.norm(r))
        s = np.sin(0.5 * angle) / angle if angle > 1e-8 else 0.5
        return cls(position, (np.cos(0.5 * angle), *(s * r)))

    @cached_property
    def frame(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Rotation matrix, row by row, and position, as kernels take a pose."""
        w, x, y, z = self.quat_wxyz.tolist()
        R = (
            *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        return R, tuple(self.position.tolist())

    @cached_property
    def rotation(self) -> Floats:
        """(3, 3) rotation matrix R_AB."""
        return np.array(self.frame[0]).reshape(3, 3)

    @cached_property
    def row(self) -> Floats:
        """(7,) [x y z qw qx qy qz], as tables of poses hold it."""
        return np.concatenate((self.position, self.quat_wxyz))

    @property
    def matrix(self) -> Floats:
        """(4, 4) homogeneous matrix."""
        M = np.eye(4)
        M[:3, :3], M[:3, 3] = self.rotation, self.position
        return M

    @property
    def rotvec(self) -> Floats:
        """(3,) shortest rotation vector [rad], of length at most pi."""
        q = self.quat_wxyz if self.quat_wxyz[0] >= 0.0 else -self.quat_wxyz
        s = float(np.linalg.norm(q[1:]))
        return np.asarray(q[1:] * (2.0 * np.arctan2(s, q[0]) / s if s > 1e-12 else 2.0))

    def inverse(self) -> Pose:
        """X_BA."""
        return Pose(-self.rotation.T @ self.position, self.quat_wxyz * (1, -1, -1, -1))

    def apply(self, points: ArrayLike) -> Floats:
        """Points (3,) or (n, 3) of B, in A."""
        table = rows("points", points, 3)
        moved = table @ self.rotation.T + self.position
        return moved[0] if np.ndim(points) == 1 else moved

    def __matmul__(self, other: Pose) -> Pose:
        if not isinstance(other, Pose):
            return NotImplemented
        return Pose(self.apply(other.position), _product(self.quat_wxyz, other.quat_wxyz))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pose) and bool((self.row == other.row).all())

    def __hash__(self) -> int:
        return hash(self.row.tobytes())

    def __repr__(self) -> str:
        p, q = (", ".join(f"{x:.6g}" for x in v) for v in (self.position, self.quat_wxyz))
        return f"Pose(({p}), quat_wxyz=({q}))"


def as_pose(name: str, value: Any) -> Pose:
    """What users may pass for a pose: a Pose, a 4x4 matrix, or None for the identity."""
    if value is None:
        return Pose()
    if isinstance(value, Pose):
        return value
    if np.shape(value) == (4, 4):
        return Pose.from_matrix(value)
    raise InputError(f"{name}: expected a Pose or a 4x4 matrix, got {type(value).__name__} of shape {np.shape(value)}")


def _unit_quaternion(quat_wxyz: ArrayLike) -> Floats:
    q = vector("quat_wxyz", quat_wxyz, 4)
    length = float(np.linalg.norm(q))
    if length < 1e-150:
        raise InputError("quat_wxyz: a quaternion of zero length is no rotation; the identity is (1, 0, 0, 0)")
    # Leave a unit quaternion untouched to the last bit: poses must survive being saved and read again.
    return q.copy() if abs(length - 1.0) < 4e-16 else q / length


def _product(a: Floats, b: Floats) -> Floats:
    aw, ax, ay, az = a.tolist()  # numbers of Python: NumPy takes longer to begin than they to be done
    bw, bx, by, bz = b.tolist()
    return np.array(
        (
            aw * bw - (ax * bx + ay * by + az * bz),
            aw * bx + bw * ax + (ay * bz - az * by),
            aw * by + bw * ay + (az * bx - ax * bz),
            aw * bz + bw * az + (ax * by - ay * bx),
        )
    )


def _quaternion_of(R: Floats) -> Floats:
    """The eigenvector that belongs to the largest eigenvalue of Bar-Itzhack's matrix: best for inexact rotations."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    q = np.linalg.eigh(K)[1][:, -1]
    return np.asarray(q if q[0] >= 0.0 else -q)
