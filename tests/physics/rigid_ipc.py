"""Scenes of the rigid-ipc collection (see data/rigid-ipc/README.md for the format) as scenes of abut."""

import json
from functools import cache

import numpy as np

from abut import Pose, Solid, World
from abut.dynamics.body import AXES
from abut.scene.scenes import Scene


@cache
def mesh(path, scale, side):
    # A sheet without thickness, 10 x 10 m, becomes a slab with its material on the side away from what moves.
    slab = Solid.box((10.0, 0.2, 10.0)).translated((0.0, -0.1 * side, 0.0))
    part = slab if path.stem == "plane" else Solid.load(path)
    factor = np.array(scale)
    return Solid(part.vertices * factor, part.triangles, name=part.name)


def size(body, path):
    if "dimensions" in body:
        extents = mesh(path, (1.0, 1.0, 1.0), 1).extents
        return tuple(np.divide(body["dimensions"], extents, out=np.ones(3), where=extents > 0.0).tolist())
    return tuple(np.broadcast_to(np.asarray(body.get("scale", 1.0), float), 3).tolist())


def turned(degrees):
    """R = Rz Ry Rx."""
    turn = Pose()
    for axis in (2, 1, 0):
        rotvec = np.zeros(3)
        rotvec[axis] = np.radians(degrees[axis])
        turn = turn @ Pose.from_rotvec((0.0, 0.0, 0.0), rotvec)
    return turn


def side_of(pose, bodies):
    """On which side of a plane with y up the moving bodies are, on the average: 1 or -1."""
    free = [b for b in bodies if b.get("type", "dynamic") == "dynamic" and not np.all(b.get("is_dof_fixed", False))]
    middle = np.mean([b.get("position", (0, 0, 0)) for b in free], axis=0)
    return 1 if pose.inverse().apply(middle)[1] >= 0.0 else -1


def load_scene(data, name):
    """The scene `name` of the collection under `data`."""
    description = json.loads((data / "fixtures" / "3D" / f"{name}.json").read_text())
    problem, dt = description["rigid_body_problem"], description["timestep"]
    world = World(gravity=problem.get("gravity", (0.0, 0.0, 0.0)), dt=dt)
    bodies, pushes = [b for b in problem["rigid_bodies"] if b.get("enabled", True)], []
    for i, body in enumerate(bodies):
        path = data / "meshes" / body["mesh"]
        pose = Pose(body.get("position", (0, 0, 0))) @ turned(body.get("rotation", (0, 0, 0)))
        held = np.broadcast_to(body.get("is_dof_fixed", False), 6)
        kind = "static" if held.all() else body.get("type", "dynamic")
        added = world.add_body(
            mesh(path, size(body, path), side_of(pose, bodies) if path.stem == "plane" else 1),
            f"{i} {path.stem}",
            pose=pose,
            density=body.get("density", 1000.0),
            velocity=body.get("linear_velocity", (0, 0, 0)),
            angular_velocity=np.radians(body.get("angular_velocity", (0, 0, 0))),
            fixed=kind == "static",
            kinematic=kind == "kinematic",
            group=body.get("group_id"),
            locked=[axis for axis, lock in zip(AXES, held, strict=True) if lock] if kind == "dynamic" else (),
        )
        if kind == "dynamic" and ("force" in body or "torque" in body):
            pushes.append((added, body.get("force", (0, 0, 0)), np.radians(body.get("torque", (0, 0, 0)))))

    def drive(_world, _time):
        for added, force, torque in pushes:
            added.apply_force(force)
            added.apply_torque(torque)

    duration = description["max_time"] if "max_time" in description else dt * description["max_iterations"]
    return Scene(world, duration, drive)
