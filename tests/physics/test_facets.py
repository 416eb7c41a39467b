"""Parts on surfaces that are nearly flat: with ridges below the tolerance of faces, but not below the contact gap."""

import numpy as np
import pytest

from abut import Pose, Solid, World
from geometry.reliefs import hilly_plate, pyramid_plate
from physics.judge import Judge

LYING = Pose.from_rotvec((0.0, 0.0, 0.0), (np.pi / 2, 0.0, 0.0))


def dropped(ground, part, place, tilt=(0.0, 0.0, 0.0), ground_pose=None, **options):
    """A world with a part that falls on the ground."""
    world = World(**options)
    world.add_body(ground, "ground", pose=ground_pose, fixed=True)
    world.add_body(part, "part", pose=Pose.from_rotvec(place, tilt))
    return world


def run_judged(world, steps):
    """Take steps; fails at the first overlap and where time was given up. Returns the part."""
    judge = Judge(world)
    assert judge.overlap() is None
    for k in range(steps):
        report = world.step()
        assert judge.overlap() is None, f"overlap after step {k}"
        assert report.time_given_up == 0.0
    return world.bodies[1]


@pytest.fixture(scope="module")
def cylinder():
    return Solid.cylinder(0.5, 0.2, segments=5000)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [4e-3, 1e-2])
def test_a_plate_does_not_sink_into_a_fine_cylinder(cylinder, size, seed):
    rng = np.random.default_rng(seed)
    place, tilt = (*rng.uniform(-3e-3, 3e-3, 2), 0.5 + size), rng.uniform(-0.3, 0.3, 3)
    world = dropped(cylinder, Solid.box((size, size, size / 4)), place, tilt, LYING)
    part = run_judged(world, 80)
    assert abs(np.linalg.norm(part.pose.position[[0, 2]]) - 0.5 - size / 8) < 1e-5


@pytest.mark.parametrize("foot", [1e-3, 0.5])
@pytest.mark.parametrize("tilt", [0.0, 0.1])
def test_a_small_box_lies_on_a_low_pyramid(foot, tilt):
    """On the tip of one that is narrower than the box, on the top of one that is wider."""
    plate = pyramid_plate(1.0, foot, 1e-6)
    world = dropped(plate, Solid.box(3e-3), (0.0, 0.0, 2e-3), (tilt, 0.0, 0.0), contact_gap=1e-7)
    part = run_judged(world, 60)
    if tilt == 0.0:
        assert part.pose.position[2] == pytest.approx(1.5e-3 + 1.1e-6, abs=2e-8)


@pytest.mark.parametrize("foot", [0.2, 30.0, 300.0])
@pytest.mark.parametrize("tilt", [0.0, 0.1])
def test_a_box_lies_on_a_shallow_relief_of_a_plate_of_a_kilometre(foot, tilt):
    plate = pyramid_plate(1000.0, foot, 1.3e-3)
    world = dropped(plate, Solid.box(0.3), (0.0, 0.0, 0.2), (tilt, 0.0, 0.0))
    part = run_judged(world, 150)
    if tilt == 0.0:
        assert part.pose.position[2] == pytest.approx(0.15 + 1.3e-3 + world.contact_gap, abs=0.1 * world.contact_gap)


def random_ground(rng, size, part):
    """A plate of this size with a relief of 1e-12 to 1e-5 of it, or a fine cylinder; how high it is, and its relief."""
    height = size * 10.0 ** rng.uniform(-12.0, -5.0)
    kind = rng.integers(3)
    if kind == 0:
        return hilly_plate(size, height * rng.uniform(-1.0, 1.0, (9, 9))), height, height
    if kind == 1:
        foot = min(part * 10.0 ** rng.uniform(-0.5, 1.0), 0.9 * size)
        return pyramid_plate(size, foot, rng.choice([-1.0, 1.0]) * height), height, height
    n = int(rng.integers(500, 3000))
    return Solid.cylinder(0.5 * size, 0.3 * size, segments=n), 0.5 * size, 2.5 * size / n**2


@pytest.mark.parametrize("seed", range(24))
def test_small_parts_stay_out_of_large_ones_with_low_reliefs(seed):
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-1.0, 3.0)
    s = size * 10.0 ** rng.uniform(-3.0, -1.0)
    ground, top, relief = random_ground(rng, size, s)
    part = Solid.box(s * rng.uniform(0.2, 1.0, 3)) if rng.random() < 0.7 else Solid.sphere(0.3 * s, subdivisions=3)
    gap = np.clip(relief * 10.0 ** rng.uniform(-1.5, 0.5), 1e-6 * s, 1e-4 * s)
    place, tilt = (*rng.uniform(-0.2 * s, 0.2 * s, 2), top + s), rng.uniform(-0.5, 0.5, 3)
    options = {"contact_gap": gap, "gravity": (0.0, 0.0, -9.81 * s), "dt": 0.01}
    run_judged(dropped(ground, part, place, tilt, LYING if top > 0.1 * size else None, **options), 120)


def test_contacts_keep_their_facets_when_a_smaller_part_narrows_the_gap():
    """Another gap divides faces anew; contacts that last are then named by other facets, of the same face."""
    plate = hilly_plate(1.0, 3e-7 * np.random.default_rng(1).uniform(-1.0, 1.0, (9, 9)))
    world = dropped(plate, Solid.box(0.2), (0.05, 0.05, 0.1001))
    world.run(0.2)
    before, gap = world.contacts, world.contact_gap
    assert len(before)
    world.add_body(Solid.box(1e-2), "small", pose=Pose((0.3, 0.3, 0.006)))
    after = world.contacts
    assert world.contact_gap < 0.1 * gap
    np.testing.assert_array_equal(
        after[["label", "kind", "entity_a", "entity_b"]], before[["label", "kind", "entity_a", "entity_b"]]
    )
    judge = Judge(world)
    for _ in range(50):
        world.step()
        assert judge.overlap() is None
    assert {*world.contacts["entity_a"][world.contacts["kind"] == "face-vertex"]} <= {*range(len(plate.faces))}
