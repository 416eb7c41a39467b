"""Where a part is: a rotation and a position."""

from __future__ import annotations

from functools import cached_property
from math import sqrt
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, handed_out, matrix, rows, shape_in_words, vector
from ..errors import InputError, SettingError

_IDENTITY = (1.0, 0.0, 0.0, 0.0)
_REMEDY = "a Pose cannot be changed; make a new one, and give it to its body: body.pose = Pose(position, quat_wxyz=...)"


class Pose:
    """Pose of a frame B in a frame A: `X_AB.apply(p_B)` is `p_A`, and `X_AB @ X_BC` is `X_AC`.

    `quat_wxyz` may have any length but zero; it is kept at length 1. It is given by name, as the order of its numbers
    cannot be told from them: `Pose.from_quat_xyzw` takes them scalar last.
    """

    arrays: tuple[Floats, Floats]
    """Position (3,) [m] and unit quaternion (4,), as kernels take them: writable, but never to be written to."""

    def __init__(
        self, position: ArrayLike = (0.0, 0.0, 0.0), *unnamed: Never, quat_wxyz: ArrayLike = _IDENTITY
    ) -> None:
        if unnamed:
            raise InputError(
                "Pose: a rotation is given by name; write Pose(position, quat_wxyz=...) for a quaternion with its "
                "scalar first, Pose.from_quat_xyzw(position, ...) for one with its scalar last"
            )
        arrays = (vector("position", position).copy(), _unit_quaternion("quat_wxyz", quat_wxyz))
        object.__setattr__(self, "arrays", arrays)

    @classmethod
    def of_row(cls, row: Floats) -> Pose:
        """From a row (7,) [x y z qw qx qy qz] of a table of poses, finite and with a unit quaternion: unchecked."""
        return cls._of_arrays(row[:3].copy(), _at_length_one(row[3:]))

    @classmethod
    def _of_arrays(cls, position: Floats, unit_quat: Floats) -> Pose:
        pose = object.__new__(cls)
        pose.__dict__["arrays"] = (position, unit_quat)
        return pose

    @property
    def position(self) -> Floats:
        """(3,) origin of B in A [m]."""
        return handed_out(self.arrays[0], _REMEDY)

    @property
    def quat_wxyz(self) -> Floats:
        """(4,) unit quaternion, scalar first."""
        return handed_out(self.arrays[1], _REMEDY)

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
        return cls(array[:3, 3], quat_wxyz=_quaternion_of(R))

    @classmethod
    def from_quat_xyzw(cls, position: ArrayLike, quat_xyzw: ArrayLike) -> Pose:
        """From a quaternion with its scalar last, of any length but zero."""
        x, y, z, w = _unit_quaternion("quat_xyzw", quat_xyzw, "(0, 0, 0, 1)").tolist()
        return cls(position, quat_wxyz=(w, x, y, z))

    @classmethod
    def from_rotvec(cls, position: ArrayLike, rotvec: ArrayLike) -> Pose:
        """Rotation by |rotvec| radians about `rotvec`."""
        r = vector("rotvec", rotvec)
        angle = float(np.linalg.norm(r))
        s = np.sin(0.5 * angle) / angle if angle > 1e-8 else 0.5
        return cls(position, quat_wxyz=(np.cos(0.5 * angle), *(s * r)))

    @cached_property
    def frame(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Rotation matrix, row by row, and position, as kernels take a pose."""
        position, quat = self.arrays
        w, x, y, z = quat.tolist()
        R = (
            *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
        return R, tuple(position.tolist())

    @cached_property
    def _rotation(self) -> Floats:
        return np.array(self.frame[0]).reshape(3, 3)

    @property
    def rotation(self) -> Floats:
        """(3, 3) rotation matrix R_AB."""
        return handed_out(self._rotation, _REMEDY)

    @cached_property
    def kernel_row(self) -> Floats:
        """`row` as kernels take it: writable, but never to be written to."""
        return np.concatenate(self.arrays)

    @property
    def row(self) -> Floats:
        """(7,) [x y z qw qx qy qz], as tables of poses hold it."""
        return handed_out(self.kernel_row, _REMEDY)

    @property
    def matrix(self) -> Floats:
        """(4, 4) homogeneous matrix."""
        M = np.eye(4)
        M[:3, :3], M[:3, 3] = self._rotation, self.arrays[0]
        return M

    @property
    def rotvec(self) -> Floats:
        """(3,) shortest rotation vector [rad], of length at most pi."""
        _, q = self.arrays
        q = q if q[0] >= 0.0 else -q
        s = float(np.linalg.norm(q[1:]))
        return np.asarray(q[1:] * (2.0 * np.arctan2(s, q[0]) / s if s > 1e-12 else 2.0))

    def turned(self, vector_B: Floats) -> Floats:
        """A vector (3,) of B along the axes of A, unchecked; to the bit what `turned_rows` gives."""
        (a, b, c, d, e, f, g, h, i), (x, y, z) = self.frame[0], vector_B.tolist()
        return np.array((a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z))

    def moved(self, way: Floats) -> Pose:
        """The pose with its origin moved by a vector (3,) of A, unchecked."""
        return Pose._of_arrays(self.arrays[0] + way, self.arrays[1])

    def inverse(self) -> Pose:
        """X_BA."""
        position, quat = self.arrays
        return Pose(-self._rotation.T @ position, quat_wxyz=quat * (1, -1, -1, -1))

    def apply(self, points: ArrayLike) -> Floats:
        """Points (3,) or (n, 3) of B, in A."""
        table = rows("points", points, 3)
        moved = table @ self._rotation.T + self.arrays[0]
        return moved[0] if np.ndim(points) == 1 else moved

    def __matmul__(self, other: Pose) -> Pose:
        if not isinstance(other, Pose):
            return NotImplemented
        return Pose(self.apply(other.arrays[0]), quat_wxyz=_product(self.arrays[1], other.arrays[1]))

    def __setattr__(self, attribute: str, value: object) -> None:
        raise SettingError(f"{attribute}: {_REMEDY}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pose) and bool((self.kernel_row == other.kernel_row).all())

    def __hash__(self) -> int:
        return hash(self.kernel_row.tobytes())

    def __repr__(self) -> str:
        p, q = (", ".join(f"{x:.6g}" for x in v) for v in self.arrays)
        return f"Pose(({p}), quat_wxyz=({q}))"


def turned_rows(quat_wxyz: Floats, vectors: Floats) -> Floats:
    """(n, 3) vectors, or one of them, turned by (n, 4) unit quaternions."""
    w, x, y, z = quat_wxyz.T
    a, b, c = np.broadcast_to(vectors, (len(quat_wxyz), 3)).T
    turned = (
        (1 - 2 * (y * y + z * z)) * a + 2 * (x * y - w * z) * b + 2 * (x * z + w * y) * c,
        2 * (x * y + w * z) * a + (1 - 2 * (x * x + z * z)) * b + 2 * (y * z - w * x) * c,
        2 * (x * z - w * y) * a + 2 * (y * z + w * x) * b + (1 - 2 * (x * x + y * y)) * c,
    )
    return np.stack(turned, axis=1)


def as_pose(name: str, value: Any) -> Pose:
    """What users may pass for a pose: a Pose, a 4x4 matrix, or None for the identity."""
    if value is None:
        return Pose()
    if isinstance(value, Pose):
        return value
    shape = shape_in_words(value)
    if shape == "(4, 4)":
        return Pose.from_matrix(value)
    if shape == "()":
        raise InputError(f"{name}: expected a Pose or a 4x4 matrix, got {type(value).__name__}")
    remedy = "; write abut.Pose((x, y, z)) for a position" if shape == "(3,)" else ""
    raise InputError(f"{name}: expected a Pose or a 4x4 matrix, got {type(value).__name__} of shape {shape}{remedy}")


def _unit_quaternion(name: str, quat: ArrayLike, identity: str = "(1, 0, 0, 0)") -> Floats:
    q = vector(name, quat, 4)
    if sqrt(q.dot(q)) < 1e-150:
        raise InputError(f"{name}: a quaternion of zero length is no rotation; the identity is {identity}")
    return _at_length_one(q)


def _at_length_one(q: Floats) -> Floats:
    """A quaternion at length 1; one that has it stays as it is to the last bit, to survive being saved and read."""
    length = sqrt(q.dot(q))
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
