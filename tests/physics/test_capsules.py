"""Capsules as bodies: closed forms of rest, rolling and impacts, laws, and no overlap in random worlds."""

import numpy as np
import pytest
from torture.judge import Cast, at_share, overlaps, turns_between
from torture.reading import actors, look

import abut
from abut import Capsule, HalfSpace, Pose, Solid, Sphere, World

pytestmark = pytest.mark.needs_jit

G = 9.81
LYING = Pose.from_rotvec((0.0, 0.0, 0.0), (0.5 * np.pi, 0.0, 0.0))
"""The axis along y."""


def floor_world(**options):
    world = World(**{"dt": 1e-3, "gravity": (0, 0, -G), **options})
    world.add_body(HalfSpace(), "floor", fixed=True)
    return world


def lying(x=0.0, y=0.0, z=0.0):
    return Pose((x, y, z)) @ LYING


def run(world, duration):
    return [world.step() for _ in range(round(duration / world.dt))]


# Known answers ------------------------------------------------------------------------------------------------------


def test_a_lying_capsule_rests_on_both_caps_and_sleeps():
    world = floor_world(friction=0.5)
    rod = world.add_body(Capsule(0.05, 0.3), "rod", pose=lying(z=0.06))
    run(world, 1.0)
    assert rod.pose.position == pytest.approx((0.0, 0.0, 0.05), abs=1e-4) and np.abs(rod.velocity).max() < 1e-9
    contacts = world.contacts
    assert len(contacts) == 2 and contacts["force"] == pytest.approx(0.5 * rod.mass * G, rel=1e-3)
    # Where the surfaces are, not where the axis is.
    ends = contacts["point"][np.argsort(contacts["point"][:, 1])]
    assert ends == pytest.approx(np.array([(0.0, -0.15, 0.0), (0.0, 0.15, 0.0)]), abs=1e-4)
    assert world.step().rounds == 0


def test_a_contact_of_a_ball_is_where_surfaces_are():
    world = floor_world()
    world.add_body(Sphere(0.05), "ball", pose=Pose((0.1, 0.2, 0.05 + 1e-6)))
    run(world, 0.05)
    assert world.contacts["point"] == pytest.approx(np.array([(0.1, 0.2, 0.0)]), abs=1e-4)


@pytest.mark.parametrize(("radius", "length"), [(0.05, 0.3), (0.1, 0.02), (0.01, 0.5)])
def test_a_capsule_rolls_down_a_slope(radius, length):
    """Acceleration g sin(a) / (1 + I / (m r^2)) without slip, and the spin that goes with it."""
    slope, world = np.radians(15.0), World(dt=1e-3, gravity=(0, 0, -G), friction=0.8)
    normal = np.array((np.sin(slope), 0.0, np.cos(slope)))
    world.add_body(HalfSpace(normal), "slope", fixed=True)
    rod = world.add_body(Capsule(radius, length), "rod", pose=Pose((radius + 1e-6) * normal) @ LYING)
    run(world, 0.4)
    shape = rod.shape
    factor = 1.0 + shape.inertia[2, 2] / (shape.volume * radius**2)
    speed = G * np.sin(slope) / factor * 0.4
    assert np.linalg.norm(rod.velocity) == pytest.approx(speed, rel=5e-3)
    assert np.linalg.norm(rod.angular_velocity) == pytest.approx(speed / radius, rel=5e-3)


def test_a_smooth_capsule_slides_and_does_not_spin():
    slope, world = np.radians(15.0), World(dt=1e-3, gravity=(0, 0, -G))
    normal = np.array((np.sin(slope), 0.0, np.cos(slope)))
    world.add_body(HalfSpace(normal), "slope", fixed=True)
    rod = world.add_body(Capsule(0.05, 0.3), "rod", pose=Pose((0.05 + 1e-6) * normal) @ LYING)
    run(world, 0.4)
    assert np.linalg.norm(rod.velocity) == pytest.approx(G * np.sin(slope) * 0.4, rel=5e-3)
    assert np.abs(rod.angular_velocity).max() < 1e-9


def test_a_capsule_slid_on_a_rough_floor_ends_rolling():
    """As a billiard ball: v = v0 / (1 + I / (m r^2)) when it no longer slips."""
    world = floor_world(friction=0.3)
    rod = world.add_body(Capsule(0.05, 0.3), "rod", pose=lying(z=0.05 + 1e-6), velocity=(1.0, 0.0, 0.0))
    run(world, 0.5)
    inertia = rod.shape.inertia[2, 2] / (rod.shape.volume * 0.05**2)
    assert rod.velocity[0] == pytest.approx(1.0 / (1.0 + inertia), rel=5e-3)
    assert rod.angular_velocity[1] == pytest.approx(rod.velocity[0] / 0.05, rel=5e-3)


