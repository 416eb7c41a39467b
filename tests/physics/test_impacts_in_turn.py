"""Impacts that follow each other: rows of balls that touch, cradles, dominoes; laws of momentum, energy and forces."""

import numpy as np
import pytest

import abut
from abut.scene import scenes
from physics.balance import Balance
from physics.colliding import keeps_momentum_and_gains_nothing, throw_cubes_together
from physics.judge import Judge

pytestmark = pytest.mark.needs_jit


def row_of_balls(masses, striking, e=1.0, *, apart=0.0, **options):
    """Balls in a row without gravity, of which the first ones come with 1 m/s against those that touch at rest."""
    world = abut.World(gravity=(0.0, 0.0, 0.0), restitution=e, impacts="sequential", **options)
    for i, mass in enumerate(masses):
        comes = i < striking
        place = abut.Pose(((0.1 + apart) * i - (0.05 if comes else 0.0), 0.0, 0.0))
        world.add_body(abut.Sphere(0.05), f"ball {i}", mass=mass, pose=place, velocity=(1.0 * comes, 0.0, 0.0))
    return world


def one_by_one(masses, striking, e):
    """Speeds by the law of two bodies, again and again, the pair that closes fastest first."""
    v, m = np.array([1.0] * striking + [0.0] * (len(masses) - striking)), np.array(masses)
    while True:
        closing = v[:-1] - v[1:]
        k = int(np.argmax(closing))
        if closing[k] < 1e-12:
            return v
        p = (1.0 + e) * closing[k] / (1.0 / m[k] + 1.0 / m[k + 1])
        v[k] -= p / m[k]
        v[k + 1] += p / m[k + 1]


@pytest.mark.parametrize("striking", [1, 2, 3, 4])
@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_as_many_balls_leave_a_row_that_touches_as_strike_it(striking, dt):
    """To what contacts move bodies by that are restored to their gap: a share of 3.5 µm in a step."""
    world = row_of_balls([1.0] * 5, striking, dt=dt)
    world.run(0.1)
    expected = [0.0] * (5 - striking) + [1.0] * striking
    assert [ball.velocity[0] for ball in world.bodies] == pytest.approx(expected, abs=1e-3)


def test_by_one_law_for_all_they_do_not():
    world = row_of_balls([1.0] * 5, 1)
    assert world.impacts == "sequential"
    together = abut.World(gravity=(0.0, 0.0, 0.0), restitution=1.0)
    for ball in world.bodies:
        together.add_body(ball.shape, ball.name, mass=1.0, pose=ball.pose, velocity=ball.velocity)
    together.run(0.1)
    assert [ball.velocity[0] for ball in together.bodies] == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-3)


@pytest.mark.parametrize("masses", [(1.0, 2.0, 3.0, 2.0, 1.0), (5.0, 1.0, 0.2, 1.0, 5.0), (1.0, 1.0, 9.0)], ids=str)
@pytest.mark.parametrize(("striking", "e"), [(1, 1.0), (2, 1.0), (1, 0.6)])
def test_unequal_masses_part_by_the_law_of_two_bodies_again_and_again(masses, striking, e):
    world = row_of_balls(masses, striking, e)
    world.run(0.055)  # later, balls that have parted may meet again
    speeds = [ball.velocity[0] for ball in world.bodies]
    assert speeds == pytest.approx(one_by_one(masses, striking, e), abs=2e-3)


@pytest.mark.parametrize("raised", [1, 2, 3])
def test_a_cradle_with_balls_that_touch(raised):
    lift, length, apart = 0.5, 0.2, 2e-6
    scene = scenes.cradle(raised=raised, lift=lift)
    balls, judge = scene.world.bodies, Judge(scene.world)
    hang = np.array([(0.04 + apart) * i for i in range(5)])
    farthest, energy = np.zeros(5), scene.world.energy
    for _ in scene.run(0.56):  # three quarters of a period: to the other side
        assert judge.overlap() is None
        if scene.world.time > 0.3:
            farthest = np.maximum(farthest, [ball.pose.position[0] for ball in balls] - hang)
    assert np.arcsin(farthest[-raised:] / length) == pytest.approx(lift, abs=1e-3)
    assert farthest[:-raised].max() < 5e-4
    assert scene.world.energy <= energy + 2e-3 * abs(energy)


def dominoes(n, **options):
    """A row of stones, and a hammer that flies against the first one."""
    world = abut.World(friction=0.4, **options)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    stones = [
        world.add_body(abut.Solid.box((0.008, 0.024, 0.048)), f"stone {i}", pose=abut.Pose((0.018 * i, 0.0, 0.0241)))
        for i in range(n)
    ]
    hammer = abut.Pose((-0.03, 0.0, 0.04))
    world.add_body(abut.Solid.box(0.012), "hammer", pose=hammer, velocity=(0.6, 0.0, 0.0), density=4000.0)
    return world, stones


