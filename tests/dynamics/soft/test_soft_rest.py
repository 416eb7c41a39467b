"""Soft bodies at rest: they stand, sleep, and wake when something happens to them."""

import numpy as np
import pytest

import abut
from dynamics.soft.judge import overlapping

RUBBER = {"young": 1e5, "poisson": 0.3, "density": 1000.0, "damping": (0.0, 5e-3)}


@pytest.fixture(scope="module")
def block():
    part = abut.Solid.box((0.1, 0.1, 0.06))
    with pytest.warns(abut.fem.MeshWarning):
        return part, abut.fem.TetMesh.from_solid(part, 0.03)


def at_rest(block, tilt=0.0, friction=0.5):
    """A block that has come to rest on a slope, and how many steps that took."""
    part, mesh = block
    up = np.array((np.sin(tilt), 0.0, np.cos(tilt)))
    world = abut.World(dt=5e-3, friction=friction)
    world.add_body(abut.HalfSpace(up), "floor", fixed=True)
    pose = abut.Pose(0.0302 * up, quat_wxyz=(np.cos(tilt / 2), 0, np.sin(tilt / 2), 0))
    soft = world.add_deformable(mesh, "block", surface=part, pose=pose, **RUBBER)
    for i in range(600):
        before = soft.nodes.copy()
        report = world.step()
        assert report.time_given_up == 0.0
        if np.array_equal(soft.nodes, before) and not soft.velocities.any():
            return world, soft, i
    raise AssertionError("it never came to rest")


@pytest.mark.parametrize(("tilt", "friction"), [(0.0, 0.5), (0.0, 0.0), (np.arctan(0.42), 0.5)])
def test_a_block_comes_to_rest_and_sleeps(block, tilt, friction):
    world, soft, _ = at_rest(block, tilt, friction)
    world.step()
    nodes, time = soft.nodes.copy(), world.time
    reports = [world.step() for _ in range(100)]
    assert np.array_equal(soft.nodes, nodes) and not soft.velocities.any()
    assert all(report.rounds == 0 and report.contacts > 2 for report in reports), "asleep: nothing is solved"
    assert world.time == pytest.approx(time + 0.5)
    weight = 9.81 * soft.mass * np.cos(tilt)
    assert world.contacts["force"].sum() == pytest.approx(weight, rel=1e-3)
    assert overlapping(world) == []


def wake_by_hand(world, soft):
    soft.grab((0.0, 0.0, 0.06), target=(0.0, 0.0, 0.2))


def wake_by_gravity(world, soft):
    world.gravity = (0.0, 0.0, 1.0)


def wake_by_a_ball(world, soft):
    world.add_body(abut.Sphere(0.02), "ball", pose=abut.Pose((0.0, 0.0, 0.1)), mass=0.1)


def wake_by_speed(world, soft):
    soft.velocities = np.tile((0.0, 0.0, 0.5), (len(soft.nodes), 1))


@pytest.mark.parametrize("wake", [wake_by_hand, wake_by_gravity, wake_by_a_ball, wake_by_speed])
def test_a_sleeping_block_wakes(block, wake):
    world, soft, _ = at_rest(block)
    for _ in range(3):
        world.step()
    nodes = soft.nodes.copy()
    wake(world, soft)
    for _ in range(40):
        world.step()
    assert np.abs(soft.nodes - nodes).max() > 1e-6


def test_a_saved_sleeper_goes_on_as_if_it_had_not_slept(block):
    world, soft, _ = at_rest(block)
    for _ in range(5):
        world.step()
    saved = world.save()
    for _ in range(5):
        world.step()
    nodes = soft.nodes.copy()
    world.restore(saved)
    for _ in range(5):
        world.step()
    assert np.array_equal(soft.nodes, nodes)