@pytest.mark.parametrize("e", [0.5, 1.0])
def test_a_dropped_capsule_bounces_flat_and_end_on(e):
    for pose, low in ((lying(z=0.55), 0.05), (Pose((0.0, 0.0, 0.7)), 0.2)):
        world = floor_world(restitution=e)
        rod = world.add_body(Capsule(0.05, 0.3), "rod", pose=pose)
        z = np.array([(world.step(), rod.pose.position[2] - low)[1] for _ in range(800)])
        assert z[int(z[:400].argmin()) :].max() == pytest.approx(e * e * 0.5, rel=0.02)


def test_a_capsule_struck_at_its_end_turns_as_a_free_rod():
    """A ball hits the end of a free capsule at right angles: impulse and spin from momentum about both centres."""
    world = World(dt=1e-4, gravity=(0, 0, 0), restitution=1.0)
    rod = world.add_body(Capsule(0.05, 0.4), "rod")
    ball = world.add_body(Sphere(0.05), "ball", pose=Pose((0.11, 0, 0.2)), velocity=(-1.0, 0, 0))
    m, M, I, arm = ball.mass, rod.mass, rod.spec.inertia[0, 0], 0.2
    impulse = 2.0 / (1.0 / m + 1.0 / M + arm**2 / I)
    run(world, 0.03)
    assert rod.velocity[0] == pytest.approx(-impulse / M, rel=1e-4)
    assert ball.velocity[0] == pytest.approx(-1.0 + impulse / m, rel=1e-4)
    assert rod.angular_velocity[1] == pytest.approx(-impulse * arm / I, rel=1e-4)


def test_crossed_capsules_rest_on_each_other():
    """A rod across another that is held: one contact of two edges bears its weight, along z through both axes."""
    world = World(dt=1e-3, gravity=(0, 0, -G), friction=0.5)
    world.add_body(Capsule(0.05, 1.0), "rail", fixed=True, pose=lying())
    across = Pose((0, 0, 0.08 + 1e-6)) @ Pose.from_rotvec((0, 0, 0), (0, 0.5 * np.pi, 0))
    rod = world.add_body(Capsule(0.03, 0.4), "rod", pose=across)
    run(world, 0.1)
    assert world.contacts["kind"].tolist() == ["edge-edge"]
    assert world.contacts["force"][0] == pytest.approx(rod.mass * G, rel=1e-3)
    assert world.contacts["point"][0] == pytest.approx((0, 0, 0.05), abs=1e-4)
    assert rod.pose.position[2] == pytest.approx(0.08, abs=1e-4)


def test_a_log_lies_in_the_groove_of_two_others():
    """Three parallel logs, the lower two held: sin(60 degrees) of the weight over two sides each."""
    world = World(dt=1e-3, gravity=(0, 0, -G), friction=0.4)
    for side in (-1.0, 1.0):
        world.add_body(Capsule(0.05, 0.5), f"log {side:g}", fixed=True, pose=lying(x=0.05 * side))
    top = world.add_body(Capsule(0.05, 0.4), "top", pose=lying(z=0.1 * np.cos(np.pi / 6) + 1e-4))
    run(world, 0.5)
    assert top.pose.position == pytest.approx((0.0, 0.0, 0.1 * np.cos(np.pi / 6)), abs=1e-3)
    assert np.abs(top.velocity).max() < 1e-3 and np.abs(top.angular_velocity).max() < 1e-2


def test_a_capsule_across_the_rim_of_a_box_pivots_where_it_should():
    """Its centre over the box, it stays; beyond the rim, it falls."""
    for y, stays in ((-0.05, True), (0.05, False)):
        world = World(dt=1e-3, gravity=(0, 0, -G), friction=0.6)
        world.add_body(Solid.box((0.4, 0.4, 0.2)), "box", fixed=True)
        rod = world.add_body(Capsule(0.03, 0.3), "rod", pose=lying(y=0.2 + y, z=0.13 + 1e-6))
        run(world, 0.4)
        assert (rod.pose.position[2] > 0.12) == stays


# Laws ---------------------------------------------------------------------------------------------------------------


