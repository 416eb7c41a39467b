"""Flat faces of soft bodies on each other, without friction: nothing pushes them aside."""

import numpy as np
import pytest

import abut

pytestmark = [pytest.mark.needs_jit, pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")]

RUBBER = {"young": 1e5, "poisson": 0.3, "density": 1000.0, "damping": (0.0, 5e-3)}


def block_of(side, cell):
    return abut.fem.TetMesh.from_solid(abut.Solid.box((side, side, 0.06)), cell)


def upright(turn, height):
    half = 0.5 * np.radians(turn)
    return abut.Pose((0, 0, height), quat_wxyz=(np.cos(half), 0, 0, np.sin(half)))


def aside(world, soft, seconds):
    """How far its middle goes sideways [m]."""
    before = soft.nodes[:, :2].mean(axis=0)
    for _ in range(round(seconds / world.dt)):
        assert world.step().time_given_up == 0.0
    return float(np.hypot(*(soft.nodes[:, :2].mean(axis=0) - before)))


@pytest.mark.parametrize(("cell", "turn"), [(0.03, 0.0), (0.03, 7.0), (0.03, 45.0), (0.02, 0.0), (0.015, 20.0)])
def test_a_block_on_a_plate_stays_and_comes_to_rest(cell, turn):
    """Vertices and edges of its skin lie along the plate's diagonal, which no force may show."""
    world = abut.World(dt=5e-3, friction=0.0)
    plate = abut.Solid.box((0.3, 0.3, 0.02))
    world.add_body(plate, "plate", fixed=True, pose=abut.Pose((0, 0, -0.01)))
    soft = world.add_deformable(block_of(0.1, cell), "block", pose=upright(turn, 0.0302), **RUBBER)
    assert aside(world, soft, 0.8) < 1e-7
    assert not soft.velocities.any()


@pytest.mark.parametrize("turn", [7.0, 20.0])
def test_a_block_on_a_soft_one_hardly_goes_aside(turn):
    """Its faces are flat to what both give way: their triangles lean by 1e-3, which is what pushes."""
    world = abut.World(dt=5e-3, friction=0.0)
    under, above = block_of(0.1, 0.03), block_of(0.06, 0.03)
    held = np.flatnonzero(under.nodes[:, 2] < -0.03 + 1e-9)
    world.add_deformable(under, "under", fixed_nodes=held, **RUBBER)
    soft = world.add_deformable(above, "above", pose=upright(turn, 0.0602), **RUBBER)
    assert aside(world, soft, 0.8) < 1e-4
