"""Joints as control loops use them: pushed for a step, and put into positions."""

import pickle

import numpy as np
import pytest

import abut

G = (0.0, 0.0, -9.81)


def link(world, name, x, **options):
    return world.add_body(abut.Solid.box((0.2, 0.02, 0.02)), name, pose=abut.Pose((x, 0.0, 0.0)), **options)


def arm(links=3, gravity=(0.0, 0.0, 0.0)):
    """Links in a row along x, each hinged to the one before about y; the first one to the world."""
    world, before = abut.World(gravity=gravity), None
    for k in range(links):
        body = link(world, f"link {k}", 0.1 + 0.2 * k)
        anchor = (0.2 * k, 0.0, 0.0)
        world.add_joint("hinge", body, before, name=f"hinge {k}", anchor=anchor, axis=(0, 1, 0))
        before = body
    return world


# Forces by command


def test_a_torque_on_a_hinge_turns_as_its_inertia_says():
    world = arm(1)
    joint, spec = world.joint("hinge 0"), world.body("link 0").spec
    about_hinge = spec.inertia[1, 1] + spec.mass * 0.1**2
    joint.apply_force(2e-3)
    world.step()
    assert joint.speed == pytest.approx(2e-3 * world.dt / about_hinge, rel=1e-5)
    before = joint.speed
    world.step()  # it lasted for one step
    assert joint.speed == pytest.approx(before, rel=1e-4)


def test_a_force_on_a_slider_pushes_both_bodies_apart():
    world = abut.World(gravity=(0, 0, 0))
    a, b = link(world, "a", 0.0), link(world, "b", 0.5)
    joint = world.add_joint("slider", b, a, anchor=(0.25, 0, 0), axis=(1, 0, 0))
    joint.apply_force(3.0)
    joint.apply_force(1.0)
    world.step()
    assert b.velocity[0] * b.mass == pytest.approx(4.0 * world.dt) == -a.velocity[0] * a.mass
    np.testing.assert_allclose(world.momentum[0], 0.0, atol=1e-12)
    np.testing.assert_allclose(b.load_wrench()[:3], (4.0, 0, 0))


def test_gravity_held_by_torques_of_a_control_loop():
    """A proportional and derivative controller, as robotics users write it, holds an arm against gravity."""
    world = arm(2, G)
    joints, wanted = world.joints, (0.2, -0.3)
    for _ in range(4000):
        for joint, goal in zip(joints, wanted, strict=True):
            joint["angle"].apply_force(6.0 * (goal - joint.coordinate) - 0.1 * joint.speed)
        world.step()
    load = [9.81 * world.body(f"link {k}").mass for k in range(2)]
    for joint, goal in zip(joints, wanted, strict=True):
        assert abs(joint.coordinate - goal) < 1.5 * sum(load) * 0.3 / 6.0
        assert abs(joint.speed) < 1e-4


# Positions by command


def test_setting_an_angle_moves_all_that_hangs_on_the_joint():
    world = arm(3)
    world.joint("hinge 1").coordinate = 0.5
    angles = [joint.coordinate for joint in world.joints]
    np.testing.assert_allclose(angles, (0.0, 0.5, 0.0), atol=1e-15)
    assert max(joint.error for joint in world.joints) < 1e-15
    tip = world.body("link 2").pose.apply((0.1, 0.0, 0.0))
    np.testing.assert_allclose(tip, (0.2 + 0.4 * np.cos(0.5), 0.0, -0.4 * np.sin(0.5)), atol=1e-15)
    assert world.body("link 0").pose == abut.Pose((0.1, 0, 0))
    world.step()
    np.testing.assert_allclose([joint.coordinate for joint in world.joints], angles, atol=1e-12)


