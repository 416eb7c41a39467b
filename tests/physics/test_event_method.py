"""The event-driven method against closed forms and tight references, and the outside judge of overlap."""

import json
import signal
from math import cos, sqrt
from time import process_time

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from abut import HalfSpace, InputError, Motor, Pose, Run, Solid, Sphere, StoppedError, World, parts
from abut.dynamics.event import event_stepper
from abut.dynamics.event.search_tables import SWINGING
from abut.scene import scenes
from physics.balance import Balance
from physics.judge import Judge

pytestmark = pytest.mark.needs_jit
G = 9.81


def times(world, kind):
    return np.array([event.time for event in world.events if event.kind == kind])


def dropped(restitution, dt=0.25, height=1.0):
    world = World(method="event", dt=dt, restitution=restitution)
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(Sphere(0.1), "ball", pose=Pose((0.0, 0.0, 0.1 + height)))
    return world


def runs_without_overlap_or_gain(world, n_step):
    """Steps after each of which no bodies overlap and the energy is no higher than before."""
    judge, last = Judge(world), world.energy
    for _ in range(n_step):
        world.step()
        assert judge.overlap() is None
        assert world.energy <= last + 1e-9 * abs(last)
        last = world.energy


def bounces(height, restitution, n):
    """Times of the first n bounces, and when the infinite sequence is over."""
    first = sqrt(2.0 * height / G)
    flights = 2.0 * first * restitution ** np.arange(1, n)
    over = first + 2.0 * first * restitution / (1.0 - restitution) if restitution < 1.0 else np.inf
    return first + np.concatenate(([0.0], np.cumsum(flights))), over


@pytest.mark.parametrize("restitution", [1.0, 0.9, 0.5])
@pytest.mark.parametrize("dt", [0.25, 0.01])
def test_a_dropped_ball_bounces_on_time(restitution, dt):
    world = dropped(restitution, dt)
    world.run(10.0)
    found = times(world, "impact")
    expected, over = bounces(1.0 - world.contact_gap, restitution, len(found))
    assert len(found) >= {1.0: 11, 0.9: 100, 0.5: 15}[restitution]
    np.testing.assert_allclose(found, expected, atol=1e-9, rtol=0.0)
    np.testing.assert_allclose(times(world, "touch"), [over] if over < 10.0 else [], atol=1e-9, rtol=0.0)


def test_impulses_are_those_of_the_bounces():
    world = dropped(0.5)
    world.run(1.2)
    speed = sqrt(2.0 * G * (1.0 - world.contact_gap))
    first, second = [event.impulse for event in world.events[:2]]
    mass = world.body("ball").mass
    np.testing.assert_allclose(first, (0.0, 0.0, 1.5 * mass * speed), atol=1e-9)
    np.testing.assert_allclose(second, (0.0, 0.0, 0.75 * mass * speed), atol=1e-9)


def tumbling(restitution, dt=0.05):
    world = World(method="event", dt=dt, restitution=restitution)
    world.add_body(HalfSpace(), "floor", fixed=True)
    pose = Pose.from_rotvec((0.0, 0.0, 0.6), (0.3, 0.4, 0.2))
    world.add_body(Solid.box((0.3, 0.2, 0.1)), "box", pose=pose, angular_velocity=(1.0, 2.0, 3.0))
    return world


def test_frictionless_motion_keeps_its_energy_for_ten_seconds():
    world, most = tumbling(1.0), 0.0
    before = world.energy
    for _ in range(200):
        world.step()
        most = max(most, world.kinetic_energy)
        assert abs(world.energy - before) < 1e-8 * max(most, 1e-3)
    assert len(times(world, "impact")) > 30


def test_a_tumbling_box_comes_to_rest_and_never_overlaps():
    world = tumbling(0.5, dt=0.01)
    judge = Judge(world)
    for _ in range(100):
        world.step()
        assert judge.overlap() is None
    box = world.body("box")
    assert abs(box.velocity[2]) < 1e-12 and box.contact_wrench()[2] == pytest.approx(box.mass * G)


