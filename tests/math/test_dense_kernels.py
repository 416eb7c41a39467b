"""Small dense algebra against NumPy."""

import numpy as np
import pytest

from abut.math import dense_kernels as dense
from abut.math.vec_kernels import cross, dot, orthonormal_basis, unit


def test_three_by_three_inverses(rng):
    for M in rng.normal(size=(50, 3, 3)):
        inverse = np.reshape(dense.inverse3(tuple(M.ravel().tolist())), (3, 3))
        np.testing.assert_allclose(inverse, np.linalg.inv(M), rtol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_factorisations_solve_within_a_larger_workspace(rng, n):
    B, b = rng.normal(size=(n, n)), rng.normal(size=n)
    workspace, pivot = np.full((50, 50), np.nan), np.zeros(50, np.int32)
    for A, solve in ((B, "lu"), (B @ B.T + np.eye(n), "cholesky")):
        workspace[:n, :n], x = A, b.copy()
        if solve == "lu":
            assert dense.lu_factor(workspace, n, pivot)
            dense.lu_solve(workspace, n, pivot, x)
        else:
            assert dense.cholesky_factor(workspace, n)
            dense.cholesky_solve(workspace, n, x)
        np.testing.assert_allclose(A @ x, b, atol=1e-9)


def test_a_singular_matrix_is_told():
    singular = np.ones((3, 3))
    assert not dense.lu_factor(singular.copy(), 3, np.zeros(3, np.int32))
    assert not dense.cholesky_factor(-np.eye(3), 3)


@pytest.mark.parametrize("length", [1e-320, 1e-200, 1.0, 1e200])
def test_unit_vectors_of_any_length(length):
    np.testing.assert_allclose(unit((0.0, -length, 0.0)), (0.0, -1.0, 0.0), rtol=1e-15)
    assert unit((0.0, 0.0, 0.0)) == (0.0, 0.0, 0.0)


def test_a_basis_is_right_handed_and_orthonormal(rng):
    for v in (*rng.normal(size=(50, 3)), (0, 0, 1.0), (0, 0, -1.0)):
        n = unit(tuple(float(x) for x in v))
        t1, t2 = orthonormal_basis(n)
        assert max(abs(dot(n, t1)), abs(dot(n, t2)), abs(dot(t1, t2))) < 1e-15
        np.testing.assert_allclose(cross(t1, t2), n, atol=1e-15)
