"""Balls and capsules on soft skins: friction acts on their surfaces, so that they roll, and come to rest."""

import numpy as np
import pytest

import abut
from dynamics.soft.judge import overlapping

pytestmark = [pytest.mark.needs_jit, pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")]

TILT, RADIUS = 0.2, 0.02


@pytest.mark.parametrize("shape", [abut.Sphere(RADIUS), abut.Capsule(RADIUS, 0.04)], ids=lambda shape: shape.kind)
def test_a_round_body_rolls_down_a_slope_of_a_stiff_slab(shape):
    """Without slip: a = g sin(tilt) / (1 + I / m r²), and the surface turns as fast as the body moves."""
    part = abut.Solid.box((0.4, 0.1, 0.04))
    mesh = abut.fem.TetMesh.from_solid(part, 0.02)
    foot = np.flatnonzero(mesh.nodes[:, 2] < -0.02 + 1e-9)
    gravity = 9.81 * np.array((np.sin(TILT), 0.0, -np.cos(TILT)))
    world = abut.World(dt=5e-3, friction=0.5, gravity=gravity)
    skin = abut.fem.divided(part, 3)
    rubber = {"young": 1e7, "poisson": 0.3, "density": 1000.0, "damping": (0.0, 1e-3)}
    world.add_deformable(mesh, "slab", surface=skin, fixed_nodes=foot, **rubber)
    lying = abut.Pose.from_rotvec((-0.1, 0.0, 0.02 + RADIUS + 2e-4), (0.5 * np.pi, 0.0, 0.0))
    body = world.add_body(shape, "round", pose=lying, density=2000.0)
    world.run(0.3)
    across = np.linalg.inv(body.pose.rotation) @ (0.0, 1.0, 0.0)
    turning = 1.0 + across @ world._now.setup.specs[body.index].inertia @ across / (body.mass * RADIUS**2)
    assert body.velocity[0] == pytest.approx(9.81 * np.sin(TILT) * world.time / turning, rel=0.01)
    assert body.angular_velocity[1] * RADIUS == pytest.approx(body.velocity[0], rel=0.01)
    assert overlapping(world) == []


def test_a_heavy_ball_comes_to_rest_in_a_soft_block_and_the_world_sleeps():
    part = abut.Solid.box((0.1, 0.1, 0.06))
    mesh = abut.fem.TetMesh.from_solid(part, 0.03)
    foot = np.flatnonzero(mesh.nodes[:, 2] < -0.03 + 1e-9)
    world = abut.World(dt=5e-3, friction=0.5)
    rubber = {"young": 1e5, "poisson": 0.3, "density": 1000.0, "damping": (0.0, 2e-2)}
    soft = world.add_deformable(mesh, "block", surface=abut.fem.divided(part, 2), fixed_nodes=foot, **rubber)
    ball = world.add_body(abut.Sphere(0.03), "ball", pose=abut.Pose((0.003, 0.002, 0.0605)), density=8000.0)
    for _ in range(2000):
        rounds = world.step().rounds
        if rounds == 0:
            break
    assert rounds == 0, "asleep: nothing is solved"
    place, nodes = ball.pose.position.copy(), soft.nodes.copy()
    world.run(0.1)
    assert np.array_equal(ball.pose.position, place) and np.array_equal(soft.nodes, nodes)
    assert not ball.velocity.any() and not soft.velocities.any()
    contacts = world.contacts
    pushes = np.where(contacts["body_b"] == ball.index, 1.0, -1.0)
    forces = pushes[:, None] * (contacts["force"][:, None] * contacts["normal"] + contacts["friction"])
    np.testing.assert_allclose(forces.sum(axis=0), (0.0, 0.0, 9.81 * ball.mass), atol=1e-3 * 9.81 * ball.mass)
    assert len(contacts) > 2 and overlapping(world) == []
