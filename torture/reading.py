"""What the judge reads from a world, and how it places shapes: its own arithmetic, on copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import abut
from abut.dynamics.bodies.body_kernels import FROZEN, KINEMATIC

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Actor:
    """What a body is; does not change."""

    name: str
    kind: str
    shape: abut.Solid | abut.Sphere | abut.HalfSpace
    mass: float
    inertia: Floats
    """(3, 3) about the centre of mass, along the part's axes."""
    centre: Floats
    """(3,) of mass in the part's frame; the origin of bodies that are not dynamic."""
    corners: Floats
    """(n, 3, 3) triangles about the centre; none of balls and half-spaces."""
    middle: Floats
    half: Floats
    """(3,) middle and half lengths of its box about the centre, along its axes; infinite for a half-space."""
    reach: float
    """Radius about the centre that holds the body."""


@dataclass(frozen=True)
class Snapshot:
    """Where bodies are and how they move: one row each."""

    time: float
    position: Floats
    """(n, 3) of the centres of mass."""
    rotation: Floats
    """(n, 3, 3)."""
    velocity: Floats
    spin: Floats
    frozen: NDArray[np.bool_]

    def same_bits(self, other: Snapshot) -> bool:
        """Whether all numbers are the same."""
        pairs = (
            (self.position, other.position),
            (self.rotation, other.rotation),
            (self.velocity, other.velocity),
            (self.spin, other.spin),
        )
        return self.time == other.time and all(a.tobytes() == b.tobytes() for a, b in pairs)


def actors(world: abut.World) -> list[Actor]:
    """The bodies of a world."""
    return [_actor(body) for body in world.bodies]


def _actor(body: abut.Body) -> Actor:
    spec, shape = body.spec, body.shape
    corners, reach = np.zeros((0, 3, 3)), np.inf
    middle, half = np.zeros(3), np.full(3, np.inf)
    if isinstance(shape, abut.Solid):
        local = shape.vertices - spec.centre
        corners, reach = local[shape.triangles], float(np.linalg.norm(local, axis=1).max())
        middle, half = 0.5 * (local.max(axis=0) + local.min(axis=0)), 0.5 * (local.max(axis=0) - local.min(axis=0))
    elif isinstance(shape, abut.Sphere):
        reach, half = shape.radius, np.full(3, shape.radius)
    kind = "dynamic" if np.isfinite(body.mass) else ("kinematic" if spec.kind == KINEMATIC else "fixed")
    own = (spec.mass, np.asarray(spec.inertia), np.asarray(spec.centre))
    return Actor(body.name, kind, shape, *own, corners, middle, half, reach)


def look(world: abut.World) -> Snapshot:
    """A copy of what moves."""
    state = world._state
    pose, twist = state.pose.copy(), state.twist.copy()
    frozen = np.asarray(state.kind == FROZEN)
    return Snapshot(world.time, pose[:, :3], rotations(pose[:, 3:]), twist[:, :3], twist[:, 3:], frozen)


def rotations(quaternions: Floats) -> Floats:
    """(n, 3, 3) of (n, 4) quaternions, scalar first."""
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.array(rows).transpose(2, 0, 1).copy()


def rotation_of(rotvec: Floats) -> Floats:
    """(3, 3) of a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(rotvec))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = rotvec / angle
    K = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def turn_between(R_0: Floats, R_1: Floats) -> Floats:
    """(3,) the shortest rotation vector from one to the other; right below 3 rad."""
    R = R_1 @ R_0.T
    axis = 0.5 * np.array((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))
    sine, cosine = float(np.linalg.norm(axis)), 0.5 * (float(np.trace(R)) - 1.0)
    return axis * (np.arctan2(sine, cosine) / sine) if sine > 0.0 else np.zeros(3)
