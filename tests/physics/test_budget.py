"""Steps that find no way give up after a budget of work, all in the same place."""

import numpy as np
import pytest
from torture.clock import pace, working_time

import abut
from abut.dynamics.stepping import budget
from abut.query.motion.feature_table import FEW_PAIRS


def arch(**options):
    """Nine stones of an arch, a little apart, above the floor."""
    world = abut.World(dt=5e-3, friction=0.6, **options)
    world.add_body(abut.HalfSpace((0.0, 0.0, 1.0)), "floor", fixed=True)
    for k in range(9):
        angles = (np.pi * k / 9 + 2e-4, np.pi * (k + 1) / 9 - 2e-4)
        corners = [(r * np.cos(a), y, r * np.sin(a) + 1e-3) for a in angles for r in (0.8, 1.0) for y in (-0.1, 0.1)]
        world.add_body(abut.Solid.hull(np.array(corners)), f"stone {k}")
    return world


def caged(speed=2700.0, **options):
    """A star that whirls about in a thin cage, with a box."""
    rng, cage, star = np.random.default_rng(1), abut.Solid.box(0.3) - abut.Solid.box(0.296), abut.Solid.box(0.04)
    for axis in range(3):
        window = [0.125] * 3
        window[axis] = 0.6
        for corner in np.array([(i, j) for i in (-1.0, 1.0) for j in (-1.0, 1.0)]) * 0.0714:
            cage = cage - abut.Solid.box(window).transformed(abut.Pose(np.insert(corner, axis, 0.0)))
    for _ in range(6):
        ray = abut.Solid.box((0.16, 0.012, 0.012))
        star = star | ray.transformed(abut.Pose.from_rotvec((0.0, 0.0, 0.0), 2.0 * rng.normal(size=3)))
    world, way = abut.World(dt=1e-3, friction=0.3, **options), rng.normal(size=3)
    velocity = way * speed / np.linalg.norm(way)
    world.add_body(cage, "cage", angular_velocity=100.0 * rng.normal(size=3))
    world.add_body(star, "star", velocity=velocity, angular_velocity=1000.0 * rng.normal(size=3))
    world.add_body(abut.Solid.box(0.05), "box", pose=abut.Pose((0.1, 0.1, 0.1)), velocity=-velocity)
    return world


def bits(world):
    return world.time, world._state.pose.tobytes(), world._state.twist.tobytes(), world.contacts.tobytes()


def test_equations_that_do_not_converge_take_a_bounded_number_of_newton_steps(monkeypatch):
    """Steps of the bilateral method took 13 seconds, 9,000 Newton steps with matrices of 96 rows."""
    monkeypatch.setattr(budget, "MOST_WORK", 5e6)
    world = arch(method="bilateral")
    reports = [world.step() for _ in range(6)]
    assert "work" in {report.gave_up for report in reports}
    for report in reports:
        assert (report.gave_up == "") == (report.time_given_up == 0.0)
        assert report.iterations < 2000


def test_a_step_out_of_budget_gives_up_alike_for_any_threads_and_after_a_restore(monkeypatch):
    monkeypatch.setattr(budget, "MOST_WORK", 3e5)
    monkeypatch.setattr(budget, "LEAST_ROUNDS", 1)
    one, many, resumed = caged(), caged(threads=2), caged()
    reasons = []
    for _ in range(4):
        reasons.append(one.step().gave_up)
        many.step()
        resumed.step()
        resumed = abut.World.restore(resumed.save())
        assert resumed.report.gave_up == reasons[-1]
        assert bits(one) == bits(many) == bits(resumed)
    assert "work" in reasons


def test_bodies_out_of_the_way_use_all_of_a_step_that_runs_out_of_its_budget(monkeypatch):
    monkeypatch.setattr(budget, "MOST_WORK", 3e5)
    monkeypatch.setattr(budget, "LEAST_ROUNDS", 1)
    world = caged()
    far = world.add_body(abut.Solid.box(0.01), "far", pose=abut.Pose((50.0, 0.0, 0.0)), velocity=(1.0, 0.0, 0.0))
    report = world.step()
    assert report.gave_up == "work" and report.time_given_up > 0.0
    assert far.pose.position[0] == pytest.approx(50.001, abs=1e-9)


