"""Non-linear complementarity: textbook problems from many starts, all forms and functions, and honest failures."""

import json

import numpy as np
import pytest

from abut.solve import Settings, Status, lcp, ncp, newton_kernels
from abut.solve.ncp import METHODS
from abut.solve.result import FUNCTIONS

STARTS = ([0, 0, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0], [1, 0, 1, 0], [2, 0.5, 1, 3], [10, 0, 0, 0], [100, 100, 100, 100])


def slopes_of(g):
    """Jacobian by complex steps: exact to rounding for polynomials."""

    def jacobian(x):
        columns = [np.asarray(g(x + 1e-30j * unit)).imag / 1e-30 for unit in np.eye(len(x))]
        return np.column_stack(columns)

    return jacobian


def formulas(texts):
    """The listed formulas, in x1 .. xn with ^ for powers, as a function."""
    programs = [compile(text.replace("^", "**"), text, "eval") for text in texts]
    return lambda x: np.array([eval(p, {f"x{i + 1}": v for i, v in enumerate(x)}) for p in programs])


def kojima_shindo(x):
    a, b, c, d = x
    return np.array(
        [
            3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6,
            2 * a * a + a + b * b + 10 * c + 2 * d - 2,
            3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9,
            a * a + 3 * b * b + 2 * c + 3 * d - 3,
        ]
    )


@pytest.fixture
def josephy(shared_data):
    case = json.loads((shared_data("ncp-textbook") / "ncp.json").read_text())["josephy"]
    return formulas(case["F"]), np.array(case["solutions"])


@pytest.mark.parametrize("start", STARTS, ids=str)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_josephys_problem_from_many_starts(josephy, start, function):
    g, solutions = josephy
    result = ncp(g, slopes_of(g), start, "newton", settings=Settings(function=function))
    assert result.converged and result.residual <= 1e-10
    assert np.abs(np.minimum(result.x, g(result.x))).max() <= 1e-10
    np.testing.assert_allclose(result.x, solutions[0], atol=1e-8)


@pytest.mark.parametrize("start", [*STARTS, [1.1, 0.1, 2.9, 0.1]], ids=str)
def test_kojima_and_shindos_problem_ends_at_one_of_its_two_solutions(start):
    """From (1, 0, 1, 0) the Fischer merit leads to a local minimum; `auto` then finds another way."""
    result = ncp(kojima_shindo, slopes_of(kojima_shindo), start)
    assert result.converged
    solutions = np.array([[np.sqrt(6.0) / 2.0, 0.0, 0.0, 0.5], [1.0, 0.0, 3.0, 0.0]])
    # The first is degenerate (x3 = g3 = 0), where Newton's last digits are worth only their square root.
    assert np.abs(solutions - result.x).max(axis=1).min() < 1e-4


@pytest.mark.parametrize("method", ["newton", "pair", "linearised"])
def test_near_the_solution_convergence_is_quadratic(josephy, method):
    g, solutions = josephy
    result = ncp(g, slopes_of(g), solutions[0] + 0.02, method)
    assert result.converged and result.iterations <= 6
    errors = result.history[result.history > 1e-9]
    assert (errors[2:] <= 100.0 * errors[1:-1] ** 2).all()


@pytest.mark.parametrize("method", METHODS)
def test_contacts_that_all_carry_are_found_by_every_method(rng, method):
    """Distances that bend a little with the forces, all closed: even the naive method is right."""
    G = rng.normal(size=(5, 5))
    A, force = G @ G.T + np.eye(5), rng.uniform(1.0, 2.0, 5)
    bend = 0.01
    result = ncp(
        lambda f: A @ (f - force) + bend * (f**2 - force**2), lambda f: A + np.diag(2 * bend * f), np.ones(5), method
    )
    assert result.converged
    np.testing.assert_allclose(result.x, force, atol=1e-8)


def test_the_naive_method_releases_a_contact_that_would_pull():
    A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-2.0, 1.0])
    naive = ncp(lambda f: A @ f + b, lambda f: A, [0.0, 0.0], "naive")
    assert naive.converged
    np.testing.assert_allclose(naive.x, [1.0, 0.0], atol=1e-9)


@pytest.mark.parametrize("method", ["newton", "pair", "linearised"])
def test_an_affine_function_gives_the_answer_of_the_linear_solver(rng, method):
    G = rng.normal(size=(12, 12))
    A, b = G @ G.T / 12 + 0.1 * np.eye(12), rng.normal(size=12)
    result = ncp(lambda x: A @ x + b, lambda x: A, np.zeros(12), method)
    np.testing.assert_allclose(result.x, lcp(A, b, "lemke").x, atol=1e-8)


