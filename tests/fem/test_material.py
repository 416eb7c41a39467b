"""Stiffness and mass: matrices of another program, laws, bad input."""

import json

import numpy as np
import pytest

import abut
from abut.fem import TetMesh, mass, stiffness

pytestmark = [
    pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning"),  # small meshes are coarse
    pytest.mark.needs_jit,
]


@pytest.fixture
def ball():
    return TetMesh.from_solid(abut.Solid.sphere(0.1), 0.04)


def test_lumped_mass_is_that_of_abaqus(shared_data):
    folder = shared_data("fem-tet")
    block = TetMesh.load(folder / "blockC3D4.inp")
    expected = np.loadtxt(folder / "blockC3D4_MASS1.mtx")
    matrix = mass(block.nodes, block.tetrahedra, 2900.0, lumped=True)
    assert matrix.nnz == len(expected) == 3 * len(block.nodes)
    np.testing.assert_allclose(matrix.diagonal(), expected[:, 2], rtol=1e-10)


@pytest.mark.parametrize("name", ["bar-6", "bar-186"])
def test_bars_sag_as_expected(shared_data, name):
    """A static solution on exactly this mesh, found by an assembler that reproduces the stiffness of Abaqus."""
    from scipy.sparse.linalg import spsolve

    folder = shared_data("fem-tet")
    expected = json.loads((folder / "bars-expected.json").read_text())[name]
    bar = TetMesh.load(folder / f"{name}.msh")
    K = stiffness(bar.nodes, bar.tetrahedra, expected["E"], expected["nu"])
    load = mass(bar.nodes, bar.tetrahedra, expected["rho"], lumped=True) @ np.tile(
        [0, -expected["g"], 0], len(bar.nodes)
    )
    free = np.flatnonzero(np.repeat(bar.nodes[:, 0] > 1e-9, 3))
    u = np.zeros(len(load))
    u[free] = spsolve(K[free][:, free].tocsc(), load[free])
    end = bar.nodes[:, 0] > 10 - 1e-9
    assert u.reshape(-1, 3)[end, 1].mean() == pytest.approx(expected["mean_end_deflection"], rel=1e-10)


def test_stiffness_is_symmetric_and_resists_no_rigid_motion(ball):
    K = stiffness(ball.nodes, ball.tetrahedra, 1e5, 0.4)
    assert abs(K - K.T).max() <= 1e-12 * abs(K).max()
    for axis in np.eye(3):
        moves = np.tile(axis, (len(ball.nodes), 1)).ravel(), np.cross(axis, ball.nodes).ravel()
        assert all(abs(K @ u).max() < 1e-10 * abs(K).max() * abs(u).max() for u in moves)


def test_both_masses_weigh_the_same(ball):
    total = np.tile([0.0, 0.0, 1.0], len(ball.nodes))
    for lumped in (True, False):
        M = mass(ball.nodes, ball.tetrahedra, 1000.0, lumped=lumped)
        assert total @ (M @ total) == pytest.approx(1000.0 * ball.volume, rel=1e-13)


def test_consistent_mass_of_one_tetrahedron():
    """rho V / 20 between nodes, and twice that of a node with itself."""
    corners = np.array([(0, 0, 0), (0.3, 0, 0), (0.1, 0.2, 0), (0.05, 0.1, 0.4)])
    volume = np.linalg.det(corners[1:] - corners[0]) / 6.0
    expected = 1000.0 * volume / 20.0 * np.kron(np.ones((4, 4)) + np.eye(4), np.eye(3))
    np.testing.assert_allclose(mass(corners, [(0, 1, 2, 3)], 1000.0).toarray(), expected, rtol=1e-13, atol=1e-15)


def test_one_number_for_each_element(ball):
    half = np.where(np.arange(len(ball.tetrahedra)) % 2, 2e5, 1e5)
    both = sum(stiffness(ball.nodes, ball.tetrahedra[half == e], e, 0.3) for e in (1e5, 2e5))
    assert abs(stiffness(ball.nodes, ball.tetrahedra, half, 0.3) - both).max() <= 1e-12 * abs(both).max()


@pytest.mark.parametrize(
    ("young", "poisson", "message"),
    [
        (1e5, 0.5, "poisson: expected a number below 0.5, got 0.5; a material that keeps its volume exactly"),
        (1e5, -1.0, "between -1 and 0.5"),
        (0.0, 0.3, "young: expected a number greater than 0"),
        (np.nan, 0.3, "young: expected a finite number"),
        ([1.0, -1.0], 0.3, r"young: expected"),
    ],
)
def test_impossible_materials_are_refused(ball, young, poisson, message):
    with pytest.raises(abut.InputError, match=message):
        stiffness(ball.nodes, ball.tetrahedra, young, poisson)


def test_inverted_elements_have_no_stiffness(ball):
    with pytest.raises(abut.InputError, match="row 0 has the volume -"):
        mass(ball.nodes, ball.tetrahedra[:, [0, 1, 3, 2]], 1.0)
