"""Elastic bodies against closed forms: beams, own weight, frequencies, large deflections, Cook's membrane."""

import numpy as np
import pytest
from scipy.sparse.linalg import eigsh, spsolve

import abut
from abut.fem import ElasticBody, TetMesh, mass, stiffness

pytestmark = [
    pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning"),  # convergence begins with coarse meshes
    pytest.mark.needs_jit,
]

LENGTH, THICK = 1.0, 0.1


def beam(cells, width=THICK, length=LENGTH):
    """A beam along x that begins at x = 0, so many cells thick."""
    mesh = TetMesh.from_solid(abut.Solid.box((length, width, THICK)), THICK / cells)
    return TetMesh(mesh.nodes + np.array((length / 2, 0, 0)), mesh.tetrahedra)


def end_shares(mesh, length=LENGTH):
    """How a load that is spread evenly over the free end goes to its nodes."""
    faces = mesh.boundary[(mesh.nodes[mesh.boundary][:, :, 0] > length - 1e-9).all(axis=1)]
    a, b, c = (mesh.nodes[faces[:, k]] for k in range(3))
    area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
    shares = np.bincount(faces.ravel(), np.repeat(area / 3, 3), len(mesh.nodes))
    return shares / shares.sum()


def static(mesh, load, young, poisson):
    """Displacements of small loads, clamped at x = 0."""
    K = stiffness(mesh.nodes, mesh.tetrahedra, young, poisson)
    free, u = np.flatnonzero(np.repeat(mesh.nodes[:, 0] > 1e-9, 3)), np.zeros(load.size)
    u[free] = spsolve(K[free][:, free].tocsc(), load.ravel()[free])
    return u.reshape(-1, 3)


def test_a_cantilever_converges_to_timoshenko():
    """F L³ / 3 E I + F L / k G A: two and four cells through the thickness lose 17 and 5 %."""
    young, poisson, force = 1e7, 0.3, 1.0
    inertia, area, shear = THICK**4 / 12, THICK**2, young / (2 * (1 + poisson))
    expected = force * LENGTH**3 / (3 * young * inertia) + force * LENGTH / (5 / 6 * shear * area)
    loss = []
    for cells in (1, 2, 4):
        mesh = beam(cells)
        shares = end_shares(mesh)
        u = static(mesh, force * np.outer(shares, (0, 0, -1)), young, poisson)
        loss.append(1 + shares @ u[:, 2] / expected)
    assert loss[0] > loss[1] > loss[2] > 0
    assert loss[2] < 0.07
    assert np.log2(loss[1] / loss[2]) > 1.4  # second order in the end, a little less so early


def test_first_frequency_of_a_cantilever_converges():
    """Euler and Bernoulli: 1.875104² / 2π sqrt(E I / ρ A L⁴); 1 % below at this slenderness."""
    young, density = 1e7, 1000.0
    expected = 1.875104**2 / (2 * np.pi) * np.sqrt(young * THICK**2 / 12 / density) / LENGTH**2
    excess = []
    for cells in (1, 2, 4):
        mesh = beam(cells)
        free = np.flatnonzero(np.repeat(mesh.nodes[:, 0] > 1e-9, 3))
        K = stiffness(mesh.nodes, mesh.tetrahedra, young, 0.3)[free][:, free]
        M = mass(mesh.nodes, mesh.tetrahedra, density, lumped=True)[free][:, free]
        lowest = eigsh(K.tocsc(), 1, M.tocsc(), sigma=0.0, v0=np.ones(len(free)), return_eigenvectors=False)[0]
        excess.append(np.sqrt(lowest) / (2 * np.pi) / expected - 1)
    assert excess[0] > excess[1] > excess[2]
    assert abs(excess[2]) < 0.03
    assert np.log2((excess[1] - excess[2]) / (excess[0] - excess[1])) < -1.0


