"""Scenes with answers in closed form; the tolerances follow from dt, which is 1 ms unless said otherwise."""

import numpy as np
import pytest

import abut
from abut.scene import scenes
from physics.energy import run_watched
from physics.judge import run_judged

pytestmark = pytest.mark.needs_jit
G = 9.81


def moving(scene, name):
    return scene.world.body(name)


def test_a_box_falls_as_it_must_and_stays_where_it_lands():
    scene = scenes.free_fall(height=0.05)
    box, dt = moving(scene, "box"), scene.world.dt
    steps = 90
    run_judged(scene, steps * dt)
    # Symplectic Euler: v is exact, z lags behind by g t dt / 2.
    assert box.velocity[2] == pytest.approx(-G * steps * dt, rel=1e-12)
    assert box.pose.position[2] == pytest.approx(
        0.05 - 0.5 * G * (steps * dt) ** 2 - 0.5 * G * steps * dt**2, rel=1e-12
    )
    reports = run_judged(scene, 0.1)
    gap = scene.world.contact_gap
    assert box.pose.position[2] == pytest.approx(gap, rel=1e-3)
    assert np.abs(box.pose.rotvec).max() < 1e-7 and np.abs(box.pose.position[:2]).max() < 1e-9
    assert scene.world.kinetic_energy < 1e-10
    assert reports[-1].contacts == 4 and box.contact_wrench()[2] == pytest.approx(box.mass * G, rel=1e-3)


def test_an_incline_accelerates_by_the_sine_of_its_slope():
    slope = np.radians(20.0)
    scene = scenes.incline(slope=slope)
    box = moving(scene, "box")
    run_judged(scene, 0.1)
    before = box.velocity
    run_judged(scene, 0.4)
    along = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    change = box.velocity - before
    assert change @ along == pytest.approx(0.4 * G * np.sin(slope), rel=1e-4)
    assert np.linalg.norm(change - (change @ along) * along) < 1e-4
    assert abs(box.pose.rotvec - (0.0, slope, 0.0)).max() < 1e-6


def test_tumbling_keeps_momentum_and_energy_to_rounding():
    scene = scenes.tumbling(dt=2e-3)
    world = scene.world
    (p, L), energy = world.momentum, world.energy
    spin, drift, turned = [], 0.0, False
    for k, _ in enumerate(scene.run(10.0)):
        spin.append(world.body("box").angular_velocity)
        if k % 50 == 0:
            drift = max(drift, abs(world.energy / energy - 1.0))
            turned |= (world.body("box").pose.rotation[:, 1] @ (0, 1, 0)) < -0.9
    p_end, L_end = world.momentum
    assert np.abs(p_end - p).max() < 1e-13 * np.abs(p).max()
    # About the moving centre of mass: the orbital part cancels for a velocity along x from the origin.
    assert np.linalg.norm(L_end - L) < 1e-9 * np.linalg.norm(L)
    assert drift < 1e-11
    assert turned, "a box spun about its middle axis turns over (Dzhanibekov)"


@pytest.mark.parametrize("turn", [0.1, 2.0, 10.0, 30.0, 1e4])
@pytest.mark.parametrize("size", [(0.1, 0.05, 0.02), (0.02, 0.004, 0.0002), (0.3, 0.01, 0.02)])
def test_a_free_body_keeps_momentum_and_energy_at_any_spin(size, turn, rng):
    """Above 2 rad a step it once lost its momentum and gained energy, four times as much at 10."""
    world = abut.World(gravity=(0.0, 0.0, 0.0), dt=1e-3)
    axis = rng.normal(size=3)
    world.add_body(abut.Solid.box(size), angular_velocity=turn / 1e-3 * axis / np.linalg.norm(axis))
    L, energy = world.momentum[1], world.kinetic_energy
    for _ in range(100):
        world.step()
        assert world.kinetic_energy == pytest.approx(energy, rel=1e-11)
        np.testing.assert_allclose(world.momentum[1], L, rtol=0.0, atol=1e-11 * np.linalg.norm(L))


