"""Hands, rest, sleep and given ways of bodies, each beside a plain computation."""

import numpy as np
import pytest

from abut import Pose
from abut.dynamics.accounts.account_kernels import WRENCHES
from abut.dynamics.bodies.body_kernels import DYNAMIC, FIXED, KINEMATIC
from abut.dynamics.bodies.hold_kernels import (
    ARM,
    ERROR_WIDTH,
    HOLD_WIDTH,
    HOLDS_POINT,
    HOLDS_POSE,
    LET_GO,
    held_velocity,
    hold_errors,
)
from abut.dynamics.rest.sleep_kernels import mark_restless, wake_touched
from abut.dynamics.state import State
from abut.dynamics.stepping.kinematic_watch_kernels import find_ways


@pytest.fixture
def held(random_pose, rng):
    """A pose that is held, a point that is, and a body that is not, with their targets."""
    hold = np.zeros((3, HOLD_WIDTH))
    hold[:, 0] = HOLDS_POSE, HOLDS_POINT, LET_GO
    hold[:, ARM:] = rng.normal(size=(3, 3))
    poses, targets = [random_pose() for _ in range(3)], [random_pose() for _ in range(3)]
    errors = np.full((3, ERROR_WIDTH), 7.0)
    hold_errors(hold, np.array([X.row for X in poses]), np.array([X.row for X in targets]), errors)
    return hold, poses, targets, errors


def test_a_held_pose_comes_to_its_target_by_its_error(held):
    _, (pose, *_), (target, *_), errors = held
    moved = Pose.from_rotvec((0.0, 0.0, 0.0), errors[0, 3:6]) @ Pose((0.0, 0.0, 0.0), quat_wxyz=pose.quat_wxyz)
    np.testing.assert_allclose(moved.rotation, target.rotation, atol=1e-12)
    np.testing.assert_allclose(pose.position + errors[0, :3], target.position)
    assert np.linalg.norm(errors[0, 3:6]) <= np.pi and not errors[0, 6:].any()


def test_a_held_point_is_drawn_straight_and_turns_nothing(held):
    hold, poses, targets, errors = held
    point = poses[1].apply(hold[1, ARM:])
    np.testing.assert_allclose(point + errors[1, :3], targets[1].position, atol=1e-12)
    np.testing.assert_allclose(poses[1].position + errors[1, 6:], point, atol=1e-12)
    assert not errors[1, 3:6].any() and (errors[2] == 7.0).all()


def test_the_velocity_of_the_held_point_is_that_of_a_short_way(held, rng):
    hold, poses, _, errors = held
    twist, h = rng.normal(size=(3, 6)), 1e-6
    turn = Pose.from_rotvec((0.0, 0.0, 0.0), h * twist[1, 3:])
    before, arm = poses[1].apply(hold[1, ARM:]), poses[1].rotation @ hold[1, ARM:]
    after = poses[1].position + h * twist[1, :3] + turn.rotation @ arm
    np.testing.assert_allclose(held_velocity(1, errors, twist), (after - before) / h, atol=1e-5)


def test_only_kinematic_bodies_have_ways_and_only_finite_ones():
    kind = np.array([DYNAMIC, KINEMATIC, KINEMATIC, FIXED], np.int8)
    twist, pose = np.arange(24.0).reshape(4, 6) + 1.0, np.arange(28.0).reshape(4, 7)
    twist[2, 4] = np.inf
    listed = np.array([2, 1, 0], np.int32)
    poses, ways = np.empty((3, 7)), np.empty((3, 6))
    find_ways(listed, kind, pose, twist, 10.0, poses, ways)
    np.testing.assert_array_equal(poses, pose[listed])
    np.testing.assert_array_equal(ways, [np.zeros(6), 10.0 * twist[1], np.zeros(6)])


@pytest.mark.parametrize(
    ("table", "row"),
    [("pose", 1), ("twist", 1), ("wrench", 1), ("hold", 1), ("pose", 0)],
    ids=["put elsewhere", "given a velocity", "pushed", "grabbed", "a fixed body put elsewhere"],
)
def test_what_is_touched_wakes_and_nobody_else(table, row):
    tables = {"pose": np.ones((3, 7)), "twist": np.zeros((3, 6)), "wrench": np.zeros((3, 6))}
    tables["hold"] = np.zeros((3, HOLD_WIDTH))
    then, awake = tables["pose"].copy(), np.zeros(3, np.bool_)
    kind = np.array([FIXED, DYNAMIC, DYNAMIC], np.int32)
    state = State(kind, **tables, target=then, applied=np.zeros((3, 6)), acted=np.zeros((3, WRENCHES, 6)))
    assert wake_touched(state.block(), state.hold, then, awake) == 0
    tables[table][row, 0] += 0.5
    assert wake_touched(state.block(), state.hold, then, awake) == int(row == 1)
    assert awake.tolist() == [False, row == 1, False]


def test_bodies_are_restless_if_a_force_on_them_changed_in_its_last_bit():
    name = np.zeros((4, 7), np.int32)
    name[:, 0], name[:, 1] = (0, 2, 4, 6), (1, 3, 5, 7)
    alive, force, friction = np.array([True, True, False, True]), np.full(4, 0.1), np.zeros((4, 3))
    before = force[:3].copy()
    force[1] = np.nextafter(0.1, 1.0)
    restless = np.zeros(8, np.bool_)
    mark_restless(name, 4, alive, force, friction, before, friction[:3].copy(), restless)
    # The first contact is as it was, the second pushes by a bit more, the third went, the fourth came.
    assert restless.tolist() == [False, False, True, True, True, True, True, True]
