"""Linear complementarity: listed solutions, agreement of all methods, brute force, and what has no solution."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from abut.solve import Settings, Status, Workspace, lcp, lemke_kernels, newton_kernels, sweep_kernels
from abut.solve.lcp import METHODS
from solve.lcp_oracle import all_solutions, contacts_on_one_body, fathi, murty, natural_residual, positive_definite

PIVOTING = ("newton", "pivoting", "lemke")
# Sweeping and conjugate gradients ask for a symmetric matrix.
SYMMETRIC_ONLY = ("gauss-seidel", "jacobi", "subspace")
LISTED = ("lcp_CPS_1", "lcp_CPS_3", "lcp_deudeu", "lcp_ortiz", "lcp_trivial", "lcp_exp_murty")


@pytest.fixture(params=LISTED)
def listed(request, shared_data):
    case = json.loads((shared_data("siconos-lcp") / "expected.json").read_text())[request.param]
    return np.array(case["M"]), np.array(case["q"]), np.array(case["complementary_basic_solutions"]), request.param


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_listed_problems_are_solved(listed, method):
    A, b, solutions, name = listed
    result = lcp(A, b, method)
    if name == "lcp_CPS_3" and method not in ("auto", "newton", "pivoting"):
        # A bimatrix game: Lemke's path ends on a ray at once, sweeps have a zero diagonal to divide by. They say so.
        assert result.status in (Status.RAY, Status.MAX_ITERATIONS)
        return
    assert result.status == Status.CONVERGED
    assert natural_residual(A, b, result.x) <= 1e-9 * max(1.0, np.linalg.norm(b))
    if len(solutions) == 1:
        np.testing.assert_allclose(result.x, solutions[0], atol=1e-8)


def test_a_problem_that_is_solved_by_zero_takes_no_pivot():
    result = lcp(np.eye(3), [1.0, 0.0, 2.0], "lemke")
    assert result.converged and not result.x.any() and result.iterations == 0


def test_no_rows_are_solved_at_once():
    result = lcp(np.zeros((0, 0)), [])
    assert result.converged and result.x.shape == (0,)


@pytest.mark.parametrize(
    ("A", "b", "lower", "upper", "x"),
    [
        pytest.param([[2.0]], [-4.0], None, 1.0, [1.0], id="held at the upper bound"),
        pytest.param([[2.0]], [-4.0], -np.inf, 5.0, [2.0], id="an upper bound that is not reached"),
        pytest.param([[2.0]], [4.0], -np.inf, 5.0, [-2.0], id="below zero where no bound forbids it"),
        pytest.param([[2.0]], [4.0], -1.0, 1.0, [-1.0], id="held at the lower of two bounds"),
        pytest.param([[2.0, 1.0], [1.0, 2.0]], [3.0, 0.0], [0.0, -np.inf], None, [0.0, 0.0], id="joint, contact open"),
        pytest.param([[2.0, 1.0], [1.0, 2.0]], [-3.0, 3.0], [0.0, -np.inf], None, [3.0, -3.0], id="joint and contact"),
        pytest.param([[1.0, 1.0], [1.0, 1.0]], [-2.0, -2.0], -np.inf, None, [1.0, 1.0], id="a joint stated twice"),
    ],
)
@pytest.mark.parametrize("method", [*METHODS])
def test_mixed_rows_by_hand(A, b, lower, upper, x, method):
    result = lcp(A, b, method, lower=lower, upper=upper)
    assert result.converged
    if lower is not None and np.linalg.matrix_rank(A) < len(b):
        assert abs(result.w).max() < 1e-9
    else:
        np.testing.assert_allclose(result.x, x, atol=1e-8)


@pytest.mark.parametrize("n", range(1, 9))
def test_every_answer_is_one_that_brute_force_finds(rng, n):
    A, b = positive_definite(rng, n)
    (expected,) = all_solutions(A, b)
    for method in PIVOTING:
        np.testing.assert_allclose(lcp(A, b, method).x, expected, atol=1e-7, err_msg=method)


@pytest.mark.parametrize("n", [1, 2, 5, 20, *(pytest.param(n, marks=pytest.mark.needs_jit) for n in (80, 500))])
def test_methods_agree_on_random_monotone_problems(rng, n):
    G = rng.normal(size=(n, n))
    A, b = G @ G.T / n + 0.1 * np.eye(n), rng.normal(size=n)
    expected = lcp(A, b, "lemke").x
    for method in METHODS:
        result = lcp(A, b, method)
        assert result.converged, method
        np.testing.assert_allclose(result.x, expected, atol=1e-7, err_msg=method)


@pytest.mark.parametrize("n", [7, *(pytest.param(n, marks=pytest.mark.needs_jit) for n in (20, 60))])
def test_redundant_contacts_have_one_motion_whatever_the_method(rng, n):
    """The forces are not unique where rows depend on each other; A x, the velocity they cause, is."""
    A, b = contacts_on_one_body(rng, n)
    expected = lcp(A, b, "lemke").w
    for method in METHODS:
        result = lcp(A, b, method)
        assert result.converged, method
        np.testing.assert_allclose(result.w, expected, atol=1e-6 * np.abs(b).max(), err_msg=method)


@pytest.mark.parametrize("problem", [murty, fathi])
@pytest.mark.parametrize("n", [3, 8, 16])
def test_examples_that_take_exponentially_many_pivots_elsewhere(problem, n):
    A, b = problem(n)
    for method in PIVOTING:
        result = lcp(A, b, method)
        assert result.converged and result.iterations <= 40 * n, method


def test_the_cycling_example_of_kostreva_terminates():
    """Kostreva's P-matrix makes pivoting without a rule for ties go round for ever."""
    A, b = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]]), -np.ones(3)
    for method in PIVOTING:
        np.testing.assert_allclose(lcp(A, b, method).x, np.full(3, 1.0 / 3.0), atol=1e-8)


