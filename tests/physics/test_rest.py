"""What stands comes to rest, exactly, and gets going again as soon as there is a reason to."""

import numpy as np
import pytest

from abut import HalfSpace, Pose, Solid, World
from abut.scene import scenes

G = 9.81
BRICK = (0.2, 0.1, 0.06)


def wall(mu: float = 0.6) -> World:
    """Ten bricks in four courses, each course one shorter, a little above each other."""
    world = World(friction=mu)
    world.add_body(HalfSpace(), "floor", fixed=True)
    x, y, z = BRICK
    for row in range(4):
        for k in range(4 - row):
            place = ((k + 0.5 * row) * (x + 1e-3), 0.0, (row + 0.5) * z + (row + 1) * 2e-5)
            world.add_body(Solid.box((x, y, z)), f"brick {row} {k}", pose=Pose(place))
    return world


def poses(world: World) -> np.ndarray:
    return np.array([np.concatenate((body.pose.position, body.pose.quat_wxyz)) for body in world.bodies])


def test_a_wall_comes_to_rest_and_not_a_bit_changes_any_more():
    world = wall()
    world.run(0.2)
    before = poses(world)
    assert world.kinetic_energy == 0.0
    for _ in range(200):
        assert world.step().iterations == 0
    assert np.array_equal(poses(world), before)


def test_forces_at_rest_bear_the_weight():
    world = wall()
    world.run(0.2)
    weight = sum(body.mass for body in world.bodies[1:]) * G
    force = world.bodies[0].contact_wrench()[:3]
    # Forces that leave a motion of 1e-6 g or less are taken for right.
    assert force == pytest.approx([0.0, 0.0, -weight], abs=2e-5 * weight)


def test_an_arch_of_stones_comes_to_rest():
    scene = scenes.arch(n=15)
    for _ in range(60):
        scene.step()
    before = poses(scene.world)
    for _ in range(20):
        scene.step()
    assert scene.world.kinetic_energy == 0.0
    assert np.array_equal(poses(scene.world), before)


@pytest.mark.parametrize("dt", [1e-2, 1e-3, 1e-4])
def test_the_gentlest_slope_without_friction_lets_a_box_go(dt):
    angle, time = 1e-4, 0.05
    world = World(dt=dt, gravity=(G * np.sin(angle), 0.0, -G * np.cos(angle)))
    world.add_body(HalfSpace(), "floor", fixed=True)
    box = world.add_body(Solid.box(0.1), "box", pose=Pose((0.0, 0.0, 0.05 + 4e-6)))
    world.run(time)
    start = box.velocity[0]
    world.run(time)
    assert box.velocity[0] - start == pytest.approx(G * np.sin(angle) * time, rel=1e-3)


def test_a_box_slides_on_slowly_without_friction():
    world = World()
    world.add_body(HalfSpace(), "floor", fixed=True)
    box = world.add_body(Solid.box(0.1), "box", pose=Pose((0.0, 0.0, 0.05 + 4e-6)), velocity=(1e-6, 0.0, 0.0))
    world.run(0.5)
    assert box.velocity[0] == pytest.approx(1e-6, rel=1e-3)


def test_a_blow_wakes_a_wall_and_a_light_touch_is_borne():
    world = wall()
    world.run(0.2)
    top = world.bodies[-1]
    before = poses(world)
    for _ in range(20):
        top.apply_force((0.3 * top.mass * G, 0.0, 0.0))
        world.step()
    assert poses(world) == pytest.approx(before, abs=1e-9)
    for _ in range(20):
        top.apply_force((1.5 * top.mass * G, 0.0, 0.0))
        world.step()
    # Two boxes that slide on each other: (1.5 - mu) g.
    assert top.velocity[0] == pytest.approx((1.5 - 0.6) * G * 0.02, rel=1e-3)
