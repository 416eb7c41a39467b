"""Parts that hang, fall, fly and land."""

import numpy as np
import pytest

from abut.scene import scenes
from physics.energy import run_watched
from physics.judge import Judge, run_judged

pytestmark = pytest.mark.needs_jit


def test_rings_stay_linked_and_lose_energy_only():
    scene = scenes.chain(n=4, segments=16, sides=8)
    world = scene.world
    reports = run_watched(scene, 0.25, every=3)
    for upper, lower in zip(world.bodies[:-1], world.bodies[1:], strict=True):
        distance = np.linalg.norm(upper.pose.position - lower.pose.position)
        assert distance < 2 * (0.05 - 0.008) + 1e-3, f"{lower.name} fell out of {upper.name}"
    assert sum(r.time_given_up for r in reports) < 0.01 * world.time


def test_a_bracket_comes_to_rest_in_the_hollow_of_another():
    scene = scenes.brackets()
    run_judged(scene, 0.15, every=3)
    upper, gap = scene.world.body("upper"), scene.world.contact_gap
    # Legs on legs, thickness 5 mm: the corner stands 5 mm sqrt(2) above the other one's.
    assert upper.pose.position[2] == pytest.approx((5e-3 + gap) * np.sqrt(2.0), abs=4 * gap)
    np.testing.assert_allclose(upper.pose.rotvec, (0.0, -np.pi / 4, 0.0), atol=1e-4)
    assert abs(upper.velocity[0]) < 1e-4 and abs(upper.velocity[2]) < 1e-4


def test_an_airliner_stands_on_all_its_wheels():
    scene = scenes.aircraft()
    run_judged(scene, every=10)
    plane = scene.world.body("aircraft")
    assert plane.pose.position[2] == pytest.approx(scene.world.contact_gap, rel=0.1)
    assert np.abs(plane.pose.rotvec).max() < 1e-4
    assert plane.contact_wrench()[2] == pytest.approx(60e3 * 9.81, rel=1e-2)


@pytest.mark.parametrize(("speed", "dt"), [(600.0, 1e-3), (6000.0, 1e-3), (600.0, 1e-2)])
def test_a_spinning_blade_never_passes_the_plate(speed, dt):
    """At most a turn a step; it is stopped by the plate's edge before it has made a sixth of one."""
    scene = scenes.blade(speed=speed, dt=dt)
    blade, judge, turn = scene.world.body("blade"), Judge(scene.world), []
    for _ in range(20):
        assert scene.step().time_given_up == 0.0
        turn.append(blade.pose.rotvec[1])
        assert judge.overlap() is None
    # The plate's upper face is 29.75 mm below the pin; the tip reaches 80 mm.
    assert min(turn) > 0.0 and max(turn) <= np.arcsin(30e-3 / 80e-3)
    assert abs(blade.angular_velocity[1]) < 1.0


@pytest.mark.parametrize("dt", [1e-3, 2e-3])
def test_a_thrown_blade_tumbles_over_the_plate_and_never_passes(dt):
    scene = scenes.thrown_blade(dt=dt)
    blade, gap = scene.world.body("blade"), scene.world.contact_gap
    reports = run_watched(scene, 0.02)
    assert sum(report.time_given_up for report in reports) == 0.0
    lowest = blade.pose.apply(blade.shape.vertices)[:, 2].min()
    assert lowest > 0.25e-3 + 0.5 * gap
    assert scene.world.kinetic_energy < 0.01 * 271.0, "what is left of 271 J is a spin about the vertical"


@pytest.mark.parametrize(("tilt", "dt"), [(0.0, 1e-3), (0.3, 1e-3), (0.3, 1e-2)])
def test_a_cube_faster_than_its_size_per_step_stops_at_a_thin_plate(tilt, dt):
    """It flies 50 or 500 times its size a step and comes to rest flat on the plate, however it was turned."""
    scene = scenes.bullet(tilt=tilt, dt=dt)
    cube, gap = scene.world.body("cube"), scene.world.contact_gap
    reports = run_watched(scene, 20 * dt)
    assert sum(report.time_given_up for report in reports) == 0.0
    heights = np.sort(cube.pose.apply(cube.shape.vertices)[:, 2]) - 0.25e-3
    assert heights[0] > 0.9 * gap and heights[3] < 20 * gap, "flat but for what nothing presses it to"
    np.testing.assert_allclose(cube.pose.position[:2], (0.01, 0.0), atol=1e-9)
    assert scene.world.kinetic_energy < 1e-6  # of 31 kJ