def test_the_linear_program_of_beale_terminates():
    """Beale's degenerate programme cycles under Dantzig's rule; as an LCP its matrix is skew, hence copositive-plus."""
    T = np.array([[0.25, -8.0, -1.0, 9.0], [0.5, -12.0, -0.5, 3.0], [0.0, 0.0, 1.0, 0.0]])
    cost, limit = np.array([-0.75, 20.0, -0.5, 6.0]), np.array([0.0, 0.0, 1.0])
    A = np.block([[np.zeros((4, 4)), T.T], [-T, np.zeros((3, 3))]])
    result = lcp(A, np.concatenate((cost, limit)), "lemke")
    assert result.converged
    assert cost @ result.x[:4] == pytest.approx(linprog(cost, T, limit).fun)


@pytest.mark.parametrize("repeats", [2, 5])
def test_equal_rows_tie_in_every_pivot_and_still_end(repeats):
    A, b = np.ones((repeats, repeats)), -np.ones(repeats)
    for method in METHODS:
        assert lcp(A, b, method).converged, method


@pytest.mark.parametrize(
    ("A", "b"),
    [
        pytest.param([[0.0, 0.0], [0.0, 1.0]], [-1.0, 1.0], id="a row that nothing moves"),
        pytest.param([[1.0, -1.0], [-1.0, 1.0]], [-1.0, -1.0], id="pressed from both sides"),
        pytest.param([[-1.0]], [-1.0], id="a force that pulls"),
    ],
)
def test_what_has_no_solution_is_said_to_have_none(A, b):
    assert linprog([0.0] * len(b), -np.array(A), b).status == 2
    assert lcp(A, b, "lemke").status == Status.INFEASIBLE
    assert lcp(A, b).status == Status.INFEASIBLE
    for method in METHODS:
        assert not lcp(A, b, method, settings=Settings(max_iterations=200)).converged, method


