"""Eigenvalues by rotations: numpy's as oracle, and matrices on which rotations could go astray."""

import numpy as np
import pytest

from abut.math.symmetric_kernels import diagonalise


def eigen(a):
    """Ascending eigenvalues, and their vectors in columns."""
    matrix, vectors = np.array(a, float), np.eye(len(a))
    diagonalise(matrix, vectors)
    order = np.argsort(np.diag(matrix))
    return np.diag(matrix)[order], vectors[:, order]


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_eigenvalues_are_those_of_numpy(n, rng):
    for _ in range(20):
        a = rng.normal(size=(n, n))
        a += a.T
        values, vectors = eigen(a)
        size = np.abs(a).max()
        np.testing.assert_allclose(values, np.linalg.eigvalsh(a), rtol=0, atol=1e-14 * n * size)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), rtol=0, atol=1e-14 * n)
        np.testing.assert_allclose(vectors * values @ vectors.T, a, rtol=0, atol=1e-14 * n * size)


@pytest.mark.parametrize(
    "a",
    [
        pytest.param(np.zeros((3, 3)), id="nothing"),
        pytest.param(np.diag((3.0, 1.0, 2.0)), id="diagonal already"),
        pytest.param(np.ones((4, 4)), id="of rank one"),
        pytest.param([[2.0, 1.0], [1.0, 2.0]], id="equal on the diagonal"),
        pytest.param([[1.0, 1e-9], [1e-9, 1e18]], id="entries far apart in size"),
    ],
)
def test_special_matrices(a):
    values, vectors = eigen(a)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(a)), rtol=0, atol=1e-14)
