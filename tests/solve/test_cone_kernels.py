"""One Coulomb contact: laws of the projection, and the contact that is solved by itself."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abut.solve.cone_kernels import coulomb_residual2, project_cone, solve_contact

numbers = st.floats(-1e3, 1e3)
vectors = st.tuples(numbers, numbers, numbers)
friction = st.floats(0.0, 3.0)


def matrix_of(seed, spread):
    """A positive definite block, as a row-order tuple and as an array."""
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(3, 4)) * np.array([[1.0], [spread], [1.0]])
    W = G @ G.T
    return tuple(W.ravel()), W


@pytest.mark.parametrize(
    ("q", "r"),
    [
        pytest.param((0.5, 3.0, 0.0), (0.0, 0.0, 0.0), id="lifts off"),
        pytest.param((-1.0, 0.2, 0.0), (1.0, -0.2, 0.0), id="sticks"),
        pytest.param((-1.0, 4.0, 0.0), (1.0, -0.5, 0.0), id="slips against the motion"),
        pytest.param((-2.0, 3.0, 4.0), (2.0, -0.6, -0.8), id="slips in both directions"),
        pytest.param((0.0, 1.0, 0.0), (0.0, 0.0, 0.0), id="just touches"),
    ],
)
def test_one_contact_by_hand(q, r):
    np.testing.assert_allclose(solve_contact((1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0), q, 0.5), r, atol=1e-15)


@given(vectors, friction)
@example((-1.0, 0.0, 0.0), 0.0)
def test_the_projection_is_in_the_cone_and_the_rest_in_its_polar(v, mu):
    """Moreau: v = p + n with p in K, n in the polar cone, p . n = 0; this characterises the nearest point."""
    p = np.array(project_cone(v, mu))
    rest, size = np.array(v) - p, 1.0 + np.abs(v).max()
    assert np.hypot(p[1], p[2]) <= mu * p[0] + 1e-12 * size
    assert mu * np.hypot(rest[1], rest[2]) <= -rest[0] + 1e-12 * size * (1 + mu)
    assert abs(p @ rest) <= 1e-12 * size**2


@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.01, 30.0]), vectors, st.floats(0.0, 2.0))
@example(0, 1.0, (1.0, 0.0, 0.0), 0.0)
def test_a_contact_solved_by_itself_obeys_coulomb(seed, spread, q, mu):
    block, W = matrix_of(seed, spread)
    r = solve_contact(block, q, mu)
    u = W @ r + q
    size = 1.0 + np.abs(q).max() + np.abs(r).max() * np.abs(W).max()
    assert coulomb_residual2(r, tuple(u), mu) ** 0.5 <= 1e-10 * size * (1.0 + mu)


@given(st.integers(0, 2**32 - 1), vectors, st.floats(0.05, 1.0))
def test_friction_opposes_slip_and_does_no_positive_work(seed, q, mu):
    block, W = matrix_of(seed, 1.0)
    r = np.array(solve_contact(block, q, mu))
    u = W @ r + q
    assert r[1:] @ u[1:] <= 1e-9 * (1.0 + np.abs(r).max() * np.abs(u).max())


def test_a_contact_that_cannot_move_gets_no_impulse():
    assert solve_contact((0.0,) * 9, (-1.0, 1.0, 0.0), 0.5) == (0.0, 0.0, 0.0)


def test_a_block_without_tangential_motion_still_slips():
    """Singular: the tangents are locked. Nothing can slow the slip; the impulse stays on the cone."""
    r = solve_contact((1.0, 0, 0, 0, 0.0, 0, 0, 0, 0.0), (-1.0, 2.0, 0.0), 0.5)
    np.testing.assert_allclose(r, (1.0, -0.5, 0.0), atol=1e-12)
