"""A cube of six tetrahedra: small enough for kernels that are not compiled (NUMBA_DISABLE_JIT=1)."""

import numpy as np
import pytest

from abut.fem import ElasticBody, TetMesh

CUBE = 0.1 * np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
KUHN = np.array([[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]])
MATERIAL = {"young": 1e5, "poisson": 0.4, "density": 1000.0, "gravity": (0, 0, 0)}


@pytest.mark.parametrize("solver", ["cg", "direct"])
def test_a_cube_turned_inside_out_comes_back_and_keeps_its_momentum(solver, rng):
    mesh = TetMesh(CUBE, KUHN)
    body = ElasticBody(mesh, **MATERIAL, damping=(0.0, 2e-3), theta=1.0, solver=solver)
    body.nodes = CUBE * (1, 1, -0.3) + 1e-3 * rng.normal(size=CUBE.shape)
    body.velocities = np.tile((0.1, 0.0, 0.0), (8, 1))
    assert len(body.inverted) == 6
    start = energy = body.energy
    momentum = body.momentum
    for _ in range(100):
        body.step(5e-3)
        assert body.energy <= energy * (1 + 1e-9)
        energy = body.energy
    assert len(body.inverted) == 0
    assert body.strain_energy < 1e-4 * start  # it turns in the end, which stretches it a little
    np.testing.assert_allclose(body.momentum, momentum, atol=1e-13)


def test_a_cube_hangs_from_a_corner():
    body = ElasticBody(TetMesh(CUBE, KUHN), **(MATERIAL | {"gravity": (0, 0, -9.81)}), fixed_nodes=[0, 1, 2])
    assert body.settle().converged
    predicted = body.predict(1e-3)
    weight = 9.81 * body.masses.sum()
    np.testing.assert_allclose(body.reactions(predicted.velocities).sum(axis=0), (0, 0, weight), atol=1e-5)
    np.testing.assert_allclose(body.mesh.embed(0.9 * CUBE + 0.001).positions(CUBE), 0.9 * CUBE + 0.001, atol=1e-15)
