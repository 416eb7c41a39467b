"""Joints of a world: what each type leaves free, coordinates, settings, and mistakes told in sentences."""

import pickle

import numpy as np
import pytest

import abut
from abut import InputError, Motor, Pose, Solid, Spring, World

FREEDOMS = {
    "ball": 3,
    "hinge": 1,
    "slider": 1,
    "cylindrical": 2,
    "universal": 2,
    "fixed": 0,
    "point_on_plane": 5,
    "point_on_line": 4,
    "distance": 5,
    "screw": 1,
}
ACROSS = {"axis": (0.0, 0.0, 1.0)}
WORDS = {
    "ball": {},
    "hinge": ACROSS,
    "slider": ACROSS,
    "cylindrical": ACROSS,
    "universal": {**ACROSS, "axis_other": (1.0, 0.0, 0.0)},
    "fixed": {},
    "point_on_plane": ACROSS,
    "point_on_line": ACROSS,
    "distance": {"anchor_other": (0.3, 0.1, 0.2)},
    "screw": {**ACROSS, "pitch": 0.002},
}
ANCHOR = (0.05, 0.02, 0.1)


def two_boxes(random_pose=None):
    """A world with two bodies, at random poses or side by side."""
    world = World()
    pose_a, pose_b = (random_pose(), random_pose()) if random_pose else (Pose(), Pose((1.0, 0.0, 0.0)))
    return world, world.add_body(Solid.box(0.1), "a", pose=pose_a), world.add_body(Solid.box(0.2), "b", pose=pose_b)


def jacobian(world):
    """Derivatives of all holding rows by the twists of the bodies of a two-body world."""
    table = world._joints
    chosen = np.arange(len(table.law)) < table.n
    _, _, row = table.measure(chosen, world._state.pose, world._state.twist)
    J = np.zeros((len(row), 18))
    for k, (_, a, b, _) in enumerate(table.name[: table.n]):
        J[k, 6 * a : 6 * a + 6 if a >= 0 else None] += row[k, :6]
        J[k, 6 * b : 6 * b + 6] += row[k, 6:]
    return J[:, :12]


@pytest.mark.parametrize("joint_type", FREEDOMS)
@pytest.mark.parametrize("to_world", [False, True], ids=["two bodies", "body and world"])
def test_every_type_holds_what_it_should_and_starts_without_error(joint_type, to_world, random_pose):
    world, a, b = two_boxes(random_pose)
    joint = world.add_joint(joint_type, a, None if to_world else b, anchor=ANCHOR, **WORDS[joint_type])
    assert np.linalg.matrix_rank(jacobian(world), tol=1e-9) == 6 - FREEDOMS[joint_type] == world._joints.n
    assert joint.error < 1e-12 and world.redundant_rows == 0
    assert all(joint[name].value == pytest.approx(0.0, abs=1e-12) for name in joint.coordinates)


def test_a_hinge_counts_its_angle_about_the_axis(random_pose):
    world, a, b = two_boxes(random_pose)
    hinge = world.add_joint("hinge", a, b, anchor=ANCHOR, **ACROSS)
    turn = Pose(ANCHOR) @ Pose.from_rotvec((0, 0, 0), (0, 0, 0.7)) @ Pose(-np.array(ANCHOR))
    a.pose = turn @ a.pose
    a.angular_velocity, b.angular_velocity = (0.1, 0.2, 3.0), (0.1, 0.2, 1.0)
    assert (hinge.coordinate, hinge.speed) == (pytest.approx(0.7), pytest.approx(2.0))
    assert hinge.error < 1e-12


def test_a_universal_joint_counts_the_angles_of_both_axes():
    world, a, b = two_boxes()
    joint = world.add_joint("universal", a, b, anchor=(0, 0, 0), axis=(0, 0, 1), axis_other=(1, 0, 0))
    turn_other, turn = (Pose.from_rotvec((0, 0, 0), r) for r in ((0.4, 0, 0), (0, 0, 0.3)))
    a.pose = turn_other @ turn  # about its own axis, then both about the other's
    assert (joint["angle"].value, joint["angle_other"].value) == (pytest.approx(0.3), pytest.approx(0.4))
    assert joint.error < 1e-12


