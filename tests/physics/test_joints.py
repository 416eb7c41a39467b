"""Joints in motion against closed forms; what must be kept; joints that come and go."""

import numpy as np
import pytest

from abut import Motor, Pose, Solid, Spring, World
from physics.plain_runs import run, steps

pytestmark = pytest.mark.needs_jit
G = 9.81
BOX = Solid.box(0.1)
X, Y, Z = np.eye(3)


def on_slider(axis=X, *, gravity=(0, 0, 0), dt=1e-3, mass=2.0, **words):
    """A box of 2 kg that can only slide through the origin along an axis."""
    world = World(gravity=gravity, dt=dt)
    body = world.add_body(BOX, "box", mass=mass)
    return world, body, world.add_joint("slider", body, anchor=(0, 0, 0), axis=axis, **words)


def on_hinge(**words):
    """A rod of 1 kg, 0.5 m long, hinged at its end, straight out along x; positive angles are downwards."""
    world = World(dt=1e-3)
    rod = world.add_body(Solid.box((0.5, 0.02, 0.02)).translated((0.25, 0, 0)), "rod", mass=1.0)
    return world, rod, world.add_joint("hinge", rod, anchor=(0, 0, 0), axis=Y, **words)


def times(world, duration):
    """Step and give the time after each step."""
    for _ in steps(world, duration):
        yield world.time


def test_a_hanging_body_pulls_with_its_weight():
    world = World()
    body = world.add_body(BOX, "box", mass=3.0, pose=Pose((0, 0, -0.5)))
    joint = world.add_joint("ball", body, anchor=(0, 0, 0))
    run(world, 0.01)
    force, torque = joint.reaction
    np.testing.assert_allclose(force, (0, 0, 3.0 * G), atol=1e-3)
    np.testing.assert_allclose(torque, 0.0, atol=1e-6)


def test_a_shelf_is_held_by_a_torque():
    """1 kg, 0.25 m from a fixed joint: the joint holds it with m g and m g 0.25 m."""
    world = World()
    shelf = world.add_body(Solid.box((0.5, 0.02, 0.02)), "shelf", mass=1.0, pose=Pose((0.25, 0, 0)))
    joint = world.add_joint("fixed", shelf, anchor=(0, 0, 0))
    run(world, 0.01)
    np.testing.assert_allclose(np.concatenate(joint.reaction), (0, 0, G, 0, -0.25 * G, 0), atol=1e-3)


def test_a_spring_swings_with_its_period_and_keeps_its_swing():
    """Five periods of 2 pi sqrt(m / k); the phase errs by the square of omega dt, and by half a step of the start."""
    k, m, swing = 800.0, 2.0, 0.05
    omega = np.sqrt(k / m)
    world, _, joint = on_slider(mass=m, spring=Spring(k, rest=swing))
    largest, energy = 0.0, 0.5 * k * swing**2
    for t in times(world, 5 * 2 * np.pi / omega):
        expected = swing * (1.0 - np.cos(omega * (t + 0.5 * world.dt)))
        assert abs(joint.coordinate - expected) < swing * (omega * world.dt) ** 2 * 8
        largest = max(largest, joint.coordinate)
        assert world.energy == pytest.approx(energy, rel=0.6 * omega * world.dt)
    assert largest == pytest.approx(2 * swing, rel=1e-3)


def test_a_damper_slows_down_exponentially():
    world, body, joint = on_slider(spring=Spring(0.0, damping=10.0))
    body.velocity = (1.0, 0.0, 0.0)
    run(world, 0.5)
    assert joint.speed == pytest.approx(np.exp(-10.0 / 2.0 * 0.5), rel=1e-2)


@pytest.mark.parametrize(("limits", "sign"), [((None, 0.3), -1.0), ((-0.5, 0.3), -1.0)])
def test_a_limit_stops_a_falling_rod_and_holds_it(limits, sign):
    """The stop bears the torque of the weight about the hinge."""
    world, _, hinge = on_hinge(limits=limits)
    for _ in steps(world, 1.0):
        assert hinge.coordinate <= 0.3 + 1e-8
    assert hinge.coordinate == pytest.approx(0.3, abs=1e-8) and abs(hinge.speed) < 1e-5
    assert hinge["angle"].force == pytest.approx(sign * G * 0.25 * np.cos(0.3), rel=1e-4)


def test_a_brake_holds_what_it_can():
    """2 kg on a brake of 25 N stays, on one of 15 N falls with g - 15/2."""
    world, _, held = on_slider(-Z, gravity=(0, 0, -G), motor=Motor(velocity=0.0, max_force=25.0))
    run(world, 0.2)
    assert abs(held.coordinate) < 1e-8
    held.motor = Motor(velocity=0.0, max_force=15.0)
    run(world, 0.2)
    assert held.speed == pytest.approx((G - 7.5) * 0.2, rel=1e-6)
    assert held["travel"].force == pytest.approx(-15.0)


