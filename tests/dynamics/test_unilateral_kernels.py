"""Unilateral problems in kernels: Schur's complement by numpy, complementarity by Lemke's path, dependent supports."""

import numpy as np
import pytest

from abut.dynamics.event.search_tables import Work
from abut.dynamics.event.unilateral_kernels import (
    PUSHES,
    RESTS,
    STILL,
    complete,
    eliminate_first,
    solve_unilateral,
)
from abut.solve import lcp


def work_of(W, q, *, rests=True):
    """Scratch with a problem in it, of which all points rest."""
    n = len(q)
    flag = np.zeros((n, 4), np.bool_)
    flag[:, RESTS] = rests
    fields = dict.fromkeys(Work._fields, np.zeros(1))
    tables = {"flag": flag, "matrix": np.array(W), "right": np.array(q), "square": np.zeros((n, n))}
    numbers = {"line": np.zeros((8, n)), "order": np.zeros(n, np.int32), "place": np.zeros(n, np.int32)}
    return Work(**fields | tables | numbers)


@pytest.mark.parametrize("seed", range(20))
def test_forces_are_those_of_the_complementarity_problem(seed):
    random = np.random.default_rng(seed)
    n, rank = 8, 5
    J = random.normal(size=(n, rank))
    W, q = J @ J.T, J @ random.normal(size=rank)
    x, after = np.full(n, np.nan), np.full(n, np.nan)
    work = work_of(W, q)
    assert solve_unilateral(0, n, work, x, after)
    np.testing.assert_allclose(after, W @ x + q, rtol=0, atol=1e-12 * np.abs(W).max())
    assert x.min() >= 0.0 and after.min() > -1e-9 and np.abs(x * after).max() < 1e-9
    np.testing.assert_allclose(after, lcp(W, q, "lemke").w, rtol=0, atol=1e-8)
    assert not x[~work.flag[:, PUSHES]].any()


def test_points_that_do_not_rest_never_push(rng):
    J = rng.normal(size=(6, 6))
    W, q, rests = J @ J.T, -np.ones(6), np.array([True, False, True, False, True, True])
    x, after = np.empty(6), np.empty(6)
    assert solve_unilateral(0, 6, work_of(W, q, rests=rests), x, after)
    assert not x[~rests].any()
    assert after[rests].min() > -1e-9


@pytest.mark.parametrize("m", [0, 1, 3])
def test_first_equations_are_eliminated_as_schur_has_it(m, rng):
    J, q = rng.normal(size=(7, 9)), rng.normal(size=7)
    W = J @ J.T
    matrix, right = W.copy(), q.copy()
    eliminate_first(m, 7, matrix, right, np.empty(7))
    back = np.linalg.solve(W[:m, :m], np.column_stack((W[:m, m:], q[:m])))
    np.testing.assert_allclose(matrix[m:, m:], W[m:, m:] - W[m:, :m] @ back[:, :-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(right[m:], q[m:] - W[m:, :m] @ back[:, -1], rtol=0, atol=1e-9)


def test_an_equation_that_follows_from_others_is_left_out(rng):
    J, q = rng.normal(size=(6, 9)), rng.normal(size=9)
    J[2] = J[0] - 2.0 * J[1]
    twice, once = J @ J.T, np.delete(J, 2, axis=0)
    matrix, right, alone, of_alone = twice, J @ q, once @ once.T, once @ q
    eliminate_first(3, 6, matrix, right, np.empty(6))
    eliminate_first(2, 5, alone, of_alone, np.empty(5))
    np.testing.assert_allclose(matrix[3:, 3:], alone[2:, 2:], rtol=0, atol=1e-9)
    np.testing.assert_allclose(right[3:], of_alone[2:], rtol=0, atol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_supports_are_completed_to_as_many_as_are_independent(seed):
    """Of still rows, those are added that make a basis with the ones that push: no more, no fewer."""
    random = np.random.default_rng(seed)
    J = random.normal(size=(9, 4))
    work = work_of(J @ J.T, np.zeros(9))
    work.flag[[1, 5], PUSHES] = True
    work.flag[:, STILL] = True
    complete(0, 9, work)
    pushes = work.flag[:, PUSHES]
    assert pushes[[1, 5]].all()
    assert pushes.sum() == np.linalg.matrix_rank(J[pushes]) == 4