def compound(dt=0.1):
    world = World(method="event", dt=dt)
    arm = world.add_body(Solid.box((1.0, 0.1, 0.1)), "arm", pose=Pose((0.5, 0.0, 0.0)))
    world.add_joint("hinge", arm, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return world


def test_a_compound_pendulum_swings_as_its_equation_says():
    world = compound()
    world.run(10.0)
    arm = world.body("arm")
    moment = arm.spec.inertia[1, 1] + 0.25 * arm.mass
    equation = solve_ivp(
        lambda _, z: (z[1], 0.5 * arm.mass * G * cos(z[0]) / moment),
        (0.0, 10.0),
        (0.0, 0.0),
        "DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    angle = equation.y[0, -1]
    np.testing.assert_allclose(arm.pose.position, (0.5 * cos(angle), 0.0, -0.5 * np.sin(angle)), atol=1e-9)
    assert np.abs(world._joints.errors(world._state.pose)).max() < 1e-14


def double_pendulum(_, z, mass, inertia):
    """Two rods of length 1, angles from the horizontal, falling."""
    a, b, u, v = z
    c, s = np.cos(a - b), np.sin(a - b)
    matrix = np.array([[inertia + 1.25 * mass, 0.5 * mass * c], [0.5 * mass * c, inertia + 0.25 * mass]])
    right = (1.5 * mass * G * np.cos(a) - 0.5 * mass * v * v * s, 0.5 * mass * G * np.cos(b) + 0.5 * mass * u * u * s)
    return (u, v, *np.linalg.solve(matrix, right))


def test_a_double_pendulum_follows_a_tight_reference():
    world = compound()
    first = world.body("arm")
    second = world.add_body(Solid.box((1.0, 0.1, 0.1)), "second", pose=Pose((1.5, 0.0, 0.0)))
    world.add_joint("hinge", second, first, anchor=(1.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    before = world.energy
    world.run(3.0)
    given = (first.mass, first.spec.inertia[1, 1])
    reference = solve_ivp(double_pendulum, (0.0, 3.0), np.zeros(4), "DOP853", rtol=1e-13, atol=1e-14, args=given)
    a, b = reference.y[:2, -1]
    expected = (np.cos(a) + 0.5 * np.cos(b), 0.0, -np.sin(a) - 0.5 * np.sin(b))
    np.testing.assert_allclose(second.pose.position, expected, atol=1e-8)
    assert abs(world.energy - before) < 1e-8 * world.kinetic_energy


def on_a_table(shape, height, x, speed, dt=0.05, **options):
    """A table with an edge at 0.5 m, and something on it."""
    world = World(method="event", dt=dt, **options)
    world.add_body(Solid.box((1.0, 1.0, 0.1)), "table", fixed=True, pose=Pose((0.0, 0.0, -0.05)))
    body = world.add_body(shape, "part", pose=Pose((x, 0.0, 1.0)), velocity=(speed, 0.0, 0.0))
    body.pose = Pose((x, 0.0, height + world.contact_gap))
    return world


def test_a_block_that_slides_off_an_edge_tips_when_its_centre_is_there():
    world = on_a_table(Solid.box((0.2, 0.2, 0.1)), 0.05, 0.3, 0.5, dt=0.07)
    judge = Judge(world)
    for _ in range(10):
        world.step()
        assert judge.overlap() is None
    assert times(world, "slide_off") == pytest.approx([0.2, 0.2], abs=1e-6)
    breaks = [event for event in world.events if event.kind == "break" and event.feature_b.kind == "vertex"]
    assert [event.time for event in breaks] == pytest.approx([0.4, 0.4], abs=1e-9)
    assert world.body("part").angular_velocity[1] > 1.0


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


def pendulums(method, dt):
    world = compound(dt)
    world.method = method
    second = world.add_body(Solid.box((1.0, 0.1, 0.1)), "part", pose=Pose((1.5, 0.0, 0.0)))
    world.add_joint("hinge", second, world.body("arm"), anchor=(1.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    return world


def over_the_edge(method, dt):
    world = on_a_table(Solid.box((0.2, 0.2, 0.1)), 0.05, 0.3, 0.5, dt)
    world.method = method
    return world


@pytest.mark.parametrize(("make", "duration", "order"), [(pendulums, 0.96, 1.0), (over_the_edge, 0.512, 2.0)])
def test_stepping_converges_to_the_event_method(make, duration, order):
    """With the orders of the picture in docs/events.md."""
    exact, steps, errors = make("event", duration / 16), (4e-3, 2e-3, 1e-3), []
    exact.run(duration)
    for dt in steps:
        world = make("ncp", dt)
        world.run(duration)
        errors.append(np.linalg.norm(world.body("part").pose.position - exact.body("part").pose.position))
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(order, abs=0.2)
    assert errors[-1] < 0.01


def test_flights_with_joints_are_those_of_the_event_method():
    worlds = [pendulums(method, 0.06) for method in ("event", "impulse")]
    for world in worlds:
        world.run(0.96)
    a, b = (world.body("part").pose.position for world in worlds)
    np.testing.assert_allclose(a, b, atol=1e-12)


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


def test_blows_go_through_joints():
    world = World(method="event", dt=0.05, restitution=1.0)
    world.add_body(HalfSpace((0.0, 0.0, 1.0), -1.0), "floor", fixed=True)
    first = world.add_body(Solid.box((0.8, 0.1, 0.1)), "first", pose=Pose((0.4, 0.0, 0.0)))
    second = world.add_body(Solid.box((0.8, 0.1, 0.1)), "second", pose=Pose((1.2, 0.0, 0.0)))
    world.add_joint("hinge", first, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    world.add_joint("hinge", second, first, anchor=(0.8, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    before = world.energy
    world.run(2.0)
    assert len(times(world, "impact")) >= 3
    assert abs(world.energy - before) < 1e-8 * world.kinetic_energy
    assert np.abs(world._joints.errors(world._state.pose)).max() < 1e-14


def test_impacts_in_turn_send_off_one_ball_for_one():
    world = World(method="event", dt=0.1, gravity=(0, 0, 0), restitution=1.0, impacts="sequential")
    for i in range(4):
        x = 0.2 * i + (1e-5 * i if i else -0.1)
        world.add_body(Sphere(0.1), f"ball {i}", pose=Pose((x, 0, 0)), velocity=(1.0 if i == 0 else 0.0, 0, 0))
    world.run(0.3)
    speeds = [body.velocity[0] for body in world.bodies]
    np.testing.assert_allclose(speeds, (0.0, 0.0, 0.0, 1.0), atol=1e-9)


def test_a_cradle_with_strings_sends_off_one_ball_for_one():
    world = scenes.cradle(raised=1, **{"world.impacts": "sequential"}).world
    world.method, world.dt = "event", 0.02
    before, quick = world.energy, []
    for _ in range(40):
        world.step()
        quick.append(np.flatnonzero(np.abs([body.velocity[0] for body in world.bodies]) > 1e-4).tolist())
    assert [0] in quick and [4] in quick and {len(moving) for moving in quick} == {1}
    assert quick[0] == [0] and quick[-1] == [0] and abs(world.energy - before) < 1e-12


def test_a_step_is_the_same_however_it_is_reached():
    world = tumbling(0.5, dt=0.02)
    world.run(0.4)
    other = World.restore(world.save())
    for each in (world, other):
        each.run(0.1)
    assert world._state.pose.tobytes() == other._state.pose.tobytes() and world.events == other.events


def on_a_floor(shape, height, velocity, **options):
    world = World(method="event", dt=0.05, **options)
    world.add_body(HalfSpace(), "floor", fixed=True)
    body = world.add_body(shape, "part", pose=Pose((0.0, 0.0, 1.0)), velocity=velocity)
    body.pose = Pose((0.0, 0.0, height + world.contact_gap))
    return world, body


def test_a_block_slides_to_a_stop_and_sticks():
    speed, mu = 1.0, 0.3
    world, block = on_a_floor(Solid.box((0.2, 0.2, 0.1)), 0.05, (speed, 0.0, 0.0), friction=mu)
    world.run(0.5)
    assert times(world, "stick") == pytest.approx(speed / (mu * G), abs=1e-9)
    assert block.pose.position[0] == pytest.approx(speed**2 / (2.0 * mu * G), abs=1e-9)
    assert np.abs(block.velocity).max() < 1e-12
    assert block.contact_wrench()[:3] == pytest.approx((0.0, 0.0, block.mass * G))


def test_a_block_on_an_incline_sticks_until_it_is_too_steep():
    mu = 0.3
    world, block = on_a_floor(Solid.box((0.2, 0.2, 0.1)), 0.05, (0.0, 0.0, 0.0), friction=mu)
    world.gravity = (G * np.sin(0.2), 0.0, -G * cos(0.2))
    world.run(0.2)
    assert np.abs(block.velocity).max() < 1e-12 and not len(times(world, "slip"))
    assert block.contact_wrench()[0] == pytest.approx(-block.mass * G * np.sin(0.2))
    world.gravity = (G * np.sin(0.4), 0.0, -G * cos(0.4))
    world.run(0.2)
    assert times(world, "slip") == pytest.approx(0.2)
    assert block.velocity[0] == pytest.approx(0.2 * G * (np.sin(0.4) - mu * cos(0.4)), abs=1e-9)


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


@pytest.mark.parametrize("dt", [0.1, 1e-5, 0.05])
def test_steps_of_any_length_end_at_no_touch(dt):
    """Neither the shortest steps, nor one that ends as bodies touch, let them come nearer."""
    world = World(method="event", dt=dt, gravity=(0.0, 0.0, 0.0), restitution=1.0, contact_gap=1e-4)
    world.add_body(HalfSpace(), "floor", fixed=True)
    ball = world.add_body(Sphere(0.1), "ball", pose=Pose((0.0, 0.0, 0.1 + 1e-4 + 0.05 * 0.02)))
    ball.velocity = (0.0, 0.0, -0.02)
    world.run(0.1)
    assert times(world, "impact") == pytest.approx([0.05], abs=1e-9)


@pytest.mark.parametrize("dt", [0.1, 0.8e-3])
def test_bounces_below_the_contact_gap_are_the_same_in_steps_of_any_length(dt):
    """Bodies that were put nearer to each other bounce there, also if a step ends while they fly."""
    world = World(method="event", dt=dt, restitution=0.9, gravity=(0.0, 0.0, -0.1), contact_gap=1e-3)
    world.add_body(HalfSpace(), "floor", fixed=True)
    ball = world.add_body(Sphere(0.1), "ball", pose=Pose((0.0, 0.0, 0.1 + 0.4e-3)))
    ball.velocity = (0.0, 0.0, -0.002)
    world.run(0.2)
    flights = 0.04 * np.cumsum(0.9 ** np.arange(1, 8))
    assert times(world, "impact") == pytest.approx([0.0, *flights], abs=1e-9)


@pytest.mark.parametrize("dt", [0.1, 0.01])
def test_what_is_just_beyond_the_contact_gap_falls_to_it(dt):
    """A ball that begins a little beyond the gap bounces at it as one that falls from high does."""
    world = dropped(0.5, dt, height=0.0)
    ball = world.body("ball")
    ball.pose = Pose((0.0, 0.0, 0.1 + 1.0015 * world.contact_gap))
    world.run(0.2)
    found = times(world, "impact")
    expected, over = bounces(0.0015 * world.contact_gap, 0.5, len(found))
    assert len(found) >= 4
    np.testing.assert_allclose(found, expected, atol=1e-9, rtol=0.0)
    np.testing.assert_allclose(times(world, "touch"), [over], atol=1e-9, rtol=0.0)
    assert abs(ball.pose.position[2] - 0.1 - world.contact_gap) < 1e-9 * world.contact_gap


def two_dropped(apart, dt):
    """Two balls above one floor, one of them by a share of the contact gap higher."""
    world = dropped(0.5, dt, height=0.01)
    world.add_body(Sphere(0.1), "other", pose=Pose((1.0, 0.0, 0.11 + apart * world.contact_gap)))
    return world


@pytest.mark.parametrize("dt", [0.25, 0.013])
def test_balls_that_come_one_just_after_the_other_touch_one_after_the_other(dt):
    """The second ball hits at its own time, although it is all but there when the first one does."""
    world = two_dropped(1e-3, dt)
    while len(times(world, "impact")) < 2:
        world.step()
    gap = world.contact_gap
    heights = np.array((0.01 - gap, 0.01 - gap + 1e-3 * gap))
    np.testing.assert_allclose(times(world, "impact")[:2], np.sqrt(2.0 * heights / G), atol=1e-12, rtol=0.0)


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


def test_where_no_forces_obey_friction_the_world_stops():
    """Painlevé's rod slides towards its own point of contact: with much friction no force keeps it above the floor."""
    world = World(method="event", dt=1e-3, friction=4.0)
    world.add_body(HalfSpace(), "floor", fixed=True)
    rod = world.add_body(Solid.box((1.0, 0.01, 0.01)), "rod", pose=Pose((0.0, 0.0, 2.0)))
    turned = Pose.from_rotvec((0.0, 0.0, 0.0), (0.0, 0.9, 0.0))
    low = turned.apply(rod.shape.vertices)[:, 2].min()
    rod.pose = Pose((0.0, 0.0, world.contact_gap - low), quat_wxyz=turned.quat_wxyz)
    rod.velocity = (3.0, 0.0, 0.0)
    with pytest.raises(StoppedError, match="'floor' and 'rod': no forces were found that obey the laws of contact"):
        world.run(0.1)
    assert World.restore(world.save()).time == world.time


def test_records_tell_events_at_their_times(tmp_path):
    world = dropped(0.5)
    world.run(1.5, record=tmp_path / "run")
    noted = [note for note in Run(tmp_path / "run").events if note["kind"] in ("impact", "touch")]
    assert [(note["time"], note["kind"]) for note in noted] == [event[:2] for event in world.events]
    assert json.loads(noted[0]["text"])["impulse"] == list(world.events[0].impulse)


def test_a_storm_of_events_stops_with_the_world_saved(monkeypatch):
    monkeypatch.setattr(event_stepper, "MOST_EVENTS", 5)
    world = dropped(1.0, dt=10.0)
    with pytest.raises(StoppedError, match="'floor' and 'ball': more than 5 events follow each other") as stopped:
        world.step()
    assert stopped.value.bodies == ("floor", "ball") and world.time == stopped.value.time > 4.0
    assert len(times(world, "impact")) == 5 and Judge(world).overlap() is None
    assert World.restore(world.save()).time == world.time


def test_a_step_that_stops_in_a_world_that_was_changed_meanwhile_is_left_out(monkeypatch):
    """As where two threads step one world: who comes too late is told that nothing came of the step."""
    monkeypatch.setattr(event_stepper, "MOST_EVENTS", 5)
    world, step, stops = dropped(1.0, dt=10.0), event_stepper.EventStepper.step, []

    def stepped_meanwhile(*arguments):
        if not stops:
            stops.append(0.0)
            with pytest.raises(StoppedError) as stopped:
                world.step()
            stops.append(stopped.value.time)
        return step(*arguments)

    monkeypatch.setattr(event_stepper.EventStepper, "step", stepped_meanwhile)
    with pytest.raises(InputError, match="by another thread"):
        world.step()
    assert world.time == stops[-1] > 4.0 and len(times(world, "impact")) == 5


def contradicting_motors(method):
    """Two motors that want to turn an arm to opposite sides, with any force."""
    world = World(method=method, dt=0.05)
    arm = world.add_body(Solid.box((1.0, 0.1, 0.1)), "arm", pose=Pose((0.5, 0.0, 0.0)))
    for speed in (1.0, -1.0):
        world.add_joint("hinge", arm, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), motor=Motor(velocity=speed))
    return world, ("world", "arm"), 0.0


def contradicting_joints(method):
    """A part that the world holds, and a table that moves."""
    world = World(method=method, dt=0.05)
    part = world.add_body(Solid.box(0.1), "part")
    table = world.add_body(
        Solid.box(0.1), "table", kinematic=True, pose=Pose((1.0, 0.0, 0.0)), velocity=(1.0, 0.0, 0.0)
    )
    world.add_joint("ball", part, anchor=(0.0, 0.0, 0.0))
    world.add_joint("ball", part, table, anchor=(0.5, 0.0, 0.0))
    return world, ("table", "part"), 0.0


def a_rod_that_is_torn(method):
    """A pendulum whose far end hangs on a thread: a part that moves away tears it once the arm is stretched out."""
    world = World(method=method, dt=0.05, gravity=(0.0, 0.0, 0.0))
    hanging = Pose.from_rotvec((0.0, 0.0, -0.4), (0.0, 0.5 * np.pi, 0.0))
    arm = world.add_body(Solid.box((0.8, 0.1, 0.1)), "arm", pose=hanging)
    cart = world.add_body(Solid.box(0.1), "cart", kinematic=True, pose=Pose((0.6, 0.0, -0.8)), velocity=(0.5, 0.0, 0.0))
    world.add_joint("ball", arm, anchor=(0.0, 0.0, 0.0))
    world.add_joint("distance", arm, cart, anchor=(0.0, 0.0, -0.8), anchor_other=(0.6, 0.0, -0.8))
    stretched = sqrt((0.8 + 0.6) ** 2 - 0.8**2)  # where the cart is then
    return world, ("arm",), (stretched - 0.6) / 0.5


@pytest.mark.parametrize("method", ["event", "impulse"])
@pytest.mark.parametrize("make", [contradicting_motors, contradicting_joints, a_rod_that_is_torn])
def test_joints_that_contradict_each_other_stop_with_the_world_saved(make, method):
    world, bodies, when = make(method)
    with pytest.raises(StoppedError) as stopped:
        world.run(3.0)
    assert stopped.value.bodies == bodies
    assert world.time == stopped.value.time == pytest.approx(when, abs=1e-3)
    assert World.restore(world.save()).time == world.time


def test_too_many_touches_at_once_stop_with_the_world_saved(monkeypatch):
    monkeypatch.setattr(event_stepper, "MOST_POINTS", 40)
    world, _ = on_a_floor(parts.ring(segments=16, sides=8), 0.1, (0.0, 0.0, -1.0))
    with pytest.raises(StoppedError, match=r"'floor' and 'part': .* touch at one moment.*method='ncp'"):
        world.run(1.0)
    assert World.restore(world.save()).time == world.time and Judge(world).overlap() is None


def test_what_is_not_known_is_refused():
    world = compound()
    world.joints[0].motor = Motor(position=1.0)
    with pytest.raises(InputError, match="method 'event' moves a motor to its position in time; give it response="):
        world.step()


def test_choices_that_do_not_go_with_events_are_refused():
    with pytest.raises(InputError, match="level: 'kinematic' needs"):
        World(method="event", level="kinematic")
    with pytest.raises(InputError, match="impacts: 'gamma' needs"):
        World(method="event", impacts="gamma")


def moment_of(arm):
    """Of the compound pendulum about its hinge [kg m^2]."""
    return arm.spec.inertia[1, 1] + 0.25 * arm.mass


def time_to_fall(arm, angle):
    """[s] in which the pendulum falls from rest, level, by an angle."""
    pull = 0.5 * arm.mass * G / moment_of(arm)
    return quad(lambda s: 2.0 * s / sqrt(2.0 * pull * np.sin(s * s)), 0.0, sqrt(angle), epsabs=1e-13)[0]


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_a_pendulum_hits_its_stop_on_time(restitution):
    world = compound()
    world.restitution, stop = restitution, 1.0
    arm, joint = world.body("arm"), world.joints[0]
    joint.limits = (None, stop)
    first = time_to_fall(arm, stop)
    world.run(1.5)
    found = times(world, "impact")
    if restitution == 1.0:
        assert found == pytest.approx([first, 3.0 * first], abs=1e-9)  # up to where it was, and down again
        return
    assert found == pytest.approx([first], abs=1e-9) and times(world, "touch") == pytest.approx([first], abs=1e-9)
    assert joint.coordinate == pytest.approx(stop, abs=1e-14)
    assert joint["angle"].force == pytest.approx(-0.5 * arm.mass * G * cos(stop), rel=1e-9)
    event = world.events[0]
    assert (event.body_a, event.body_b, event.feature_a.kind) == ("world", "arm", "limit")
    world.gravity = (0.0, 0.0, G)
    world.step()
    assert times(world, "break") == pytest.approx([1.5]) and joint.coordinate < stop


def test_bounces_at_a_stop_end_when_their_sequence_does():
    """A part on rails falls on its stop: its bounces are those of a ball."""
    world = World(method="event", dt=0.25, restitution=0.5)
    part = world.add_body(Solid.box(0.1), "part", pose=Pose((0.0, 0.0, 1.0)))
    rails = world.add_joint("slider", part, anchor=(0.0, 0.0, 1.0), axis=(0.0, 0.0, 1.0))
    rails.limits = (-0.5, None)
    world.run(1.25)
    found = times(world, "impact")
    expected, over = bounces(0.5, 0.5, len(found))
    assert len(found) > 10
    np.testing.assert_allclose(found, expected, atol=1e-9, rtol=0.0)
    np.testing.assert_allclose(times(world, "touch"), [over], atol=1e-9, rtol=0.0)
    assert rails["travel"].force == pytest.approx(part.mass * G)


def test_a_motor_reaches_its_speed_and_keeps_it():
    world = compound()
    world.gravity, arm, joint = (0.0, 0.0, 0.0), world.body("arm"), world.joints[0]
    speed, most = 2.0, 30.0
    joint.motor = Motor(velocity=speed, max_force=most)
    lasts = speed * moment_of(arm) / most
    world.dt = 0.4 * lasts
    world.step()
    assert joint["angle"].speed == pytest.approx(0.4 * speed, abs=1e-10)
    assert joint["angle"].force == pytest.approx(most)
    world.run(4.0 * world.dt)
    assert joint["angle"].speed == pytest.approx(speed, abs=1e-12)
    assert joint.coordinate == pytest.approx(speed * (world.time - 0.5 * lasts), abs=1e-9)


def test_a_motor_goes_to_its_position():
    """At its largest speed first, then with what is left of the way divided by its response."""
    world = compound(dt=0.05)
    world.gravity, joint = (0.0, 0.0, 0.0), world.joints[0]
    joint.motor = Motor(position=1.0, max_speed=2.0, response=0.1)
    for _ in range(20):
        world.step()
        left = 1.0 - 2.0 * world.time if world.time < 0.4 else 0.2 * np.exp(-(world.time - 0.4) / 0.1)
        assert joint.coordinate == pytest.approx(1.0 - left, abs=1e-9)
    assert joint["angle"].speed == pytest.approx(left / 0.1, abs=1e-9)


def test_a_motor_with_a_position_and_a_largest_force_gets_there():
    world = compound(dt=0.05)
    arm, joint = world.body("arm"), world.joints[0]
    load = 0.5 * arm.mass * G
    joint.motor = Motor(position=-0.5, response=0.1, max_force=1.5 * load)
    world.step()
    assert joint["angle"].force == pytest.approx(-1.5 * load)
    world.run(3.0)
    assert joint.coordinate == pytest.approx(-0.5, abs=1e-9)
    assert joint["angle"].force == pytest.approx(-load * cos(0.5), rel=1e-6)


def pushed_over_a_floor(mu, motor):
    """A block that a motor pushes over a floor with friction."""
    world, block = on_a_floor(Solid.box((0.4, 0.4, 0.1)), 0.05, (0.0, 0.0, 0.0), friction=mu)
    centre = block.pose.position
    behind = centre - np.array((1.0, 0.0, 0.0))
    rod = world.add_joint("distance", block, anchor=centre, anchor_other=behind, motor=motor)
    return world, block, rod


def test_a_motor_drives_a_block_against_friction():
    world, block, rod = pushed_over_a_floor(0.3, Motor(velocity=0.5))
    world.run(0.2)
    assert block.pose.position[0] == pytest.approx(0.1, abs=1e-9)
    assert rod["distance"].force == pytest.approx(0.3 * block.mass * G, rel=1e-6)


def test_friction_holds_a_block_against_a_weak_motor_and_lets_it_go_against_a_strong_one():
    world, block, rod = pushed_over_a_floor(0.3, Motor(velocity=0.5, max_force=1.0))
    hold = 0.3 * block.mass * G
    rod.motor = Motor(velocity=0.5, max_force=0.5 * hold)
    world.run(0.2)
    assert np.abs(block.velocity).max() < 1e-9 and block.pose.position[0] == pytest.approx(0.0, abs=1e-12)
    rod.motor = Motor(velocity=0.5, max_force=2.0 * hold)
    world.run(0.4)
    lasts = 0.5 * block.mass / hold
    assert block.pose.position[0] == pytest.approx(0.5 * (0.4 - 0.5 * lasts), abs=1e-8)


def momentum_told(world, body):
    """What acted in a step beside the change of momentum [N s]."""
    before = body.mass * body.velocity
    world.step()
    told = body.joint_wrench()[:3] + body.contact_wrench()[:3] + body.hand_wrench()[:3]
    weight = body.mass * np.asarray(world.gravity)
    return (told + weight) * world.dt - (body.mass * body.velocity - before)


def test_what_joints_hand_on_in_blows_is_told():
    world = World(method="event", dt=0.05, restitution=0.5)
    world.add_body(HalfSpace((0.0, 0.0, 1.0), -0.5), "floor", fixed=True)
    first = world.add_body(Solid.box((0.8, 0.1, 0.1)), "first", pose=Pose((0.4, 0.0, 0.0)))
    second = world.add_body(Solid.box((0.8, 0.1, 0.1)), "second", pose=Pose((1.2, 0.0, 0.0)))
    world.add_joint("hinge", first, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    world.add_joint("hinge", second, first, anchor=(0.8, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    for _ in range(20):
        assert np.abs(momentum_told(world, second)).max() < 1e-8 * second.mass
    assert len(times(world, "impact")) >= 3


def test_what_puts_velocities_right_that_were_set_against_a_joint_is_told():
    world = compound(dt=0.01)
    arm = world.body("arm")
    arm.velocity = (1.0, 2.0, 3.0)
    assert np.abs(momentum_told(world, arm)).max() < 1e-9 * arm.mass


def test_a_step_with_too_much_work_stops_with_the_world_saved(monkeypatch):
    monkeypatch.setattr(event_stepper, "MOST_WORK", 1e3)
    world = compound(dt=5.0)
    with pytest.raises(StoppedError, match=r"'arm': more than .* s of work is in a step") as stopped:
        world.step()
    assert 0.0 < world.time == stopped.value.time < 5.0
    assert World.restore(world.save()).time == world.time


@pytest.mark.parametrize("method", ["event", "impulse"])
def test_a_long_step_can_be_interrupted(method):
    """Such a step takes minutes; its loop comes back to Python about once a second."""
    world = compound() if method == "event" else dropped(0.9)
    world.method = method
    world.step()
    before, world.dt = world.save(), 1e6

    def interrupt(*_):
        raise KeyboardInterrupt

    usual, began = signal.signal(signal.SIGVTALRM, interrupt), process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            world.step()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, usual)
    assert process_time() - began < 8.0
    world.dt = World.restore(before).dt
    assert world.save() == before


def test_a_brake_slips_when_the_load_is_too_large():
    world = compound()
    arm, joint = world.body("arm"), world.joints[0]
    load = 0.5 * arm.mass * G
    joint.motor = Motor(velocity=0.0, max_force=1.1 * load)
    world.run(0.3)
    assert joint.coordinate == pytest.approx(0.0, abs=1e-15)
    assert joint["angle"].force == pytest.approx(-load)
    joint.motor = Motor(velocity=0.0, max_force=0.5 * load)
    world.run(0.3)
    pull = load / moment_of(arm)
    equation = solve_ivp(
        lambda _, z: (z[1], pull * (cos(z[0]) - 0.5)), (0.0, 0.3), (0.0, 0.0), "DOP853", rtol=1e-13, atol=1e-14
    )
    assert joint.coordinate == pytest.approx(equation.y[0, -1], abs=1e-9)


def test_a_motor_with_any_force_stops_at_its_limit():
    world = compound()
    joint = world.joints[0]
    joint.limits, joint.motor = (None, 0.5), Motor(velocity=1.0)
    world.run(0.4)
    assert joint["angle"].speed == pytest.approx(1.0) and joint.coordinate == pytest.approx(0.4, abs=1e-12)
    world.run(0.4)
    assert joint["angle"].speed == pytest.approx(0.0, abs=1e-12) and joint.coordinate == pytest.approx(0.5, abs=1e-12)


def test_a_hand_draws_a_part_as_its_spring_does():
    world = World(method="event", dt=0.05, gravity=(0.0, 0.0, 0.0))
    part = world.add_body(Solid.box(0.1), "part")
    part.grab(Pose((0.3, 0.0, 0.0)), stiffness=50.0)
    swing = sqrt(50.0 / part.mass)
    for _ in range(10):
        world.step()
        left = 0.3 * (1.0 + swing * world.time) * np.exp(-swing * world.time)  # critically damped
        assert part.pose.position[0] == pytest.approx(0.3 - left, abs=1e-10)


def test_a_hand_that_holds_a_point_carries_the_part():
    world = World(method="event", dt=0.05)
    part = world.add_body(Solid.box(0.1), "part")
    part.grab_point((0.05, 0.0, 0.0), (0.3, 0.0, 0.2), stiffness=400.0)
    world.run(8.0)
    sag = part.mass * G / 400.0
    np.testing.assert_allclose(part.pose.apply((0.05, 0.0, 0.0)), (0.3, 0.0, 0.2 - sag), atol=1e-4)
    assert part.hand_wrench()[2] == pytest.approx(part.mass * G, rel=1e-3)


def test_what_joints_and_hands_exert_is_the_change_of_momentum():
    world = compound(dt=0.13)
    arm = world.body("arm")
    arm.grab_point((0.5, 0.0, 0.0), (0.8, 0.1, 0.3), stiffness=200.0)
    for _ in range(5):
        before = arm.mass * arm.velocity
        world.step()
        exerted = arm.joint_wrench()[:3] + arm.hand_wrench()[:3] + (0.0, 0.0, -arm.mass * G)
        np.testing.assert_allclose(exerted * world.dt, arm.mass * arm.velocity - before, atol=1e-13 * arm.mass)


def test_what_locks_exert_is_told():
    """In flight, in blows with friction, and where velocities were set against them."""
    world = World(method="event", dt=0.05, restitution=0.5, friction=0.4)
    world.add_body(HalfSpace(), "floor", fixed=True)
    box = world.add_body(Solid.box((0.1, 0.2, 0.15)), "box", pose=Pose((0.0, 0.0, 0.3)), locked=("x", "ry"))
    box.velocity, box.angular_velocity = (1.0, 0.5, 0.0), (3.0, 1.0, 2.0)
    for k in range(12):
        before = box.mass * box.velocity
        world.step()
        told = box.contact_wrench() + box.lock_wrench() + (0.0, 0.0, -box.mass * G, 0.0, 0.0, 0.0)
        assert box.velocity[0] == box.angular_velocity[1] == 0.0
        np.testing.assert_allclose(told[:3] * world.dt, box.mass * box.velocity - before, atol=1e-12 * box.mass)
        assert (box.lock_wrench()[[1, 2, 3, 5]] == 0.0).all()
        assert k > 0 or box.lock_wrench()[0] == pytest.approx(-box.mass / world.dt)
    assert len(times(world, "impact")) > 1


def test_events_at_stops_are_in_snapshots_and_records(tmp_path):
    world = compound()
    world.restitution, world.joints[0].limits = 0.5, (None, 1.0)
    world.run(1.0, record=tmp_path / "run")
    assert len(world.events) >= 2
    noted = [note["time"] for note in Run(tmp_path / "run").events if note["kind"] == "impact"]
    assert noted == times(world, "impact").tolist()
    other = World.restore(world.save())
    for each in (world, other):
        each.run(0.3)
    assert other.events == world.events and other._state.pose.tobytes() == world._state.pose.tobytes()


def door(hinges, turned):
    """Where a door is after a while that swings on a frame which moves and turns, what holds it, and how."""
    world = World(method="event", dt=0.1)
    way = {"velocity": (0.3, -0.2, 0.1), "angular_velocity": (0.1, 0.4, 0.8)}
    frame = world.add_body(Solid.box(0.2), "frame", pose=Pose((-0.4, 0.0, 0.0)), kinematic=True, **way)
    leaf = world.add_body(Solid.box((0.8, 0.05, 1.5)), "leaf", pose=Pose((0.1, 0.0, 0.0)))
    leaf.velocity, leaf.angular_velocity = (0.3, -0.2, 0.1), (0.1, 0.4, 2.0)
    pair = (frame, leaf) if turned else (leaf, frame)
    joints = [
        world.add_joint("hinge", *pair, anchor=(-0.3, 0.1 * z, z), axis=(0.0, 0.1, 1.0), contact=False)
        for z in (0.0, 0.5)[:hinges]
    ]
    for _ in range(8):
        world.step()
    force = sum(joint.reaction[0] for joint in joints)
    return leaf.pose.position, leaf.pose.quat_wxyz, force, world._steppers[-1]._scene.count[SWINGING]


@pytest.mark.parametrize("turned", [False, True])
def test_a_door_on_one_hinge_swings_as_on_two(turned):
    one, two = door(1, turned), door(2, turned)
    for mine, other in zip(one[:2], two[:2], strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-9)
    np.testing.assert_allclose(one[2], two[2], rtol=1e-7)
    assert (one[3], two[3]) == (5, 0)  # only one of them is moved as a body that swings


@pytest.mark.parametrize("restitution", [1.0, 0.7])
def test_a_blow_that_reaches_what_was_about_to_part_gains_nothing(restitution):
    """A ball of a row is sent away from its neighbour into two others: they push it back on the one that it left."""
    world = World(method="event", dt=1e-4, restitution=restitution, gravity=(0.0, 0.0, 0.0))
    balls = [world.add_body(Sphere(0.1), f"ball {i}", pose=Pose((0.3 * i, 0.0, 0.0))) for i in range(4)]
    for ball in balls[1:]:  # the contact gap is that of the bodies that there are
        ball.pose = Pose((ball.index * (0.2 + world.contact_gap), 0.0, 0.0))
    balls[1].velocity = (1.0, 0.0, 0.0)
    before = world.kinetic_energy
    world.step()
    assert times(world, "impact").size > 0
    assert world.kinetic_energy <= before * (1.0 + 1e-11)
    assert sum(ball.velocity[0] for ball in balls) == pytest.approx(1.0, abs=1e-12)
    speeds = [ball.velocity[0] for ball in balls]
    assert speeds[0] < -0.01 and speeds == pytest.approx(sorted(speeds), abs=1e-12), "none goes into the next"


# Storms of friction -------------------------------------------------------------------------------------------------


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
