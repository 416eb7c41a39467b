"""Rows of contacts: which stay, what pairs of bodies give together, and where users see them."""

import numpy as np
import pytest

from abut.contact.contact_kernels import BODY_A, BODY_B, CARRIED_BY_A, CARRIED_BY_B, CARRIER, GAP, NO_CARRIER
from abut.dynamics.accounts.account_kernels import PRESSURE
from abut.dynamics.contacts.contact_set_kernels import append_pushing, keep_contacts
from abut.dynamics.contacts.contact_table_kernels import contact_frames
from abut.dynamics.contacts.contact_tables import ContactTables
from abut.dynamics.contacts.pair_kernels import pair_value

NAN = float("nan")
N = 30


@pytest.fixture
def tables(rng):
    rows = ContactTables(
        rng.integers(0, 9, (N, 7)).astype(np.int32),
        rng.normal(size=(N, 17)),
        np.where(rng.random(N) < 0.4, rng.random(N), 0.0),
        rng.normal(size=(N, 3)),
        rng.random(N),
        np.where(rng.random((N, 1)) < 0.5, rng.normal(size=(N, 12)), 0.0),
    )
    rows.extra[:] = np.arange(N)  # tells rows apart
    return rows


def test_contacts_that_push_or_are_near_stay_in_order_with_all_their_rows(rng, tables):
    alive, limit = rng.random(N) < 0.8, 0.1
    stay = np.flatnonzero(alive & ((tables.force > 0.0) | (tables.place[:, GAP] < limit)))
    before = [table.copy() for table in tables]
    kept, smallest = keep_contacts(alive, limit, N, tuple(tables))
    assert kept == len(stay) and smallest == before[1][stay, GAP].min()
    for table, old in zip(tables, before, strict=True):
        np.testing.assert_array_equal(table[:kept], old[stay])
    assert sorted(tables.extra.tolist()) == list(range(N))
    whole = tables.extra.astype(int)
    np.testing.assert_array_equal(tables.place, before[1][whole])


def test_contacts_that_let_go_are_kept_if_something_acted(tables):
    acted = 4 + np.flatnonzero(tables.acted[4:20].any(axis=1))
    gone = ContactTables(*(np.zeros_like(table) for table in tables))
    assert append_pushing(4, 20, tuple(tables), 2, tuple(gone)) == 2 + len(acted)
    for table, copy in zip(tables, gone, strict=True):
        np.testing.assert_array_equal(copy[2 : 2 + len(acted)], table[acted])


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(0.4, 0.9, 0.6), (0.4, NAN, 0.4), (NAN, 0.9, 0.9), (NAN, NAN, 0.3), (0.0, 0.9, 0.0)]
)
def test_two_bodies_give_the_geometric_mean_or_what_is_known(a, b, expected):
    of_body, none = np.array([a, b]), (np.zeros((0, 2), np.int32), np.zeros(0))
    assert pair_value(0, 1, of_body, 0.3, *none) == pytest.approx(expected)
    assert pair_value(1, 0, of_body, 0.3, *none) == pytest.approx(expected)


def test_a_pair_overrules_its_bodies_in_either_order():
    of_body, pairs, of_pair = np.array([0.4, 0.9, 0.5]), np.array([[0, 1], [0, 2]], np.int32), np.array([0.7, NAN])
    assert pair_value(0, 1, of_body, 0.3, pairs, of_pair) == pair_value(1, 0, of_body, 0.3, pairs, of_pair) == 0.7
    assert pair_value(2, 0, of_body, 0.3, pairs, of_pair) == pytest.approx(np.sqrt(0.2))


@pytest.mark.parametrize("carrier", [CARRIED_BY_A, CARRIED_BY_B, NO_CARRIER])
def test_a_contact_is_seen_half_way_between_the_surfaces(rng, random_pose, carrier):
    A, B = random_pose(), random_pose()
    name, place, acted = np.zeros((1, 7), np.int32), np.zeros((1, 17)), np.zeros((1, 12))
    name[0, BODY_A], name[0, BODY_B] = 0, 1
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    place[0, :9], place[0, CARRIER] = (*rng.normal(size=6), *normal), carrier
    radius, frames = np.array([0.2, 0.3]), (np.empty((1, 3)), np.empty((1, 3)), np.empty(1))
    pose = np.array([A.row, B.row])
    contact_frames(name, place, radius, acted, 1, pose, frames)
    facing = {CARRIED_BY_A: A.rotation @ normal, CARRIED_BY_B: B.rotation @ normal}.get(carrier, normal)
    middle = 0.5 * (A.apply(place[0, :3]) + 0.2 * facing + B.apply(place[0, 3:6]) - 0.3 * facing)
    np.testing.assert_allclose(frames[0][0], middle, atol=1e-14)
    np.testing.assert_allclose(frames[1][0], facing, atol=1e-14)
    assert frames[2][0] == 0.0
    acted[0, PRESSURE : PRESSURE + 3] = (0.0, 3.0, 4.0)
    contact_frames(name, place, radius, acted, 1, pose, frames)
    np.testing.assert_allclose(frames[1][0], (0.0, 0.6, 0.8))
    assert frames[2][0] == 5.0
