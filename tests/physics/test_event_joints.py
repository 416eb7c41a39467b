"""Event-driven mechanisms: pendulums, stops, motors, hands and locks, against closed forms and balances."""

from math import cos, sqrt

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from abut import HalfSpace, Motor, Pose, Run, Solid, World
from abut.dynamics.event.search_tables import SWINGING
from abut.scene import scenes
from physics.event_worlds import G, bounces, compound, on_a_floor, on_a_table, times
from physics.judge import Judge


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


def test_a_cradle_with_strings_sends_off_one_ball_for_one():
    world = scenes.cradle(raised=1, **{"world.impacts": "sequential"}).world
    world.method, world.dt = "event", 0.02
    before, quick = world.energy, []
    for _ in range(40):
        world.step()
        quick.append(np.flatnonzero(np.abs([body.velocity[0] for body in world.bodies]) > 1e-4).tolist())
    assert [0] in quick and [4] in quick and {len(moving) for moving in quick} == {1}
    assert quick[0] == [0] and quick[-1] == [0] and abs(world.energy - before) < 1e-12


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
