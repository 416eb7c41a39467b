"""The method of velocities: what bodies that many items share answer to each of them."""

import numpy as np

from abut.dynamics.methods.method_kernels import _share_bodies
from abut.dynamics.solver.problem_tables import Contacts, Rows


def shared_and_whole(response, body, push):
    """The matrix of items that have shares of bodies to themselves, and that of what all feel of each other."""
    n, answer, own = len(body), np.empty_like(push), np.zeros((len(body), 3, 3))
    J = np.zeros((3 * n, 6 * len(response)))
    for r in range(3 * n):
        for side, b in enumerate(body[r // 3]):
            half = slice(6 * side, 6 * side + 6)
            answer[r, half] = response[b] @ push[r, half]
            J[r, 6 * b : 6 * b + 6] = push[r, half]
    nothing = np.zeros(1)
    rows = Rows(**dict.fromkeys(Rows._fields, nothing) | {"body": body, "push": push, "lower": np.zeros(0)})
    contacts = Contacts(**dict.fromkeys(Contacts._fields, nothing) | {"n": n, "mu": np.ones(n)})
    _share_bodies(np.arange(n), contacts, len(response), rows, answer, own)
    shared, answers = np.zeros((3 * n, 3 * n)), np.zeros((6 * len(response), 3 * n))
    for i in range(n):
        shared[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = own[i]
    for b, matrix in enumerate(response):
        answers[6 * b : 6 * b + 6] = matrix @ J[:, 6 * b : 6 * b + 6].T
    return shared, J @ answers


def random_responses(rng, n):
    roots = rng.normal(size=(n, 6, 6))
    return np.einsum("nij,nkj->nik", roots, roots)


def test_shared_bodies_bound_all_couplings(rng):
    """Jacobi converges where the matrix of single items is no less than half of that of all."""
    body = np.array([rng.choice(4, 2, replace=False) for _ in range(7)], np.int32)
    shared, whole = shared_and_whole(random_responses(rng, 4), body, rng.normal(size=(21, 12)))
    slack = np.linalg.eigvalsh(shared - whole)
    assert slack.min() > -1e-10 * slack.max()


def test_the_bound_is_met_by_items_that_push_alike(rng):
    body, push = np.array([(0, 1)] * 5, np.int32), np.tile(rng.normal(size=(3, 12)), (5, 1))
    slack = np.linalg.eigvalsh(np.subtract(*shared_and_whole(random_responses(rng, 2), body, push)))
    assert abs(slack.min()) < 1e-10 * slack.max()
