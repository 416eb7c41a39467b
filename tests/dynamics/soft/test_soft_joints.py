"""Soft bodies beside rigid ones on joints: pushed by a motor, and hung on a hinge."""

import numpy as np
import pytest

import abut
from dynamics.soft.judge import overlapping

pytestmark = [pytest.mark.needs_jit, pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")]

RUBBER = {"young": 1e5, "poisson": 0.3, "density": 1000.0, "damping": (0.0, 5e-3)}


def forces_on(world, soft, other):
    """(3,) force of a rigid body on a soft one."""
    contacts = world.contacts
    on_b = (contacts["body_a"] == other.index) & (contacts["body_b"] == soft.index)
    on_a = (contacts["body_b"] == other.index) & (contacts["body_a"] == soft.index)
    push = contacts["force"][:, None] * contacts["normal"] + contacts["friction"]
    return push[on_b].sum(axis=0) - push[on_a].sum(axis=0)


def test_a_motor_presses_a_block_against_a_wall_with_its_largest_force():
    part = abut.Solid.box((0.06, 0.06, 0.06))
    world = abut.World(dt=5e-3, gravity=(0, 0, 0), friction=0.3)
    wall = world.add_body(abut.Solid.box((0.02, 0.2, 0.2)), "wall", pose=abut.Pose((0.0405, 0, 0)), fixed=True)
    ram = world.add_body(abut.Solid.box(0.05), "ram", pose=abut.Pose((-0.057, 0, 0)), mass=0.2)
    soft = world.add_deformable(abut.fem.TetMesh.from_solid(part, 0.03), "block", surface=part, **RUBBER)
    slider = world.add_joint(
        "slider", ram, anchor=(-0.057, 0, 0), axis=(1, 0, 0), motor=abut.Motor(velocity=0.1, max_force=6.0)
    )
    for i in range(160):
        assert world.step().time_given_up == 0.0
        if i % 20 == 0:
            assert overlapping(world) == []
    assert slider["travel"].value > 2.5e-3 and abs(slider["travel"].speed) < 1e-3, "stalled"
    np.testing.assert_allclose(forces_on(world, soft, ram), (6.0, 0, 0), atol=0.1)
    np.testing.assert_allclose(forces_on(world, soft, wall), (-6.0, 0, 0), atol=0.1)
    slider.motor = abut.Motor(velocity=-0.1, max_force=6.0)
    world.run(0.2)
    assert len(world.contacts) == 0 or np.abs(forces_on(world, soft, ram)).max() < 1e-9, "the motor lets go"
    assert soft.strain_energy < 1e-4


def test_a_bar_on_a_hinged_arm_swings_with_it():
    """Nodes of a soft bar are attached to a rigid arm on a hinge; both fall and keep their energy but for damping."""
    part = abut.Solid.box((0.1, 0.03, 0.03))
    world = abut.World(dt=4e-3)
    arm = world.add_body(abut.Solid.box((0.1, 0.03, 0.03)), "arm", pose=abut.Pose((0.05, 0, 0)), mass=0.05)
    hinge = world.add_joint("hinge", arm, anchor=(0, 0, 0), axis=(0, 1, 0))
    bar = world.add_deformable(
        abut.fem.TetMesh.from_solid(part, 0.015), "bar", surface=part, pose=abut.Pose((0.151, 0, 0)), **RUBBER
    )
    bar.attach(np.flatnonzero(np.asarray(bar.mesh.nodes)[:, 0] < -0.049), arm)
    start = energy = world.energy
    depth = 9.81 * (0.05 * 0.05 + bar.mass * 0.151)
    for _ in range(25):
        assert world.step().time_given_up == 0.0
        assert world.energy < energy + 2e-3 * depth
        energy = world.energy
    assert hinge.coordinate > 0.3, "it falls"
    assert start - energy < 0.2 * depth
    ends = bar.nodes[np.asarray(bar.mesh.nodes)[:, 0] < -0.049]
    assert np.abs(np.linalg.norm(ends[:, [0, 2]], axis=1) - 0.101).max() < 2e-3, "held at the arm"
