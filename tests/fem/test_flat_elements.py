"""Elements that are pressed flat: what resists is the slope of an energy, and nothing of it is in what is thicker."""

import numpy as np
import pytest

import abut
from abut.fem import ElasticBody, TetMesh
from abut.fem.elastic import assembly_kernels, force_kernels
from abut.fem.elastic.flat_kernels import FLAT, RESISTANCE, flat_energy, flat_pressure, flat_stiffness

pytestmark = [pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning"), pytest.mark.needs_jit]

YOUNG, POISSON = 1e5, 0.3
SHEAR, BULK = YOUNG / (2 * (1 + POISSON)), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
FIRM = RESISTANCE * (BULK + 2 * SHEAR)


@pytest.fixture(scope="module")
def cube():
    return TetMesh.from_solid(abut.Solid.box((0.1, 0.1, 0.1)), 0.05)


def made(mesh, **more):
    return ElasticBody(mesh, young=YOUNG, poisson=POISSON, density=1000.0, gravity=(0, 0, 0), **more)


def force_at(body, nodes):
    force = np.empty_like(nodes)
    still = np.zeros_like(nodes)
    force_kernels.elastic_force(nodes, still, tuple(body.elements), 0.0, body.state.rotations.copy(), force)
    return force


@pytest.mark.parametrize("stretch", [FLAT, 0.5 * FLAT, 1e-3, 0.0, -0.5 * FLAT, -1.0])
def test_pressure_and_stiffness_are_slopes(stretch):
    e = 1e-5
    assert -(flat_energy(stretch + e) - flat_energy(stretch - e)) / (2 * e) == pytest.approx(
        flat_pressure(stretch), rel=1e-6, abs=1e-8
    )
    slope = -(flat_pressure(stretch + e) - flat_pressure(stretch - e)) / (2 * e)
    assert slope == pytest.approx(flat_stiffness(stretch, stretch), rel=1e-4, abs=1e-3)
    assert flat_stiffness(stretch, stretch + 1e-5) == pytest.approx(slope, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("height", [0.25, 0.1, 0.01, -0.1, -0.5])
def test_force_is_the_slope_of_energy_where_elements_are_flat(cube, rng, height):
    body = made(cube)
    body.nodes = cube.nodes * (1, 1, height) + 2e-4 * rng.normal(size=cube.nodes.shape)
    nodes, way = body.nodes.copy(), rng.normal(size=cube.nodes.shape)
    e = 1e-8
    slope = (body.strain_energy_at(nodes + e * way) - body.strain_energy_at(nodes - e * way)) / (2 * e)
    assert -(force_at(body, nodes) * way).sum() == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("height", [0.2, 0.05, -0.1])
def test_the_matrix_has_the_second_slope_of_energy_and_no_negative_eigenvalue(cube, rng, height):
    """Along strains with the same axes, by which no element turns."""
    body = made(cube, solver="direct")
    body.nodes = cube.nodes * (1, 1, height)
    n, nodes, pattern = len(cube.nodes), body.nodes.copy(), body.pattern
    block = np.zeros((len(pattern.row), 3, 3))
    tables = tuple(body.elements), body.state.rotations, tuple(pattern), np.zeros(n, np.int32)
    assembly_kernels.add_flatness(nodes, *tables, 1.0, block)
    K = np.zeros((n, n, 3, 3))
    for column in range(n):
        for s in range(pattern.start[column], pattern.start[column + 1]):
            K[pattern.order[column], pattern.order[pattern.row[s]]] = block[s]
            K[pattern.order[pattern.row[s]], pattern.order[column]] = block[s].T
    K = K.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
    eigenvalues = np.linalg.eigvalsh(K)
    assert eigenvalues.min() > -1e-12 * eigenvalues.max()
    way = cube.nodes * (0.3, 0.2, 1.0)
    e = 1e-3 * FLAT
    more = sum(weight * body.strain_energy_at(nodes + e * k * way) for k, weight in ((1, 1), (0, -2), (-1, 1)))
    linear = (2 * SHEAR * (0.09 + 0.04 + 1.0) + BULK * 1.5**2) * cube.volume
    assert way.ravel() @ K @ way.ravel() == pytest.approx(more / e**2 - linear, rel=1e-2)


def test_what_is_thicker_is_linear(cube):
    body = made(cube)
    for height in (1.0, 0.5, FLAT + 1e-9):
        body.nodes = cube.nodes * (1, 1, height)
        strain = height - 1.0
        assert body.strain_energy == pytest.approx((SHEAR + 0.5 * BULK) * strain**2 * cube.volume, rel=1e-12)
    body.nodes = cube.nodes * (1, 1, 0.9 * FLAT)
    strain = 0.9 * FLAT - 1.0
    more = FIRM * FLAT * 0.1**3 / 3.0
    assert body.strain_energy == pytest.approx(((SHEAR + 0.5 * BULK) * strain**2 + more) * cube.volume, rel=1e-9)


def pressed(mesh, pressure):
    """Loads (n, 3) [N] on the nodes of a box that press its upper face [Pa]."""
    loads = np.zeros(mesh.nodes.shape)
    for corners in mesh.boundary:
        a, b, c = mesh.nodes[corners]
        area = 0.5 * np.cross(b - a, c - a)
        if area[2] > 0.99 * np.linalg.norm(area):
            loads[corners, 2] -= pressure * area[2] / 3.0
    return loads


@pytest.mark.parametrize("moduli", [0.5, 0.9, 1.5, 3.0])
def test_a_mat_under_more_than_its_modulus_is_pressed_flat_and_not_through(moduli):
    """Its stress is what presses it. Without what resists, nothing would be left of its height at one modulus."""
    mat = TetMesh.from_solid(abut.Solid.box((0.1, 0.1, 0.01)), 0.01)
    floor = np.flatnonzero(mat.nodes[:, 2] < -0.005 + 1e-9)
    body = ElasticBody(mat, young=YOUNG, poisson=0.0, density=1000.0, gravity=(0, 0, 0), fixed_nodes=floor)
    body.loads = pressed(mat, moduli * YOUNG)
    assert body.settle().converged
    assert len(body.inverted) == 0
    stretch = np.ptp(body.nodes[:, 2]) / 0.01
    assert 1.0 - stretch + RESISTANCE * flat_pressure(stretch) == pytest.approx(moduli, rel=1e-6)
    np.testing.assert_allclose(body.stress, moduli * YOUNG, rtol=1e-6)


def test_a_cube_pressed_through_itself_returns_and_gains_no_energy(cube):
    body = made(cube, damping=(0.0, 2e-3), theta=1.0)
    body.nodes = cube.nodes * (1, 1, -0.5)
    assert len(body.inverted) == len(cube.tetrahedra)
    energy = body.energy
    for _ in range(100):
        body.step(5e-3)
        assert body.energy <= energy * (1 + 1e-9)
        energy = body.energy
    assert len(body.inverted) == 0
    assert body.strain_energy < 1e-6