def test_a_cantilever_swings_with_its_first_frequency():
    """Time steps, against the frequency of the very matrices."""
    young, density = 1e6, 1000.0
    mesh = beam(1)
    free = np.flatnonzero(np.repeat(mesh.nodes[:, 0] > 1e-9, 3))
    K = stiffness(mesh.nodes, mesh.tetrahedra, young, 0.3)[free][:, free]
    M = mass(mesh.nodes, mesh.tetrahedra, density, lumped=True)[free][:, free]
    value, shape = eigsh(K.tocsc(), 1, M.tocsc(), sigma=0.0, v0=np.ones(len(free)))
    period = 2 * np.pi / np.sqrt(value[0])
    fixed = np.flatnonzero(mesh.nodes[:, 0] < 1e-9)
    body = ElasticBody(mesh, young=young, poisson=0.3, density=density, gravity=(0, 0, 0), fixed_nodes=fixed, theta=0.5)
    start = np.zeros(mesh.nodes.size)
    start[free] = 1e-4 * shape[:, 0] / abs(shape).max()
    body.nodes = mesh.nodes + start.reshape(-1, 3)
    probe = int(abs(start).argmax())
    for _ in range(100):
        body.step(period / 100)
    offset = (np.array(body.nodes) - mesh.nodes).ravel()[probe] / start[probe]
    assert offset == pytest.approx(1.0, abs=0.003)


@pytest.mark.parametrize(("theta", "kept"), [(0.5, 1.0), (0.55, 0.924), (1.0, 0.457)])
def test_a_swing_loses_as_much_energy_as_the_page_says(theta, kept):
    """Fifty steps in a period of the first mode; docs/soft.md has the table."""
    mesh = TetMesh.from_solid(abut.Solid.box((0.2, 0.04, 0.04)), 0.02)
    fixed, free = mesh.nodes[:, 0] < -0.1 + 1e-9, np.flatnonzero(np.repeat(mesh.nodes[:, 0] > -0.1 + 1e-9, 3))
    K = stiffness(mesh.nodes, mesh.tetrahedra, 1e5, 0.4)[free][:, free]
    M = mass(mesh.nodes, mesh.tetrahedra, 1000.0, lumped=True)[free][:, free]
    value, shape = eigsh(K.tocsc(), 1, M.tocsc(), sigma=0.0, v0=np.ones(len(free)))
    body = ElasticBody(
        mesh,
        young=1e5,
        poisson=0.4,
        density=1000.0,
        gravity=(0, 0, 0),
        fixed_nodes=np.flatnonzero(fixed),
        theta=theta,
    )
    velocities = np.zeros(mesh.nodes.size)
    velocities[free] = 0.02 * shape[:, 0] / abs(shape).max()
    body.velocities = velocities.reshape(-1, 3)
    before = body.energy
    body.step(2 * np.pi / np.sqrt(value[0]), substeps=50)
    assert body.energy / before == pytest.approx(kept, abs=0.005)


def test_a_cage_weighted_by_its_fill_bends_as_its_part():
    """A beam turned about its axis, so that no tetrahedron fits; unweighted, the cage is far too stiff."""
    turned = abut.Solid.box((LENGTH, THICK, THICK)).transformed(abut.Pose.from_rotvec((LENGTH / 2, 0, 0), (0.35, 0, 0)))
    cage = TetMesh.from_solid(turned, THICK / 4, fit="cage")
    end = turned.vertices[turned.vertices[:, 0] > LENGTH - 1e-9]
    young, embedded, found = 1e7, cage.embed(end), []
    load = embedded.spread(np.tile((0, 0, -1 / len(end)), (len(end), 1)), len(cage.nodes))
    for weight in (cage.fill, np.ones_like(cage.fill)):
        K = stiffness(cage.nodes, cage.tetrahedra, young * weight, 0.3)
        free, u = np.flatnonzero(np.repeat(cage.nodes[:, 0] > 1e-9, 3)), np.zeros(load.size)
        u[free] = spsolve(K[free][:, free].tocsc(), load.ravel()[free])
        found.append(-embedded.positions(u.reshape(-1, 3))[:, 2].mean())
    expected = LENGTH**3 / (3 * young * THICK**4 / 12)
    assert 0.85 < found[0] / expected < 1.1
    assert found[1] / expected < 0.6


