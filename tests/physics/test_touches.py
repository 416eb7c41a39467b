"""What touches what: contacts of the features that meet, and of no others."""

import numpy as np
import pytest

from abut import Pose, Solid, Sphere, World, scenes
from physics.judge import Judge

LYING = Pose.from_rotvec((0.0, 0.0, 0.0), (0.5 * np.pi, 0.0, 0.0))
ROOFS = {
    "cylinder": (Solid.cylinder(radius=0.05, height=0.3, segments=16), LYING),
    "cone": (Solid.cone(radius=0.05, height=0.06, segments=10), Pose()),
}


@pytest.mark.parametrize("roof", ROOFS)
@pytest.mark.parametrize("x", [0.0, 0.003, 0.012])
def test_a_ball_rolls_over_blunt_edges(roof, x):
    """At an edge, balls looked for a contact with the face beside it, where there was none, and hung in the air."""
    solid, X = ROOFS[roof]
    world = World()
    world.add_body(solid, "roof", fixed=True, pose=X)
    ball = world.add_body(Sphere(0.02), "ball", pose=Pose((x, 0.001, 0.085)))
    touched = 0
    for _ in range(150):
        report = world.step()
        assert report.time_given_up == 0.0 and report.parts <= 1
        touched = max(touched, report.contacts)
    assert touched > 0 and (ball.pose.position[2] < 0.0701)


def test_parts_that_lie_in_one_plane_do_not_touch_by_it():
    """A corner that had passed the border of a face within a step was held by that face, at a gap of nothing."""
    scene = scenes.gears(dt=5e-3)
    for report in scene.run(0.2):
        assert report.smallest_gap > 0.4 * scene.world.contact_gap
        assert np.abs(scene.world.contacts["normal"][:, 2]).max(initial=0.0) < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_a_ball_slides_along_an_edge_that_turns(seed):
    """With a normal that stays, the distance was wrong by way times turn: up to 123 motions a step instead of one."""
    rng = np.random.default_rng(seed)
    world = World(gravity=(0.0, 0.0, 0.0), dt=5e-3)
    upright = Pose.from_rotvec((0.0, 0.0, 0.0), (0.25 * np.pi, 0.0, 0.0))
    spin, y, v = 4.0 * rng.normal(size=3), *rng.normal(size=2)
    world.add_body(Solid.box((0.4, 0.03, 0.03)), "rod", pose=upright, mass=1.0, angular_velocity=spin)
    world.add_body(Sphere(0.03), pose=Pose((-0.1, 0.02 * y, 0.08)), mass=0.3, velocity=(3.0, 0.3 * v, -1.5))
    start, touched = world.kinetic_energy, 0
    for _ in range(40):
        report = world.step()
        touched = max(touched, report.contacts)
        assert report.parts == 1 and world.kinetic_energy <= start * (1.0 + 1e-3)
    assert touched > 0


@pytest.mark.parametrize("seed", [34, 40, 91, 115, 133, 170, 173])
def test_a_light_box_between_heavy_balls_gains_no_energy_by_its_turns(seed):
    """Gaps at the end of a step were right after a whole turn as well, by forces that did work; and contacts pushed
    along normals that went with the turn at the start of the step, not with the one that they gave.
    """
    rng = np.random.default_rng(seed)
    world = World(gravity=(0.0, 0.0, 0.0), dt=float(rng.choice([1e-3, 5e-3])))
    for i in range(6):
        p = rng.normal(size=3)
        p *= (0.15 + 0.1 * i) / np.linalg.norm(p)
        world.add_body(
            Sphere(float(rng.uniform(0.02, 0.06))),
            pose=Pose(p),
            velocity=-8.0 * p + 0.3 * rng.normal(size=3),
            angular_velocity=rng.normal(size=3),
            mass=float(10 ** rng.uniform(-1.0, 1.0)),
        )
    world.add_body(Solid.box(0.05), "box", angular_velocity=(5.0, 3.0, 1.0))
    start, (p, L) = world.kinetic_energy, world.momentum
    least = start
    while world.time < 0.15:
        assert world.step().time_given_up == 0.0
        assert world.kinetic_energy <= least + 0.01 * start
        least = min(least, world.kinetic_energy)
    np.testing.assert_allclose(world.momentum[0], p, atol=1e-12)
    np.testing.assert_allclose(world.momentum[1], L, atol=1e-12)


@pytest.mark.parametrize("aside", [0.0, 0.01, 0.03])
def test_a_smooth_ball_does_not_spin_at_an_edge(aside):
    """Without friction nothing turns it, however fast it comes to the edge."""
    world = World(dt=1e-3)
    edge = Pose.from_rotvec((0.0, 0.0, 0.0), (np.pi / 4, 0.0, 0.0))
    world.add_body(Solid.box((0.4, 0.1, 0.1)), "edge", pose=edge, fixed=True)
    ball = world.add_body(Sphere(0.05), "ball", pose=Pose((0.0, aside, 0.2)), velocity=(0.3, 0.0, -5.0))
    touched = 0
    for _ in range(60):
        touched = max(touched, world.step().contacts)
        assert np.abs(ball.angular_velocity).max() < 1e-9
    assert touched > 0


