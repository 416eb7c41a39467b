"""Deformable bodies that are attached, grabbed, or touch themselves."""

import numpy as np
import pytest

import abut
from dynamics.soft.judge import overlapping

RUBBER = {"young": 1e5, "poisson": 0.3, "density": 1000.0, "damping": (0.0, 5e-3)}


@pytest.fixture(scope="module")
def bar():
    part = abut.Solid.box((0.2, 0.04, 0.04))
    with pytest.warns(abut.fem.MeshWarning):
        return part, abut.fem.TetMesh.from_solid(part, 0.02)


def add_bar(world, bar, **how):
    part, mesh = bar
    return world.add_deformable(mesh, "bar", surface=part, **{**RUBBER, **how})


def ends(soft, side):
    x = np.asarray(soft.mesh.nodes)[:, 0]
    return np.flatnonzero(side * x > 0.095)


def test_nodes_attached_to_a_body_that_is_removed_are_let_go(bar):
    world = abut.World(dt=5e-3)
    soft = add_bar(world, bar)
    clamps = [
        world.add_body(abut.Solid.box(0.04), f"clamp {k}", pose=abut.Pose((0.1 * side, 0, 0)), fixed=True)
        for k, side in enumerate((-1, 1))
    ]
    for clamp, side in zip(clamps, (-1, 1), strict=True):
        soft.attach(ends(soft, side), clamp)
    world.run(0.05)
    world.remove_body(clamps[1])
    np.testing.assert_array_equal(np.flatnonzero(soft.fixed_or_attached), ends(soft, -1))
    end = soft.nodes[ends(soft, 1), 2].max()
    world.run(0.05)
    assert soft.nodes[ends(soft, 1), 2].max() < end - 5e-3, "the end that was let go falls"
    world.remove_body(clamps[0])
    assert not soft.fixed_or_attached.any()
    momentum = world.momentum[0][2]
    world.run(0.05)
    assert world.momentum[0][2] == pytest.approx(momentum - 0.05 * 9.81 * soft.mass, rel=1e-9), "all of it falls"


def test_attached_nodes_follow_a_kinematic_body_and_let_go(bar):
    world = abut.World(dt=5e-3, gravity=(0, 0, 0))
    soft = add_bar(world, bar)
    jaw = world.add_body(abut.Solid.box(0.04), "jaw", pose=abut.Pose((0.1, 0, 0)), kinematic=True, velocity=(0, 0, 0.2))
    nodes = ends(soft, 1)
    soft.attach(nodes, jaw)
    before = soft.nodes[nodes]
    world.run(0.1)
    np.testing.assert_allclose(soft.nodes[nodes] - before, np.tile((0, 0, 0.02), (len(nodes), 1)), atol=1e-12)
    assert soft.strain_energy > 0 and soft.centre[2] > 1e-3
    soft.detach(jaw)
    jaw.pose = abut.Pose((0.3, 0, 0))
    world.run(0.05)
    assert np.abs(soft.nodes[nodes] - before)[:, 2].max() != pytest.approx(0.02, abs=1e-6)


def test_a_stiff_bar_is_led_from_rest_without_a_refused_motion():
    """The jaw moves at once: held nodes do not tear at what hangs on them."""
    part = abut.Solid.box((0.003, 0.008, 0.042))
    with pytest.warns(abut.fem.MeshWarning):
        mesh = abut.fem.TetMesh.from_solid(part, 0.003)
    world = abut.World(dt=2e-3, gravity=(0, 0, 0))
    plastic = {"young": 2e7, "poisson": 0.4, "density": 1100.0, "damping": (0.0, 1e-3)}
    soft = world.add_deformable(mesh, "bar", surface=part, **plastic)
    low = abut.Pose((0, 0, -0.02))
    jaw = world.add_body(abut.Solid.box(0.01), "jaw", pose=low, kinematic=True, velocity=(0, 0, 0.05))
    soft.attach(np.flatnonzero(np.asarray(mesh.nodes)[:, 2] < -0.018), jaw)
    assert [world.step().energy_refusals for _ in range(10)] == [0] * 10
    assert soft.centre[2] == pytest.approx(0.02 * 0.05, rel=0.02)


