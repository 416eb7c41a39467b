"""Plain sweeps beside the complementarity problem that they solve; rules of rest; names of soft contacts."""

import numpy as np
import pytest

from abut.dynamics.methods.relaxation_kernels import prepare_sweeps, sweep
from abut.dynamics.rest.rest_kernels import CALM, STAYING, is_calm, longest_way, rest, would_rest
from abut.dynamics.soft.name_kernels import choose_first, find_rows
from abut.dynamics.solver.problem_tables import Bodies, Contacts, Rows
from abut.solve import lcp

BODIES, CONTACTS, JOINTS = 3, 5, 2
ITEMS = CONTACTS + JOINTS
N_ROW = 3 * CONTACTS + JOINTS


def filled(kind, **tables):
    return kind(**{**dict.fromkeys(kind._fields), **tables})


@pytest.fixture
def problem(rng):
    """Contacts without friction and rows of joints between three bodies, with slopes that are their pushes."""
    body = np.array([rng.choice(BODIES, 2, replace=False) for _ in range(ITEMS)], np.int32)
    push = rng.normal(size=(N_ROW, 12))
    roots = rng.normal(size=(BODIES, 6, 6))
    response = np.ascontiguousarray(roots @ roots.transpose(0, 2, 1) + np.eye(6))
    low, high = np.array([-np.inf, -0.05]), np.array([np.inf, 0.05])
    forces = {"x": np.zeros(N_ROW), "w": rng.normal(size=N_ROW), "compliance": np.array([0.0, 0.1])}
    rows = filled(Rows, body=body, push=push, slope=push, lower=low, upper=high, **forces)
    contacts = filled(Contacts, n=CONTACTS, mu=np.zeros(CONTACTS))
    bodies = filled(Bodies, shift=np.zeros((BODIES, 6)), step=np.zeros((BODIES, 6)))
    return contacts, rows, bodies, response


def as_matrix(rows, response):
    """How values of the rows in use answer to their forces."""
    used = [3 * k for k in range(CONTACTS)] + [3 * CONTACTS + j for j in range(JOINTS)]
    J = np.zeros((ITEMS, BODIES, 6))
    for item, r in enumerate(used):
        for side in range(2):
            J[item, rows.body[item, side]] += rows.push[r, 6 * side : 6 * side + 6]
    A = np.einsum("ibk,bkl,jbl->ij", J, response, J)
    A[CONTACTS:, CONTACTS:] += np.diag(rows.compliance)
    return A, rows.w[used], used


def test_sweeps_end_at_the_solution_of_the_complementarity_problem(problem):
    contacts, rows, bodies, response = problem
    items = np.arange(ITEMS, dtype=np.int32)
    answer, own = np.zeros((N_ROW, 12)), np.zeros((ITEMS, 3, 3))
    prepare_sweeps(items, contacts, rows, response, answer, own)
    A, b, used = as_matrix(rows, response)
    np.testing.assert_allclose(own[:, 0, 0], A.diagonal() - np.append(np.zeros(CONTACTS), rows.compliance))
    changes = [sweep(items, contacts, bodies, rows, answer, own, bodies.shift) for _ in range(3000)]
    lower, upper = np.append(np.zeros(CONTACTS), rows.lower), np.append(np.full(CONTACTS, np.inf), rows.upper)
    expected = lcp(A, b, "newton", lower=lower, upper=upper)
    assert expected.converged and changes[-1] < 1e-12 < changes[0]
    np.testing.assert_allclose(rows.x[used], expected.x, atol=1e-8)
    assert (rows.x[used][:CONTACTS] > 0.0).any() and (rows.x[used][:CONTACTS] == 0.0).any()


def test_ways_are_those_of_the_farthest_point(rng):
    """A turn counts by the reach of its body."""
    twist, shift, reach = rng.normal(size=(4, 6)), rng.normal(size=(4, 6)), rng.uniform(0.5, 2.0, 4)
    bodies, members = filled(Bodies, dt=0.1, shift=shift, reach=reach), np.array([0, 2, 3], np.int32)
    ways = np.abs(0.1 * twist + 0.5 * shift)
    ways[:, 3:] *= reach[:, None]
    assert longest_way(members, bodies, twist, 0.5) == ways[members].max()
    twist[2, 1] = np.nan
    assert longest_way(members, bodies, twist, 0.5) == np.inf


def test_what_hardly_moves_comes_to_rest_and_what_rests_is_moved_by_more():
    still, members, dt = 1e-9, np.array([0], np.int32), 0.01
    tables = {name: np.zeros((1, 6)) for name in ("free", "shift", "twist")}
    bodies = filled(Bodies, dt=dt, reach=np.ones(1), **tables)
    for times, moving, expected in ((0.9, True, True), (1.1, True, False), (1.1, False, True), (5.1, False, False)):
        tables["free"][0, 2] = times * still / dt
        tables["twist"][0, 2] = 1.0 if moving else 0.0
        assert would_rest(members, bodies, still) == expected
    assert STAYING == 5.0 and not would_rest(members, bodies, 0.0)
    rest(members, bodies)
    np.testing.assert_array_equal(dt * tables["free"] + tables["shift"], 0.0)


def test_islands_are_calm_up_to_ten_tolerances():
    members, twist = np.array([0], np.int32), np.zeros((1, 6))
    bodies = filled(Bodies, dt=0.1, shift=np.zeros((1, 6)), reach=np.full(1, 2.0), twist=twist)
    for way, expected in ((0.99, True), (1.01, False)):
        twist[0, 4] = way * CALM * 1e-6 / (0.1 * 2.0)
        assert is_calm(members, bodies, 1e-6, 1.0) == expected
    twist[:] = 0.0
    assert not is_calm(members, bodies, 1e-6, 0.0)


def test_names_are_found_as_a_dictionary_finds_them(rng):
    known = np.unique(rng.integers(0, 4, (200, 5)), axis=0).astype(np.int32)
    rng.shuffle(known)
    n, names = len(known) - 20, rng.integers(0, 4, (60, 5)).astype(np.int32)
    rows = np.empty(60, np.int32)
    find_rows(known, n, names, rows)
    table = {tuple(name): i for i, name in enumerate(known[:n].tolist())}
    assert rows.tolist() == [table.get(tuple(name), -1) for name in names.tolist()]
    assert (rows >= 0).any() and (rows < 0).any()


def test_of_new_hits_the_first_of_each_vertex_and_edge_is_chosen(rng):
    names = np.column_stack((rng.integers(0, 2, 80), rng.integers(0, 6, (80, 4)))).astype(np.int32)
    rows, chosen = rng.choice((-1, 3), 80).astype(np.int32), np.empty(80, np.int32)
    first = {}
    for j in np.flatnonzero(rows < 0):
        kind, a, b, *_ = names[j].tolist()
        first.setdefault((kind, a) if kind == 0 else (kind, a, b), int(j))
    assert chosen[: choose_first(names, rows, chosen)].tolist() == list(first.values())
