"""What other engines need to know of a scene: bodies as numbers, and the wrenches that drive them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from abut import HalfSpace, Pose, Solid
from abut.scene.scenes import Scene


@dataclass(frozen=True, eq=False)
class PeerBody:
    """One body of a scene at its start."""

    name: str
    shape: Any
    """A `Solid` or a `HalfSpace` in the part's own frame."""
    pose: Pose
    """Of the part's frame."""
    fixed: bool
    mass: float
    centre: np.ndarray
    """(3,) centre of mass in the part's frame."""
    inertia: np.ndarray
    """(3, 3) about the centre of mass, along the part's axes."""
    velocity: np.ndarray
    angular_velocity: np.ndarray
    free: tuple[bool, ...]
    """(6,) world directions that are not locked."""

    @property
    def half_extents(self) -> np.ndarray | None:
        """Half the sides of a part that is a box along its axes; None for other parts."""
        if not isinstance(self.shape, Solid) or len(self.shape.vertices) != 8:
            return None
        low, high = self.shape.bounds
        return 0.5 * (high - low) if np.isclose(self.shape.volume, np.prod(high - low)) else None

    @property
    def box_centre(self) -> np.ndarray:
        """(3,) middle of the part's bounds in its frame."""
        return np.asarray(0.5 * self.shape.bounds.sum(axis=0))


def bodies_of(scene: Scene) -> list[PeerBody]:
    """The bodies of a scene that has not been run."""
    return [_peer_body(body) for body in scene.world.bodies]


def _peer_body(body: Any) -> PeerBody:
    if not isinstance(body.shape, Solid | HalfSpace):
        raise TypeError(f"body '{body.name}': peers are given solids and half-spaces only")
    return PeerBody(
        body.name,
        body.shape,
        body.pose,
        bool(np.isinf(body.mass)),
        float(body.spec.mass),
        body.spec.centre,
        body.spec.inertia,
        body.velocity,
        body.angular_velocity,
        tuple(not held for held in body.spec.locked),
    )


class Puppeteer:
    """Turns what drives a scene into wrenches, without stepping its world.

    Forces, torques and springs of hands are read from the world's state after the scene's own `drive` was called. A
    spring's wrench is the one that a free body would feel at the end of the step, as abut takes it
    (docs/step.md): an explicit spring of this stiffness would explode in any engine.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene, self.bodies = scene, bodies_of(scene)

    def wrenches(self, time: float, poses: list[Pose], twists: list[np.ndarray]) -> dict[int, np.ndarray]:
        """Force and torque about the centre of mass (6,) of every body that is driven."""
        if self.scene.drive is None:
            return {}
        self.scene.drive(self.scene.world, time)
        state = self.scene.world._state
        found = {int(i): state.wrench[i].copy() for i in np.flatnonzero(state.wrench.any(axis=1))}
        for i in np.flatnonzero(state.hold[:, 0]):
            wrench = self._spring(int(i), state.hold[i], state.target[i], poses[i], twists[i])
            found[int(i)] = found.get(int(i), 0.0) + wrench
        state.wrench[:] = 0.0
        return found

    def _spring(self, i: int, hold: np.ndarray, target: np.ndarray, pose: Pose, twist: np.ndarray) -> np.ndarray:
        body, world = self.bodies[i], self.scene.world
        h, R = world.dt, pose.rotation
        goal = Pose(target[:3], quat_wxyz=target[3:])
        centre = pose @ Pose(body.centre)
        error = np.concatenate((goal.position - centre.position, (goal @ centre.inverse()).rotvec))
        mass = np.zeros((6, 6))
        mass[:3, :3], mass[3:, 3:] = body.mass * np.eye(3), R @ body.inertia @ R.T
        free = twist + h * np.concatenate((world.gravity, np.zeros(3)))
        stiffness, damping = np.repeat(hold[[1, 4]], 3), np.repeat(hold[[2, 5]], 3)
        pull = stiffness * error - damping * free
        for part, limit in ((slice(0, 3), hold[3]), (slice(3, 6), hold[6])):
            factor = min(1.0, limit / max(float(np.linalg.norm(pull[part])), 1e-300))
            stiffness[part] *= factor
            damping[part] *= factor
        end = np.linalg.solve(mass + np.diag(h * damping + h * h * stiffness), mass @ free + h * stiffness * error)
        return np.asarray(mass @ (end - free) / h)
