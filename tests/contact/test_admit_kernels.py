"""Which touches become contacts: chains of what is known, and candidates that are far from each other."""

import numpy as np
import pytest

from abut.contact.admit_kernels import _chain_contacts, _choose
from abut.contact.contact_kernels import (
    BODY_A,
    BODY_B,
    FEATURE_A,
    KIND,
    LABEL,
    NAME_WIDTH,
    NORMAL,
    PLACE_WIDTH,
    POINT_A,
)
from abut.contact.contact_tables import Chains, ContactRows
from abut.query.motion.motion_candidate_kernels import EDGE_EDGE, VERTEX_FACE

KNOWN, SLACK = 2, 1e-3


def rows_at(points, kind=VERTEX_FACE):
    """Contacts of bodies 0 and 1, which stand in the world's frame; the first KNOWN rows are those of before."""
    n = KNOWN + len(points)
    name, place, extra = np.zeros((n, NAME_WIDTH), np.int32), np.zeros((n, PLACE_WIDTH)), np.full(n, np.nan)
    name[:, BODY_B], name[:, KIND] = 1, kind
    name[:, FEATURE_A] = np.arange(n)
    place[KNOWN:, POINT_A : POINT_A + 3], place[:, NORMAL + 2] = points, 1.0
    return ContactRows(name, place, extra)


def standing():
    motions = np.zeros((2, 18))
    motions[:, :9] = np.eye(3).ravel()
    return motions


def chosen(rows, most, label=40):
    """Features of A of the rows that were kept, in order."""
    count = len(rows.name) - KNOWN
    n = _choose(KNOWN, count, most, label, SLACK, standing(), rows)
    return rows.name[KNOWN : KNOWN + n, FEATURE_A].tolist()


def farthest_first(points, most):
    """The same by brute force."""
    order = [0]
    while len(order) < min(most, len(points)):
        apart = np.linalg.norm(points[:, None] - points[order], axis=2).min(axis=1)
        order.append(int(apart.argmax()))
    return [KNOWN + i for i in order]


@pytest.mark.parametrize("most", [1, 4, 20])
def test_touches_are_kept_that_are_farthest_from_each_other(most, rng):
    for _ in range(20):
        points = rng.normal(size=(9, 3))
        rows = rows_at(points)
        assert chosen(rows, most) == farthest_first(points, most)


def test_rows_are_exchanged_and_none_is_lost(rng):
    points = rng.normal(size=(9, 3))
    rows = rows_at(points)
    kept = chosen(rows, 4)
    assert sorted(rows.name[KNOWN:, FEATURE_A].tolist()) == list(range(KNOWN, KNOWN + 9))
    for name, place in zip(rows.name[KNOWN:], rows.place[KNOWN:], strict=True):
        assert place[POINT_A : POINT_A + 3].tolist() == points[name[FEATURE_A] - KNOWN].tolist()
    assert rows.name[KNOWN : KNOWN + len(kept), LABEL].tolist() == [40, 41, 42, 43]
    assert not rows.extra[KNOWN : KNOWN + 4].any()


@pytest.mark.parametrize(("apart", "kept"), [(0.5 * SLACK, "face"), (2.0 * SLACK, "edges")])
def test_a_vertex_on_a_face_stands_for_edges_that_cross_at_the_same_place(apart, kept):
    rows = rows_at(np.array([(0.0, 0.0, 0.0), (apart, 0.0, 0.0)]))
    rows.name[KNOWN, KIND] = EDGE_EDGE
    assert chosen(rows, 1) == [KNOWN + 1 if kept == "face" else KNOWN]


def test_chains_list_the_contacts_of_every_second_body_in_ascending_order(rng):
    name = np.zeros((40, NAME_WIDTH), np.int32)
    name[:, BODY_A], name[:, BODY_B] = 0, rng.integers(1, 6, 40)
    chains = Chains(np.full(7, 99, np.int32), np.full(40, 99, np.int32))
    _chain_contacts(name, 30, chains)
    for body in range(7):
        found, k = [], int(chains.first[body])
        while k >= 0:
            found.append(k)
            k = int(chains.following[k])
        assert found == np.flatnonzero(name[:30, BODY_B] == body).tolist()
