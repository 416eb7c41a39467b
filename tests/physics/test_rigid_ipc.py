"""Frictionless scenes of the rigid-ipc collection: what its README expects of each, and never an overlap."""

import json

import numpy as np
import pytest

import abut
from abut.scene.importers import rigid_ipc
from physics.energy import moving_bodies, run_watched
from physics.judge import run_judged

pytestmark = pytest.mark.needs_jit
G = 9.8


def upright(body):
    """How far one of a body's axes is from the vertical."""
    return 1.0 - np.abs(body.pose.rotation[1]).max()


def test_every_scene_loads_with_the_bodies_the_collection_counts(shared_data):
    folder = shared_data("rigid-ipc")
    for name, expected in json.loads((folder / "scene-summary.json").read_text()).items():
        scene = rigid_ipc(folder, name)
        assert len(scene.world.bodies) == expected["bodies"], name
        assert len(moving_bodies(scene.world)) == expected["dynamic"], name
        assert scene.world.dt == expected["timestep"] and scene.duration > 0.0, name


@pytest.mark.parametrize(
    ("name", "duration"),
    [
        ("unit-tests/erleben/spikes", 1.25),
        ("unit-tests/erleben/wedges", 1.25),
        ("unit-tests/erleben/spike-and-wedge", 1.25),
        ("fracture/cube", 1.0),
        ("unit-tests/vertex-vertex", 1.0),
        ("unit-tests/edge-edge", 2.0),
        ("unit-tests/tessellated-plane/two-triangles", 1.0),
        ("unit-tests/tessellated-plane/two-triangles-tet", 1.0),
        ("examples/concave", 1.0),
    ],
)
def test_contact_without_restitution_adds_no_energy(scene, name, duration):
    reports = run_watched(scene(name), duration, every=4)
    assert sum(report.time_given_up for report in reports) == 0.0


@pytest.mark.parametrize(
    ("name", "fall"),
    [
        ("unit-tests/edge-edge", 0.292892),
        ("unit-tests/vertex-vertex", 0.2),
        ("unit-tests/vertex-face", 0.292893),
        ("unit-tests/tessellated-plane/two-triangles", 1.0),
        ("unit-tests/tessellated-plane/two-triangles-tet", 1.5),
    ],
)
def test_impact_comes_when_free_fall_says(scene, name, fall):
    run = scene(name)
    (body,), dt = moving_bodies(run.world), run.world.dt
    due = np.sqrt(2.0 * fall / G)
    reports = run_judged(run, due + 3 * dt)
    first = next(k for k, report in enumerate(reports) if report.contacts) + 1
    # Euler steps fall g t dt / 2 farther: a step early at most.
    assert first * dt == pytest.approx(due, abs=1.5 * dt)
    assert np.linalg.norm(body.velocity) < 0.9 * G * run.world.time


@pytest.mark.parametrize("name", ["unit-tests/erleben/internal-edges", "unit-tests/tessellated-plane/two-triangles"])
def test_a_cube_rests_flat_whatever_the_tessellation(scene, name):
    run = scene(name)
    (cube,) = moving_bodies(run.world)
    run_judged(run, 1.5, every=5)
    assert np.abs(cube.pose.position[[0, 2]]).max() < 1e-7 and np.abs(cube.pose.rotvec).max() < 1e-7
    assert cube.pose.position[1] == pytest.approx(run.world.contact_gap, rel=0.02)
    assert run.world.kinetic_energy < 1e-6


def test_a_vertex_balances_on_a_face(scene):
    run = scene("unit-tests/vertex-face")
    run_watched(run, 1.0)
    assert run.world.kinetic_energy < 1e-6


@pytest.mark.parametrize(("name", "floor"), [("unit-tests/cube-falling-on-edge", -1.0), ("piles/plane", -1.0)])
def test_cubes_that_land_on_an_edge_come_to_rest_on_a_face(scene, name, floor):
    run = scene(name)
    run_watched(run, 3.0, every=6)
    levels = [floor + 0.5, floor + 1.5]
    for cube in moving_bodies(run.world):
        assert upright(cube) < 1e-8
        off = np.abs(cube.pose.position[1] - np.array(levels)).min()
        assert off < 3 * run.world.contact_gap
    assert run.world.kinetic_energy < 1e-6


def test_a_spike_slides_over_a_plane_without_touching(scene):
    run = scene("unit-tests/erleben/sliding-spike")
    (spike,) = moving_bodies(run.world)
    run_judged(run, 0.9, every=3)
    np.testing.assert_allclose(spike.velocity, (10.0, 0.0, 0.0), rtol=1e-12, atol=1e-12)
    assert spike.pose.position[0] == pytest.approx(-4.9 + 10.0 * run.world.time, abs=1e-9)