def fall(world, stones, duration, *, tilt, gain, every=1):
    """When each stone has tilted by an angle [rad]; nothing overlaps, energy grows by `gain` at most."""
    judge, tilted_at, energy = Judge(world), {}, world.energy
    for k in range(round(duration / world.dt)):
        world.step()
        assert k % every or judge.overlap() is None
        for stone in stones:
            if stone.pose.rotation[2, 2] < np.cos(tilt) and stone.name not in tilted_at:
                tilted_at[stone.name] = world.time
        assert world.energy <= energy + gain
    return tilted_at


def fell_in_order(tilted_at, stones):
    times = list(tilted_at.values())
    return list(tilted_at) == [stone.name for stone in stones] and all(np.diff(times) > 0.0)


def test_a_struck_row_of_dominoes_falls_in_order():
    world, stones = dominoes(6, restitution=0.3, impacts="sequential")
    assert fell_in_order(fall(world, stones, 0.6, tilt=0.15, gain=1e-5, every=20), stones)
    assert all(stone.pose.rotation[2, 2] < np.cos(0.5) for stone in stones)


@pytest.mark.parametrize(
    ("n", "duration", "impacts", "restitution"),
    [(3, 0.15, "newton", 0.2), (3, 0.15, "sequential", 0.2), (3, 0.15, "sequential", 0.0), (5, 0.24, "newton", 0.0)],
    ids=str,
)
def test_a_struck_row_falls_in_order_from_event_to_event(n, duration, impacts, restitution):
    world, stones = dominoes(n, method="event", dt=0.01, impacts=impacts, restitution=restitution)
    assert fell_in_order(fall(world, stones, duration, tilt=0.15, gain=1e-12), stones)
    kinds = {event.kind for event in world.events}
    assert {"impact", "touch", "break"} <= kinds and world.kinetic_energy > 0.0


@pytest.mark.parametrize("e", [0.3, 1.0])
def test_a_closed_ring_of_balls_gains_nothing_and_ends(e):
    """Twelve balls in a ring around one that is shot at them: blows go round in loops."""
    world = abut.World(gravity=(0.0, 0.0, 0.0), restitution=e, impacts="sequential", dt=5e-3)
    n, radius = 12, 0.02
    circle = radius / np.sin(np.pi / n) + 1e-7
    for i in range(n):
        angle = 2.0 * np.pi * i / n
        world.add_body(
            abut.Sphere(radius), f"ball {i}", pose=abut.Pose((circle * np.cos(angle), circle * np.sin(angle), 0))
        )
    world.add_body(abut.Sphere(radius), "shot", velocity=(1.0, 0.3, 0.1))
    momentum, energy, balance = world.momentum[0], world.kinetic_energy, Balance(world)
    for _ in range(60):
        balance.step()
        assert world.kinetic_energy <= energy * (1.0 + 1e-5)  # what restores gaps
        energy = world.kinetic_energy
    assert world.momentum[0] == pytest.approx(momentum, abs=1e-12)
    assert balance.worst < 1e-9


@pytest.mark.parametrize("e", [0.5, 1.0])
def test_boxes_keep_their_momentum_and_gain_nothing(e, rng):
    world = abut.World(gravity=(0.0, 0.0, 0.0), restitution=e, impacts="sequential")
    throw_cubes_together(world, rng)
    balance = Balance(world)
    keeps_momentum_and_gains_nothing(world, balance.step)
    assert balance.worst < 1e-9


def test_a_box_that_falls_flat_bounces_flat():
    """All corners of one pair of bodies are struck at once, or it would begin to tumble."""
    world = abut.World(restitution=0.5, impacts="sequential")
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    box = world.add_body(abut.Solid.box(0.1), "box", pose=abut.Pose((0.0, 0.0, 0.15)))
    world.run(0.2)
    assert np.abs(box.angular_velocity).max() < 1e-6 and box.velocity[2] > 0.1


def test_a_blow_goes_through_the_joints_of_what_is_struck_in_turn():
    """Of two pendulums that touch, the second one leaves with all that a ball brings to the first."""
    scene = scenes.cradle(raised=1, lift=0.3, radius=0.03)
    world, top = scene.world, 0.0
    for _ in scene.run(0.5):
        top = max(top, world.bodies[-1].pose.position[0])
    assert np.arcsin((top - 4 * 0.060002) / 0.2) == pytest.approx(0.3, abs=1e-3)


def test_the_same_bits_again():
    worlds = [row_of_balls((1.0, 2.0, 3.0, 2.0, 1.0), 2, 0.7) for _ in range(2)]
    for world in worlds:
        world.run(0.1)
    assert np.array_equal(*[[ball.velocity for ball in world.bodies] for world in worlds])