@pytest.mark.parametrize("turns", [np.pi, -np.pi, 3.0 * np.pi, 25.0, -40.0, 1e-9])
def test_turns_are_counted(turns):
    world = arm(3)
    world.joint("hinge 0").coordinate = turns
    np.testing.assert_allclose([j.coordinate for j in world.joints], (turns, 0.0, 0.0), atol=1e-12)
    world.joint("hinge 1").coordinate = -turns
    np.testing.assert_allclose([j.coordinate for j in world.joints], (turns, -turns, 0.0), atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "coordinate", "value", "also"),
    [
        ("slider", "travel", 0.05, {}),
        ("cylindrical", "travel", -0.03, {"angle": 0.0}),
        ("cylindrical", "angle", 4.0, {"travel": 0.0}),
        ("screw", "angle", 4.0 * np.pi, {"travel": 0.02}),
        ("screw", "travel", -0.005, {"angle": -np.pi}),
        ("universal", "angle", 0.7, {"angle_other": 0.0}),
        ("universal", "angle_other", -0.4, {"angle": 0.0}),
        ("point_on_line", "travel", 0.01, {}),
        ("distance", "distance", 0.5, {}),
    ],
)
@pytest.mark.parametrize("on_world", [True, False], ids=["joined to the world", "to a body"])
@pytest.mark.parametrize("turned", [False, True], ids=["first body free", "first body on the wall"])
def test_every_coordinate_of_every_type(kind, coordinate, value, also, on_world, turned):
    world = abut.World(gravity=(0, 0, 0))
    wall = None if on_world else link(world, "wall", -0.2, fixed=True)
    body = link(world, "body", 0.2)
    if turned and wall is not None:
        body, wall = wall, body
    options = {
        "distance": {"anchor_other": (-0.1, 0, 0), "limits": (0.0, 1.0)},
        "screw": {"pitch": 0.01},
        "universal": {"axis_other": (0, 1, 0)},
    }.get(kind, {})
    axis = {} if kind == "distance" else {"axis": (1, 0, 0)}
    joint = world.add_joint(kind, body, wall, anchor=(0.1, 0, 0), contact=True, **axis, **options)
    joint[coordinate].value = value
    assert joint[coordinate].value == pytest.approx(value, abs=1e-13)
    for name, expected in also.items():
        assert joint[name].value == pytest.approx(expected, abs=1e-13)
    assert joint.error < 1e-15


def test_joint_speeds_stay_also_on_a_moving_base():
    world = abut.World(gravity=(0, 0, 0))
    base = world.add_body(
        abut.Solid.box((0.1, 0.1, 0.1)),
        "base",
        pose=abut.Pose((-0.1, 0, 0)),
        velocity=(1, 2, 3),
        angular_velocity=(0, 0, 1),
    )
    body = link(world, "body", 0.1)
    joint = world.add_joint("hinge", body, base, anchor=(0, 0, 0), axis=(0, 1, 0))
    point = body.pose.position - base.pose.position
    body.velocity = base.velocity + np.cross(base.angular_velocity, point) + np.cross((0, 0.7, 0), (0.1, 0, 0))
    body.angular_velocity = base.angular_velocity + np.array((0, 0.7, 0))
    joint.coordinate = 1.1
    assert joint.speed == pytest.approx(0.7)
    apart = np.cross(body.angular_velocity, (0, 0, 0) - body.pose.position) + body.velocity
    there = base.velocity + np.cross(base.angular_velocity, (0, 0, 0) - base.pose.position)
    np.testing.assert_allclose(apart, there, atol=1e-14)


def test_a_body_that_lands_in_another_is_refused_by_the_next_step():
    world = arm(1)
    world.add_body(abut.Solid.box(0.05), "block", pose=abut.Pose((0.0, 0.0, -0.15)), fixed=True)
    world.joint("hinge 0").coordinate = 0.5 * np.pi
    with pytest.raises(abut.OverlapError):
        world.step()


# What cannot be done


def test_closed_chains_are_refused_by_name():
    world = arm(3)
    world.add_joint("ball", world.body("link 2"), name="end", anchor=(0.6, 0, 0))
    before = world.save()
    with pytest.raises(abut.InputError, match=r"joint 'hinge 1': it is part of a closed chain with .*'end'"):
        world.joint("hinge 1").coordinate = 0.1
    assert world.save() == before


def test_limits_and_nonsense_are_refused():
    world = arm(2)
    joint = world.joint("hinge 1")
    joint.limits = (-1.0, 1.0)
    with pytest.raises(abut.InputError, match=r"angle: expected -1 to 1, its limits, got 2"):
        joint.coordinate = 2.0
    with pytest.raises(abut.InputError, match="angle"):
        joint.coordinate = np.nan
    with pytest.raises(abut.InputError, match="torque"):
        joint.apply_force(np.inf)
    with pytest.raises(abut.InputError, match="speed of light"):
        joint.apply_force(1e30)
    assert not world._state.wrench.any()


# Scenes for workers


@pytest.mark.parametrize("name", ["driver", "peg_in_hole", "four_bar", "spinning_top"])
def test_a_scene_that_was_pickled_runs_alike(name):
    scene = abut.scenes.__getattr__(name)()
    other = pickle.loads(pickle.dumps(scene))
    for _ in range(5):
        scene.step()
        other.step()
    for table in ("pose", "twist", "wrench", "target"):
        assert getattr(other.world._state, table).tobytes() == getattr(scene.world._state, table).tobytes(), table
    assert other.world.contacts.tobytes() == scene.world.contacts.tobytes()
    assert other.duration == scene.duration and other.view == scene.view
    assert list(other.measures) == list(scene.measures)
