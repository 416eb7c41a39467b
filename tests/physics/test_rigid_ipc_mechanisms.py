"""Gears, piston, pendulum, chains and scripted bodies of the rigid-ipc collection."""

import numpy as np
import pytest

from physics.energy import EnergyWatch, moving_bodies, run_watched
from physics.judge import Judge, run_judged

pytestmark = pytest.mark.needs_jit


def centre(body):
    """Centre of mass."""
    return body.pose.apply(body.spec.centre)


def test_a_driven_gear_follows_within_its_backlash(scene):
    run = scene("mechanisms/gears/single-kinematic")
    (gear,) = moving_bodies(run.world)
    turned = 0.0
    judge = Judge(run.world)
    for k, _ in enumerate(run.run(2.0)):
        turned += np.degrees(gear.angular_velocity[2]) * run.world.dt
        assert k % 10 or judge.overlap() is None
    assert turned == pytest.approx(200.0, abs=7.5)  # a quarter of the pitch of 30 degrees


def test_a_falling_rack_turns_two_gears_against_each_other(scene):
    run = scene("mechanisms/gears/single")
    _, first, second = moving_bodies(run.world)
    reports = run_watched(run, 0.5, every=5)
    assert sum(report.time_given_up for report in reports) == 0.0
    spin = np.array([gear.angular_velocity[2] for gear in (first, second)])
    assert abs(spin[0]) > 0.5 and spin[1] == pytest.approx(-spin[0], rel=0.1)


def test_a_crank_moves_its_piston_up_and_down_by_contact_alone(scene):
    """y = -r cos(phi) + sqrt(l^2 - r^2 sin(phi)^2) but for the play of two pins and the cylinder."""
    run = scene("mechanisms/507-movements/092-piston")
    crank, _, head, _ = run.world.bodies
    judge, rows = Judge(run.world), []
    for k, _ in enumerate(run.run(2.0)):
        rows.append((run.world.time, *centre(head)))
        assert k % 8 or judge.overlap() is None, f"step {k}"
    t, x, y, z = np.array(rows).T
    assert np.linalg.norm(crank.angular_velocity) == pytest.approx(2 * np.pi)
    r, rod = 0.7, 2.33  # m, between the middles of the pins as drawn
    phi = 2 * np.pi * t
    expected = -r * np.cos(phi) + np.sqrt(rod**2 - (r * np.sin(phi)) ** 2)
    # 5 mm of radial play at either pin, to both sides, and what polygons of 30 corners add.
    play = 4 * 5e-3 + 2 * 0.175 * (1.0 - np.cos(np.pi / 30))
    assert np.ptp(y - expected) < play
    tops = [i for i in range(1, len(y) - 1) if y[i - 1] < y[i] >= y[i + 1]]
    np.testing.assert_allclose(t[tops], [0.5, 1.5], atol=0.03)
    assert np.abs(x).max() < play and np.ptp(z) < play


@pytest.mark.parametrize("dt", [5e-3, 1e-2])
def test_a_pendulum_swings_on_its_pin(scene, dt):
    """Period of a physical pendulum let go from the horizontal: 1.18034 times that of small swings."""
    run = scene("pendulum/pendulum")
    run.world.dt = dt
    pin, arm = run.world.bodies
    length = np.linalg.norm(centre(arm) - pin.pose.position)
    inertia = arm.spec.inertia[2, 2] + arm.mass * length**2
    period = 1.1803406 * 2 * np.pi * np.sqrt(inertia / (arm.mass * 9.81 * length))
    watch, judge, way = EnergyWatch(run.world), Judge(run.world), []
    for k, _ in enumerate(run.run(2.7)):
        watch.step()
        assert watch.energy <= watch.start and watch.rise < 2e-3 * watch.largest_kinetic
        way.append(centre(arm))
        assert k % 5 or judge.overlap() is None, f"step {k}"
    x = np.array(way)[:, 0]
    crossings = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    assert np.diff(crossings)[0] * run.world.dt == pytest.approx(period, rel=0.01)
    reach = np.linalg.norm(np.array(way) - pin.pose.position, axis=1)
    assert np.abs(reach - length).max() < 2e-3, "the arm stays on the pin"
    assert watch.energy > watch.start - 0.1 * watch.largest_kinetic, "the play of the pin takes little"