def test_a_motor_accelerates_with_its_force_up_to_its_speed():
    world, _, joint = on_slider(motor=Motor(velocity=1.0, max_force=10.0))
    for t in times(world, 0.4):
        assert joint.speed == pytest.approx(min(1.0, 5.0 * t), abs=1e-6)


@pytest.mark.parametrize("motor", [Motor(velocity=3.0), Motor(position=2.0, max_speed=3.0)])
def test_a_motor_of_any_force_stops_at_the_limit(motor):
    """Asked to go on, it would have to be stronger than its stop."""
    world, _, hinge = on_hinge(limits=(-0.5, 0.5), motor=motor)
    for t in times(world, 0.3):
        assert hinge.coordinate == pytest.approx(min(0.5, 3.0 * t), abs=1e-6)


def test_a_position_motor_follows_its_target_exactly():
    world, _, joint = on_slider(motor=Motor(position=0.0))
    for k in range(1, 101):
        joint.motor = Motor(position=0.1 * np.sin(0.02 * k))
        world.step()
        assert joint.coordinate == pytest.approx(0.1 * np.sin(0.02 * k), abs=1e-8)


def test_a_position_motor_keeps_to_its_speed_and_to_its_response():
    world, _, joint = on_slider(motor=Motor(position=0.5, max_speed=2.0))
    for t in times(world, 0.3):
        assert joint.coordinate == pytest.approx(min(0.5, 2.0 * t), abs=1e-7)
    world, _, joint = on_slider(motor=Motor(position=0.5, response=0.05))
    run(world, 0.1)
    assert joint.coordinate == pytest.approx(0.5 * (1.0 - np.exp(-2.0)), rel=1e-2)


def test_a_hinge_counts_turns_under_a_motor():
    world, _, hinge = on_hinge(motor=Motor(velocity=200.0))
    run(world, 0.5)
    assert hinge.coordinate == pytest.approx(100.0, abs=1e-5)


def test_a_rope_is_slack_until_it_is_taut():
    world = World()
    ball = world.add_body(Solid.box(0.02), "ball", mass=1.0, pose=Pose((0, 0, -0.5)))
    rope = world.add_joint("distance", ball, anchor=(0, 0, -0.5), anchor_other=(0, 0, 0), limits=(None, 1.0))
    for t in times(world, 0.25):
        assert rope.coordinate == pytest.approx(0.5 + 0.5 * G * t * (t + world.dt), rel=1e-9)
        assert rope["distance"].force == 0.0
    for _ in steps(world, 0.25):
        assert rope.coordinate <= 1.0 + 1e-9
    assert rope["distance"].force == pytest.approx(-G, rel=1e-4)


def test_a_nut_falls_on_its_screw_as_slowly_as_its_inertia_says():
    """m g = (m + I (2 pi / p)^2) a."""
    pitch, mass, inertia = 0.05, 1.0, 2e-4
    world = World()
    nut = world.add_body(BOX, "nut", mass=mass, inertia=np.diag([1e-4, 1e-4, inertia]))
    screw = world.add_joint("screw", nut, anchor=(0, 0, 0), axis=Z, pitch=pitch)
    run(world, 0.5)
    a = mass * G / (mass + inertia * (2.0 * np.pi / pitch) ** 2)
    assert screw["travel"].speed == pytest.approx(-a * 0.5, rel=1e-6)
    assert screw["angle"].value == pytest.approx(screw["travel"].value * 2.0 * np.pi / pitch, rel=1e-9)


@pytest.mark.parametrize("joint_type", ["point_on_line", "slider", "cylindrical"])
def test_a_bead_on_a_slanted_wire_gains_g_sin(joint_type):
    world = World()
    bead = world.add_body(BOX, "bead", mass=1.0)
    axis = (np.cos(0.5), 0.0, -np.sin(0.5))
    wire = world.add_joint(joint_type, bead, anchor=(0, 0, 0), axis=axis)
    run(world, 0.3)
    assert wire["travel"].speed == pytest.approx(0.3 * G * np.sin(0.5), rel=1e-6)


def test_a_point_stays_on_a_slanted_plane():
    world = World()
    body = world.add_body(BOX, "body", mass=1.0, velocity=(0.0, 1.0, 0.0))
    plane = world.add_joint("point_on_plane", body, anchor=(0, 0, 0), axis=(np.sin(0.5), 0.0, np.cos(0.5)))
    run(world, 0.3)
    down = np.array([np.cos(0.5), 0.0, -np.sin(0.5)])
    np.testing.assert_allclose(body.velocity, 0.3 * G * np.sin(0.5) * down + Y, atol=1e-5)
    assert plane.error < 1e-9


