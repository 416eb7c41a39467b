"""Parts that hang, fall, fly and land."""

import numpy as np
import pytest

from abut.scene import scenes
from physics.judge import run_judged

pytestmark = pytest.mark.needs_jit


def test_rings_stay_linked_and_lose_energy_only():
    scene = scenes.chain(n=4, segments=16, sides=8)
    world, energies = scene.world, []
    reports = run_judged(scene, 0.05, every=2)
    for _ in range(10):
        energies.append(world.energy)
        reports += run_judged(scene, 0.02, every=5)
    assert np.diff(energies).max() < 1e-4 * abs(energies[0]), "contacts without restitution add no energy"
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


def test_a_spinning_blade_never_passes_the_plate():
    scene = scenes.blade()
    blade = scene.world.body("blade")
    turn = []
    for _ in range(50):
        run_judged(scene, scene.world.dt)
        turn.append(blade.pose.rotvec[1])
    # The plate's upper face is 29.75 mm below the pin; the tip reaches 80 mm.
    assert 0.0 < turn[-1] <= np.arcsin(30e-3 / 80e-3)
    assert abs(blade.angular_velocity[1]) < 1.0


def test_a_cube_faster_than_its_size_per_step_stops_at_a_thin_plate():
    scene = scenes.bullet()
    cube, gap = scene.world.body("cube"), scene.world.contact_gap
    run_judged(scene)
    assert cube.pose.position[2] == pytest.approx(0.01 + 0.25e-3 + gap, abs=0.01 * gap)
    assert scene.world.kinetic_energy < 1e-10