def test_redundant_contacts_settle_on_the_motion(rng):
    J = rng.normal(size=(20, 6))
    b = J @ rng.normal(size=6)
    result = ncp(lambda x: J @ (J.T @ x) + b, lambda x: J @ J.T, np.zeros(20))
    assert result.converged
    np.testing.assert_allclose(result.w, lcp(J @ J.T, b, "lemke").w, atol=1e-7)


def test_start_values_from_the_linear_problem_save_steps(josephy):
    g, _ = josephy
    near = [1.1, 0.1, 0.1, 0.6]
    plain, helped = (ncp(g, slopes_of(g), near, "newton", from_lcp=flag) for flag in (False, True))
    assert helped.converged and helped.iterations < plain.iterations


@pytest.mark.parametrize("scale", ["diagonal", [1e-9, 1e-9]])
def test_forces_of_kilonewtons_against_gaps_of_micrometres(scale):
    """f ~ 1e3 N and g ~ 1e-6 m differ by nine powers of ten; scaled, they compare."""
    A, b = 1e-9 * np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-3e-6, 1e-6])
    result = ncp(lambda f: A @ f + b, lambda f: A, [0.0, 0.0], scale=scale, settings=Settings(tolerance=1e-15))
    assert result.converged
    np.testing.assert_allclose(result.x, [1500.0, 0.0], rtol=1e-6, atol=1e-3)


def test_bilateral_and_bounded_rows_beside_contacts():
    """A joint (sin x = 0.5), a limited motor that saturates, and an open contact."""

    def g(x):
        return np.array([np.sin(x[0]) - 0.5, x[1] - 4.0 + 0.1 * x[0], 1.0 + x[2] + x[0] ** 2])

    def jacobian(x):
        return np.array([[np.cos(x[0]), 0, 0], [0.1, 1, 0], [2 * x[0], 0, 1.0]])

    bounds = {"lower": [-np.inf, -1.0, 0.0], "upper": [np.inf, 1.0, np.inf]}
    for method in ("newton", "linearised"):
        result = ncp(g, jacobian, [0.1, 0.0, 0.0], method, **bounds)
        assert result.converged, method
        np.testing.assert_allclose(result.x, [np.pi / 6, 1.0, 0.0], atol=1e-9)
        assert result.w[1] < 0.0 < result.w[2]


@pytest.mark.parametrize("method", METHODS)
def test_what_cannot_be_solved_is_reported(method):
    """Each row would have to lift its own surface by pulling: g <= -1 everywhere."""
    result = ncp(lambda x: -1.0 - x**2, lambda x: np.diag(-2.0 * x), [0.5, 2.0], method)
    assert not result.converged and result.residual >= 1.0


@pytest.mark.parametrize("method", METHODS)
def test_a_function_that_is_not_finite_is_a_status(method):
    result = ncp(lambda x: np.full(2, np.nan), lambda x: np.eye(2), [1.0, 1.0], method)
    assert result.status == Status.NOT_FINITE


def test_trial_points_where_the_function_is_undefined_are_avoided():
    """log(x) is undefined for x <= 0: the line search must come back from there."""
    with np.errstate(invalid="ignore", divide="ignore"):
        result = ncp(lambda x: np.log(x) + 1.0, lambda x: np.diag(1.0 / x), [5.0])
    assert result.converged
    np.testing.assert_allclose(result.x, [np.exp(-1.0)], atol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((lambda x: x[:1], lambda x: np.eye(2), [1.0, 1.0]), r"g: expected to return \(2,\), got \(1,\)"),
        ((lambda x: x - 3.0, lambda x: np.eye(3), [1.0, 1.0]), r"jacobian: expected to return \(2, 2\)"),
        ((lambda x: x, lambda x: np.eye(2), [1.0, np.inf]), "start: row 1 is not finite"),
        ((lambda x: x, lambda x: np.eye(1), [1.0], "bisection"), "method: expected one of newton, pair"),
    ],
)
def test_bad_input_names_the_argument(arguments, message):
    with pytest.raises(ValueError, match=message):
        ncp(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": [0.0]}, "scale: row 0 is not positive"),
        ({"scale": "rows"}, "scale: expected numbers or"),
        ({"method": "pair", "upper": 1.0}, "method: pair takes no bounds"),
    ],
)
def test_bad_options_name_the_argument(options, message):
    with pytest.raises(ValueError, match=message):
        ncp(lambda x: x - 1.0, lambda x: np.eye(1), [1.0], **options)


def test_whatever_the_caller_returns_one_specialisation_is_compiled(compiled_signatures):
    for cast in (list, np.float32, np.asfortranarray):
        ncp(lambda x: cast(x - 1.0), lambda x: cast(np.eye(2)), cast([3.0, 0.0]))  # noqa: B023
    assert len(compiled_signatures(newton_kernels.newton_resume)) == 1