def test_bodies_joined_in_free_flight_keep_their_momentum():
    """Three boxes tumbling on ball joints, a hinge and a universal joint: momentum to rounding, energy nearly."""
    world = World(gravity=(0, 0, 0))
    a, b, c, d = (
        world.add_body(BOX, pose=Pose((0.15 * i, 0, 0)), group=0, velocity=v, angular_velocity=w)
        for i, (v, w) in enumerate((((0, 0, 0), (1, 2, 3)), ((0, 1, 0), (0, 0, 0)), ((0, 0, 1), (0, 0, 0)), (X, Y)))
    )
    world.add_joint("ball", b, a, anchor=(0.075, 0, 0))
    world.add_joint("hinge", c, b, anchor=(0.225, 0, 0), axis=Y)
    world.add_joint("universal", d, c, anchor=(0.375, 0, 0), axis=Y, axis_other=Z)
    run(world, 0.01)  # the first step makes the velocities agree with the joints
    before, energy = np.concatenate(world.momentum), world.energy
    run(world, 1.0)
    np.testing.assert_allclose(np.concatenate(world.momentum), before, atol=1e-9)
    assert world.energy == pytest.approx(energy, rel=1e-3)
    assert max(joint.error for joint in world.joints) < 1e-9


def test_a_joint_that_is_removed_lets_go_and_a_new_one_holds():
    world, rod, hinge = on_hinge()
    run(world, 0.3)
    hinge.remove()
    p, v = rod.pose.apply((0.25, 0, 0)), rod.velocity
    run(world, 0.1)
    flight = p + 0.1 * v - 0.5 * G * 0.1 * (0.1 + world.dt) * Z
    np.testing.assert_allclose(rod.pose.apply((0.25, 0, 0)), flight, atol=1e-9)
    caught = world.add_joint("ball", rod, anchor=rod.pose.apply((0.5, 0, 0)))
    where = rod.pose.apply((0.5, 0, 0))
    run(world, 0.2)
    np.testing.assert_allclose(rod.pose.apply((0.5, 0, 0)), where, atol=1e-9)
    assert caught.error < 1e-9


def test_a_mechanism_that_is_saved_goes_on_bit_for_bit():
    world, _, _ = on_hinge(limits=(-1.0, 1.2), spring=Spring(0.3))
    run(world, 0.3)
    copy = World.restore(world.save())
    run(world, 0.2)
    run(copy, 0.2)
    assert (copy._state.pose == world._state.pose).all() and (copy._joints.force == world._joints.force).all()


def test_a_door_on_three_hinges_swings_as_on_one():
    """Ten of the fifteen rows follow from the others: counted, and harmless."""

    def door(heights):
        world = World(gravity=(0, -G, 0))
        panel = world.add_body(Solid.box((0.8, 0.04, 2.0)).translated((0.4, 0, 0)), "door", mass=20.0)
        joints = [world.add_joint("hinge", panel, anchor=(0, 0, h), axis=Z) for h in heights]
        return world, joints

    (one, (hinge,)), (three, hinges) = door([0.0]), door([-0.8, 0.0, 0.8])
    run(one, 0.5)
    run(three, 0.5)
    assert (one.redundant_rows, three.redundant_rows) == (0, 10)
    assert hinges[0].coordinate == pytest.approx(hinge.coordinate, abs=1e-7)
    total = sum(joint.reaction[0] for joint in hinges)
    np.testing.assert_allclose(total, hinge.reaction[0], rtol=1e-3, atol=1e-2)


def test_a_lid_that_is_hinged_with_contact_closes_on_its_box():
    world = World()
    box = world.add_body(Solid.box((0.2, 0.2, 0.1)), "box", fixed=True)
    plate = Solid.box((0.2, 0.2, 0.01)).translated((0.1, 0, 0.005))
    pose = Pose.from_rotvec((-0.1, 0, 0.0501), (0, -1.0, 0))
    lid = world.add_body(plate, "lid", pose=pose, mass=0.5)
    hinge = world.add_joint("hinge", lid, box, anchor=(-0.1, 0, 0.0501), axis=Y, contact=True)
    for _ in range(600):
        assert world.step().time_given_up == 0.0
    assert hinge.coordinate == pytest.approx(1.0, abs=2e-3) and abs(hinge.speed) < 1e-3
    assert lid.contact_wrench()[2] == pytest.approx(0.5 * 0.5 * G, rel=2e-2)


def test_a_kinematic_body_drags_what_is_joined_to_it():
    world = World()
    hand = world.add_body(BOX, "hand", kinematic=True, velocity=(0.5, 0, 0))
    load = world.add_body(BOX, "load", pose=Pose((0, 0, -0.2)))
    joint = world.add_joint("fixed", load, hand, anchor=(0, 0, -0.1))
    run(world, 0.2)
    np.testing.assert_allclose(load.pose.position, (0.1, 0, -0.2), atol=1e-8)
    assert joint.error < 1e-9