def test_a_screw_travels_by_its_pitch():
    world, a, _ = two_boxes()
    screw = world.add_joint("screw", a, anchor=(0, 0, 0), axis=(0, 0, 1), pitch=0.002)
    for _ in range(8):  # a quarter of a turn each, so that turns can be counted
        a.pose = Pose.from_rotvec((0, 0, 0.0005), (0, 0, 0.5 * np.pi)) @ a.pose
    assert (screw["angle"].value, screw["travel"].value) == (pytest.approx(4 * np.pi), pytest.approx(0.004))
    assert screw.error < 1e-12


def test_sliding_anchors_may_start_apart_along_the_axis():
    world, a, b = two_boxes()
    slider = world.add_joint("slider", a, b, anchor=(0, 0, 0), anchor_other=(0.25, 0, 0), axis=(-1, 0, 0))
    assert slider.coordinate == pytest.approx(0.25) and slider.error < 1e-15


def test_settings_come_back_in_the_units_of_the_coordinate():
    world, a, b = two_boxes()
    motor = Motor(position=0.3, max_force=2.0, max_speed=4.0, response=0.1)
    spring = Spring(5.0, 0.2, rest=0.1)
    hinge = world.add_joint("hinge", a, b, anchor=ANCHOR, limits=(-1.0, 2.0), motor=motor, spring=spring, **ACROSS)
    got = hinge.motor
    assert hinge.limits == pytest.approx((-1.0, 2.0)) and world.joint(hinge.name) == hinge
    hinge.limits = np.array([-1.0, 2.0])
    assert hinge.limits == pytest.approx((-1.0, 2.0))
    assert (got.position, got.max_force, got.max_speed, got.response) == pytest.approx((0.3, 2.0, 4.0, 0.1))
    assert (hinge.spring.stiffness, hinge.spring.damping, hinge.spring.rest) == pytest.approx((5.0, 0.2, 0.1))
    hinge.motor = Motor(velocity=1.5)
    assert (hinge.motor.velocity, hinge.motor.max_force) == (pytest.approx(1.5), np.inf)
    hinge.limits, hinge.motor, hinge.spring = None, None, None
    assert (hinge.limits, hinge.motor, hinge.spring) == (None, None, None) and world._joints.n == 5


def test_changing_a_motor_neither_adds_nor_moves_rows():
    world, a, b = two_boxes()
    hinge = world.add_joint("hinge", a, b, anchor=ANCHOR, motor=Motor(velocity=1.0), **ACROSS)
    before = world._joints.revision
    hinge.motor = Motor(position=0.3)
    assert world._joints.revision == before


def test_joints_with_several_coordinates_are_told_which():
    world, a, b = two_boxes()
    joint = world.add_joint(
        "cylindrical",
        a,
        b,
        anchor=ANCHOR,
        limits={"travel": (0.0, None)},
        motor={"angle": Motor(velocity=1.0)},
        **ACROSS,
    )
    assert joint["travel"].limits == (0.0, None) and joint["angle"].motor.velocity == pytest.approx(1.0)
    assert joint["angle"].limits is None and joint["travel"].motor is None


def test_removing_a_joint_leaves_the_others():
    world, a, b = two_boxes()
    first = world.add_joint("hinge", a, b, name="first", anchor=ANCHOR, limits=(-1, 1), **ACROSS)
    second = world.add_joint("ball", b, name="second", anchor=ANCHOR)
    angle = first["angle"]
    first.remove()
    assert world.joints[0].name == "second" and len(world.joints) == 1 and world._joints.n == 3
    assert second.error < 1e-15 and repr(first) == "Joint(removed)"
    for use in (
        lambda: first.name,
        lambda: first.error,
        lambda: first.reaction,
        lambda: first.remove(),
        lambda: angle.value,
        lambda: angle.force,
        lambda: angle.limits,
        lambda: setattr(angle, "motor", Motor(velocity=1.0)),
    ):
        with pytest.raises(InputError, match="this joint was removed from its world"):
            use()


