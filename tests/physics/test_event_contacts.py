"""Event-driven contact: what slides, rolls, tips, hangs and leans with and without friction."""

from math import cos, sqrt

import numpy as np
import pytest
from scipy.integrate import quad

from abut import HalfSpace, Pose, Solid, Sphere, World, parts
from physics.balance import Balance
from physics.event_worlds import G, on_a_floor, on_a_table, times, tumbling
from physics.judge import Judge


def runs_without_overlap_or_gain(world, n_step):
    """Steps after each of which no bodies overlap and the energy is no higher than before."""
    judge, last = Judge(world), world.energy
    for _ in range(n_step):
        world.step()
        assert judge.overlap() is None
        assert world.energy <= last + 1e-9 * abs(last)
        last = world.energy


def test_frictionless_motion_keeps_its_energy_for_ten_seconds():
    world, most = tumbling(1.0), 0.0
    before = world.energy
    for _ in range(200):
        world.step()
        most = max(most, world.kinetic_energy)
        assert abs(world.energy - before) < 1e-8 * max(most, 1e-3)
    assert len(times(world, "impact")) > 30


def test_a_ball_that_rolls_off_a_table_leaves_the_edge_at_the_right_angle():
    speed, radius = 0.5, 0.1
    world = on_a_table(Sphere(radius), radius, 0.3, speed)
    world.run(0.8)
    R = radius + world.contact_gap
    last = np.arccos((speed**2 / (G * R) + 2.0) / 3.0)
    lasts, _ = quad(lambda angle: R / sqrt(speed**2 + 2.0 * G * R * (1.0 - cos(angle))), 0.0, last, epsabs=1e-12)
    beyond = 0.01 * world.contact_gap  # by which a point may lie beyond its face
    assert times(world, "slide_off") == pytest.approx([0.4 + beyond / speed], abs=1e-9)
    assert times(world, "break") == pytest.approx([0.4 + lasts], abs=1e-9)


def test_the_support_of_a_plate_changes_as_it_slides_over_fingers():
    world = World(method="event", dt=0.02)
    for i, x in enumerate((-0.3, 0.0, 0.3, 0.6)):
        world.add_body(Solid.box((0.04, 0.5, 0.1)), f"finger {i}", fixed=True, pose=Pose((x, 0.0, -0.05)))
    plate = world.add_body(Solid.box((0.7, 0.3, 0.02)), "plate", pose=Pose((0.0, 0.0, 1.0)), velocity=(0.5, 0.0, 0.0))
    plate.pose = Pose((0.0, 0.0, 0.01 + world.contact_gap))
    judge, weight, before = Judge(world), plate.mass * G, world.energy
    for _ in range(50):
        world.step()
        assert judge.overlap() is None
        # A plate that rests stays where it is, whichever points bear it.
        assert plate.pose.position[2] == pytest.approx(0.01 + world.contact_gap, abs=0.02 * world.contact_gap)
        assert plate.contact_wrench()[2] == pytest.approx(weight, rel=1e-6)
    assert plate.velocity == pytest.approx((0.5, 0.0, 0.0), abs=1e-9) and world.energy == pytest.approx(before)
    assert len(times(world, "slide_off")) >= 4 and "finger 3" in {event.body_a for event in world.events}


def test_a_chain_of_rings_swings_without_overlap():
    world = World(method="event", dt=0.01, restitution=0.2)
    ring = parts.ring(segments=16, sides=8)
    for i in range(3):
        turn = (0.5 * np.pi * (1 - i % 2), 0.5 * np.pi * (i % 2), 0.0)
        pose = Pose.from_rotvec((0.0, 0.0, -0.08 * i), turn)
        given = {"fixed": True} if i == 0 else {"velocity": (0.3 * i, 0.0, 0.0)}
        world.add_body(ring, f"ring {i}", pose=pose, **given)
    runs_without_overlap_or_gain(world, 30)
    assert len(times(world, "impact")) > 10


