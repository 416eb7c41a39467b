"""A ball pressed into a soft block, against Hertz: force and radius of contact, within what the mesh can do."""

from math import pi

import numpy as np
import pytest

import abut
from abut.fem import TetMesh

pytestmark = [pytest.mark.needs_jit, pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning")]

YOUNG, POISSON, DEEP = 1e5, 0.3, 0.1
GRADING = 2.0
"""How much finer the middle of the block's top is meshed than its far sides: by sinh(2) / 2 and more."""


def graded_block(cells):
    """A block 0.2 x 0.2 x 0.1 m below z = 0, so many cells deep, finest under the origin; and its smallest cell."""
    box = TetMesh.from_solid(abut.Solid.box((2.0, 2.0, 1.0)), 1.0 / cells)
    even = np.asarray(box.nodes) - (0.0, 0.0, 0.5)
    nodes = DEEP * np.sinh(GRADING * even) / np.sinh(GRADING)
    return TetMesh(nodes, box.tetrahedra), DEEP * GRADING / (cells * np.sinh(GRADING))


def layer(chi, poisson=POISSON):
    """How much more force a layer on a rigid base takes than a half-space, for contact radius over depth `chi`.

    Dimitriadis and others, Biophysical Journal 82 (2002), to the third order.
    """
    a = -(1.2876 - 1.4678 * poisson + 1.3442 * poisson**2) / (1 - poisson)
    b = (0.6387 - 1.0277 * poisson + 1.5164 * poisson**2) / (1 - poisson)
    return 1 - 2 * a / pi * chi + (2 * a / pi * chi) ** 2 - 8 / pi**3 * (a**3 + 4 * pi**2 / 15 * b) * chi**3


def pressed(cells, segments):
    """Force and radius of contact of a ball at rest in the block, over what Hertz says; two cells are one radius."""
    mesh, cell = graded_block(cells)
    radius = 2.0 * cell
    ball, depth = abut.Solid.sphere(8.0 * radius, segments=segments), radius / 8.0
    gap = 0.01 * depth
    world = abut.World(dt=5e-3, gravity=(0, 0, 0), contact_gap=gap)
    material = {"young": YOUNG, "poisson": POISSON, "density": 1000.0, "damping": (0.0, 5e-3)}
    soft = world.add_deformable(mesh, "block", fixed_nodes=np.flatnonzero(mesh.nodes[:, 2] < -DEEP + 1e-9), **material)
    above = abut.Pose((0, 0, 1.5 * gap - ball.bounds[0][2]))
    ram = world.add_body(ball, "ball", pose=above, kinematic=True, velocity=(0, 0, -(depth + 0.5 * gap) / 0.1))
    world.run(0.1)
    ram.velocity = (0, 0, 0)
    world.run(0.15)
    assert np.abs(soft.velocities).max() < 1e-3 * depth / 5e-3, "at rest"
    pushing = world.contacts[world.contacts["force"] > 0]
    force, away = pushing["force"], np.hypot(*pushing["point"][:, :2].T)
    hertz = 4 / 3 * YOUNG / (1 - POISSON**2) * np.sqrt(8.0 * radius) * depth**1.5 * layer(radius / DEEP)
    # Of a pressure as the square root of 1 - r² / a², r² is 2/5 a² on average.
    return force.sum() / hertz, np.sqrt(2.5 * force @ away**2 / force.sum()) / radius


@pytest.mark.parametrize("chi", [0.01, 0.1, 0.5])
def test_the_correction_for_a_layer_is_the_one_published_for_rubber(chi):
    """The paper states the same series once more, with numbers, for a Poisson ratio of 1/2."""
    assert layer(chi, 0.5) == pytest.approx(1 + 1.133 * chi + 1.283 * chi**2 + 0.769 * chi**3, abs=2e-3 * chi)


def test_a_ball_in_a_block_converges_to_hertz():
    """Force and radius, with two cells in a radius; the finer mesh has 18,032 tetrahedra."""
    coarse, fine = pressed(5, 64), pressed(7, 96)
    assert fine[0] == pytest.approx(1.0, abs=0.06)
    assert fine[1] == pytest.approx(1.0, abs=0.05)
    assert abs(fine[0] - 1.0) < 0.6 * abs(coarse[0] - 1.0)