def test_joined_bodies_do_not_touch_unless_told():
    world, a, b = two_boxes()
    joint = world.add_joint("ball", a, b, anchor=ANCHOR)
    assert world._joints.ignored_pairs() == {(0, 1)}
    joint.remove()
    assert world.add_joint("ball", a, b, anchor=ANCHOR, contact=True).contact
    assert world._joints.ignored_pairs() == set()


def test_conditions_that_follow_from_others_are_counted():
    """A door on two hinges with one axis: the second adds nothing that the first does not hold."""
    world, a, _ = two_boxes()
    world.add_joint("hinge", a, anchor=(0, 0, 0.0), axis=(0, 0, 1))
    world.add_joint("hinge", a, anchor=(0, 0, 0.5), axis=(0, 0, 1))
    assert world.redundant_rows == 5


def test_a_distance_joint_with_a_spring_is_no_rod():
    world, a, b = two_boxes()
    rod = world.add_joint("distance", a, b, anchor=(0, 0, 0), anchor_other=(1, 0, 0), length=1.0)
    strut = world.add_joint("distance", a, b, anchor=(0, 0, 0), anchor_other=(1, 0, 0), spring=Spring(10.0))
    rope = world.add_joint("distance", a, b, anchor=(0, 0, 0), anchor_other=(1, 0, 0), limits=(None, 1.5))
    assert world._joints.n == 3
    assert strut.spring.rest == pytest.approx(1.0) and rope.coordinate == pytest.approx(1.0)
    assert rod.coordinates == ()


def test_joints_survive_being_pickled():
    world, a, b = two_boxes()
    world.add_joint("hinge", a, b, anchor=ANCHOR, limits=(-1, 1), **ACROSS)
    copy = pickle.loads(pickle.dumps(world._joints))
    assert copy.n == world._joints.n and (copy.place == world._joints.place).all()


def _bad(match, *, joint_type="hinge", other=True, **words):
    return pytest.param(joint_type, other, {"anchor": ANCHOR, **words}, match, id=match)