def test_momentum_and_energy_of_capsules_that_meet_in_space(rng):
    world = World(dt=1e-3, gravity=(0, 0, 0), restitution=1.0)
    rods = [
        world.add_body(
            Capsule(0.05, 0.3),
            f"rod {i}",
            pose=Pose(0.5 * np.eye(3)[i % 3] * (1 if i < 3 else -1), quat_wxyz=rng.normal(size=4)),
            velocity=-np.eye(3)[i % 3] * (1 if i < 3 else -1) * rng.uniform(0.5, 1.0),
        )
        for i in range(6)
    ]

    def totals():
        momentum = sum(rod.mass * rod.velocity for rod in rods)
        spin, energy = np.zeros(3), 0.0
        for rod in rods:
            R = rod.pose.rotation
            inertia = R @ rod.spec.inertia @ R.T
            spin += np.cross(rod.pose.position, rod.mass * rod.velocity) + inertia @ rod.angular_velocity
            energy += 0.5 * rod.mass * rod.velocity @ rod.velocity
            energy += 0.5 * rod.angular_velocity @ inertia @ rod.angular_velocity
        return momentum, spin, energy

    before = totals()
    run(world, 0.8)
    after = totals()
    scale = sum(rod.mass for rod in rods)
    assert after[0] == pytest.approx(before[0], abs=1e-9 * scale)
    assert after[1] == pytest.approx(before[1], abs=1e-6 * scale)
    assert after[2] <= before[2] * (1.0 + 1e-6)


def random_world(seed):
    """Capsules from needles to stubs among boxes, balls and a torus, thrown at each other over a floor."""
    rng = np.random.default_rng(seed)
    world = World(
        dt=float(rng.choice([1e-3, 5e-3, 1e-2])),
        gravity=(0, 0, -G),
        friction=float(rng.choice([0.0, 0.5])),
        restitution=float(rng.choice([0.0, 0.6])),
    )
    world.add_body(HalfSpace(), "floor", fixed=True)
    torus = Solid.torus(0.12, 0.04, segments=16, sides=8)
    for i in range(9):
        radius = 10.0 ** rng.uniform(-2.0, -1.0)
        capsule = Capsule(radius, max(0.3 - 2 * radius, 0.02))
        shape = capsule if i % 3 else [Solid.box(rng.uniform(0.05, 0.25, 3)), Sphere(0.08), torus][i // 3]
        place = (0.35 * (i % 3 - 1), 0.35 * (i // 3 - 1), rng.uniform(0.3, 0.6))
        world.add_body(
            shape,
            f"body {i}",
            pose=Pose(place, quat_wxyz=rng.normal(size=4)),
            velocity=(*(-3.0 * np.array(place[:2])), rng.uniform(-3, 0)),
            angular_velocity=rng.normal(size=3) * 5.0,
        )
    return world


@pytest.mark.parametrize("seed", range(6))
def test_nothing_overlaps_in_random_worlds(seed):
    """Neither after a step nor on the way; the judge works in exact arithmetic and knows nothing of steps."""
    world = random_world(seed)
    cast = Cast(actors(world))
    pairs = [(a, b) for b in range(len(world.bodies)) for a in range(b)]
    before = look(world)
    for _ in range(100):
        report, now = world.step(), look(world)
        assert overlaps(cast, now, pairs) == []
        if report.parts == 1:
            halfway = at_share(before, now, turns_between(before, now), 0.5)
            assert overlaps(cast, halfway, pairs) == []
        before = now


def test_a_capsule_passes_through_nothing_however_fast():
    world = World(dt=1e-2, gravity=(0, 0, 0))
    world.add_body(Solid.box((1.0, 1.0, 0.002)), "sheet", fixed=True)
    world.add_body(Capsule(0.002, 0.5), "wire", fixed=True, pose=lying(x=0.5, z=-1.0))
    fast = world.add_body(Capsule(0.005, 0.1), "bullet", pose=Pose((0.1, 0.1, 1.0)), velocity=(0, 0, -500.0))
    beside = world.add_body(Capsule(0.005, 0.1), "other", pose=Pose((0.52, 0.0, 1.0)) @ LYING, velocity=(0, 0, -500.0))
    run(world, 0.1)
    assert fast.pose.position[2] > 0.05 and beside.pose.position[2] < -1.0
    assert abs(beside.velocity[0]) < 1e-6


# The rest of a body's life ------------------------------------------------------------------------------------------


def test_snapshots_and_scene_files_give_back_the_same_bits(tmp_path):
    world = random_world(1)
    run(world, 0.2)
    again = World.restore(world.save())
    abut.scene.save(world, tmp_path / "world.toml")
    loaded = abut.scene.load(tmp_path / "world.toml").world
    for other in (again, loaded):
        assert other.save() == world.save()
    for _ in range(10):
        for other in (world, again, loaded):
            other.step()
    assert again._state.pose.tobytes() == world._state.pose.tobytes() == loaded._state.pose.tobytes()


def test_a_scene_file_says_capsule(tmp_path):
    text = '[world]\nduration = 0.1\n[bodies.rod]\nshape = "capsule"\nradius = 0.1\nlength = 0.4\n'
    file = tmp_path / "rod.toml"
    file.write_text(text)
    assert abut.scene.load(file).world.body("rod").shape == Capsule(0.1, 0.4)
    file.write_text(text.replace("length = 0.4", ""))
    with pytest.raises(abut.AbutError, match="a capsule needs length ="):
        abut.scene.load(file)
