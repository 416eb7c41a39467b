"""Elastic bodies: known answers, laws of rotation, energy and momentum, and bad input."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import abut
from abut.fem import ElasticBody, TetMesh, mass, stiffness
from abut.fem.elastic import (
    assembly_kernels,
    body_kernels,
    factor_kernels,
    force_kernels,
    measure_kernels,
    rotation_kernels,
    solve_kernels,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore::abut.fem.MeshWarning"),  # small meshes are coarse
    pytest.mark.needs_jit,
]

MATERIAL = {"young": 1e5, "poisson": 0.4, "density": 1000.0}
FREE = MATERIAL | {"gravity": (0, 0, 0)}


@pytest.fixture(scope="module")
def ball():
    return TetMesh.from_solid(abut.Solid.sphere(0.1), 0.05)


@pytest.fixture(scope="module")
def bar():
    """0.2 x 0.04 x 0.04 m, two cells thick."""
    return TetMesh.from_solid(abut.Solid.box((0.2, 0.04, 0.04)), 0.02)


def ends(mesh):
    """Nodes of the left end of a bar."""
    return np.flatnonzero(mesh.nodes[:, 0] < mesh.nodes[:, 0].min() + 1e-9)


def force_at(body, nodes):
    """Force of the material on each node [N]."""
    force = np.empty_like(nodes)
    rotations = body.state.rotations.copy()
    force_kernels.elastic_force(np.ascontiguousarray(nodes), nodes * 0, tuple(body.elements), 0.0, rotations, force)
    return force


def shaken(body, rng, by=0.004):
    """Nodes at random places near those at rest."""
    body.nodes = body.mesh.nodes + by * rng.normal(size=body.mesh.nodes.shape)
    return body


# ---- known answers


def test_at_rest_a_step_is_that_of_the_sparse_matrices(ball, rng):
    theta, h, alpha, beta = 0.7, 5e-3, 3.0, 1e-3
    body = ElasticBody(ball, **FREE, damping=(alpha, beta), theta=theta, tolerance=1e-14)
    v, body.loads = rng.normal(size=ball.nodes.shape), rng.normal(size=ball.nodes.shape)
    K = stiffness(ball.nodes, ball.tetrahedra, 1e5, 0.4)
    M = mass(ball.nodes, ball.tetrahedra, 1000.0, lumped=True)
    A = (M * (1 + theta * h * alpha) + K * (theta * h * beta + (theta * h) ** 2)).toarray()
    push = rng.normal(size=v.shape)
    predicted = body.predict(h)
    expected = np.linalg.solve(A, theta * h * body.loads.ravel()).reshape(-1, 3)
    np.testing.assert_allclose(predicted.velocities, expected, atol=1e-12 * abs(expected).max())
    expected = theta * np.linalg.solve(A, push.ravel()).reshape(-1, 3)
    np.testing.assert_allclose(body.respond(push), expected, atol=1e-11 * abs(expected).max())
    assert predicted.converged
    assert predicted.residual <= 1e-14


@pytest.mark.parametrize("held", [False, True], ids=["free", "fixed at one end"])
def test_a_complete_factor_gives_the_same_step(bar, rng, held):
    fixed = ends(bar) if held else ()
    both = [ElasticBody(bar, **FREE, fixed_nodes=fixed, solver=s, tolerance=1e-13) for s in ("cg", "direct")]
    start = rng.normal(size=bar.nodes.shape)
    for body in both:
        shaken(body, np.random.default_rng(1)).velocities = start
    a, b = (body.predict(5e-3) for body in both)
    np.testing.assert_allclose(a.velocities, b.velocities, atol=1e-10)
    assert b.iterations == 1 < a.iterations
    if held:
        assert (a.velocities[fixed] == 0).all()


def test_what_is_stiff_is_solved_in_fewer_iterations_with_the_factor_at_rest(bar):
    """A bar of 1 GPa, fixed at one end and bent by a quarter of its length."""
    stiff = FREE | {"young": 1e9}
    bodies = [
        ElasticBody(bar, **stiff, fixed_nodes=ends(bar), solver=s, tolerance=1e-6) for s in ("cg", "rest", "direct")
    ]
    x = bar.nodes[:, 0] - bar.nodes[:, 0].min()
    for body in bodies:
        body.nodes = bar.nodes + np.outer(0.25 * x * x / x.max(), (0.0, 0.0, 1.0))
    many, few, exact = (body.predict(2e-3) for body in bodies)
    np.testing.assert_allclose(few.velocities, exact.velocities, atol=1e-3 * abs(exact.velocities).max())
    assert few.converged
    assert 3 * few.iterations < many.iterations


def test_a_stretched_bar(bar):
    """Uniaxial strain e: stress E e, energy E e² V / 2, volume (1 + e) (1 - ν e)²."""
    e = 1e-3
    body = ElasticBody(bar, **FREE)
    body.nodes = bar.nodes * (1 + e, 1 - 0.4 * e, 1 - 0.4 * e)
    np.testing.assert_allclose(body.stress, 1e5 * e, rtol=1e-6)
    assert body.strain_energy == pytest.approx(0.5e5 * e * e * bar.volume, rel=1e-6)
    assert body.volume_change == pytest.approx((1 + e) * (1 - 0.4 * e) ** 2 - 1, rel=1e-9)


def test_weight_rests_on_fixed_nodes(bar):
    body = ElasticBody(bar, **MATERIAL, fixed_nodes=ends(bar))
    assert body.settle().converged
    predicted = body.predict(1e-3)
    np.testing.assert_allclose(predicted.velocities, 0.0, atol=1e-7)
    np.testing.assert_allclose(
        body.reactions(predicted.velocities).sum(axis=0), (0, 0, 9.81 * body.masses.sum()), atol=1e-5
    )


def test_scripted_nodes_move_as_told_and_drag_the_rest(bar):
    body = ElasticBody(bar, **FREE, fixed_nodes=ends(bar), damping=(0, 0.02))
    left, targets = ends(bar), np.tile((0.0, 0.1, 0.0), (len(bar.nodes), 1))
    for _ in range(200):
        result = body.step(5e-3, targets=targets)
        assert result.energy_gained <= 1e-5
    np.testing.assert_allclose(body.nodes[left], bar.nodes[left] + np.array((0, 0.1, 0)), atol=1e-12)
    np.testing.assert_allclose(body.nodes, bar.nodes + np.array((0, 0.1, 0)), atol=6e-3)


def test_mass_damping_slows_exponentially(ball):
    body = ElasticBody(ball, **FREE, damping=(2.0, 0.0), theta=0.5)
    body.velocities = np.tile((1.0, 0, 0), (len(ball.nodes), 1))
    for _ in range(100):
        body.step(5e-3)
    assert body.momentum[0] / body.masses.sum() == pytest.approx(np.exp(-1.0), rel=1e-4)


# ---- laws


def test_rotations_are_those_of_a_singular_value_decomposition(rng):
    """Also for inverted and flat F, and from start values that have nothing to do with it."""
    for k in range(300):
        F = rng.normal(size=(3, 3))
        if k % 3 == 0:
            F = Rotation.random(random_state=k).as_matrix() @ (np.eye(3) + 0.2 * rng.normal(size=(3, 3)))
        U, s, Vt = np.linalg.svd(F)
        expected = U @ np.diag([1, 1, np.linalg.det(U @ Vt)]) @ Vt
        q = rotation_kernels.nearest_rotation(tuple(F.ravel()))
        found = Rotation.from_quat([*q[1:], q[0]]).as_matrix()
        assert np.trace(found.T @ F) >= np.trace(expected.T @ F) - 1e-12
        np.testing.assert_allclose(np.trace(expected.T @ F), s[0] + s[1] + np.sign(np.linalg.det(F)) * s[2])


def test_warm_started_rotations_are_the_nearest(ball, rng):
    body = ElasticBody(ball, **FREE)
    turn = Rotation.from_rotvec((0.7, -1.1, 0.4)).as_matrix()
    nodes = np.ascontiguousarray(ball.nodes @ turn.T + 0.01 * rng.normal(size=ball.nodes.shape))
    warm, scratch = body.state.rotations.copy(), body.state.rotations.copy()
    measure_kernels.turn_all(nodes, tuple(body.elements), warm)
    measure_kernels.rotations_from_scratch(nodes, tuple(body.elements), scratch)
    np.testing.assert_allclose(abs((warm * scratch).sum(axis=1)), 1.0, atol=1e-13)


def test_a_rigid_motion_strains_nothing(ball, rng, random_pose):
    body, scale = ElasticBody(ball, **FREE), 1e5 * 0.1**2
    for _ in range(20):
        nodes = random_pose().apply(ball.nodes)
        assert abs(force_at(body, nodes)).max() < 1e-12 * scale
        body.nodes = nodes
        assert body.strain_energy < 1e-20
        assert body.volume_change == pytest.approx(0.0, abs=1e-13)


def test_force_is_the_slope_of_energy(ball, rng):
    body = shaken(ElasticBody(ball, **FREE), rng, 0.006)
    nodes, force, step = np.array(body.nodes), force_at(body, body.nodes), 1e-6
    for i, d in zip(rng.integers(len(nodes), size=12), rng.integers(3, size=12), strict=True):
        shift = np.zeros_like(nodes)
        shift[i, d] = step
        ahead, behind = body.energy_at(nodes + shift, 0 * nodes), body.energy_at(nodes - shift, 0 * nodes)
        assert -(ahead - behind) / (2 * step) == pytest.approx(force[i, d], rel=1e-6, abs=1e-6 * abs(force).max())


def test_forces_turn_with_the_body(ball, rng, random_pose):
    body = shaken(ElasticBody(ball, **FREE), rng)
    nodes, X = np.array(body.nodes), random_pose()
    turned = force_at(ElasticBody(ball, **FREE, pose=X), X.apply(nodes))
    rotation = X.apply(np.eye(3)) - X.apply(np.zeros((3, 3)))
    np.testing.assert_allclose(turned, force_at(body, nodes) @ rotation, atol=1e-10 * abs(turned).max())


def test_patch_of_constant_strain(ball, rng):
    """Where the surface moves as x + A x, so does everything inside, whatever the elements look like."""
    surface = np.unique(ball.boundary)
    inside = np.setdiff1d(np.arange(len(ball.nodes)), surface)
    rest = np.array(ball.nodes)
    rest[inside] += 0.004 * rng.normal(size=(len(inside), 3))
    mesh = TetMesh(rest, ball.tetrahedra)
    A = 0.05 * rng.normal(size=(3, 3))
    body = ElasticBody(mesh, **FREE, fixed_nodes=surface)
    moved = rest + rest @ A.T
    body.nodes = np.where(np.isin(np.arange(len(rest)), surface)[:, None], moved, rest)
    assert body.settle(tolerance=1e-13).converged
    np.testing.assert_allclose(body.nodes, moved, atol=1e-13)
    assert np.ptp(body.stress) < 1e-9 * body.stress.max()


def test_momentum_is_kept_however_loose_the_solver(ball, rng):
    body = shaken(ElasticBody(ball, **FREE, tolerance=0.1), rng)
    body.velocities = rng.normal(size=ball.nodes.shape)
    before = body.momentum
    residuals = [body.step(5e-3).residual for _ in range(50)]
    assert max(residuals) > 1e-3
    np.testing.assert_allclose(body.momentum, before, atol=1e-13 * body.masses.sum())


@pytest.mark.parametrize("theta", [0.5, 0.55, 1.0])
@pytest.mark.parametrize("dt", [1e-3, 5e-3, 16.7e-3])
def test_energy_never_grows(bar, theta, dt):
    """A bar that bends and stretches by a third of its length, at steps far too long for it."""
    body = ElasticBody(bar, **FREE, theta=theta)
    k = 2 * np.pi * bar.nodes[:, 0] / 0.2
    body.velocities = 2.0 * np.stack([0.5 * np.cos(k / 2), np.sin(k), np.sin(k) + np.cos(1.5 * k)], axis=1)
    at_play = energy = body.energy
    damped = 0
    for _ in range(60):
        result = body.step(dt)
        damped += result.damped
        assert body.energy - energy <= 2e-5 * at_play
        assert result.energy_gained <= 2e-5 * at_play
        energy = body.energy
    assert len(body.inverted) == 0
    assert damped == 0 or (theta < 1.0)


def test_a_spin_goes_on(bar):
    """The midpoint rule keeps the angular momentum of a body that turns by 0.05 rad a step."""
    body = ElasticBody(bar, **FREE, theta=0.5)
    body.velocities = np.cross((0, 0, 10.0), bar.nodes)
    spin = lambda: np.cross(body.nodes, body.masses[:, None] * body.velocities).sum(axis=0)[2]  # noqa: E731
    before = spin()
    for _ in range(100):
        body.advance(body.predict(5e-3).velocities)
    assert spin() == pytest.approx(before, rel=1e-4)


def test_inverted_elements_turn_back(ball):
    """A ball pressed flat and a little beyond, so that elements are turned inside out, comes back to its shape."""
    body = ElasticBody(ball, **FREE, damping=(0, 2e-3), theta=1.0)
    body.nodes = ball.nodes * (1, 1, -0.3)
    assert len(body.inverted) == len(ball.tetrahedra)
    for _ in range(200):
        body.step(5e-3)
    assert len(body.inverted) == 0
    assert body.strain_energy < 1e-6


def test_a_step_of_a_tight_budget_says_what_is_left(bar, rng):
    body = shaken(ElasticBody(bar, **FREE, max_iterations=3, tolerance=1e-12), rng, by=0.001)
    predicted = body.predict(5e-3)
    assert predicted.iterations == 3
    assert not predicted.converged
    assert 1e-12 < predicted.residual < 0.1


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.45, 0.49, 0.499])
def test_nearly_incompressible_materials_are_solved_too(ball, rng, poisson):
    """Incomplete factors break down there; a larger diagonal mends them."""
    body = shaken(ElasticBody(ball, **(FREE | {"poisson": poisson})), rng, 1e-3)
    exact = shaken(ElasticBody(ball, **(FREE | {"poisson": poisson}), solver="direct"), np.random.default_rng(0), 0.0)
    exact.nodes = body.nodes
    predicted = body.predict(5e-3)
    assert predicted.converged
    np.testing.assert_allclose(predicted.velocities, exact.predict(5e-3).velocities, atol=1e-4)


def test_the_same_start_gives_the_same_bits(bar, rng):
    start = rng.normal(size=bar.nodes.shape)
    ran = []
    for cut in (False, True):
        body = ElasticBody(bar, **FREE)
        body.velocities = start
        for i in range(20):
            if cut and i == 10:
                kept, body = body.state, ElasticBody(bar, **FREE)
                for mine, theirs in zip(body.state, kept, strict=True):
                    mine[:] = theirs
            body.step(5e-3)
        ran.append(body.state)
    assert all((a == b).all() for a, b in zip(*ran, strict=True))


# ---- bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"poisson": 0.5}, "poisson: expected a number below 0.5"),
        ({"density": 0.0}, "density: expected a number greater than 0"),
        ({"young": -1.0}, "young: expected a number greater than 0"),
        ({"young": 100.0}, "young: 100 Pa is too soft: a part 0.2 m high of this density presses on its foot with"),
        ({"damping": (0, -1)}, "damping: expected two numbers not smaller than 0"),
        ({"theta": 0.4}, "theta: expected a number not smaller than 0.5"),
        ({"theta": 1.1}, "theta: expected a number from 0.5 to 1"),
        ({"fixed_nodes": [10**6]}, "fixed_nodes: row 0 is"),
        ({"solver": "multigrid"}, "solver: expected 'cg', 'rest' or 'direct'"),
        ({"max_iterations": 0}, "max_iterations: expected at least 1"),
    ],
)
def test_impossible_bodies_are_refused(ball, change, message):
    with pytest.raises(abut.InputError, match=message):
        ElasticBody(ball, **(MATERIAL | change))


def test_impossible_steps_are_refused(ball):
    body = ElasticBody(ball, **MATERIAL)
    with pytest.raises(abut.InputError, match=r"respond: no step has been predicted yet; call predict\(dt\) first"):
        body.respond(np.zeros_like(ball.nodes))
    with pytest.raises(abut.InputError, match="dt: expected a number greater than 0"):
        body.step(0.0)
    with pytest.raises(abut.InputError, match="velocities: row 1 is not finite"):
        body.velocities = np.where(np.arange(len(ball.nodes))[:, None] == 1, np.nan, 0.0) + np.zeros((1, 3))
    with pytest.raises(abut.ShapeError, match="nodes: expected one row for each of"):
        body.nodes = np.zeros((2, 3))
    body.loads[3] = np.inf
    with pytest.raises(abut.InputError, match="loads: row 3 is not finite"):
        body.step(1e-3)


def test_kernels_are_compiled_once(bar, compiled_signatures):
    for body in (ElasticBody(bar, **FREE), ElasticBody(bar, **FREE, solver="direct", fixed_nodes=ends(bar))):
        body.respond(0 * body.predict(1e-3).velocities)
        body.step(1e-3, targets=0 * bar.nodes)
    for kernel in (body_kernels.improve_body, assembly_kernels.assemble, factor_kernels.factorise, solve_kernels.solve):
        assert len(compiled_signatures(kernel)) == 1
