"""All that acted on a body in a step is what changed its motion: momentum, and spin about the centre of mass."""

import numpy as np
import pytest

from abut import HalfSpace, Pose, Solid, World
from physics.balance import Balance
from physics.balance_scenes import tumbling_boxes, tumbling_rods, world_of

ROUNDING = 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_forces_are_those_that_changed_the_motion(seed):
    """Boxes and balls, edges and floors, friction, bounces, joints, drives, locks, damping, hands, loads."""
    world, drive = world_of(seed)
    balance = Balance(world)
    for _ in range(60):
        drive()
        balance.step()
    assert balance.worst < ROUNDING and balance.largest_hold < 1e-5


def test_the_normal_of_a_corner_that_passes_an_edge_is_the_one_that_acted():
    """Normals were those of the end of the step: for one that turned past an edge, off by 90 degrees."""
    world = tumbling_boxes(32)
    balance = Balance(world)
    for _ in range(250):
        balance.step()
        assert_contacts_add_up(world)
    assert balance.worst < ROUNDING


def test_forces_of_a_step_of_several_motions_are_means_over_all_of_them():
    """They were those of the last motion: 446 N where 60 N acted."""
    world, several, gone = tumbling_rods(1, dt=2e-2), 0, 0
    balance = Balance(world)
    for _ in range(60):
        report = balance.step()
        several += report.parts > 2
        gone += len(world.contacts) - report.contacts
        assert_contacts_add_up(world)
    assert several > 5 and gone > 20 and balance.worst < ROUNDING


def assert_contacts_add_up(world):
    """Records of contacts give the wrench on each body, on the fixed ones too."""
    contacts = world.contacts
    force = contacts["force"][:, None] * contacts["normal"] + contacts["friction"]
    for body in world.bodies:
        on_a, on_b = contacts["body_a"] == body.index, contacts["body_b"] == body.index
        total = force[on_b].sum(axis=0) - force[on_a].sum(axis=0)
        torque = contacts["torque_b"][on_b].sum(axis=0) + contacts["torque_a"][on_a].sum(axis=0)
        size = 1e-12 * (1.0 + np.abs(force).sum())
        np.testing.assert_allclose(body.contact_wrench(), np.concatenate((total, torque)), atol=size)
    assert len(set(contacts["label"])) == len(contacts)
    np.testing.assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"method": "velocity"},
        {"method": "velocity", "solver": "gauss-seidel"},
        {"method": "bilateral"},
        {"friction_law": "sliding"},
        {"impacts": "gamma", "restitution": 0.6},
        {"impacts": "sequential", "restitution": 0.6},
    ],
    ids=lambda options: " ".join(str(value) for value in options.values()),
)
def test_forces_balance_whatever_method_finds_them(options):
    world = tumbling_boxes(1, dt=5e-3, friction=0.3, **options)
    balance = Balance(world)
    for _ in range(100):
        balance.step()
    assert balance.worst < ROUNDING


def test_forces_on_bodies_at_rest_balance_and_stay_while_they_sleep():
    world = tumbling_boxes(4, n=3, dt=5e-3, friction=0.6)
    balance = Balance(world)
    while balance.step().parts > 0:
        assert world.time < 3.0, "nothing came to rest"
    assert balance.worst < ROUNDING and balance.largest_hold < 1e-5
    before = [body.contact_wrench() for body in world.bodies]
    world.run(0.05)
    assert all(np.array_equal(body.contact_wrench(), wrench) for body, wrench in zip(world.bodies, before, strict=True))
    assert before[0][2] == pytest.approx(-sum(body.mass for body in world.bodies[1:]) * 9.81, rel=1e-5)


def test_what_found_no_way_was_held_for_the_time_that_was_given_up():
    world = World()
    world.add_body(HalfSpace(), "floor", fixed=True)
    box = world.add_body(Solid.box(0.1), "box", pose=Pose((0.0, 0.0, 0.0501)))
    press = Pose((0.0, 0.0, 0.16))
    world.add_body(Solid.box((0.3, 0.3, 0.1)), "press", kinematic=True, pose=press, velocity=(0.0, 0.0, -1.0))
    world.add_body(Solid.box(0.05), "free", pose=Pose((1.0, 0.0, 0.2)), angular_velocity=(1.0, 2.0, 3.0))
    balance, given_up = Balance(world), 0
    for _ in range(30):
        given_up += balance.step().time_given_up > 0.0
    assert given_up > 10 and balance.worst < ROUNDING and box.lock_wrench().any()


def test_a_hand_that_holds_a_body_bears_its_weight():
    world = World(dt=2e-3)
    box = world.add_body(Solid.box((0.1, 0.2, 0.3)), "box")
    assert not box.hand_wrench().any()
    box.grab(Pose((0.1, 0.0, 0.0)), max_force=100.0)
    balance = Balance(world)
    balance.step()
    assert np.linalg.norm(box.hand_wrench()[:3]) <= 100.0
    for _ in range(400):
        balance.step()
    np.testing.assert_allclose(box.hand_wrench(), (0, 0, box.mass * 9.81, 0, 0, 0), atol=1e-6 * box.mass)
    box.release()
    balance.step()
    assert not box.hand_wrench().any() and balance.worst < ROUNDING


def test_a_locked_direction_bears_what_is_pushed_along_it():
    world = World()
    box = world.add_body(Solid.box(0.1), "box", locked=("z", "ry"))
    box.apply_force((1.0, 0.0, 0.0), point=(0.0, 0.0, 0.2))
    world.step()
    np.testing.assert_allclose(box.load_wrench(), (1.0, 0.0, -9.81 * box.mass, 0.0, 0.2, 0.0), atol=1e-12)
    np.testing.assert_allclose(box.lock_wrench(), (0.0, 0.0, 9.81 * box.mass, 0.0, -0.2, 0.0), atol=1e-12)


def test_a_blow_is_part_of_what_a_joint_exerts():
    """A ball strikes a pendulum above its centre of percussion: the hinge is struck the same way."""
    world = World(gravity=(0.0, 0.0, 0.0), restitution=1.0)
    bar = world.add_body(Solid.box((0.02, 0.02, 0.6)), "bar", pose=Pose((0.0, 0.0, -0.3)))
    hinge = world.add_joint("hinge", bar, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    world.add_body(Solid.box(0.05), "ball", pose=Pose((-0.2, 0.0, -0.1)), velocity=(3.0, 0.0, 0.0))
    balance, struck = Balance(world), np.zeros(3)
    for _ in range(100):
        balance.step()
        struck += world.dt * hinge.reaction[0]
        np.testing.assert_allclose(bar.joint_wrench()[:3], hinge.reaction[0], atol=1e-9)
    given = world.body("ball").mass * (3.0 - world.body("ball").velocity[0])
    assert balance.worst < ROUNDING and -struck[0] > 0.5 * given > 0.0


def test_what_acted_is_saved_to_the_bit():
    world, drive = world_of(3)
    for _ in range(40):
        drive()
        world.step()
    resumed = World.restore(world.save())
    assert resumed.contacts.tobytes() == world.contacts.tobytes()
    for body, other in zip(world.bodies, resumed.bodies, strict=True):
        for part in ("contact", "joint", "hand", "damping", "lock", "load"):
            assert np.array_equal(getattr(body, f"{part}_wrench")(), getattr(other, f"{part}_wrench")())
