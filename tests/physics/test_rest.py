"""What stands comes to rest, exactly, and gets going again as soon as there is a reason to."""

from typing import Any

import numpy as np
import pytest

from abut import Body, HalfSpace, Pose, Solid, Sphere, World
from abut.dynamics.solver.problem_kernels import LEAST_ITEMS
from abut.scene import scenes

G = 9.81
BRICK = (0.2, 0.1, 0.06)


def wall(mu: float = 0.6, **options: Any) -> World:
    """Ten bricks in four courses, each course one shorter, a little above each other."""
    world = World(friction=mu, **options)
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
        report = world.step()
        assert report.rounds == 0
        assert report.contacts == len(world.contacts) > 0
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


def state(world: World) -> bytes:
    contacts = world.contacts
    return poses(world).tobytes() + contacts["force"].tobytes() + contacts["friction"].tobytes()


@pytest.mark.parametrize("options", [{}, {"restitution": 0.5}], ids=["ncp", "bouncing"])
def test_sleep_leaves_no_trace(options):
    """A world that was saved does not know who slept. Two walls and askew balls sleep, and a ball falls on a wall."""
    world = wall(**options)
    for k, rotvec in enumerate(np.random.default_rng(3).normal(size=(8, 3))):
        world.add_body(Sphere(0.05), f"askew {k}", pose=Pose.from_rotvec((7.0 + 0.2 * k, 0.0, 0.05 + 4e-6), rotvec))
    x, _, z = BRICK
    for k in range(3):
        world.add_body(Solid.box(BRICK), f"far {k}", pose=Pose((5.0, 0.0, (k + 0.5) * z + (k + 1) * 2e-5)))
    ball = world.add_body(Sphere(0.05), "ball", pose=Pose((1.5 * x, 0.0, 0.6)))
    forgetful = World.restore(world.save())
    for _ in range(350):
        world.step()
        forgetful.step()
        forgetful = World.restore(forgetful.save())
        assert state(world) == state(forgetful)
    assert ball.velocity[2] > -0.9 * G * world.time, "the ball has been stopped by the wall"


def test_sleep_leaves_no_trace_where_a_long_wall_is_hit():
    """In later rounds of a step, large islands are solved near what was hit only, whether they slept or not."""
    gap, brick = 4.9e-6, (0.2, 0.1, 0.1)
    world = World(friction=0.5, contact_gap=gap)
    world.add_body(HalfSpace(), "floor", fixed=True)
    for row in range(4):
        for k in range(12):
            place = (0.201 * k + 0.1 * (row % 2), 0.0, 0.1 * row + 0.05 + (row + 1) * gap)
            world.add_body(Solid.box(brick), f"brick {row} {k}", pose=Pose(place))
    world.add_body(Sphere(0.06), "shot", pose=Pose((1.2, -0.25, 0.25)), mass=0.5, velocity=(0.3, 20.0, 0.0))
    for step in range(10):
        forgetful = World.restore(world.save())
        forgetful.step()
        asleep = world.step().iterations == 0
        assert state(world) == state(forgetful), f"in step {step}"
    assert len(world.contacts) >= LEAST_ITEMS and not asleep


def box_asleep() -> tuple[World, Body, Body]:
    """A box that sleeps on a floor that can be moved."""
    world = World(friction=0.5)
    floor = world.add_body(Solid.box((1.0, 1.0, 0.1)), "floor", pose=Pose((0.0, 0.0, -0.05)), kinematic=True)
    box = world.add_body(Solid.box(0.1), "box", pose=Pose((0.0, 0.0, 0.05 + 2e-5)))
    world.run(0.1)
    assert world.step().rounds == 0
    return world, floor, box


def test_those_who_sleep_wake_when_their_floor_is_taken_away():
    world, floor, box = box_asleep()
    floor.pose = Pose((0.0, 0.0, -0.5))
    world.run(0.1)
    assert box.velocity[2] == pytest.approx(-G * 0.1, rel=1e-12)


def test_those_who_sleep_are_carried_off():
    world, floor, box = box_asleep()
    floor.velocity = (0.3, 0.0, 0.0)
    world.run(0.2)
    assert box.velocity == pytest.approx((0.3, 0.0, 0.0), abs=1e-5)


@pytest.mark.parametrize(
    "wake",
    [
        lambda world, box: box.apply_force((0.0, 0.0, 2.0 * box.mass * G)),
        lambda world, box: setattr(box, "velocity", (0.0, 0.0, 1.0)),
        lambda world, box: setattr(world, "gravity", (0.0, 0.0, 1.0)),
        lambda world, box: box.grab(Pose((0.0, 0.0, 1.0))),
    ],
    ids=["force", "velocity", "gravity", "hand"],
)
def test_whatever_happens_to_those_who_sleep_wakes_them(wake):
    world, _, box = box_asleep()
    wake(world, box)
    world.step()
    assert box.velocity[2] > 1e-4


def test_a_ball_sleeps_on_whatever_happens_elsewhere_with_other_methods():
    world = World(method="velocity", solver="gauss-seidel", gravity=(0.0, 0.0, -8.0))
    world.add_body(HalfSpace(), "floor", fixed=True)
    ball = world.add_body(Sphere(0.05), "ball", pose=Pose((0.0, 0.0, 0.05 + 4e-6)))
    world.add_body(Sphere(0.05), "far", pose=Pose((5.0, 0.0, 0.1)))
    world.run(0.05)
    before = ball.pose.position
    for _ in range(100):
        world.step()
        assert np.abs(ball.velocity).max() < 1e-5
    assert ball.pose.position == pytest.approx(before, abs=1e-7)
