"""Nothing is accepted without effect: what users set works or is refused in a sentence, what goes wrong is reported."""

import warnings

import numpy as np
import pytest

import abut
from abut import HalfSpace, InputError, Motor, Pose, RunWarning, SettingError, Solid, Sphere, Spring, World

pytestmark = pytest.mark.needs_jit


def jaws(gap, speed=0.0, *, thick=0.1, dt=1e-3, **options):
    """A kinematic box beside a fixed plate, `gap` apart [m], that goes towards it."""
    world = World(dt=dt, **options)
    world.add_body(Solid.box((thick, 1.0, 1.0)), "wall", fixed=True)
    place = Pose((-0.5 * thick - 0.05 - gap, 0.0, 0.0))
    jaw = world.add_body(Solid.box(0.1), "jaw", pose=place, kinematic=True, velocity=(speed, 0.0, 0.0))
    world.add_body(Solid.box(0.1), "far away", pose=Pose((0.0, 9.0, 0.0)))
    return world, jaw


def names(overlaps):
    return [{overlap.a, overlap.b} for overlap in overlaps]


# -- kinematic bodies --------------------------------------------------------------------------------------------------


def test_overlaps_at_the_start_are_reported_with_their_depth():
    world, _ = jaws(-0.02)
    (overlap,) = world.step().kinematic_overlaps
    assert names([overlap]) == [{"jaw", "wall"}] and overlap.depth == pytest.approx(0.02)
    assert world.step().kinematic_overlaps == (overlap,)


@pytest.mark.parametrize("gap", [0.0, 1e-6, 0.01])
def test_touching_is_no_overlap(gap):
    world, _ = jaws(gap)
    assert world.step().kinematic_overlaps == ()


def test_sliding_along_a_face_is_no_overlap():
    world, jaw = jaws(0.0)
    jaw.velocity = (0.0, 0.3, 0.0)
    for _ in range(20):
        assert world.step().kinematic_overlaps == ()


def test_the_step_in_which_a_jaw_goes_into_a_wall_is_the_first_that_says_so():
    world, _ = jaws(0.0105, 1.0)
    found = [bool(world.step().kinematic_overlaps) for _ in range(20)]
    assert found == [False] * 10 + [True] * 10


def test_a_jaw_that_passes_a_thin_plate_within_one_step_is_seen():
    """Neither where the step begins nor where it ends do they overlap."""
    world, jaw = jaws(0.05, 400.0, thick=30e-6)
    (overlap,) = world.step().kinematic_overlaps
    assert jaw.pose.position[0] > 0.2
    assert overlap.depth == pytest.approx(0.0125 + 30e-6, rel=1e-6), "as far as the plate's points lie within the jaw"
    assert world.step().kinematic_overlaps == ()


def test_a_blade_that_turns_through_a_post_is_seen():
    world = World(dt=0.1)
    world.add_body(Solid.box((0.01, 0.01, 1.0)), "post", pose=Pose((0.0, 0.4, 0.0)), fixed=True)
    spin = {"kinematic": True, "angular_velocity": (0.0, 0.0, np.pi / 0.1)}
    world.add_body(Solid.box((1.0, 0.02, 0.02)), "blade", **spin)
    assert names(world.step().kinematic_overlaps) == [{"blade", "post"}]


@pytest.mark.parametrize("shape", [Solid.box(0.1), Sphere(0.05)], ids=["box", "ball"])
def test_kinematic_bodies_in_a_half_space_and_in_each_other(shape):
    world = World()
    world.add_body(HalfSpace(), "floor", fixed=True)
    for name, x, z in (("a", 0.0, 0.03), ("b", 0.09, 1.0), ("c", 0.0, 1.0), ("d", 5.0, 1.0)):
        world.add_body(shape, name, pose=Pose((x, 0.0, z)), kinematic=True)
    overlaps = world.step().kinematic_overlaps
    assert sorted(map(sorted, names(overlaps))) == [["a", "floor"], ["b", "c"]]
    assert {round(overlap.depth, 9) for overlap in overlaps} == {0.02, 0.01}


