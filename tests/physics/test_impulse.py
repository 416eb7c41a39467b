"""The impulse method: closed forms of bounces, laws of energy, momentum and forces, rest, friction, no overlap."""

import numpy as np
import pytest

import abut
from abut.dynamics.impulse.flight import Flight
from abut.errors import InputError, StoppedError
from physics.balance import Balance
from physics.judge import Judge

pytestmark = pytest.mark.needs_jit
G = 9.81


def world_with_floor(**options):
    world = abut.World(method="impulse", **{"dt": 1e-2, **options})
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    return world


def gas(n=40, *, method="impulse", dt=1e-2, e=1.0, seed=3, size=0.6, radius=0.03, **options):
    """Balls in a box of six half-spaces."""
    world, rng = abut.World(method=method, dt=dt, restitution=e, **options), np.random.default_rng(seed)
    for axis in range(3):
        for side in (1.0, -1.0):
            world.add_body(abut.HalfSpace(side * np.eye(3)[axis], -0.5 * size), f"wall {axis} {side}", fixed=True)
    line = np.linspace(-0.5 * size + 0.06, 0.5 * size - 0.06, 4)
    for i in range(n):
        place = abut.Pose((line[i % 4], line[i // 4 % 4], line[i // 16]))
        world.add_body(abut.Sphere(radius), f"ball {i}", pose=place, velocity=rng.normal(size=3))
    return world


# Known answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dt", [1e-3, 0.07])
@pytest.mark.parametrize("e", [1.0, 0.9, 0.5])
def test_a_dropped_ball_bounces_at_the_times_of_the_closed_form(e, dt):
    world = world_with_floor(restitution=e, dt=dt)
    world.add_body(abut.Sphere(0.05), "ball", pose=abut.Pose((0.0, 0.0, 1.05)))
    world.run(2.1)
    fall = np.sqrt(2.0 * (1.0 - world.contact_gap) / G)
    times = np.array([event.time for event in world.events if event.kind == "impact"])
    expected = fall + np.concatenate(([0.0], np.cumsum(2.0 * fall * e ** np.arange(1.0, len(times)))))
    assert len(times) >= 2 and np.abs(times - expected).max() < 1e-12


def test_the_sequence_of_bounces_ends_when_the_closed_form_says():
    """All bounces of e = 0.5 take (1 + e) / (1 - e) times the fall; the last ones are a train."""
    world = world_with_floor(restitution=0.5)
    world.add_body(abut.Sphere(0.05), "ball", pose=abut.Pose((0.0, 0.0, 1.05)))
    world.run(2.0)
    fall = np.sqrt(2.0 * (1.0 - world.contact_gap) / G)
    (touch,) = [event.time for event in world.events if event.kind == "touch"]
    hop = np.sqrt(0.5 * G * world.contact_gap)
    # A train begins with blows of up to three times the speed of a hop, which are left out of the sum.
    left = 2.0 * 3.0 * hop / G / (1.0 - 0.5)
    assert 0.0 <= 3.0 * fall - touch <= left
    assert [event.kind for event in world.events][-1] == "touch"


@pytest.mark.parametrize(("masses", "e"), [((1.0, 1.0, 1.0), 1.0), ((1.0, 3.0, 0.5), 0.8)])
def test_balls_in_a_row_strike_each_other_one_after_the_other(masses, e):
    world = abut.World(method="impulse", gravity=(0.0, 0.0, 0.0), restitution=e, dt=1e-2)
    for i, mass in enumerate(masses):
        v = (1.0 if i == 0 else 0.0, 0.0, 0.0)
        world.add_body(abut.Sphere(0.05), f"ball {i}", mass=mass, pose=abut.Pose((0.12 * i, 0, 0)), velocity=v)
    momentum = world.momentum[0]
    world.run(0.2)
    first = (1.0 - e * masses[1] / masses[0]) / (1.0 + masses[1] / masses[0])
    assert [event.body_b for event in world.events[:2]] == ["ball 1", "ball 2"]
    assert world.momentum[0] == pytest.approx(momentum, abs=1e-15)
    if e == 1.0:
        assert [ball.velocity[0] for ball in world.bodies] == pytest.approx([first, 0.0, 1.0], abs=1e-14)


def test_a_spinning_ball_leaves_a_rough_floor_with_the_spin_of_the_closed_form():
    """Sticking at the blow: what rolls keeps m v r + I w, and the point of contact does not slip."""
    world = world_with_floor(restitution=0.5, friction=1.0)
    ball = world.add_body(
        abut.Sphere(0.05),
        "ball",
        pose=abut.Pose((0.0, 0.0, 0.3)),
        velocity=(0.2, 0.0, 0.0),
        angular_velocity=(0, 20.0, 0),
    )
    world.run(0.24)
    gap = world.contact_gap
    arm = 0.05 + 0.5 * gap
    k = 0.4 * 0.05**2
    v = (0.2 * arm * arm + k * 20.0 * arm) / (arm * arm + k)
    assert ball.velocity[0] == pytest.approx(v, rel=1e-12)
    assert ball.angular_velocity[1] == pytest.approx(v / arm, rel=1e-12)


def test_a_box_slides_down_a_slope_with_coulombs_acceleration():
    slope, mu = np.arctan(0.4), 0.2
    world = abut.World(method="impulse", dt=1e-2, friction=mu)
    normal = np.array((np.sin(slope), 0.0, np.cos(slope)))
    world.add_body(abut.HalfSpace(normal=normal), "slope", fixed=True)
    start = abut.Pose.from_rotvec((0.015 + 2e-6) * normal, (0.0, slope, 0.0))
    box = world.add_body(abut.Solid.box((0.1, 0.1, 0.03)), "box", pose=start)
    judge = Judge(world)
    for _ in range(40):
        world.step()
        assert judge.overlap() is None
    way = np.linalg.norm(box.pose.position - start.position)
    assert way == pytest.approx(0.5 * G * (np.sin(slope) - mu * np.cos(slope)) * 0.4**2, rel=0.03)


def test_a_box_holds_on_a_rough_slope():
    slope = np.arctan(0.4)
    world = abut.World(method="impulse", dt=1e-2, friction=0.6)
    normal = np.array((np.sin(slope), 0.0, np.cos(slope)))
    world.add_body(abut.HalfSpace(normal=normal), "slope", fixed=True)
    start = abut.Pose.from_rotvec((0.015 + 2e-6) * normal, (0.0, slope, 0.0))
    box = world.add_body(abut.Solid.box((0.1, 0.1, 0.03)), "box", pose=start)
    world.run(0.4)
    assert np.linalg.norm(box.pose.position - start.position) < 2e-4


# Laws ---------------------------------------------------------------------------------------------------------------


def test_balls_that_bounce_without_loss_keep_their_energy():
    world = gas()
    energy, judge = world.energy, Judge(world)
    for _ in range(100):
        world.step()
        assert judge.overlap() is None
    assert len(world.events) > 300
    assert world.energy == pytest.approx(energy, rel=1e-11)


@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_forces_are_those_that_changed_the_motion(mu):
    world = gas(e=0.6, friction=mu)
    box = world.add_body(abut.Solid.box((0.08, 0.06, 0.1)), "box", pose=abut.Pose((0.0, 0.0, 0.2)))
    world.remove_body(world.body("ball 37"))
    box.velocity = (0.0, 0.0, -1.0)
    balance = Balance(world)
    for _ in range(25):
        box.apply_force((0.3, 0.0, 0.0))
        balance.step()
    assert balance.worst < 1e-9


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_a_tumbling_box_comes_to_rest_without_overlap_and_gains_nothing(mu):
    world = world_with_floor(restitution=0.4, friction=mu)
    box = world.add_body(
        abut.Solid.box((0.1, 0.08, 0.06)),
        "box",
        pose=abut.Pose.from_rotvec((0.0, 0.0, 0.2), (0.3, 0.5, 0.2)),
        velocity=(0.3, 0.0, 0.0),
        angular_velocity=(2.0, 1.0, 3.0),
    )
    judge, least = Judge(world), world.energy
    for _ in range(100):
        world.step()
        assert judge.overlap() is None
        # What has sunk within the contact gap is lifted again.
        assert world.energy <= least + box.mass * G * world.contact_gap
        least = min(least, world.energy)
    assert np.abs(box.velocity[2]) < 0.01
    assert box.contact_wrench()[2] == pytest.approx(box.mass * G, rel=0.1)


def test_a_stack_of_balls_in_a_shaft_rests():
    """Between four walls, ball on ball: trains of blows carry the weight of all above."""
    world = world_with_floor(restitution=0.3)
    for i, normal in enumerate(((1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0), (0, -1.0, 0))):
        world.add_body(abut.HalfSpace(normal=normal, offset=-0.0502), f"wall {i}", fixed=True)
    for k in range(4):
        world.add_body(abut.Sphere(0.05), f"ball {k}", pose=abut.Pose((0.0, 0.0, 0.06 + 0.11 * k)))
    judge = Judge(world)
    for _ in range(150):
        world.step()
        assert judge.overlap() is None
    weight = sum(ball.mass * G for ball in world.bodies[5:])
    mean = np.mean([_step_and_push(world) for _ in range(20)])
    assert mean == pytest.approx(weight, rel=0.02)
    assert world.bodies[-1].pose.position[2] == pytest.approx(0.35, abs=1e-3)


def _step_and_push(world):
    world.step()
    return -world.body("floor").contact_wrench()[2]


def test_a_ring_falls_over_a_rod():
    """Parts that are not convex are followed along chords of their ways."""
    world = abut.World(method="impulse", dt=5e-3, restitution=0.5)
    world.add_body(abut.Solid.box((0.3, 0.02, 0.02)), "rod", fixed=True)
    frame = abut.Solid.box((0.1, 0.12, 0.02)) - abut.Solid.box((0.06, 0.08, 0.03))
    world.add_body(frame, "frame", pose=abut.Pose.from_rotvec((0.0, 0.0, 0.06), (0.2, 0.1, 0.0)))
    judge = Judge(world)
    for _ in range(40):
        world.step()
        assert judge.overlap() is None
    assert any(event.kind == "impact" for event in world.events)


def test_stepping_comes_to_the_same_as_its_steps_shrink():
    """Balls in a box until 0.06 s, when most have been struck."""
    exact, errors = gas(16), []
    exact.run(0.06)
    there = np.array([ball.pose.position for ball in exact.bodies[6:]])
    for dt in (2e-3, 1e-3, 5e-4):
        world = gas(16, method="ncp", dt=dt)
        world.run(0.06)
        errors.append(np.abs([ball.pose.position for ball in world.bodies[6:]] - there).max())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 5e-3


def bouncing(method, dt):
    world = abut.World(method=method, dt=dt, restitution=0.8)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    for i in range(4):
        world.add_body(abut.Sphere(0.1), f"ball {i}", pose=abut.Pose((0.3 * i, 0.0, 0.4 + 0.0137 * i)))
    return world


def tumbling(method, dt, friction=0.0):
    world = abut.World(method=method, dt=dt, restitution=0.5, friction=friction)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    start = abut.Pose.from_rotvec((0.0, 0.0, 0.3), (0.3, 0.5, 0.2))
    world.add_body(abut.Solid.box((0.1, 0.08, 0.06)), "box", pose=start, angular_velocity=(2.0, 1.0, 3.0))
    return world


@pytest.mark.parametrize(("make", "duration", "error"), [(bouncing, 0.96, 1e-13), (tumbling, 0.32, 1e-6)])
def test_flights_agree_with_the_event_method(make, duration, error):
    """Corners are found to a thousandth of the contact gap, and turns in parts of 0.01 rad."""
    flying, reference = (make(method, duration / 16) for method in ("impulse", "event"))
    for world in (flying, reference):
        world.run(duration)
    a, b = ([body.pose.position for body in world.bodies] for world in (flying, reference))
    assert [event.kind for event in flying.events] == [event.kind for event in reference.events]
    assert np.abs(np.array(a) - b).max() < error


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (1e-9, 0.0, 0.0), (0.3, 0.5, 0.0)])
def test_a_rough_blow_is_that_of_the_event_method(velocity):
    """A corner that comes down without slip, nearly without, and with it; none of the three can be held."""
    impulses = []
    for method in ("impulse", "event"):
        world = tumbling(method, 0.02, friction=0.3)
        world.body("box").velocity, world.body("box").angular_velocity = velocity, (0.0, 0.0, 0.0)
        world.run(0.3)
        impulses.append(np.array(world.events[0].impulse))
        assert np.hypot(*impulses[-1][:2]) == pytest.approx(0.3 * impulses[-1][2])
    np.testing.assert_allclose(*impulses, atol=1e-6 * impulses[1][2])


def sliding(method, dt):
    """A block that slides over the edge of a table at 0.5 m/s: corners leave it at 0.2 s, and it tips at 0.4 s."""
    world = abut.World(method=method, dt=dt)
    table = abut.Pose((0.0, 0.0, -0.05))
    world.add_body(abut.Solid.box((1.0, 1.0, 0.1)), "table", fixed=True, pose=table)
    start = abut.Pose((0.3, 0.0, 0.05 + world.contact_gap))
    world.add_body(abut.Solid.box((0.2, 0.2, 0.1)), "block", pose=start, velocity=(0.5, 0.0, 0.0))
    return world


def test_a_block_slides_over_the_edge_of_a_table_and_tips(monkeypatch):
    """It stays on the table within the contact gap, and what is left of that when it tips grows with the tilt."""
    looks = []
    monkeypatch.setattr(Flight, "_look", lambda flight, *a, look=Flight._look: looks.append(1) or look(flight, *a))
    flying, reference = (sliding(method, 0.032) for method in ("impulse", "event"))
    judge, rounds, gap = Judge(flying), [], flying.contact_gap
    for _ in range(16):
        flying.step()
        reference.step()
        assert judge.overlap() is None
        rounds.append(flying.report.rounds)
        a, b = (world.body("block").pose.position for world in (flying, reference))
        assert np.abs(a - b).max() < (gap if flying.time < 0.39 else 50.0 * gap)
    assert max(rounds) < 500  # of blows: some 6,000 a second, as on a half-space
    assert len(looks) < 20  # from Python: as corners pass the edge
    assert flying.body("block").angular_velocity[1] > 4.0


def test_a_box_rests_on_a_box_without_sinking():
    """Blows at one corner after the other do not let it come nearer, and its weight is told."""
    world = abut.World(method="impulse", dt=0.02, friction=0.3)
    world.add_body(abut.Solid.box((0.4, 0.4, 0.1)), "table", fixed=True)
    start = abut.Pose.from_rotvec((0.0, 0.0, 0.1 + 6e-6), (0.0, 0.0, 0.4))
    box = world.add_body(abut.Solid.box((0.1, 0.12, 0.1)), "box", pose=start)
    judge, push = Judge(world), []
    for _ in range(50):
        world.step()
        assert judge.overlap() is None
        assert 0.1 * world.contact_gap < box.pose.position[2] - 0.1 < 1.5 * world.contact_gap
        push.append(box.contact_wrench()[2])
    assert np.mean(push[5:]) == pytest.approx(box.mass * G, rel=0.01)
    assert world.report.iterations < 1000


def test_the_length_of_steps_changes_rounding_only():
    worlds = [gas(16, dt=dt) for dt in (0.06, 1e-3)]
    for world in worlds:
        world.run(0.12)
    a, b = ([ball.pose.position for ball in world.bodies] for world in worlds)
    assert np.abs(np.array(a) - b).max() < 1e-9


def test_a_world_that_was_saved_goes_on_to_the_bit():
    world = gas(30, e=0.7, friction=0.3)
    world.run(0.1)
    other = abut.World.restore(world.save())
    for each in (world, other):
        each.run(0.2)
    for a, b in zip(world.bodies, other.bodies, strict=True):
        assert np.array_equal(a.pose.position, b.pose.position) and np.array_equal(a.velocity, b.velocity)
    assert world.events == other.events


def test_what_is_gone_is_told():
    world = world_with_floor(restitution=0.0)
    ball = world.add_body(abut.Sphere(0.05), "ball", pose=abut.Pose((0.0, 0.0, 0.06)))
    world.run(0.2)
    ball.velocity = (0.0, 0.0, 1.0)
    world.run(0.1)
    assert [event.kind for event in world.events] == ["impact", "touch", "break"]
    assert world.events[-1].time == pytest.approx(0.2, abs=0.011)


def test_a_ball_bounces_on_a_moving_table():
    world = abut.World(method="impulse", dt=1e-2, restitution=0.5, gravity=(0.0, 0.0, 0.0))
    world.add_body(abut.HalfSpace(), "table", kinematic=True, velocity=(0.0, 0.0, 1.0))
    ball = world.add_body(abut.Sphere(0.05), "ball", pose=abut.Pose((0.0, 0.0, 0.2)))
    world.run(0.3)
    assert ball.velocity[2] == pytest.approx(1.5, rel=1e-12)


def test_a_scene_file_and_a_record_of_it(tmp_path):
    scene = tmp_path / "ball.toml"
    scene.write_text(
        """
[world]
method = "impulse"
restitution = 0.8
dt = 0.01
[bodies.floor]
shape = "half_space"
fixed = true
[bodies.ball]
shape = "sphere"
radius = 0.05
position = [0, 0, 0.3]
"""
    )
    world = abut.scene.load(scene).world
    summary = world.run(0.4, record=tmp_path / "record")
    assert world.method == "impulse" and summary.steps == 40 and len(world.events) == 1
    assert len(abut.Run(tmp_path / "record").times) == 41


# Joints, hands, damping ---------------------------------------------------------------------------------------------


def pendulum_over_a_floor(method, **options):
    """Two arms in a row, of which the second strikes a floor."""
    world = abut.World(method=method, dt=0.02, restitution=0.5, **options)
    world.add_body(abut.HalfSpace((0.0, 0.0, 1.0), -0.6), "floor", fixed=True)
    arms = [
        world.add_body(abut.Solid.box((0.5, 0.05, 0.05)), f"arm {k}", pose=abut.Pose((0.25 + 0.5 * k, 0.0, 0.0)))
        for k in range(2)
    ]
    world.add_joint("hinge", arms[0], anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    world.add_joint("ball", arms[1], arms[0], anchor=(0.5, 0.0, 0.0))
    return world


def test_bodies_with_joints_swing_and_hand_on_blows():
    world = pendulum_over_a_floor("impulse")
    other = pendulum_over_a_floor("event", impacts="sequential")
    judge = Judge(world)
    for _ in range(25):
        world.step()
        assert judge.overlap() is None
    other.run(0.5)
    assert [event.kind for event in world.events].count("impact") >= 1
    assert world._state.pose.tobytes() == other._state.pose.tobytes()
    assert np.abs(world._joints.errors(world._state.pose)).max() < 1e-14


def test_a_joint_can_come_and_go_in_flight():
    world = world_with_floor(restitution=0.5)
    ball = world.add_body(abut.Sphere(0.05), "ball", pose=abut.Pose((0.0, 0.0, 0.5)))
    joint = world.add_joint("ball", ball, anchor=(0.2, 0.0, 0.5))
    world.run(0.1)
    assert np.linalg.norm(ball.pose.apply((0.2, 0.0, 0.0)) - (0.2, 0.0, 0.5)) < 1e-12
    joint.remove()
    height, speed = ball.pose.position[2], ball.velocity[2]
    world.run(0.1)
    assert ball.pose.position[2] == pytest.approx(height + 0.1 * speed - 0.5 * G * 0.01, abs=1e-12)


@pytest.mark.parametrize(("option", "speed"), [({"damping": 2.0}, np.exp(-2.0 * 0.3)), ({"locked": ("x",)}, 0.0)])
def test_damping_and_locks_act_in_flight(option, speed):
    world = world_with_floor(gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(abut.Sphere(0.05), "ball", pose=abut.Pose((0.0, 0.0, 0.2)), **option)
    ball.velocity = (1.0 if speed else 0.0, 0.0, 0.0)
    world.run(0.3)
    assert ball.velocity[0] == pytest.approx(speed, abs=1e-9)


def test_a_hand_draws_a_body_and_lets_it_fly():
    world = world_with_floor(dt=0.02, gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(abut.Sphere(0.05), "ball", pose=abut.Pose((0.0, 0.0, 0.2)))
    ball.grab(abut.Pose((0.3, 0.0, 0.2)), stiffness=50.0)
    world.run(0.2)
    swing = np.sqrt(50.0 / ball.mass)
    left = 0.3 * (1.0 + swing * 0.2) * np.exp(-swing * 0.2)  # critically damped
    assert ball.pose.position[0] == pytest.approx(0.3 - left, abs=1e-10)
    x, speed = ball.pose.position[0], ball.velocity[0]
    ball.release()
    world.run(0.2)
    assert ball.pose.position[0] == pytest.approx(x + 0.2 * speed, abs=1e-12)


def test_a_hand_takes_a_ball_off_the_floor_on_which_it_hops():
    world = world_with_floor(dt=0.01)
    ball = world.add_body(abut.Sphere(0.05), "ball", pose=abut.Pose((0.0, 0.0, 0.05 + 1.5e-4)))
    world.run(0.1)
    assert abs(ball.pose.position[2] - 0.05) < 2.0 * world.contact_gap
    ball.grab(abut.Pose((0.0, 0.0, 0.3)), stiffness=400.0 * ball.mass)
    world.run(1.0)
    sag = G / 400.0
    assert ball.pose.position[2] == pytest.approx(0.3 - sag, abs=1e-6)
    assert not (world.contacts["force"] > 0.0).any()


# Bad input ----------------------------------------------------------------------------------------------------------


def test_what_it_does_not_know_is_refused_in_a_sentence():
    with pytest.raises(InputError, match="level"):
        abut.World(method="impulse", level="kinematic")
    with pytest.raises(InputError, match="impacts"):
        abut.World(method="impulse", impacts="gamma")


def test_a_step_with_too_much_work_stops_with_the_time_and_the_pair(monkeypatch):
    from abut.dynamics.impulse import flight

    monkeypatch.setattr(flight, "MOST_WORK", 1e4)
    world = world_with_floor()
    world.add_body(abut.Solid.box(0.1), "box", pose=abut.Pose((0.0, 0.0, 0.05 + 2e-5)))
    world.dt = 0.5
    with pytest.raises(StoppedError, match=r"'floor' and 'box': .* too much work for a step") as stopped:
        world.step()
    assert 0.0 < stopped.value.time == world.time < 0.5
    assert abut.World.restore(world.save()).time == world.time and Judge(world).overlap() is None


def test_a_storm_stops_with_the_time_and_the_pair(monkeypatch):
    from abut.dynamics.impulse import flight

    monkeypatch.setattr(flight, "STORM", (3, 0))
    world = world_with_floor(restitution=1.0)
    for k in range(3):
        world.add_body(abut.Sphere(0.05), f"ball {k}", pose=abut.Pose((0.2 * k, 0.0, 0.05 + 5e-6)))
    with pytest.raises(StoppedError, match="'floor' and 'ball") as stopped:
        for _ in range(5):
            world.dt = 1.0
            world.step()
    assert stopped.value.time == world.time
    assert all(np.isfinite(ball.pose.position).all() for ball in world.bodies)
