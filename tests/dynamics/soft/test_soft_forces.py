"""What is told of forces beside soft bodies is what acted over the whole step, also where it took several motions."""

import numpy as np
import pytest

import abut
from abut.dynamics.soft.soft_stepper import SoftStepper

RUBBER = {"young": 1e5, "poisson": 0.3, "density": 1000.0, "damping": (0.0, 5e-3)}
DT = 5e-3


@pytest.fixture
def halved(monkeypatch):
    """Steps take three motions: half of the step, a quarter, and a quarter."""
    part = SoftStepper._part

    def refuse(self, stepper, now, h, *rest):
        return None if h > 0.6 * DT else part(self, stepper, now, h, *rest)

    monkeypatch.setattr(SoftStepper, "_part", refuse)


@pytest.fixture(scope="module")
def block():
    part = abut.Solid.box((0.1, 0.1, 0.05))
    with pytest.warns(abut.fem.MeshWarning):
        return part, abut.fem.TetMesh.from_solid(part, 0.025)


def dropped(block):
    """A cube that strikes a block beside its middle, on a fixed plate, with another cube on top of it."""
    part, mesh = block
    world = abut.World(dt=DT, friction=0.4)
    world.add_body(abut.HalfSpace(), "floor", fixed=True)
    world.add_deformable(mesh, "block", surface=part, pose=abut.Pose((0, 0, 0.0251)), **RUBBER)
    for k, z in enumerate((0.0755, 0.1165)):
        world.add_body(abut.Solid.box(0.04), f"cube {k}", pose=abut.Pose((0.02, 0, z)), velocity=(0.3, 0, -1.5))
    return world


def unexplained(world, body, before):
    """[N] the change of a body's momentum over a step less all that is told, and the sum of what is told."""
    told = [body.contact_wrench(), body.joint_wrench(), body.load_wrench(), body.damping_wrench(), body.lock_wrench()]
    change = body.mass * (body.velocity - before) / world.dt
    return np.abs(change - sum(told)[:3]).max(), sum(np.abs(wrench[:3]).max() for wrench in told)


@pytest.mark.usefixtures("halved")
def test_contacts_tell_means_over_the_step(block):
    world, struck = dropped(block), 0
    cubes = [world.body(f"cube {k}") for k in range(2)]
    for _ in range(12):
        before = [cube.velocity.copy() for cube in cubes]
        report = world.step()
        assert report.parts >= 3 and report.time_given_up == 0.0
        for cube, v in zip(cubes, before, strict=True):
            off, size = unexplained(world, cube, v)
            assert off <= 1e-9 * max(size, cube.mass * 1.5 / DT)
        struck += np.linalg.norm(cubes[0].contact_wrench()[:3]) > 3.0 * cubes[0].mass * 9.81
    assert struck >= 2, "else nothing was struck"


@pytest.mark.usefixtures("halved")
def test_attached_nodes_are_told_by_the_body_that_carries_them(block):
    part, mesh = block
    world = abut.World(dt=DT)
    soft = world.add_deformable(
        mesh, "block", surface=part, fixed_nodes=np.flatnonzero(mesh.nodes[:, 2] > 0.02), **RUBBER
    )
    weight = world.add_body(abut.Solid.box(0.04), "weight", pose=abut.Pose((0, 0, -0.046)), mass=0.2)
    soft.attach(np.flatnonzero(mesh.nodes[:, 2] < -0.02), weight)
    for _ in range(10):
        before = weight.velocity.copy()
        assert world.step().time_given_up == 0.0
        off, size = unexplained(world, weight, before)
        assert off <= 1e-9 * size and size > 0.2 * 9.81


@pytest.mark.usefixtures("halved")
def test_what_is_told_is_saved(block):
    world = dropped(block)
    for _ in range(6):
        world.step()
    other = abut.World.restore(world.save())
    assert len(world.contacts) and world.contacts.tobytes() == other.contacts.tobytes()
    world.step(), other.step()
    assert world.contacts.tobytes() == other.contacts.tobytes()
