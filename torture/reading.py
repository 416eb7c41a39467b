"""What the judge reads from a world, and how it places shapes: its own arithmetic, on copies."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
    shape: abut.geometry.Shape
    mass: float
    inertia: Floats
    """(3, 3) about the centre of mass, along the part's axes."""
    centre: Floats
    """(3,) of mass in the part's frame; the origin of bodies that are not dynamic."""
    corners: Floats
    """(n, 9) triangles about the centre; of solids only."""
    boxes: Floats
    """(n, 6) least and largest coordinates of the triangles."""
    points: Floats
    """(m, 3) their vertices, each once; ends of the axis of a capsule, the middle of a ball."""
    radius: float
    """[m] of a ball or capsule; 0 of other shapes."""
    plane: tuple[Floats, float] | None
    """Normal and offset of a half-space; None of other shapes."""
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
    nodes: tuple[Floats, ...] = ()
    speeds: tuple[Floats, ...] = ()
    skins: tuple[Floats, ...] = ()
    """(n, 3) nodes of the cages of soft bodies, their velocities, and vertices of the skins."""

    def same_bits(self, other: Snapshot) -> bool:
        """Whether all numbers are the same."""
        pairs = (
            (self.position, other.position),
            (self.rotation, other.rotation),
            (self.velocity, other.velocity),
            (self.spin, other.spin),
            *zip(self.nodes, other.nodes, strict=True),
            *zip(self.speeds, other.speeds, strict=True),
        )
        return self.time == other.time and all(a.tobytes() == b.tobytes() for a, b in pairs)


def actors(world: abut.World) -> list[Actor]:
    """The bodies of a world."""
    return [_actor(body) for body in world.bodies]


def _actor(body: abut.Body) -> Actor:
    spec, shape = body.spec, body.shape
    points, radius, plane = _looks(shape)
    points = points - spec.centre
    corners = points[shape.triangles].reshape(-1, 9) if isinstance(shape, abut.Solid) else np.zeros((0, 9))
    middle, half, reach = np.zeros(3), np.full(3, np.inf), np.inf
    if plane is None:
        low, high = points.min(axis=0) - radius, points.max(axis=0) + radius
        middle, half = 0.5 * (high + low), 0.5 * (high - low)
        reach = float(np.linalg.norm(points, axis=1).max()) + radius
    kind = "dynamic" if np.isfinite(body.mass) else ("kinematic" if spec.kind == KINEMATIC else "fixed")
    own = (spec.mass, np.asarray(spec.inertia), np.asarray(spec.centre))
    return Actor(body.name, kind, shape, *own, corners, bounds(corners), points, radius, plane, middle, half, reach)


def _looks(shape: abut.geometry.Shape) -> tuple[Floats, float, tuple[Floats, float] | None]:
    """Vertices or ends of an axis, radius and plane, from the arguments that make a shape alone."""
    match shape:
        case abut.Solid():
            return shape.vertices, 0.0, None
        case abut.Sphere():
            return np.zeros((1, 3)), shape.radius, None
        case abut.Capsule():
            return 0.5 * shape.length * np.array(((0.0, 0.0, -1.0), (0.0, 0.0, 1.0))), shape.radius, None
        case abut.HalfSpace():
            return np.zeros((0, 3)), 0.0, (shape.normal, shape.offset)
    raise TypeError(f"the judge does not know what a {type(shape).__name__} looks like")


def look(world: abut.World) -> Snapshot:
    """A copy of what moves."""
    state = world._state
    pose, twist = state.pose.copy(), state.twist.copy()
    frozen = np.asarray(state.kind == FROZEN)
    rigid = (pose[:, :3], rotations(pose[:, 3:]), twist[:, :3], twist[:, 3:], frozen)
    softs = world.deformables
    if not softs:
        return Snapshot(world.time, *rigid)
    tables = ([np.array(getattr(soft, name)) for soft in softs] for name in ("nodes", "velocities", "vertices"))
    return Snapshot(world.time, *rigid, *(tuple(table) for table in tables))


def parted(now: Snapshot, cast: list[Actor], moved: tuple[abut.MovedApart, ...]) -> Snapshot:
    """Where bodies stand whom a step moves apart as they touch, before it begins: no load works along these ways."""
    if not moved:
        return now
    position, row = now.position.copy(), {actor.name: i for i, actor in enumerate(cast)}
    for one in moved:
        position[row[one.body]] += one.way
    return replace(now, position=position)


def turn_between(R_0: Floats, R_1: Floats) -> Floats:
    """(3,) the shortest rotation vector from one to the other; right below 3 rad."""
    turn: Floats = turns(R_0[None], R_1[None])[0]
    return turn
