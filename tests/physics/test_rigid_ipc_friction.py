"""Scenes with friction of the rigid-ipc collection: the coefficient of the file is the world's."""

import numpy as np
import pytest

from abut.scene.importers import rigid_ipc
from physics.judge import run_judged

pytestmark = pytest.mark.needs_jit


@pytest.fixture
def scene(shared_data):
    return lambda name: rigid_ipc(shared_data("rigid-ipc"), f"friction/{name}")


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
