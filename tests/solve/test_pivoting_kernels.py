"""The linear solves inside pivoting and inside sweeps over subspaces, beside numpy.linalg."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from abut.solve.pivoting_kernels import AT_LOWER, AT_UPPER, FREE, solve_free
from abut.solve.subspace_kernels import conjugate_gradients

N = 8


@pytest.fixture
def matrix(rng):
    root = rng.normal(size=(N, N))
    return root @ root.T + np.eye(N)


def test_free_unknowns_balance_their_rows_and_others_stay_at_their_bounds(rng, matrix):
    b, lower, upper = rng.normal(size=N), np.full(N, -0.5), np.full(N, 0.7)
    side = np.array([FREE, AT_LOWER, FREE, AT_UPPER, FREE, FREE, AT_LOWER, FREE], np.int32)
    work = (side, np.empty(N, np.int32), np.zeros((2, N)), np.empty((N, N)), np.empty(N, np.int32), np.empty(1))
    x = np.empty(N)
    assert solve_free(matrix, b, lower, upper, 0.0, x, work)
    free = side == FREE
    np.testing.assert_array_equal(x[side == AT_LOWER], -0.5)
    np.testing.assert_array_equal(x[side == AT_UPPER], 0.7)
    held = b[free] + matrix[np.ix_(free, ~free)] @ x[~free]
    np.testing.assert_allclose(x[free], -np.linalg.solve(matrix[np.ix_(free, free)], held), rtol=1e-11)


def test_a_raised_diagonal_draws_to_the_centre(rng, matrix):
    b, centre, raise_ = rng.normal(size=N), rng.normal(size=N), 0.3
    side, vectors, x = np.full(N, FREE, np.int32), np.zeros((2, N)), np.empty(N)
    vectors[1] = centre
    work = (side, np.empty(N, np.int32), vectors, np.empty((N, N)), np.empty(N, np.int32), np.empty(1))
    assert solve_free(matrix, b, np.full(N, -np.inf), np.full(N, np.inf), raise_, x, work)
    np.testing.assert_allclose(x, np.linalg.solve(matrix + raise_ * np.eye(N), raise_ * centre - b), rtol=1e-11)


def test_conjugate_gradients_solve_the_free_rows_and_leave_the_others(rng, matrix):
    sparse, w, free = csr_array(matrix), rng.normal(size=N), np.array([1, 0, 1, 1, 0, 1, 1, 1], np.int32)
    table = (sparse.indptr.astype(np.int32), sparse.indices.astype(np.int32), sparse.data, 1.0 / matrix.diagonal())
    vectors = np.empty((4, N))
    assert conjugate_gradients(table, w, free, 1e-12, 60, vectors)
    step, chosen = vectors[0], free == 1
    assert not step[~chosen].any()
    np.testing.assert_allclose(step[chosen], -np.linalg.solve(matrix[np.ix_(chosen, chosen)], w[chosen]), atol=1e-9)


def test_too_few_steps_are_told(rng, matrix):
    sparse = csr_array(matrix)
    table = (sparse.indptr.astype(np.int32), sparse.indices.astype(np.int32), sparse.data, 1.0 / matrix.diagonal())
    assert not conjugate_gradients(table, rng.normal(size=N), np.ones(N, np.int32), 1e-12, 2, np.empty((4, N)))
