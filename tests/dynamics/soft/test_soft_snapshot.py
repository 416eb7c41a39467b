"""Deformable bodies that were saved go on bit for bit."""

import numpy as np
import pytest

import abut


@pytest.fixture(scope="module")
def world():
    """A block on a floor with a cube on it, in contact."""
    part = abut.Solid.box((0.1, 0.1, 0.06))
    with pytest.warns(abut.fem.MeshWarning):
        mesh = abut.fem.TetMesh.from_solid(part, 0.03)
    world = abut.World(dt=5e-3, friction=0.3)
    world.add_body(abut.HalfSpace((0, 0, 1)), "floor", fixed=True)
    world.add_body(abut.Solid.box(0.05), "cube", pose=abut.Pose((0.01, 0, 0.0865)))
    material = {"young": 1e5, "poisson": 0.3, "density": 1000.0, "friction": 0.4}
    world.add_deformable(mesh, "block", surface=part, pose=abut.Pose((0, 0, 0.0301)), damping=(0.1, 5e-3), **material)
    world.run(0.05)
    return world


def bits(world):
    soft = world.deformables[0]
    return b"".join(
        np.asarray(t).tobytes() for t in (soft.nodes, soft.velocities, world._state.pose, world._state.twist)
    )


def test_a_restored_world_goes_on_bit_for_bit(world):
    blob = world.save()
    other = abut.World.restore(blob)
    assert other.save() == blob
    assert len(world.contacts) > 0 and (other.contacts == world.contacts).all()
    for _ in range(10):
        world.step()
        other.step()
    assert bits(other) == bits(world)
    assert other.deformables[0].name == "block" and other.energy == world.energy


def test_going_back_repeats_the_same_motion(world):
    blob, seen = world.save(), []
    for _ in range(2):
        world.load(blob)
        for _ in range(5):
            world.step()
        seen.append(bits(world))
    assert seen[0] == seen[1]


def test_an_older_reader_refuses_a_world_with_soft_bodies_and_damage_is_a_sentence(world):
    blob = bytearray(world.save())
    blob[-100] ^= 1
    with pytest.raises(abut.InputError, match="damaged"):
        abut.World.restore(bytes(blob))