def test_groups_and_declared_pairs_are_exempt():
    world = World()
    jaw = world.add_body(Solid.box(0.1), "jaw", kinematic=True, group=1)
    world.add_body(Solid.box(0.1), "holder", fixed=True, group=1)
    other = world.add_body(Solid.box(0.1), "other", fixed=True)
    assert names(world.step().kinematic_overlaps) == [{"jaw", "other"}]
    world.set_pair(jaw, other, "ignore")
    assert world.step().kinematic_overlaps == ()
    world.set_pair(jaw, other)
    assert names(world.step().kinematic_overlaps) == [{"jaw", "other"}]


def test_overlaps_are_refused_where_that_is_asked_for():
    world, jaw = jaws(0.0005, 1.0, kinematic_overlaps="error")
    with pytest.raises(abut.KinematicOverlapError, match=r"'wall' and 'jaw' .0.5 mm deep.; give them other velocities"):
        world.step()
    assert world.time == 0.0 and jaw.velocity[0] == 1.0
    jaw.velocity = (0.1, 0.0, 0.0)
    world.step()
    assert world.time == world.dt


def test_a_body_that_was_stopped_on_its_way_does_not_overlap():
    """A kinematic box that a jam keeps from going on never reaches the wall."""
    world = World(gravity=(0.0, 0.0, 0.0), dt=0.01)
    world.add_body(Solid.box((0.1, 1.0, 1.0)), "wall", pose=Pose((0.2, 0.0, 0.0)), fixed=True)
    world.add_body(Solid.box((0.05, 0.1, 0.1)), "between", pose=Pose((0.12, 0.0, 0.0)))
    jaw = world.add_body(Solid.box(0.1), "jaw", kinematic=True, velocity=(20.0, 0.0, 0.0))
    report = world.step()
    assert report.time_given_up > 0.0 and report.kinematic_overlaps == ()
    assert jaw.pose.position[0] < 0.06


def test_pairs_that_are_not_near_cost_no_check(monkeypatch):
    from abut.dynamics.stepping import kinematic_watch

    world, _ = jaws(0.5)
    world.add_body(HalfSpace(), "floor", pose=Pose((0.0, 0.0, -3.0)), fixed=True)
    monkeypatch.setattr(kinematic_watch, "_Pair", None)
    world.step()


# -- runs --------------------------------------------------------------------------------------------------------------


def test_a_run_adds_up_its_steps():
    world = World()
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(Solid.box(0.1), "box", pose=Pose((0.0, 0.0, 0.0501)))
    reports = []
    step = World.step
    try:
        World.step = lambda self: reports.append(step(self)) or reports[-1]
        summary = world.run(0.02)
    finally:
        World.step = step
    assert summary.steps == 20 and summary.time == pytest.approx(0.02) and summary.time_given_up == 0.0
    assert summary.rounds == sum(report.rounds for report in reports)
    assert summary.contacts == max(report.contacts for report in reports) == 4
    assert summary.smallest_gap == min(report.smallest_gap for report in reports)
    assert summary.residual == max(report.residual for report in reports)


def test_time_that_was_given_up_is_said_once():
    world = World(dt=1e6)
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(Solid.box(0.1), "box", pose=Pose((0.0, 0.0, 1.0)))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        summary = world.run(3e6)
    assert summary.time_given_up > 0.0 and summary.steps_given_up > 0
    (warning,) = [each for each in said if issubclass(each.category, RunWarning)]
    assert "given up" in str(warning.message) and warning.filename == __file__


def test_kinematic_overlaps_of_a_run_are_said_once_with_the_deepest():
    world, _ = jaws(0.001, 1.0)
    with pytest.warns(RunWarning, match=r"kinematic bodies went where others stand: .* \(9 mm deep\)"):
        summary = world.run(0.01)
    assert summary.kinematic_overlaps[0].depth == pytest.approx(0.009)


# -- what can be set ---------------------------------------------------------------------------------------------------