def test_a_cube_slides_between_two_walls_without_slowing(scene):
    run = scene("unit-tests/tunnel/2-walls")
    (cube,) = moving_bodies(run.world)
    run_judged(run, 0.3)
    np.testing.assert_allclose(cube.velocity, (0.0, 0.0, 25.0), rtol=1e-12, atol=1e-12)
    assert cube.pose.position[2] == pytest.approx(-4.0 + 25.0 * run.world.time, abs=1e-9)


def test_five_cubes_fall_into_a_stack_and_stay_in_line(scene):
    """Corners stand above corners: the direction between two such vertices is noise that would push the cubes apart."""
    run = scene("unit-tests/5-cubes")
    run_watched(run, 3.0, every=5)
    gap = run.world.contact_gap
    for i, cube in enumerate(moving_bodies(run.world)):
        assert cube.pose.position[1] == pytest.approx(-0.5 + i + (i + 1) * gap, abs=0.1 * gap)

        assert np.abs(cube.pose.position[[0, 2]]).max() < 1e-12
        assert np.abs(cube.pose.rotvec).max() < 1e-9
    assert run.world.kinetic_energy < 1e-6  # of 245 kJ that they had


def test_a_turned_cube_at_1000_metres_a_second_stays_before_the_plane(scene):
    """It flies ten times its size a step; its foremost vertex must stay at x < 0 for ever."""
    run = scene("unit-tests/tunneling")
    (cube,) = moving_bodies(run.world)
    foremost = []
    for _ in range(100):
        report = run.step()
        foremost.append(cube.pose.apply(cube.shape.vertices)[:, 0].max())
        assert report.time_given_up == 0.0
    assert max(foremost) < 0.0
    # It lands flat, on all four vertices of a face. Nothing presses it there, so it may float off a little.
    gap = run.world.contact_gap
    assert foremost[0] < -0.99 * gap and -2 * gap < foremost[-1] < -0.99 * gap
    assert (cube.pose.apply(cube.shape.vertices)[:, 0] > -2 * gap).sum() == 4
    assert run.world.kinetic_energy < 1e-3  # of 500 MJ


@pytest.mark.parametrize("name", ["rotating-cube", "rotating-ellipsoid-major"])
def test_torque_free_rotation_is_steady(scene, name):
    run = scene(f"unit-tests/rotation/{name}")
    (body,) = moving_bodies(run.world)
    spin = body.angular_velocity
    run_judged(run, 10.0, every=1000)
    np.testing.assert_allclose(body.angular_velocity, spin, atol=1e-6 * np.linalg.norm(spin))


def test_a_torque_speeds_up_steadily(scene):
    run = scene("unit-tests/rotation/torque-test")
    (gear,) = moving_bodies(run.world)
    R = gear.pose.rotation
    inertia = (R @ gear.spec.inertia @ R.T)[1, 1]
    run_judged(run, 2.0, every=1000)
    np.testing.assert_allclose(
        gear.angular_velocity, (0.0, np.radians(90.0) / inertia * 2.0, 0.0), rtol=1e-6, atol=1e-6
    )


def test_a_scene_that_does_not_exist_is_named(shared_data):
    with pytest.raises(abut.InputError, match="there is no scene 'teapot' of rigid-ipc in"):
        rigid_ipc(shared_data("rigid-ipc"), "teapot")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "broken.json: is not a JSON document"),
        ("{}", "broken.json: is not a scene of rigid-ipc; it has no 'rigid_body_problem'"),
        ('{"rigid_body_problem": {}, "timestep": 0.01}', "it has no 'rigid_bodies'"),
    ],
)
def test_a_file_that_is_no_scene_is_answered_with_a_sentence(tmp_path, text, sentence):
    (tmp_path / "fixtures" / "3D").mkdir(parents=True)
    (tmp_path / "fixtures" / "3D" / "broken.json").write_text(text)
    with pytest.raises(abut.FileError, match=sentence):
        rigid_ipc(tmp_path, "broken")


def test_a_scene_of_planes_alone_loads(tmp_path):
    bodies = [{"mesh": "plane.obj", "type": "static"}]
    description = {"rigid_body_problem": {"rigid_bodies": bodies}, "timestep": 0.01, "max_time": 0.1}
    (tmp_path / "fixtures" / "3D").mkdir(parents=True)
    (tmp_path / "fixtures" / "3D" / "planes.json").write_text(json.dumps(description))
    assert [body.mass for body in rigid_ipc(tmp_path, "planes").world.bodies] == [np.inf]