@pytest.mark.parametrize(
    ("joint_type", "other", "words", "match"),
    [
        _bad("axis is a vector of zero length", axis=(0, 0, 0)),
        _bad("a hinge joint needs axis=", axis=None),
        _bad("a hinge joint needs anchor=", anchor=None, axis=(0, 0, 1)),
        _bad("no joint type 'knee'; the types are ball, hinge", joint_type="knee"),
        _bad("its anchors are 0.0123 m apart;", axis=(0, 0, 1), anchor_other=(0.05, 0.02, 0.1123)),
        _bad("0.01 m apart across the axis", joint_type="slider", axis=(0, 0, 1), anchor_other=(0.06, 0.02, 0)),
        _bad("is above the higher one, -1", axis=(0, 0, 1), limits=(1.0, -1.0)),
        _bad(r"it is at 0 now, outside of \(0.5, 1.0\)", axis=(0, 0, 1), limits=(0.5, 1.0)),
        _bad("expected \\(low, high\\), either may be None", axis=(0, 0, 1), limits=3.0),
        _bad("limits of angle: expected a number, got 'a'", axis=(0, 0, 1), limits=("a", 1.0)),
        _bad("a ball joint has no axis", joint_type="ball", axis=(0, 0, 1)),
        _bad("a hinge joint has no pitch", axis=(0, 0, 1), pitch=0.1),
        _bad("a screw joint needs pitch=", joint_type="screw", axis=(0, 0, 1)),
        _bad("pitch 0 does not travel", joint_type="screw", axis=(0, 0, 1), pitch=0.0),
        _bad("these enclose 45 degrees", joint_type="universal", axis=(0, 0, 1), axis_other=(1, 0, 1)),
        _bad("a distance joint needs anchor_other=", joint_type="distance"),
        _bad("its anchors coincide", joint_type="distance", anchor_other=ANCHOR),
        _bad("0.5 m from its length of 1.5 m", joint_type="distance", anchor_other=(1.05, 0.02, 0.1), length=1.5),
        _bad(
            "position: a distance is never negative, got -0.2",
            joint_type="distance",
            anchor_other=(1.05, 0.02, 0.1),
            motor=Motor(position=-0.2),
        ),
        _bad("a fixed joint has no coordinate", joint_type="fixed", motor=Motor(velocity=1.0)),
        _bad("say which coordinate: motor=", joint_type="cylindrical", axis=(0, 0, 1), motor=Motor(velocity=1.0)),
        _bad("has no coordinate 'travel'; it has angle", axis=(0, 0, 1), limits={"travel": (0, 1)}),
        _bad("expected an abut.Motor, got 3", axis=(0, 0, 1), motor=3),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_a_sentence_and_leave_no_joint(joint_type, other, words, match):
    world, a, b = two_boxes()
    with pytest.raises(InputError, match=match):
        world.add_joint(joint_type, a, b if other else None, **words)
    assert world.joints == [] and world._joints.n == 0


def test_a_joint_needs_two_bodies_of_which_one_can_move():
    world, a, _ = two_boxes()
    fixed = world.add_body(Solid.box(0.1), "wall", pose=Pose((5, 0, 0)), fixed=True)
    with pytest.raises(InputError, match="a joint of body 'a' with itself holds nothing"):
        world.add_joint("ball", a, a, anchor=ANCHOR)
    with pytest.raises(InputError, match="neither body 'wall' nor the world can move freely"):
        world.add_joint("ball", fixed, anchor=ANCHOR)
    with pytest.raises(InputError, match="expected a body of this world, got 'a'"):
        world.add_joint("ball", "a", anchor=ANCHOR)
    stranger = two_boxes()[1]
    for pair in ((stranger, None), (a, stranger)):
        with pytest.raises(InputError, match="expected a body of this world, got Body"):
            world.add_joint("ball", *pair, anchor=ANCHOR)
    world.add_joint("ball", a, fixed, name="hook", anchor=ANCHOR)
    with pytest.raises(InputError, match="there is a joint 'hook' already"):
        world.add_joint("ball", a, fixed, name="hook", anchor=ANCHOR)
    with pytest.raises(InputError, match="there is no joint 'eye'; there are: hook"):
        world.joint("eye")


def test_a_joint_torn_by_hand_is_refused():
    world, a, b = two_boxes()
    world.add_joint("ball", a, b, name="link", anchor=(0.5, 0, 0))
    a.pose = Pose((0.0, 0.25, 0.0))
    with pytest.raises(InputError, match=r"joint 'link': its bodies were moved 0\.25 m out"):
        world.step()


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Motor(), "give either velocity= or position="),
        (lambda: Motor(velocity=1.0, position=2.0), "give either velocity= or position="),
        (lambda: Motor(velocity=1.0, max_speed=2.0), "max_speed= and response= go with position="),
        (lambda: Motor(velocity=1.0, response=0.1), "max_speed= and response= go with position="),
        (lambda: Motor(velocity=1.0, max_force=-1.0), "max_force: expected a number greater than 0"),
        (lambda: Spring(-1.0), "stiffness: expected a number not smaller than 0"),
        (lambda: Spring(0.0), "neither stiff nor damped"),
    ],
)
def test_motors_and_springs_are_checked(make, match):
    with pytest.raises(InputError, match=match):
        make()


def test_one_specialisation_of_the_kernels(compiled_signatures):
    from abut.dynamics.joints.joint_kernels import measure_joints

    world, a, b = two_boxes()
    joint = world.add_joint("hinge", a, b, anchor=[0, 0, 0], axis=np.array([0, 0, 1], np.float32), limits=(-1, 1))
    a.pose = abut.Pose()
    assert joint.coordinate == 0.0 and len(compiled_signatures(measure_joints)) == 1
