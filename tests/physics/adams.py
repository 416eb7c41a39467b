"""Pendulums of data/chrono-adams-joints: their models as worlds, their recorded trajectories as arrays.

The models are texts for MSC ADAMS: statements such as MARKER/0102, PART = 01, QP = x, y, z, REULER = a, b, c, continued
on lines that begin with a comma. Euler angles are body-fixed, about z, x and z.
"""

import re

import numpy as np

from abut import Pose, Solid, World

FOLDERS = {
    "Revolute_Case01": "revolute_joint",
    "Spherical_Case01": "spherical_joint",
    "Universal_Case01": "universal_joint",
    "Cylindrical_Case02": "cylindrical_joint",
    "Prismatic_Case01": "prismatic_joint",
    "Prismatic_Case02": "prismatic_joint",
    "Distance_Case01": "distance_constraint",
}


def statements(text):
    """{"MARKER/0102": "PART = 01, QP = 0, 0, 0"}"""
    lines = [line for line in text.splitlines()[1:] if line.strip() and not line.startswith("!")]
    joined = "\n".join(lines).replace("\n,", ",")
    return dict(line.split(",", 1) if "," in line else (line, "") for line in joined.splitlines())


def numbers(statement, key, count):
    """Numbers after `KEY =`; angles are given in degrees with a D behind them."""
    match = re.search(rf"\b{key}\s*=\s*([^=]*?)(?:,\s*[A-Z]+\s*=|$)", statement)
    if match is None:
        return np.zeros(count)
    return np.array([float(word.strip().rstrip("D")) for word in match[1].rstrip(", ").split(",")[:count]])


def marker(model, name):
    """Pose of a marker in the world."""
    statement = model[f"MARKER/{name}"]
    pose = Pose(numbers(statement, "QP", 3))
    for axis, angle in zip((2, 0, 2), np.radians(numbers(statement, "REULER", 3)), strict=True):
        pose = pose @ Pose.from_rotvec((0, 0, 0), angle * np.eye(3)[axis])
    return pose


def load_model(data, name):
    return statements((data / "adams_models" / f"test_{name}.adm").read_text())


def marker_position(data, name, which):
    """Where a marker is at the start."""
    return marker(load_model(data, name), which).position


def load_world(data, name, dt):
    """The pendulum of a case in a world of abut, and its joint to the ground."""
    model = load_model(data, name)
    world = World(gravity=(0.0, 0.0, numbers(model["ACCGRAV/"], "KGRAV", 1)[0]), dt=dt, contact_gap=1e-5)
    pendulum = world.add_body(
        Solid.box((4.0, 0.2, 0.2)),  # about what is drawn; mass and inertia are given
        "pendulum",
        pose=marker(model, "0201"),
        mass=float(numbers(model["PART/02"], "MASS", 1)[0]),
        inertia=np.diag(numbers(model["PART/02"], "IP", 3)),
    )
    return world, pendulum, add_joint(world, pendulum, model)


def add_joint(world, pendulum, model):
    ground, mine = marker(model, "0102"), marker(model, "0202")
    if "GCON/1" in model:
        length = float(re.search(r"DM\(0202, 0102\)-(\S+)", model["GCON/1"])[1])
        anchors = {"anchor": mine.position, "anchor_other": ground.position}
        return world.add_joint("distance", pendulum, length=length, **anchors)
    x, y, z = ground.rotation.T
    kind, words = {
        "REVOLUTE": ("hinge", {"axis": z}),
        "SPHERICAL": ("ball", {}),
        "HOOKE": ("universal", {"axis": y, "axis_other": x}),
        "CYLINDRICAL": ("cylindrical", {"axis": z}),
        "TRANSLATIONAL": ("slider", {"axis": z}),
    }[model["JOINT/1"].split(",")[0].strip()]
    return world.add_joint(kind, pendulum, anchor=mine.position, anchor_other=ground.position, **words)


def recorded(data, name, quantity):
    """Times (n,) and values (n, 3) or (n, 4)."""
    table = np.loadtxt(data / FOLDERS[name] / f"{name}_ADAMS_{quantity}.txt", skiprows=3)
    return table[:, 0], table[:, 1:]
