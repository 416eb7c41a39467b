"""Coulomb friction: closed forms, problems of real simulations, the papers' special case, and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array

from abut.solve import Settings, Status, friction, friction_kernels, lcp

DENSE_PROBLEMS = (
    "Capsules-i100-889",
    "Confeti-ex03-Fc3D-SBM",
    "FC3D_Example1",
    "FrictionContact3D_1c",
    "NESpheres_10_1",
    "OneObject-i100000-316",
    "Rover1039",
    "Rover1040",
    "Rover11035",
)
GLOBAL_PROBLEMS = ("LMGC_GlobalFrictionContactProblem00046", "Box_Stacks-i0122-82-5")
METHODS = ("auto", "gauss-seidel", "newton")


def residual_by_numpy(W, q, mu, r):
    """The acceptance residual exactly as the README of the data set defines it."""
    W = W.toarray() if hasattr(W, "toarray") else np.asarray(W)
    s = 1.0 / np.abs(W).max()
    u, r = (W @ r + q).reshape(-1, 3), r.reshape(-1, 3) / s
    hat = u.copy()
    hat[:, 0] += mu * np.linalg.norm(u[:, 1:], axis=1)
    v = r - hat
    length = np.linalg.norm(v[:, 1:], axis=1)
    normal = np.where(mu * length <= -v[:, 0], 0.0, (v[:, 0] + mu * length) / (1.0 + mu**2))
    tangent = v[:, 1:] * (mu * normal / np.maximum(length, 1e-300))[:, None]
    p = np.where((length <= mu * v[:, 0])[:, None], v, np.column_stack((normal, tangent)))
    return np.linalg.norm(r - p) / np.linalg.norm(q)


def global_problem(path):
    """W and q of an FCLIB problem given by masses M, directions H and forces f: u = H^T M^-1 (H r + f) + w."""
    h5py = pytest.importorskip("h5py", reason="h5py, of the extra dev, reads these files")
    with h5py.File(path) as file:
        group = file["fclib_global"]
        M, H = (fclib_matrix(group[name]) for name in ("M", "H"))
        f, w, mu = (group["vectors"][name][:] for name in ("f", "w", "mu"))
    return H.T @ np.linalg.solve(M, H), H.T @ np.linalg.solve(M, f) + w, mu


def fclib_matrix(group):
    shape, nz = (group["m"][0], group["n"][0]), group["nz"][0]
    i, p, x = group["i"][:], group["p"][:], group["x"][:]
    if nz >= 0:
        return coo_array((x[:nz], (i[:nz], p[:nz])), shape=shape).toarray()
    return (csr_array if nz == -2 else csc_array)((x, i, p), shape=shape).toarray()


def chain_of_boxes(rng, n):
    """W and q of n contacts in a row of bodies, each contact coupling two of them."""
    J = np.zeros((3 * n, 6 * (n + 1)))
    for i in range(n):
        J[3 * i : 3 * i + 3, 6 * i : 6 * i + 12] = rng.normal(size=(3, 12))
    q = rng.normal(size=3 * n)
    q[::3] -= 1.0
    return J @ J.T, q


@pytest.mark.needs_jit
@pytest.mark.parametrize("name", DENSE_PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_problems_of_real_simulations(shared_data, name, method):
    data = np.load(shared_data("siconos-friction") / f"{name}.npz")
    W = csr_array((data["data"], data["indices"], data["indptr"]), shape=tuple(data["shape"]))
    result = friction(W, data["q"], data["mu"], method)
    measured = residual_by_numpy(W, data["q"], data["mu"], result.x)
    assert result.converged and measured <= 1e-8 * (1.0 + 1e-6)
    assert measured == pytest.approx(result.residual, rel=1e-3, abs=1e-14)


@pytest.mark.needs_jit
@pytest.mark.parametrize("name", GLOBAL_PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_problems_given_by_masses_and_directions(shared_data, name, method):
    W, q, mu = global_problem(shared_data("siconos-friction") / f"{name}.hdf5")
    result = friction(W, q, mu, method)
    assert result.converged and residual_by_numpy(W, q, mu, result.x) <= 1e-8 * (1.0 + 1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("angle", [5.0, 16.0, 17.5, 40.0])
def test_a_block_on_a_slope_sticks_below_the_angle_of_friction_and_slides_beyond(method, angle):
    mu, mass, dt, g = 0.3, 2.0, 1e-3, 9.81
    slope = np.radians(angle)
    q = dt * g * np.array([-np.cos(slope), np.sin(slope), 0.0])
    result = friction(np.eye(3) / mass, q, mu, method)
    gained = max(0.0, dt * g * (np.sin(slope) - mu * np.cos(slope)))
    np.testing.assert_allclose(result.w, [0.0, gained, 0.0], atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_four_feet_share_a_push_that_does_not_move_them(method):
    """A table, pushed at its centre below the limit of friction: redundant, but the sum is known."""
    corners = np.array([(1, 1, -1), (1, -1, -1), (-1, 1, -1), (-1, -1, -1.0)])
    axes = np.array([(0, 0, 1.0), (1, 0, 0), (0, 1, 0)])
    J = np.array([np.concatenate((e, np.cross(c, e))) for c in corners for e in axes])
    W, q = J @ J.T, J @ np.array([0.1, 0.0, -1.0, 0.0, 0.0, 0.0])
    result = friction(W, q, 0.3, method)
    assert result.converged
    total = result.x.reshape(4, 3).sum(axis=0)
    np.testing.assert_allclose(total, [1.0, -0.1, 0.0], atol=1e-6)
    np.testing.assert_allclose(result.w, 0.0, atol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_without_friction_it_is_the_linear_problem_of_the_normals(rng, method):
    W, q = chain_of_boxes(rng, 8)
    result = friction(W, q, 0.0, method)
    expected = lcp(W[::3, ::3], q[::3], "lemke").x
    np.testing.assert_allclose(result.x.reshape(8, 3), np.column_stack((expected, np.zeros((8, 2)))), atol=1e-6)


def test_a_given_sliding_direction_is_the_cone_where_it_is_the_true_one(rng):
    """Buck & Schömer's friction needs the direction of slip; fed with the one that comes out, it agrees."""
    W, q = chain_of_boxes(rng, 5)
    q.reshape(5, 3)[:, 1:] *= 20.0  # fast enough that every closed contact slips
    cone = friction(W, q, 0.1, "newton", settings=Settings(tolerance=1e-12))
    sliding = friction(W, q, 0.1, "sliding", directions=cone.w.reshape(5, 3)[:, 1:])
    assert cone.converged and sliding.converged
    np.testing.assert_allclose(sliding.x, cone.x, atol=1e-7)