def sliding_box():
    world = World(friction=0.0)
    world.add_body(HalfSpace(), "floor", fixed=True)
    box = world.add_body(Solid.box(0.1), "box", pose=Pose((0.0, 0.0, 0.05 + 2e-6)), velocity=(1.0, 0.0, 0.0))
    world.run(0.01)
    return world, box


def test_friction_can_be_set_between_steps():
    world, box = sliding_box()
    before = box.velocity[0]
    world.friction = 0.5
    world.run(0.1)
    assert world.friction == 0.5 and before - box.velocity[0] == pytest.approx(0.5 * 9.81 * 0.1, rel=0.02)


def test_a_sleeping_box_feels_that_friction_goes():
    tilt = Pose.from_rotvec((0.0, 0.0, 0.0), (0.0, 0.2, 0.0))
    world = World(friction=0.5)
    world.add_body(Solid.box((2.0, 1.0, 0.1)), "slope", pose=tilt, fixed=True)
    box = world.add_body(Solid.box(0.1), "box", pose=tilt @ Pose((0.0, 0.0, 0.1 + 2e-6)))
    world.run(0.3)
    assert np.linalg.norm(box.velocity) < 1e-3
    world.friction = 0.0
    world.run(0.1)
    assert np.linalg.norm(box.velocity) == pytest.approx(9.81 * np.sin(0.2) * 0.1, rel=0.02)


def test_restitution_can_be_set_between_steps():
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(HalfSpace(), "floor", fixed=True)
    ball = world.add_body(Sphere(0.05), "ball", pose=Pose((0.0, 0.0, 0.06)), velocity=(0.0, 0.0, -1.0))
    world.step()
    world.restitution = 0.8
    world.run(0.02)
    assert ball.velocity[2] == pytest.approx(0.8)


def test_the_method_can_be_set_between_steps():
    world, _ = sliding_box()
    other = World(friction=0.0, method="velocity", solver="jacobi")
    world.method, world.solver = "velocity", "jacobi"
    assert (world.method, world.solver) == (other.method, other.solver)
    world.run(0.01)
    world.method = "bilateral"
    assert world.solver is None
    with pytest.raises(InputError, match="only method 'velocity' takes one"):
        world.solver = "lemke"


def test_setting_twice_the_same_goes_on_with_the_same_bits():
    (world, box), (_, other) = sliding_box(), sliding_box()
    for _ in range(5):
        world.friction, world.method, world.threads = world.friction, world.method, world.threads
        world.step()
        other._world.step()
    assert box.pose == other.pose and box.velocity.tobytes() == other.velocity.tobytes()


def test_velocities_can_be_added_to():
    _, box = sliding_box()
    box.velocity += (1.0, 0.0, 0.0)
    box.angular_velocity -= (0.0, 0.0, 2.0)
    assert box.velocity[0] == pytest.approx(2.0) and box.angular_velocity[2] == pytest.approx(-2.0)