def test_a_feasible_problem_without_solution_is_not_called_infeasible():
    """w >= 0 can be met, complementarity cannot: Lemke ends on a ray and proves nothing."""
    A, b = np.array([[1.0, 0.0], [2.0, -1.0]]), np.array([2.0, -2.0])
    assert linprog([0.0, 0.0], -A, b).status == 0 and not all_solutions(A, b)
    assert lcp(A, b, "lemke").status == Status.RAY
    assert not lcp(A, b).converged


@pytest.mark.parametrize("method", [*METHODS])
def test_the_solution_as_start_is_kept(rng, method):
    n = 12
    G = rng.normal(size=(n, n))
    A, b = G @ G.T / n + 0.1 * np.eye(n), rng.normal(size=n)
    cold = lcp(A, b, method)
    warm = lcp(A, b, method, start=cold.x)
    assert warm.converged and warm.iterations <= min(1, cold.iterations)
    np.testing.assert_allclose(warm.x, cold.x, atol=1e-8)


def test_lemke_goes_on_from_a_start_that_is_nearly_right(rng):
    A, b = positive_definite(rng, 60)
    cold = lcp(A, b, "lemke")
    nudged = b + 1e-3 * rng.normal(size=60)
    assert lcp(A, nudged, "lemke", start=cold.x).iterations < 0.2 * cold.iterations


@pytest.mark.parametrize("method", SYMMETRIC_ONLY)
def test_sparse_and_dense_matrices_give_the_same(rng, method):
    J = rng.normal(size=(80, 60)) * (rng.random((80, 60)) < 0.05)
    A, b = J @ J.T + 0.1 * np.eye(80), rng.normal(size=80)
    np.testing.assert_allclose(lcp(csr_array(A), b, method).x, lcp(A, b, method).x, atol=1e-8)


@pytest.mark.needs_jit
def test_auto_solves_a_large_sparse_problem_without_making_it_dense(rng):
    """300 stacks of ten blocks on the floor, each block leaning on one of the next stack."""
    body = np.arange(3000)
    below, beside = np.where(body % 10 > 0, body - 1, -1), (body + 10) % 3000
    first, second = np.concatenate((below, body)), np.concatenate((body, beside))
    J = np.zeros((6000, 3001))
    J[np.arange(6000), second], J[np.arange(6000), first] = 1.0, -1.0
    J = csr_array(J[:, :3000])
    result = lcp(csr_array(J @ J.T), J @ rng.normal(-1.0, 0.3, 3000))
    assert result.converged and result.method == "subspace"


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
@settings(max_examples=40, deadline=None)
def test_scaling_forces_and_lengths_scales_the_answer(n, seed, force, length):
    A, b = positive_definite(np.random.default_rng(seed), n)
    x = lcp(A, b).x
    scaled = lcp(A * length / force, b * length)
    assert scaled.converged
    np.testing.assert_allclose(scaled.x, x * force, rtol=1e-6, atol=1e-7 * force)