def test_a_block_slides_to_a_stop_and_sticks():
    speed, mu = 1.0, 0.3
    world, block = on_a_floor(Solid.box((0.2, 0.2, 0.1)), 0.05, (speed, 0.0, 0.0), friction=mu)
    world.run(0.5)
    assert times(world, "stick") == pytest.approx(speed / (mu * G), abs=1e-9)
    assert block.pose.position[0] == pytest.approx(speed**2 / (2.0 * mu * G), abs=1e-9)
    assert np.abs(block.velocity).max() < 1e-12
    assert block.contact_wrench()[:3] == pytest.approx((0.0, 0.0, block.mass * G))


def test_a_ball_that_slides_comes_to_roll():
    speed, mu, radius = 1.0, 0.2, 0.1
    world, ball = on_a_floor(Sphere(radius), radius, (speed, 0.0, 0.0), friction=mu)
    world.run(0.3)
    arm = radius + 0.5 * world.contact_gap  # friction acts between the surfaces
    rolls = speed / (mu * G * (1.0 + 2.5 * (arm / radius) ** 2))
    assert times(world, "stick") == pytest.approx([rolls], abs=1e-9)
    assert ball.velocity[0] == pytest.approx(speed - mu * G * rolls, abs=1e-9)
    assert ball.angular_velocity[1] * arm == pytest.approx(ball.velocity[0], abs=1e-12)


def test_a_ball_that_rolls_and_spins_rolls_on():
    """Friction acts where the ball touches now, not where it touched when the step began."""
    world, ball = on_a_floor(Sphere(0.1), 0.1, (0.6, -0.4, 0.0), friction=1.0)
    arm = 0.1 + 0.5 * world.contact_gap  # friction acts in the middle between the surfaces
    ball.angular_velocity = spin = (0.4 / arm, 0.6 / arm, 50.0)
    world.run(1.0)
    np.testing.assert_allclose(ball.velocity, (0.6, -0.4, 0.0), atol=1e-12)
    np.testing.assert_allclose(ball.angular_velocity, spin, atol=1e-11)


def test_a_ball_with_spin_gets_the_impulse_of_friction():
    world, ball = on_a_floor(Sphere(0.1), 0.2, (0.0, 0.0, 0.0), friction=0.1, restitution=0.5)
    ball.angular_velocity = (0.0, 50.0, 0.0)
    world.run(0.3)
    speed = sqrt(2.0 * G * 0.1)
    impulse = world.events[0].impulse
    assert impulse[2] == pytest.approx(1.5 * ball.mass * speed, rel=1e-9)
    assert impulse[0] == pytest.approx(0.1 * impulse[2], rel=1e-9)


def test_a_box_with_friction_comes_to_rest_and_loses_energy():
    world = tumbling(0.5, dt=0.05)
    world.friction = 0.3
    runs_without_overlap_or_gain(world, 40)
    assert world.kinetic_energy < 1e-18 and len(times(world, "stick"))


def struck_row(n, restitution, dt, impacts):
    """Stones in a row, of which the first is struck."""
    world = World(method="event", dt=dt, friction=0.4, restitution=restitution, impacts=impacts)
    world.add_body(HalfSpace(), "floor", fixed=True)
    stone = Solid.box((0.008, 0.024, 0.048))
    for k in range(n):
        world.add_body(stone, f"stone {k}", pose=Pose((0.018 * k, 0.0, 0.024 + world.contact_gap)))
    first = world.body("stone 0")
    first.angular_velocity, first.velocity = (0.0, 6.0, 0.0), (6.0 * 0.024, 0.0, -6.0 * 0.004)
    return world


@pytest.mark.parametrize(
    ("n", "restitution", "dt", "impacts"), [(10, 0.0, 1e-2, "newton"), (5, 0.2, 2e-3, "sequential")]
)
def test_a_struck_row_of_dominoes_falls_in_order(n, restitution, dt, impacts):
    """While stones lean on each other, points stick and slip hundreds of times a millisecond."""
    world = struck_row(n, restitution, dt, impacts)
    stones, tilted, balance, judge = world.bodies[1:], [], Balance(world), Judge(world)
    energy = world.energy
    while len(tilted) < n and world.time < 0.6:
        balance.step()
        assert judge.overlap() is None
        assert world.energy <= energy * (1.0 + 1e-8)
        energy = world.energy
        tilted += [k for k in range(n) if k not in tilted and stones[k].pose.rotation[2, 2] < np.cos(0.2)]
    assert tilted == list(range(n))
    assert balance.worst < 1e-9