def test_a_rigid_weight_hangs_on_a_fixed_soft_bar(bar):
    part, mesh = bar
    world = abut.World(dt=5e-3)
    fixed = np.flatnonzero(np.asarray(mesh.nodes)[:, 0] < -0.095)
    down = abut.Pose.from_rotvec((0, 0, 0), (0, np.pi / 2, 0))
    soft = world.add_deformable(mesh, "bar", surface=part, pose=down, fixed_nodes=fixed, **RUBBER)
    weight = world.add_body(abut.Solid.box(0.04), "weight", pose=abut.Pose((0, 0, -0.121)), mass=0.2)
    soft.attach(ends(soft, 1), weight)
    for _ in range(160):
        assert world.step().time_given_up == 0.0
    low = weight.pose.position[2]
    stretch = -0.121 - low
    area, length = 0.04 * 0.04, 0.19
    expected = (0.2 + 0.5 * soft.mass) * 9.81 * length / (RUBBER["young"] * area)
    assert stretch == pytest.approx(expected, rel=0.25)
    assert np.abs(weight.velocity).max() < 5e-3


def test_a_hand_at_a_point_of_the_skin_lifts_the_body(bar):
    world = abut.World(dt=5e-3)
    world.add_body(abut.HalfSpace((0, 0, 1)), "floor", fixed=True)
    soft = add_bar(world, bar, pose=abut.Pose((0, 0, 0.0202)))
    soft.grab((0, 0, 0.0402), (0, 0, 0.15))
    for i in range(120):
        assert world.step().time_given_up == 0.0
        if i % 20 == 0:
            assert overlapping(world) == []
    held = soft.vertices[np.argmin(np.linalg.norm(soft.vertices - (0, 0, 0.15), axis=1))]
    assert soft.centre[2] > 0.09 and held[2] > 0.08
    soft.move_hand((0.05, 0, 0.15))
    soft.release()
    before = soft.centre[2]
    world.run(0.1)
    assert soft.centre[2] < before - 0.03, "it falls"
    with pytest.raises(abut.InputError, match="nothing holds 'bar'"):
        soft.move_hand((0, 0, 0))


def test_a_weak_hand_cannot_lift_it(bar):
    world = abut.World(dt=5e-3)
    world.add_body(abut.HalfSpace((0, 0, 1)), "floor", fixed=True)
    soft = add_bar(world, bar, pose=abut.Pose((0, 0, 0.0202)))
    soft.grab((0, 0, 0.0402), (0, 0, 0.3), max_force=0.5 * 9.81 * soft.mass)
    world.run(0.3)
    assert soft.centre[2] < 0.025


def test_the_arms_of_a_clamp_meet_each_other_and_do_not_pass():
    """Self-contact: a U whose arms are pressed together by kinematic plates."""
    outline = [(0, 0), (0.1, 0), (0.1, 0.02), (0.02, 0.02), (0.02, 0.03), (0.1, 0.03), (0.1, 0.05), (0, 0.05)]
    part = abut.Solid.extrude(outline, 0.03)
    with pytest.warns(abut.fem.MeshWarning):
        mesh = abut.fem.TetMesh.from_solid(part, 0.012)
    world = abut.World(dt=5e-3, gravity=(0, 0, 0), friction=0.2)
    soft = world.add_deformable(mesh, "clamp", surface=part, **RUBBER)
    plate = abut.Solid.box((0.06, 0.02, 0.06))
    world.add_body(plate, "under", pose=abut.Pose((0.08, -0.0102, 0.0)), fixed=True)
    world.add_body(plate, "above", pose=abut.Pose((0.08, 0.0602, 0.0)), kinematic=True, velocity=(0, -0.2, 0))
    touched = 0
    for i in range(18):
        assert world.step().time_given_up == 0.0
        contacts = world.contacts
        touched = max(touched, int(((contacts["body_a"] == soft.index) & (contacts["body_b"] == soft.index)).sum()))
        if i % 6 == 5:
            assert overlapping(world) == []
            skin = abut.Solid(soft.vertices, soft.triangles)
            assert not [p for p in skin.problems() if "intersect" in p.kind], "arms pass through each other"
    assert touched > 0


def test_nodes_that_are_fixed_cannot_be_attached(bar):
    world = abut.World()
    soft = add_bar(world, bar, fixed_nodes=[0, 1])
    jaw = world.add_body(abut.Solid.box(0.04), "jaw", pose=abut.Pose((1, 0, 0)))
    with pytest.raises(abut.InputError, match="fixed or attached already"):
        soft.attach([1, 2], jaw)
    with pytest.raises(abut.InputError, match="nodes"):
        soft.attach([10**6], jaw)
