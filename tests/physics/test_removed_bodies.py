"""Bodies that are taken away: nothing is left of them, and the others go on as they are."""

import numpy as np
import pytest

import abut
from physics.judge import Judge


def stack(n=3):
    world = abut.scenes.stack(n=n).world
    world.run(0.05)
    return world


def test_what_rested_on_it_falls_and_what_it_rested_on_stays():
    world = stack()
    low, middle, high = (world.body(f"box {i}") for i in range(3))
    heights = [body.pose.position[2] for body in (low, high)]
    world.remove_body(middle)
    world.run(0.05)
    assert low.pose.position[2] == pytest.approx(heights[0], abs=1e-7)
    assert high.pose.position[2] < heights[1] - 0.01
    world.run(0.3)
    assert high.pose.position[2] == pytest.approx(heights[0] + 0.1, abs=1e-5), "it lies on the lowest one"
    assert Judge(world).overlap() is None


def test_others_keep_their_numbers_and_contacts_their_labels():
    world = stack()
    top = world.body("box 2")
    kept = world.contacts[(world.contacts["body_a"] == 0)]["label"].tolist()
    world.remove_body(world.body("box 1"))
    assert top.index == 3 and world.body("box 2") == top and top.name == "box 2"
    assert [body.name for body in world.bodies] == ["floor", "box 0", "box 2"]
    assert world.contacts["label"].tolist() == kept
    world.step()
    assert world.contacts["label"].tolist() == kept


def test_joints_of_the_body_go_with_it():
    world = abut.scenes.pendulum(n=3).world
    world.run(0.02)
    world.remove_body(world.body("link 1"))
    assert [joint.name for joint in world.joints] == ["pin 0"]
    world.run(0.05)
    free = world.body("link 2")
    assert np.linalg.norm(free.joint_wrench()) == 0.0
    assert world.body("link 0").joint_wrench().any()


def test_nothing_meets_what_was_removed_and_its_name_is_free():
    world = abut.World(gravity=(0, 0, 0))
    wall = world.add_body(abut.Solid.box(0.1), "wall", fixed=True)
    plane = world.add_body(abut.HalfSpace((1, 0, 0), -1.0), "plane", fixed=True)
    ball = world.add_body(abut.Sphere(0.02), "ball", pose=abut.Pose((0.2, 0, 0)), velocity=(-1.0, 0, 0))
    world.remove_body(wall)
    world.remove_body(plane)
    world.run(2.0)
    assert ball.pose.position[0] == pytest.approx(-1.8)
    assert world.add_body(abut.Solid.box(0.1), "wall", fixed=True).index == 3


def test_a_world_with_a_gap_is_saved_and_goes_on_with_the_same_bits():
    world = stack()
    world.remove_body(world.body("box 1"))
    other = abut.World.restore(world.save())
    for each in (world, other):
        each.run(0.1)
    assert world._state.pose.tobytes() == other._state.pose.tobytes()
    assert [body.name for body in other.bodies] == ["floor", "box 0", "box 2"]


def test_handles_of_removed_bodies_say_so():
    world = stack()
    gone = world.body("box 1")
    world.remove_body(gone)
    for use in (
        lambda: gone.pose,
        lambda: gone.velocity,
        lambda: gone.name,
        lambda: gone.apply_force((1, 0, 0)),
        lambda: gone.grab(abut.Pose()),
        lambda: world.remove_body(gone),
        lambda: setattr(gone, "velocity", (1, 0, 0)),
        lambda: world.set_pair(gone, world.body("box 0"), "ignore"),
    ):
        with pytest.raises(abut.InputError, match="was removed from its world"):
            use()
    assert repr(gone) == "Body(removed)"
    with pytest.raises(abut.InputError, match="there is no body 'box 1'"):
        world.body("box 1")
    with pytest.raises(abut.InputError, match="expected a body of this world"):
        world.remove_body("box 0")