@given(st.integers(2, 7), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_the_order_of_rows_does_not_matter(n, seed):
    rng = np.random.default_rng(seed)
    A, b = positive_definite(rng, n)
    order = rng.permutation(n)
    for method in PIVOTING:
        moved = lcp(A[np.ix_(order, order)], b[order], method).x
        np.testing.assert_allclose(moved, lcp(A, b, method).x[order], atol=1e-7)


@given(st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_whatever_the_matrix_a_converged_answer_is_a_solution(n, seed):
    """Small integers: degenerate, singular, infeasible, anything; the status may say so, but not lie."""
    rng = np.random.default_rng(seed)
    A, b = rng.integers(-2, 3, (n, n)).astype(float), rng.integers(-2, 3, n).astype(float)
    for method in METHODS:
        result = lcp(A, b, method, settings=Settings(max_iterations=200))
        if result.converged:
            assert natural_residual(A, b, result.x) <= 1e-8, method
        if result.status == Status.INFEASIBLE:
            assert linprog(np.zeros(n), -A, b).status == 2, method


@given(st.integers(1, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_bounded_rows_agree_across_methods(n, seed):
    rng = np.random.default_rng(seed)
    A, b = positive_definite(rng, n)
    lower = rng.choice([0.0, -np.inf, -0.5], n)
    upper = np.where(rng.random(n) < 0.5, np.inf, 0.7)
    answers = [lcp(A, b, method, lower=lower, upper=upper) for method in PIVOTING]
    assert all(answer.converged for answer in answers)
    for answer in answers[1:]:
        np.testing.assert_allclose(answer.x, answers[0].x, atol=1e-7)


def test_too_few_iterations_are_a_status_and_not_an_error(rng):
    A, b = positive_definite(rng, 30)
    for method in METHODS:
        result = lcp(A, b, method, settings=Settings(max_iterations=1))
        assert result.status in (Status.MAX_ITERATIONS, Status.STALLED) and result.residual > 1e-10, method


def test_a_workspace_serves_problems_of_every_size(rng):
    workspace = Workspace()
    for n in (30, 4, 50, 7):
        A, b = positive_definite(rng, n)
        for method in ("newton", "pivoting"):
            lent = lcp(A, b, method, workspace=workspace)
            np.testing.assert_array_equal(lent.x, lcp(A, b, method).x)
    assert workspace.capacity == 50


def test_history_falls_to_the_residual(rng):
    A, b = positive_definite(rng, 20)
    result = lcp(A, b, "newton")
    assert len(result.history) == result.iterations + 1
    assert result.history[-1] <= 1e-10 < result.history[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0, 2.0]], [1.0, 2.0]), r"A: expected \(2, 2\), got \(1, 2\)"),
        ((np.eye(2), [1.0, np.nan]), "b: row 1 is not finite"),
        (([[1.0, np.inf], [0.0, 1.0]], [1.0, 1.0]), "A: row 0 is not finite"),
        ((csr_array(np.array([[1.0, 0.0], [0.0, np.nan]])), [1.0, 1.0]), "A: row 1 is not finite"),
        ((csr_array(np.eye(3)), [1.0, 1.0]), r"A: expected \(2, 2\), got \(3, 3\)"),
        ((np.eye(1), [1.0], "simplex"), "method: expected one of auto, newton, .*got 'simplex'"),
    ],
)
def test_bad_input_names_the_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        lcp(*arguments)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"lower": 1.0, "upper": 0.0}, "lower: row 0 is 1, above upper"),
        ({"lower": [0.0, 0.0, 0.0]}, r"lower: expected one number or \(2,\), got \(3,\)"),
        ({"upper": np.nan}, "upper: row 0 is not a number"),
        ({"start": [1.0]}, r"start: expected \(2,\), got \(1,\)"),
    ],
)
def test_bad_bounds_and_starts_name_the_argument(bounds, message):
    with pytest.raises(ValueError, match=message):
        lcp(np.eye(2), [1.0, 1.0], **bounds)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0.0}, "tolerance: expected a number greater than 0"),
        ({"max_iterations": 0}, "max_iterations: expected at least 1"),
        ({"function": "max"}, "function: expected one of fischer, min, penalised"),
        ({"relaxation": 2.0}, "relaxation: expected a number between 0 and 2"),
    ],
)
def test_bad_settings_name_the_field(options, message):
    with pytest.raises(ValueError, match=message):
        Settings(**options)


def test_whatever_the_caller_passes_one_specialisation_is_compiled(compiled_signatures):
    for cast in (list, np.float32, np.asfortranarray, lambda v: np.array(v, dtype=int)):
        for method in METHODS:
            lcp(cast(2 * np.eye(3)), cast(-np.ones(3)), method)
            lcp(csr_array(2 * np.eye(3)), cast(-np.ones(3)), method)
    for kernel in (newton_kernels.newton_affine, lemke_kernels.lemke, sweep_kernels.gauss_seidel_sparse):
        assert len(compiled_signatures(kernel)) == 1