def test_a_pyramid_with_many_sides_comes_near_the_cone(rng):
    W, q = chain_of_boxes(rng, 3)
    cone = friction(W, q, 0.4, settings=Settings(tolerance=1e-10)).x
    errors = []
    for sides in (4, 16, 64):
        pyramid = friction(W, q, 0.4, "polyhedral", sides=sides)
        assert pyramid.converged
        errors.append(np.abs(pyramid.x - cone).max())
    assert errors[2] < 0.1 * errors[0] and errors[2] < 0.02 * np.abs(cone).max()


@pytest.mark.needs_jit
@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.floats(0.0, 1.0))
@settings(max_examples=40, deadline=None)
def test_methods_agree_on_the_residual_they_report(n, seed, mu):
    W, q = chain_of_boxes(np.random.default_rng(seed), n)
    for method in METHODS:
        result = friction(W, q, mu, method, settings=Settings(tolerance=1e-9, max_iterations=3000))
        measured = residual_by_numpy(W, q, np.full(n, mu), result.x)
        assert measured == pytest.approx(result.residual, rel=1e-3, abs=1e-13)
        assert result.converged == (result.residual <= 1e-9)


@given(st.integers(0, 2**32 - 1), st.floats(0.0, 6.28))
@settings(max_examples=25, deadline=None)
def test_turning_the_tangents_turns_the_answer(seed, angle):
    W, q = chain_of_boxes(np.random.default_rng(seed), 3)
    c, s = np.cos(angle), np.sin(angle)
    turn = np.kron(np.eye(3), np.array([[1, 0, 0], [0, c, -s], [0, s, c]]))
    tight = Settings(tolerance=1e-11)
    plain = friction(W, q, 0.3, settings=tight)
    turned = friction(turn @ W @ turn.T, turn @ q, 0.3, settings=tight)
    if plain.converged and turned.converged:
        np.testing.assert_allclose(turned.w, turn @ plain.w, atol=1e-6)


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
@settings(max_examples=25, deadline=None)
def test_units_do_not_matter(seed, mass, speed):
    W, q = chain_of_boxes(np.random.default_rng(seed), 3)
    plain, scaled = friction(W, q, 0.5), friction(W / mass, q * speed, 0.5)
    assert plain.converged == scaled.converged
    assert scaled.residual == pytest.approx(plain.residual, rel=1e-2, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_the_solution_as_start_is_kept(rng, method):
    W, q = chain_of_boxes(rng, 6)
    cold = friction(W, q, 0.5, method)
    warm = friction(W, q, 0.5, method, start=cold.x)
    assert cold.converged and warm.iterations == 0
    np.testing.assert_allclose(warm.x, cold.x, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_sparse_and_dense_matrices_give_the_same(rng, method):
    W, q = chain_of_boxes(rng, 9)
    np.testing.assert_allclose(friction(csr_array(W), q, 0.4, method).x, friction(W, q, 0.4, method).x, atol=1e-9)


@pytest.mark.needs_jit
def test_newton_for_many_contacts_agrees_with_newton_for_few(rng):
    """Beyond a hundred or so contacts the matrix is kept sparse; 40 copies of one problem must repeat its answer."""
    W, q = chain_of_boxes(rng, 4)
    one = friction(W, q, 0.3, "newton", settings=Settings(tolerance=1e-11))
    many = friction(
        csr_array(np.kron(np.eye(40), W)), np.tile(q, 40), 0.3, "newton", settings=Settings(tolerance=1e-11)
    )
    assert one.converged and many.converged
    np.testing.assert_allclose(many.w, np.tile(one.w, 40), atol=1e-7)


@pytest.mark.needs_jit
def test_contacts_that_throw_an_impulse_to_and_fro_are_damped(shared_data):
    """Undamped sweeps repeat two states for ever on this problem; they once ended at a residual of 3e-3."""
    data = np.load(shared_data("siconos-friction") / "OneObject-i100000-316.npz")
    W = csr_array((data["data"], data["indices"], data["indptr"]), shape=tuple(data["shape"]))
    assert friction(W, data["q"], data["mu"], "gauss-seidel").converged


def test_too_few_iterations_are_a_status_and_not_an_error(rng):
    W, q = chain_of_boxes(rng, 20)
    for method in METHODS:
        result = friction(W, q, 0.5, method, settings=Settings(max_iterations=1, tolerance=1e-12))
        assert result.status == Status.MAX_ITERATIONS and result.residual > 1e-12, method


def test_no_contacts_are_solved_at_once():
    result = friction(np.zeros((0, 0)), [], [])
    assert result.converged and result.x.shape == (0,)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.eye(3), [1.0, 2.0], 0.3), "q: expected three numbers per contact, got 2"),
        ((np.eye(2), [1.0, 2.0, 3.0], 0.3), r"W: expected \(3, 3\), got \(2, 2\)"),
        ((np.eye(3), [1.0, 2.0, np.nan], 0.3), "q: row 2 is not finite"),
        ((np.eye(6), np.ones(6), [0.3, -0.1]), "mu: row 1 is -0.1, but a coefficient of friction is not negative"),
        ((np.eye(6), np.ones(6), [0.3]), r"mu: expected \(2,\), got \(1,\)"),
        ((np.eye(3), np.ones(3), 0.3, "cone"), "method: expected one of auto, gauss-seidel"),
        ((np.eye(3), np.ones(3), 0.3, "sliding"), "directions: the method sliding needs"),
    ],
)
def test_bad_input_names_the_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        friction(*arguments)


def test_whatever_the_caller_passes_one_specialisation_is_compiled(compiled_signatures):
    for cast in (list, np.float32, np.asfortranarray, csr_array):
        for method in METHODS:
            friction(cast(np.eye(3)), [-1.0, 0.5, 0.0], 0.3, method)
    assert len(compiled_signatures(friction_kernels.friction_gauss_seidel)) == 1
