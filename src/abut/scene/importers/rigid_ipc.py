"""Scenes of the rigid-ipc collection (Ferguson et al., Intersection-free Rigid Body Dynamics, 2021).

A scene is a JSON file of bodies with mesh, pose, velocities in degrees, and what holds or drives them. `mesh` names a
file of the collection's folder `meshes`; a body is turned about its mesh's origin by R = Rz Ry Rx and then moved.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import Floats
from ...dynamics import Body, World
from ...dynamics.bodies.body import AXES
from ...errors import FileError, InputError
from ...geometry import Solid
from ...math import Pose
from ..scenes import Scene

SHEET = (10.0, 0.2, 10.0)
"""[m] A plane of the collection is a sheet of 10 x 10 m without thickness; here it is a slab with the same face."""


def rigid_ipc(folder: str | Path, name: str) -> Scene:
    """The scene `name` ("chain/3-links") of the collection in `folder`, which holds `fixtures/3D` and `meshes`."""
    folder = Path(folder)
    path = folder / "fixtures" / "3D" / f"{name}.json"
    if not path.is_file():
        raise InputError(f"name: there is no scene {name!r} of rigid-ipc in {folder}")
    try:
        return _scene(folder, json.loads(path.read_text()))
    except json.JSONDecodeError as error:
        raise FileError(f"{path}: is not a JSON document ({error})") from error
    except KeyError as error:
        raise FileError(f"{path}: is not a scene of rigid-ipc; it has no {error}") from error


def _scene(folder: Path, description: dict[str, Any]) -> Scene:
    problem, dt = description["rigid_body_problem"], float(description["timestep"])
    friction = float(problem.get("coefficient_friction", 0.0))
    world = World(gravity=problem.get("gravity", (0.0, 0.0, 0.0)), dt=dt, friction=friction)
    bodies = [body for body in problem["rigid_bodies"] if body.get("enabled", True)]
    scripts = [_add(world, folder / "meshes", body, bodies) for body in bodies]
    duration = description["max_time"] if "max_time" in description else dt * description["max_iterations"]

    def drive(world: World, time: float) -> None:
        for script in scripts:
            script.drive(world.dt, time)

    return Scene(world, float(duration), drive)


@dataclass(eq=False)
class _Script:
    """What moves a body besides gravity and contacts."""

    body: Body
    force: Floats
    torque: Floats
    poses: list[Pose]
    """Of a kinematic body at the end of each of the first steps."""
    velocity: Floats
    angular_velocity: Floats
    last: float
    """[s] after which a kinematic body stands still."""

    def drive(self, dt: float, time: float) -> None:
        """Push the body, or set the velocity that takes it to where it must be after the next step."""
        if np.isfinite(self.body.mass):
            if self.force.any() or self.torque.any():
                self.body.apply_force(self.force)
                self.body.apply_torque(self.torque)
        elif self.poses:
            way = self.poses.pop(0) @ self.body.pose.inverse()
            self.body.velocity = (way.apply(self.body.pose.position) - self.body.pose.position) / dt
            self.body.angular_velocity = way.rotvec / dt
        elif time <= self.last:
            self.body.velocity, self.body.angular_velocity = self.velocity, self.angular_velocity
        else:
            self.body.velocity = self.body.angular_velocity = np.zeros(3)


def _add(world: World, meshes: Path, body: dict[str, Any], bodies: Iterable[dict[str, Any]]) -> _Script:
    path = meshes / body["mesh"]
    pose = _pose(body)
    held = np.broadcast_to(body.get("is_dof_fixed", False), 6)
    kind = "static" if held.all() else body.get("type", "dynamic")
    side = _side(pose, bodies) if path.stem == "plane" else 1
    velocity, spin = _vector(body, "linear_velocity"), np.radians(_vector(body, "angular_velocity"))
    added = world.add_body(
        _part(path, _scale(body, path), side),
        f"{len(world.bodies)} {path.stem}",
        pose=pose,
        density=float(body.get("density", 1000.0)),
        velocity=velocity,
        angular_velocity=spin,
        fixed=kind == "static",
        kinematic=kind == "kinematic",
        group=body.get("group_id"),
        locked=[axis for axis, lock in zip(AXES, held, strict=True) if lock] if kind == "dynamic" else (),
    )
    poses = [_pose(at) for at in body.get("kinematic_poses", ())]
    last = float(body.get("kinematic_max_time", np.inf))
    return _Script(added, _vector(body, "force"), np.radians(_vector(body, "torque")), poses, velocity, spin, last)


@cache
def _part(path: Path, scale: tuple[float, float, float], side: int) -> Solid:
    slab = Solid.box(SHEET).translated((0.0, -0.5 * side * SHEET[1], 0.0))
    part = slab if path.stem == "plane" else Solid.load(path, unit="m")
    return Solid(part.vertices * np.array(scale), part.triangles, name=path.stem)


def _scale(body: dict[str, Any], path: Path) -> tuple[float, float, float]:
    if "dimensions" in body:
        extents = _part(path, (1.0, 1.0, 1.0), 1).extents
        # A sheet has no height to be scaled.
        wanted = np.asarray(body["dimensions"], float)
        factor = np.where(wanted > 0.0, wanted / extents, 1.0)
    else:
        factor = np.broadcast_to(np.asarray(body.get("scale", 1.0), float), 3)
    return float(factor[0]), float(factor[1]), float(factor[2])


def _vector(body: dict[str, Any], key: str) -> Floats:
    return np.asarray(body.get(key, (0.0, 0.0, 0.0)), float)


def _pose(body: dict[str, Any]) -> Pose:
    """R = Rz Ry Rx of the angles [degrees], then the position."""
    pose, degrees = Pose(_vector(body, "position")), _vector(body, "rotation")
    for axis in (2, 1, 0):
        pose = pose @ Pose.from_rotvec((0.0, 0.0, 0.0), np.radians(degrees[axis]) * np.eye(3)[axis])
    return pose


def _side(pose: Pose, bodies: Iterable[dict[str, Any]]) -> int:
    """On which side of a plane with y up the moving bodies are, on the average: 1 or -1. Its slab is on the other."""
    free = [b for b in bodies if b.get("type", "dynamic") == "dynamic" and not np.all(b.get("is_dof_fixed", False))]
    if not free:
        return 1
    middle = np.mean([_vector(b, "position") for b in free], axis=0)
    return 1 if pose.inverse().apply(middle)[1] >= 0.0 else -1
