"""Frictionless scenes of the rigid-ipc collection: what its README expects of each, and never an overlap."""

import numpy as np
import pytest

from physics.judge import Judge, run_judged
from physics.rigid_ipc import load_scene

pytestmark = pytest.mark.needs_jit
G = 9.8


@pytest.fixture
def scene(shared_data):
    return lambda name: load_scene(shared_data("rigid-ipc"), name)


def moving(scene):
    return [body for body in scene.world.bodies if np.isfinite(body.mass)]


def no_energy_gained(scene, duration, every):
    """Run, judged, with the energy never above its start by more than rounding."""
    start, judge = scene.world.energy, Judge(scene.world)
    scale = abs(start) + sum(b.mass for b in moving(scene)) * G
    for k, _ in enumerate(scene.run(duration)):
        assert scene.world.energy <= start + 1e-9 * scale, f"step {k}"
        if k % every == 0:
            assert judge.overlap() is None, f"step {k}"


@pytest.mark.parametrize(
    ("name", "duration"),
    [
        ("unit-tests/erleben/spikes", 1.25),
        ("unit-tests/erleben/wedges", 1.25),
        ("unit-tests/erleben/spike-and-wedge", 1.25),
        ("unit-tests/cube-falling-on-edge", 2.0),
        ("piles/plane", 1.5),
        ("fracture/cube", 0.5),
        ("unit-tests/vertex-vertex", 1.0),
        ("unit-tests/edge-edge", 2.0),
        ("unit-tests/tessellated-plane/two-triangles", 1.0),
        ("examples/concave", 1.0),
        ("chain/3-links", 0.5),
    ],
)
def test_contact_without_restitution_adds_no_energy(scene, name, duration):
    no_energy_gained(scene(name), duration, every=4)


@pytest.mark.parametrize(
    ("name", "fall"),
    [
        ("unit-tests/edge-edge", 0.292892),
        ("unit-tests/vertex-vertex", 0.2),
        ("unit-tests/vertex-face", 0.292893),
        ("unit-tests/tessellated-plane/two-triangles", 1.0),
    ],
)
def test_impact_comes_when_free_fall_says(scene, name, fall):
    run = scene(name)
    (body,), dt = moving(run), run.world.dt
    due = np.sqrt(2.0 * fall / G)
    reports = run_judged(run, due + 3 * dt)
    first = next(k for k, report in enumerate(reports) if report.contacts) + 1
    # Euler steps fall g t dt / 2 farther: a step early at most.
    assert first * dt == pytest.approx(due, abs=1.5 * dt)
    assert np.linalg.norm(body.velocity) < 0.9 * G * run.world.time


@pytest.mark.parametrize("name", ["unit-tests/erleben/internal-edges", "unit-tests/tessellated-plane/two-triangles"])
def test_a_cube_rests_flat_whatever_the_tessellation(scene, name):
    run = scene(name)
    (cube,) = moving(run)
    run_judged(run, 1.5, every=5)
    assert np.abs(cube.pose.position[[0, 2]]).max() < 1e-7 and np.abs(cube.pose.rotvec).max() < 1e-7
    assert cube.pose.position[1] == pytest.approx(run.world.contact_gap, rel=0.02)
    assert run.world.kinetic_energy < 1e-6


def test_a_vertex_balances_on_a_face(scene):
    run = scene("unit-tests/vertex-face")
    run_judged(run, 1.0)
    assert run.world.kinetic_energy < 1e-6


def test_a_spike_slides_over_a_plane_without_touching(scene):
    run = scene("unit-tests/erleben/sliding-spike")
    (spike,) = moving(run)
    run_judged(run, 0.9, every=3)
    np.testing.assert_allclose(spike.velocity, (10.0, 0.0, 0.0), rtol=1e-12, atol=1e-12)
    assert spike.pose.position[0] == pytest.approx(-4.9 + 10.0 * run.world.time, abs=1e-9)


def test_a_cube_slides_between_two_walls_without_slowing(scene):
    run = scene("unit-tests/tunnel/2-walls")
    (cube,) = moving(run)
    run_judged(run, 0.3)
    np.testing.assert_allclose(cube.velocity, (0.0, 0.0, 25.0), rtol=1e-12, atol=1e-12)
    assert cube.pose.position[2] == pytest.approx(-4.0 + 25.0 * run.world.time, abs=1e-9)


def test_five_cubes_fall_into_a_stack(scene):
    """Heights and tilt are what contacts decide; without friction, nothing stops a slow turn about the vertical."""
    run = scene("unit-tests/5-cubes")
    run_judged(run, 2.0, every=5)
    gap = run.world.contact_gap
    for i, cube in enumerate(moving(run)):
        assert cube.pose.position[1] == pytest.approx(-0.5 + i + (i + 1) * gap, abs=2 * gap)
        assert np.abs(cube.pose.rotvec[[0, 2]]).max() < 1e-6
    assert run.world.kinetic_energy < 1.0  # of 245 kJ that they had


@pytest.mark.parametrize("name", ["rotating-cube", "rotating-ellipsoid-major"])
def test_torque_free_rotation_is_steady(scene, name):
    run = scene(f"unit-tests/rotation/{name}")
    (body,) = moving(run)
    spin = body.angular_velocity
    run_judged(run, 10.0, every=1000)
    np.testing.assert_allclose(body.angular_velocity, spin, atol=1e-6 * np.linalg.norm(spin))


def test_a_torque_speeds_up_steadily(scene):
    run = scene("unit-tests/rotation/torque-test")
    (gear,) = moving(run)
    R = gear.pose.rotation
    inertia = (R @ gear.spec.inertia @ R.T)[1, 1]
    run_judged(run, 2.0, every=1000)
    np.testing.assert_allclose(
        gear.angular_velocity, (0.0, np.radians(90.0) / inertia * 2.0, 0.0), rtol=1e-6, atol=1e-6
    )


def test_a_driven_gear_follows_within_its_backlash(scene):
    run = scene("mechanisms/gears/single-kinematic")
    (gear,) = moving(run)
    turned = 0.0
    judge = Judge(run.world)
    for k, _ in enumerate(run.run(2.0)):
        turned += np.degrees(gear.angular_velocity[2]) * run.world.dt
        assert k % 10 or judge.overlap() is None
    assert turned == pytest.approx(200.0, abs=7.5)  # a quarter of the pitch of 30 degrees


def test_a_cube_is_pushed_by_a_moving_wall(scene):
    run = scene("examples/kinematic")
    (cube,) = moving(run)
    run_judged(run, 1.5, every=3)
    np.testing.assert_allclose(cube.velocity, (1.0, 0.0, 0.0), atol=1e-3)
