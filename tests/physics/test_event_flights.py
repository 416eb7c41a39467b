"""Event-driven flight: bounces, tumbling and steps of any length, against closed forms and other methods."""

import json
from math import sqrt

import numpy as np
import pytest

from abut import HalfSpace, Pose, Run, Solid, Sphere, World
from physics.event_worlds import G, bounces, compound, dropped, on_a_table, times, tumbling
from physics.judge import Judge


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


def test_a_tumbling_box_comes_to_rest_and_never_overlaps():
    world = tumbling(0.5, dt=0.01)
    judge = Judge(world)
    for _ in range(100):
        world.step()
        assert judge.overlap() is None
    box = world.body("box")
    assert abs(box.velocity[2]) < 1e-12 and box.contact_wrench()[2] == pytest.approx(box.mass * G)


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


def test_impacts_in_turn_send_off_one_ball_for_one():
    world = World(method="event", dt=0.1, gravity=(0, 0, 0), restitution=1.0, impacts="sequential")
    for i in range(4):
        x = 0.2 * i + (1e-5 * i if i else -0.1)
        world.add_body(Sphere(0.1), f"ball {i}", pose=Pose((x, 0, 0)), velocity=(1.0 if i == 0 else 0.0, 0, 0))
    world.run(0.3)
    speeds = [body.velocity[0] for body in world.bodies]
    np.testing.assert_allclose(speeds, (0.0, 0.0, 0.0, 1.0), atol=1e-9)


def test_a_step_is_the_same_however_it_is_reached():
    world = tumbling(0.5, dt=0.02)
    world.run(0.4)
    other = World.restore(world.save())
    for each in (world, other):
        each.run(0.1)
    assert world._state.pose.tobytes() == other._state.pose.tobytes() and world.events == other.events


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


def test_records_tell_events_at_their_times(tmp_path):
    world = dropped(0.5)
    world.run(1.5, record=tmp_path / "run")
    noted = [note for note in Run(tmp_path / "run").events if note["kind"] in ("impact", "touch")]
    assert [(note["time"], note["kind"]) for note in noted] == [event[:2] for event in world.events]
    assert json.loads(noted[0]["text"])["impulse"] == list(world.events[0].impulse)


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
