"""Least squares against LAPACK's."""

import numpy as np
import pytest

from abut.math.least_squares_kernels import least_squares


@pytest.mark.parametrize(
    ("m", "n", "rank"), [(1, 1, 1), (6, 6, 6), (9, 5, 5), (5, 9, 5), (24, 24, 7), (30, 20, 11), (4, 3, 0)]
)
def test_the_shortest_of_the_best_answers_is_found(m, n, rank):
    rng = np.random.default_rng(10 * m + n)
    matrix = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    right, x = rng.normal(size=m), np.empty(n)
    assert least_squares(matrix, right, 1e-10, x) == rank
    np.testing.assert_allclose(x, np.linalg.lstsq(matrix, right, rcond=1e-10)[0], rtol=0.0, atol=1e-10)


def test_columns_of_very_different_size():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(12, 12)) * np.logspace(0.0, -6.0, 12)
    x, truth = np.empty(12), rng.normal(size=12)
    assert least_squares(matrix, matrix @ truth, 1e-14, x) == 12
    np.testing.assert_allclose(x, truth, rtol=1e-8)


def test_the_matrix_is_left_as_it_was():
    matrix, right = np.arange(6.0).reshape(2, 3), np.ones(2)
    least_squares(matrix, right, 1e-10, np.empty(3))
    np.testing.assert_array_equal(matrix, np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(right, 1.0)