def test_the_first_motion_is_bounded_as_well(monkeypatch):
    monkeypatch.setattr(budget, "MOST_WORK", 1e5)
    monkeypatch.setattr(budget, "LEAST_ROUNDS", 0)
    world = caged()
    far = world.add_body(abut.Solid.box(0.01), "far", pose=abut.Pose((50.0, 0.0, 0.0)), velocity=(1.0, 0.0, 0.0))
    report = world.step()
    assert report.gave_up == "work" and report.time_given_up == world.dt
    assert report.rounds < 10
    assert far.pose.position[0] == pytest.approx(50.001, abs=1e-9)


def pushed(**options):
    """A small part on a cylinder of thousands of facets that a push of 10,000 weights turns over and over."""
    world = abut.World(dt=1e-3, restitution=0.9, contact_gap=5.8e-7, **options)
    ground = abut.Pose.from_rotvec((0.0, 0.0, 0.0), (0.5 * np.pi, 0.0, 0.0))
    world.add_body(abut.Solid.cylinder(0.026, 0.011, segments=4284), "large", pose=ground, fixed=True)
    small = world.add_body(abut.Solid.cylinder(1.1e-4, 2.2e-4, segments=12), "small", pose=abut.Pose((0, 0, 0.026112)))
    world.run(0.004)
    small.apply_force((-0.99, 0.17, 0.63))
    small.apply_torque((-2.4e-3, -6.8e-3, -7.8e-4))
    return world


@pytest.mark.needs_jit
def test_a_long_motion_past_thousands_of_facets_counts_what_it_takes():
    """It took 9 seconds, counted as less than one."""
    pushed().step()  # kernels are compiled
    world = pushed()
    begin = working_time()
    report = world.step()
    assert working_time() - begin < (0.1 + 1.5e-8 * report.work) * pace()
    assert report.work < (1.0 + budget.CHECK + budget.RESERVE) * budget.MOST_WORK
    assert report.gave_up


@pytest.mark.needs_jit
def test_what_a_long_motion_counts_does_not_depend_on_what_is_remembered(monkeypatch):
    for most in (2e6, 1e7, 4e7):
        monkeypatch.setattr(budget, "MOST_WORK", most)
        monkeypatch.setattr(budget, "LEAST_ROUNDS", 1)
        world = pushed()
        for _ in range(6):
            fresh = abut.World.restore(world.save())
            reports = world.step(), fresh.step()
            assert reports[0].work == reports[1].work
            assert bits(world) == bits(fresh)


def wall(balls=4, **options):
    """Boxes that hit a wall of others, in more pairs than one thread takes."""
    world = abut.World(dt=2e-3, friction=0.4, **options)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    box = abut.Solid.box(0.1)
    for i, j in np.ndindex(8, 6):
        place = (0.101 * i + 0.02 * (j % 2), 0.0, 0.0502 + 0.1003 * j)
        world.add_body(box, f"box {i} {j}", pose=abut.Pose(place))
    for k in range(balls):
        world.add_body(box, f"ball {k}", pose=abut.Pose((0.1 + 0.2 * k, -0.3, 0.3)), velocity=(0.0, 60.0, 3.0))
    return world


@pytest.mark.needs_jit
def test_work_is_counted_alike_by_threads_that_share_it():
    one, many = wall(), wall(threads=2)
    most = 0
    for _ in range(20):
        reports = one.step(), many.step()
        assert reports[0].work == reports[1].work
        most = max(most, reports[0].pairs)
        assert bits(one) == bits(many)
    assert most >= 2 * FEW_PAIRS


@pytest.mark.needs_jit
def test_bodies_that_sleep_count_as_much_as_those_that_were_just_restored():
    """Both rest: what is at rest costs nothing."""
    world = wall(balls=0)
    far = world.add_body(abut.Solid.box(0.1), "far", pose=abut.Pose((0.0, -0.5, 0.0502)))
    world.run(0.3)
    assert world.step().parts == 0, "all sleep"
    far.velocity = (0.0, 20.0, 0.0)
    fresh = abut.World.restore(world.save())
    for _ in range(12):
        assert world.step().work == fresh.step().work
        assert bits(world) == bits(fresh)
    assert world.report.contacts > 0
