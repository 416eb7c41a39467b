"""Tables of a step that stand in one block of memory, beside the same tables as arrays."""

import numpy as np
import pytest

from abut import HalfSpace, Motor, Pose, Solid, World
from abut.dynamics.block_kernels import begin_bodies, begin_joints
from abut.dynamics.joints.joint_set import COLUMNS, FORCES, JointSet
from abut.dynamics.state import TABLES, State

CHANGED = ("kind", "pose", "twist", "wrench", "applied")


def swinging(dt=1e-3):
    """Three bodies, an odd number, one of which swings by a motor above the floor that another one slides on."""
    world = World(dt=dt, friction=0.3)
    world.add_body(HalfSpace(), "floor", fixed=True)
    world.add_body(Solid.box(0.1), "box", pose=Pose((0, 0, 0.0501)), velocity=(1.0, 0, 0))
    arm = world.add_body(Solid.box((0.3, 0.02, 0.02)), "arm", pose=Pose((0, 0, 1.0)))
    world.add_joint("hinge", arm, anchor=(-0.15, 0, 1.0), axis=(0, 1, 0), motor=Motor(velocity=2.0))
    return world


def begun(state):
    """The state of a step that begins with a given one, after its kernel has copied what changes."""
    mine = State.empty()
    mine.become(state)
    then, now = mine.blocks
    begin_bodies(then, len(state.hold), now)
    return mine


@pytest.mark.parametrize("made", [False, True], ids=["by hand", "by a step"])
def test_a_step_begins_with_copies_and_hands_over_no_loads(made):
    world = swinging()
    for _ in range(3 if made else 0):
        world.step()
    world.body("box").apply_force((3.0, 2.0, 1.0))
    then = world._state
    before = {name: getattr(then, name).copy() for name in TABLES}
    mine = begun(then)
    for name in ("kind", "pose", "twist", "wrench"):
        np.testing.assert_array_equal(getattr(mine, name), before[name])
    mine.pose[1], mine.twist[1], mine.kind[1] = 7.0, 8.0, 1
    after = mine.handed_over()
    assert (after.pose[1] == 7.0).all() and (after.twist[1] == 8.0).all() and after.kind[1] == 1
    assert not after.wrench.any() and (after.applied == before["wrench"]).all()
    after.wrench[1] = 9.0
    for name in TABLES:
        np.testing.assert_array_equal(getattr(then, name), before[name])


def test_rows_are_those_of_the_tables_and_written_through():
    world = swinging()
    for _ in range(2):
        for name in ("pose", "twist", "wrench"):
            world._state.row(name, 1)[2] += 0.25
            assert world._state.row(name, 1)[2] == getattr(world._state, name)[1, 2]
        assert [world._state.kind_of(i) for i in range(3)] == world._state.kind.tolist()
        world.step()  # makes a state of blocks of one that was made by hand


def test_other_tables_take_the_place_of_a_block():
    world = swinging()
    world.step()
    state = world._state
    moved = state.with_tables(pose=state.pose + 1.0)
    np.testing.assert_array_equal(begun(moved).pose, state.pose + 1.0)
    held = state.with_rows(1, hold=np.ones(10))
    np.testing.assert_array_equal(begun(held).pose, state.pose)
    assert held.fits(3) and not held.fits(4) and not moved.with_tables(twist=np.zeros((4, 6))).fits(3)


def test_joints_begin_with_the_forces_of_the_motion_before_and_go_back_to_them():
    world = swinging()
    for _ in range(3):
        world.step()
    then = world._joints
    before = {column: getattr(then, column).copy() for column in COLUMNS}
    mine = JointSet()
    mine.become(then)
    begin_joints(mine.blocks[0], len(then.law), mine.blocks[1])
    np.testing.assert_array_equal(mine.force_before, before["force"])
    assert before["force"].any() and not mine.acted.any() and not mine.wrench.any()
    mine.force[:] = 5.0
    mine.go_back(None)
    for name in FORCES:
        np.testing.assert_array_equal(getattr(mine, name), before[name])
    known = mine.guess()  # a motion that is not the first one
    mine.force[:] = 6.0
    mine.go_back(known)
    mine.guess()
    mine.force[:] = 7.0
    after = mine.handed_over()
    assert (after.force == 7.0).all()
    np.testing.assert_array_equal(after.force_before, before["force"])
    again = JointSet()
    again.become(after)
    np.testing.assert_array_equal(again.blocks[0], after.block())
    for column in COLUMNS:
        np.testing.assert_array_equal(getattr(then, column), before[column])


def test_copies_of_joints_are_arrays_of_their_own():
    world = swinging()
    world.step()
    copied = world._joints.copy()
    copied.last[:] += 1.0
    copied.force[:] += 1.0
    assert not (copied.last == world._joints.last).any() and (world._joints.copy().force == world._joints.force).all()
    np.testing.assert_array_equal(JointSet.block(copied)[: len(copied.law)], copied.last)
