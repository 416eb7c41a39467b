"""Worlds from the contact scenes of polyfem (data/polyfem-contact): deformable meshes, and obstacles that are rigid."""

import json

import numpy as np
from scipy.spatial.transform import Rotation

import abut

PLATE = 0.1
"""[m] thickness that is given to obstacles that are a single face."""


def load(path):
    """The world of a scene file, and how many steps it is to be run."""
    scene = json.loads(path.read_text())
    time = scene["time"]
    dt = time.get("dt") or time["tend"] / time["time_steps"]
    gravity = tuple(-float(x) for x in scene["boundary_conditions"]["rhs"])
    friction = scene.get("contact", {}).get("friction_coefficient", 0.0)
    world = abut.World(dt=dt, gravity=gravity, friction=friction)
    materials = {material["id"]: material for material in scene["materials"]}
    for i, geometry in enumerate(scene["geometry"]):
        file, place = path.parent / geometry["mesh"], placed(geometry.get("transformation", {}))
        held = geometry.get("surface_selection")
        if geometry.get("is_obstacle") or held == 1:
            world.add_body(_obstacle(file, place), f"obstacle {i}", fixed=True)
        else:
            _add_soft(world, f"soft {i}", file, place, materials[geometry["volume_selection"]], held)
    return world, round(time["tend"] / dt)


def placed(transformation):
    """A function that puts points where a scene wants them: scaled, turned, moved."""
    scale = np.broadcast_to(transformation.get("scale", 1.0), 3)
    size = transformation.get("dimensions")
    order = transformation.get("rotation_mode", "xyz")
    degrees = dict(zip("xyz", transformation.get("rotation", (0, 0, 0)), strict=True))
    turn = Rotation.from_euler(order, [degrees[axis] for axis in order], degrees=True)
    shift = np.array(transformation.get("translation", (0, 0, 0)), float)

    def place(points):
        factor = scale if size is None else np.divide(size, np.maximum(np.ptp(points, axis=0), 1e-300))
        return turn.apply(points * factor) + shift

    return place


def _add_soft(world, name, file, place, material, held):
    mesh = abut.fem.TetMesh.load(file, repair=True)
    nodes = place(np.asarray(mesh.nodes))
    mesh = abut.fem.TetMesh(nodes, mesh.tetrahedra, repair=True)
    fixed = np.flatnonzero(nodes[:, 1] < nodes[:, 1].min() + 1e-5 * np.ptp(nodes[:, 1])) if held else ()
    law = {"young": material["E"], "poisson": material["nu"], "density": material["rho"]}
    world.add_deformable(mesh, name, fixed_nodes=fixed, **law)


def _obstacle(file, place):
    if file.suffix == ".obj":
        vertices, triangles = _obj(file)
    else:
        mesh = abut.fem.TetMesh.load(file, repair=True)
        used, triangles = np.unique(mesh.boundary, return_inverse=True)
        vertices, triangles = np.asarray(mesh.nodes)[used], triangles.reshape(-1, 3)
    vertices = place(vertices)
    if np.ptp(vertices[:, 1]) == 0.0:
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        return abut.Solid.box(high - low + (0, PLATE, 0)).translated(0.5 * (low + high) - (0, 0.5 * PLATE, 0))
    return abut.Solid(vertices, triangles)


def _obj(file):
    words = [line.split() for line in file.read_text().splitlines()]
    vertices = np.array([row[1:4] for row in words if row[:1] == ["v"]], float)
    triangles = np.array([[int(w.split("/")[0]) for w in row[1:4]] for row in words if row[:1] == ["f"]])
    return vertices, triangles - 1