def test_a_column_is_shortened_by_its_own_weight():
    """ρ g L² / 2 E, ν = 0; a column that hangs is as much longer."""
    young, density = 1e7, 1000.0
    for sign in (-1, 1):
        mesh = beam(2)
        fixed = np.flatnonzero(mesh.nodes[:, 0] < 1e-9)
        body = ElasticBody(
            mesh, young=young, poisson=0.0, density=density, gravity=(sign * 9.81, 0, 0), fixed_nodes=fixed
        )
        assert body.settle().converged
        end = mesh.nodes[:, 0] > LENGTH - 1e-9
        expected = sign * density * 9.81 * LENGTH**2 / (2 * young)
        assert (body.nodes - mesh.nodes)[end, 0].mean() == pytest.approx(expected, rel=2e-3)


ELASTICA = {1: (0.30172, 0.05643), 2: (0.49346, 0.16064), 5: (0.71379, 0.38763), 10: (0.81061, 0.55500)}
"""P L² / E I, and how far the end goes down and back, over L."""


def strip(length, cells):
    """A beam 1 m long, so many times as long as thick, so many cells thick, wider than thick, one cell wide.

    In its plane it has even cells. It bends alike all over its width, for which one cell is enough (Poisson's ratio 0).
    """
    thick = 1.0 / length
    mesh = TetMesh.from_solid(abut.Solid.box((1.0, thick / cells, thick)), thick / cells)
    return TetMesh(mesh.nodes * (1.0, 1.5 * cells, 1.0), mesh.tetrahedra)


def elastica(mesh, loads):
    """How far the end of a beam of 1 m goes down and back under growing loads, over what the elastica does."""
    width, thick = np.ptp(mesh.nodes[:, 1:], axis=0)
    end, clamped = mesh.nodes[:, 0] > 0.5 - 1e-9, np.flatnonzero(mesh.nodes[:, 0] < -0.5 + 1e-9)
    body = ElasticBody(
        mesh, young=1e7, poisson=0.0, density=1.0, gravity=(0, 0, 0), fixed_nodes=clamped, solver="direct"
    )
    found = []
    for load in loads:
        body.loads[end, 2] = -load * 1e7 * (width * thick**3 / 12) / end.sum()
        assert body.settle().converged
        back, _, down = -(body.nodes - mesh.nodes)[end].mean(axis=0)
        found.append(np.array((down, back)) / ELASTICA[load])
    return np.array(found)


def test_elastica_to_two_percent():
    """Ten times as long as thick, eight cells thick, 10,592 tetrahedra: down and back at all four loads."""
    np.testing.assert_allclose(elastica(strip(10, 8), ELASTICA), 1.0, atol=0.02)


def test_elastica_converges():
    """Half the cells lose about four times as much where the deflection still grows with the load."""
    coarse, fine = (1.0 - elastica(strip(16, cells), [1])[0] for cells in (2, 4))
    assert (fine > 0).all()
    assert (np.log2(coarse / fine) > 1.4).all()


def test_elastica_of_a_slender_beam(times):
    """Twenty times as long as thick, where shear adds nothing: ten cells thick, 32,840 tetrahedra."""
    if not times(0, 1):
        pytest.skip("takes a minute; ABUT_THOROUGH=1 runs it")
    np.testing.assert_allclose(elastica(strip(20, 10), ELASTICA), 1.0, atol=0.015)


def test_cooks_membrane_converges():
    """A tapered panel, clamped on the left and pulled up on the right: 23.96 at the middle of its end."""
    missing = []
    for cell in (11.0, 5.5, 2.75):
        box = TetMesh.from_solid(abut.Solid.box((48.0, 44.0, cell)), cell)
        x, y = box.nodes[:, 0] + 24, (box.nodes[:, 1] + 22) / 44
        low, high = 44 * x / 48, 44 + 16 * x / 48
        mesh = TetMesh(np.stack([x, low + y * (high - low), box.nodes[:, 2]], axis=1), box.tetrahedra)
        shares = end_shares(mesh, 48.0)
        u = static(mesh, cell * np.outer(shares, (0, 1, 0)), 1.0, 1 / 3)
        missing.append(1 - shares @ u[:, 1] / 23.96)
    assert missing[0] > missing[1] > missing[2] > 0
    assert missing[2] < 0.05
    assert np.log2(missing[1] / missing[2]) > 1.2
