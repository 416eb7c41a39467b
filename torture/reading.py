"""What the judge reads from a world, and how it places shapes: its own arithmetic, on copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import abut
from abut.dynamics.bodies.body_kernels import FROZEN, KINEMATIC

from .judge_kernels import bounds
from .place_kernels import rotations, turns

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
    """(n, 9) triangles about the centre; none of balls and half-spaces."""
    boxes: Floats
    """(n, 6) least and largest coordinates of the triangles."""
    points: Floats
    """(m, 3) their vertices, each once."""
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
    corners, local, reach = np.zeros((0, 9)), np.zeros((0, 3)), np.inf
    middle, half = np.zeros(3), np.full(3, np.inf)
    if isinstance(shape, abut.Solid):
        local = shape.vertices - spec.centre
        corners, reach = local[shape.triangles].reshape(-1, 9), float(np.linalg.norm(local, axis=1).max())
        middle, half = 0.5 * (local.max(axis=0) + local.min(axis=0)), 0.5 * (local.max(axis=0) - local.min(axis=0))
    elif isinstance(shape, abut.Sphere):
        reach, half = shape.radius, np.full(3, shape.radius)
    kind = "dynamic" if np.isfinite(body.mass) else ("kinematic" if spec.kind == KINEMATIC else "fixed")
    own = (spec.mass, np.asarray(spec.inertia), np.asarray(spec.centre))
    return Actor(body.name, kind, shape, *own, corners, bounds(corners), local, middle, half, reach)


def look(world: abut.World) -> Snapshot:
    """A copy of what moves."""
    state = world._state
    pose, twist = state.pose.copy(), state.twist.copy()
    frozen = np.asarray(state.kind == FROZEN)
    return Snapshot(world.time, pose[:, :3], rotations(pose[:, 3:]), twist[:, :3], twist[:, 3:], frozen)


def turn_between(R_0: Floats, R_1: Floats) -> Floats:
    """(3,) the shortest rotation vector from one to the other; right below 3 rad."""
    turn: Floats = turns(R_0[None], R_1[None])[0]
    return turn