def test_a_stack_of_ten_comes_to_rest_and_stays():
    scene = scenes.stack()
    reports = run_judged(scene, 0.4, every=5)
    world, gap = scene.world, scene.world.contact_gap
    for i in range(10):
        box = world.body(f"box {i}")
        assert box.pose.position[2] == pytest.approx(0.1 * i + gap * (i + 1), abs=0.02 * gap * (i + 1))
        assert np.abs(box.pose.position[:2]).max() < 1e-8 and np.abs(box.pose.rotvec).max() < 1e-7
    assert world.kinetic_energy < 1e-10
    assert sum(r.time_given_up for r in reports) == 0.0
    below = [c for c in world.contacts if world.bodies[c["body_a"]].name == "floor"]
    assert sum(c["force"] for c in below) == pytest.approx(10 * world.body("box 0").mass * G, rel=1e-3)


@pytest.mark.parametrize("ratio", [1e3, 1e5])
def test_a_block_many_times_heavier_rests_on_a_light_one(ratio):
    scene = scenes.mass_ratio(ratio=ratio)
    run_watched(scene, 0.15, every=2)
    world, gap = scene.world, scene.world.contact_gap
    light, heavy = world.body("light"), world.body("heavy")
    assert light.pose.position[2] == pytest.approx(gap, rel=0.01)
    assert heavy.pose.position[2] == pytest.approx(0.1 + 2 * gap, abs=0.02 * gap)
    assert np.abs([light.pose.rotvec[:2], heavy.pose.rotvec[:2]]).max() < 1e-7
    assert world.kinetic_energy < 1e-10 * ratio  # J; 9.8 mJ times the ratio is a millimetre of height
    assert heavy.contact_wrench()[2] == pytest.approx(ratio * G, rel=1e-3)
    below = [c["force"] for c in world.contacts if world.bodies[c["body_a"]].name == "floor"]
    assert sum(below) == pytest.approx((ratio + 1.0) * G, rel=1e-3)


def test_a_cube_between_walls_loses_nothing():
    scene = scenes.between_walls()
    reports = run_judged(scene, every=5)
    cube = moving(scene, "cube")
    np.testing.assert_allclose(cube.velocity, (5.0, 0.0, 0.0), rtol=1e-12, atol=0.0)
    assert cube.pose.position[0] == pytest.approx(-0.9 + 5.0 * scene.world.time, abs=1e-12)
    assert max(report.contacts for report in reports) == 0, "a millimetre is not near"


def test_a_cube_that_slides_along_a_wall_loses_only_what_went_into_the_wall():
    scene = scenes.between_walls(drift=0.3)
    reports = run_watched(scene, every=5)
    cube, gap = moving(scene, "cube"), scene.world.contact_gap
    assert reports[-1].contacts >= 3 and sum(report.time_given_up for report in reports) == 0.0
    assert cube.velocity[0] == pytest.approx(5.0, rel=1e-9)
    assert cube.pose.position[0] == pytest.approx(-0.9 + 5.0 * scene.world.time, abs=1e-9)
    # Nothing presses it to the wall, so it may float off by a few gaps, but it does not bounce or turn.
    assert 1e-3 - 4 * gap < cube.pose.position[1] < 1e-3 - 0.9 * gap
    assert np.abs(cube.pose.rotvec).max() < 1e-9 and abs(cube.velocity[1]) < 1e-4


def test_a_ball_rolls_over_the_seams_of_a_floor_of_boxes():
    """Frictionless: it slides at constant speed; seams between equal boxes must not make it hop."""
    world = abut.World()
    for i in range(4):
        world.add_body(abut.Solid.box((0.1, 0.1, 0.02)), pose=abut.Pose((0.1 * i, 0.0, -0.01)), fixed=True)
    ball = world.add_body(abut.Sphere(0.02), "ball", pose=abut.Pose((0.0, 0.0, 0.02 + 1e-6)), velocity=(1.0, 0, 0))
    heights = []
    for _ in range(300):
        world.step()
        heights.append(ball.pose.position[2] - 0.02)
    assert min(heights) > 0.0 and max(heights) < 3.0 * world.contact_gap
    np.testing.assert_allclose(ball.velocity, (1.0, 0.0, 0.0), atol=1e-6)
