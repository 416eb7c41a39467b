"""Scenes with friction of the rigid-ipc collection: the coefficient of the file is the world's."""

import numpy as np
import pytest

from physics.energy import run_watched
from physics.judge import run_judged

pytestmark = pytest.mark.needs_jit


@pytest.fixture
def scene(scene):
    return lambda name: scene(f"friction/{name}")


@pytest.mark.parametrize(("slope", "landed", "acceleration"), [(15, 0.7, 1.5898), (30, 1.0, 4.4756)])
def test_a_cube_slides_down_an_incline(scene, slope, landed, acceleration):
    """g (sin - mu cos), once it lies flat."""
    run = scene(f"incline-plane/incline-plane-{slope}°")
    cube = run.world.bodies[0]
    run_judged(run, landed, every=10)
    before = np.linalg.norm(cube.velocity)
    run_judged(run, 0.3, every=10)
    assert (np.linalg.norm(cube.velocity) - before) / 0.3 == pytest.approx(acceleration, rel=2e-3)
    assert np.linalg.norm(cube.angular_velocity) < 1e-2


def test_a_cube_sticks_where_friction_holds_it(scene):
    run = scene("incline-plane/slopeTest_highSchoolPhysics_mu=1")
    cube = run.world.bodies[0]
    run_judged(run, 0.5, every=2)
    place = cube.pose.position
    run_judged(run, 2.0, every=10)
    np.testing.assert_allclose(cube.pose.position, place, atol=1e-6)


def test_a_cone_rolls_about_its_apex(scene):
    """It slides and rolls to begin with, never off the plane, and friction takes its energy, not gives."""
    run = scene("rolling/cone")
    cone = run.world.bodies[0]
    reports = run_watched(run, 1.0, every=2)
    assert sum(report.time_given_up for report in reports) == 0.0
    centre, speed = cone.pose.apply(cone.shape.centroid[None])[0], np.linalg.norm(cone.velocity)
    assert speed > 0.05 and len(run.world.contacts) > 0
    for contact in run.world.contacts:
        slip = cone.velocity + np.cross(cone.angular_velocity, contact["point"] - centre)
        slip -= (slip @ contact["normal"]) * contact["normal"]
        assert np.linalg.norm(slip) < 1e-3 * speed, "it rolls"


def test_a_cube_rides_on_a_turntable_within_its_friction(scene):
    """No outcome is asserted by the collection; it must ride along, or slide outwards, and never overlap."""
    run = scene("turntable/turntable-mu=0.1")
    cube = run.world.bodies[1]
    reports = run_judged(run, 2.0, every=4)
    assert sum(report.time_given_up for report in reports) == 0.0
    assert np.hypot(*cube.pose.position[[0, 2]]) > 1.4 and np.linalg.norm(cube.velocity) > 0.1


def test_stones_settle_into_an_arch_that_stands(scene):
    """25 stones, 60 m high, begin 0.1 m apart. Where few contacts close a joint it sways, and stands all the same."""
    run = scene("arch/arch-25-stones")
    stones = run.world.bodies[1:]
    centres, start = [], np.array([stone.pose.apply(stone.spec.centre) for stone in stones])
    for duration, every in ((3.0, 25), (17.0, 200)):
        reports = run_judged(run, duration, every=every)
        assert sum(report.time_given_up for report in reports) == 0.0
        centres.append(np.array([stone.pose.apply(stone.spec.centre) for stone in stones]))
    settled, end = centres
    assert start[:, 1].max() - settled[:, 1].max() < 2.0, "all joints together, and how far the legs spread"
    assert np.linalg.norm(end - settled, axis=1).max() < 1e-2
    touching = {(int(c["body_a"]), int(c["body_b"])) for c in run.world.contacts}
    assert {(k, k + 1) for k in range(1, 25)} <= touching
    # Of 10,000 t of stone.
    assert run.world.kinetic_energy < 10.0