def hinged():
    world, box = sliding_box()
    joint = world.add_joint("hinge", box, anchor=(0, 0, 0.1), axis=(0, 1, 0), motor=Motor(velocity=1.0))
    return world, box, joint


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda w, b, j: setattr(w, "gravty", (0, 0, 0)), "gravty: a World has no such attribute, but it has gravity"),
        (lambda w, b, j: setattr(w, "level", "kinematic"), "level: of a World, it can be read but not set; what can"),
        (lambda w, b, j: setattr(w, "contact_gap", 1.0), "contact_gap: of a World, it can be read but not set"),
        (lambda w, b, j: setattr(w, "report", None), "report: of a World"),
        (lambda w, b, j: setattr(w, "step", None), "step: of a World"),
        (lambda w, b, j: setattr(w, "method", "magic"), "method: expected one of ncp"),
        (lambda w, b, j: setattr(w, "friction", -1.0), "friction: expected a number not smaller than 0"),
        (lambda w, b, j: setattr(w, "restitution", 2.0), "restitution: expected a number from 0"),
        (lambda w, b, j: w.gravity.__setitem__(2, 0.0), "set all of it: world.gravity = "),
        (lambda w, b, j: setattr(b, "mass", 2.0), "mass: of a Body, it can be read but not set"),
        (lambda w, b, j: setattr(b, "velocty", 2.0), "velocty: a Body has no such attribute, but it has velocity"),
        (lambda w, b, j: b.velocity.__setitem__(0, 1.0), "set all of it: body.velocity = "),
        (lambda w, b, j: b.angular_velocity.__setitem__(0, 1.0), "set all of it: body.angular_velocity = "),
        (
            lambda w, b, j: b.pose.position.__setitem__(2, 5.0),
            "a Pose cannot be changed; make a new one, .* body.pose =",
        ),
        (lambda w, b, j: setattr(j, "speed", 1.0), "speed: of a Joint, it can be read but not set; .*limits, motor"),
        (lambda w, b, j: setattr(j, "moter", 1.0), "moter: a Joint has no such attribute, but it has motor"),
        (lambda w, b, j: setattr(j["angle"], "speed", 1.0), "speed: of a JointCoordinate, it can be read but not set"),
        (
            lambda w, b, j: setattr(j.motor, "velocity", 2.0),
            "velocity: a Motor cannot be changed; .* joint.motor = Motor",
        ),
        (
            lambda w, b, j: setattr(Spring(1.0), "rest", 2.0),
            "rest: a Spring cannot be changed; .* joint.spring = Spring",
        ),
    ],
)
def test_what_cannot_be_set_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        call(*hinged())
    assert "\n" not in str(caught.value)


def test_refusals_are_attribute_errors_too():
    with pytest.raises(AttributeError):
        World().gravty = 1.0
    assert issubclass(SettingError, InputError)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda w: w.body("floor").apply_force((0, 0, 1)), "force: body 'floor' is fixed and gives way to no force"),
        (lambda w: w.body("floor").apply_torque((0, 0, 1)), "torque: body 'floor' is fixed"),
        (lambda w: w.body("jaw").apply_force((0, 0, 1)), "force: body 'jaw' is kinematic and gives way to no force"),
        (lambda w: setattr(w.body("floor"), "velocity", (1, 0, 0)), "velocity: body 'floor' is fixed and never moves"),
        (lambda w: setattr(w.body("floor"), "angular_velocity", (1, 0, 0)), "angular_velocity: body 'floor' is fixed"),
        (lambda w: w.add_body(Sphere(0.1), "s", fixed=True, velocity=(1, 0, 0)), "body 's': a fixed body never moves"),
        (lambda w: w.body("box").apply_force((1e300, 0, 0)), "force: it would make body 'box' faster by 1e.297 m/s in"),
        (lambda w: w.body("box").apply_torque((1e300, 0, 0)), "torque: it would make body 'box' faster by"),
        (lambda w: w.body("box").apply_force((1, 0, 0), (0, 0, 1e300)), "force: it would make body 'box' faster by"),
    ],
)
def test_forces_and_velocities_without_effect_are_refused(call, sentence):
    world, _ = sliding_box()
    world.add_body(Solid.box(0.1), "jaw", pose=Pose((2.0, 0.0, 1.0)), kinematic=True)
    with pytest.raises(InputError, match=sentence):
        call(world)
    assert not world._state.wrench.any()


def test_forces_below_the_dynamic_level_are_refused():
    world = World(level="kinematic")
    box = world.add_body(Solid.box(0.1), "box")
    with pytest.raises(InputError, match="force: bodies of a kinematic world have no inertia; give them a velocity"):
        box.apply_force((1.0, 0.0, 0.0))


# -- numbers and names -------------------------------------------------------------------------------------------------