def cubes_that_pass(seed):
    """Two cubes in space, edge towards edge within two degrees of parallel; the second comes, slips and turns."""
    rng, cube, up = np.random.default_rng(seed), Solid.box(0.1), np.pi / 4
    world = World(dt=1e-3, gravity=(0.0, 0.0, 0.0))
    world.add_body(cube, "lower", pose=Pose.from_rotvec((0.0, 0.0, 0.0), (up, 0.0, 0.0)))
    place = (0.0, rng.uniform(-1e-3, 1e-3), 0.1 * np.sqrt(2.0) + rng.uniform(1.0e-3, 1.2e-3))
    askew = Pose.from_rotvec(place, (0.0, rng.uniform(-0.002, 0.002), rng.uniform(-0.03, 0.03)))
    upper = world.add_body(cube, "upper", pose=askew @ Pose.from_rotvec((0.0, 0.0, 0.0), (up, 0.0, 0.0)))
    upper.velocity = (*rng.uniform(-1.0, 1.0, 2), -rng.uniform(0.3, 1.0))
    upper.angular_velocity = rng.uniform(-10.0, 10.0, 3)
    return world


SEEDS = range(60)


def test_edges_that_are_nearly_parallel_pass_each_other_in_whole_steps():
    """They cross at one end of what they share and at the other within a step; held where they cross, they were not."""
    touched = 0
    for seed in SEEDS:
        world = cubes_that_pass(seed)
        before, judge = np.concatenate(world.momentum), Judge(world)
        for _ in range(12):
            report = world.step()
            touched += report.contacts > 0
            assert report.parts == 1 and judge.overlap() is None, seed
        np.testing.assert_allclose(np.concatenate(world.momentum), before, atol=1e-12)
    assert touched > 2 * len(SEEDS)


def tilt_of_turning_bar(turn, roll, angle, dt):
    """Which way [degrees] a bar points after 0.1 s that turns on the edge of another, at first nearly along it."""
    world, bar, up = (
        World(dt=dt),
        Solid.box((0.4, 0.05, 0.05)),
        Pose.from_rotvec((0.0, 0.0, 0.0), (np.pi / 4, 0.0, 0.0)),
    )
    world.add_body(bar, "lower", pose=up, fixed=True)
    askew = Pose.from_rotvec((0.05, 0.0, 0.05 * np.sqrt(2.0) + 2e-4), (0.0, 0.0, angle))
    upper = world.add_body(bar, "upper", pose=askew @ up, angular_velocity=(0.0, roll, turn))
    world.run(0.1)
    x, y, z = upper.pose.rotation[:, 0]
    return np.degrees([np.arctan2(y, x), np.arcsin(z)])


@pytest.mark.parametrize(("turn", "roll", "angle"), [(5.0, 0.5, 0.01), (5.0, -1.0, 0.0), (2.0, -0.2, 0.02)])
def test_edges_that_were_parallel_prop_nothing_up_where_they_no_longer_meet(turn, roll, angle):
    """Once held at both ends of what they shared, edges were so for good, at any angle: bars tipped half as far."""
    coarse, fine = tilt_of_turning_bar(turn, roll, angle, 1e-3), tilt_of_turning_bar(turn, roll, angle, 2e-4)
    np.testing.assert_allclose(coarse, fine, atol=0.2)
    assert abs(fine[1]) > 3.0


@pytest.mark.parametrize("seed", [32, 51, 92, 112])
def test_edges_that_turn_through_parallel_gain_no_energy(seed):
    """Their normal turns over in a step; a gap that jumps was taken for one that sags, and lifted by that."""
    rng, up = np.random.default_rng(seed), Pose.from_rotvec((0.0, 0.0, 0.0), (np.pi / 4, 0.0, 0.0))
    world, bar = World(dt=3e-3, gravity=(0.0, 0.0, 0.0)), Solid.box((rng.choice([0.1, 0.4]), 0.05, 0.05))
    world.add_body(bar, pose=up)
    place = (0.0, rng.uniform(-1e-3, 1e-3), 0.05 * np.sqrt(2.0) + rng.uniform(1e-4, 3e-4))
    upper = world.add_body(bar, pose=Pose.from_rotvec(place, (0.0, 0.0, rng.uniform(-0.3, -0.05))) @ up)
    upper.velocity = (*rng.uniform(-0.5, 0.5, 2), -rng.uniform(0.1, 1.0))
    upper.angular_velocity = (*rng.uniform(-2.0, 2.0, 2), rng.uniform(20.0, 80.0))
    energy = world.kinetic_energy
    for _ in range(8):
        world.step()
        assert world.kinetic_energy <= 1.01 * energy
