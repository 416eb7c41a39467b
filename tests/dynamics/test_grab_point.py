"""A hand that holds a point of a part: the part hangs from it, turns about it, and is pulled no harder than asked."""

import numpy as np
import pytest

from abut import InputError, Pose, Solid, World
from abut.dynamics import Body

CORNER = (0.05, 0.02, 0.01)


def bar(**options) -> tuple[World, Body]:
    """A steel bar in free space."""
    world = World(dt=1e-3, **options)
    return world, world.add_body(Solid.box((0.1, 0.04, 0.02)), "bar", density=7800.0)


def test_a_part_hangs_from_the_point_where_it_is_held():
    world, body = bar()
    target = np.array((0.2, 0.1, 0.3))
    body.pose = Pose(target - CORNER)
    body.grab_point(CORNER, target)
    for _ in range(4000):
        world.step()
    held = body.pose.apply(CORNER)
    stretch = body.mass * 9.81 / (body.mass * (2.0 * np.pi * 10.0) ** 2)
    np.testing.assert_allclose(held, target - (0.0, 0.0, stretch), atol=1e-5)
    below = held - body.pose.apply(body.spec.centre)
    np.testing.assert_allclose(below / np.linalg.norm(below), (0.0, 0.0, 1.0), atol=1e-3)
    np.testing.assert_allclose(body.hand_wrench()[:3], (0.0, 0.0, body.mass * 9.81), rtol=1e-3, atol=1e-3)


def test_a_pull_beside_the_centre_of_mass_turns_the_part():
    world, body = bar(gravity=(0.0, 0.0, 0.0))
    body.grab_point((0.05, 0.0, 0.0), (0.05, 0.03, 0.0))
    for _ in range(30):
        world.step()
    assert body.angular_velocity[2] > 0.1 and body.velocity[1] > 0.0
    assert np.abs(body.angular_velocity[:2]).max() < 1e-9


def test_held_at_its_centre_a_part_reaches_the_target_without_overshoot_or_rotation():
    world, body = bar(gravity=(0.0, 0.0, 0.0))
    body.grab_point(body.spec.centre, (0.02, 0.0, 0.0))
    x = []
    for _ in range(300):
        world.step()
        x.append(body.pose.position[0])
    assert max(x) <= 0.02 * (1.0 + 1e-9) and x[-1] == pytest.approx(0.02, rel=1e-3)
    assert (body.angular_velocity == 0.0).all()


def test_the_hand_pulls_no_harder_than_its_limit():
    world, body = bar(gravity=(0.0, 0.0, 0.0))
    body.grab_point((0.05, 0.0, 0.0), (1.0, 0.0, 0.0), max_force=2.0)
    for _ in range(20):
        world.step()
        assert np.linalg.norm(body.hand_wrench()[:3]) <= 2.0 * (1.0 + 1e-9)
    assert body.velocity[0] == pytest.approx(2.0 / body.mass * 0.02, rel=1e-3)


def test_what_the_hand_exerts_is_what_changes_the_motion(rng):
    world, body = bar(gravity=(0.0, 0.0, 0.0))
    body.velocity, body.angular_velocity = rng.normal(size=3), rng.normal(size=3)
    body.grab_point(CORNER, rng.normal(size=3), stiffness=500.0, max_force=30.0)
    for _ in range(50):
        before, R = body.mass * body.velocity, body.pose.rotation
        spin = R @ body.spec.inertia @ R.T @ body.angular_velocity
        world.step()
        R, wrench = body.pose.rotation, body.hand_wrench()
        np.testing.assert_allclose(wrench[:3], (body.mass * body.velocity - before) / world.dt, rtol=1e-9, atol=1e-9)
        turned = (R @ body.spec.inertia @ R.T @ body.angular_velocity - spin) / world.dt
        np.testing.assert_allclose(wrench[3:], turned, rtol=1e-9, atol=1e-9)


def test_a_saved_hand_goes_on_to_the_bit():
    world, body = bar()
    body.grab_point(CORNER, (0.1, 0.1, 0.1), max_force=50.0)
    for _ in range(20):
        world.step()
    twin = World.restore(world.save())
    for _ in range(50):
        world.step()
        twin.step()
    assert (twin.body("bar").pose.row == body.pose.row).all()
    body.release()
    world.step()
    assert (body.hand_wrench() == 0.0).all()


def test_without_inertia_the_point_is_led_to_its_target():
    world, body = bar(level="kinematic")
    body.grab_point(CORNER, (0.06, 0.02, 0.01))
    world.step()
    np.testing.assert_allclose(body.pose.apply(CORNER), (0.06, 0.02, 0.01), atol=1e-9)
    np.testing.assert_allclose(body.pose.quat_wxyz, (1.0, 0.0, 0.0, 0.0), atol=1e-12)


def test_what_cannot_be_held_is_refused():
    world, body = bar()
    floor = world.add_body(Solid.box((1.0, 1.0, 0.1)), "floor", pose=Pose((0.0, 0.0, -1.0)), fixed=True)
    with pytest.raises(InputError, match="only a dynamic body can be grabbed"):
        floor.grab_point((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    with pytest.raises(InputError, match="point: row 1 is not finite"):
        body.grab_point((0.0, np.nan, 0.0), (0.0, 0.0, 1.0))
    with pytest.raises(InputError, match="max_force"):
        body.grab_point((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), max_force=-1.0)