HUGE = 10**400


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Motor(velocity="1e5"), "velocity: expected a number, got '1e5'"),
        (lambda: Motor(position=1.0, max_force="3"), "max_force: expected a number, got '3'"),
        (lambda: Motor(velocity=1.0, max_force=np.ones(2)), "max_force: expected a number"),
        (lambda: Motor(velocity=HUGE), "velocity: expected a number that a float can hold, got 1000"),
        (lambda: Motor(velocity=1.0, response="fast"), "response: expected a number, got 'fast'"),
        (lambda: Spring("10", 1.0), "stiffness: expected a number, got '10'"),
        (lambda: Spring(10.0, rest=[1.0]), r"rest: expected a number, got \[1.0\]"),
        (lambda: World(dt=HUGE), "dt: expected a number that a float can hold"),
        (lambda: World(dt=10**5000), "dt: expected a number that a float can hold, got a very large int"),
        (lambda: World(gravity=(0, 0, HUGE)), "gravity: expected numbers that a float can hold"),
        (lambda: World(gravity=("0", "0", "1")), "gravity: expected numbers, got"),
        (lambda: World().run(HUGE), "duration: expected a number that a float can hold"),
        (lambda: World(threads=2**31), "threads: expected at most 1024, got 2147483648"),
        (lambda: World(threads=10**5000), "threads: expected at most 1024, got a very large int"),
        (
            lambda: Solid.box(0.1).transformed([[1, 2], [3]]),
            "pose: expected a Pose or a 4x4 matrix, got list of shape rows",
        ),
        (lambda: Solid.box(0.1).transformed("up"), "pose: expected a Pose or a 4x4 matrix, got str"),
        (
            lambda: World().add_body(Solid.box(0.1), pose=[[1], [2, 3]]),
            "pose: expected a Pose or a 4x4 matrix, got list",
        ),
        (lambda: Pose([[1], [2, 3]]), "position: expected numbers"),
        (lambda: Solid(np.eye(3), [None, None]), "faces: row 0 is None, expected a sequence of vertex indices"),
        (lambda: Solid(np.eye(3), None), r"faces: expected \(m, 3\) indices or a list of polygons, got NoneType"),
        (lambda: Solid(np.eye(3), 7), r"faces: expected \(m, 3\) indices or a list of polygons, got int"),
        (lambda: Solid(np.eye(3), "abc"), r"faces: expected \(m, 3\) indices or a list of polygons, got str"),
        (lambda: Solid(np.eye(3), ["abc"]), "faces: row 0 is 'abc', expected a sequence of vertex indices"),
        (lambda: Solid(np.eye(3), [[None, 1, 2]]), "faces: expected integers"),
        (lambda: Solid(np.eye(3), [[0, 1, HUGE]]), "faces: expected integers"),
        (lambda: World(method=np.array(["ncp", "velocity"])), "method: expected one of"),
        (lambda: World(level=np.array(["dynamic"])), "level: expected one of"),
        (lambda: World(method="velocity", solver=["lemke"]), "solver: expected one of"),
        (lambda: World(friction_law=np.array(["a", "b"])), "friction_law: expected 'coulomb' or 'sliding', got array"),
        (lambda: World(impacts=["newton"]), "impacts: expected 'newton', 'gamma' or 'sequential', got"),
        (lambda: World(kinematic_overlaps=np.zeros(2)), "kinematic_overlaps: expected 'report' or 'error', got array"),
        (lambda: World().add_body(Solid.box(0.1), "b", locked=[["x"]]), "body 'b': locked holds"),
        (lambda: abut.solve.lcp(np.eye(2), np.ones(2), np.array(["lemke", "x"])), "method: expected one of auto"),
        (lambda: abut.contact.make_culling(np.array(["sort", "grid"])), 'method: expected "sort" or "grid"'),
    ],
)
def test_numbers_and_names_of_the_wrong_kind_get_a_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_joints_of_the_wrong_kind_get_a_sentence():
    world = World()
    box = world.add_body(Solid.box(0.1), "box")
    with pytest.raises(InputError, match="there is no joint type"):
        world.add_joint(np.array(["hinge", "ball"]), box, anchor=(0, 0, 0))
    joint = world.add_joint("hinge", box, anchor=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(InputError, match="has no coordinate"):
        joint[np.array(["angle", "travel"])]
    with pytest.raises(InputError, match="limits of angle: expected a number, got '1'"):
        joint.limits = (None, "1")
    with pytest.raises(InputError, match="expected 'contact', 'ignore' or 'interference', got"):
        world.set_pair(box, world.add_body(Sphere(0.1), pose=Pose((1, 0, 0))), np.array(["ignore", "contact"]))