def nearest_others(run):
    """For each link the distances of its centre to all others."""
    c = np.array([centre(body) for body in run.world.bodies])
    return np.linalg.norm(c[:, None] - c[None], axis=-1)


@pytest.mark.parametrize(
    ("name", "duration", "every"), [("3-links", 1.0, 4), ("10-links", 0.6, 6), ("chain-net/chain-net-4x4", 0.5, 10)]
)
def test_links_stay_linked(scene, name, duration, every):
    run = scene(f"chain/{name}")
    size = max(run.world.bodies[-1].shape.extents)
    start = nearest_others(run)
    linked = [(i, j) for i, j in zip(*np.nonzero(start < 0.7 * size), strict=True) if i < j]
    assert len(linked) >= len(run.world.bodies) - 1
    reports = run_watched(run, duration, every=every)
    assert sum(report.time_given_up for report in reports) == 0.0
    end = nearest_others(run)
    assert max(end[pair] for pair in linked) < size


def test_a_cube_is_pushed_by_a_moving_wall(scene):
    run = scene("examples/kinematic")
    (cube,) = moving_bodies(run.world)
    run_judged(run, 1.5, every=3)
    np.testing.assert_allclose(cube.velocity, (1.0, 0.0, 0.0), atol=1e-3)


def test_a_scripted_cube_goes_where_it_is_told_and_is_never_passed(scene):
    """100 m/s for three steps, then it spins at 1500 degrees a second under the cube that it threw at the ceiling."""
    run = scene("examples/kinematically-scripted")
    (cube,), scripted = moving_bodies(run.world), run.world.bodies[3]
    judge, heights = Judge(run.world), []
    for k, _ in enumerate(run.run(1.3)):
        assert scripted.pose.position[1] == pytest.approx(min(k + 1.0, 3.0), abs=1e-12)
        heights.append(cube.pose.position[1] - scripted.pose.position[1])
        assert judge.overlap() is None, f"step {k}"
    gap = run.world.contact_gap
    assert min(heights) > 1.0 and heights[2] == pytest.approx(1.0 + gap, abs=0.1 * gap)
    assert max(heights) + 3.0 == pytest.approx(9.5 - gap, abs=0.01)
    turned = scripted.pose.rotvec[0] % (2 * np.pi)
    assert turned == pytest.approx(np.radians(1500.0 * (1.3 - 0.03)) % (2 * np.pi), abs=1e-9)


def test_four_walls_press_a_turned_cube_flat(scene):
    run = scene("compactor/single-cube")
    *walls, cube = moving_bodies(run.world)
    reports = run_judged(run, 1.0, every=2)
    gap = run.world.contact_gap
    for wall in walls:
        assert np.abs(centre(wall)).max() == pytest.approx(0.6 + gap, abs=2 * gap)  # half the cube, half the slab
    assert np.abs(np.abs(cube.pose.rotation).max(axis=0) - 1.0).max() < 1e-6
    assert run.world.kinetic_energy < 1e-6
    assert sum(report.time_given_up for report in reports) == 0.0


def test_a_cow_comes_to_rest_on_the_plane(scene):
    run = scene("examples/example")
    (cow,) = moving_bodies(run.world)
    run_watched(run, 2.5, every=20)
    lowest = cow.pose.apply(cow.shape.vertices)[:, 1].min()
    assert lowest == pytest.approx(-1.0 + run.world.contact_gap, abs=0.01 * run.world.contact_gap)
    assert run.world.kinetic_energy < 1e-6
